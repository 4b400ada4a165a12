//! From facts to an answer.

use super::{Decision, Rulebook};
use crate::verdict::FactSet;

/// The answer to "is this error business logic?".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decided {
    /// True: the tool works and refused. False: the tool failed.
    pub business_logic: bool,
    /// Weighted share of the factors present.
    pub score: f64,
    /// The threshold: of the line that answered, or, where that line answered outright, of the first
    /// line after it that applies and sets one.
    pub threshold: Option<f64>,
    /// The line that answered, as an index into [`Rulebook::decide`](Rulebook#structfield.decide).
    pub line: Option<u16>,
}

impl Rulebook {
    /// The weighted share of the factors present.
    #[must_use]
    pub fn score(&self, facts: FactSet) -> f64 {
        let present = self.factors.iter().filter(|factor| facts.has(factor.fact));
        let score = present.map(|factor| factor.weight).sum::<f64>() / self.denominator;
        if self.clamp { score.min(1.0) } else { score }
    }

    /// Decides from facts: the first decision line whose condition holds answers.
    #[must_use]
    pub fn decide(&self, facts: FactSet) -> Decided {
        let score = self.score(facts);
        let mut applying =
            self.decide.iter().zip(0_u16..).filter(|(line, _)| line.condition.holds(facts));
        let Some((line, number)) = applying.next() else {
            return Decided { business_logic: false, score, threshold: None, line: None };
        };
        let (business_logic, threshold) = match line.decision {
            Decision::Threshold(threshold) => (score >= threshold, Some(threshold)),
            Decision::Return(answer) => {
                let later = applying.find_map(|(line, _)| match line.decision {
                    Decision::Threshold(threshold) => Some(threshold),
                    Decision::Return(_) => None,
                });
                (answer, later)
            }
        };
        Decided { business_logic, score, threshold, line: Some(number) }
    }
}
