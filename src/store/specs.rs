//! The columns of the tables of a run: each is one entry here, from which its cells, the schema of its file,
//! `docs/columns.md` and `verdict_hash` follow. Columns of results of other rooms are listed in `results.rs`.

use super::counts::{Rate, Tool, TypeCount};
use super::csv::Cell;
use super::files::{RecordingRow, UnreadableRow};
use super::judged_reply::JudgedReply;
use super::legend::Legend;
use super::named::{NamedSchema, NamedVerdict};
use super::parquet::Cells;
use super::rows::{IssuePlaces, VerdictBatch};
use super::table::Column;
use super::table::ColumnKind::{self, Bool, Float, Int, Key, Text, Time};
use super::table::Presence::{self, Always, Sometimes};
use crate::check::judge_result::{confidence_band, needs_review, quality_band};
use crate::count::Counted;
use crate::count::tally::wilson;
use crate::recording::{self, ExchangeKind, ReplyKind};
use crate::verdict::{Classification, Fate, Ground, IssueType, Outcome, SchemaOutcome, Severity};
use std::borrow::Cow;

/// A column, and how its cells are made.
pub(super) struct Spec<F> {
    pub(super) column: Column,
    pub(super) cell: F,
}

type OfExchange = fn(&mut VerdictBatch) -> Cells;
type OfNamed = for<'a> fn(&'a NamedVerdict) -> Cell<'a>;
type OfVerdict = for<'a> fn(&'a JudgedReply, &'a Legend) -> Cell<'a>;
type OfIssue = fn(&VerdictBatch, &IssuePlaces) -> Cells;
type OfUnreadable = for<'a> fn(&'a UnreadableRow<'a>) -> Cell<'a>;
type OfRecording = for<'a> fn(&'a RecordingRow<'a>) -> Cell<'a>;
type OfRate = for<'a> fn(&'a Rate<'a>) -> Cell<'a>;
type OfTool = for<'a> fn(&'a Tool<'a>) -> Cell<'a>;
type OfTypeCount = for<'a> fn(&'a TypeCount<'a>) -> Cell<'a>;
/// Takes a cell back; `None` where it says what no verdict says.
pub(super) type Read = fn(&mut NamedVerdict, &Cell<'_>) -> Option<()>;

pub(super) enum VerdictColumn {
    /// Of the exchange alone.
    Exchange(Spec<OfExchange>),
    /// Of the verdict, which many exchanges may share: written, and read back.
    Named(Spec<OfNamed>, Read),
    /// The same of what is said about a verdict and is no part of it: equal verdicts may differ in it.
    Estimated(Spec<OfNamed>, Read),
    /// What follows from the verdict and the rulebook.
    Derived(Spec<OfVerdict>),
    /// The patterns that hit: read like what is named.
    Hits(Column, Read),
    Hash(Column),
}

impl VerdictColumn {
    pub(super) fn column(&self) -> &Column {
        match self {
            Self::Exchange(Spec { column, .. })
            | Self::Named(Spec { column, .. }, _)
            | Self::Estimated(Spec { column, .. }, _)
            | Self::Derived(Spec { column, .. })
            | Self::Hits(column, _)
            | Self::Hash(column) => column,
        }
    }
}

const fn column(
    name: &'static str,
    kind: ColumnKind,
    presence: Presence,
    about: &'static str,
) -> Column {
    Column { name: Cow::Borrowed(name), kind, presence, about: Cow::Borrowed(about) }
}

#[rustfmt::skip]
const fn exchange(name: &'static str, kind: ColumnKind, presence: Presence, about: &'static str, cell: OfExchange) -> VerdictColumn {
    VerdictColumn::Exchange(spec(name, kind, presence, about, cell))
}

#[rustfmt::skip]
const fn named(name: &'static str, kind: ColumnKind, presence: Presence, about: &'static str, cell: OfNamed, read: Read) -> VerdictColumn {
    VerdictColumn::Named(spec(name, kind, presence, about, cell), read)
}

#[rustfmt::skip]
const fn derived(name: &'static str, kind: ColumnKind, presence: Presence, about: &'static str, cell: OfVerdict) -> VerdictColumn {
    VerdictColumn::Derived(spec(name, kind, presence, about, cell))
}

#[rustfmt::skip]
const fn spec<F: Copy>(name: &'static str, kind: ColumnKind, presence: Presence, about: &'static str, cell: F) -> Spec<F> {
    Spec { column: column(name, kind, presence, about), cell }
}

#[rustfmt::skip]
pub(super) const VERDICTS: &[VerdictColumn] = &[
    exchange("key", Key, Always, "Content hash of server, tool, input and reply: equal calls have equal keys.", |batch| keys(&mut batch.keys)),
    exchange("request_key", Key, Always, "Content hash of server, tool and input: equal for two recordings of one request.", |batch| keys(&mut batch.requests)),
    exchange("file", Text, Always, "The recording, as a path below the folder of recordings.", |batch| batch.origin_cells(0)),
    exchange("line", Int, Always, "Line of the call's request in the recording, from 1.", |batch| Cells::Ints(std::mem::take(&mut batch.line))),
    exchange("byte", Int, Always, "Offset of that line's first byte in the decompressed recording.", |batch| Cells::Ints(std::mem::take(&mut batch.byte))),
    exchange("id", Text, Sometimes, "The record's own id.", |batch| std::mem::take(&mut batch.id).into_cells()),
    exchange("server", Text, Always, "The server.", |batch| batch.group_cells(1)),
    exchange("session", Text, Always, "The recorded session, or the recording's name.", |batch| batch.origin_cells(1)),
    exchange("tool", Text, Always, "The tool that was called.", |batch| batch.group_cells(2)),
    exchange("scenario", Text, Sometimes, "The scenario category, as recorded.", |batch| batch.group_cells(3)),
    exchange("recorded_at", Time, Sometimes, "When the call was recorded; empty where the recording has no time, or one that is no RFC 3339.", |batch| Cells::Times(std::mem::take(&mut batch.recorded_at))),
    exchange("day", Text, Always, "The day of the recording (UTC), empty if unknown.", |batch| batch.group_cells(0)),
    exchange("duration_ms", Float, Sometimes, "How long the reply took, in milliseconds.", |batch| Cells::Floats(std::mem::take(&mut batch.duration))),
    exchange("waited_ms", Float, Sometimes, "How long the server waited for input that it had asked for (`input_required`), in milliseconds. It is not part of `duration_ms`.", |batch| Cells::Floats(std::mem::take(&mut batch.waited))),
    exchange("label", Text, Sometimes, "What a person says the truth is.", |batch| batch.origin_cells(2)),
    exchange("recorded_by", Text, Sometimes, "The program whose file the recording is, such as `claude-code`; empty for recordings in the formats of tapecheck.", |batch| batch.mark_cells(0)),
    exchange("fidelity", Text, Sometimes, "`wire`: the program recorded the messages; `derived`: it recorded what it showed its model, so that schema, protocol and timing checks do not apply.", |batch| batch.mark_cells(1)),
    exchange("refused_by", Text, Sometimes, "Who kept a call from the server that was not sent: `user`, `policy`, `hook` or `host`.", |batch| batch.mark_cells(2)),
    exchange("reply_cut", Bool, Sometimes, "Whether the program left out a part of the reply; empty for other recordings.", |batch| batch.mark_flags(3)),
    exchange("name_is_guess", Bool, Sometimes, "Whether server and tool were taken from one name that can be split in several ways; empty for other recordings.", |batch| batch.mark_flags(4)),
    exchange("reply_excerpt", Text, Sometimes, "For a call that did not clearly work: at most 600 bytes of the judged text, around its hits, with secrets masked; empty for the others and with `output.texts = false`.", |batch| std::mem::take(&mut batch.excerpts.reply).into_cells()),
    exchange("input_excerpt", Text, Sometimes, "The same of the input, at most its first 300 bytes.", |batch| std::mem::take(&mut batch.excerpts.input).into_cells()),
    exchange("hit_spans", Text, Sometimes, "JSON array of what hit in `reply_excerpt`, each as an array of numbers: the first byte, the byte after the last, which of `hits` it is (from 0) and, where the pattern looks for what is quoted in the call, the first byte in `input_excerpt` and the byte after the last; empty where nothing did.", |batch| std::mem::take(&mut batch.excerpts.spans).into_cells()),
    VerdictColumn::Hash(column("verdict_hash", Text, Always, "Hash of the columns from `kind` on, without `certainty`: equal for equal verdicts, whatever run, rulebook or machine they come from.")),
    named("kind", Text, Always, "The kind of record: `tool_call`, `envelope`, `judge_result` or `session_report`.", |it| it.kind.name().into(), |it, cell| set(&mut it.kind, listed(&ExchangeKind::ALL, ExchangeKind::name, cell))),
    named("reply", Text, Always, "The kind of reply: `result`, `tool_error`, `protocol_error`, `no_reply`, or, for other records than tool calls, `document`.", |it| it.reply.name().into(), |it, cell| set(&mut it.reply, listed(&ReplyKind::ALL, ReplyKind::name, cell))),
    named("ground", Text, Always, "What was examined: `error`, `silent_error` (no text, no code), `content`, `no_content`, `empty_content`, `structured_content` (beside empty content), `no_array` (content of another kind), `malformed_content` (an element that is not a content block), `malformed`, `no_reply` or `document`.", |it| it.ground.name().into(), |it, cell| set(&mut it.ground, listed(&Ground::ALL, Ground::name, cell))),
    named("error_code", Text, Sometimes, "The code of a JSON-RPC error.", |it| it.error_code.as_deref().into(), |it, cell| set(&mut it.error_code, Some(owned(cell)))),
    named("classification", Text, Always, "The class: `fully_working`, `partially_working`, `connectivity_only`, `error` or `broken`.", |it| it.class.name().into(), |it, cell| set(&mut it.class, listed(&Classification::ALL, Classification::name, cell))),
    named("outcome", Text, Always, "What became of the call, one of six words, the same for every rulebook: `not_sent`, `unknown`, `failed`, `invalid`, `refused` or `worked`.", |it| it.outcome.name().into(), |it, cell| set(&mut it.outcome, listed(&Outcome::ALL, Outcome::name, cell))),
    named("fate", Text, Sometimes, "Why the outcome is unknown, or what stopped the call: `not_sent`, `not_recorded`, `cancelled`, `timed_out` (the client gave up waiting) or `waiting` (the recording ended first); empty if the call was sent and its end was recorded.", |it| Some(it.fate).filter(|fate| *fate != Fate::Settled).map(Fate::name).into(), read_fate),
    named("confidence_percent", Float, Always, "How confident the class is, 0 to 100.", |it| it.confidence.into(), |it, cell| set(&mut it.confidence, cell.float())),
    VerdictColumn::Estimated(spec("certainty", Float, Sometimes, "The probability that the verdict is right, 0 to 1, by the rulebook's `[[certainty]]`: as measured on labelled servers that were held out; empty where the rulebook does not say.", |it| it.certainty.into()), |it, cell| set(&mut it.certainty, Some(cell.float()))),
    named("is_valid", Bool, Always, "Whether the reply indicates a working tool.", |it| it.is_valid.into(), |it, cell| set(&mut it.is_valid, cell.flag())),
    derived("valid", Bool, Always, "Whether no issue has the severity `error`.", |judged, _| judged.has_no_error().into()),
    named("is_error", Bool, Sometimes, "Whether the reply is an error (`isError` or a JSON-RPC error); empty where a recording of a program does not say.", |it| it.is_error.into(), |it, cell| set(&mut it.is_error, Some(cell.flag()))),
    named("business_logic", Bool, Sometimes, "Whether the error says that the tool works and refused the request; empty for other replies.", |it| it.business_logic.into(), |it, cell| set(&mut it.business_logic, Some(cell.flag()))),
    named("score", Float, Sometimes, "Weighted share of the rulebook's factors present.", |it| it.score.into(), |it, cell| set(&mut it.score, Some(cell.float()))),
    named("threshold", Float, Sometimes, "The threshold that the score is compared with.", |it| it.threshold.into(), |it, cell| set(&mut it.threshold, Some(cell.float()))),
    named("decided_by", Text, Sometimes, "The rulebook's decision line that answered.", |it| it.decided_by.as_deref().into(), |it, cell| set(&mut it.decided_by, Some(owned(cell)))),
    named("error_kind", Text, Sometimes, "The rulebook's kind of error.", |it| it.error_kind.as_deref().into(), |it, cell| set(&mut it.error_kind, Some(owned(cell)))),
    named("hidden_failure", Bool, Sometimes, "Whether a reply that claims success says that it failed or refused (`business_logic` then says which); empty if not evaluated.", |it| it.hidden_failure.into(), |it, cell| set(&mut it.hidden_failure, Some(cell.flag()))),
    named("signals", Text, Sometimes, "JSON array of the rulebook's signals that hold, in its order; empty if none does.", |it| array(&it.signals), |it, cell| set(&mut it.signals, texts(cell))),
    named("hits_left_out", Bool, Sometimes, "Whether it changed which patterns hit that words of the call were left out of the text, as the rulebook's `text.own_words` has it; empty where nothing was looked for.", |it| it.hits_left_out.into(), |it, cell| set(&mut it.hits_left_out, Some(cell.flag()))),
    VerdictColumn::Hits(column("hits", Text, Sometimes, "JSON array of the patterns that hit, as `list/pattern`, in rulebook order; empty if none did."), |it, cell| set(&mut it.hits, texts(cell))),
    derived("quality_score", Float, Always, "1 minus the rulebook's deduction for each issue, at least 0.", |judged, legend| judged.quality(legend).into()),
    derived("errors", Int, Always, "Number of issues with the severity `error`.", |judged, _| u64::from(judged.severities.errors).into()),
    derived("warnings", Int, Always, "Number of issues with the severity `warning`.", |judged, _| u64::from(judged.severities.warnings).into()),
    derived("infos", Int, Always, "Number of issues with the severity `info`.", |judged, _| u64::from(judged.severities.infos).into()),
    named("issue_types", Text, Sometimes, "Severity and type of every issue, as a sorted JSON array of texts such as `error tool_failure`; empty if there is none.", |it| array(&it.issues), |it, cell| set(&mut it.issues, texts(cell))),
    named("schema", Text, Sometimes, "Result of the output schema: `valid`, `invalid`, `no_json`, `uncompilable` or `undecided`; empty if there is none.", |it| it.schema.as_ref().map(|schema| schema.outcome.name()).into(), read_schema),
    named("schema_key", Text, Sometimes, "Content hash of that output schema; empty where `schema` is.", |it| it.schema.as_ref().and_then(|schema| schema.key).map(|key| key.to_string()).into(), |it, cell| of_schema(it, |schema| schema.key = cell.text().and_then(recording::Key::parse))),
    named("schema_keyword", Text, Sometimes, "The first keyword of the schema that failed, such as `required`, if known.", |it| it.schema.as_ref().and_then(|schema| schema.keyword.as_deref()).into(), |it, cell| of_schema(it, |schema| schema.keyword = owned(cell))),
    derived("content_types", Text, Sometimes, "Types of the content blocks in first-seen order, joined by commas.", |judged, _| judged.metadata().map(|metadata| metadata.content_types.join(",")).into()),
    derived("has_structured_content", Bool, Sometimes, "Whether there is `structuredContent`.", |judged, _| judged.metadata().map(|metadata| metadata.has_structured_content).into()),
    derived("has_meta", Bool, Sometimes, "Whether there is `_meta`.", |judged, _| judged.metadata().map(|metadata| metadata.has_meta).into()),
    derived("decision", Text, Always, "What to do: `accept`, `accept_with_warnings`, `reject` or `review` (confidence below 0.6).", |judged, _| judged.decision().name().into()),
    derived("interpretation", Text, Always, "Validity, confidence and quality in one word: `excellent`, `acceptable`, `below_threshold`, `surely_invalid`, `maybe_invalid` or `invalid`.", |judged, legend| judged.interpretation(legend).name().into()),
    derived("confidence", Float, Always, "How confident the verdict is, 0 to 1, as in its line: that of the class, but at most 0.89 beside an issue that says that something could not be settled.", |judged, _| judged.confidence().into()),
    derived("confidence_band", Text, Always, "This confidence in a word: `very_high`, `high`, `medium`, `low` or `very_low`.", |judged, _| confidence_band(judged.confidence()).name.as_str().into()),
    derived("quality_band", Text, Always, "The quality in a word: `excellent`, `good`, `fair`, `poor` or `very_poor`.", |judged, legend| quality_band(judged.quality(legend)).name.as_str().into()),
    derived("needs_review", Bool, Always, "Whether confidence is below 0.6.", |judged, _| needs_review(judged.confidence()).into()),
    derived("has_security_issue", Bool, Always, "Whether an issue is about security.", |judged, _| judged.verdict.issues.iter().any(|issue| issue.kind.is_about_security()).into()),
    named("passed_criteria", Text, Sometimes, "Criteria that are met, as a JSON array of their names.", |it| array(&it.criteria[0]), |it, cell| set(&mut it.criteria[0], texts(cell))),
    named("failed_criteria", Text, Sometimes, "Criteria that are not met, as a JSON array of their names.", |it| array(&it.criteria[1]), |it, cell| set(&mut it.criteria[1], texts(cell))),
];

#[rustfmt::skip]
pub(super) const ISSUES: &[Spec<OfIssue>] = &[
    spec("key", Key, Sometimes, "Key of the call, as in `verdicts`; empty for an issue of the whole session.", |batch, _| batch.issue_key_cells()),
    spec("file", Text, Always, "The recording, as a path below the folder of recordings.", |batch, places| batch.origins.cells(0, &places.origins)),
    spec("line", Int, Always, "Line of the call in the recording, from 1; for an issue of a session, the line of its tool list or its first line.", |_, places| Cells::Ints(places.lines.clone())),
    spec("server", Text, Always, "The server.", |batch, places| batch.groups.cells(1, &places.groups)),
    spec("session", Text, Always, "The recorded session, or the recording's name.", |batch, places| batch.origins.cells(1, &places.origins)),
    spec("tool", Text, Always, "The tool that was called, or that an issue of a session is about; empty if there is none.", |batch, places| batch.groups.cells(2, &places.groups)),
    spec("day", Text, Always, "The day of the recording (UTC), empty if unknown.", |batch, places| batch.groups.cells(0, &places.groups)),
    spec("scenario", Text, Sometimes, "The scenario category, as recorded.", |batch, places| batch.groups.cells(3, &places.groups)),
    spec("severity", Text, Always, "How bad it is: `error`, `warning` or `info`.", |batch, _| Cells::named(Severity::ALL.map(Severity::name), batch.issues.severity.clone())),
    spec("type", Text, Always, "The type of issue.", |batch, _| Cells::named(IssueType::ALL.iter().map(|kind| kind.name()).chain(batch.issues.unlisted.texts().iter()), batch.issues.kind.clone())),
    spec("origin", Text, Always, "Who says so: `tapecheck`, or `reported` by the recorded judge result or session report.", |batch, _| batch.issues.origin_cells()),
    spec("message", Text, Always, "What is wrong.", |batch, _| batch.issues.message.clone().into_cells()),
    spec("location", Text, Sometimes, "Where it is: a JSON pointer or a field path.", |batch, _| batch.issues.location.clone().into_cells()),
    spec("suggestion", Text, Sometimes, "What to do about it.", |batch, _| batch.issues.suggestion.clone().into_cells()),
    spec("parameter_keys", Text, Sometimes, "Names of the call's arguments, never their values, as a JSON array: at most 100, long ones cut; empty for an issue of the whole session.", |batch, _| batch.issues.parameter_keys.clone().into_cells()),
];

#[rustfmt::skip]
pub(super) const UNREADABLE: &[Spec<OfUnreadable>] = &[
    spec("file", Text, Always, "The file, as a path below the folder of recordings.", |row| row.file.into()),
    spec("line", Int, Sometimes, "Line number, from 1; empty for the whole file.", |row| row.line.into()),
    spec("byte", Int, Sometimes, "Offset of the line's first byte in the decompressed file.", |row| row.byte.into()),
    spec("reason", Text, Always, "Why it could not be read.", |row| row.reason.into()),
    spec("detail", Text, Sometimes, "The reason in more words.", |row| row.detail.into()),
    spec("head", Text, Sometimes, "The line's first 200 characters.", |row| row.beginning().into()),
];

#[rustfmt::skip]
pub(super) const RECORDINGS: &[Spec<OfRecording>] = &[
    spec("file", Text, Always, "The recording, as a path below the folder of recordings.", |row| row.file.into()),
    spec("format", Text, Always, "Its format, as `tapecheck list formats` names it.", |row| row.format.into()),
    spec("evidence", Text, Sometimes, "By what its format was recognized; empty for the formats of tapecheck.", |row| row.evidence.into()),
    spec("not_applied", Text, Sometimes, "The checks that such a recording gives nothing to: they did not pass, they do not apply.", |row| row.not_applied.into()),
    spec("calls", Int, Always, "Calls in it.", |row| row.calls.into()),
    spec("not_sent", Int, Always, "Calls that never reached a server.", |row| row.tally.not_sent.into()),
    spec("reply_cut", Int, Always, "Replies of which the program left out a part.", |row| row.tally.reply_cut.into()),
    spec("reply_not_kept", Int, Always, "Calls whose reply the program did not keep.", |row| row.tally.reply_not_kept.into()),
    spec("duplicates", Int, Always, "Calls that were recorded before, in it or in another file, and are counted once.", |row| row.tally.duplicates.into()),
    spec("names_guessed", Int, Always, "Calls whose server and tool were taken from one name that can be split in several ways.", |row| row.tally.names_guessed.into()),
    spec("unwrapped", Int, Always, "Replies whose text was a result itself: that was judged, as the rulebook says.", |row| row.unwrapped.into()),
];

#[rustfmt::skip]
pub(super) const RATES: &[Spec<OfRate>] = &[
    spec("server", Text, Always, "The server.", |row| row.server.into()),
    spec("tool", Text, Always, "The tool that was called.", |row| row.tool.into()),
    spec("scenario", Text, Sometimes, "The scenario category, as recorded.", |row| row.scenario.into()),
    spec("classification", Text, Always, "The class.", |row| row.class.name().into()),
    spec("count", Int, Always, "Number of calls of this class.", |row| row.count.into()),
    spec("share", Float, Always, "Their share of the calls of this server, tool and scenario.", |row| share(row.count, row.of).into()),
    spec("low", Float, Always, "Lower end of the share's 95 % Wilson interval.", |row| rounded(wilson(row.count, row.of).low).into()),
    spec("high", Float, Always, "Upper end of the share's 95 % Wilson interval.", |row| rounded(wilson(row.count, row.of).high).into()),
];

#[rustfmt::skip]
pub(super) const TOOLS: &[Spec<OfTool>] = &[
    spec("server", Text, Always, "The server.", |tool| tool.line.server.as_str().into()),
    spec("tool", Text, Always, "The tool that was called.", |tool| tool.line.tool.as_str().into()),
    spec("status", Text, Always, "The tool's class by the rulebook's status rule, to which a reply that is `invalid` by a contract, facts or criteria alone is one that breaks its output schema; empty if the outcome of none of its calls is known.", |tool| tool.line.status.as_str().into()),
    spec("overall_confidence", Float, Always, "Confidences weighted by class and averaged, 0 to 100; of the same replies as for `status`.", |tool| tool.line.overall_confidence.into()),
    spec("calls", Int, Always, "Number of calls.", |tool| tool.line.calls.into()),
    spec("worked", Int, Always, "Calls with this outcome.", |tool| tool.of(Counted::Outcome(Outcome::Worked))),
    spec("refused", Int, Always, "Calls with this outcome.", |tool| tool.of(Counted::Outcome(Outcome::Refused))),
    spec("invalid", Int, Always, "Calls with this outcome.", |tool| tool.of(Counted::Outcome(Outcome::Invalid))),
    spec("failed", Int, Always, "Calls with this outcome.", |tool| tool.of(Counted::Outcome(Outcome::Failed))),
    spec("unknown", Int, Always, "Calls with this outcome.", |tool| tool.of(Counted::Outcome(Outcome::Unknown))),
    spec("not_sent", Int, Always, "Calls with this outcome.", |tool| tool.of(Counted::Outcome(Outcome::NotSent))),
    spec("fully_working", Int, Always, "Calls of this class.", |tool| tool.of(Counted::Class(Classification::FullyWorking))),
    spec("partially_working", Int, Always, "Calls of this class.", |tool| tool.of(Counted::Class(Classification::PartiallyWorking))),
    spec("connectivity_only", Int, Always, "Calls of this class.", |tool| tool.of(Counted::Class(Classification::ConnectivityOnly))),
    spec("error", Int, Always, "Calls of this class.", |tool| tool.of(Counted::Class(Classification::Error))),
    spec("broken", Int, Always, "Calls of this class.", |tool| tool.of(Counted::Class(Classification::Broken))),
    spec("result", Int, Always, "Replies without an error.", |tool| tool.of(Counted::Reply(ReplyKind::Result))),
    spec("tool_error", Int, Always, "Replies with `isError`.", |tool| tool.of(Counted::Reply(ReplyKind::ToolError))),
    spec("protocol_error", Int, Always, "JSON-RPC errors.", |tool| tool.of(Counted::Reply(ReplyKind::ProtocolError))),
    spec("no_reply", Int, Always, "Calls that were never answered.", |tool| tool.of(Counted::Reply(ReplyKind::NoReply))),
    spec("document", Int, Always, "Records other than tool calls.", |tool| tool.of(Counted::Reply(ReplyKind::Document))),
    spec("business_logic", Int, Always, "Errors classified as business logic, among calls whose outcome is neither `unknown` nor `not_sent`.", |tool| tool.of(Counted::BusinessLogic)),
    spec("tool_failure", Int, Always, "The same, classified as tool failures.", |tool| tool.of(Counted::ToolFailure)),
    spec("hidden_failure", Int, Always, "Replies that report a failure without isError.", |tool| tool.of(Counted::HiddenFailure)),
    spec("hidden_refusal", Int, Always, "Replies that refuse the request without isError.", |tool| tool.of(Counted::HiddenRefusal)),
    spec("error_kinds", Text, Sometimes, "How many errors of each kind, as `kind=count` joined by `; `.", |tool| tool.error_kinds().into()),
    spec("schema_invalid", Int, Always, "Replies that fail the output schema, including those without JSON.", |tool| tool.schemas([SchemaOutcome::Invalid, SchemaOutcome::NoJson])),
    spec("schema_uncompilable", Int, Always, "Replies of a tool whose output schema cannot be used.", |tool| tool.schemas([SchemaOutcome::Uncompilable])),
    spec("timed", Int, Always, "Calls with a duration and an outcome other than `unknown` and `not_sent`.", |tool| tool.counts.durations().calls().into()),
    spec("p50_ms", Float, Sometimes, "The median of these durations, in milliseconds, within 5 % (counted in steps); empty if there are none.", |tool| tool.counts.durations().took().map(|took| took.p50_ms).into()),
    spec("p95_ms", Float, Sometimes, "The 95th percentile of these durations, in milliseconds, within 5 %.", |tool| tool.counts.durations().took().map(|took| took.p95_ms).into()),
];

#[rustfmt::skip]
pub(super) const ISSUE_TYPES: &[Spec<OfTypeCount>] = &[
    spec("day", Text, Always, "The day of the recording (UTC), empty if unknown.", |row| (&*row.group.day).into()),
    spec("server", Text, Always, "The server.", |row| (&*row.group.server).into()),
    spec("tool", Text, Always, "The tool that was called.", |row| (&*row.group.tool).into()),
    spec("severity", Text, Always, "How bad it is.", |row| row.severity.name().into()),
    spec("type", Text, Always, "The type of issue.", |row| row.kind.into()),
    spec("origin", Text, Always, "Who says so: `tapecheck`, or `reported` by a recorded judge result or session report.", |row| row.origin.name().into()),
    spec("count", Int, Always, "Number of issues of this type and origin.", |row| row.issues.into()),
    spec("share", Float, Always, "Share of the calls of this day, server and tool that have at least one.", |row| share(row.exchanges, row.of).into()),
];

fn keys(keys: &mut Vec<recording::Key>) -> Cells {
    Cells::Keys(std::mem::take(keys).into_iter().map(Some).collect())
}

fn set<T>(place: &mut T, value: Option<T>) -> Option<()> {
    *place = value?;
    Some(())
}

/// The member of a list that has this name.
fn listed<T: Copy>(all: &[T], name: fn(T) -> &'static str, cell: &Cell<'_>) -> Option<T> {
    let wanted = cell.text()?;
    all.iter().copied().find(|one| name(*one) == wanted)
}

fn owned(cell: &Cell<'_>) -> Option<String> {
    cell.text().map(str::to_owned)
}

/// A JSON array of texts; none where the cell is empty.
pub(super) fn texts(cell: &Cell<'_>) -> Option<Vec<String>> {
    cell.text().map_or(Some(Vec::new()), |text| serde_json::from_str(text).ok())
}

fn read_fate(verdict: &mut NamedVerdict, cell: &Cell<'_>) -> Option<()> {
    if cell.text().is_some() {
        verdict.fate = listed(&Fate::ALL, Fate::name, cell)?;
    }
    Some(())
}

fn read_schema(verdict: &mut NamedVerdict, cell: &Cell<'_>) -> Option<()> {
    if cell.text().is_some() {
        let outcome = listed(&SchemaOutcome::ALL, SchemaOutcome::name, cell)?;
        verdict.schema = Some(NamedSchema { outcome, key: None, keyword: None });
    }
    Some(())
}

/// The columns of a schema follow the one that says whether there is any.
#[expect(clippy::unnecessary_wraps, reason = "cells are read by functions of one type")]
fn of_schema(verdict: &mut NamedVerdict, read: impl FnOnce(&mut NamedSchema)) -> Option<()> {
    if let Some(schema) = &mut verdict.schema {
        read(schema);
    }
    Some(())
}

/// Texts as a JSON array; empty where there are none.
pub(super) fn array<'a>(texts: &[impl serde::Serialize]) -> Cell<'a> {
    if texts.is_empty() {
        return Cell::Empty;
    }
    Cell::Text(serde_json::to_string(texts).expect("texts are plain data").into())
}

/// Issues of sessions may stand where there is no exchange.
fn share(count: u64, total: u64) -> f64 {
    if total == 0 { 0.0 } else { rounded(count as f64 / total as f64) }
}

/// To six decimals: more only take room.
fn rounded(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}
