//! The columns of count cubes, and of the files that a history consists of.

use super::column::Column;
use super::column::ColumnKind::{Int, Text};

pub(super) const COUNTS: [Column; 7] = [
    Column::sometimes("day", Text, "The day of the recording (UTC)."),
    Column::always(
        "server",
        Text,
        "Who answered; `(other)` for what is counted together, since there are more groups than are counted each for itself.",
    ),
    Column::always("tool", Text, "The tool that was called."),
    Column::sometimes("scenario", Text, "The scenario category, as recorded."),
    Column::always("dimension", Text, "What is counted: see below."),
    Column::always("value", Text, "The value that is counted."),
    Column::always("n", Int, "How many."),
];

const OF_RUNS: [Column; 6] = [
    Column::always(
        "run",
        Text,
        "Hash of what was judged, by what, of which collection and in which night.",
    ),
    Column::always("night", Text, "The night of the run, as `YYYY-MM-DD`."),
    Column::always("started_at", Text, "When the run began (RFC 3339, UTC)."),
    Column::always("collection", Text, "What it is a run of."),
    Column::always("rulebook", Text, "The rulebook that judged."),
    Column::always("version", Text, "The version of tapecheck that judged."),
];

/// The columns of a run in a history.
pub(super) fn past_counts() -> Vec<Column> {
    OF_RUNS.into_iter().chain(COUNTS).collect()
}
