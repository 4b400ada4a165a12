"""Fits the `[[certainty]]` of a rulebook to the labels of corpus/, each server left out, and measures it.

    python3 benches/certainty.py target/release/tapecheck [RULEBOOK] [--write] [--sealed]

Needs python3 alone. Prints figures, never a text. What they are: README.md beside this file.
"""

import argparse
import math
import pathlib
import re
import tempfile

from labelled import CORPUS, POOL, gather, stats

CALIBRATED = CORPUS.parent / "src" / "rulebook" / "builtin" / "calibrated.toml"


def numbers(curve):
    return " to ".join(str(curve[key]) for key in ("certainty", "near", "far") if key in curve)


def with_numbers(text, lines):
    """A rulebook's text with these numbers in its lines of certainty."""
    for name, curve in lines.items():
        block = re.search(rf'\[\[certainty\]\]\nname = "{re.escape(name)}"\n(?:[^\n\[][^\n]*\n)*', text)
        if not block:
            raise SystemExit(f"no [[certainty]] named {name} in the rulebook: is it inherited?")
        body = block[0]
        for key, value in curve.items():
            body = re.sub(rf"^{key} = .*$", f"{key} = {value}", body, flags=re.M)
        text = text[:block.start()] + body + text[block.end():]
    return text


def reliability(truth, reading):
    of = [it for it in truth["calibration"] if it["reading"] == reading]
    if not of:
        raise SystemExit("the rulebook has no [[certainty]], or there are no labels")
    return of[0]


def lowered(certainty, log_odds):
    odds = certainty / (1 - certainty) * math.exp(-log_odds)
    return odds / (1 + odds)


def hundredths(certainty):
    return max(0.01, min(0.99, round(certainty, 2)))


def too_sure(steps):
    """By how much in log-odds certainties have to be lowered to be right on average; never below 0."""
    right = sum(step["came_true"]["hits"] for step in steps)
    least, most = 0.0, 5.0
    for _ in range(40):
        middle = (least + most) / 2
        expected = sum(step["came_true"]["of"] * lowered(step["mean_confidence"], middle) for step in steps)
        least, most = (middle, most) if expected > right else (least, middle)
    return least


def print_reliability(tested, of):
    sure, replies = of["sure"], sum(step["came_true"]["of"] for step in of["steps"])
    hits, total, interval = sure["right"]["hits"], sure["right"]["of"], sure["interval"]
    within = f" ({interval['low']:.3f}–{interval['high']:.3f})" if interval else ""
    share = f"{hits / total:.3f}{within}" if total else "none"
    print(f"| {tested} | {replies} | {of['expected_error']:.3f} | {of['brier']:.3f} | {total} | {share} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda path: pathlib.Path(path).resolve(), help="the tapecheck to measure with")
    parser.add_argument("rulebook", nargs="?", type=pathlib.Path, default=CALIBRATED, help="its file [default: calibrated]")
    parser.add_argument("--write", action="store_true", help="put the fitted numbers into the rulebook's file")
    parser.add_argument("--sealed", action="store_true", help="also measure on corpus/sealed, meant to be done once")
    options = parser.parse_args()
    text = options.rulebook.read_text(encoding="utf-8")

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        book = folder / options.rulebook.name
        book.write_text(text, encoding="utf-8")

        def truth(names):
            place = folder / "-".join(names)
            if not place.exists():
                place.mkdir()
                gather(names, place)
            return stats(options.program, book, place)

        told = truth(POOL)
        print(f"rulebook `{told['rulebook']['name']}` {told['rulebook']['digest'][:12]}\n")
        lines = told["truth"]["certainty"]
        # What leaving a server out cannot take back, since its author had seen it, shows on servers that nobody read.
        book.write_text(with_numbers(text, {line["name"]: line["fitted"] for line in lines}), encoding="utf-8")
        shift = too_sure(reliability(truth(("check",))["truth"], "certainty")["steps"])
        final = {line["name"]: {key: hundredths(lowered(value, shift)) for key, value in line["fitted"].items()}
                 for line in lines}
        print(f"| [[certainty]] | replies | servers | right | written | fitted | lowered by {shift:.2f} |\n" + "|---" * 7 + "|")
        for line in lines:
            hits, of = line["right"]["hits"], line["right"]["of"]
            share = f"{hits / of:.3f}" if of else "–"
            print(f"| {line['name']} | {of} | {line['servers']} | {share} | {numbers(line['written'])} "
                  f"| {numbers(line['fitted'])} | {numbers(final[line['name']])} |")
        if options.write:
            text = with_numbers(text, final)
            options.rulebook.write_text(text, encoding="utf-8")
        book.write_text(text, encoding="utf-8")
        print("\n| tested on | replies | expected error | Brier score | of 0.9 and more | of them right |\n" + "|---" * 6 + "|",
              flush=True)
        print_reliability("each server left out", reliability(told["truth"], "certainty_held_out"))
        for name in ("check", "sealed") if options.sealed else ("check",):
            print_reliability(f"`{name}`, as written", reliability(truth((name,))["truth"], "certainty"))


main()
