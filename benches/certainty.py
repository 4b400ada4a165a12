"""Fits the `[[certainty]]` of a rulebook to the labels of corpus/, each server left out, and checks it.

    python3 benches/certainty.py target/release/tapecheck [--rulebook NAME|FILE] [--write FILE] [--sealed]

Needs python3 alone. Prints figures, never a text. What they are: README.md beside this file.
"""

import argparse
import pathlib
import re
import tempfile

from labelled import POOL, gather, stats


def numbers(curve):
    return " to ".join(f"{curve[key]}" for key in ("certainty", "near", "far") if key in curve)


def written(text, line):
    """The rulebook's text with the fitted numbers of a line."""
    block = re.compile(rf'(\[\[certainty\]\]\nname = "{re.escape(line["name"])}"\n)((?:[^\n\[][^\n]*\n)*)')
    found = block.search(text)
    if not found:
        raise SystemExit(f"no [[certainty]] named {line['name']}: the rulebook inherits it from another file")
    body = found[2]
    for key, value in line["fitted"].items():
        body = re.sub(rf"^{key} = .*$", f"{key} = {value}", body, flags=re.M)
    return text[:found.start()] + found[1] + body + text[found.end():]


def print_reliability(tested, truth, reading):
    of = [it for it in truth["calibration"] if it["reading"] == reading]
    if not of:
        raise SystemExit("the rulebook has no [[certainty]]")
    sure, replies = of[0]["sure"], sum(step["came_true"]["of"] for step in of[0]["steps"])
    hits, total, interval = sure["right"]["hits"], sure["right"]["of"], sure["interval"]
    within = f" ({interval['low']:.3f}–{interval['high']:.3f})" if interval else ""
    share = f"{hits / total:.3f}{within}" if total else "none"
    print(f"| {tested} | {replies} | {of[0]['expected_error']:.3f} | {of[0]['brier']:.3f} | {total} | {share} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda path: pathlib.Path(path).resolve(), help="the tapecheck to measure")
    parser.add_argument("--rulebook", default="calibrated", help="a built-in one or a file")
    parser.add_argument("--write", type=pathlib.Path, help="the rulebook's file, to put the fitted numbers into")
    parser.add_argument("--sealed", action="store_true", help="also measure on corpus/sealed, meant to be done once")
    options = parser.parse_args()
    rulebook = pathlib.Path(options.rulebook)
    rulebook = rulebook.resolve() if rulebook.is_file() else options.rulebook

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "pool").mkdir()
        gather(POOL, folder / "pool")
        told = stats(options.program, rulebook, folder / "pool")
        print(f"rulebook `{told['rulebook']['name']}` {told['rulebook']['digest'][:12]}\n")
        print("| [[certainty]] | replies | servers | right | written | fitted |\n|---|---|---|---|---|---|")
        for line in told["truth"]["certainty"]:
            hits, of = line["right"]["hits"], line["right"]["of"]
            share = f"{hits / of:.3f}" if of else "–"
            print(f"| {line['name']} | {of} | {line['servers']} | {share} | {numbers(line['written'])} "
                  f"| {numbers(line['fitted'])} |")
        print("\n| tested on | replies | expected error | Brier score | of 0.9 and more | of them right |\n"
              "|---|---|---|---|---|---|", flush=True)
        print_reliability("each server left out", told["truth"], "certainty_held_out")
        for collection in ("check", "sealed") if options.sealed else ("check",):
            (folder / collection).mkdir()
            gather([collection], folder / collection)
            print_reliability(f"`{collection}`, as written", stats(options.program, rulebook, folder / collection)["truth"], "certainty")
    if options.write:
        text = options.write.read_text(encoding="utf-8")
        for line in told["truth"]["certainty"]:
            text = written(text, line)
        options.write.write_text(text, encoding="utf-8")


main()
