//! Facts: named expressions that may rest on each other, but not in circles.

use super::expressions::{Grammar, expression_in};
use super::leaves::Leaves;
use crate::rulebook::fact_texts::FactText;
use crate::rulebook::matching::LeafSet;
use crate::rulebook::model::{Condition, DecisionLine, ErrorKind, Fact, Factor, Question};
use crate::rulebook::observe::Expression;
use crate::rulebook::problem::{Mark, Problems, did_you_mean};
use crate::rulebook::source::{Entry, Section};
use crate::verdict::FactSet;

/// The names of the facts.
pub(super) struct Names(Vec<String>);

impl Names {
    /// The number of a fact; an unknown name is reported.
    pub(super) fn find(&self, name: &str, mark: Mark, problems: &mut Problems) -> Option<usize> {
        let found = self.0.iter().position(|known| known == name);
        if found.is_none() {
            problems.error_with_help(
                mark,
                format!("there is no fact `{name}`"),
                did_you_mean(name, self.0.iter().map(String::as_str)),
            );
        }
        found
    }
}

/// All facts of a rulebook.
pub(super) struct Facts {
    pub(super) names: Names,
    abouts: Vec<String>,
    /// `None` where something is wrong with the fact.
    expressions: Vec<Option<Expression>>,
    /// The facts, each after those it rests on.
    order: Vec<usize>,
    examples: Vec<FactText>,
}

/// What a rulebook asks its facts for.
pub(super) struct Uses<'a> {
    pub(super) factors: &'a [Factor],
    pub(super) decide: &'a [DecisionLine],
    pub(super) error_kinds: &'a [ErrorKind],
    pub(super) unreachable: Option<&'a Condition>,
    pub(super) hidden_failure: Option<&'a Condition>,
    pub(super) question: Question,
}

pub(super) fn compile(entries: &[Entry], leaves: &mut Leaves, problems: &mut Problems) -> Facts {
    let within = &entries[..entries.len().min(FactSet::CAPACITY)];
    if let Some(first) = entries.get(within.len()) {
        let message = format!("a rulebook can have at most {} facts", FactSet::CAPACITY);
        problems.error(first.key_mark, message);
    }
    let names = Names(within.iter().map(|entry| entry.key.clone()).collect());
    let mut abouts = Vec::new();
    let mut expressions = Vec::new();
    let mut examples = Vec::new();
    for (fact, entry) in within.iter().enumerate() {
        check_name(entry, problems);
        let Some(mut section) = Section::open_entry(entry, problems) else {
            abouts.push(String::new());
            expressions.push(None);
            continue;
        };
        abouts.push(section.text("about", problems).unwrap_or_default().to_owned());
        for (key, holds) in [("yes", true), ("no", false)] {
            let texts = section.texts(key, problems).into_iter();
            examples.extend(texts.map(|(text, mark)| FactText {
                fact,
                text: text.to_owned(),
                holds,
                mark,
            }));
        }
        let mut grammar = Grammar::Questions { fact: &entry.key, leaves };
        let alias = section.entry("fact");
        let read = match alias {
            Some(alias) => {
                let name = alias.node.text();
                if name.is_none() {
                    problems.error(alias.node.mark, "the name of a fact must stand here");
                }
                name.and_then(|name| names.find(name, alias.node.mark, problems))
                    .map(Expression::Fact)
            }
            None => expression_in(&mut section, &names, &mut grammar, problems),
        };
        expressions.push(read);
        section.finish(problems);
    }
    let mut facts = Facts { names, abouts, expressions, order: Vec::new(), examples };
    let mut sorter = Sorter { state: vec![State::New; within.len()], path: Vec::new() };
    for (fact, entry) in within.iter().enumerate() {
        if let Some(circle) = sorter.visit(fact, &mut facts) {
            let names: Vec<&str> = circle.iter().map(|at| facts.names.0[*at].as_str()).collect();
            let message = format!("facts rest on each other in a circle: {}", names.join(" -> "));
            problems.error(entry.key_mark, message);
        }
    }
    facts
}

