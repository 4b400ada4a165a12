//! The report as people read it: an entry for each rule, and more below those that do not hold.

use super::super::report::{CallPlace, Finding, GateReport, Outcome, RuleVerdict, SideName};
use super::left_out;
use crate::compare::show::overlap_words;
use crate::verdict::{counted, grouped};
use crate::view::markdown::Document;
use crate::view::{Block, Field, Item, Line, Section, Style};

/// Longest document, in bytes; comments may have 65,536 characters.
const LONGEST: usize = 60_000;
/// What is kept free for saying what was left out.
const SPARE: usize = 400;

pub(crate) fn sections(report: &GateReport) -> Vec<Section> {
    vec![head(report), items(report.rules.iter().map(rule).collect())]
}

fn items(items: Vec<Item>) -> Section {
    let mut section = Section::default();
    section.items(items);
    section
}

/// The report as Markdown, fit for a job's summary or a comment. What does not fit is counted.
pub fn markdown(report: &GateReport) -> String {
    let mut document = Document::new(LONGEST);
    document.push(&head(report), 2, SPARE);
    let (mut bare, mut shown) = (0, 0);
    for one in &report.rules {
        if !document.push(&items(vec![rule(one)]), 3, SPARE) {
            if !document.push(&items(vec![Item::new(headline(one))]), 3, SPARE) {
                break;
            }
            bare += 1;
        }
        shown += 1;
    }
    let mut closing = Section::default();
    let left = (report.rules.len() - shown) as u64;
    for (count, what) in [(bare, "The details of "), (left, "")] {
        if count > 0 {
            closing.text(format!("{what}{} are not shown.", counted(count, "more rule")));
        }
    }
    if !closing.blocks.is_empty() {
        document.push(&closing, 3, 0);
    }
    document.into_text()
}

fn head(report: &GateReport) -> Section {
    let counts = Outcome::ALL.map(|outcome| (report.count(outcome), outcome.name()));
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, name)| format!("{count} {name}")).collect();
    let mut section = Section::new(format!("gate {}: {}", report.state.name(), counts.join(", ")));
    section.fields(vec![
        Field::new("before", named(&report.before)),
        Field::new("after", named(&report.after)),
        Field::new("overlap", overlap_words(&report.overlap)),
    ]);
    section
}

/// A side with what judged it.
fn named(side: &SideName) -> Line {
    let digest: String = side.rulebook.digest.chars().take(12).collect();
    let exchanges = counted(side.exchanges, "call");
    let line = Line::recorded(&*side.name).then(format!(": {exchanges}, rulebook "));
    let line = line.then_recorded(&*side.rulebook.name).then(format!(" {digest}"));
    match &side.version {
        Some(version) => line.then(", version ").then_recorded(version),
        None => line,
    }
}

fn headline(rule: &RuleVerdict) -> Line {
    let (word, style) = match rule.outcome {
        Outcome::Fail => ("FAIL", Style::Strong),
        Outcome::Undecided => ("UNDECIDED", Style::Strong),
        Outcome::Warned => ("WARNED", Style::Strong),
        outcome => (outcome.name(), Style::Plain),
    };
    let line = Line::default().styled(word, style).then(" ").then_recorded(&*rule.name);
    match &rule.skipped_because {
        Some(because) => line.then(format!(": {because}; required: {}", rule.allowed)),
        None => line.then(format!(": {}; allowed: {}", rule.measured, rule.allowed)),
    }
}

fn rule(rule: &RuleVerdict) -> Item {
    let mut item = Item::new(headline(rule));
    item.below = details(rule).blocks;
    item
}

/// Everything below the first line.
pub(super) fn details(rule: &RuleVerdict) -> Section {
    let mut section = Section::default();
    let mut found: Vec<Item> = rule.findings.iter().map(finding).collect();
    found.extend(left_out(rule.left_out).map(Item::new));
    if !found.is_empty() {
        section.items(found);
    }
    let notes = rule.notes.iter().map(|note| Line::from("note: ").then(note));
    section.blocks.extend(notes.map(Block::Text));
    if let Some(next) = &rule.next {
        // Commands stand between backticks.
        let parts = next.split('`').enumerate();
        let line = parts.fold(Line::from("next: "), |line, (at, part)| {
            if at % 2 == 1 { line.styled(part, Style::Quoted) } else { line.then(part) }
        });
        section.blocks.push(Block::Text(line));
    }
    section
}

fn finding(finding: &Finding) -> Item {
    let mut item = Item::new(Line::recorded(finding.words()));
    let mut examples: Vec<Item> = finding.examples.iter().map(|it| Item::new(place(it))).collect();
    if !examples.is_empty() {
        let more = finding.exchanges.saturating_sub(examples.len() as u64);
        examples.extend((more > 0).then(|| Item::new(format!("and {} more", grouped(more)))));
        item.below.push(Block::Items(examples));
    }
    item
}

fn place(place: &CallPlace) -> Line {
    let CallPlace { key, server, tool, file, line } = place;
    let line = line.map_or_else(String::new, |line| format!(":{line}"));
    let recording = if file.is_empty() { String::new() } else { format!("{file}{line} ") };
    Line::recorded(format!("{recording}{server}/{tool} {key}"))
}
