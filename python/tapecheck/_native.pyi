from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, TypeAlias, final

class Model(Protocol):
    """A model of an MCP SDK, such as its CallToolResult or Tool."""
    def model_dump(self, **how: Any) -> Any: ...

#: A result of tools/call or a whole JSON-RPC response, as JSON text or as an object; None where no reply came.
Reply: TypeAlias = str | bytes | Mapping[str, Any] | Model | None
#: The name of a tool, or its definition as servers list it.
Tool: TypeAlias = str | Mapping[str, Any] | Model | None
#: The arguments of a call, as JSON text or as an object.
Arguments: TypeAlias = str | bytes | Mapping[str, Any] | None
#: The name of a built-in rulebook, or the path of one.
Rulebook: TypeAlias = str | PathLike[str]

__version__: str

@final
class Verdict:
    """What is said of a call."""
    def __new__(
        cls,
        outcome: str,
        kind: str | None = None,
        who: str | None = None,
        retry: str | None = None,
        certainty: float | None = None,
        why: str = "",
    ) -> Verdict: ...
    @property
    def outcome(self) -> Literal["worked", "refused", "invalid", "failed", "unknown", "not_sent"]: ...
    @property
    def kind(self) -> str | None:
        """The kind of a refusal or failure, such as "not_found": `tapecheck list error-kinds` has them all."""
    @property
    def who(self) -> Literal["operator", "caller", "server", "upstream"] | None:
        """Who must act, so that such calls work."""
    @property
    def retry(self) -> Literal["no", "later", "after_a_change"] | None:
        """Whether the same call is worth another try."""
    @property
    def certainty(self) -> float | None:
        """0 to 1: the probability that the outcome is right."""
    @property
    def why(self) -> str:
        """What that means, in a sentence."""
    def as_dict(self) -> dict[str, str | float | None]: ...

def judge(reply: Reply, *, tool: Tool = None, arguments: Arguments = None, rulebook: Rulebook = "calibrated") -> Verdict:
    """What became of a call, by its reply.

    `rulebook` is the name of a built-in rulebook or the path of a TOML file, which is read once in a process.
    """

def judge_many(
    replies: Sequence[Reply], tools: Sequence[Tool], arguments: Sequence[Arguments], rulebook: Rulebook
) -> list[Verdict]: ...
def json_text(what: str, value: Any) -> str: ...
def run_command(words: Sequence[str]) -> int: ...
