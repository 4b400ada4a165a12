#!/usr/bin/env python3
"""Measures what a run costs when most of it was judged earlier. Standard library only.

Needs the release builds of tapecheck and of the yardsticks: benches/compare.sh makes both.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

import compare

FOLDERS = 25
# Exchanges of a tape.
TAPE = 1_000
# Files that changed less than two seconds ago are not kept.
SETTLED = 2.5
WEIGHTS = 'name = "other"\nextends = "guide"\n[factors]\nmcp_code = { weight = 9 }\n'


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exchanges", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--program", type=pathlib.Path, default=compare.PRODUCT)
    parser.add_argument("--generate", type=pathlib.Path, default=compare.YARDSTICKS / "generate")
    parser.add_argument("--record", action="store_true", help="keep the table in benches/runs")
    return parser.parse_args()


def generate(program, place, exchanges, seed):
    file = place / f"{seed}.jsonl"
    command = [program, "--exchanges", str(exchanges), "--seed", str(seed), "--out", file]
    subprocess.run(command, check=True)
    lines = file.read_bytes().splitlines(keepends=True)
    file.unlink()
    return [lines[at : at + TAPE] for at in range(0, len(lines), TAPE)]


def lay_out(tapes, corpus):
    for number, lines in enumerate(tapes):
        folder = corpus / f"f{number * FOLDERS // len(tapes):02}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"t{number:05}.jsonl").write_bytes(b"".join(lines))


class Bench:
    def __init__(self, place, program):
        self.place, self.program, self.costs = place, program, {}
        self.corpus = place / "corpus"
        self.weights = place / "weights.toml"
        self.weights.write_text(WEIGHTS)

    def run(self, name, *more):
        """Runs once; notes user and system seconds, and what came from where."""
        out = self.place / "run"
        command = [self.program, "run", self.corpus, "--out", out, "-q", "-j", "1", *more]
        cpu = compare.measure(command).cpu
        wall = json.loads((out / "manifest.json").read_text())["wall"]
        known = [wall.get(part) or 0 for part in ("reused", "rescored")]
        self.costs.setdefault(name, []).append((cpu, known))

    def fresh(self):
        shutil.rmtree(self.place / ".tapecheck-cache", ignore_errors=True)

    def with_new(self, name, tapes, folder_of):
        """One run with tapes that the cache does not know, which are taken away again."""
        added = []
        for number, lines in enumerate(tapes):
            path = self.corpus / f"f{folder_of(number):02}" / f"t99{number:03}.jsonl"
            path.write_bytes(b"".join(lines))
            added.append(path)
        time.sleep(SETTLED)
        self.run(name)
        for path in added:
            path.unlink()

    def round(self, tapes):
        self.run("without a cache", "--no-cache")
        self.fresh()
        self.run("fills the cache")
        self.run("nothing changed")
        self.with_new("1 % new, at the end", tapes, lambda _: FOLDERS - 1)
        self.with_new("1 % new, spread", tapes, lambda number: number * 2 % FOLDERS)
        self.run("other weights", "--rulebook", self.weights)
        self.run("other weights, again", "--rulebook", self.weights)
        self.run("other weights, once more", "--rulebook", self.weights)

    def table(self):
        full = statistics.median(cpu for cpu, _ in self.costs["without a cache"])
        lines = [
            "| run | CPU s, median [min-max] | of a full run | as judged | by what was observed |",
            "|---|---|---|---|---|",
        ]
        for name, costs in self.costs.items():
            cpu = [cost for cost, _ in costs]
            reused, rescored = costs[-1][1]
            median = statistics.median(cpu)
            lines.append(f"| {name} | {compare.spread(cpu)} | {median / full:.1%} | {reused:,} | {rescored:,} |")
        return "\n".join(lines)


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as place:
        bench = Bench(pathlib.Path(place), options.program)
        lay_out(generate(options.generate, bench.place, options.exchanges, 1), bench.corpus)
        new = generate(options.generate, bench.place, options.exchanges // 100, 2)
        time.sleep(SETTLED)
        for _ in range(options.rounds):
            bench.round(new)
        table = bench.table()
    text = (
        f"# Runs with a cache, {compare.today()}, {compare.machine()}\n\n{options.exchanges:,} exchanges in tapes of "
        f"{TAPE:,}, {options.rounds} rounds, load {os.getloadavg()[0]:.1f} at the end. A nightly run with "
        f"1 % new tapes is to cost 5 % at most, other weights 10 %.\n\n{table}\n"
    )
    print(text)
    if options.record:
        compare.keep(text, "nightly")


if __name__ == "__main__":
    main()
