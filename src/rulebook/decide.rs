//! From signals to an answer.

use super::{Decision, Rulebook};
use crate::verdict::{SignalSet, Weighing};

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

impl Decided {
    pub fn weighing(self) -> Weighing {
        let Self { business_logic: _, score, threshold, line } = self;
        Weighing { score, threshold, line }
    }
}

impl Rulebook {
    /// The weighted share of the factors present.
    pub fn score(&self, signals: SignalSet) -> f64 {
        let present = self.factors.iter().filter(|factor| signals.has(factor.signal));
        // Begun at 0, because an empty sum of floats is -0, which would show.
        let weights = present.fold(0.0, |sum, factor| sum + factor.weight);
        let score = weights / self.denominator;
        if self.clamp { score.min(1.0) } else { score }
    }

    /// Decides from signals: the first decision line whose condition holds answers.
    pub fn decide(&self, signals: SignalSet) -> Decided {
        let score = self.score(signals);
        let mut applying =
            self.decide.iter().zip(0_u16..).filter(|(line, _)| line.condition.holds(signals));
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

    /// The signals observed in errors that, changed alone, would change an answer.
    pub fn flipping_signals(&self, signals: SignalSet, business_logic: bool) -> Vec<usize> {
        let observed = (0..self.signals.len()).filter(|signal| self.error_signals.has(*signal));
        let flips = |signal: &usize| {
            let changed = SignalSet(signals.0 ^ 1 << *signal);
            self.decide(changed).business_logic != business_logic
        };
        observed.filter(flips).collect()
    }
}
