//! The columns of the tables of a run folder.

use super::column::Column;
use super::column::ColumnKind::{Float, Int, Text};

pub(super) const REJECTS: [Column; 6] = [
    Column::always("file", Text, "The file, as a path below the corpus."),
    Column::sometimes("line", Int, "Line number, from 1; empty where the whole file is meant."),
    Column::sometimes("byte", Int, "Offset of the line's first byte in the decompressed file."),
    Column::always("reason", Text, "Why it could not be judged."),
    Column::sometimes("detail", Text, "The reason in more words."),
    Column::sometimes("head", Text, "The line's first 200 characters."),
];

pub(super) const RATES: [Column; 9] = [
    Column::always("day", Text, "The day of the recording (UTC), empty where it is not known."),
    Column::always("server", Text, "Who answered."),
    Column::always("tool", Text, "The tool that was called."),
    Column::sometimes("scenario", Text, "The scenario category, as recorded."),
    Column::always("classification", Text, "The class."),
    Column::always("count", Int, "Number of exchanges of this class."),
    Column::always(
        "share",
        Float,
        "Their share of the exchanges of this day, server, tool and scenario.",
    ),
    Column::always("low", Float, "Lower end of the share's 95 % Wilson interval."),
    Column::always("high", Float, "Upper end of the share's 95 % Wilson interval."),
];

pub(super) const TOOLS: [Column; 21] = [
    Column::always("server", Text, "Who answered."),
    Column::always("tool", Text, "The tool that was called."),
    Column::always("status", Text, "The tool's class by the rulebook's status rule."),
    Column::always(
        "overall_confidence",
        Float,
        "Confidences weighted by class and averaged, 0 to 100.",
    ),
    Column::always("calls", Int, "Number of exchanges."),
    Column::always("fully_working", Int, "Exchanges of this class."),
    Column::always("partially_working", Int, "Exchanges of this class."),
    Column::always("connectivity_only", Int, "Exchanges of this class."),
    Column::always("error", Int, "Exchanges of this class."),
    Column::always("broken", Int, "Exchanges of this class."),
    Column::always("result", Int, "Replies that do not call themselves an error."),
    Column::always("tool_error", Int, "Replies with `isError`."),
    Column::always("protocol_error", Int, "JSON-RPC errors."),
    Column::always("no_reply", Int, "Calls that were never answered."),
    Column::always("document", Int, "Exchanges of other kinds than tool calls."),
    Column::always("business_logic", Int, "Errors judged to be business logic."),
    Column::always("tool_failure", Int, "Errors judged not to be business logic."),
    Column::always("hidden_failure", Int, "Replies that claim success and say that they failed."),
    Column::sometimes(
        "error_kinds",
        Text,
        "How many errors of each kind, as `kind=count` joined by `; `.",
    ),
    Column::always(
        "schema_invalid",
        Int,
        "Replies that the output schema refuses, including those without JSON.",
    ),
    Column::always(
        "schema_uncompilable",
        Int,
        "Replies of a tool whose output schema cannot be used.",
    ),
];

pub(super) const ISSUE_TYPES: [Column; 7] = [
    Column::always("day", Text, "The day of the recording (UTC), empty where it is not known."),
    Column::always("server", Text, "Who answered."),
    Column::always("tool", Text, "The tool that was called."),
    Column::always("severity", Text, "How bad it is."),
    Column::always("type", Text, "The type of issue."),
    Column::always("count", Int, "Number of issues of this type."),
    Column::always(
        "share",
        Float,
        "Share of the exchanges of this day, server and tool that have at least one.",
    ),
];
