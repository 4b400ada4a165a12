//! Signals: named expressions that may rest on each other, but not in circles.

use super::examples::object;
use super::expressions::{Grammar, expression_in};
use super::leaves::Leaves;
use super::question::Regexes;
use crate::rulebook::certainty::CertaintyLine;
use crate::rulebook::matching::LeafSet;
use crate::rulebook::model::{Condition, DecisionLine, ErrorKind, Factor, Question, Signal};
use crate::rulebook::observe::Expression;
use crate::rulebook::problem::{Mark, Problems, did_you_mean};
use crate::rulebook::signal_texts::SignalText;
use crate::rulebook::source::{Entry, Node, Section, elements_of};
use crate::verdict::SignalSet;

/// The names of the signals.
pub(super) struct Names(Vec<String>);

impl Names {
    /// The number of a signal; an unknown name is reported.
    pub(super) fn find(&self, name: &str, mark: Mark, problems: &Problems) -> Option<usize> {
        let found = self.0.iter().position(|known| known == name);
        if found.is_none() {
            problems.error_with_help(
                mark,
                format!("unknown signal `{name}`"),
                did_you_mean(name, self.0.iter().map(String::as_str)),
            );
        }
        found
    }
}

pub(super) struct Signals {
    pub(super) names: Names,
    abouts: Vec<String>,
    /// `None` where something is wrong with the signal.
    expressions: Vec<Option<Expression>>,
    /// The signals, each after those it rests on.
    order: Vec<usize>,
    examples: Vec<SignalText>,
}

/// What a rulebook asks its signals for.
pub(super) struct Uses<'a> {
    pub(super) factors: &'a [Factor],
    pub(super) decide: &'a [DecisionLine],
    pub(super) error_kinds: &'a [ErrorKind],
    pub(super) certainty: &'a [CertaintyLine],
    pub(super) unreachable: Option<&'a Condition>,
    pub(super) hidden_failure: Option<&'a Condition>,
    pub(super) question: Question,
}

pub(super) fn compile(entries: &[Entry], leaves: &mut Leaves, problems: &Problems) -> Signals {
    let within = &entries[..entries.len().min(SignalSet::CAPACITY)];
    if let Some(first) = entries.get(within.len()) {
        let message = format!("a rulebook can have at most {} signals", SignalSet::CAPACITY);
        problems.error(first.key_mark, message);
    }
    let names = Names(within.iter().map(|entry| entry.key.clone()).collect());
    let mut abouts = Vec::new();
    let mut expressions = Vec::new();
    let mut examples = Vec::new();
    for (signal, entry) in within.iter().enumerate() {
        check_name(entry, problems);
        let Some(mut section) = Section::open_entry(entry, problems) else {
            abouts.push(String::new());
            expressions.push(None);
            continue;
        };
        abouts.push(section.text("about").unwrap_or_default().to_owned());
        for (key, holds) in [("yes", true), ("no", false)] {
            let nodes = section.take(key).map_or(&[][..], elements_of);
            let texts = nodes.iter().filter_map(|node| example(node, problems));
            examples.extend(texts.map(|(text, call, mark)| SignalText {
                signal,
                text,
                call,
                holds,
                mark,
            }));
        }
        let mut grammar = Grammar::Questions { signal: &entry.key, leaves };
        let alias = section.entry("signal");
        let read = match alias {
            Some(alias) => {
                let name = alias.node.text();
                if name.is_none() {
                    problems.error(alias.node.mark, "expected the name of a signal");
                }
                name.and_then(|name| names.find(name, alias.node.mark, problems))
                    .map(Expression::Signal)
            }
            None => expression_in(&mut section, &names, &mut grammar),
        };
        expressions.push(read);
        section.finish();
    }
    let mut signals = Signals { names, abouts, expressions, order: Vec::new(), examples };
    let mut sorter = Sorter { state: vec![State::New; within.len()], path: Vec::new() };
    for (signal, entry) in within.iter().enumerate() {
        if let Some(circle) = sorter.visit(signal, &mut signals) {
            let names: Vec<&str> = circle.iter().map(|at| signals.names.0[*at].as_str()).collect();
            let message =
                format!("signals depend on each other in a circle: {}", names.join(" -> "));
            problems.error(entry.key_mark, message);
        }
    }
    signals
}

/// What a signal is tried on: a text, or a table of a text and the call that it answers.
fn example(node: &Node, problems: &Problems) -> Option<(String, Option<String>, Mark)> {
    if let Some(text) = node.text() {
        return Some((text.to_owned(), None, node.mark));
    }
    if node.entries().is_none() {
        let message =
            format!("expected a text, or a table with `text` and `call`, not {}", node.kind());
        problems.error(node.mark, message);
        return None;
    }
    let mut section = Section::open(node, problems)?;
    let text = section.require("text", Section::text);
    let call = section.take("call").and_then(|node| object(node, problems));
    section.finish();
    Some((text?.to_owned(), call.map(|call| call.to_string()), node.mark))
}

