//! The columns of the tables that a run writes row by row: each of them is one entry here, from which its
//! cells, the schema of its file, `docs/columns.md` and `verdict_hash` follow.

use super::column::ColumnKind::{Bool, Float, Int, Text};
use super::column::Presence::{self, Always, Sometimes};
use super::column::{Column, ColumnKind};
use super::csv::Cell;
use super::judged_reply::JudgedReply;
use super::legend::{FactName, Legend};
use super::parquet::Cells;
use super::rows::{IssuePlaces, VerdictBatch};
use crate::check::judge_result::{confidence_band, needs_review, quality_band};
use crate::verdict::{FactSet, IssueType, Severity};
use std::borrow::Cow;

/// A column of the table `verdicts`.
pub(super) enum VerdictColumn {
    /// Of the exchange alone.
    Exchange(Fixed, fn(&mut VerdictBatch) -> Cells),
    /// Of the verdict, which many exchanges may share.
    Verdict(Fixed, for<'a> fn(&'a JudgedReply, &'a Legend) -> Cell<'a>),
    /// A hash of all columns that are of the verdict.
    Hash(Fixed),
    /// One column for each fact of the rulebook.
    Facts,
}

/// A column that tables have whatever the rulebook.
#[derive(Clone, Copy)]
pub(super) struct Fixed {
    pub(super) name: &'static str,
    pub(super) kind: ColumnKind,
    presence: Presence,
    about: &'static str,
}

impl Fixed {
    pub(super) fn column(&self) -> Column {
        let Self { name, kind, presence, about } = *self;
        Column { name: Cow::Borrowed(name), kind, presence, about: Cow::Borrowed(about) }
    }
}

impl VerdictColumn {
    /// The columns in a file, given the facts of the rulebook.
    pub(super) fn columns(&self, facts: &[FactName]) -> Vec<Column> {
        match self {
            Self::Exchange(column, _) | Self::Verdict(column, _) | Self::Hash(column) => {
                vec![column.column()]
            }
            Self::Facts => facts.iter().map(fact_column).collect(),
        }
    }
}

fn fact_column(fact: &FactName) -> Column {
    Column {
        name: Cow::Owned(fact_column_name(fact)),
        kind: Bool,
        presence: Sometimes,
        about: Cow::Owned(fact.about.clone()),
    }
}

pub(super) fn fact_column_name(fact: &FactName) -> String {
    format!("fact_{}", fact.name)
}

/// Whether a fact holds; `None` where it was not looked at.
pub(super) fn fact(judged: &JudgedReply, legend: &Legend, fact: usize) -> Option<bool> {
    let observation = judged.verdict.observation.as_ref()?;
    let is_error = judged.verdict.ground.is_error();
    let seen: FactSet = if is_error { legend.error_facts } else { legend.success_facts };
    seen.has(fact).then(|| observation.facts.has(fact))
}

const fn exchange(
    name: &'static str,
    kind: ColumnKind,
    presence: Presence,
    about: &'static str,
    cells: fn(&mut VerdictBatch) -> Cells,
) -> VerdictColumn {
    VerdictColumn::Exchange(Fixed { name, kind, presence, about }, cells)
}

const fn verdict(
    name: &'static str,
    kind: ColumnKind,
    presence: Presence,
    about: &'static str,
    cell: for<'a> fn(&'a JudgedReply, &'a Legend) -> Cell<'a>,
) -> VerdictColumn {
    VerdictColumn::Verdict(Fixed { name, kind, presence, about }, cell)
}

