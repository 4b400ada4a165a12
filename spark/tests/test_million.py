"""A million calls in mixed formats. It takes minutes: it runs where TAPECHECK_MILLION says how many calls, such as 1000000."""

import json
import os

import pytest
import traffic
from conftest import CLUSTER, assert_same

from tapecheck_spark import judge


@pytest.fixture(scope="module")
def million(tmp_path_factory):
    folder = tmp_path_factory.mktemp("million") / "recordings"
    traffic.write(folder, int(os.environ["TAPECHECK_MILLION"]))
    return folder


@pytest.mark.skipif("TAPECHECK_MILLION" not in os.environ, reason="TAPECHECK_MILLION is not set")
@pytest.mark.parametrize("master", ["local[2]", CLUSTER, "standalone"])
def test_a_million_calls_are_the_same(on, binary, local, million, tmp_path, master):
    expected = local(million)
    counts = json.loads((expected / "manifest.json").read_text())["comparable"]["counts"]
    assert counts["exchanges"] >= int(os.environ["TAPECHECK_MILLION"]) and counts["unreadable"] > 0
    judge(on(master), million, out=tmp_path / "run", binary=binary, parts=8)
    assert_same(binary, expected, tmp_path / "run")
