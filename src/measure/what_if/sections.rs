//! What would be, as people read it.

use super::{Accuracy, Effect, Paired, Plateau, Point, Reason, Sweep};
use crate::count::tally::Interval;
use crate::labels::Label;
use crate::measure::accuracy::{Confusion, Share};
use crate::verdict::{Answer, counted, cut, grouped};
use crate::view::{Cell, Column, Field, Line, Section, Table};

/// So many changes are told, and so many causes of a reason.
const CHANGES: usize = 8;
/// So many characters of one are shown.
const LONGEST: usize = 160;

pub(crate) fn effect_sections(effect: &Effect, changes: &[String]) -> Vec<Section> {
    let mut tried = Section::default();
    let mut fields = vec![
        Field::new("tried", list(changes, "nothing that affects verdicts")),
        Field::new("result", fields(effect)),
    ];
    fields.extend(effect.reasons.iter().map(|Reason { words, exchanges, causes }| {
        let names: Vec<String> = causes.iter().map(|cause| cause.name.clone()).collect();
        let why = Line::from(format!("{}, because {words}: ", counted(*exchanges, "call")));
        Field::new("excluded", why.join(list(&names, "")))
    }));
    if effect.in_part > 0 {
        let calls = counted(effect.in_part, "call");
        let what =
            "class and answer are known; anything else counts as changed only if it is certain";
        fields.push(Field::new("in part", format!("{calls}: {what}")));
    }
    tried.fields(fields);
    if !effect.criteria.is_empty() {
        tried.note("criteria on tool calls keep their results: they look at the call");
    }
    if effect.accuracy.is_none() {
        tried.note("accuracy is unknown: no call has a label (--labels FILE)");
    }
    let accuracy = effect.accuracy.as_ref().map(accuracy_section);
    [tried].into_iter().chain(accuracy).collect()
}

fn fields(effect: &Effect) -> String {
    let fields = effect.comparison.overlap.both();
    let all = counted(fields + effect.excluded, "call");
    let of = if effect.excluded == 0 { all } else { format!("{} of {all}", grouped(fields)) };
    format!(
        "{of}, re-scored without their recordings: {}",
        counted(effect.flips(), "changed verdict")
    )
}

fn list(words: &[String], none: &str) -> Line {
    if words.is_empty() {
        return none.into();
    }
    let shown = words.iter().take(CHANGES).map(|word| cut(word, LONGEST)).collect::<Vec<_>>();
    let more = match words.len().saturating_sub(CHANGES) {
        0 => String::new(),
        more => format!("; and {} more", grouped(more as u64)),
    };
    Line::recorded(shown.join("; ")).then(more)
}

fn accuracy_section(accuracy: &Accuracy) -> Section {
    let labelled = counted(accuracy.answers[0].items(), "labelled call");
    let excluded = match accuracy.excluded {
        0 => String::new(),
        excluded => format!(", {} more need their recordings", grouped(excluded)),
    };
    let heads = ["", "before", "after", "change, 95 %", "lost", "gained", "p"];
    let mut table = Table::headed(heads, []);
    let none = || [Cell::empty(), Cell::empty(), Cell::empty()];
    let [before, after] = accuracy.answers.each_ref().map(Confusion::balanced_accuracy);
    let change = before.zip(after).map(|(before, after)| Cell::difference(after - before, 4));
    let row = [
        Cell::text("balanced accuracy of errors"),
        Cell::number(before, 4),
        Cell::number(after, 4),
        change.unwrap_or_else(Cell::empty),
    ];
    table.push(row.into_iter().chain(none()));
    let mut row = |name: &str, of: &dyn Fn(&Confusion) -> Share, paired: Option<Paired>| {
        let [before, after] = accuracy.answers.each_ref().map(|it| Cell::share_within(of(it)));
        let row = [Cell::text(name), before, after];
        let Some(paired) = paired.filter(|paired| paired.of > 0) else {
            return table.push(row.into_iter().chain([Cell::empty()]).chain(none()));
        };
        let [low, high] = paired.interval().map(|end| end * 100.0);
        let difference = paired.difference().map(|it| it * 100.0);
        table.push(row.into_iter().chain([
            Cell::difference(difference, 1).within(Interval { low, high }),
            Cell::count(paired.lost),
            Cell::count(paired.gained),
            Cell::p(paired.p()),
        ]));
    };
    let right = |confusion: &Confusion, labels: [Label; 2]| Share {
        hits: labels.map(|label| confusion.recall(label).hits).iter().sum(),
        of: labels.map(|label| confusion.of(label)).iter().sum(),
    };
    let errors = [Label::BusinessLogic, Label::ToolFailure];
    let others = [Label::Ok, Label::HiddenFailure];
    row("accuracy on errors", &|it| right(it, errors), Some(accuracy.errors));
    row("business logic found", &|it| it.recall(Label::BusinessLogic), None);
    row("tool failures found", &|it| it.recall(Label::ToolFailure), None);
    if accuracy.successes.of > 0 {
        row("accuracy on the others", &|it| right(it, others), Some(accuracy.successes));
        row("hidden failures found", &|it| it.recall(Label::HiddenFailure), None);
        row("precision on hidden failures", &|it| it.precision(Label::HiddenFailure), None);
    }
    let mut section = Section::new(format!("{labelled}{excluded}; changes of shares in points"));
    section.table(table);
    section
}

