"""Holds the project to .ci/budget.toml: sizes of its source, its binary and its runs, and the instructions that runs cost.

    python3 .ci/budget.py [--write] [--binary PATH] [--generate PATH] [--sizes-only]

A number more than 1 % above its budget fails. One more than 3 % below is named with the line to commit. `--write` puts what was
measured into the file. Instructions are counted by valgrind, on one thread: the same work gives the same count on a busy machine.
Two sizes of each corpus are run; the slope between them is the cost of a call, what is left over is the fixed cost of a run.
Standard library only.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUDGET = ROOT / ".ci" / "budget.toml"
ABOVE, BELOW = 1.01, 0.97
RULEBOOKS = ("guide", "calibrated")
SMALL, LARGE = 4_000, 12_000
FILES = 600
HEAD = """# What may not grow: .ci/budget.py measures these numbers and fails when one is more than 1 % above.
# A number is raised in a commit of its own, which says what was bought.
"""


def main():
    options = arguments()
    measured = sizes_of_source()
    if not options.sizes_only:
        measured |= sizes_of_binary(options.binary)
        if shutil.which("valgrind"):
            measured |= costs_of_runs(options)
        else:
            print("skipped: valgrind is absent, so no instructions are counted")
    budget = tomllib.loads(BUDGET.read_text()) if BUDGET.exists() else {}
    if options.write:
        for table, numbers in measured.items():
            budget[table] = numbers
        BUDGET.write_text(HEAD + "".join(written(table, numbers) for table, numbers in budget.items()))
        return 0
    return 1 if any([check(table, numbers, budget.get(table, {})) for table, numbers in measured.items()]) else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the measured numbers into .ci/budget.toml")
    parser.add_argument("--sizes-only", action="store_true", help="count lines and files, run nothing")
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/tapecheck")
    parser.add_argument("--generate", type=pathlib.Path, default=ROOT / "benches/yardsticks/target/release/generate")
    options = parser.parse_args()
    options.binary, options.generate = options.binary.resolve(), options.generate.resolve()
    return options


def check(table, measured, budget):
    """Whether a number of this table is above its budget, or one of the two is missing."""
    failed = False
    for name in sorted(measured.keys() | budget.keys()):
        number, bound = measured.get(name), budget.get(name)
        line = f'{header(table)} "{name}" = {number}'
        if number is None:
            failed, message = True, f'"{name}" is gone: remove its line from {header(table)}'
        elif bound is None:
            failed, message = True, f"has no budget: add {line}"
        elif number > bound * ABOVE:
            failed, message = True, f"above its budget of {bound}: {line}"
        elif number < bound * BELOW:
            message = f"below its budget of {bound}, commit {line}"
        else:
            continue
        print(f"budget: {message}")
    return failed


def header(table):
    return f'["{table}"]' if " " in table else f"[{table}]"


def written(table, numbers):
    return f"\n{header(table)}\n" + "".join(f'"{name}" = {number}\n' for name, number in sorted(numbers.items()))


def sizes_of_source():
    """Lines and files: of each module of src, and of Rust and Python beside it."""
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    lines = {"src": 0, "tests, benches, spark": 0, "python": 0}
    files = {"src": 0}
    for path in map(pathlib.PurePosixPath, tracked):
        if path.suffix not in (".rs", ".py") or not (ROOT / path).exists():
            continue
        count = (ROOT / path).read_bytes().count(b"\n")
        if path.parts[0] == "src":
            module = "/".join(path.parts[:2]) if len(path.parts) > 2 else "src/*.rs"
            lines["src"] += count
            lines[module] = lines.get(module, 0) + count
            files["src"] += 1
        elif path.parts[0] in ("tests", "benches", "spark"):
            lines["tests, benches, spark"] += count
        elif path.parts[0] == "python":
            lines["python"] += count
    return {"lines": lines, "files": files}


def sizes_of_binary(binary):
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder) / "stripped"
        subprocess.run(["strip", "-o", stripped, binary], check=True)
        return {"megabytes": {"stripped binary": round(stripped.stat().st_size / 1e6, 1)}}


def costs_of_runs(options):
    """Instructions a call and of a run without calls, and bytes of a run folder for each call."""
    with tempfile.TemporaryDirectory(prefix="tapecheck-budget-") as folder:
        folder = pathlib.Path(folder)
        corpora = {name: [make(folder, name, calls, options) for calls in (SMALL, LARGE)] for name in ("ordinary", "errors", "short")}
        corpora[f"errors in {FILES} files"] = [in_files(path) for path in corpora["errors"]]
        jobs = [
            (rulebook, corpus, at, path)
            for rulebook in RULEBOOKS
            for corpus, paths in corpora.items()
            for at, path in enumerate(paths)
        ]
        with ThreadPoolExecutor(2) as pool:
            counts = list(pool.map(lambda job: instructions(options.binary, folder, *job), jobs))
        costs = {job[:3]: count for job, count in zip(jobs, counts)}
        run = folder / f"calibrated-errors-{1}"
        size = sum(path.stat().st_size for path in run.rglob("*") if path.is_file())
    calls, fixed = {}, {}
    for rulebook in RULEBOOKS:
        for corpus in corpora:
            small, large = costs[rulebook, corpus, 0], costs[rulebook, corpus, 1]
            slope = (large - small) / (LARGE - SMALL)
            calls[f"{rulebook}, {corpus}"] = round(slope / 1e3, 1)
            fixed[f"{rulebook}, {corpus}"] = round((small - SMALL * slope) / 1e6)
    return {
        "thousand instructions a call": calls,
        "million instructions a run": fixed,
        "bytes": {f"run folder a call, of {LARGE} errors": round(size / LARGE, 1)},
    }


def make(folder, mix, calls, options):
    path = folder / f"{mix}-{calls}.jsonl"
    subprocess.run(
        [options.generate, "--exchanges", str(calls), "--seed", "1", "--mix", mix, "--out", path], check=True, stdout=subprocess.DEVNULL
    )
    return path


def in_files(path):
    """The same lines in as many files, dealt in order."""
    folder = path.with_suffix(".files")
    folder.mkdir()
    lines = path.read_bytes().splitlines(keepends=True)
    for at in range(FILES):
        part = lines[at * len(lines) // FILES : (at + 1) * len(lines) // FILES]
        (folder / f"{at:03}.jsonl").write_bytes(b"".join(part))
    return folder


def instructions(binary, folder, rulebook, corpus, at, recordings):
    out = folder / f"{rulebook}-{corpus}-{at}"
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", binary, "run", recordings]
    command += ["--rulebook", rulebook, "-j", "1", "--quiet", "--out", out]
    # Which copy of memory's functions the C library takes depends on the machine otherwise.
    same = os.environ | {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-ERMS,-FSRM,-AVX512VL,-AVX512F"}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=same)
    counted = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode not in (0, 1) or not counted:
        sys.exit(f"budget: {rulebook} on {corpus} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return int(counted[1].replace(",", ""))


if __name__ == "__main__":
    sys.exit(main())
