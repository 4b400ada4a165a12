"""The command of the wheel is the program."""

import json
import subprocess
import sys

CALL = {"tool": "get_user", "input": {"id": 7}, "response": {"content": [{"type": "text", "text": "a user"}]}}


def tapecheck(*words, cwd=None):
    command = [sys.executable, "-m", "tapecheck", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, encoding="utf-8", check=False)


def test_the_command_classifies_and_writes_a_page(tmp_path):
    (tmp_path / "calls.jsonl").write_text(json.dumps(CALL) + "\n", encoding="utf-8")
    done = tapecheck("run", "calls.jsonl", "--out", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "<html" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_exit_codes_are_those_of_the_program(tmp_path):
    wrong = tapecheck("run", "calls.jsonl", "--no-such-flag", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "--no-such-flag" in wrong.stderr
    assert tapecheck("--version").stdout.startswith("tapecheck ")
