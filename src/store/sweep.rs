//! The columns of the table that going through the values of a setting leaves behind.

use super::column::Column;
use super::column::ColumnKind::{Bool, Float, Int, Text};

/// One row per value.
pub(super) const SWEEP: [Column; 14] = [
    Column::always("path", Text, "The setting's place in the rulebook."),
    Column::always("value", Float, "Its value."),
    Column::always("is_now", Bool, "Whether that is the present value."),
    Column::sometimes(
        "balanced_accuracy",
        Float,
        "The mean of what is found of the two kinds of error reply; empty where one has no label.",
    ),
    Column::sometimes(
        "business_logic_recall",
        Float,
        "Share of the errors labelled `business_logic` that are answered so.",
    ),
    Column::sometimes(
        "tool_failure_recall",
        Float,
        "Share of the errors labelled `tool_failure` that are answered so.",
    ),
    Column::sometimes(
        "hidden_failure_precision",
        Float,
        "Share of the labelled replies called hidden failures that are.",
    ),
    Column::sometimes(
        "hidden_failure_recall",
        Float,
        "Share of the replies labelled `hidden_failure` that are called so.",
    ),
    Column::always("labelled", Int, "Number of labelled exchanges."),
    Column::always(
        "not_asked",
        Int,
        "Exchanges of which nothing is asked, or that only claim success.",
    ),
    Column::always("business_logic", Int, "Errors answered `business_logic`."),
    Column::always("tool_failure", Int, "Errors answered `tool_failure`."),
    Column::always("hidden_failure", Int, "Replies called hidden failures."),
    Column::always("flips", Int, "Exchanges whose class or answer is another one than now."),
];
