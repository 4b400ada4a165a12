//! Texts given as examples of facts: each is tried when somebody asks, since whoever judges does not.

use super::problem::{BrokenText, Files, Mark};
use super::{Observing, Rulebook, Subject};
use crate::verdict::{cut, harmless};
use std::sync::Arc;

/// So much of a text is shown.
const SHOWN: usize = 60;

/// The texts given as examples of a rulebook's facts, and the files in which they stand.
#[derive(Clone, Debug, Default)]
pub(super) struct FactTexts {
    pub(super) texts: Arc<[FactText]>,
    pub(super) files: Arc<Files>,
}

/// A text of which a fact ought to be true or false.
#[derive(Debug)]
pub(super) struct FactText {
    pub(super) fact: usize,
    pub(super) text: String,
    pub(super) holds: bool,
    pub(super) mark: Mark,
}

impl Rulebook {
    /// The texts given as examples of a fact of which it is not what it ought to be, with the text
    /// standing in every field at once.
    pub fn broken_examples(&self) -> Vec<BrokenText> {
        self.broken_examples_under(self)
    }

    /// The same by the facts of another rulebook, as far as it has them.
    pub(crate) fn broken_examples_under(&self, other: &Self) -> Vec<BrokenText> {
        let FactTexts { texts, files } = &self.fact_texts;
        let broken = texts.iter().filter_map(|example| {
            let name = &self.facts[example.fact].name;
            let fact = other.facts.iter().position(|fact| fact.name == *name)?;
            (other.says(fact, &example.text) != example.holds).then_some((name, example))
        });
        let told = broken.map(|(name, FactText { text, holds, mark, .. })| {
            let shown = cut(&harmless(text), SHOWN);
            let message = format!("`{name}` ought to be {holds} of \"{shown}\", but is not");
            BrokenText {
                fact: name.clone(),
                text: text.clone(),
                problem: files.problem(*mark, message, None),
            }
        });
        told.collect()
    }

    fn says(&self, fact: usize, text: &str) -> bool {
        let subject = Subject { text, tool: text, input: text, scenario: text, code: text };
        let which =
            if self.error_facts.has(fact) { Observing::Errors } else { Observing::Successes };
        self.observe(&subject, which).facts.has(fact)
    }
}
