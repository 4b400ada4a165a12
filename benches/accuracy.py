"""Holds a rulebook against a bag of words that is trained on the same labels and tested on the same calls.

    python3 benches/accuracy.py target/release/tapecheck [--rulebook NAME|FILE] [--sealed]

Needs scikit-learn. Prints figures alone, never a text. What they are: README.md beside this file.
"""

import argparse
import pathlib
import sys
import tempfile

import numpy
import sklearn
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from labelled import KINDS, POOL, class_of, gather, stats

DRAWS, SEED = 2000, 1
TEXT, TOOL = 0, 1


def answers_of_rulebook(calls, told, measured):
    """The answer to each call: its label, unless `measured`, a part of what `stats` told, lists it as a mistake."""
    if told["truth"]["labels"] != len(calls):
        sys.exit(f"stats counts {told['truth']['labels']} labels and this program {len(calls)}: "
                 "they don't read the recordings alike, so their figures can't be compared")
    wrong = {f"{row['file']}:{row['line']}": row["answer"] for row in measured["mistakes"]}
    answers = [class_of(wrong.pop(call["place"], call["label"]), call["kind"]) for call in calls]
    if wrong:
        sys.exit(f"stats lists mistakes at calls that this program doesn't have: {', '.join(wrong)}")
    return answers


def trained(calls):
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    model = make_pipeline(make_column_transformer((words, TEXT), (TfidfVectorizer(), TOOL)),
                          LogisticRegression(class_weight="balanced", max_iter=1000, random_state=SEED))
    return model.fit(columns(calls), [call["label"] for call in calls])


def columns(calls):
    return numpy.array([(call["text"], call["tool"]) for call in calls], dtype=object)


def answers_of_words(tested, training, is_left_out):
    """Each kind of reply has a model of its own; with `is_left_out` each server has, made from the others' labels."""
    answers = [None] * len(tested)
    for kind in KINDS:
        for server in sorted({call["server"] for call in tested}) if is_left_out else [None]:
            asked = [at for at, call in enumerate(tested)
                     if call["kind"] == kind and server in (None, call["server"])]
            if asked:
                model = trained([call for call in training if call["kind"] == kind and call["server"] != server])
                for at, answer in zip(asked, model.predict(columns([tested[at] for at in asked]))):
                    answers[at] = answer
    return answers


def counts(calls, answers, servers):
    """For each server the calls by label and by what was answered."""
    labels = [label for kind in KINDS.values() for label in kind]
    table = numpy.zeros((len(servers), len(labels), len(labels)))
    for call, answer in zip(calls, answers):
        table[servers[call["server"]], labels.index(call["label"]), labels.index(answer)] += 1
    return table


def measures(table):
    """From counts whose last two axes are label and answer, in the order of KINDS."""
    with numpy.errstate(invalid="ignore"):
        recall = numpy.diagonal(table, axis1=-2, axis2=-1) / table.sum(-1)
        refusal, failure, _, hidden = numpy.moveaxis(recall, -1, 0)
        precision = table[..., 3, 3] / table[..., :, 3].sum(-1)
    return {"balanced accuracy": (refusal + failure) / 2, "failures found": failure, "refusals found": refusal,
            "precision": precision, "recall": hidden}


def cells(calls, answers):
    servers = {name: at for at, name in enumerate(sorted({call["server"] for call in calls}))}
    table = counts(calls, answers, servers)
    drawn = numpy.random.default_rng(SEED).integers(len(servers), size=(DRAWS, len(servers)))
    spread = measures(table[drawn].sum(1))
    for name, value in measures(table.sum(0)).items():
        values = spread[name][~numpy.isnan(spread[name])]
        if numpy.isnan(value):
            yield "none found"
        elif len(values) < 0.9 * DRAWS or values.min() == values.max():
            yield f"{value:.3f} (–)"
        else:
            low, high = numpy.percentile(values, (2.5, 97.5))
            yield f"{value:.3f} ({low:.3f}–{high:.3f})"


def agree(told, calls, answers):
    """Stops when the figures of these answers are not those that `stats` prints."""
    servers = {call["server"]: 0 for call in calls}
    here = measures(counts(calls, answers, servers).sum(0))
    for key, name in (("balanced_accuracy", "balanced accuracy"), ("hidden_failure_precision", "precision"),
                      ("hidden_failure_recall", "recall")):
        there = told[key]
        if there is not None and abs(there - here[name]) > 1e-9:
            sys.exit(f"{key}: stats says {there}, counted here {here[name]}: a mistake in this program or in stats")


def print_rows(split, calls, by_model):
    seen, distinct = set(), []
    for at, call in enumerate(calls):
        key = (call["server"], call["text"], call["label"])
        if key not in seen:
            seen.add(key)
            distinct.append(at)
    for what, kept in (("every call", range(len(calls))), ("distinct texts", distinct)):
        for model, answers in by_model.items():
            row = [split, what, str(len(kept)), model]
            row += cells([calls[at] for at in kept], [answers[at] for at in kept])
            print("| " + " | ".join(row) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda path: pathlib.Path(path).resolve(), help="the tapecheck to measure")
    parser.add_argument("--rulebook", default="calibrated", help="a built-in one or a file")
    parser.add_argument("--sealed", action="store_true", help="also measure on corpus/sealed, meant to be done once")
    options = parser.parse_args()
    rulebook = pathlib.Path(options.rulebook)
    rulebook = rulebook.resolve() if rulebook.is_file() else options.rulebook

    threadpool_limits(1)  # More threads only wait for one another on matrices this small.
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "pool").mkdir()
        pool = gather(POOL, folder / "pool")
        told = stats(options.program, rulebook, folder / "pool")
        name = f"`{told['rulebook']['name']}`"
        print(f"rulebook {name} {told['rulebook']['digest'][:12]}, scikit-learn {sklearn.__version__}\n")
        head = ["tested on", "of", "labels", "model", *(f"errors: {m}" for m in ("balanced accuracy", "failures found",
                "refusals found")), "hidden failures: precision", "hidden failures: recall"]
        print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|", flush=True)

        left_out = told["leave_one_server_out"]
        answers = answers_of_rulebook(pool, told, left_out)
        agree(left_out, pool, answers)
        print_rows("each server left out", pool, {name: answers, "words": answers_of_words(pool, pool, True)})
        for collection in ("check", "sealed") if options.sealed else ("check",):
            (folder / collection).mkdir()
            calls = gather([collection], folder / collection)
            told = stats(options.program, rulebook, folder / collection)
            answers = answers_of_rulebook(calls, told, told["truth"])
            agree(told, calls, answers)
            print_rows(f"`{collection}`", calls, {name: answers, "words": answers_of_words(calls, pool, False)})


main()
