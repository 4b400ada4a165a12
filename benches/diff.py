"""Measures what `tapecheck diff` costs beside judging what it compares.

    python3 benches/diff.py [EXCHANGES] [--rounds N] [--product BINARY] [--record]

Needs the release build of the product and of the yardsticks, which benches/compare.sh makes. Standard
library only. The corpus and the runs are kept in the temp folder (TMPDIR) while this works.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import compare

# The second side of each comparison.
EDITED = 'name = "edited"\nextends = "guide"\n[lists.business_patterns]\nremove = ["not found"]\n'
BOUND = 0.1
MEMORY = 500


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="tapecheck-diff-") as folder:
        bench = Bench(options, pathlib.Path(folder))
        for number in range(options.rounds):
            bench.round()
            print(f"round {number + 1} of {options.rounds} done", file=sys.stderr, flush=True)
        report = bench.report()
    print(report)
    if options.record:
        head = (
            f"# Comparing two runs, {compare.today()}, {compare.machine()}\n\n{options.exchanges:,} exchanges, seed "
            f"{options.seed}, rounds: {options.rounds}, load {os.getloadavg()[0]:.1f} at the end. `edited` is guide "
            f"with one pattern less.\n"
        )
        compare.keep(f"{head}{report}\n", "diff")


def arguments():
    parser = argparse.ArgumentParser(prog="benches/diff.py", description=__doc__.splitlines()[0])
    parser.add_argument("exchanges", nargs="?", type=int, default=1_000_000, help="size of the corpus")
    parser.add_argument("--rounds", type=int, default=3, help="how often each process runs")
    parser.add_argument("--seed", type=int, default=1, help="seed of the corpus")
    parser.add_argument(
        "--product",
        type=pathlib.Path,
        default=compare.PRODUCT,
        help="the binary to measure",
    )
    parser.add_argument("--record", action="store_true", help="keep the result in benches/runs/")
    return parser.parse_args()


class Bench:
    """A corpus judged under three rulebooks, and what comparing the runs costs."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.recording = folder / "corpus.jsonl"
        self.samples = {}
        command = [compare.YARDSTICKS / "generate", "--exchanges", str(options.exchanges)]
        subprocess.run([*command, "--seed", str(options.seed), "--out", self.recording], check=True)
        edited = folder / "edited.toml"
        edited.write_text(EDITED)
        self.rulebooks = {"guide": "guide", "edited": edited}
        self.rulebooks |= {name: name for name in ("inspector", "calibrated")}

    def round(self):
        for name, rulebook in self.rulebooks.items():
            command = ["run", self.recording, "--rulebook", rulebook, "--out", self.folder / name, "--quiet"]
            self.measure(f"run {name}", [*command, "-j", "1"])
        for name in self.rulebooks:
            self.measure(f"diff guide {name}", ["diff", self.folder / "guide", self.folder / name])

    def measure(self, name, command):
        # 1 says that something was found.
        sample = compare.measure([self.options.product, *command], accepted=(0, 1))
        self.samples.setdefault(name, []).append(sample)

    def report(self):
        lines = ["", "| process | CPU s, median [min-max] | wall s | peak MB |", "|---|---|---|---|"]
        for name, samples in self.samples.items():
            wall = statistics.median(sample.wall for sample in samples)
            peak = max(sample.peak_mb for sample in samples)
            cpu = compare.spread([sample.cpu for sample in samples])
            lines.append(f"| {name} | {cpu} | {wall:.2f} | {peak:.0f} |")
        lines += ["", f"| of judging both (must be at most {BOUND:.0%}) | share | peak MB (at most {MEMORY}) | |", "|---|---|---|---|"]
        for name in self.rulebooks:
            judging = self.middle("run guide") + self.middle(f"run {name}")
            share = self.middle(f"diff guide {name}") / judging
            peak = max(sample.peak_mb for sample in self.samples[f"diff guide {name}"])
            met = share <= BOUND and peak <= MEMORY
            lines.append(f"| diff guide {name} | {share:.1%} | {peak:.0f} | {'met' if met else 'MISSED'} |")
        return "\n".join(lines)

    def middle(self, name):
        return statistics.median(sample.cpu for sample in self.samples[name])


if __name__ == "__main__":
    main()
