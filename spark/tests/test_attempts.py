"""Children that end, hang or refuse, without Spark."""

import pytest

from tapecheck_spark.attempts import PartFailed, run_part


def child(tmp_path, script):
    path = tmp_path / "child"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o644)
    return str(path)


def test_a_child_that_always_ends_is_given_up_with_its_words(tmp_path):
    binary = child(tmp_path, "echo out of luck >&2; kill -9 $$")
    with pytest.raises(PartFailed, match="part 2/3 ended 4 times without a result: out of luck"):
        run_part(binary, ["r"], 2, 3, str(tmp_path), most_attempts=4)


def test_a_child_that_refuses_is_not_started_again(tmp_path):
    binary = child(tmp_path, f"echo once >> {tmp_path}/log; echo no such rulebook >&2; exit 2")
    with pytest.raises(PartFailed, match="part 1/1 ended with exit code 2: no such rulebook"):
        run_part(binary, ["r"], 1, 1, str(tmp_path))
    assert (tmp_path / "log").read_text() == "once\n"


def test_a_child_that_hangs_is_killed_and_started_again(tmp_path):
    binary = child(tmp_path, f"mkdir {tmp_path}/met 2>/dev/null && sleep 60; exit 0")
    folder, attempts = run_part(binary, ["r"], 1, 1, str(tmp_path), hang_seconds=1)
    assert attempts == 2 and folder.startswith(str(tmp_path / "part-1-"))
