"""The fixture `tapecheck`: the calls that a test records may not be worse than its accepted baseline."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from . import Verdict, _native, judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._native import Arguments, Reply, Tool

#: The longest name of a recording; file systems take little more.
LONGEST_NAME = 120


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tapecheck")
    words = "accept what the fixture `tapecheck` records as the baseline, instead of comparing with it"
    group.addoption("--tapecheck-accept", action="store_true", help=words)
    parser.addini("tapecheck_baseline", "the folder of accepted baselines", default="tests/tapecheck")
    parser.addini("tapecheck_rulebook", "the rulebook that judges: a built-in one or a file", default="calibrated")


class Recorder:
    """Records the calls of one test."""

    def __init__(self, recording: Path, config: pytest.Config) -> None:
        self._recording = recording
        self._root = config.rootpath
        self._baseline = config.rootpath / config.getini("tapecheck_baseline")
        self._rulebook: str = config.getini("tapecheck_rulebook")
        self._accepts: bool = config.getoption("tapecheck_accept")
        self._calls = 0

    def record(self, tool: Tool, arguments: Arguments, reply: Reply, *, server: str = "unknown") -> Verdict:
        """Records a call, and says what became of it."""
        verdict = judge(reply, tool=tool, arguments=arguments, rulebook=self._rulebook)
        parts = {
            "server": json.dumps(server),
            "tool": json.dumps(tool) if tool is None or isinstance(tool, str) else _native.json_text("tool", tool),
            "input": _native.json_text("arguments", arguments),
            "response": _native.json_text("reply", reply),
        }
        line = "{" + ",".join(f'"{name}":{text}' for name, text in parts.items()) + "}"
        with self._recording.open("a", encoding="utf-8") as recording:
            # JSON texts may have line breaks between their parts, and none within their strings.
            recording.write(line.replace("\r", " ").replace("\n", " ") + "\n")
        self._calls += 1
        return verdict

    def wrap(self, session: Any, *, server: str = "unknown") -> Any:
        """The same session of an MCP SDK, with each `call_tool` recorded."""
        return _Recorded(self, session, server)

    def _command(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tapecheck", *words, "--rulebook", self._rulebook]
        return subprocess.run(command, cwd=self._root, capture_output=True, text=True, encoding="utf-8", check=False)

    def _end(self) -> None:
        """Accepts what was recorded, or compares it with what was accepted."""
        accepted = self._baseline / self._recording.name
        if self._calls == 0:
            if accepted.exists():
                pytest.fail(f"no call was recorded, and {accepted} has some; delete it if that is right", pytrace=False)
            return
        baseline = ["--baseline", str(self._baseline)]
        if self._accepts:
            done = self._command("review", str(self._recording), "--all", *baseline)
        elif not accepted.exists():
            words = f"no baseline was accepted: {accepted} is missing\n  next: pytest --tapecheck-accept"
            pytest.fail(words, pytrace=False)
        else:
            done = self._command("gate", str(self._recording), *baseline)
        if done.returncode != 0:
            words = "  if that is right: pytest --tapecheck-accept"
            pytest.fail(f"{done.stdout}{done.stderr}{words}", pytrace=False)


class _Recorded:
    def __init__(self, recorder: Recorder, session: Any, server: str) -> None:
        self._recorder = recorder
        self._session = session
        self._server = server

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    async def call_tool(self, name: str, arguments: dict[str, Any] | None = None, *others: Any, **named: Any) -> Any:
        try:
            reply = await self._session.call_tool(name, arguments, *others, **named)
        except Exception as error:
            # SDKs raise JSON-RPC errors, with what the server said in `error`.
            said = getattr(error, "error", None)
            if hasattr(said, "model_dump"):
                self._recorder.record(name, arguments, {"error": said}, server=self._server)
            raise
        self._recorder.record(name, arguments, reply, server=self._server)
        return reply


RECORDER = pytest.StashKey[Recorder]()


@pytest.fixture
def tapecheck(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Recorder]:
    """Records calls. Once the test has passed, none may be worse than the accepted baseline of the test."""
    recorder = Recorder(tmp_path / _name_of(request.node.nodeid), request.config)
    request.node.stash[RECORDER] = recorder
    yield recorder


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    # Here, and not when the fixture ends, so that the test fails; a test that failed itself has not recorded all.
    result = yield
    recorder = item.stash.get(RECORDER, None)
    if recorder is not None:
        recorder._end()
    return result


def _name_of(test: str) -> str:
    """A file's name for a test: readable, and another for each."""
    plain = re.sub(r"[^\w.\[\]-]", "_", test.replace("/", ".").replace("::", "-"), flags=re.ASCII)
    if plain.count("_") != test.count("_") or len(plain) > LONGEST_NAME:
        plain = f"{plain[:LONGEST_NAME]}-{hashlib.sha256(test.encode()).hexdigest()[:8]}"
    return f"{plain}.jsonl"
