//! A sweep as text: a line for each value.

use crate::accuracy::Confusion;
use crate::cli::terminal::bar;
use crate::compare::Answer;
use crate::label::Label;
use crate::verdict::{counted, grouped, harmless};
use crate::what_if::{Plateau, Point, Sweep};
use std::fmt::Write as _;

/// So many characters are as long as a bar can be.
const BAR: usize = 20;

/// A column of a sweep, each of a share.
struct Column {
    name: &'static str,
    of: fn(&Point) -> Option<f64>,
}

const LABELLED: [Column; 5] = [
    Column { name: "balanced", of: |point| point.confusion.balanced_accuracy() },
    Column { name: "business", of: |point| recall(&point.confusion, Label::BusinessLogic) },
    Column { name: "failure", of: |point| recall(&point.confusion, Label::ToolFailure) },
    Column { name: "hidden", of: |point| recall(&point.confusion, Label::HiddenFailure) },
    Column {
        name: "precision",
        of: |point| point.confusion.precision(Label::HiddenFailure).value(),
    },
];

const PLAIN: [Column; 2] = [
    Column { name: "business", of: |point| point.share_of_errors(Answer::BusinessLogic) },
    Column { name: "failure", of: |point| point.share_of_errors(Answer::ToolFailure) },
];

fn recall(confusion: &Confusion, label: Label) -> Option<f64> {
    confusion.recall(label).value()
}

/// What the columns are of.
fn legend(sweep: &Sweep) -> &'static str {
    if sweep.is_labelled {
        "balanced accuracy; share found of business logic, tool failures and hidden failures; share right where a hidden failure is called"
    } else {
        "share of error replies called business logic and tool failure; there are no labels that say what is right (--labels FILE)"
    }
}

/// The columns that have anything to show.
fn columns(sweep: &Sweep) -> Vec<&'static Column> {
    let all: &'static [Column] = if sweep.is_labelled { &LABELLED } else { &PLAIN };
    let told = |column: &&Column| sweep.points.iter().any(|point| (column.of)(point).is_some());
    all.iter().filter(told).collect()
}

fn mark(sweep: &Sweep, point: &Point) -> &'static str {
    let is_best = sweep.better().is_some_and(|best| (best.from..=best.to).contains(&point.value));
    match (point.is_now, is_best) {
        (true, true) => "now, best",
        (true, false) => "now",
        (false, true) => "best",
        (false, false) => "",
    }
}

pub(super) fn text(sweep: &Sweep) -> String {
    let columns = columns(sweep);
    let mut text = format!("sweep   {}, now {}\n", harmless(&sweep.path), sweep.now);
    let _ = writeln!(text, "        {}\n", legend(sweep));
    let _ = write!(text, "{:>9}  ", "value");
    for column in &columns {
        let _ = write!(text, "{:>9}  ", column.name);
    }
    let _ = writeln!(text, "{:BAR$}  {:>9}", "", "flips");
    for point in &sweep.points {
        let mut line = format!("{:>9}  ", point.value);
        let shares: Vec<Option<f64>> = columns.iter().map(|column| (column.of)(point)).collect();
        for share in &shares {
            let cell = share.map_or("-".to_owned(), |share| format!("{share:.4}"));
            let _ = write!(line, "{cell:>9}  ");
        }
        let drawn = bar(shares.first().copied().flatten().unwrap_or(0.0), BAR);
        let (flips, mark) = (grouped(point.flips), mark(sweep, point));
        let _ = write!(line, "{drawn:BAR$}  {flips:>9}  {mark}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push('\n');
    for line in ends(sweep) {
        let _ = writeln!(text, "{line}");
    }
    text
}

/// What it comes to.
fn ends(sweep: &Sweep) -> Vec<String> {
    let mut lines = Vec::new();
    if sweep.untold > 0 {
        let untold = counted(sweep.untold, "exchange");
        lines.push(format!("{untold} cannot be told without the tapes and count nowhere"));
    }
    let accuracy = |of: &Plateau| of.balanced_accuracy.unwrap_or_default();
    match (&sweep.better(), &sweep.best) {
        (Some(best), _) => {
            lines.push(format!("best: {}, balanced accuracy {:.4}", span(best), accuracy(best)));
        }
        (None, Some(all)) => lines.push(format!(
            "none is better than another: balanced accuracy {:.4} everywhere",
            accuracy(all)
        )),
        (None, None) => {}
    }
    if sweep.points.iter().all(|point| point.flips == 0) {
        lines.push("none of these values flips anything".to_owned());
    } else if let Some(still) = &sweep.still {
        lines.push(format!("no class and no answer flips: {}", span(still)));
    }
    lines
}

fn span(plateau: &Plateau) -> String {
    if plateau.from.total_cmp(&plateau.to).is_eq() {
        format!("{}", plateau.from)
    } else {
        format!("{} to {}", plateau.from, plateau.to)
    }
}

pub(super) fn markdown(sweep: &Sweep) -> String {
    let columns = columns(sweep);
    let names = columns.iter().map(|column| column.name).collect::<Vec<_>>().join(" | ");
    let rule = "---:|".repeat(columns.len() + 2);
    let mut text = format!(
        "`{}`, now {}: {}\n\n| value | {names} | flips | |\n|{rule}---|\n",
        harmless(&sweep.path).replace('`', "'"),
        sweep.now,
        legend(sweep)
    );
    for point in &sweep.points {
        let cells = columns
            .iter()
            .map(|column| (column.of)(point).map_or("-".to_owned(), |share| format!("{share:.4}")));
        let cells = cells.collect::<Vec<_>>().join(" | ");
        let _ = writeln!(
            text,
            "| {} | {cells} | {} | {} |",
            point.value,
            grouped(point.flips),
            mark(sweep, point)
        );
    }
    let _ = writeln!(text, "\n{}", ends(sweep).join("; "));
    text
}
