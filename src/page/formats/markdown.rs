//! Markdown: the night in one screen, for a pull request or the summary of a job.

use super::super::night::{Alarm, Changes, Night};
use super::super::tonight::{
    FEW, classes, failures, instead, issue_types, outcomes, servers, tools,
};
use super::Report;
use crate::compare::show::{MOST_BYTES, as_markdown};
use crate::verdict::{counted, cut};
use crate::view::markdown::Document;
use crate::view::{Item, Line, Section, Style};
use std::fmt::Write as _;

/// So many characters of a sentence are shown.
const SENTENCE: usize = 300;

/// The night, within what a comment may have. What is left out is counted.
pub(super) fn markdown(report: &Report) -> String {
    let night = &report.night;
    let mut document = Document::new(MOST_BYTES);
    for section in sections(report) {
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
            let exchanges = counted(rest.iter().map(|group| group.exchanges).sum(), "call");
            let groups = counted(rest.len() as u64, "more group");
            let _ = write!(out, "\nNot shown: {groups}, with {exchanges}.\n");
        }
    }
    out
}

fn sections(report: &Report) -> Vec<Section> {
    let night = &report.night;
    let mut all = vec![head(report)];
    if night.total("exchanges") == 0 {
        all.push(instead(&report.page, &report.showing));
    } else {
        let first = [outcomes(&report.page, night), Some(classes(night)), failures(night)];
        let rest = [servers(night), tools(night), issue_types(night)];
        let parts = first.into_iter().chain(rest).flatten();
        // The heads of the columns say what they are.
        all.extend(parts.map(|part| Section { title: Line::default(), ..part }));
    }
    let mut changed = Section::default();
    match &night.changes {
        // Who asks for a format has the runs compared exchange by exchange.
        Changes::Unasked | Changes::Counts { .. } => return all,
        Changes::Nothing { since } => {
            let line = Line::from("Nothing changed since ").join(since.called());
            changed.text(line.then(": same calls, rulebook, checks and program."));
        }
        Changes::Each { since, .. } => {
            changed.text(Line::from("What changed since ").join(since.called()).then(":"));
        }
    }
    all.push(changed);
    all
}
fn head(report: &Report) -> Section {
    let night = &report.night;
    let mut section = Section::new(format!("tapecheck: {}", night.headline));
    if !night.rest.is_empty() {
        section.text(night.rest.join(" "));
    }
    if !night.alarms.is_empty() {
        section.text(Line::default().styled("Changed, and not back to normal:", Style::Strong));
        let item =
            |alarm: &Alarm| Item::new(format!("{}: {}", alarm.by, cut(&alarm.sentence, SENTENCE)));
        section.items(night.alarms.iter().take(FEW).map(item).collect());
        section.more(night.alarms.len(), FEW, "");
    }
    let rulebook = &report.page.run.manifest.comparable.rulebook;
    let short: String = rulebook.digest.chars().take(12).collect();
    let line = Line::from("Rulebook ").then_recorded(&*rulebook.name).then(format!(
        " {short}; {} in {}; ",
        counted(night.total("lines"), "line"),
        counted(night.total("recordings"), "recording"),
    ));
    section.text(line.join(not_judged(night)).then("."));
    section
}

fn not_judged(night: &Night) -> Line {
    let (lines, files) = (night.total("unreadable"), night.total("unreadable_files"));
    let words = match (night.total("exchanges"), lines + files) {
        (0, 0) => super::NOTHING.to_owned(),
        (_, 0) => return "everything was read".into(),
        (_, _) => {
            let lines = counted(lines, "line");
            format!("{lines} and {} could not be read", counted(files, "file"))
        }
    };
    Line::default().styled(words, Style::Strong)
}
