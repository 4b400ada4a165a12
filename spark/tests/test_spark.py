"""A run on Spark is the run of one machine, whatever happens to its machines and processes."""

import subprocess
import time

import pytest
from conftest import CLUSTER, HOME, assert_same
from faults import during, kill_one, slow

from tapecheck_spark import judge


@pytest.mark.parametrize("master", ["local[2]", CLUSTER, "standalone"])
def test_bundled_corpora_are_the_same(on, binary, local, tmp_path, master):
    expected = local(HOME / "corpus")
    judged = judge(on(master), HOME / "corpus", out=tmp_path / "run", binary=binary, parts=6)
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


def test_a_standalone_cluster_that_loses_a_worker(session, standalone, binary, local, recordings, tmp_path):
    master, workers = standalone
    expected = local(recordings)
    spark = session(master)

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
        "spark.speculation": "true",
        "spark.speculation.interval": "200ms",
        "spark.speculation.multiplier": "1.2",
        "spark.speculation.quantile": "0.3",
    }
    spark = session(master, **settings)
    judge(spark, recordings, out=tmp_path / "run", binary=slow(binary, tmp_path, starts), parts=8)
    assert (tmp_path / "starts").read_text() == "start\n" * 2, "two attempts were made"
    assert_same(binary, expected, tmp_path / "run")
