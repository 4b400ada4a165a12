//! The columns of the tables of a run folder.

use super::column::ColumnKind::{Bool, Float, Int, Text};
use super::column::{Column, Presence};
use super::legend::FactName;
use std::borrow::Cow;

fn fact_column(fact: &FactName) -> Column {
    Column {
        name: Cow::Owned(format!("fact_{}", fact.name)),
        kind: Bool,
        presence: Presence::Sometimes,
        about: Cow::Owned(fact.about.clone()),
    }
}

/// What verdicts and shapes both say.
pub(super) fn shape_columns(facts: &[FactName]) -> impl Iterator<Item = Column> {
    let facts = facts.iter().map(fact_column);
    SHAPE_HEAD.into_iter().chain(facts).chain(SHAPE_TAIL)
}

pub(super) const SHAPE: Column = Column::always(
    "shape",
    Text,
    "Hash of everything that the columns from `kind` on say: equal for equal verdicts, whatever run, rulebook or machine they come from.",
);

pub(super) const EXCHANGES: Column = Column::always("exchanges", Int, "Number of exchanges.");

pub(super) const EXCERPTS: Column = Column::always(
    "excerpts",
    Text,
    "JSON array of up to three exchanges, of different servers where there are several: `key`, `server`, `tool`, `file`, `line`, `text` (at most 600 bytes of the judged text, around its hits) and `spans`: first byte, byte after the last and pattern of each hit in it. Replies that claim success are shown where a pattern hit.",
);

/// What is of the exchange alone.
pub(super) const EXCHANGE: [Column; 14] = [
    Column::always(
        "key",
        Text,
        "Content hash of server, tool, input and reply: equal exchanges have equal keys.",
    ),
    Column::always(
        "request_key",
        Text,
        "Content hash of server, tool and input: equal for two recordings of one request.",
    ),
    Column::always("file", Text, "The tape, as a path below the corpus."),
    Column::always(
        "line",
        Int,
        "Line of the tape on which the exchange (its request) stands, from 1.",
    ),
    Column::always("byte", Int, "Offset of that line's first byte in the decompressed tape."),
    Column::sometimes("id", Text, "The record's own id."),
    Column::always("server", Text, "Who answered."),
    Column::always("session", Text, "The recorded session, or the tape's name."),
    Column::always("tool", Text, "The tool that was called."),
    Column::sometimes("scenario", Text, "The scenario category, as recorded."),
    Column::sometimes("recorded_at", Text, "When the exchange was recorded, as recorded."),
    Column::always("day", Text, "The day of the recording (UTC), empty where it is not known."),
    Column::sometimes("duration_ms", Float, "How long the reply took, in milliseconds."),
    Column::sometimes("label", Text, "What a person says the truth is."),
];

const SHAPE_HEAD: [Column; 15] = [
    Column::always(
        "kind",
        Text,
        "What the exchange is: `tool_call`, `envelope`, `judge_result` or `session_report`.",
    ),
    Column::always(
        "reply",
        Text,
        "What came back: `result`, `tool_error`, `protocol_error`, `no_reply`, or, for other kinds than tool calls, `document`.",
    ),
    Column::always(
        "ground",
        Text,
        "What was there to be judged: `error`, `silent_error` (no text, no code), `content`, `no_content`, `empty_content`, `malformed`, `no_reply` or `document`.",
    ),
    Column::sometimes("error_code", Text, "The code of a JSON-RPC error."),
    Column::always(
        "classification",
        Text,
        "The class: `fully_working`, `partially_working`, `connectivity_only`, `error` or `broken`.",
    ),
    Column::always("confidence", Float, "How confident the class is, 0 to 100."),
    Column::always("is_valid", Bool, "Whether the reply indicates a working tool."),
    Column::always("valid", Bool, "Whether no issue has the severity `error`."),
    Column::always(
        "is_error",
        Bool,
        "Whether the reply is an error (`isError` or a JSON-RPC error).",
    ),
    Column::sometimes(
        "business_logic",
        Bool,
        "Whether the error says that the tool works and refused; empty where the question does not arise.",
    ),
    Column::sometimes("score", Float, "Weighted share of the rulebook's factors present."),
    Column::sometimes("threshold", Float, "The threshold the score is held against."),
    Column::sometimes("decided_by", Text, "The rulebook's decision line that answered."),
    Column::sometimes("error_kind", Text, "The rulebook's kind of error."),
    Column::sometimes(
        "hidden_failure",
        Bool,
        "Whether a reply that claims success says that it failed; empty where nobody asked.",
    ),
];