/// The table `verdicts`.
#[rustfmt::skip]
pub(super) const VERDICTS: &[VerdictColumn] = &[
    exchange("key", Text, Always, "Content hash of server, tool, input and reply: equal exchanges have equal keys.", VerdictBatch::key_cells),
    exchange("request_key", Text, Always, "Content hash of server, tool and input: equal for two recordings of one request.", VerdictBatch::request_key_cells),
    exchange("file", Text, Always, "The tape, as a path below the corpus.", |batch| batch.origin_cells(0)),
    exchange("line", Int, Always, "Line of the tape on which the exchange (its request) stands, from 1.", |batch| Cells::Ints(std::mem::take(&mut batch.line))),
    exchange("byte", Int, Always, "Offset of that line's first byte in the decompressed tape.", |batch| Cells::Ints(std::mem::take(&mut batch.byte))),
    exchange("id", Text, Sometimes, "The record's own id.", |batch| std::mem::take(&mut batch.id).into_cells()),
    exchange("server", Text, Always, "Who answered.", |batch| batch.group_cells(1)),
    exchange("session", Text, Always, "The recorded session, or the tape's name.", |batch| batch.origin_cells(1)),
    exchange("tool", Text, Always, "The tool that was called.", |batch| batch.group_cells(2)),
    exchange("scenario", Text, Sometimes, "The scenario category, as recorded.", |batch| batch.group_cells(3)),
    exchange("recorded_at", Text, Sometimes, "When the exchange was recorded, as recorded.", |batch| std::mem::take(&mut batch.recorded_at).into_cells()),
    exchange("day", Text, Always, "The day of the recording (UTC), empty where it is not known.", |batch| batch.group_cells(0)),
    exchange("duration_ms", Float, Sometimes, "How long the reply took, in milliseconds.", |batch| Cells::Floats(std::mem::take(&mut batch.duration))),
    exchange("label", Text, Sometimes, "What a person says the truth is.", |batch| batch.origin_cells(2)),
    exchange("reply_excerpt", Text, Sometimes, "Of an exchange that did not plainly work: at most 600 bytes of the judged text, around its hits, with secrets masked; empty for the others and with `--no-text`.", |batch| std::mem::take(&mut batch.excerpts.reply).into_cells()),
    exchange("input_excerpt", Text, Sometimes, "The same of the input, at most its first 300 bytes.", |batch| std::mem::take(&mut batch.excerpts.input).into_cells()),
    exchange("hit_spans", Text, Sometimes, "JSON array of what hit in `reply_excerpt`, each as first byte, byte after the last and pattern; empty where nothing did.", |batch| std::mem::take(&mut batch.excerpts.spans).into_cells()),
    VerdictColumn::Hash(Fixed { name: "verdict_hash", kind: Text, presence: Always, about: "Hash of the columns from `kind` on: equal for equal verdicts, whatever run, rulebook or machine they come from." }),
    verdict("kind", Text, Always, "What the exchange is: `tool_call`, `envelope`, `judge_result` or `session_report`.", |judged, _| judged.kind.name().into()),
    verdict("reply", Text, Always, "What came back: `result`, `tool_error`, `protocol_error`, `no_reply`, or, for other kinds than tool calls, `document`.", |judged, _| judged.reply.name().into()),
    verdict("ground", Text, Always, "What was there to be judged: `error`, `silent_error` (no text, no code), `content`, `no_content`, `empty_content`, `malformed`, `no_reply` or `document`.", |judged, _| judged.verdict.ground.name().into()),
    verdict("error_code", Text, Sometimes, "The code of a JSON-RPC error.", |judged, _| judged.error_code.as_deref().into()),
    verdict("classification", Text, Always, "The class: `fully_working`, `partially_working`, `connectivity_only`, `error` or `broken`.", |judged, _| judged.verdict.conclusion.classification.name().into()),
    verdict("confidence", Float, Always, "How confident the class is, 0 to 100.", |judged, _| judged.verdict.conclusion.confidence.into()),
    verdict("is_valid", Bool, Always, "Whether the reply indicates a working tool.", |judged, _| judged.verdict.conclusion.is_valid.into()),
    verdict("valid", Bool, Always, "Whether no issue has the severity `error`.", |judged, _| judged.has_no_error().into()),
    verdict("is_error", Bool, Always, "Whether the reply is an error (`isError` or a JSON-RPC error).", |judged, _| judged.verdict.is_error.is_yes().into()),
    verdict("business_logic", Bool, Sometimes, "Whether the error says that the tool works and refused; empty where the question does not arise.", |judged, _| judged.verdict.conclusion.business_logic().into()),
    verdict("score", Float, Sometimes, "Weighted share of the rulebook's factors present.", |judged, _| judged.verdict.conclusion.weighing.map(|weighing| weighing.score).into()),
    verdict("threshold", Float, Sometimes, "The threshold the score is held against.", |judged, _| judged.verdict.conclusion.weighing.and_then(|weighing| weighing.threshold).into()),
    verdict("decided_by", Text, Sometimes, "The rulebook's decision line that answered.", |judged, legend| named(&legend.decisions, judged.verdict.conclusion.weighing.and_then(|weighing| weighing.line))),
    verdict("error_kind", Text, Sometimes, "The rulebook's kind of error.", |judged, legend| named(&legend.error_kinds, judged.verdict.conclusion.error_kind)),
    verdict("hidden_failure", Bool, Sometimes, "Whether a reply that claims success says that it failed; empty where nobody asked.", |judged, _| judged.verdict.conclusion.hidden_failure().into()),
    VerdictColumn::Facts,
    verdict("hits", Text, Sometimes, "JSON array of the patterns that hit, as `list/pattern`, in rulebook order; empty where none did.", hits),
    verdict("quality_score", Float, Always, "1 less what the rulebook charges for each issue, at least 0.", |judged, legend| judged.quality(legend).into()),
    verdict("errors", Int, Always, "Number of issues with the severity `error`.", |judged, _| u64::from(judged.severities.errors).into()),
    verdict("warnings", Int, Always, "Number of issues with the severity `warning`.", |judged, _| u64::from(judged.severities.warnings).into()),
    verdict("infos", Int, Always, "Number of issues with the severity `info`.", |judged, _| u64::from(judged.severities.infos).into()),
    verdict("issue_types", Text, Sometimes, "Severity and type of every issue, as a sorted JSON array of texts such as `error tool_failure`; empty where there is none.", |judged, _| issue_types(judged)),
    verdict("schema", Text, Sometimes, "What the tool's output schema says: `valid`, `invalid`, `no_json`, `uncompilable` or `undecided`; empty where there is none.", |judged, _| judged.output_schema().map(|schema| schema.outcome.name()).into()),
    verdict("schema_key", Text, Sometimes, "Content hash of that output schema; empty where `schema` is.", |judged, _| judged.output_schema().map(|schema| crate::recording::Key(schema.key).to_string()).into()),
    verdict("schema_keyword", Text, Sometimes, "The first keyword of the schema that is not met, such as `required`, where it is known.", |judged, _| judged.output_schema().and_then(|schema| schema.keyword.as_deref()).into()),
    verdict("content_types", Text, Sometimes, "Types of the content blocks in first-seen order, joined by commas.", |judged, _| judged.metadata().map(|metadata| metadata.content_types.join(",")).into()),
    verdict("has_structured_content", Bool, Sometimes, "Whether there is `structuredContent`.", |judged, _| judged.metadata().map(|metadata| metadata.has_structured_content).into()),
    verdict("has_meta", Bool, Sometimes, "Whether there is `_meta`.", |judged, _| judged.metadata().map(|metadata| metadata.has_meta).into()),
    verdict("decision", Text, Always, "What to do: `accept`, `accept_with_warnings`, `reject` or `review` (confidence below 0.6).", |judged, _| judged.decision().name().into()),
    verdict("interpretation", Text, Always, "How valid, confidence and quality read together: `excellent`, `acceptable`, `below_threshold`, `surely_invalid`, `maybe_invalid` or `invalid`.", |judged, legend| judged.interpretation(legend).name().into()),
    verdict("confidence_band", Text, Always, "The confidence in a word: `very_high`, `high`, `medium`, `low` or `very_low`.", |judged, _| confidence_band(judged.confidence()).name.as_str().into()),
    verdict("quality_band", Text, Always, "The quality in a word: `excellent`, `good`, `fair`, `poor` or `very_poor`.", |judged, legend| quality_band(judged.quality(legend)).name.as_str().into()),
    verdict("needs_review", Bool, Always, "Whether confidence is below 0.6.", |judged, _| needs_review(judged.confidence()).into()),
    verdict("has_security_issue", Bool, Always, "Whether an issue is about security.", |judged, _| judged.verdict.issues.iter().any(|issue| issue.kind.is_about_security()).into()),
    verdict("passed_criteria", Text, Sometimes, "Criteria that are met, as a JSON array of their names.", |judged, _| array(&judged.verdict.passed_criteria)),
    verdict("failed_criteria", Text, Sometimes, "Criteria that are not met, as a JSON array of their names.", |judged, _| array(&judged.verdict.failed_criteria)),
];