/// A share of a sweep, with its heading.
type Measure = (&'static str, fn(&Point) -> Option<f64>);

const LABELLED: [Measure; 5] = [
    ("balanced", |point| point.confusion.balanced_accuracy()),
    ("business", |point| recall(point, Label::BusinessLogic)),
    ("failure", |point| recall(point, Label::ToolFailure)),
    ("hidden", |point| recall(point, Label::HiddenFailure)),
    ("precision", |point| point.confusion.precision(Label::HiddenFailure).value()),
];

const PLAIN: [Measure; 2] = [
    ("business", |point| point.share_of_errors(Answer::BusinessLogic)),
    ("failure", |point| point.share_of_errors(Answer::ToolFailure)),
];

/// What is known of any value.
fn measures(sweep: &Sweep) -> Vec<&'static Measure> {
    let measures: &[Measure] = if sweep.is_labelled { &LABELLED } else { &PLAIN };
    let is_rescored = |it: &&Measure| sweep.points.iter().any(|point| it.1(point).is_some());
    measures.iter().filter(is_rescored).collect()
}

fn recall(point: &Point, label: Label) -> Option<f64> {
    point.confusion.recall(label).value()
}

/// A sweep: a row for each value.
pub(crate) fn sweep_section(sweep: &Sweep) -> Section {
    let measures = measures(sweep);
    let heads = measures.iter().map(|measure| Column::right(measure.0));
    let mut columns = vec![Column::right("value")];
    columns.extend(heads);
    columns.extend([Column::left(""), Column::right("changed"), Column::left("")]);
    let mut table = Table::new(columns);
    for point in &sweep.points {
        let shares: Vec<Option<f64>> = measures.iter().map(|measure| measure.1(point)).collect();
        let mut row = vec![Cell::text(point.value.to_string())];
        row.extend(shares.iter().map(|share| Cell::number(*share, 4)));
        row.push(Cell::bar(shares.first().copied().flatten().unwrap_or(0.0)));
        row.extend([Cell::count(point.flips), Cell::text(mark(sweep, point))]);
        table.push(row);
    }
    let title = Line::from("sweep of ").then_recorded(&*sweep.path);
    let mut section = Section::new(title.then(format!(", now {}", sweep.now)));
    section.text(if sweep.is_labelled {
        "balanced accuracy; recall of business logic, tool failures and hidden failures; precision on hidden failures"
    } else {
        "share of error replies classified as business logic and tool failure; accuracy needs \
         labels (--labels FILE)"
    });
    section.table(table);
    for line in ends(sweep) {
        section.note(line);
    }
    section
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

/// What the values come to, in sentences.
fn ends(sweep: &Sweep) -> Vec<String> {
    let mut lines = Vec::new();
    if sweep.excluded > 0 {
        let excluded = counted(sweep.excluded, "call");
        lines.push(format!("{excluded} need their recordings and are excluded"));
    }
    let accuracy = |of: &Plateau| of.balanced_accuracy.unwrap_or_default();
    match (&sweep.better(), &sweep.best) {
        (Some(best), _) => {
            lines.push(format!("best: {}, balanced accuracy {:.4}", span(best), accuracy(best)));
        }
        (None, Some(all)) => {
            lines.push(format!("all are equal: balanced accuracy {:.4}", accuracy(all)));
        }
        (None, None) => {}
    }
    if sweep.points.iter().all(|point| point.flips == 0) {
        lines.push("none of these values changes a verdict".to_owned());
    } else if let Some(still) = &sweep.still {
        lines.push(format!("no class and no answer changes: {}", span(still)));
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
