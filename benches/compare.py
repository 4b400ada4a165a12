"""Measures whole processes side by side, in interleaved rounds, on a generated corpus.

Started by compare.sh, which builds what is measured. Standard library only; DuckDB is asked through
its Python package where that is installed.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

BENCHES = pathlib.Path(__file__).resolve().parent
YARDSTICKS = BENCHES / "yardsticks" / "target" / "release"
MIXES = {"ordinary": "Ordinary traffic, 20 % errors", "errors": "Error-heavy traffic, 47 % errors, varied texts"}
PRODUCT = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", BENCHES.parent / "target")) / "release" / "tapecheck"

# One flag out of a JSON column, as people ask for it who do not know a reply's shape beforehand.
QUERY = (
    "SELECT json_extract_string(response, '$.isError') = 'true', count(*) FROM read_json('{file}', "
    "format='newline_delimited', columns={{response: 'JSON'}}) GROUP BY 1"
)
# Counts only the query: neither the interpreter's start nor the import nor what a first query loads
# (about 0.2 s, whatever the size) is charged to DuckDB.
DUCKDB = """
import json, sys, time
import duckdb
connection = duckdb.connect()
connection.execute("SET threads = 1")
connection.execute(sys.argv[2]).fetchall()
cpu, wall = time.process_time(), time.perf_counter()
rows = connection.execute(sys.argv[1]).fetchall()
cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
errors = sum(count for flag, count in rows if flag)
print(json.dumps({"cpu": cpu, "wall": wall, "errors": errors}))
"""


class Sample(NamedTuple):
    """What one process cost."""

    cpu: float
    wall: float
    peak_mb: float


class Goal(NamedTuple):
    """A ratio of samples with its bounds."""

    name: str
    ratios: list
    bound: float
    aim: float | None
    is_upper: bool


def main():
    options = arguments()
    report = ""
    for mix in MIXES:
        with tempfile.TemporaryDirectory(prefix="tapecheck-compare-") as folder:
            bench = Bench(options, pathlib.Path(folder), mix)
            bench.generate(options.exchanges)
            megabytes = bench.corpus.stat().st_size / 1e6
            report += f"\n## {MIXES[mix]}: {options.exchanges:,} exchanges, {megabytes:.0f} MB\n"
            for number in range(options.rounds):
                bench.round(number)
                print(f"{mix}: round {number + 1} of {options.rounds} done", file=sys.stderr, flush=True)
            report += bench.report()
            if options.big:
                report += bench.big()
    print(report)
    if options.record:
        record(report, options)


def arguments():
    parser = argparse.ArgumentParser(prog="benches/compare.sh", description=__doc__.splitlines()[0])
    parser.add_argument("exchanges", nargs="?", type=int, default=200_000, help="size of the corpus")
    parser.add_argument("--rounds", type=int, default=5, help="how often each process runs")
    parser.add_argument("--seed", type=int, default=1, help="seed of the corpus")
    parser.add_argument("--big", action="store_true", help="also take peak memory on ten times the corpus")
    parser.add_argument("--record", action="store_true", help="keep the result in benches/runs/")
    parser.add_argument("--product", type=pathlib.Path, help="measure this binary instead of building one")
    parser.add_argument("--before", type=pathlib.Path, help="measure this other binary beside it")
    parser.add_argument("--without-product", action="store_true", help="measure the yardsticks only")
    options = parser.parse_args()
    if options.exchanges < 1 or options.rounds < 1:
        parser.error("EXCHANGES and --rounds must be at least 1")
    if options.product is None:
        options.product = PRODUCT
    if options.without_product:
        options.product = None
    elif not options.product.is_file():
        parser.error(f"there is no binary at {options.product}")
    return options


class Bench:
    """The corpus, the commands, and what they cost so far."""

    def __init__(self, options, folder, mix):
        self.options = options
        self.folder = folder
        self.mix = mix
        self.corpus = folder / "corpus.jsonl"
        self.written = {}
        self.samples = {}
        self.duckdb = duckdb_version()
        if self.duckdb is None:
            print("DuckDB is skipped: `import duckdb` fails here. To include it: pip install duckdb", file=sys.stderr)

    def generate(self, exchanges):
        command = [YARDSTICKS / "generate", "--exchanges", str(exchanges), "--seed", str(self.options.seed)]
        subprocess.run([*command, "--mix", self.mix, "--out", self.corpus], check=True)

    def round(self, number):
        steps = [
            ("floor 1 thread", self.floor, 1),
            ("floor 2 threads", self.floor, 2),
            ("naive 1 thread", self.naive, None),
        ]
        if self.options.product:
            steps += [
                ("tapecheck -j 1", self.product, ["-j", "1"]),
                ("tapecheck -j 2", self.product, ["-j", "2"]),
                ("tapecheck -j 1, no excerpts", self.product, ["-j", "1", "--config", "output.texts=false"]),
                ("tapecheck -j 1, verdict lines", self.product, ["-j", "1", "--stdout", "jsonl"]),
                ("tapecheck -j 1, calibrated", self.product, ["-j", "1", "--rulebook", "calibrated"]),
            ]
        if self.options.before:
            steps.append(("before -j 1", self.before, None))
        if self.duckdb:
            steps.append(("DuckDB 1 thread", self.query, None))
        # Every other round runs backwards, so that nobody always follows the same neighbour.
        for name, run, threads in steps if number % 2 == 0 else reversed(steps):
            sample = run() if threads is None else run(threads)
            self.samples.setdefault(name, []).append(sample)

    def floor(self, threads):
        return measure([YARDSTICKS / "floor", self.corpus, "--threads", str(threads)])

    def naive(self):
        with self.output() as out:
            return measure([YARDSTICKS / "naive", self.corpus, "--out", out])

    def product(self, flags):
        return self.judged(self.options.product, flags)

    def before(self):
        return self.judged(self.options.before, ["-j", "1"])

    def judged(self, binary, flags):
        if "--rulebook" not in flags:
            flags = [*flags, "--rulebook", "guide"]
        with self.output() as out:
            # 1 says that the run found something, which a corpus full of errors should.
            sample = measure([binary, "run", self.corpus, "--out", out, "--quiet", *flags], accepted=(0, 1))
            if binary == self.options.product:
                self.written = {path.name: path.stat().st_size for path in out.rglob("*") if path.is_file()}
            return sample

    def query(self):
        first = self.folder / "first.jsonl"
        first.write_text('{"response":{"isError":true}}\n')
        queries = [QUERY.format(file=str(file).replace("'", "''")) for file in (self.corpus, first)]
        done = subprocess.run([sys.executable, "-c", DUCKDB, *queries], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"DuckDB failed:\n{done.stderr}")
        answer = json.loads(done.stdout)
        if answer["errors"] == 0 and self.options.exchanges >= 1000:
            sys.exit("DuckDB counted no isError: the query does not fit this version")
        return Sample(answer["cpu"], answer["wall"], float("nan"))

    def output(self):
        return OutputFolder(self.folder / "out")

    def report(self):
        megabytes = self.corpus.stat().st_size / 1e6
        lines = ["", "| process | CPU s, median [min-max] | wall s | MB per CPU s | peak MB |", "|---|---|---|---|---|"]
        for name in sorted(self.samples):
            samples = self.samples[name]
            cpu = [sample.cpu for sample in samples]
            wall = statistics.median(sample.wall for sample in samples)
            peak = max(sample.peak_mb for sample in samples)
            shown = "-" if peak != peak else f"{peak:.0f}"
            speed = megabytes / statistics.median(cpu)
            lines.append(f"| {name} | {spread(cpu)} | {wall:.2f} | {speed:.0f} | {shown} |")
        goals = self.goals()
        if goals:
            lines += ["", "| ratio, pair by pair | median [min-max] | must be | goal | |", "|---|---|---|---|---|"]
        for goal in goals:
            sign = "at most" if goal.is_upper else "at least"
            middle = statistics.median(goal.ratios)
            met = middle <= goal.bound if goal.is_upper else middle >= goal.bound
            aim = "" if goal.aim is None else f"{goal.aim:g}"
            lines.append(f"| {goal.name} | {spread(goal.ratios)} | {sign} {goal.bound:g} | {aim} | {'met' if met else 'MISSED'} |")
        if self.options.product:
            largest = sorted(self.written.items(), key=lambda file: -file[1])[:3]
            sizes = ", ".join(f"{name} {size / 1e6:.1f} MB" for name, size in largest)
            lines += ["", f"tapecheck wrote {sizes}. Peaks under 20 MB are the measuring script's own."]
        return "\n".join(lines) + "\n"

    def goals(self):
        pairs = self.pairs
        found = [
            Goal("CPU tapecheck -j 1 / DuckDB 1 thread", pairs("cpu", "tapecheck -j 1", "DuckDB 1 thread"), 1.5, 1.0, True),
            Goal("CPU with verdict lines / without", pairs("cpu", "tapecheck -j 1, verdict lines", "tapecheck -j 1"), 1.5, None, True),
            Goal("CPU with excerpts / without", pairs("cpu", "tapecheck -j 1", "tapecheck -j 1, no excerpts"), 1.2, None, True),
            Goal("CPU calibrated / guide", pairs("cpu", "tapecheck -j 1, calibrated", "tapecheck -j 1"), 1.15, None, True),
            Goal("CPU now / before", pairs("cpu", "tapecheck -j 1", "before -j 1"), 1.0, None, True),
            Goal("CPU tapecheck -j 1 / floor 1 thread", pairs("cpu", "tapecheck -j 1", "floor 1 thread"), 2.5, 1.6, True),
            Goal("CPU naive / tapecheck -j 1", pairs("cpu", "naive 1 thread", "tapecheck -j 1"), 5, None, False),
        ]
        ours = pairs("wall", "tapecheck -j 1", "tapecheck -j 2")
        floors = pairs("wall", "floor 1 thread", "floor 2 threads")
        gains = [our / floor for our, floor in zip(ours, floors)]
        found.append(Goal("gain of the 2nd thread, tapecheck / floor (wall)", gains, 0.95, None, False))
        peaks = [max(pair) for pair in self.peaks()]
        found.append(Goal("peak memory of tapecheck, MB", peaks, 150, None, True))
        return [goal for goal in found if goal.ratios]

    def pairs(self, quantity, above, below):
        samples = zip(self.samples.get(above, []), self.samples.get(below, []))
        return [getattr(first, quantity) / getattr(second, quantity) for first, second in samples]

    def peaks(self):
        names = ("tapecheck -j 1", "tapecheck -j 2")
        return zip(*([sample.peak_mb for sample in self.samples.get(name, [])] for name in names))

    def big(self):
        """Peak memory on ten times the corpus, which must be flat."""
        if not self.options.product:
            return ""
        small = max(max(pair) for pair in self.peaks())
        self.generate(self.options.exchanges * 10)
        lines = ["", "| exchanges | threads | CPU s | wall s | peak MB |", "|---|---|---|---|---|"]
        peaks = []
        for threads in (1, 2):
            sample = self.product(["-j", str(threads)])
            peaks.append(sample.peak_mb)
            figures = f"{sample.cpu:.2f} | {sample.wall:.2f} | {sample.peak_mb:.0f}"
            lines.append(f"| {self.options.exchanges * 10:,} | {threads} | {figures} |")
        growth = max(peaks) / small
        lines += ["", f"Peak memory at ten times the size: {growth:.2f} of {small:.0f} MB."]
        return "\n".join(lines) + "\n"


class OutputFolder:
    """A folder that is not there before and not there after."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        shutil.rmtree(self.path, ignore_errors=True)
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def measure(command, accepted=(0,)):
    """Runs a command and asks the kernel what it cost."""
    with tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in accepted:
            errors.seek(0)
            said = errors.read(4000).decode(errors="replace")
            sys.exit(f"{command[0]} ended with {process.returncode}:\n{said}")
    # Linux counts kilobytes, macOS bytes.
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return Sample(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / unit)