/// A column of the table `issues`.
pub(super) struct IssueColumn {
    pub(super) column: Fixed,
    pub(super) cells: fn(&VerdictBatch, &IssuePlaces) -> Cells,
}

const fn issue(
    name: &'static str,
    presence: Presence,
    about: &'static str,
    cells: fn(&VerdictBatch, &IssuePlaces) -> Cells,
) -> IssueColumn {
    IssueColumn { column: Fixed { name, kind: Text, presence, about }, cells }
}

/// The table `issues`.
#[rustfmt::skip]
pub(super) const ISSUES: &[IssueColumn] = &[
    issue("key", Always, "Key of the exchange, as in `verdicts`; empty text where the issue is one of the session as a whole.", |batch, _| batch.issue_key_cells()),
    issue("file", Always, "The tape, as a path below the corpus.", |batch, places| batch.origins.cells(0, &places.origins)),
    IssueColumn {
        column: Fixed { name: "line", kind: Int, presence: Always, about: "Line of the tape on which the exchange stands, from 1; of an issue of a session, the line of its tool list or its first line." },
        cells: |_, places| Cells::Ints(places.lines.clone()),
    },
    issue("server", Always, "Who answered.", |batch, places| batch.groups.cells(1, &places.groups)),
    issue("session", Always, "The recorded session, or the tape's name.", |batch, places| batch.origins.cells(1, &places.origins)),
    issue("tool", Always, "The tool that was called, or that an issue of a session is about; empty where it is about none.", |batch, places| batch.groups.cells(2, &places.groups)),
    issue("day", Always, "The day of the recording (UTC), empty where it is not known.", |batch, places| batch.groups.cells(0, &places.groups)),
    issue("scenario", Sometimes, "The scenario category, as recorded.", |batch, places| batch.groups.cells(3, &places.groups)),
    issue("severity", Always, "How bad it is: `error`, `warning` or `info`.", |batch, _| Cells::named(Severity::ALL.map(Severity::name), batch.issues.severity.clone())),
    issue("type", Always, "The type of issue.", |batch, _| Cells::named(IssueType::ALL.iter().map(|kind| kind.name()).chain(batch.issues.unlisted.texts().iter()), batch.issues.kind.clone())),
    issue("message", Always, "What is wrong.", |batch, _| batch.issues.message.clone().into_cells()),
    issue("location", Sometimes, "Where it is: a JSON pointer or a field path.", |batch, _| batch.issues.location.clone().into_cells()),
    issue("suggestion", Sometimes, "What to do about it.", |batch, _| batch.issues.suggestion.clone().into_cells()),
];

/// One of the names that a rulebook has numbers for.
fn named(names: &[String], number: Option<u16>) -> Cell<'_> {
    number.and_then(|number| names.get(usize::from(number))).map(String::as_str).into()
}

fn hits<'a>(judged: &'a JudgedReply, legend: &'a Legend) -> Cell<'a> {
    let patterns = judged.patterns();
    let names: Vec<&str> = patterns
        .iter()
        .filter_map(|number| legend.patterns.get(usize::from(*number)))
        .map(String::as_str)
        .collect();
    array(&names)
}

fn issue_types(judged: &JudgedReply) -> Cell<'_> {
    let verdict = &judged.verdict;
    let of_issue = |(at, issue): (usize, &crate::verdict::Issue)| {
        format!("{} {}", issue.severity.name(), verdict.type_of(at))
    };
    let mut types: Vec<String> = verdict.issues.iter().enumerate().map(of_issue).collect();
    types.sort_unstable();
    array(&types)
}

/// Texts as a JSON array; empty where there are none.
fn array<'a>(texts: &[impl serde::Serialize]) -> Cell<'a> {
    if texts.is_empty() {
        return Cell::Empty;
    }
    Cell::Text(serde_json::to_string(texts).expect("texts are plain data").into())
}
