//! A finished run, on the terminal or as JSON.

use super::terminal::{counted, grouped, log_width};
use crate::run::{Finished, Left};
use crate::store::Summary;
use crate::verdict::Outcome;
use crate::view::text::text;
use crate::view::{Cell, Column, Field, Item, Line, Section, Table};
use std::path::Path;

/// Lines of a list before the rest is only counted.
const MOST: usize = 8;

/// The summary as people read it.
pub(super) fn as_text(finished: &Finished, rulebook: &str, out: &Path) -> String {
    let Finished { summary, seconds, folder, .. } = finished;
    let counts = &summary.counts;
    let mut head = Section::new(format!(
        "{} from {} judged under {rulebook} in {seconds:.1} s",
        counted(counts.exchanges, "exchange"),
        counted(counts.recordings, "tape"),
    ));
    head.text(format!(
        "{} lines = {} exchanges + {} other traffic + {} rejects",
        grouped(counts.lines),
        grouped(counts.exchanges),
        grouped(counts.other_traffic),
        grouped(counts.rejects),
    ));
    let mut shares = Section::default();
    shares.table(outcome_table(summary));
    let mut facts = Section::default();
    facts.fields(fields(summary));
    let mut end = Section::default();
    if counts.counted_as_other > 0 {
        let exchanges = counted(counts.counted_as_other, "exchange");
        end.text(format!(
            "{exchanges} of more servers, tools, scenarios and days than are counted separately are under (other) in tables"
        ));
    }
    end.text(match folder {
        Left::Run => format!("written to {}", out.display()),
        Left::EarlierRun => format!("nothing written: {} stays as it was", out.display()),
    });
    let all = [head, shares, facts].into_iter();
    let all = all.chain(odd_files(finished)).chain(tools(summary)).chain([end]);
    text(&all.collect::<Vec<_>>(), log_width())
}

/// What became of the calls. Those of which that is not known enter no share.
fn outcome_table(summary: &Summary) -> Table {
    let (left, right) = (Column::left, Column::right);
    let mut table = Table::new([left("outcome"), right("calls"), right(""), left("")]);
    let known = summary.known_calls();
    for outcome in Outcome::ALL.into_iter().rev() {
        let calls = summary.calls(outcome);
        let name = Cell::text(outcome.name());
        if outcome.tells() {
            let share = if known == 0 { 0.0 } else { calls as f64 / known as f64 };
            table.push([name, Cell::count(calls), Cell::percent(share, 1), Cell::bar(share)]);
        } else if calls > 0 {
            table.push([name, Cell::count(calls), Cell::empty(), Cell::empty()]);
        }
    }
    table
}

/// What to make of the verdicts, the sessions, and what could not be read.
fn fields(summary: &Summary) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut field = |name: &str, value: Line| {
        if !value.is_empty() {
            fields.push(Field::new(name, value));
        }
    };
    let asked = summary.business_logic + summary.tool_failure;
    if asked > 0 {
        field(
            "errors",
            Line::from(format!(
                "{}: {} business logic, {}",
                grouped(asked),
                grouped(summary.business_logic),
                counted(summary.tool_failure, "tool failure"),
            )),
        );
    }
    if summary.hidden_failure > 0 {
        let replies = counted(summary.hidden_failure, "reply");
        field(
            "hidden failures",
            format!("{replies} claiming success and saying they failed").into(),
        );
    }
    field("unknown outcome", Line::from(summary.unknown_words().unwrap_or_default()));
    field("documents", named(summary.documents.iter().cloned()));
    field("classes", named(summary.classes.iter().cloned()));
    field("replies", named(summary.replies.iter().cloned()));
    field("overall confidence", format!("{:.1}", summary.overall_confidence).into());
    let issues = summary.issues.iter();
    let issues = issues.map(|(severity, count)| format!("{} {severity}", grouped(*count)));
    let [blocking, security] = [summary.blocking_issues, summary.security_issues].map(grouped);
    let issues = issues.collect::<Vec<_>>().join(", ");
    field("issues", format!("{issues}; {blocking} blocking, {security} security").into());
    if summary.counts.exchanges > 0 {
        field("needs review", grouped(summary.needs_review).into());
        field("decisions", named(summary.decisions.iter().cloned()));
        field("readings", named(summary.interpretations.iter().cloned()));
        let rungs = summary.retry_ladder.iter().map(|rung| match rung.share {
            None => format!("{} –", rung.quality),
            Some(share) => format!("{} {:.1} %", rung.quality, share * 100.0),
        });
        field("accepted at quality", rungs.collect::<Vec<_>>().join(", ").into());
        field("sessions", sessions(summary));
    }
    field("rejected lines", named(summary.rejects.iter().map(|(name, count)| (name, *count))));
    field(
        "files not read whole",
        named(summary.rejected_files.iter().map(|(name, count)| (name, *count))),
    );
    let common = summary.top_issues.iter().take(MOST);
    let common = common.map(|line| (format!("{} {}", line.severity, line.kind), line.count));
    field("most common issues", named(common));
    fields
}

