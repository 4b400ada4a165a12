//! How right the verdicts are, where people said what is true.

use super::shown::Showing;
use super::words::place_of;
use super::{Page, TruthShown};
use crate::count::tally::Interval;
use crate::labels::Label;
use crate::measure::stats::show::confusion_table;
use crate::measure::stats::{Calibration, Estimate, Glance, STEP, ScoreMap, Step};
use crate::verdict::{counted, grouped};
use crate::view::picture::Form;
use crate::view::{Block, Cell, Column, Line, Picture, Section, Table};

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

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 180.0;
const FLOOR: f64 = 150.0;

/// How far scores lie from their thresholds; `None` where no score was held against one.
fn score_map(map: &ScoreMap) -> Option<Section> {
    let total = |step: &Step| {
        let tally = step.tally;
        tally.business_logic + tally.tool_failure + tally.unlabelled
    };
    let most = map.steps.iter().map(total).max().filter(|most| *most > 0)?;
    // Few are as interesting as many, so that bars grow by the root.
    let height = |number: u64| (number as f64 / most as f64).sqrt() * (FLOOR - 20.0);
    let width = (WIDTH / map.steps.len() as f64).min(60.0);
    let left = (WIDTH - width * map.steps.len() as f64) / 2.0;
    let label = "Errors by distance of their score from the threshold, by label; the table below \
        has the numbers";
    let mut picture =
        Picture { size: [WIDTH, HEIGHT], label: label.to_owned(), shapes: Vec::new() };
    let mut table = Table::new([
        Column::left("score minus threshold"),
        Column::right("business logic"),
        Column::right("tool failure"),
        Column::right("no label"),
    ]);
    for (step, at) in map.steps.iter().zip(0_u32..) {
        let (x, all, tally) = (left + f64::from(at) * width, total(step), step.tally);
        let counts = [tally.business_logic, tally.tool_failure, tally.unlabelled];
        let mut floor = FLOOR;
        for (style, count) in ["k0", "k4", "k2"].into_iter().zip(counts) {
            let top = floor - height(all) * count as f64 / all.max(1) as f64;
            if count > 0 {
                picture
                    .draw(style, Form::Box { from: [x + 1.0, top], to: [x + width - 1.0, floor] });
            }
            floor = top;
        }
        if all > 0 {
            picture.words([x + width / 2.0, floor - 4.0], "middle", grouped(all));
            let name = Cell::text(format!("{:+.1} to {:+.1}", step.low(), step.high()));
            table.push(std::iter::once(name).chain(counts.map(Cell::sparse)));
        }
    }
    let (first, last) = (map.steps.first()?, map.steps.last()?);
    // The threshold lies where step 0 begins, or beyond the end at which there is none.
    let steps = map.steps.iter().take_while(|step| step.number < 0).count() as f64;
    let threshold = left + steps * width;
    picture.draw("threshold", Form::Line(vec![[threshold, 8.0], [threshold, FLOOR]]));
    picture.words([threshold, HEIGHT - 8.0], "middle", "threshold");
    let end = left + width * map.steps.len() as f64;
    if first.number != 0 {
        picture.words([left + 20.0, HEIGHT - 8.0], "middle", format!("{:+.1}", first.low()));
    }
    if last.number != -1 {
        picture.words([end - 20.0, HEIGHT - 8.0], "middle", format!("{:+.1}", last.high()));
    }
    let outright = map.outright;
    let outright = outright.business_logic + outright.tool_failure + outright.unlabelled;
    let mut section = Section::new("Score map");
    section.blocks.push(Block::Picture(picture));
    section.note(format!(
        "Errors by score minus threshold, in steps of {STEP}; from the bottom: business logic, \
         tool failure, no label; square-root scale. {} {} decided by a rule that ignores the \
         score.",
        grouped(outright),
        if outright == 1 { "was" } else { "were" },
    ));
    section.fold("Numbers", vec![Block::Table(table)]);
    Some(section)
}

/// How often verdicts of a certainty are right, beside the certainty.
fn reliability(calibration: &Calibration) -> Section {
    const SIDE: f64 = 180.0;
    const LEFT: f64 = 40.0;
    let at = |said: f64, right: f64| [LEFT + said * SIDE, 10.0 + (1.0 - right) * SIDE];
    let label = "Share of right verdicts by certainty; on the line, verdicts are right as often as \
        their certainty says; the table below has the numbers";
    let mut picture =
        Picture { size: [WIDTH, SIDE + 40.0], label: label.to_owned(), shapes: Vec::new() };
    picture.draw("threshold", Form::Line(vec![at(0.0, 0.0), at(1.0, 1.0)]));
    let mut table = Table::new([
        Column::left("certainty"),
        Column::right("mean"),
        Column::right("verdicts"),
        Column::right("right"),
    ]);
    for step in &calibration.steps {
        let Interval { low, high } = step.came_true.interval();
        let right = step.came_true.value().unwrap_or(0.0);
        let [x, _] = at(step.mean, 0.0);
        let [[_, top], [_, bottom]] = [at(0.0, high), at(0.0, low)];
        picture.draw("band", Form::Box { from: [x - 2.0, top], to: [x + 2.0, bottom] });
        picture.draw("dot", Form::Dot(at(step.mean, right)));
        picture.hint(format!("{:.0} % said, {:.0} % right", step.mean * 100.0, right * 100.0));
        table.push([
            Cell::text(format!("{:.1} to {:.1}", step.low, step.high)),
            Cell::number(Some(step.mean), 2),
            Cell::count(step.came_true.of),
            Cell::share_within(step.came_true),
        ]);
    }
    for (share, name) in [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")] {
        let [x, y] = at(share, share);
        picture.words([LEFT - 6.0, y + 4.0], "end", name);
        picture.words([x, SIDE + 28.0], "middle", name);
    }
    let mut section = Section::new("Certainty");
    section.blocks.push(Block::Picture(picture));
    section.note(format!(
        "Share of right verdicts (upwards) by certainty, with 95 % intervals. Expected calibration \
         error {:.3}.",
        calibration.expected_error,
    ));
    section.fold("Numbers", vec![Block::Table(table)]);
    section
}

fn mistakes(page: &Page, shown: &TruthShown, showing: &Showing) -> Option<Section> {
    let mut table =
        Table::new([Column::left("call"), Column::left("label"), Column::left("verdict")]);
    for (key, mistake) in shown.mistakes.iter().zip(&shown.stats.mistakes).take(MISTAKES) {
        let Some(row) = page.run.chosen.iter().find(|row| row.key == *key) else { continue };
        let words = |label: Label| label.name().replace('_', " ");
        let tool = Line::link(showing.name(&row.tool).as_ref(), place_of(key));
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
