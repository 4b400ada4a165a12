"""The command of the wheel is the program."""

import json
import os
import pathlib
import subprocess
import sys
import time

import pytest

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


# As pip installs it beside Python.
SCRIPT = pathlib.Path(sys.executable).parent / "tapecheck"


def runs(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a server of the death of its recorder")
def test_a_server_ends_when_its_recorder_is_killed(tmp_path):
    server = ["sh", "-c", "echo $$; exec sleep 60"]
    recorder = subprocess.Popen(
        [SCRIPT, "record", "--out", tmp_path, "--", *server], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    process = int(recorder.stdout.readline())
    assert runs(process)
    recorder.kill()
    recorder.wait()
    until = time.monotonic() + 10
    while runs(process) and time.monotonic() < until:
        time.sleep(0.01)
    assert not runs(process), "the server outlived its recorder"


@pytest.mark.skipif(os.name != "posix", reason="record works on Linux and macOS only")
def test_wrap_writes_the_script_into_the_settings_of_a_client(tmp_path):
    settings = tmp_path / "mcp.json"
    settings.write_text('{"mcpServers":{"a":{"command":"sh"}}}', encoding="utf-8")
    done = subprocess.run([SCRIPT, "record", "wrap", settings], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(settings.read_text(encoding="utf-8"))["mcpServers"]["a"]["command"] == str(SCRIPT)
    refused = tapecheck("record", "wrap", settings)
    assert refused.returncode == 2 and "uv tool install" in refused.stderr
