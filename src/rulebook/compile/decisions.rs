//! Factors, the score, the decision lines, the kinds of error and how sure answers are.

use super::signals::Signals;
use crate::rulebook::decide::{CertaintyLine, Curve};
use crate::rulebook::model::{Condition, Decision, DecisionLine, ErrorKind, Factor};
use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Entry, Section, Value};
use crate::verdict::Answer;

/// The weighted signals; a factor that names no signal means the signal of its own name.
pub(super) fn factors(entries: &[Entry], signals: &Signals, problems: &Problems) -> Vec<Factor> {
    let factor = |entry: &Entry| {
        let mut section = Section::open_entry(entry, problems)?;
        let weight = section.require("weight", Section::number);
        let signal = match section.take("signal") {
            None => signals.find(&entry.key, entry.key_mark, problems),
            Some(node) => signals.named(node, problems),
        };
        section.finish();
        Some(Factor { name: entry.key.clone(), signal: signal?, weight: weight? })
    };
    entries.iter().filter_map(factor).collect()
}

/// How factors become a score: what their sum is divided by, and whether 1 is the most. Where the rulebook does
/// not weigh them, each becomes 1.
pub(super) fn score(root: &mut Section<'_>, factors: &mut [Factor]) -> Option<(f64, bool)> {
    const READINGS: [(bool, &str); 2] = [(true, "weighted"), (false, "unweighted")];
    let mut section = super::settings::open(root, "score")?;
    if section.word_of("reading", &READINGS) == Some(false) {
        for factor in factors.iter_mut() {
            factor.weight = 1.0;
        }
    }
    let clamp = section.flag("clamp").unwrap_or(false);
    let (node, mark) =
        (section.require("denominator", Section::take), section.mark_of("denominator"));
    section.finish();
    let (denominator, is_written) = match &node?.value {
        Value::Number(number) => (*number, true),
        // Nothing to weigh is a score of 0 and no division by zero.
        Value::Text(text) if text == "sum" && factors.is_empty() => (1.0, false),
        Value::Text(text) if text == "sum" => (factors.iter().map(|it| it.weight).sum(), false),
        _ => {
            root.problems.error(mark, "`denominator` must be a number or \"sum\"");
            return None;
        }
    };
    let is_good = denominator.is_finite() && denominator > 0.0;
    // With factors that are wrong themselves the sum means nothing.
    if !is_good && (is_written || !root.problems.has_errors()) {
        root.problems.error(mark, "the denominator must be a finite number above 0");
    }
    is_good.then_some((denominator, clamp))
}

/// The decision lines, of which the last must always apply.
pub(super) fn lines(root: &mut Section<'_>, signals: &Signals) -> Vec<DecisionLine> {
    let lines = root.lines("decide", |name, section| {
        let condition = when(section, signals);
        let answer = section.flag("return").map(Decision::Return);
        let threshold = section.number_within("threshold", 0.0..=1.0).map(Decision::Threshold);
        match ["return", "threshold"].map(|key| section.has(key)) {
            [false, false] => section.error("a decision line has a `return` or a `threshold`"),
            [true, true] => section.error("`return` and `threshold` exclude each other"),
            _ => {}
        }
        Some(DecisionLine { name: name?, condition: condition?, decision: answer.or(threshold)? })
    });
    let nodes = root.list("decide");
    match nodes.iter().position(|node| node.get("if").is_none()) {
        None => root.problems.error(
            nodes.last().map_or(root.mark, |last| last.mark),
            "the last decision line must always apply: leave out its `if`",
        ),
        Some(at) => {
            if let Some(dead) = nodes.get(at + 1) {
                root.problems.error(dead.mark, "no line can apply after one without `if`");
            }
        }
    }
    lines
}

pub(super) fn error_kinds(root: &mut Section<'_>, signals: &Signals) -> Vec<ErrorKind> {
    root.lines("error_kinds", |name, section| {
        section.text("about");
        let condition = when(section, signals);
        Some(ErrorKind { name: name?, condition: condition? })
    })
}

/// How sure answers are.
pub(super) fn certainty(
    root: &mut Section<'_>,
    signals: &Signals,
    decide: &[DecisionLine],
) -> Vec<CertaintyLine> {
    /// The answers that can be right or wrong, by the labels that they come to.
    const ANSWERS: [(Answer, &str); 4] = [
        (Answer::Fine, "ok"),
        (Answer::BusinessLogic, "business_logic"),
        (Answer::ToolFailure, "tool_failure"),
        (Answer::HiddenFailure, "hidden_failure"),
    ];
    root.lines("certainty", |name, section| {
        section.text("about");
        let answer = section.require("answer", |it, key| it.word_of(key, &ANSWERS));
        let decided_by = section.text("decided_by").and_then(|name| {
            let names = decide.iter().map(|line| line.name.as_str());
            section.problems.find("decision line", name, section.mark_of("decided_by"), names)
        });
        let condition = when(section, signals);
        let has_threshold =
            decided_by.is_some_and(|at| matches!(decide[at].decision, Decision::Threshold(_)));
        let curve = curve(section, has_threshold);
        Some(CertaintyLine {
            name: name?,
            answer: answer?,
            decided_by: decided_by.and_then(|at| u16::try_from(at).ok()),
            condition: condition?,
            curve: curve?,
        })
    })
}

fn curve(section: &mut Section<'_>, has_threshold: bool) -> Option<Curve> {
    let keys = ["certainty", "near", "far"];
    let [level, near, far] = keys.map(|key| section.number_within(key, Curve::BOUNDS));
    match keys.map(|key| section.has(key)) {
        [true, false, false] => return level.map(Curve::level),
        [false, true, true] if has_threshold => {}
        [false, true, true] => {
            section.error(
                "`near` and `far` need `decided_by` with the name of a decision line that has a threshold",
            );
            return None;
        }
        _ => {
            section.error("a line has either `certainty` or both `near` and `far`");
            return None;
        }
    }
    let curve = Curve { near: near?, far: far? };
    if curve.far < curve.near {
        section.error_at("far", "`far` must not be below `near`");
    }
    Some(curve)
}

/// The condition of a line; without one it always applies.
fn when(section: &mut Section<'_>, signals: &Signals) -> Option<Condition> {
    section
        .take("if")
        .map_or(Some(Condition::Always), |node| signals.condition(node, None, section.problems))
}
