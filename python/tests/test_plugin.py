"""The fixture `tapecheck`: a test fails where its calls are worse than what was accepted."""

import pytest

TEST = """
def test_get_user(tapecheck):
    reply = {"isError": True, "content": [{"type": "text", "text": "TEXT"}]}
    assert tapecheck.record("get_user", {"id": 7}, reply).outcome == "OUTCOME"
"""
SESSION = """
import asyncio

class Result:
    def model_dump(self, **how):
        return {"content": [{"type": "text", "text": "TEXT"}]}

class Said:
    def model_dump(self, **how):
        return {"code": -32602, "message": "Invalid params"}

class Refused(Exception):
    error = Said()

class Session:
    name = "shop"

    async def call_tool(self, name, arguments=None):
        if name == "get_user":
            return Result()
        raise Refused

async def calls(session):
    await session.call_tool("get_user", {"id": 7})
    try:
        await session.call_tool("get_usr", arguments={"id": 7})
    except Refused:
        return session.name

def test_session(tapecheck):
    assert asyncio.run(calls(tapecheck.wrap(Session(), server="shop"))) == "shop"
"""
NOT_FOUND = {"TEXT": "User not found", "OUTCOME": "refused"}
CRASH = {"TEXT": "TypeError: Cannot read properties of undefined (reading 'id')", "OUTCOME": "failed"}


@pytest.fixture
def project(pytester):
    """Runs one test file; pytest in it has a process of its own, as the command has."""

    def run(test, *flags, **words):
        for word, replacement in words.items():
            test = test.replace(word, replacement)
        pytester.makepyfile(test_shop=test)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *flags)

    return run


def test_what_was_accepted_passes_and_what_is_worse_fails(project):
    missing = project(TEST, **NOT_FOUND)
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines(["*no baseline was accepted: *test_shop.py-test_get_user.jsonl*", "*next: pytest --tapecheck-accept*"])
    project(TEST, "--tapecheck-accept", **NOT_FOUND).assert_outcomes(passed=1)
    project(TEST, **NOT_FOUND).assert_outcomes(passed=1)
    worse = project(TEST, **CRASH)
    worse.assert_outcomes(failed=1)
    worse.stdout.fnmatch_lines(["*FAIL worse: 1 call*", "*get_user: refused -> failed: *"])


def test_a_call_that_is_gone_fails(project):
    project(TEST, "--tapecheck-accept", **NOT_FOUND).assert_outcomes(passed=1)
    gone = project("def test_get_user(tapecheck):\n    pass\n")
    gone.assert_outcomes(failed=1)
    gone.stdout.fnmatch_lines(["*no call was recorded, and *"])


def test_a_test_that_failed_is_not_compared(project):
    failed = project("def test_get_user(tapecheck):\n    tapecheck.record('t', {}, None)\n    assert not 'reached'\n")
    failed.assert_outcomes(failed=1)
    failed.stdout.no_fnmatch_line("*baseline*")


def test_a_test_without_calls_and_without_a_baseline_passes(project):
    project("def test_nothing(tapecheck):\n    pass\n").assert_outcomes(passed=1)


def test_a_session_of_an_sdk_is_recorded(project, pytester):
    project(SESSION, "--tapecheck-accept", TEXT="a user").assert_outcomes(passed=1)
    [accepted] = pytester.path.glob("tests/tapecheck/*.jsonl/calibrated.snap")
    text = accepted.read_text(encoding="utf-8")
    assert "get_user" in text and "get_usr" in text and "shop" in text
    worse = project(SESSION, TEXT="Error: connect ECONNREFUSED 10.0.0.5:5432")
    worse.assert_outcomes(failed=1)
    worse.stdout.fnmatch_lines(["*get_user: worked -> failed: *"])


def test_baseline_and_rulebook_are_settings(project, pytester):
    pytester.makeini("[pytest]\ntapecheck_baseline = accepted\ntapecheck_rulebook = guide\n")
    project(TEST, "--tapecheck-accept", **NOT_FOUND).assert_outcomes(passed=1)
    assert len(list(pytester.path.glob("accepted/*.jsonl/guide.snap"))) == 1
