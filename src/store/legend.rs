//! What the numbers in verdicts mean: the part of a rulebook that tables need.

use crate::rulebook::{Overall, Quality, Rulebook};
use crate::verdict::FactSet;

/// Names and weights of the rulebook that judged.
#[derive(Clone, Debug)]
pub struct Legend {
    /// The facts, by their bit.
    pub facts: Vec<FactName>,
    /// The facts observed on error replies.
    pub error_facts: FactSet,
    /// The facts observed on replies that claim success.
    pub success_facts: FactSet,
    /// The patterns by their number, each with its unique name.
    pub patterns: Vec<String>,
    /// The names of the decision lines.
    pub decisions: Vec<String>,
    pub error_kinds: Vec<String>,
    pub quality: Quality,
    /// How confidences are averaged.
    pub overall: Overall,
}

/// A fact's name and meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactName {
    pub name: String,
    pub about: String,
}

impl Legend {
    pub fn of(rulebook: &Rulebook) -> Self {
        let fact = |fact: &crate::rulebook::Fact| FactName {
            name: fact.name.clone(),
            about: fact.about.clone(),
        };
        Self {
            facts: rulebook.facts.iter().map(fact).collect(),
            error_facts: rulebook.error_facts,
            success_facts: rulebook.success_facts,
            patterns: rulebook.pattern_names(),
            decisions: rulebook.decide.iter().map(|line| line.name.clone()).collect(),
            error_kinds: rulebook.error_kinds.iter().map(|kind| kind.name.clone()).collect(),
            quality: rulebook.quality,
            overall: rulebook.overall.clone(),
        }
    }
}
