"""A run on Spark is the run of one machine, whatever happens to its machines and processes."""

import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest
from conftest import HOME, differences, reports

from tapecheck_spark import PartFailed, judge

CLUSTER = "local-cluster[2,1,1024]"


def processes():
    """Parent and command of each process."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        found[int(folder.name)] = (parent, command)
    return found


def descendants(of, words):
    """The processes below one that have these words in their commands."""
    known = processes()

    def is_below(pid):
        while pid in known and pid != of:
            pid = known[pid][0]
        return pid == of

    return [pid for pid, (_, command) in known.items() if words in command and pid != of and is_below(pid)]


def kill_one(words, of=None, seconds=60):
    """Kills the first process below this one that has these words in its command, once there is one."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for pid in descendants(of or os.getpid(), words)[:1]:
            os.kill(pid, signal.SIGKILL)
            return pid
        time.sleep(0.1)
    raise AssertionError(f"no process has {words!r} in its command")


def slow(binary, tmp_path, script="sleep 2"):
    """The binary, with something before it."""
    path = tmp_path / "slow-tapecheck"
    path.write_text(f'#!/bin/sh\n{script}\nexec {binary} "$@"\n')
    path.chmod(0o755)
    return str(path)


def during(act, work):
    """What work returns while something else happens."""
    happened = []
    thread = threading.Thread(target=lambda: happened.append(act()))
    thread.start()
    result = work()
    thread.join()
    assert happened, "what was to happen meanwhile did not"
    return result


def assert_same(binary, local, spark):
    assert differences(local, spark) == [], "files that differ from those of the local run"
    one, other = reports(binary, local, local), reports(binary, spark, local)
    assert [name for name in one if one[name] != other[name]] == [], "reports that differ"


@pytest.mark.parametrize("master", ["local[2]", CLUSTER])
def test_bundled_corpora_are_the_same(session, binary, local, tmp_path, master):
    expected = local(HOME / "corpus")
    judged = judge(session(master), HOME / "corpus", out=tmp_path / "run", binary=binary, parts=6)
    assert (judged.parts, judged.repeated) == (6, 0)
    assert_same(binary, expected, tmp_path / "run")
    assert [path.name for path in tmp_path.iterdir() if "parts" in path.name] == [], "parts are cleared away"


def test_a_killed_executor_costs_nothing(session, binary, local, recordings, tmp_path):
    expected = local(recordings)
    spark = session(CLUSTER)
    work = lambda: judge(spark, recordings, out=tmp_path / "run", binary=slow(binary, tmp_path), parts=6)
    during(lambda: (time.sleep(6), kill_one("CoarseGrainedExecutorBackend")), work)
    assert_same(binary, expected, tmp_path / "run")


def test_a_killed_child_is_started_again(session, binary, local, recordings, tmp_path):
    expected = local(recordings)
    spark = session("local[2]")
    work = lambda: judge(spark, recordings, out=tmp_path / "run", binary=slow(binary, tmp_path), parts=4)
    judged = during(lambda: kill_one(" run "), work)
    assert judged.repeated >= 1
    assert_same(binary, expected, tmp_path / "run")


