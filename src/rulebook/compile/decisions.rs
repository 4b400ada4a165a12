//! Factors, the score, the decision lines and the kinds of error.

use super::expressions::condition;
use super::signals::Signals;
use crate::rulebook::model::{Condition, Decision, DecisionLine, ErrorKind, Factor};
use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Entry, Node, Section, Value};
use serde::Deserialize;

/// The weighted signals; a factor that names no signal means the signal of its own name.
pub(super) fn factors(entries: &[Entry], signals: &Signals, problems: &Problems) -> Vec<Factor> {
    let mut factors = Vec::new();
    for entry in entries {
        let Some(mut section) = Section::open_entry(entry, problems) else { continue };
        let weight = section.require("weight", Section::number);
        let (name, mark) = match section.take("signal") {
            None => (Some(entry.key.as_str()), entry.key_mark),
            Some(node) => (node.text(), node.mark),
        };
        if name.is_none() {
            problems.error(mark, "expected the name of a signal");
        }
        let signal = name.and_then(|name| signals.names.find(name, mark, problems));
        section.finish();
        if let (Some(weight), Some(signal)) = (weight, signal) {
            factors.push(Factor { name: entry.key.clone(), signal, weight });
        }
    }
    factors
}

/// How factors become a score.
pub(super) struct Score {
    reading: Reading,
    pub(super) denominator: f64,
    pub(super) clamp: bool,
}

/// How weights are read.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reading {
    Weighted,
    /// Every factor counts 1.
    Unweighted,
}

impl Score {
    pub(super) fn factors_as_read(&self, mut factors: Vec<Factor>) -> Vec<Factor> {
        for factor in &mut factors {
            factor.weight = self.reading.weight(factor);
        }
        factors
    }
}

impl Reading {
    fn weight(self, factor: &Factor) -> f64 {
        match self {
            Self::Weighted => factor.weight,
            Self::Unweighted => 1.0,
        }
    }
}

pub(super) fn score(root: &mut Section<'_>, factors: &[Factor]) -> Option<Score> {
    let mut section = super::settings::open(root, "score")?;
    let reading = section.word("reading").unwrap_or(Reading::Weighted);
    let clamp = section.flag("clamp").unwrap_or(false);
    let mark = section.mark_of("denominator");
    let node = section.require("denominator", Section::take);
    let denominator = match node.map(|node| &node.value) {
        Some(Value::Number(number)) => Some(*number),
        Some(Value::Text(text)) if text == "sum" => {
            // Nothing to weigh is a score of 0 and no division by zero.
            let sum: f64 = factors.iter().map(|factor| reading.weight(factor)).sum();
            Some(if factors.is_empty() { 1.0 } else { sum })
        }
        Some(_) => {
            root.problems.error(mark, "`denominator` must be a number or \"sum\"");
            None
        }
        None => None,
    };
    section.finish();
    let denominator = denominator?;
    if !denominator.is_finite() || denominator <= 0.0 {
        // With factors that are wrong themselves the sum means nothing.
        if !root.problems.has_errors() || matches!(node.map(|n| &n.value), Some(Value::Number(_))) {
            root.problems.error(mark, "the denominator must be a finite number above 0");
        }
        return None;
    }
    Some(Score { reading, denominator, clamp })
}

/// The decision lines, of which the last must always apply.
pub(super) fn lines(root: &mut Section<'_>, signals: &Signals) -> Vec<DecisionLine> {
    let nodes = root.list("decide");
    let mut named = NamedLines::default();
    let mut lines = Vec::new();
    for node in nodes {
        let Some(mut section) = Section::open(node, root.problems) else { continue };
        let name = named.name(&mut section);
        let applies = when(&mut section, signals);
        let answer = section.flag("return").map(Decision::Return);
        let threshold = section.number_within("threshold", 0.0..=1.0);
        let threshold = threshold.map(Decision::Threshold);
        let says = ["return", "threshold"].map(|key| section.entry(key).is_some());
        if says == [false, false] {
            section.error("a decision line has a `return` or a `threshold`");
        } else if says == [true, true] {
            section.error("`return` and `threshold` exclude each other");
        }
        section.finish();
        if let (Some(name), Some(condition), Some(decision)) = (name, applies, answer.or(threshold))
        {
            lines.push(DecisionLine { name, condition, decision });
        }
    }
    let always: Vec<bool> = nodes.iter().map(|node| node.get("if").is_none()).collect();
    match always.iter().position(|always| *always) {
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
    let mut named = NamedLines::default();
    let mut kinds = Vec::new();
    for node in root.list("error_kinds") {
        let Some(mut section) = Section::open(node, root.problems) else { continue };
        let name = named.name(&mut section);
        section.text("about");
        let applies = when(&mut section, signals);
        section.finish();
        if let (Some(name), Some(condition)) = (name, applies) {
            kinds.push(ErrorKind { name, condition });
        }
    }
    kinds
}

/// The condition of a line; without one it always applies.
pub(super) fn when(section: &mut Section<'_>, signals: &Signals) -> Option<Condition> {
    section.take("if").map_or(Some(Condition::Always), |node: &Node| {
        condition(node, &signals.names, section.problems)
    })
}

/// Names that must be there and be different.
#[derive(Default)]
pub(super) struct NamedLines {
    seen: Vec<String>,
}

impl NamedLines {
    pub(super) fn name(&mut self, section: &mut Section<'_>) -> Option<String> {
        section.when_extending(&["before", "after"]);
        let name = section.require("name", Section::text)?.to_owned();
        if self.seen.contains(&name) {
            let message = format!("the line `{name}` is defined twice");
            section.error_at("name", message);
        }
        self.seen.push(name.clone());
        Some(name)
    }
}
