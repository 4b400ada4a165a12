//! How the cells of the tables of a run are made: column by column, in the order in which `docs/columns.md` lists them.
//! `verdict_hash` follows from these, too.

use super::counts::{Rate, Tool, TypeCount};
use super::csv::Cell;
use super::files::{RecordingRow, UnreadableRow};
use super::judged_reply::JudgedReply;
use super::lists::ListRow;
use super::named::{Legend, NamedSchema, NamedVerdict};
use super::parquet::Cells;
use super::rows::VerdictBatch;
use crate::check::judge_result::{confidence_band, needs_review, quality_band};
use crate::count::Counted;
use crate::count::tally::wilson;
use crate::recording::{self, ExchangeKind, ReplyKind};
use crate::verdict::{Classification, Fate, Ground, Outcome, SchemaOutcome, Who};

/// A column by its name, and how its cells are made.
pub(super) type Spec<Of> = (&'static str, Of);

type OfIssue = fn(&mut VerdictBatch) -> Cells;
type OfNamed = for<'a> fn(&'a NamedVerdict) -> Cell<'a>;
type OfUnreadable = for<'a> fn(&'a UnreadableRow<'a>) -> Cell<'a>;
type OfRecording = for<'a> fn(&'a RecordingRow<'a>) -> Cell<'a>;
type OfRate = for<'a> fn(&'a Rate<'a>) -> Cell<'a>;
type OfTool = for<'a> fn(&'a Tool<'a>) -> Cell<'a>;
type OfListRow = for<'a> fn(&'a ListRow) -> Cell<'a>;
type OfTypeCount = for<'a> fn(&'a TypeCount<'a>) -> Cell<'a>;
/// Takes a cell back; `None` where it says what no verdict says.
pub(super) type Read = fn(&mut NamedVerdict, &Cell<'_>) -> Option<()>;

pub(super) enum VerdictColumn {
    /// Of the exchange alone.
    Exchange(fn(&mut VerdictBatch) -> Cells),
    /// Of the verdict, which many exchanges may share: written, and read back.
    Named(OfNamed, Read),
    /// The same of what is said about a verdict and is no part of it: equal verdicts may differ in it.
    Estimated(OfNamed, Read),
    /// What follows from the verdict and the rulebook.
    Derived(for<'a> fn(&'a JudgedReply, &'a Legend) -> Cell<'a>),
    /// The patterns that hit: read like what is named.
    Hits(Read),
    Hash,
}

use VerdictColumn::{Derived, Estimated, Exchange, Hash, Hits, Named};

#[rustfmt::skip]
pub(super) const VERDICTS: &[Spec<VerdictColumn>] = &[
    ("key", Exchange(|batch| Cells::Keys(batch.own(|row| Some(row.key))))),
    ("request_key", Exchange(|batch| Cells::Ints(batch.own(|row| row.request.half())))),
    ("file", Exchange(|batch| batch.origin_cells(0))),
    ("line", Exchange(|batch| Cells::Ints(batch.own(|row| row.line)))),
    ("byte", Exchange(|batch| Cells::Ints(batch.own(|row| row.byte)))),
    ("id", Exchange(|batch| Cells::Texts(std::mem::take(&mut batch.id)))),
    ("server", Exchange(|batch| batch.group_cells(1))),
    ("session", Exchange(|batch| batch.origin_cells(1))),
    ("tool", Exchange(|batch| batch.group_cells(2))),
    ("scenario", Exchange(|batch| batch.group_cells(3))),
    ("recorded_at", Exchange(|batch| Cells::Times(batch.own(|row| row.recorded_at)))),
    ("day", Exchange(|batch| batch.group_cells(0))),
    ("duration_ms", Exchange(|batch| Cells::Floats(batch.own(|row| row.duration)))),
    ("waited_ms", Exchange(|batch| Cells::Floats(batch.own(|row| row.waited)))),
    ("reply_bytes", Exchange(|batch| batch.size_cells(0))),
    ("structured_bytes", Exchange(|batch| batch.size_cells(1))),
    ("label", Exchange(|batch| batch.origin_cells(2))),
    ("recorded_by", Exchange(|batch| batch.mark_cells(0))),
    ("fidelity", Exchange(|batch| batch.mark_cells(1))),
    ("refused_by", Exchange(|batch| batch.mark_cells(2))),
    ("reply_cut", Exchange(|batch| batch.mark_flags(3))),
    ("name_is_guess", Exchange(|batch| batch.mark_flags(4))),
    ("reply_excerpt", Exchange(|batch| Cells::Texts(std::mem::take(&mut batch.excerpts.reply)))),
    ("input_excerpt", Exchange(|batch| Cells::Texts(std::mem::take(&mut batch.excerpts.input)))),
    ("hit_spans", Exchange(|batch| Cells::Texts(std::mem::take(&mut batch.excerpts.spans)))),
    ("verdict_hash", Hash),
    ("kind", Named(|it| it.kind.name().into(), |it, cell| set(&mut it.kind, ExchangeKind::of_name(cell.text()?)))),
    ("reply", Named(|it| it.reply.name().into(), |it, cell| set(&mut it.reply, ReplyKind::of_name(cell.text()?)))),
    ("ground", Named(|it| it.ground.name().into(), |it, cell| set(&mut it.ground, Ground::of_name(cell.text()?)))),
    ("error_code", Named(|it| it.error_code.as_deref().into(), |it, cell| set(&mut it.error_code, Some(owned(cell))))),
    ("classification", Named(|it| it.class.name().into(), |it, cell| set(&mut it.class, Classification::of_name(cell.text()?)))),
    ("outcome", Named(|it| it.outcome.name().into(), |it, cell| set(&mut it.outcome, Outcome::of_name(cell.text()?)))),
    ("fate", Named(|it| Some(it.fate).filter(|fate| *fate != Fate::Settled).map(Fate::name).into(), read_fate)),
    ("confidence_percent", Named(|it| it.confidence.into(), |it, cell| set(&mut it.confidence, cell.float()))),
    ("certainty", Estimated(|it| it.certainty.into(), |it, cell| set(&mut it.certainty, Some(cell.float())))),
    ("is_valid", Named(|it| it.is_valid.into(), |it, cell| set(&mut it.is_valid, cell.flag()))),
    ("valid", Derived(|judged, _| judged.has_no_error().into())),
    ("is_error", Named(|it| it.is_error.into(), |it, cell| set(&mut it.is_error, Some(cell.flag())))),
    ("flagged", Derived(|judged, _| judged.is_flagged().into())),
    ("business_logic", Named(|it| it.business_logic.into(), |it, cell| set(&mut it.business_logic, Some(cell.flag())))),
    ("score", Named(|it| it.score.into(), |it, cell| set(&mut it.score, Some(cell.float())))),
    ("threshold", Named(|it| it.threshold.into(), |it, cell| set(&mut it.threshold, Some(cell.float())))),
    ("decided_by", Named(|it| it.decided_by.as_deref().into(), |it, cell| set(&mut it.decided_by, Some(owned(cell))))),
    ("error_kind", Named(|it| it.error_kind.as_deref().into(), |it, cell| set(&mut it.error_kind, Some(owned(cell))))),
    ("who", Named(|it| it.who.map(Who::name).into(), |it, cell| set(&mut it.who, cell.text().map_or(Some(None), |text| Who::of_name(text).map(Some))))),
    ("hidden_failure", Named(|it| it.hidden_failure.into(), |it, cell| set(&mut it.hidden_failure, Some(cell.flag())))),
    ("signals", Named(|it| array(&it.signals), |it, cell| set(&mut it.signals, texts(cell)))),
    ("hits_left_out", Named(|it| it.hits_left_out.into(), |it, cell| set(&mut it.hits_left_out, Some(cell.flag())))),
    ("hits", Hits(|it, cell| set(&mut it.hits, texts(cell)))),
    ("quality_score", Derived(|judged, legend| judged.quality(legend).into())),
    ("errors", Derived(|judged, _| u64::from(judged.severities.errors).into())),
    ("warnings", Derived(|judged, _| u64::from(judged.severities.warnings).into())),
    ("infos", Derived(|judged, _| u64::from(judged.severities.infos).into())),
    ("issue_types", Named(|it| array(&it.issues), |it, cell| set(&mut it.issues, texts(cell)))),
    ("schema", Named(|it| it.schema.as_ref().map(|schema| schema.outcome.name()).into(), read_schema)),
    ("schema_key", Named(|it| it.schema.as_ref().and_then(|schema| schema.key).map(|key| key.to_string()).into(), |it, cell| of_schema(it, |schema| schema.key = cell.text().and_then(recording::Key::parse)))),
    ("schema_keyword", Named(|it| it.schema.as_ref().and_then(|schema| schema.keyword.as_deref()).into(), |it, cell| of_schema(it, |schema| schema.keyword = owned(cell)))),
    ("content_types", Derived(|judged, _| judged.metadata().map(|metadata| metadata.content_types.join(",")).into())),
    ("has_structured_content", Derived(|judged, _| judged.metadata().map(|metadata| metadata.has_structured_content).into())),
    ("has_meta", Derived(|judged, _| judged.metadata().map(|metadata| metadata.has_meta).into())),
    ("decision", Derived(|judged, _| judged.decision().name().into())),
    ("interpretation", Derived(|judged, legend| judged.interpretation(legend).name().into())),
    ("confidence", Derived(|judged, _| judged.confidence().into())),
    ("confidence_band", Derived(|judged, _| confidence_band(judged.confidence()).name.as_str().into())),
    ("quality_band", Derived(|judged, legend| quality_band(judged.quality(legend)).name.as_str().into())),
    ("needs_review", Derived(|judged, _| needs_review(judged.confidence()).into())),
    ("has_security_issue", Derived(|judged, _| judged.verdict.issues.iter().any(|issue| issue.kind.is_about_security()).into())),
    ("passed_criteria", Named(|it| array(&it.criteria[0]), |it, cell| set(&mut it.criteria[0], texts(cell)))),
    ("failed_criteria", Named(|it| array(&it.criteria[1]), |it, cell| set(&mut it.criteria[1], texts(cell)))),
];

pub(super) const ISSUES: &[Spec<OfIssue>] = &[
    ("key", |batch| batch.issue_key_cells()),
    ("file", |batch| batch.issue_origin_cells(0)),
    ("line", |batch| Cells::Ints(batch.issues.rows.iter().map(|issue| issue.line).collect())),
    ("server", |batch| batch.issue_group_cells(1)),
    ("session", |batch| batch.issue_origin_cells(1)),
    ("tool", |batch| batch.issue_group_cells(2)),
    ("day", |batch| batch.issue_group_cells(0)),
    ("scenario", |batch| batch.issue_group_cells(3)),
    ("severity", |batch| batch.issues.severity_cells()),
    ("type", |batch| batch.issues.type_cells()),
    ("origin", |batch| batch.issues.origin_cells()),
    ("message", |batch| std::mem::take(&mut batch.issues.message).into_cells()),
    ("location", |batch| std::mem::take(&mut batch.issues.location).into_cells()),
    ("suggestion", |batch| std::mem::take(&mut batch.issues.suggestion).into_cells()),
    ("parameter_keys", |batch| std::mem::take(&mut batch.issues.parameter_keys).into_cells()),
];

pub(super) const UNREADABLE: &[Spec<OfUnreadable>] = &[
    ("file", |row| row.file.into()),
    ("line", |row| row.line.into()),
    ("byte", |row| row.byte.into()),
    ("reason", |row| row.reason.into()),
    ("detail", |row| row.detail.into()),
    ("head", |row| row.beginning().into()),
];

pub(super) const RECORDINGS: &[Spec<OfRecording>] = &[
    ("file", |row| row.file.into()),
    ("format", |row| row.format.into()),
    ("evidence", |row| row.evidence.into()),
    ("not_applied", |row| row.not_applied.into()),
    ("calls", |row| row.calls.into()),
    ("not_sent", |row| row.tally.not_sent.into()),
    ("reply_cut", |row| row.tally.reply_cut.into()),
    ("reply_not_kept", |row| row.tally.reply_not_kept.into()),
    ("duplicates", |row| row.tally.duplicates.into()),
    ("names_guessed", |row| row.tally.names_guessed.into()),
    ("unwrapped", |row| row.unwrapped.into()),
];

pub(super) const RATES: &[Spec<OfRate>] = &[
    ("server", |row| row.server.into()),
    ("tool", |row| row.tool.into()),
    ("scenario", |row| row.scenario.into()),
    ("classification", |row| row.class.name().into()),
    ("count", |row| row.count.into()),
    ("share", |row| share(row.count, row.of).into()),
    ("low", |row| rounded(wilson(row.count, row.of).low).into()),
    ("high", |row| rounded(wilson(row.count, row.of).high).into()),
];

pub(super) const TOOLS: &[Spec<OfTool>] = &[
    ("server", |tool| tool.line.server.as_str().into()),
    ("tool", |tool| tool.line.tool.as_str().into()),
    ("status", |tool| tool.line.status.as_str().into()),
    ("overall_confidence", |tool| tool.line.overall_confidence.into()),
    ("calls", |tool| tool.line.calls.into()),
    ("worked", |tool| tool.of(Counted::Outcome(Outcome::Worked))),
    ("refused", |tool| tool.of(Counted::Outcome(Outcome::Refused))),
    ("invalid", |tool| tool.of(Counted::Outcome(Outcome::Invalid))),
    ("failed", |tool| tool.of(Counted::Outcome(Outcome::Failed))),
    ("unknown", |tool| tool.of(Counted::Outcome(Outcome::Unknown))),
    ("not_sent", |tool| tool.of(Counted::Outcome(Outcome::NotSent))),
    ("fully_working", |tool| tool.of(Counted::Class(Classification::FullyWorking))),
    ("partially_working", |tool| tool.of(Counted::Class(Classification::PartiallyWorking))),
    ("connectivity_only", |tool| tool.of(Counted::Class(Classification::ConnectivityOnly))),
    ("error", |tool| tool.of(Counted::Class(Classification::Error))),
    ("broken", |tool| tool.of(Counted::Class(Classification::Broken))),
    ("result", |tool| tool.of(Counted::Reply(ReplyKind::Result))),
    ("tool_error", |tool| tool.of(Counted::Reply(ReplyKind::ToolError))),
    ("protocol_error", |tool| tool.of(Counted::Reply(ReplyKind::ProtocolError))),
    ("no_reply", |tool| tool.of(Counted::Reply(ReplyKind::NoReply))),
    ("document", |tool| tool.of(Counted::Reply(ReplyKind::Document))),
    ("business_logic", |tool| tool.of(Counted::BusinessLogic)),
    ("tool_failure", |tool| tool.of(Counted::ToolFailure)),
    ("hidden_failure", |tool| tool.of(Counted::HiddenFailure)),
    ("hidden_refusal", |tool| tool.of(Counted::HiddenRefusal)),
    ("error_kinds", |tool| tool.error_kinds().into()),
    ("schema_invalid", |tool| tool.schemas([SchemaOutcome::Invalid, SchemaOutcome::NoJson])),
    ("schema_uncompilable", |tool| tool.schemas([SchemaOutcome::Uncompilable])),
    ("timed", |tool| tool.counts.durations().calls().into()),
    ("p50_ms", |tool| tool.counts.durations().took().map(|took| took.p50_ms).into()),
    ("p95_ms", |tool| tool.counts.durations().took().map(|took| took.p95_ms).into()),
];

pub(super) const ISSUE_TYPES: &[Spec<OfTypeCount>] = &[
    ("day", |row| (&*row.group.day).into()),
    ("server", |row| (&*row.group.server).into()),
    ("tool", |row| (&*row.group.tool).into()),
    ("severity", |row| row.severity.name().into()),
    ("type", |row| row.kind.into()),
    ("origin", |row| row.origin.name().into()),
    ("count", |row| row.issues.into()),
    ("share", |row| share(row.exchanges, row.of).into()),
];

pub(super) const LISTS: &[Spec<OfListRow>] = &[
    ("list", |row| row.list.name().into()),
    ("server", |row| row.server.as_str().into()),
    ("tool", |row| row.tool.as_str().into()),
    ("tools", |row| row.tools.into()),
    ("says", |row| Some(row.says.as_str()).filter(|says| !says.is_empty()).into()),
    ("calls", |row| row.calls.into()),
    ("of", |row| row.of.into()),
    ("sessions", |row| row.sessions.into()),
    ("recovered", |row| row.recovered.into()),
    ("copies", |row| row.copies.into()),
    ("typical", |row| row.typical.into()),
    ("p95", |row| row.p95.into()),
    ("most", |row| row.most.into()),
    ("key", |row| row.key.map_or(Cell::Empty, Cell::Key)),
];

fn set<T>(place: &mut T, value: Option<T>) -> Option<()> {
    *place = value?;
    Some(())
}

fn owned(cell: &Cell<'_>) -> Option<String> {
    cell.text().map(str::to_owned)
}

/// A JSON array of texts; none where the cell is empty.
pub(super) fn texts(cell: &Cell<'_>) -> Option<Vec<String>> {
    cell.text().map_or(Some(Vec::new()), |text| serde_json::from_str(text).ok())
}

fn read_fate(verdict: &mut NamedVerdict, cell: &Cell<'_>) -> Option<()> {
    if let Some(name) = cell.text() {
        verdict.fate = Fate::of_name(name)?;
    }
    Some(())
}

fn read_schema(verdict: &mut NamedVerdict, cell: &Cell<'_>) -> Option<()> {
    if let Some(name) = cell.text() {
        let outcome = SchemaOutcome::of_name(name)?;
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