@pytest.mark.parametrize("how", ["abort", "hang"])
@pytest.mark.parametrize("master", ["local[2]", CLUSTER])
def test_a_poisoned_record_is_one_unreadable_line(session, binary, recordings, tmp_path, monkeypatch, how, master):
    if how == "hang" and master == CLUSTER:
        pytest.skip("the same code on the same machine; local[2] shows it")
    poison = f"{how}=c-57"
    monkeypatch.setenv("TAPECHECK_POISON", poison)
    settings = {"spark.executorEnv.TAPECHECK_POISON": poison}
    spark = session(master, **settings)
    judged = judge(spark, recordings, out=tmp_path / "run", binary=binary, parts=5, hang_seconds=2)
    assert judged.repeated == 2, "it ended two attempts and not the third"
    monkeypatch.delenv("TAPECHECK_POISON")
    rows = (tmp_path / "run" / "unreadable.csv").read_text().splitlines()
    lost = [row for row in rows if "ended tapecheck in two attempts" in row]
    assert len(lost) == 1 and lost[0].startswith("lines-1.jsonl,18,"), rows
    # The same recordings without that line's call.
    file = recordings / "lines-1.jsonl"
    lines = file.read_text().splitlines()
    lines[17] = '{"poison'
    file.write_text("\n".join(lines) + "\n")
    expected = tmp_path / "without"
    subprocess.run([binary, "run", recordings, "--out", expected, "--quiet"], check=True)
    for table in ("rates.csv", "tools.csv", "issue_types.csv", "sessions.jsonl", "recordings.csv"):
        assert (expected / table).read_bytes() == (tmp_path / "run" / table).read_bytes(), table


def test_an_error_names_what_the_child_said(session, binary, recordings, tmp_path):
    spark = session("local[1]")
    with pytest.raises(Exception, match="no rulebook|rulebook"):
        judge(spark, recordings, out=tmp_path / "run", binary=binary, parts=1, rulebook="nowhere.toml")
    assert not (tmp_path / "run").exists()


@pytest.fixture
def standalone(tmp_path):
    """A master, and two workers on addresses of loopback."""
    import pyspark

    home = Path(pyspark.__file__).parent
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = []

    def start(name, host, *words):
        log = open(tmp_path / f"{name}.log", "wb")
        command = [home / "bin" / "spark-class", *words]
        environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_WORKER_DIR": str(tmp_path / name)}
        environment["SPARK_LOCAL_IP"] = host
        started.append(subprocess.Popen(command, stdout=log, stderr=log, env=environment))
        return started[-1]

    deploy = "org.apache.spark.deploy"
    start("master", "127.0.0.1", f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
    master = f"spark://127.0.0.1:{port}"
    # Two hosts, since no task is made twice on one.
    hosts = ["127.0.0.1", "127.0.0.2"]
    words = ["--webui-port", "0", "-c", "1", "-m", "1g", master]
    workers = [start(f"worker-{host}", host, f"{deploy}.worker.Worker", "--host", host, *words) for host in hosts]
    yield master, workers
    for process in started:
        below = descendants(process.pid, "")
        process.kill()
        process.wait()
        for pid in below:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def test_a_standalone_cluster_that_loses_a_worker(session, standalone, binary, local, recordings, tmp_path):
    master, workers = standalone
    expected = local(recordings)
    spark = session(master, **{"spark.executor.memory": "700m"})

    def lose():
        kill_one("CoarseGrainedExecutorBackend", of=workers[0].pid)
        workers[0].kill()

    work = lambda: judge(spark, recordings, out=tmp_path / "run", binary=slow(binary, tmp_path), parts=8)
    during(lambda: (time.sleep(4), lose(), True), work)
    assert_same(binary, expected, tmp_path / "run")


def test_speculation_changes_nothing(session, standalone, binary, local, recordings, tmp_path):
    master, _ = standalone
    expected = local(recordings)
    # The first attempt of the first part never ends; only a second one on the other host does.
    starts = f'case "$*" in *"--part 1/8"*) echo start >> {tmp_path}/starts; mkdir {tmp_path}/met 2>/dev/null && sleep 3000;; esac'
    settings = {
        "spark.executor.memory": "700m",
        "spark.speculation": "true",
        "spark.speculation.interval": "200ms",
        "spark.speculation.multiplier": "1.2",
        "spark.speculation.quantile": "0.3",
    }
    spark = session(master, **settings)
    judge(spark, recordings, out=tmp_path / "run", binary=slow(binary, tmp_path, starts), parts=8)
    assert (tmp_path / "starts").read_text() == "start\n" * 2, "two attempts were made"
    assert_same(binary, expected, tmp_path / "run")
