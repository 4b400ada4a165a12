//! How right the verdicts are, where people said what is true.

use super::TruthShown;
use super::exchanges::place_of;
use super::lists::Page;
use crate::labels::Class;
use crate::measure::stats::Measured;
use crate::measure::stats::show::confusion_table;
use crate::verdict::{counted, grouped};
use crate::view::{Cell, Column, Line, Section, Table};

/// So many wrong answers are listed.
pub(super) const MISTAKES: usize = 12;

/// The section; `None` where nothing is labelled.
pub(super) fn truth(page: &Page) -> Option<Section> {
    let shown = page.truth.as_ref()?;
    let truth = &shown.stats;
    let mut section = Section::new("How right the verdicts are");
    section.text(format!(
        "{} of {} {} a label, on {}.",
        grouped(truth.table.items()),
        counted(truth.exchanges, "call"),
        if truth.table.items() == 1 { "has" } else { "have" },
        counted(truth.headline.servers, "server"),
    ));
    if !shown.beside.is_empty() {
        section.note(format!(
            "Labels are from {}, beside the recordings.",
            page.showing.name(&shown.beside).as_ref()
        ));
    }
    let mut confusion = Section::new("Labels and verdicts");
    confusion.table(confusion_table(&truth.table));
    let (mut left, mut right) = (Section::default(), Section::default());
    left.section(measures(truth));
    left.section(confusion);
    if let Some(mistakes) = mistakes(page, shown) {
        right.section(mistakes);
    }
    let columns = [left, right].into_iter().filter(|column| !column.blocks.is_empty());
    section.beside(columns.collect());
    Some(section)
}

fn measures(truth: &Measured) -> Section {
    let mut table = Table::new([
        Column::left("measure"),
        Column::left("0 to 100 %"),
        Column::right("value, 95 % interval"),
    ]);
    for (name, what, estimate) in truth.headline.estimates() {
        let Some(value) = estimate.value else { continue };
        table.push([
            Cell::text(Line::from(name).then_soft(format!(" {what}"))),
            Cell::bar(value).within(estimate.interval),
            Cell::percent(value, 1).within(estimate.interval),
        ]);
    }
    let mut section = Section::new("Measures");
    section.table(table);
    section
}

fn mistakes(page: &Page, shown: &TruthShown) -> Option<Section> {
    let mut table =
        Table::new([Column::left("call"), Column::left("label"), Column::left("verdict")]);
    for (key, mistake) in shown.mistakes.iter().zip(&shown.stats.mistakes).take(MISTAKES) {
        let Some(row) = page.run.chosen.iter().find(|row| row.key == *key) else { continue };
        let tool = Line::link(page.showing.name(&row.tool).as_ref(), place_of(*key));
        table.push([
            Cell::text(tool.then_soft(format!(" {}", page.showing.name(&row.server).as_ref()))),
            Cell::text(mistake.truth.words()),
            Cell::text(mistake.answer.map_or("none", Class::words)),
        ]);
    }
    let mut section = Section::new("Wrong answers");
    section.table(table);
    section.note(format!("{} in all", counted(shown.stats.mistakes.len() as u64, "wrong answer")));
    (section.blocks.len() > 1).then_some(section)
}
