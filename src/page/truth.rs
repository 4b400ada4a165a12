//! How right the verdicts are, where people said what is true.

use super::shown::Showing;
use super::words::place_of;
use super::{Page, TruthShown};
use crate::labels::Label;
use crate::measure::stats::show::confusion_table;
use crate::measure::stats::{Calibration, Estimate, Glance, STEP, ScoreMap, Tally};
use crate::verdict::{counted, grouped};
use crate::view::{Cell, Column, Line, Section, Table};

/// So many wrong answers are listed.
pub(super) const MISTAKES: usize = 12;

/// The section; `None` where nothing is labelled.
pub(super) fn truth(page: &Page, showing: &Showing) -> Option<Section> {
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
            showing.name(&shown.beside).as_ref()
        ));
    }
    let mut confusion = Section::new("Labels and verdicts");
    confusion.table(confusion_table(&truth.table));
    let (mut left, mut right) = (Section::default(), Section::default());
    left.section(measures(truth));
    left.section(confusion);
    let certainty = truth.certainty.as_ref().map(reliability);
    let others = [score_map(&truth.score_map), certainty, mistakes(page, shown, showing)];
    for part in others.into_iter().flatten() {
        right.section(part);
    }
    let columns = [left, right].into_iter().filter(|column| !column.blocks.is_empty());
    section.beside(columns.collect());
    Some(section)
}

fn measures(truth: &Glance) -> Section {
    let headline = &truth.headline;
    let mean = "mean recall of both classes";
    let rows: [(&str, &str, Estimate); 5] = [
        ("Business logic or tool failure", mean, headline.balanced_accuracy),
        ("Hidden failure or success", mean, headline.hidden_balanced_accuracy),
        ("Hidden failures: precision", "precision", headline.hidden_precision),
        ("Hidden failures: recall", "recall", headline.hidden_recall),
        ("All answers", "accuracy", headline.accuracy),
    ];
    let mut table = Table::new([
        Column::left("measure"),
        Column::left("0 to 100 %"),
        Column::right("value, 95 % interval"),
    ]);
    for (name, what, estimate) in rows {
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

/// How far scores lie from their thresholds; `None` where no score was held against one.
fn score_map(map: &ScoreMap) -> Option<Section> {
    let mut table = Table::new([
        Column::left("score minus threshold"),
        Column::right("business logic"),
        Column::right("tool failure"),
        Column::right("no label"),
    ]);
    for step in &map.steps {
        let Tally { business_logic, tool_failure, unlabelled } = step.tally;
        let counts = [business_logic, tool_failure, unlabelled];
        if counts.iter().any(|count| *count > 0) {
            let name = Cell::text(format!("{:+.1} to {:+.1}", step.low(), step.high()));
            table.push(std::iter::once(name).chain(counts.map(Cell::sparse)));
        }
    }
    let outright = map.outright;
    let outright = outright.business_logic + outright.tool_failure + outright.unlabelled;
    let mut section = Section::new("Score map");
    section.table(table);
    if section.blocks.is_empty() {
        return None;
    }
    section.note(format!(
        "Errors by score minus threshold, in steps of {STEP}. {} {} decided by a rule that ignores \
         the score.",
        grouped(outright),
        if outright == 1 { "was" } else { "were" },
    ));
    Some(section)
}

/// How often verdicts of a certainty are right, beside the certainty.
fn reliability(calibration: &Calibration) -> Section {
    let mut table = Table::new([
        Column::left("certainty"),
        Column::right("mean"),
        Column::right("verdicts"),
        Column::right("right"),
    ]);
    for step in &calibration.steps {
        table.push([
            Cell::text(format!("{:.1} to {:.1}", step.low, step.high)),
            Cell::number(Some(step.mean), 2),
            Cell::count(step.came_true.of),
            Cell::share_within(step.came_true),
        ]);
    }
    let mut section = Section::new("Certainty");
    section.table(table);
    section.note(format!(
        "Share of right verdicts by certainty, with 95 % intervals. Expected calibration error {:.3}.",
        calibration.expected_error,
    ));
    section
}

fn mistakes(page: &Page, shown: &TruthShown, showing: &Showing) -> Option<Section> {
    let mut table =
        Table::new([Column::left("call"), Column::left("label"), Column::left("verdict")]);
    for (key, mistake) in shown.mistakes.iter().zip(&shown.stats.mistakes).take(MISTAKES) {
        let Some(row) = page.run.chosen.iter().find(|row| row.key == *key) else { continue };
        let words = |label: Label| label.name().replace('_', " ");
        let tool = Line::link(showing.name(&row.tool).as_ref(), place_of(*key));
        table.push([
            Cell::text(tool.then_soft(format!(" {}", showing.name(&row.server).as_ref()))),
            Cell::text(words(mistake.truth)),
            Cell::text(mistake.answer.map_or("none".to_owned(), words)),
        ]);
    }
    let mut section = Section::new("Wrong answers");
    section.table(table);
    section.note(format!("{} in all", counted(shown.stats.mistakes.len() as u64, "wrong answer")));
    (section.blocks.len() > 1).then_some(section)
}
