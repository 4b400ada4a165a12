"""The Python that documents show runs."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCKS = [
    pytest.param(block.removeprefix("python\n"), id=f"{name}:{at}")
    for name in ("docs/python.md", "python/README.md")
    for at, block in enumerate((ROOT / name).read_text(encoding="utf-8").split("```"))
    if block.startswith("python\n")
]


@pytest.mark.parametrize("block", BLOCKS)
def test_blocks_of_documents_run(block, pytester):
    if "def test_" not in block:
        exec(compile(block, "a block", "exec"), {})
        return
    pytester.makepyfile(test_block=block)
    flags = ("-p", "no:cacheprovider")
    pytester.runpytest_subprocess(*flags, "--tapecheck-accept").assert_outcomes(passed=1)
    pytester.runpytest_subprocess(*flags).assert_outcomes(passed=1)
