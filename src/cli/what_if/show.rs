//! What another choice of values does, as text.

use crate::accuracy::{Confusion, Share};
use crate::compare::show::as_text;
use crate::label::Label;
use crate::verdict::{counted, cut, grouped, harmless};
use crate::what_if::{Accuracy, Effect, Paired};
use std::fmt::Write as _;

/// So many changes are told, and so many causes of a reason.
const CHANGES: usize = 8;
/// So many characters of one are shown.
const LONGEST: usize = 160;

/// What is tried, how right it is, and what flips.
pub(super) fn text(effect: &Effect, changes: &[String], (top, command): (usize, &str)) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "tried   {}", list(changes, "nothing that decides"));
    let _ = writeln!(text, "{}", told(effect));
    for reason in &effect.reasons {
        let names: Vec<String> = reason.causes.iter().map(|cause| cause.name.clone()).collect();
        let _ = writeln!(
            text,
            "  not told: {}, since {}: {}",
            counted(reason.exchanges, "exchange"),
            reason.words,
            list(&names, "")
        );
    }
    if !effect.criteria.is_empty() {
        text.push_str("  what criteria say of tool calls stays as it was: they ask the exchange\n");
    }
    if let Some(accuracy) = &effect.accuracy {
        let _ = writeln!(text, "\n{}", accuracy_text(accuracy));
    } else {
        text.push_str(
            "\nhow right it is cannot be said: no exchange has a label (--labels FILE)\n\n",
        );
    }
    text + &as_text(&effect.comparison, top, command)
}

fn told(effect: &Effect) -> String {
    let told = effect.comparison.overlap.both();
    let all = told + effect.untold;
    let flips = counted(effect.flips(), "flip");
    match effect.untold {
        0 => format!("told    {}, without their tapes: {flips}", counted(all, "exchange")),
        _ => format!(
            "told    {} of {}, without their tapes: {flips}",
            grouped(told),
            counted(all, "exchange")
        ),
    }
}

fn list(words: &[String], none: &str) -> String {
    if words.is_empty() {
        return none.to_owned();
    }
    let shown = words.iter().take(CHANGES).map(|word| cut(&harmless(word), LONGEST));
    let mut shown: Vec<String> = shown.collect();
    if words.len() > CHANGES {
        shown.push(format!("and {} more", grouped((words.len() - CHANGES) as u64)));
    }
    shown.join("; ")
}

/// A measure before and after.
struct Measure {
    name: &'static str,
    cells: [String; 2],
    change: String,
}

fn measures(accuracy: &Accuracy) -> Vec<Measure> {
    let each = |of: &dyn Fn(&Confusion) -> String| {
        let [before, after] = &accuracy.answers;
        [of(before), of(after)]
    };
    let balanced = |confusion: &Confusion| {
        confusion.balanced_accuracy().map_or("-".to_owned(), |it| format!("{it:.4}"))
    };
    let [before, after] = accuracy.answers.each_ref().map(Confusion::balanced_accuracy);
    let change = before
        .zip(after)
        .map_or(String::new(), |(before, after)| format!("{:+.4}", after - before));
    let mut rows =
        vec![Measure { name: "balanced accuracy of errors", cells: each(&balanced), change }];
    let row = |name, of: &dyn Fn(&Confusion) -> Share, paired: Option<Paired>| Measure {
        name,
        cells: each(&|confusion| share(of(confusion))),
        change: paired.map_or(String::new(), difference),
    };
    let right = |confusion: &Confusion, labels: [Label; 2]| Share {
        hits: labels.map(|label| confusion.recall(label).hits).iter().sum(),
        of: labels.map(|label| confusion.of(label)).iter().sum(),
    };
    let errors = [Label::BusinessLogic, Label::ToolFailure];
    let others = [Label::Ok, Label::HiddenFailure];
    rows.push(row("right about errors", &|it| right(it, errors), Some(accuracy.errors)));
    rows.push(row("  business logic found", &|it| it.recall(Label::BusinessLogic), None));
    rows.push(row("  tool failures found", &|it| it.recall(Label::ToolFailure), None));
    if accuracy.successes.of > 0 {
        rows.push(row("right about the others", &|it| right(it, others), Some(accuracy.successes)));
        rows.push(row("  hidden failures found", &|it| it.recall(Label::HiddenFailure), None));
        rows.push(row(
            "  right where one is called",
            &|it| it.precision(Label::HiddenFailure),
            None,
        ));
    }
    rows
}

fn share(share: Share) -> String {
    let interval = share.interval();
    share.value().map_or("-".to_owned(), |value| {
        format!(
            "{:.1} % [{:.1}, {:.1}]",
            value * 100.0,
            interval.low * 100.0,
            interval.high * 100.0
        )
    })
}

fn difference(paired: Paired) -> String {
    let [low, high] = paired.interval();
    paired.difference().map_or(String::new(), |difference| {
        format!(
            "{:+.1} points [{:+.1}, {:+.1}], {} lost, {} gained, p {}",
            difference * 100.0,
            low * 100.0,
            high * 100.0,
            paired.lost,
            paired.gained,
            chance(paired.p())
        )
    })
}

fn chance(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("= {p:.4}") }
}

fn heading(accuracy: &Accuracy) -> String {
    let labelled = counted(accuracy.answers[0].items(), "labelled exchange");
    let untold = match accuracy.untold {
        0 => String::new(),
        untold => format!(", {} more cannot be told", grouped(untold)),
    };
    format!("{labelled}{untold}")
}

fn accuracy_text(accuracy: &Accuracy) -> String {
    let rows = measures(accuracy);
    let heading = heading(accuracy);
    let first = rows.iter().map(|row| row.name.len()).chain([heading.len()]).max().unwrap_or(0);
    let mut text = format!("{heading:<first$}  {:<22}  {:<22}  change, 95 %\n", "before", "after");
    for Measure { name, cells: [before, after], change } in rows {
        let line = format!("{name:<first$}  {before:<22}  {after:<22}  {change}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// How right it is, as a table in Markdown.
pub(super) fn accuracy_markdown(effect: &Effect) -> String {
    let Some(accuracy) = &effect.accuracy else { return String::new() };
    let mut text =
        format!("| {} | before | after | change, 95 % |\n|---|---|---|---|\n", heading(accuracy));
    for Measure { name, cells: [before, after], change } in measures(accuracy) {
        let _ = writeln!(text, "| {} | {before} | {after} | {change} |", name.trim());
    }
    text.push('\n');
    text
}
