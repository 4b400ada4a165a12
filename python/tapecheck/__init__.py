"""Says of a reply to an MCP tool call what became of the call: it worked, was refused for a reason, or failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from . import _native
from ._native import Verdict, __version__, judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._native import Arguments, Reply, Rulebook, Tool

__all__ = ["Verdict", "__version__", "judge", "judge_many"]


@overload
def judge_many(
    replies: Sequence[Reply],
    *,
    tool: Tool | Sequence[Tool] = None,
    arguments: Arguments | Sequence[Arguments] = None,
    rulebook: Rulebook = "calibrated",
) -> list[Verdict]: ...
@overload
def judge_many(replies: Any, *, tool: Any = None, arguments: Any = None, rulebook: Rulebook = "calibrated") -> Any: ...
def judge_many(replies: Any, *, tool: Any = None, arguments: Any = None, rulebook: Rulebook = "calibrated") -> Any:
    """The verdicts on many calls, in their order; other threads run meanwhile.

    `tool` and `arguments` are one for all calls, or a list with one for each. Replies in an Arrow array (of
    pyarrow, with JSON texts or structs) are answered with a table of pyarrow, a row for each.
    """
    rows = _listed(replies)
    if rows is None:
        raise TypeError(f"replies are a list or an Arrow array, not {type(replies).__name__}")
    tools, given = _for_each(rows, "tool", tool), _for_each(rows, "arguments", arguments)
    verdicts = _native.judge_many(rows, tools, given, rulebook)
    return _table(verdicts) if hasattr(replies, "to_pylist") else verdicts


def _listed(values: Any) -> list[Any] | None:
    if hasattr(values, "to_pylist"):
        values = values.to_pylist()
    return list(values) if isinstance(values, (list, tuple)) else None


def _for_each(rows: list[Any], what: str, values: Any) -> list[Any]:
    listed = _listed(values)
    if listed is None:
        return [values] * len(rows)
    if len(listed) != len(rows):
        raise ValueError(f"{len(rows)} replies and {len(listed)} of {what}; give one for all, or one for each")
    return listed


def _table(verdicts: list[Verdict]) -> Any:
    import pyarrow  # type: ignore[import-untyped, unused-ignore]

    names = ["outcome", "kind", "who", "retry", "certainty", "why"]
    kinds = {"certainty": pyarrow.float64()}
    columns = {
        name: pyarrow.array([getattr(verdict, name) for verdict in verdicts], kinds.get(name, pyarrow.string()))
        for name in names
    }
    return pyarrow.table(columns)
