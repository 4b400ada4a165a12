//! Markdown: the night in one screen, for a pull request or the summary of a job.

use super::super::earlier::{Against, Compared};
use super::super::night::{Alarm, Page};
use super::super::tonight::{
    FEW, classes, failures, instead, issue_types, outcomes, servers, tools,
};
use crate::compare::show::{MOST_BYTES, as_markdown};
use crate::verdict::{counted, cut};
use crate::view::markdown::Document;
use crate::view::{Item, Line, Section, Style};
use std::fmt::Write as _;

/// So many characters of a sentence are shown.
const SENTENCE: usize = 300;

/// The night, within what a comment may have. What is left out is counted.
pub(super) fn markdown(page: &Page) -> String {
    let mut document = Document::new(MOST_BYTES);
    for section in sections(page) {
        document.push(&section, 2, 0);
    }
    let mut out = document.into_text();
    if let Some(comparison) = page.against.as_ref().and_then(Against::each) {
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

fn sections(page: &Page) -> Vec<Section> {
    let mut all = vec![head(page)];
    if page.total("exchanges") == 0 {
        all.push(instead(page));
    } else {
        let first = [outcomes(page), Some(classes(page)), failures(page)];
        let rest = [servers(page), tools(page), issue_types(page)];
        let parts = first.into_iter().chain(rest).flatten();
        // The heads of the columns say what they are.
        all.extend(parts.map(|part| Section { title: Line::default(), ..part }));
    }
    let mut changed = Section::default();
    let Some(against) = &page.against else { return all };
    match &against.comparison {
        // Who asks for a format has the runs compared exchange by exchange.
        Compared::Counts => return all,
        Compared::Equal => {
            let line = Line::from("Nothing changed since ").join(against.called());
            changed.text(line.then(": same calls, rulebook, checks and program."));
        }
        Compared::Each(_) => {
            changed.text(Line::from("What changed since ").join(against.called()).then(":"));
        }
    }
    all.push(changed);
    all
}

fn head(page: &Page) -> Section {
    let mut section = Section::new(format!("tapecheck: {}", page.headline));
    if !page.rest.is_empty() {
        section.text(page.rest.join(" "));
    }
    if !page.alarms.is_empty() {
        section.text(Line::default().styled("Changed, and not back to normal:", Style::Strong));
        let item =
            |alarm: &Alarm| Item::new(format!("{}: {}", alarm.by, cut(&alarm.sentence, SENTENCE)));
        section.items(page.alarms.iter().take(FEW).map(item).collect());
        section.more(page.alarms.len(), FEW, "");
    }
    let rulebook = &page.run.manifest.comparable.rulebook;
    let short: String = rulebook.digest.chars().take(12).collect();
    let line = Line::from("Rulebook ").then_recorded(&*rulebook.name).then(format!(
        " {short}; {} in {}; ",
        counted(page.total("lines"), "line"),
        counted(page.total("recordings"), "recording"),
    ));
    section.text(line.join(not_judged(page)).then("."));
    section
}

fn not_judged(page: &Page) -> Line {
    let (lines, files) = (page.total("unreadable"), page.total("unreadable_files"));
    let words = match (page.total("exchanges"), lines + files) {
        (0, 0) => super::NOTHING.to_owned(),
        (_, 0) => return "everything was read".into(),
        (_, _) => {
            let lines = counted(lines, "line");
            format!("{lines} and {} could not be read", counted(files, "file"))
        }
    };
    Line::default().styled(words, Style::Strong)
}
