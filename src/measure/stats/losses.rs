//! What wrong answers cost.

use crate::labels::Label;
use crate::measure::accuracy::Confusion;
use std::fmt;
use std::str::FromStr;

/// The most that an answer may cost: sums over any corpus stay numbers.
const MOST: f64 = 1e9;

/// What each answer costs by what is true. An answer that is right costs nothing and each other one 1,
/// unless something else is said.
#[derive(Clone, Debug, PartialEq)]
pub struct Losses {
    /// By the true label and the answer, in the order of [`Label::ALL`]; last comes no answer.
    of: [[f64; Label::ALL.len() + 1]; Label::ALL.len()],
}

/// What one wrong answer costs, as it is written: `tool_failure:business_logic=5`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    pub truth: Label,
    pub answer: Label,
    pub cost: f64,
}

/// What is wrong with a cost as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongLoss(String);

impl fmt::Display for WrongLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongLoss {}

impl FromStr for Loss {
    type Err = WrongLoss;

    fn from_str(text: &str) -> Result<Self, WrongLoss> {
        let parts = text.split_once('=').and_then(|(labels, cost)| {
            let (truth, answer) = labels.split_once(':')?;
            Some((truth, answer, cost))
        });
        let Some((truth, answer, cost)) = parts else {
            return Err(WrongLoss("write TRUTH:ANSWER=COST".to_owned()));
        };
        let label = |word: &str| {
            Label::named(word).ok_or_else(|| {
                let known = Label::ALL.map(Label::name).join(", ");
                WrongLoss(format!("`{word}` is not one of {known}"))
            })
        };
        let number = cost.parse().ok().filter(|cost: &f64| (0.0..=MOST).contains(cost));
        let cost = number.ok_or_else(|| {
            WrongLoss(format!("`{cost}` is not a cost: expected a number from 0 to {MOST:e}"))
        })?;
        Ok(Self { truth: label(truth)?, answer: label(answer)?, cost })
    }
}

impl Default for Losses {
    fn default() -> Self {
        let mut of = [[1.0; Label::ALL.len() + 1]; Label::ALL.len()];
        for (truth, row) in of.iter_mut().enumerate() {
            row[truth] = 0.0;
        }
        Self { of }
    }
}

impl Losses {
    /// The usual ones, but for these; of several about the same answer, the last counts.
    pub fn with(some: &[Loss]) -> Self {
        let mut losses = Self::default();
        for Loss { truth, answer, cost } in some {
            losses.of[*truth as usize][*answer as usize] = *cost;
        }
        losses
    }

    pub fn cost(&self, truth: Label, answer: Option<Label>) -> f64 {
        self.of[truth as usize][answer.map_or(Label::ALL.len(), |answer| answer as usize)]
    }

    /// What the answers of a table cost together.
    pub fn total(&self, table: &Confusion) -> f64 {
        let mut total = 0.0;
        for truth in Label::ALL {
            for answer in Label::ALL.into_iter().map(Some).chain([None]) {
                total += table.count(truth, answer) as f64 * self.cost(truth, answer);
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Label::{BusinessLogic, HiddenFailure, Ok, ToolFailure};

    #[test]
    fn wrong_answers_cost_what_is_said_or_one() {
        let mut table = Confusion::default();
        for (truth, answer, times) in [
            (ToolFailure, Some(BusinessLogic), 3),
            (BusinessLogic, Some(ToolFailure), 2),
            (HiddenFailure, Some(Ok), 4),
            (Ok, Some(Ok), 9),
            (ToolFailure, None, 1),
        ] {
            for _ in 0..times {
                table.add(truth, answer);
            }
        }
        let close = |losses: &Losses, wanted: f64| {
            let found = losses.total(&table);
            assert!((found - wanted).abs() < 1e-12, "{found} instead of {wanted}");
        };
        close(&Losses::default(), 10.0);
        let some = ["tool_failure:business_logic=5", "hidden_failure:ok=0.5"];
        let some = some.map(|loss| loss.parse().expect("a cost"));
        close(&Losses::with(&some), 15.0 + 2.0 + 2.0 + 1.0);
    }

    #[test]
    fn what_is_no_cost_is_refused() {
        for (text, about) in [
            ("tool_failure=3", "TRUTH:ANSWER=COST"),
            ("failure:ok=3", "`failure` is not one of ok"),
            ("tool_failure:ok=-1", "is not a cost"),
            ("tool_failure:ok=inf", "is not a cost"),
            ("tool_failure:ok=1e308", "is not a cost: expected a number from 0 to 1e9"),
        ] {
            let error = text.parse::<Loss>().expect_err("refused").to_string();
            assert!(error.contains(about), "{error}");
        }
    }
}
