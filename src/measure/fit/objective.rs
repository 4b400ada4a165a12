//! What fitting makes as great as possible.

use crate::labels::Class;
use std::fmt;
use std::str::FromStr;

/// What fitting makes as great as possible, between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Objective {
    /// The mean of what is found of the two classes.
    BalancedAccuracy,
    /// The weighted harmonic mean of precision and recall of failures.
    FBeta {
        /// How many times as much recall counts.
        beta: f64,
    },
    /// What mistakes do not cost, as a share of what they could.
    Costs {
        /// What a failure costs that is taken for a refusal, or not seen.
        missed: f64,
        /// What it costs to take something else for a failure.
        alarmed: f64,
    },
}

/// A word names no objective.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not an objective: expected balanced-accuracy, f-beta:B (B above 0: weight of \
     recall relative to precision) or costs:MISSED:FALSE_ALARM"
)]
pub struct UnknownObjective(String);

/// What became of two classes of items, each with the weight that it counts with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Failures that are found.
    pub found: f64,
    /// Failures that are not.
    pub missed: f64,
    /// Others that are taken for failures.
    pub alarmed: f64,
    /// Others that are left in peace.
    pub spared: f64,
}

impl Counts {
    pub fn add(&mut self, label: Class, answer: Class, weight: f64) {
        let count = match (label, answer) {
            (Class::Failed, Class::Failed) => &mut self.found,
            (Class::Failed, _) => &mut self.missed,
            (_, Class::Failed) => &mut self.alarmed,
            (_, _) => &mut self.spared,
        };
        *count += weight;
    }
}

impl Objective {
    /// What it comes to. A class of which there is nothing counts as wholly right.
    pub fn of(self, counts: &Counts) -> f64 {
        let Counts { found, missed, alarmed, spared } = *counts;
        let share =
            |part: f64, rest: f64| if part + rest > 0.0 { part / (part + rest) } else { 1.0 };
        match self {
            Self::BalancedAccuracy => f64::midpoint(share(found, missed), share(spared, alarmed)),
            Self::FBeta { beta } => {
                let square = beta * beta;
                share((1.0 + square) * found, square * missed + alarmed)
            }
            Self::Costs { missed: dear, alarmed: cheap } => {
                share(dear * found + cheap * spared, dear * missed + cheap * alarmed)
            }
        }
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BalancedAccuracy => f.write_str("balanced-accuracy"),
            Self::FBeta { beta } => write!(f, "f-beta:{beta}"),
            Self::Costs { missed, alarmed } => write!(f, "costs:{missed}:{alarmed}"),
        }
    }
}

impl FromStr for Objective {
    type Err = UnknownObjective;

    fn from_str(word: &str) -> Result<Self, UnknownObjective> {
        let unknown = || UnknownObjective(word.chars().take(60).collect());
        let number = |text: &str| {
            let number = text.parse::<f64>().ok();
            number.filter(|number| number.is_finite() && *number > 0.0).ok_or_else(unknown)
        };
        match word.split(':').collect::<Vec<_>>()[..] {
            ["balanced-accuracy"] => Ok(Self::BalancedAccuracy),
            ["f-beta", beta] => Ok(Self::FBeta { beta: number(beta)? }),
            ["costs", missed, alarmed] => {
                Ok(Self::Costs { missed: number(missed)?, alarmed: number(alarmed)? })
            }
            _ => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn objectives_come_to_what_their_cases_say() {
        assert!("".parse::<Objective>().is_err());
        let counts = Counts { found: 3.0, missed: 1.0, alarmed: 2.0, spared: 6.0 };
        cases::check("tests/cases/objectives.txt", |case| match case.text.parse::<Objective>() {
            Ok(objective) => format!("{objective} {:.4}", objective.of(&counts)),
            Err(error) => error.to_string(),
        });
    }
}
