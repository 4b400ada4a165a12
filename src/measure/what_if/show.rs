//! What would be, as people read it.

use super::{Accuracy, Effect, Paired, Plateau, Point, Reason, Sweep};
use crate::count::tally::Interval;
use crate::labels::Class;
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
        Field::new("result", result(effect)),
    ];
    fields.extend(effect.reasons.iter().map(|Reason { words, exchanges, causes }| {
        let why = Line::from(format!("{}, because {words}: ", counted(*exchanges, "call")));
        Field::new("excluded", why.join(list(causes, "")))
    }));
    if effect.in_part > 0 {
        let calls = counted(effect.in_part, "call");
        let what =
            "class and answer are known; anything else counts as changed only if it is certain";
        fields.push(Field::new("in part", format!("{calls}: {what}")));
    }
    tried.fields(fields);
    if effect.keeps_criteria {
        tried.note("criteria on tool calls keep their results: they look at the call");
    }
    if effect.accuracy.is_none() {
        tried.note("accuracy is unknown: no call has a label (--labels FILE)");
    }
    let accuracy = effect.accuracy.as_ref().map(accuracy_section);
    [tried].into_iter().chain(accuracy).collect()
}

fn result(effect: &Effect) -> String {
    let told = effect.comparison.overlap.both();
    let all = counted(told + effect.excluded, "call");
    let of = if effect.excluded == 0 { all } else { format!("{} of {all}", grouped(told)) };
    let flips = counted(effect.flips(), "changed verdict");
    format!("{of}, re-scored without their recordings: {flips}")
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
    let excluded = match accuracy.excluded {
        0 => String::new(),
        excluded => format!(", {} more need their recordings", grouped(excluded)),
    };
    let heads = ["", "before", "after", "change, 95 %", "lost", "gained", "p"];
    let mut table = Table::headed(heads, []);
    let [before, after] = [&accuracy.before, &accuracy.after].map(|it| it.balanced_accuracy);
    let mut row = vec![
        Cell::text("balanced accuracy of errors"),
        Cell::number(before, 4),
        Cell::number(after, 4),
    ];
    let change = before.zip(after).map(|(before, after)| Cell::difference(after - before, 4));
    row.push(change.unwrap_or_else(Cell::empty));
    row.resize(heads.len(), Cell::empty());
    table.push(row);
    let mut row = |name: &str, of: &dyn Fn(&Confusion) -> Share, paired: Option<Paired>| {
        let [before, after] = accuracy.answers.each_ref().map(|it| Cell::share_within(of(it)));
        let mut row = vec![Cell::text(name), before, after];
        if let Some(paired) = paired.filter(|paired| paired.of > 0) {
            let [low, high] = paired.interval.map(|end| end * 100.0);
            let difference = paired.difference.map(|it| it * 100.0);
            row.extend([
                Cell::difference(difference, 1).within(Interval { low, high }),
                Cell::count(paired.lost),
                Cell::count(paired.gained),
                Cell::p(paired.p),
            ]);
        }
        row.resize(heads.len(), Cell::empty());
        table.push(row);
    };
    let right = |confusion: &Confusion, labels: [Class; 2]| Share {
        hits: labels.map(|label| confusion.recall(label).hits).iter().sum(),
        of: labels.map(|label| confusion.of(label)).iter().sum(),
    };
    let errors = [Class::Refused, Class::Failed];
    let others = [Class::Worked, Class::Hidden];
    row("accuracy on errors", &|it| right(it, errors), Some(accuracy.errors));
    row("business logic found", &|it| it.recall(Class::Refused), None);
    row("tool failures found", &|it| it.recall(Class::Failed), None);
    if accuracy.successes.of > 0 {
        row("accuracy on the others", &|it| right(it, others), Some(accuracy.successes));
        row("hidden failures found", &|it| it.recall(Class::Hidden), None);
        row("precision on hidden failures", &|it| it.precision(Class::Hidden), None);
    }
    let labelled = counted(accuracy.labelled, "labelled call");
    let mut section = Section::new(format!("{labelled}{excluded}; changes of shares in points"));
    section.table(table);
    section
}

/// A share of a sweep, with its heading.
type Measure = (&'static str, fn(&Point) -> Option<f64>);

const LABELLED: [Measure; 5] = [
    ("balanced", |point| point.balanced_accuracy),
    ("business", |point| point.business_logic_recall),
    ("failure", |point| point.tool_failure_recall),
    ("hidden", |point| point.hidden_failure_recall),
    ("precision", |point| point.hidden_failure_precision),
];

const PLAIN: [Measure; 2] = [
    ("business", |point| point.share_of_errors(Answer::BusinessLogic)),
    ("failure", |point| point.share_of_errors(Answer::ToolFailure)),
];

/// A sweep: a row for each value.
pub(crate) fn sweep_section(sweep: &Sweep) -> Section {
    let measures: &[Measure] = if sweep.is_labelled { &LABELLED } else { &PLAIN };
    let is_known = |it: &&Measure| sweep.points.iter().any(|point| it.1(point).is_some());
    let measures: Vec<&Measure> = measures.iter().filter(is_known).collect();
    let mut columns = vec![Column::right("value")];
    columns.extend(measures.iter().map(|measure| Column::right(measure.0)));
    columns.extend([Column::left(""), Column::right("changed"), Column::left("")]);
    let mut table = Table::new(columns);
    // Values that all come to the same are not called best.
    let [first, last] = [sweep.points.first(), sweep.points.last()].map(|it| it.map(|it| it.value));
    let better = sweep.best.filter(|it| (Some(it.from), Some(it.to)) != (first, last));
    for point in &sweep.points {
        let shares: Vec<Option<f64>> = measures.iter().map(|measure| measure.1(point)).collect();
        let mut row = vec![Cell::text(point.value.to_string())];
        row.extend(shares.iter().map(|share| Cell::number(*share, 4)));
        row.push(Cell::bar(shares.first().copied().flatten().unwrap_or(0.0)));
        let is_best = better.is_some_and(|it| (it.from..=it.to).contains(&point.value));
        let marks = [(point.is_now, "now"), (is_best, "best")];
        let marks = marks.into_iter().filter(|(is_it, _)| *is_it).map(|(_, word)| word);
        let marks = marks.collect::<Vec<_>>().join(", ");
        row.extend([Cell::count(point.flips), Cell::text(marks)]);
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
    if sweep.excluded > 0 {
        let excluded = counted(sweep.excluded, "call");
        section.note(format!("{excluded} need their recordings and are excluded"));
    }
    if let Some(Plateau { from, to, balanced_accuracy }) = sweep.best {
        let to = if from < to { format!(" to {to}") } else { String::new() };
        let which = match better {
            Some(_) => format!("best: {from}{to},"),
            None => "all are equal:".to_owned(),
        };
        section.note(format!("{which} balanced accuracy {balanced_accuracy:.4}"));
    }
    if sweep.points.iter().all(|point| point.flips == 0) {
        section.note("none of these values changes a verdict");
    }
    section
}