const SHAPE_TAIL: [Column; 20] = [
    Column::sometimes(
        "hits",
        Text,
        "JSON array of the patterns that hit, as `list/pattern`, in rulebook order; empty where none did.",
    ),
    Column::always(
        "quality_score",
        Float,
        "1 less what the rulebook charges for each issue, at least 0.",
    ),
    Column::always("errors", Int, "Number of issues with the severity `error`."),
    Column::always("warnings", Int, "Number of issues with the severity `warning`."),
    Column::always("infos", Int, "Number of issues with the severity `info`."),
    Column::sometimes(
        "issue_types",
        Text,
        "Severity and type of every issue, as a sorted JSON array of texts such as `error tool_failure`; empty where there is none.",
    ),
    Column::sometimes(
        "schema",
        Text,
        "What the tool's output schema says: `valid`, `invalid`, `no_json`, `uncompilable` or `undecided`; empty where there is none.",
    ),
    Column::sometimes(
        "schema_key",
        Text,
        "Content hash of that output schema; empty where `schema` is.",
    ),
    Column::sometimes(
        "schema_keyword",
        Text,
        "The first keyword of the schema that is not met, such as `required`, where it is known.",
    ),
    Column::sometimes(
        "content_types",
        Text,
        "Types of the content blocks in first-seen order, joined by commas.",
    ),
    Column::sometimes("has_structured_content", Bool, "Whether there is `structuredContent`."),
    Column::sometimes("has_meta", Bool, "Whether there is `_meta`."),
    Column::always(
        "decision",
        Text,
        "What to do: `accept`, `accept_with_warnings`, `reject` or `review` (confidence below 0.6).",
    ),
    Column::always(
        "interpretation",
        Text,
        "How valid, confidence and quality read together: `excellent`, `acceptable`, `below_threshold`, `surely_invalid`, `maybe_invalid` or `invalid`.",
    ),
    Column::always(
        "confidence_band",
        Text,
        "The confidence in a word: `very_high`, `high`, `medium`, `low` or `very_low`.",
    ),
    Column::always(
        "quality_band",
        Text,
        "The quality in a word: `excellent`, `good`, `fair`, `poor` or `very_poor`.",
    ),
    Column::always("needs_review", Bool, "Whether confidence is below 0.6."),
    Column::always("has_security_issue", Bool, "Whether an issue is about security."),
    Column::sometimes(
        "passed_criteria",
        Text,
        "Criteria that are met, as a JSON array of their names.",
    ),
    Column::sometimes(
        "failed_criteria",
        Text,
        "Criteria that are not met, as a JSON array of their names.",
    ),
];

pub(super) const ISSUES: [Column; 13] = [
    Column::always(
        "key",
        Text,
        "Key of the exchange, as in `verdicts`; empty text where the issue is one of the session as a whole.",
    ),
    Column::always("file", Text, "The tape, as a path below the corpus."),
    Column::always(
        "line",
        Int,
        "Line of the tape on which the exchange stands, from 1; of an issue of a session, the line of its tool list or its first line.",
    ),
    Column::always("server", Text, "Who answered."),
    Column::always("session", Text, "The recorded session, or the tape's name."),
    Column::always(
        "tool",
        Text,
        "The tool that was called, or that an issue of a session is about; empty where it is about none.",
    ),
    Column::always("day", Text, "The day of the recording (UTC), empty where it is not known."),
    Column::sometimes("scenario", Text, "The scenario category, as recorded."),
    Column::always("severity", Text, "How bad it is: `error`, `warning` or `info`."),
    Column::always("type", Text, "The type of issue."),
    Column::always("message", Text, "What is wrong."),
    Column::sometimes("location", Text, "Where it is: a JSON pointer or a field path."),
    Column::sometimes("suggestion", Text, "What to do about it."),
];

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
