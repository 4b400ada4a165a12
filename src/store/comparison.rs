//! The columns of the tables that a comparison leaves behind.

use super::column::Column;
use super::column::ColumnKind::{Float, Int, Text};

/// One row per exchange that did not stay the same.
pub(super) const FLIPS: [Column; 23] = [
    Column::always(
        "key",
        Text,
        "Key of the exchange on the later side; of one that is gone, on the earlier.",
    ),
    Column::sometimes(
        "key_before",
        Text,
        "Its key on the earlier side; another one where the reply is another, empty where it was added.",
    ),
    Column::always("request_key", Text, "Content hash of server, tool and input."),
    Column::always(
        "file",
        Text,
        "The tape, as a path below the corpus; empty text where the side does not tell.",
    ),
    Column::always("line", Int, "Line of the tape, from 1; 0 where the side does not tell."),
    Column::always("server", Text, "Who answered."),
    Column::always("tool", Text, "The tool that was called."),
    Column::always(
        "kind",
        Text,
        "What became of it: `regressed`, `fixed`, `altered`, `added` or `gone`.",
    ),
    Column::sometimes(
        "matched",
        Text,
        "How it was matched: `exchange` (all the same) or `request` (another reply); empty where it was added or is gone.",
    ),
    Column::sometimes(
        "group",
        Text,
        "Its group, as in `groups`; empty where it was added or is gone.",
    ),
    Column::sometimes(
        "origin",
        Text,
        "Where the change came from: `rulebook`, `reply`, `schema`, `checks`, `program` or `several`.",
    ),
    Column::sometimes("proof", Text, "`proved`, `narrowed` or `observed`."),
    Column::sometimes("causes", Text, "Names of the causes, as a JSON array."),
    Column::sometimes("from_class", Text, "The class before."),
    Column::sometimes(
        "from_answer",
        Text,
        "The answer before: `not_asked`, `business_logic`, `tool_failure` or `hidden_failure`.",
    ),
    Column::sometimes("from_confidence", Float, "The confidence before, 0 to 100."),
    Column::sometimes("from_score", Float, "The score before."),
    Column::sometimes("from_decided_by", Text, "The decision line that answered before."),
    Column::sometimes("to_class", Text, "The class after."),
    Column::sometimes("to_answer", Text, "The answer after."),
    Column::sometimes("to_confidence", Float, "The confidence after, 0 to 100."),
    Column::sometimes("to_score", Float, "The score after."),
    Column::sometimes("to_decided_by", Text, "The decision line that answered after."),
];

/// One row per group of exchanges that changed in the same way by the same cause.
pub(super) const GROUPS: [Column; 14] = [
    Column::always("group", Text, "The group's name: the same tomorrow, if cause and change are."),
    Column::always(
        "kind",
        Text,
        "What became of its exchanges: `regressed`, `fixed` or `altered`.",
    ),
    Column::always("origin", Text, "Where the change came from."),
    Column::always("causes", Text, "Names of the causes, as a JSON array."),
    Column::always("changes", Text, "The causes in words, joined by `; `."),
    Column::always(
        "proof",
        Text,
        "`proved` (with these changes put back, and no fewer, the earlier verdict returns), `narrowed` (it does, but fewer may be enough) or `observed` (this differs, but it could not be tried).",
    ),
    Column::sometimes("unproved_because", Text, "Why it could not be proved."),
    Column::always("from_class", Text, "The class before."),
    Column::always("to_class", Text, "The class after."),
    Column::always("from_answer", Text, "The answer before."),
    Column::always("to_answer", Text, "The answer after."),
    Column::always("exchanges", Int, "Number of exchanges."),
    Column::always("servers", Int, "Number of their servers."),
    Column::always("tools", Int, "Number of their tools."),
];