/// A signal's name becomes a column's name.
fn check_name(entry: &Entry, problems: &Problems) {
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if entry.key.is_empty() || entry.key.len() > 60 || !entry.key.chars().all(good) {
        problems.error(
            entry.key_mark,
            "a signal's name may have lower-case letters, digits and underscores, at most 60",
        );
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

/// Puts signals after those they rest on.
struct Sorter {
    state: Vec<State>,
    path: Vec<usize>,
}

impl Sorter {
    /// Visits a signal; a circle that is met is returned once.
    fn visit(&mut self, signal: usize, signals: &mut Signals) -> Option<Vec<usize>> {
        match self.state[signal] {
            State::Done => return None,
            State::Open => {
                let start = self.path.iter().position(|at| *at == signal).unwrap_or(0);
                let mut circle = self.path[start..].to_vec();
                circle.push(signal);
                return Some(circle);
            }
            State::New => {}
        }
        self.state[signal] = State::Open;
        self.path.push(signal);
        let mut rests_on = Vec::new();
        if let Some(expression) = &signals.expressions[signal] {
            expression.for_each(&mut |part| {
                if let Expression::Signal(other) = part {
                    rests_on.push(*other);
                }
            });
        }
        let mut circle = None;
        for other in rests_on {
            circle = circle.or(self.visit(other, signals));
        }
        self.path.pop();
        self.state[signal] = State::Done;
        signals.order.push(signal);
        circle
    }
}

impl Signals {
    /// The signals observed on error replies and those observed on other replies, each with all that
    /// they rest on. A signal that only a hidden failure needs is not looked for in errors.
    pub(super) fn observed(&self, uses: &Uses<'_>) -> (SignalSet, SignalSet) {
        let mut for_errors = SignalSet::default();
        for factor in uses.factors {
            for_errors.insert(factor.signal);
        }
        let conditions = uses.decide.iter().map(|line| &line.condition);
        let kinds = uses.error_kinds.iter().map(|kind| &kind.condition);
        for condition in conditions.chain(kinds).chain(uses.unreachable) {
            condition.add_signals_to(&mut for_errors);
        }
        let mut for_hidden = SignalSet::default();
        if let Some(condition) = uses.hidden_failure {
            condition.add_signals_to(&mut for_hidden);
        }
        for line in uses.certainty {
            let is_of_error = line.answer.business_logic().is_some();
            let signals = if is_of_error { &mut for_errors } else { &mut for_hidden };
            line.condition.add_signals_to(signals);
        }
        let (for_errors, for_hidden) = (self.closed(for_errors), self.closed(for_hidden));
        let every = (0..self.expressions.len()).fold(SignalSet::default(), |mut all, signal| {
            all.insert(signal);
            all
        });
        let errors = SignalSet(every.0 & !(for_hidden.0 & !for_errors.0));
        match uses.question {
            Question::Errors | Question::Failures => (errors, for_hidden),
            Question::All => (errors, every),
        }
    }

    pub(super) fn take_examples(&mut self) -> Vec<SignalText> {
        std::mem::take(&mut self.examples)
    }

    /// A set of signals with all that they rest on.
    fn closed(&self, mut signals: SignalSet) -> SignalSet {
        for signal in self.order.iter().rev().filter(|signal| self.expressions[**signal].is_some())
        {
            if signals.has(*signal) {
                self.each_part(*signal, |part| {
                    if let Expression::Signal(other) = part {
                        signals.insert(*other);
                    }
                });
            }
        }
        signals
    }

    fn each_part<'a>(&'a self, signal: usize, mut visit: impl FnMut(&'a Expression)) {
        if let Some(expression) = &self.expressions[signal] {
            expression.for_each(&mut visit);
        }
    }

    pub(super) fn leaves(&self, signals: SignalSet) -> LeafSet {
        let mut leaves = LeafSet::default();
        for signal in (0..self.expressions.len()).filter(|signal| signals.has(*signal)) {
            self.each_part(signal, |part| {
                if let Expression::Leaf(leaf) = part {
                    leaves.insert(*leaf);
                }
            });
        }
        leaves
    }

    /// The signals of a set with their expressions, each after those it rests on.
    pub(super) fn in_order(&self, signals: SignalSet) -> Vec<(usize, Expression)> {
        let wanted = self.order.iter().filter(|signal| signals.has(**signal));
        wanted.filter_map(|signal| Some((*signal, self.expressions[*signal].clone()?))).collect()
    }

    pub(super) fn described(&self, leaves: &Leaves) -> Vec<Signal> {
        let mut signals: Vec<Signal> = Vec::new();
        for (signal, expression) in self.expressions.iter().enumerate() {
            let mut only = SignalSet::default();
            only.insert(signal);
            let asked = self.leaves(self.closed(only));
            let patterns = (0..LeafSet::CAPACITY)
                .filter(|leaf| asked.has(*leaf))
                .flat_map(|leaf| leaves.patterns_of(leaf))
                .filter_map(|pattern| u16::try_from(pattern).ok());
            signals.push(Signal {
                name: self.names.0[signal].clone(),
                about: self.abouts[signal].clone(),
                definition: expression
                    .as_ref()
                    .map_or_else(String::new, |it| self.in_words(it, leaves, Regexes::AsWritten)),
                outline: expression
                    .as_ref()
                    .map_or_else(String::new, |it| self.in_words(it, leaves, Regexes::ByName)),
                patterns: patterns.collect(),
            });
        }
        signals
    }

    fn in_words(&self, expression: &Expression, leaves: &Leaves, regexes: Regexes) -> String {
        let joined = |parts: &[Expression], word: &str| {
            let parts: Vec<String> =
                parts.iter().map(|part| self.in_words(part, leaves, regexes)).collect();
            format!("({})", parts.join(word))
        };
        match expression {
            Expression::Leaf(leaf) => leaves.describe(*leaf, regexes),
            Expression::Signal(signal) => self.names.0[*signal].clone(),
            Expression::All(parts) => joined(parts, " and "),
            Expression::Any(parts) => joined(parts, " or "),
            Expression::Not(part) => format!("not {}", self.in_words(part, leaves, regexes)),
        }
    }
}
