//! The columns of the tables that a history consists of.

use super::column::Column;
use super::column::ColumnKind::{Int, Text};

const RUN: Column = Column::always("run", Text, "The run, as in `runs`.");
const NIGHT: Column = Column::always("night", Text, "The night of the run, as `YYYY-MM-DD`.");

/// One row per run.
pub(super) const RUNS: [Column; 13] = [
    Column::always(
        "run",
        Text,
        "Hash of what was judged, by what, of which collection and in which night.",
    ),
    Column::always(
        "number",
        Int,
        "The order in which runs were added; runs added at once may have the same, and follow each other by `run`.",
    ),
    NIGHT,
    Column::always("started_at", Text, "When it began (RFC 3339, UTC)."),
    Column::always("added_at", Text, "When it was added (RFC 3339, UTC)."),
    Column::always("collection", Text, "What it is a run of."),
    Column::always("corpus_digest", Text, "Hash of the set of exchanges."),
    Column::always("rulebook", Text, "The rulebook that judged."),
    Column::always("rulebook_digest", Text, "Hash of everything in it that can change a verdict."),
    Column::sometimes("checks", Text, "Hash of the contracts, facts and schemas that held."),
    Column::always("version", Text, "The version of tapecheck that judged."),
    Column::always("exchanges", Int, "Exchanges judged."),
    Column::always("rejects", Int, "Lines that could not be judged."),
];

/// One row per cell of what is counted.
pub(super) fn cells(value: Column) -> Vec<Column> {
    vec![
        RUN,
        NIGHT,
        Column::always("day", Text, "The day of the recording (UTC), empty where it is not known."),
        Column::always("server", Text, "Who answered."),
        Column::always("tool", Text, "The tool that was called."),
        Column::sometimes("scenario", Text, "The scenario category, as recorded."),
        value,
        Column::always("count", Int, "Number of exchanges."),
    ]
}

pub(super) const CLASS: Column = Column::always("classification", Text, "The class.");
pub(super) const ANSWER: Column = Column::always(
    "answer",
    Text,
    "The answer to the question of business logic: `not_asked`, `business_logic`, `tool_failure` or `hidden_failure`.",
);
pub(super) const ISSUE_TYPE: Column = Column::always(
    "issue_type",
    Text,
    "Severity and type of an issue, such as `error tool_failure`; an exchange with several of one type counts once.",
);
pub(super) const ERROR_KIND: Column =
    Column::always("error_kind", Text, "The rulebook's kind of error.");
pub(super) const FACT: Column = Column::always("fact", Text, "A fact that holds.");
