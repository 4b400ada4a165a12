"""Memory that does not suffice, and a driver that is lost."""

import os
import signal
import subprocess
import sys
import time

from conftest import CLUSTER, HOME, assert_same, call
from faults import descendants, slow

from tapecheck_spark import judge


def least_address_space(binary, tmp_path):
    """The least MiB of address space in which a run of a few calls succeeds."""
    few = tmp_path / "few.jsonl"
    few.write_text(call(1) + "\n")
    words = ["run", str(few), "--part", "1/1", "--journal", str(tmp_path / "journal"), "--out", str(tmp_path / "few"), "--quiet"]
    for limit in range(64, 4096, 16):
        limited = ["sh", "-c", f'ulimit -v {limit * 1024}; exec "$0" "$@"', binary, *words]
        if subprocess.run(limited, stderr=subprocess.DEVNULL).returncode == 0:
            return limit
    raise AssertionError("4 GiB of address space do not suffice for one call")


def test_a_child_whose_memory_does_not_suffice_is_started_again(session, binary, local, recordings, tmp_path):
    # An allocation for this line fails under the limit, which only first attempts have, and the child aborts.
    with open(recordings / "lines-3.jsonl", "a") as file:
        file.write(call(5000, "long " * 3_200_000) + "\n")
    expected = local(recordings)
    limit = least_address_space(binary, tmp_path) + 32
    script = f"""case "$*" in *--part*)
      if mkdir "{tmp_path}/met-$(printf %s "$*" | cksum | tr ' ' -)" 2>/dev/null; then
        ulimit -v {limit * 1024}
        {binary} "$@" 2>> {tmp_path}/said || kill -9 $$
        exit 0
      fi;;
    esac"""
    judged = judge(session(CLUSTER), recordings, out=tmp_path / "run", binary=slow(binary, tmp_path, script), parts=3)
    assert "memory allocation of" in (tmp_path / "said").read_text(), "the limit was met"
    assert judged.repeated == 1
    assert_same(binary, expected, tmp_path / "run")


def test_a_job_whose_driver_was_killed_can_be_started_again(standalone, binary, local, recordings, tmp_path):
    master, workers = standalone
    expected = local(recordings)
    job = f"""
from pyspark.sql import SparkSession
from tapecheck_spark import judge

spark = SparkSession.builder.master({master!r}).config("spark.executor.memory", "700m").getOrCreate()
judge(spark, {str(recordings)!r}, out={str(tmp_path / "run")!r}, binary={slow(binary, tmp_path)!r}, parts=8)
"""
    environment = {**os.environ, "PYTHONPATH": str(HOME / "spark" / "src")}
    start = lambda: subprocess.Popen([sys.executable, "-c", job], start_new_session=True, env=environment)
    left = lambda: [path.name for path in tmp_path.glob(".tapecheck-parts-*")]
    finished = lambda: list(tmp_path.glob(".tapecheck-parts-*/part-*/manifest.json"))
    driver = start()
    end = time.monotonic() + 120
    while not finished() and time.monotonic() < end:
        time.sleep(0.1)
    assert finished() and driver.poll() is None, "parts were made and others were not"
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    assert len(left()) == 1 and not (tmp_path / "run").exists()
    assert start().wait(timeout=120) == 0
    assert left() == [], "the parts of the first driver are cleared away"
    assert [pid for worker in workers for pid in descendants(worker.pid, " run ")] == [], "children of the first driver's tasks ended"
    assert_same(binary, expected, tmp_path / "run")
