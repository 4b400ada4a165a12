"""The module is held to the vectors, as everything is that judges."""

import json
from pathlib import Path

import pytest

import tapecheck

VECTORS = Path(__file__).parents[2] / "vectors" / "v1.jsonl"
ROWS = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("vector", ROWS, ids=[row["case"] for row in ROWS])
def test_replies_get_the_verdicts_of_the_vectors(vector):
    reply = vector["reply"]
    # A text is taken for JSON, so a reply that is a text is given as JSON.
    verdict = tapecheck.judge(json.dumps(reply) if isinstance(reply, str) else reply, **vector["call"])
    assert {name: getattr(verdict, name) for name in ("outcome", "kind", "why")} == {
        name: vector[name] for name in ("outcome", "kind", "why")
    }


def test_many_get_the_same():
    verdicts = tapecheck.judge_many(
        [json.dumps(row["reply"]) for row in ROWS],
        tool=[row["call"]["tool"] for row in ROWS],
        arguments=[row["call"]["arguments"] for row in ROWS],
    )
    assert [verdict.outcome for verdict in verdicts] == [row["outcome"] for row in ROWS]

