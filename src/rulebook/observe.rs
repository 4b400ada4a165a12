//! From the texts of an exchange to facts.

use super::Rulebook;
use super::matching::{FieldMatcher, Found, LeafSet};
use crate::verdict::{FactSet, Hit};

/// The texts of an exchange that facts can look at. What is not there is empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Subject<'a> {
    /// The judged text of the reply.
    pub text: &'a str,
    /// The tool's name.
    pub tool: &'a str,
    /// The arguments, as recorded.
    pub input: &'a str,
    /// The scenario category.
    pub scenario: &'a str,
    /// The code of a JSON-RPC error.
    pub code: &'a str,
}

/// For which kind of reply facts are observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observing {
    /// A reply that is an error.
    Errors,
    /// A reply that claims success.
    Successes,
}

/// What was observed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    /// The facts that hold.
    pub facts: FactSet,
    /// The first place of every pattern that matched, in the rulebook's order of patterns.
    pub hits: Vec<Hit>,
}

/// What a tool's name contributes to every observation of that tool.
#[derive(Clone, Debug, Default)]
pub struct ToolFacts {
    errors: Found,
    successes: Found,
}

/// What looks for the facts of a rulebook.
#[derive(Debug)]
pub(super) struct Observer {
    pub(super) errors: Watch,
    pub(super) successes: Watch,
}

/// What is looked for in one kind of reply.
#[derive(Debug)]
pub(super) struct Watch {
    pub(super) text: FieldMatcher,
    pub(super) tool: FieldMatcher,
    pub(super) input: FieldMatcher,
    pub(super) scenario: FieldMatcher,
    pub(super) code: FieldMatcher,
    /// The facts with their definitions, each after those it rests on.
    pub(super) facts: Vec<(usize, Expression)>,
}

/// What a fact says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expression {
    /// A question asked of one of the texts.
    Leaf(usize),
    /// Another fact.
    Fact(usize),
    /// All of them.
    All(Vec<Expression>),
    /// One of them.
    Any(Vec<Expression>),
    /// Not this.
    Not(Box<Expression>),
}

impl Expression {
    fn holds(&self, leaves: LeafSet, facts: FactSet) -> bool {
        match self {
            Self::Leaf(leaf) => leaves.has(*leaf),
            Self::Fact(fact) => facts.has(*fact),
            Self::All(parts) => parts.iter().all(|part| part.holds(leaves, facts)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(leaves, facts)),
            Self::Not(part) => !part.holds(leaves, facts),
        }
    }
}

impl Rulebook {
    /// What a tool's name contributes; worth keeping per tool.
    #[must_use]
    pub fn tool_facts(&self, tool: &str) -> ToolFacts {
        let mut facts = ToolFacts::default();
        self.observer.errors.tool.scan(tool, &mut facts.errors);
        self.observer.successes.tool.scan(tool, &mut facts.successes);
        facts
    }

    /// Observes an exchange whose tool was looked at before with [`Self::tool_facts`]; the subject's
    /// own `tool` is not looked at again.
    #[must_use]
    pub fn observe_with(
        &self,
        subject: &Subject<'_>,
        tool: &ToolFacts,
        which: Observing,
    ) -> Observation {
        let (watch, seen) = match which {
            Observing::Errors => (&self.observer.errors, &tool.errors),
            Observing::Successes => (&self.observer.successes, &tool.successes),
        };
        if watch.facts.is_empty() {
            return Observation::default();
        }
        let mut found = seen.clone();
        watch.text.scan(subject.text, &mut found);
        watch.input.scan(subject.input, &mut found);
        watch.scenario.scan(subject.scenario, &mut found);
        watch.code.scan(subject.code, &mut found);
        let mut facts = FactSet::default();
        for (fact, expression) in &watch.facts {
            if expression.holds(found.leaves, facts) {
                facts.insert(*fact);
            }
        }
        found.hits.sort_unstable_by_key(|hit| hit.pattern);
        Observation { facts, hits: found.hits }
    }

    /// Observes an exchange.
    #[must_use]
    pub fn observe(&self, subject: &Subject<'_>, which: Observing) -> Observation {
        self.observe_with(subject, &self.tool_facts(subject.tool), which)
    }
}
