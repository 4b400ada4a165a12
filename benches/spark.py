"""What a run costs on Spark, beside the same run on one machine and in parts without Spark.

python benches/spark.py BINARY mixed|gateways [CALLS] [PARTS…], with the packages of spark/tests/requirements.txt
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
JOB = """
import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession
from tapecheck_spark import judge

recordings, out, binary, parts = sys.argv[1:]
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
judge(spark, recordings, out=out, binary=binary, parts=int(parts))
# While all processes live: those of Python are ended without being waited for.
found = {}
for folder in Path("/proc").glob("[0-9]*"):
    try:
        name, rest = (folder / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
    except (FileNotFoundError, ProcessLookupError):
        continue
    fields = rest.split()
    found[int(folder.name)] = (int(fields[1]), name, *(int(field) for field in fields[11:15]))


def is_below(pid):
    while pid in found and pid != os.getpid():
        pid = found[pid][0]
    return pid == os.getpid()


jvm = python = tapecheck = 0
for _, name, user, system, of_children, system_of_children in (found[pid] for pid in found if is_below(pid)):
    if name == "java":
        jvm += user + system
    else:
        python += user + system
        tapecheck += of_children + system_of_children
print(*(ticks / os.sysconf("SC_CLK_TCK") for ticks in (jvm, python, tapecheck)))
spark.stop()
"""


def cost(command, **more):
    """CPU seconds of a process, seconds by the clock, its peak in MB, and what it printed."""
    began = time.monotonic()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, **more)
    printed = process.stdout.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return used.ru_utime + used.ru_stime, time.monotonic() - began, used.ru_maxrss / 1024, printed


def row(*cells):
    print("| " + " | ".join(cell if isinstance(cell, str) else f"{cell:.1f}" for cell in cells) + " |", flush=True)


def main(binary, mix, calls=1_000_000, *numbers):
    sys.path.insert(0, str(HOME / "spark" / "tests"))
    import traffic

    calls, numbers = int(calls), [int(number) for number in numbers] or [8, 40]
    environment = {**os.environ, "PYTHONPATH": str(HOME / "spark" / "src"), "SPARK_LOCAL_IP": "127.0.0.1"}
    environment["PYSPARK_PYTHON"] = sys.executable
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        size = traffic.write(home / "recordings", calls, kinds={"mixed": traffic.MIXED, "gateways": traffic.GATEWAYS}[mix])
        files = sum(path.is_file() for path in (home / "recordings").rglob("*"))
        print(f"{mix}: {calls:,} calls, {size / 1e6:,.0f} MB in {files} files; CPU seconds of all processes\n")
        row("what", "CPU s", "of it JVM", "of it Python", "of it tapecheck", "seconds", "peak MB of the largest process")
        row(*["---"] * 7)
        run = [binary, "run", home / "recordings", "--quiet"]
        cpu, seconds, peak, _ = cost([*run, "--out", home / "local", "-j", "1"])
        row("one run, one thread", cpu, "", "", cpu, seconds, peak)
        cpu, seconds, peak, _ = cost([*run, "--out", home / "local"])
        row("one run, two threads", cpu, "", "", cpu, seconds, peak)
        for parts in numbers:
            each = []
            for number in range(1, parts + 1):
                words = ["--part", f"{number}/{parts}", "--journal", home / "journal", "--out", home / f"part-{parts}-{number}"]
                each.append(cost([*run, *words]))
            cpu = sum(part[0] for part in each)
            row(f"{parts} parts, one after the other", cpu, "", "", cpu, sum(part[1] for part in each), max(part[2] for part in each))
            folders = [home / f"part-{parts}-{number}" for number in range(1, parts + 1)]
            merging, seconds, peak, _ = cost([binary, "merge", *folders, "--out", home / "merged", "--quiet"])
            row(f"merge of {parts} parts", merging, "", "", merging, seconds, peak)
            words = [sys.executable, "-c", JOB, home / "recordings", home / f"spark-{parts}", binary, parts]
            _, seconds, peak, printed = cost(words, env=environment, stderr=subprocess.DEVNULL)
            costs = [float(figure) for figure in printed.split()[-3:]]
            row(f"Spark, `local[2]`, {parts} parts", sum(costs), *costs, seconds, peak)


if __name__ == "__main__":
    main(*sys.argv[1:])