/// A fact's name becomes a column's name.
fn check_name(entry: &Entry, problems: &mut Problems) {
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if entry.key.is_empty() || entry.key.len() > 60 || !entry.key.chars().all(good) {
        problems.error(
            entry.key_mark,
            "a fact's name is made of lower-case letters, digits and underscores, at most 60",
        );
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

/// Puts facts after those they rest on.
struct Sorter {
    state: Vec<State>,
    path: Vec<usize>,
}

impl Sorter {
    /// Visits a fact; a circle that is met is returned once.
    fn visit(&mut self, fact: usize, facts: &mut Facts) -> Option<Vec<usize>> {
        match self.state[fact] {
            State::Done => return None,
            State::Open => {
                let start = self.path.iter().position(|at| *at == fact).unwrap_or(0);
                let mut circle = self.path[start..].to_vec();
                circle.push(fact);
                return Some(circle);
            }
            State::New => {}
        }
        self.state[fact] = State::Open;
        self.path.push(fact);
        let mut rests_on = Vec::new();
        if let Some(expression) = &facts.expressions[fact] {
            expression.for_each(&mut |part| {
                if let Expression::Fact(other) = part {
                    rests_on.push(*other);
                }
            });
        }
        let mut circle = None;
        for other in rests_on {
            circle = circle.or(self.visit(other, facts));
        }
        self.path.pop();
        self.state[fact] = State::Done;
        facts.order.push(fact);
        circle
    }
}

impl Facts {
    /// The facts observed on error replies and those observed on other replies, each with all that
    /// they rest on. A fact that only a hidden failure needs is not looked for in errors.
    pub(super) fn observed(&self, uses: &Uses<'_>) -> (FactSet, FactSet) {
        let mut for_errors = FactSet::default();
        for factor in uses.factors {
            for_errors.insert(factor.fact);
        }
        let conditions = uses.decide.iter().map(|line| &line.condition);
        let kinds = uses.error_kinds.iter().map(|kind| &kind.condition);
        for condition in conditions.chain(kinds).chain(uses.unreachable) {
            condition.add_facts_to(&mut for_errors);
        }
        let mut for_hidden = FactSet::default();
        if let Some(condition) = uses.hidden_failure {
            condition.add_facts_to(&mut for_hidden);
        }
        let (for_errors, for_hidden) = (self.closed(for_errors), self.closed(for_hidden));
        let every = (0..self.expressions.len()).fold(FactSet::default(), |mut all, fact| {
            all.insert(fact);
            all
        });
        let errors = FactSet(every.0 & !(for_hidden.0 & !for_errors.0));
        match uses.question {
            Question::Errors => (errors, for_hidden),
            Question::All => (errors, every),
        }
    }

    /// The texts that ought to make facts true or false.
    pub(super) fn take_examples(&mut self) -> Vec<FactText> {
        std::mem::take(&mut self.examples)
    }

    /// A set of facts with all that they rest on.
    fn closed(&self, mut facts: FactSet) -> FactSet {
        for fact in self.order.iter().rev().filter(|fact| self.expressions[**fact].is_some()) {
            if facts.has(*fact) {
                self.each_part(*fact, |part| {
                    if let Expression::Fact(other) = part {
                        facts.insert(*other);
                    }
                });
            }
        }
        facts
    }

    fn each_part<'a>(&'a self, fact: usize, mut visit: impl FnMut(&'a Expression)) {
        if let Some(expression) = &self.expressions[fact] {
            expression.for_each(&mut visit);
        }
    }

    /// The questions that a set of facts asks.
    pub(super) fn leaves(&self, facts: FactSet) -> LeafSet {
        let mut leaves = LeafSet::default();
        for fact in (0..self.expressions.len()).filter(|fact| facts.has(*fact)) {
            self.each_part(fact, |part| {
                if let Expression::Leaf(leaf) = part {
                    leaves.insert(*leaf);
                }
            });
        }
        leaves
    }

    /// The facts of a set with their expressions, each after those it rests on.
    pub(super) fn in_order(&self, facts: FactSet) -> Vec<(usize, Expression)> {
        let wanted = self.order.iter().filter(|fact| facts.has(**fact));
        wanted.filter_map(|fact| Some((*fact, self.expressions[*fact].clone()?))).collect()
    }

    /// The facts as the rest of the program sees them.
    pub(super) fn described(&self, leaves: &Leaves) -> Vec<Fact> {
        let mut facts: Vec<Fact> = Vec::new();
        for (fact, expression) in self.expressions.iter().enumerate() {
            let mut only = FactSet::default();
            only.insert(fact);
            let asked = self.leaves(self.closed(only));
            let patterns = (0..LeafSet::CAPACITY)
                .filter(|leaf| asked.has(*leaf))
                .flat_map(|leaf| leaves.patterns_of(leaf))
                .filter_map(|pattern| u16::try_from(pattern).ok());
            facts.push(Fact {
                name: self.names.0[fact].clone(),
                about: self.abouts[fact].clone(),
                definition: expression
                    .as_ref()
                    .map_or_else(String::new, |expression| self.in_words(expression, leaves)),
                patterns: patterns.collect(),
            });
        }
        facts
    }

    fn in_words(&self, expression: &Expression, leaves: &Leaves) -> String {
        let joined = |parts: &[Expression], word: &str| {
            let parts: Vec<String> = parts.iter().map(|part| self.in_words(part, leaves)).collect();
            format!("({})", parts.join(word))
        };
        match expression {
            Expression::Leaf(leaf) => leaves.describe(*leaf),
            Expression::Fact(fact) => self.names.0[*fact].clone(),
            Expression::All(parts) => joined(parts, " and "),
            Expression::Any(parts) => joined(parts, " or "),
            Expression::Not(part) => format!("not {}", self.in_words(part, leaves)),
        }
    }
}
