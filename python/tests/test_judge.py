"""What `judge` says, and what it says of what it cannot read."""

import copy
import importlib.metadata
import json
import math
import pickle

import pytest

import tapecheck

NOT_FOUND = {"isError": True, "content": [{"type": "text", "text": "User not found"}]}


class Model:
    """A result as MCP SDKs have them."""

    def __init__(self, value):
        self.value = value

    def model_dump(self, *, mode, by_alias, exclude_none):
        assert (mode, by_alias, exclude_none) == ("json", True, True)
        return self.value


def test_a_verdict_says_who_must_act_and_why():
    verdict = tapecheck.judge(NOT_FOUND, tool="get_user", arguments={"id": 7})
    assert (verdict.outcome, verdict.kind) == ("refused", "not_found")
    assert (verdict.who, verdict.retry) == ("caller", "after_a_change")
    assert verdict.why == "What the call names is not there."
    assert 0.9 < verdict.certainty <= 1
    assert verdict == tapecheck.judge(NOT_FOUND, tool="get_user", arguments={"id": 7})
    assert repr(verdict).startswith("Verdict(outcome='refused', kind='not_found', who='caller', retry='after_a_change'")
    assert list(verdict.as_dict()) == ["outcome", "kind", "who", "retry", "certainty", "why"]


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps(NOT_FOUND),
        json.dumps(NOT_FOUND, indent=2).encode(),
        {"jsonrpc": "2.0", "id": 1, "result": NOT_FOUND},
        Model(NOT_FOUND),
        {"isError": True, "content": (Model(NOT_FOUND["content"][0]),)},
    ],
    ids=["a text", "bytes", "a response", "a model", "a model inside"],
)
def test_a_reply_may_be_a_text_or_an_object(reply):
    assert tapecheck.judge(reply, tool="get_user").kind == "not_found"


def test_no_reply_is_a_failure():
    assert tapecheck.judge(None).kind == "no_answer"


def test_a_tool_may_be_its_definition():
    tool = {"name": "add", "outputSchema": {"type": "object", "required": ["sum"]}}
    reply = {"content": [{"type": "text", "text": "{}"}], "structuredContent": {}}
    assert [tapecheck.judge(reply, tool=it).outcome for it in (tool, Model(tool), "add")] == ["invalid", "invalid", "worked"]


@pytest.mark.parametrize(
    "value",
    ['"\\\n\r\t\x00\x1f', "ä漢🙂", -(2**70), 1.5, 1e300, True, None, [[], {}], {"a": {"b": [1]}}],
)
def test_values_are_written_as_json(value):
    assert json.loads(tapecheck._native.json_text("reply", [value])) == [value]


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_numbers_that_json_lacks_are_null(value):
    assert tapecheck._native.json_text("reply", [value]) == "[null]"


def test_half_a_character_is_no_reason_to_fail():
    assert json.loads(tapecheck._native.json_text("reply", ["a\ud800"])) == ["a\ufffd\ufffd\ufffd"]


def holds_itself():
    value = {}
    value["content"] = [value]
    return value


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"reply": "User not found"}, ValueError, "the reply cannot be read: "),
        ({"reply": "{} {}"}, ValueError, "the reply cannot be read: "),
        ({"reply": b"\xff"}, ValueError, "the reply cannot be read: it is not UTF-8: "),
        ({"reply": {1: "a"}}, TypeError, "a key in the reply is of type int; make it a str"),
        ({"reply": {"content": {1}}}, TypeError, "the reply holds a value of type set; give dict, list, "),
        ({"reply": holds_itself()}, ValueError, "the reply nests more than 500 levels, or holds itself"),
        ({"reply": {}, "arguments": "{"}, ValueError, "the arguments cannot be read: "),
        ({"reply": {}, "arguments": object()}, TypeError, "the arguments holds a value of type object; "),
        ({"reply": {}, "arguments": 1}, TypeError, "the arguments are no object: make them a dict"),
        ({"reply": {}, "arguments": "[7]"}, TypeError, "the arguments are no object: make them a dict"),
        ({"reply": {}, "tool": ["add"]}, ValueError, "the tool is no JSON object; give its definition, or its name alone"),
        ({"reply": {}, "rulebook": "strict"}, ValueError, "strict"),
    ],
)
def test_what_cannot_be_judged_is_named(given, error, words):
    with pytest.raises(error) as raised:
        tapecheck.judge(**given)
    assert words in str(raised.value)


def test_a_rulebook_may_be_a_file(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('name = "mine"\nextends = "calibrated"\n[because]\nworked = "All went well."\n')
    reply = {"content": [{"type": "text", "text": "done"}]}
    assert [tapecheck.judge(reply, rulebook=it).why for it in (str(file), file)] == ["All went well."] * 2
    assert tapecheck.judge_many([reply], rulebook=file)[0].why == "All went well."


def test_a_verdict_goes_to_another_process_and_can_be_made_by_hand():
    verdict = tapecheck.judge(NOT_FOUND, tool="get_user")
    assert pickle.loads(pickle.dumps(verdict)) == verdict == copy.deepcopy(verdict)
    assert tapecheck.Verdict("worked") == tapecheck.Verdict("worked", None, why="")
    assert tapecheck.Verdict("worked") != tapecheck.Verdict("failed")


def test_the_module_has_the_version_of_the_wheel():
    assert tapecheck.__version__ == importlib.metadata.version("tapecheck")


def test_many_calls_are_judged_in_their_order():
    replies = [NOT_FOUND, None, {"content": [{"type": "text", "text": "done"}]}]
    verdicts = tapecheck.judge_many(replies, tool=["get_user", "get_user", None], arguments={"id": 7})
    assert [verdict.outcome for verdict in verdicts] == ["refused", "failed", "worked"]
    assert tapecheck.judge_many([]) == []


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"replies": [{}, "no"]}, ValueError, "call 1: the reply cannot be read: "),
        ({"replies": [{}, {}], "tool": ["add"]}, ValueError, "2 replies and 1 of tool; give one for all, or one for each"),
        ({"replies": {}}, TypeError, "replies are a list or an Arrow array, not dict"),
    ],
)
def test_of_many_calls_the_one_that_cannot_be_judged_is_named(given, error, words):
    with pytest.raises(error) as raised:
        tapecheck.judge_many(**given)
    assert words in str(raised.value)


def test_replies_in_arrow_give_a_table():
    pyarrow = pytest.importorskip("pyarrow")
    replies = pyarrow.array([json.dumps(NOT_FOUND), None])
    table = tapecheck.judge_many(replies, tool=pyarrow.array(["get_user", "get_user"]))
    assert table.column_names == ["outcome", "kind", "who", "retry", "certainty", "why"]
    assert table["kind"].to_pylist() == ["not_found", "no_answer"]
    assert tapecheck.judge_many(replies[:0]).num_rows == 0