def duckdb_version():
    asked = "import duckdb; print(duckdb.__version__)"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def spread(numbers):
    return f"{statistics.median(numbers):.2f} [{min(numbers):.2f}-{max(numbers):.2f}]"


def record(report, options):
    """Keeps a result with what one must know to read it later."""
    rustc = subprocess.run(["rustc", "--version"], capture_output=True, text=True).stdout.strip()
    commit = subprocess.run(["git", "-C", BENCHES, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    head = [
        f"# {today()}, {machine()}",
        "",
        f"{options.exchanges:,} exchanges, seed {options.seed}, {options.rounds} interleaved rounds; commit "
        f"{commit.stdout.strip() or 'unknown'}; {rustc}; DuckDB {duckdb_version() or 'not installed'}; "
        f"load {os.getloadavg()[0]:.1f} at the end.",
        "",
        f"DuckDB ran `{QUERY.format(file='FILE')}` with `SET threads = 1`; only the query is counted.",
    ]
    keep("\n".join(head) + "\n" + report)


def keep(text, kind=""):
    """Puts a result beside the others, named by the day, its kind and the machine."""
    runs = BENCHES / "runs"
    runs.mkdir(exist_ok=True)
    slug = re.sub(r"[^a-z0-9]+", "-", machine().replace(" x ", "x ", 1).lower()).strip("-")
    path = runs / "-".join(filter(None, [today(), kind, f"{slug}.md"]))
    path.write_text(text)
    print(f"recorded in {path.relative_to(BENCHES.parent)}")


def machine():
    """Cores and processor."""
    model = platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        found = re.search(r"^model name\s*:\s*(.+)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
        model = found.group(1) if found else model
    return f"{os.cpu_count()} x {model}"


def today():
    return datetime.date.today().isoformat()


if __name__ == "__main__":
    main()
