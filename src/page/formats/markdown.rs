//! Markdown: the night in one screen, for a pull request or the summary of a job.

use super::super::headline::{STEPS, found_instead};
use super::super::night::{Alarm, Changes, IssueTypeRow, Night, Row, Since};
use super::Told;
use crate::compare::show::{MOST_BYTES, as_markdown};
use crate::count::tally::Share;
use crate::verdict::{counted, cut, grouped};
use crate::view::markdown::Document;
use crate::view::{Cell, Column, Item, Line, Section, Style, Table};
use std::fmt::Write as _;

/// So many rows of a list are shown.
const FEW: usize = 8;
/// So many characters of a sentence are shown.
const SENTENCE: usize = 300;

/// The night, within what a comment may have. What is left out is counted.
pub(super) fn markdown(told: &Told<'_>) -> String {
    let night = &told.night;
    let mut document = Document::new(MOST_BYTES);
    for section in sections(told) {
        document.push(&section, 2, 0);
    }
    let mut out = document.into_text();
    if let Changes::Each { comparison, .. } = &night.changes {
        let mut few = comparison.clone();
        let rest = few.groups.split_off(few.groups.len().min(FEW));
        let room = MOST_BYTES.saturating_sub(out.len());
        out.push('\n');
        out.push_str(&as_markdown(&few, room, "tapecheck diff BEFORE AFTER"));
        if !rest.is_empty() {
            let exchanges = counted(rest.iter().map(|group| group.exchanges).sum(), "exchange");
            let groups = counted(rest.len() as u64, "more group");
            let _ = write!(out, "\nNot shown: {groups}, with {exchanges}.\n");
        }
    }
    out
}

fn sections(told: &Told<'_>) -> Vec<Section> {
    let night = &told.night;
    let mut all = vec![head(told)];
    if total(night, "exchanges") == 0 {
        all.push(instead(told));
    }
    all.extend(few("class", "exchanges", &night.classes));
    all.extend(few("failure", "exchanges", &night.answers));
    all.extend(few("kind of error", "failures", &night.error_kinds));
    if night.servers.len() > 1 {
        all.extend(few("worst server", "in trouble", &night.servers));
    }
    let mut tools = few("worst tool", "in trouble", &night.tools);
    if let Some(tools) = &mut tools {
        tools.text("In trouble is what is below fully working, failed, or hides a failure.");
    }
    all.extend(tools);
    all.extend(issue_types(&night.issue_types));
    let mut changed = Section::default();
    match &night.changes {
        Changes::Unasked => return all,
        Changes::Nothing { since } => {
            let line = Line::from("Nothing changed since ").join(called(since));
            changed.text(line.then(": exchanges, rulebook, checks and program are the same."));
        }
        Changes::Each { since, .. } => {
            changed.text(Line::from("What changed since ").join(called(since)).then(":"));
        }
    }
    all.push(changed);
    all
}

fn head(told: &Told<'_>) -> Section {
    let night = &told.night;
    let mut section = Section::new(format!("tapecheck: {}", night.headline));
    if !night.rest.is_empty() {
        section.text(night.rest.join(" "));
    }
    if !night.alarms.is_empty() {
        section
            .text(Line::default().styled("Changed over the nights, and not back:", Style::Strong));
        let item =
            |alarm: &Alarm| Item::new(format!("{}: {}", alarm.by, cut(&alarm.sentence, SENTENCE)));
        section.items(night.alarms.iter().take(FEW).map(item).collect());
        section.more(night.alarms.len(), FEW, "");
    }
    let rulebook = &told.page.run.manifest.comparable.rulebook;
    let short: String = rulebook.digest.chars().take(12).collect();
    let line = Line::from("Rulebook ").then_recorded(&*rulebook.name).then(format!(
        " {short}; {} on {}; ",
        counted(total(night, "lines"), "line"),
        counted(total(night, "tapes"), "tape"),
    ));
    section.text(line.join(not_judged(night)).then("."));
    section
}

fn total(night: &Night, name: &str) -> u64 {
    night.totals.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| *count)
}

fn not_judged(night: &Night) -> Line {
    let (lines, files) = (total(night, "rejects"), total(night, "rejected_files"));
    let words = match (total(night, "exchanges"), lines + files) {
        (0, 0) => super::NOTHING.to_owned(),
        (_, 0) => return "all was judged".into(),
        (_, _) => {
            let lines = counted(lines, "line");
            format!("{lines} and {} could not be judged", counted(files, "file"))
        }
    };
    Line::default().styled(words, Style::Strong)
}

/// What there was instead of exchanges, and what to do.
fn instead(told: &Told<'_>) -> Section {
    let mut section = Section::default();
    section.text("What was found instead:");
    let found = found_instead(&told.page, &told.showing);
    section.items(found.iter().map(|found| Item::new(found.view())).collect());
    section.text("What to do:");
    section.items(STEPS.into_iter().map(Item::new).collect());
    section
}

/// What a run is held against: what it is, and its name.
fn called(since: &Since) -> Line {
    Line::from(since.what.article()).then_recorded(&*since.name)
}

/// The first rows of a list, and what the others come to; nothing where no row counts any.
fn few(what: &str, number: &str, rows: &[Row]) -> Option<Section> {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.count > 0).collect();
    let mut table = Table::new([Column::left(what), Column::right(number), Column::right("share")]);
    for row in rows.iter().take(FEW) {
        let parts = [&row.name, &row.tool, &row.server];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        let name = parts.fold(Line::default(), |line, part| {
            let of = if line.is_empty() { "" } else { " of " };
            line.then(of).then_recorded(&**part)
        });
        let name = if name.is_empty() { "(none)".into() } else { name };
        let count = if number == "in trouble" {
            Cell::text(format!("{} of {}", grouped(row.count), grouped(row.out_of)))
        } else {
            Cell::count(row.count)
        };
        let share = Share { hits: row.count, of: row.out_of };
        table.push([Cell::text(name), count, Cell::share(share)]);
    }
    let mut section = Section::default();
    section.table(table);
    if let Some(rest) = rows.get(FEW..).filter(|rest| !rest.is_empty()) {
        let count = grouped(rest.iter().map(|row| row.count).sum());
        let rows = grouped(rest.len() as u64);
        section.text(format!("Not shown: {rows} more of these, with {count} {number}."));
    }
    (!rows.is_empty()).then_some(section)
}

fn issue_types(types: &[IssueTypeRow]) -> Option<Section> {
    let mut table = Table::new([
        Column::left("issue type"),
        Column::left("severity"),
        Column::right("issues"),
        Column::right("servers"),
    ]);
    for issue in types.iter().take(FEW) {
        let mut name = Line::recorded(&*issue.kind);
        if issue.is_new == Some(true) {
            name = name.then(" ").styled("new", Style::Strong);
        }
        let severity = Cell::text(&*issue.severity);
        table.push([
            Cell::text(name),
            severity,
            Cell::count(issue.count),
            Cell::count(issue.servers),
        ]);
    }
    let mut section = Section::default();
    section.table(table);
    if let Some(rest) = types.get(FEW..).filter(|rest| !rest.is_empty()) {
        let count = rest.iter().map(|issue| issue.count).sum();
        let types = counted(rest.len() as u64, "more type");
        let new = match rest.iter().filter(|issue| issue.is_new == Some(true)).count() {
            0 => String::new(),
            new => format!(", {new} of them new"),
        };
        section.text(format!("Not shown: {types}{new}, with {}.", counted(count, "issue")));
    }
    (!types.is_empty()).then_some(section)
}
