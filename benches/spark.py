"""What a run costs on Spark, beside the same run on one machine and in parts without Spark.

python benches/spark.py BINARY [CALLS] [PARTS…], with the packages of spark/tests/requirements.txt
"""

import ctypes
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
PR_SET_CHILD_SUBREAPER = 36
JOB = """
import os
import sys
from pathlib import Path

from pyspark import SparkContext
from pyspark.sql import SparkSession
from tapecheck_spark import judge

recordings, out, binary, parts = sys.argv[1:]
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
judge(spark, recordings, out=out, binary=binary, parts=int(parts))
# The process itself, without those below it.
java = Path(f"/proc/{SparkContext._gateway.proc.pid}/stat").read_text().rsplit(")", 1)[1].split()
print((int(java[11]) + int(java[12])) / os.sysconf("SC_CLK_TCK"))
spark.stop()
"""


def cost(command, **more):
    """CPU seconds of a process and all below it, seconds by the clock, peak MB of one process, and what it printed."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, **more)
    printed = process.stdout.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    seconds = time.monotonic() - began
    # Processes whose parents ended come here.
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.05)
        except ChildProcessError:
            break
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, seconds, used.ru_maxrss / 1024, printed


def row(*cells):
    print("| " + " | ".join(cell if isinstance(cell, str) else f"{cell:.1f}" for cell in cells) + " |", flush=True)


def main(binary, calls=1_000_000, *numbers):
    sys.path.insert(0, str(HOME / "spark" / "tests"))
    import traffic

    calls, numbers = int(calls), [int(number) for number in numbers] or [8, 40, 200]
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    environment = {**os.environ, "PYTHONPATH": str(HOME / "spark" / "src"), "SPARK_LOCAL_IP": "127.0.0.1"}
    environment["PYSPARK_PYTHON"] = sys.executable
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        size = traffic.write(home / "recordings", calls)
        files = sum(path.is_file() for path in (home / "recordings").rglob("*"))
        print(f"{calls:,} calls, {size / 1e6:,.0f} MB in {files} files; CPU seconds of all processes\n")
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
            whole, seconds, peak, printed = cost(words, env=environment, stderr=subprocess.DEVNULL)
            jvm = float(printed.split()[-1])
            row(f"Spark, `local[2]`, {parts} parts", whole, jvm, whole - jvm - cpu - merging, cpu + merging, seconds, peak)


if __name__ == "__main__":
    main(*sys.argv[1:])