fn sessions(summary: &Summary) -> Line {
    let sessions = &summary.sessions;
    let [failing, total] = [sessions.failing, sessions.total].map(grouped);
    let mut line = Line::from(format!("{failing} of {total} with errors"));
    if sessions.other_errors + sessions.other_warnings > 0 {
        line = line.then(format!(
            "; {} and {} in further ones, which are counted together",
            counted(sessions.other_errors, "error"),
            counted(sessions.other_warnings, "warning"),
        ));
    }
    match summary.validation["errorReport"]["filename"].as_str() {
        Some(name) => line.then(" · ").then_command(format!("tapecheck error-report {name}")),
        None => line,
    }
}

/// Counts by name, without those of nothing.
fn named(counts: impl Iterator<Item = (impl AsRef<str>, u64)>) -> Line {
    let counts = counts.filter(|(_, count)| *count > 0);
    let parts = counts.map(|(name, count)| format!("{} {}", name.as_ref(), grouped(count)));
    Line::recorded(parts.collect::<Vec<_>>().join(", "))
}

fn odd_files(finished: &Finished) -> Option<Section> {
    let kinds = named(finished.totals.other_files.iter().map(|(kind, count)| (kind, *count)));
    let notes: Vec<_> =
        finished.totals.notes.iter().filter(|note| note.kind.is_suspicious()).collect();
    let is_there = !kinds.is_empty() || !notes.is_empty();
    let mut section = Section::new(Line::from("files that are no tapes: ").join(kinds));
    let item =
        |file: &str, detail: &str| Item::new(Line::recorded(file).then(format!(": {detail}")));
    let shown = notes.iter().take(MOST);
    section.items(shown.map(|note| item(&note.file, &note.detail)).collect());
    section.more(notes.len(), MOST, "summary.json has all");
    is_there.then_some(section)
}

fn tools(summary: &Summary) -> Option<Section> {
    let (left, right) = (Column::left, Column::right);
    let heads = [
        left("most called tools"),
        right("calls"),
        right("failed"),
        right("invalid"),
        left("status"),
        right("confidence"),
    ];
    let mut table = Table::new(heads);
    for tool in summary.top_tools.iter().take(MOST) {
        table.push([
            Cell::name(&format!("{} / {}", tool.server, tool.tool)),
            Cell::count(tool.calls),
            Cell::sparse(tool.failed),
            Cell::sparse(tool.invalid),
            Cell::text(&*tool.status),
            Cell::number(tool.overall_confidence, 1),
        ]);
    }
    let mut section = Section::default();
    section.table(table);
    (!section.blocks.is_empty()).then_some(section)
}

/// The summary as one JSON object: the content of `summary.json`.
pub(super) fn as_json(finished: &Finished) -> String {
    let mut text =
        serde_json::to_string_pretty(&finished.summary).expect("a summary is plain data");
    text.push('\n');
    text
}
