//! How doubtful a verdict is: how sure its rulebook is of it, and how little would flip it.

use crate::compare::Side;
use crate::measure::accuracy::{Observations, Patterns};
use crate::recording::ExchangeKind;
use crate::rulebook::{Decision, Rulebook};
use crate::store::NamedVerdict;
use crate::verdict::{Certainty, Ground};
use std::cmp::Ordering;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doubt {
    /// The probability that it is right; `None` where its rulebook does not say.
    pub certainty: Option<f64>,
    pub brink: Brink,
}

impl Doubt {
    /// The more doubtful one first. What a rulebook says nothing of comes after what it does.
    pub fn order(self, other: Self) -> Ordering {
        let certainty = |it: Self| it.certainty.unwrap_or(1.0);
        certainty(self)
            .total_cmp(&certainty(other))
            .then(self.brink.steps.total_cmp(&other.brink.steps))
    }

    pub fn words(self) -> String {
        self.certainty.map_or_else(|| self.brink.words(), Certainty::words)
    }
}

/// How little would flip a verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brink {
    /// In steps; infinite where nothing that was looked at flips it. A step is a pattern, or the weight
    /// of the weightiest factor.
    pub steps: f64,
    pub why: Why,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    /// Its score is that near to the threshold.
    Score { score: f64, threshold: f64 },
    /// It rests on a single pattern.
    Pattern,
    /// Nothing that was looked at.
    Nothing,
}

impl Brink {
    pub const FAR: Self = Self { steps: f64::INFINITY, why: Why::Nothing };

    pub fn words(self) -> String {
        match self.why {
            Why::Score { score, threshold } => {
                let (score, threshold) = (rounded(score), rounded(threshold));
                format!("one factor could move the score {score} across the threshold {threshold}")
            }
            Why::Pattern => "a single pattern decides the verdict".to_owned(),
            Why::Nothing => "no single pattern or factor decides the verdict".to_owned(),
        }
    }
}

fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// How doubtful each verdict of a side is.
pub fn doubts(side: &Side) -> Vec<Doubt> {
    // Without what hit, all are equally far from flipping.
    let observations = Observations::of(side).ok();
    let doubt = |(number, verdict): (u32, &NamedVerdict)| Doubt {
        certainty: verdict.certainty,
        brink: observations.as_ref().map_or(Brink::FAR, |observations| brink(observations, number)),
    };
    (0..).zip(&side.verdicts).map(doubt).collect()
}

fn brink(observations: &Observations, verdict: u32) -> Brink {
    let rules = observations.rulebook();
    let none = Patterns::default();
    let Some(answer) = observations.answer(verdict, rules, &none) else { return Brink::FAR };
    let by_score = score_brink(observations, verdict, rules).unwrap_or(Brink::FAR);
    let mut hits = observations.hits(verdict).iter();
    let flips = hits.any(|hit| {
        let without: Patterns = [*hit].into_iter().collect();
        observations.answer(verdict, rules, &without) != Some(answer)
    });
    let by_pattern = if flips { Brink { steps: 1.0, why: Why::Pattern } } else { Brink::FAR };
    if by_score.steps <= by_pattern.steps { by_score } else { by_pattern }
}

fn score_brink(observations: &Observations, verdict: u32, rules: &Rulebook) -> Option<Brink> {
    let signals = observations.signals(verdict, &Patterns::default());
    let weighing = observations.conclusion(verdict, rules, signals)?.weighing?;
    let line = rules.decide.get(usize::from(weighing.line?))?;
    let Decision::Threshold(threshold) = line.decision else { return None };
    let weightiest = rules.factors.iter().map(|factor| factor.weight.abs()).fold(0.0, f64::max);
    let step = weightiest / rules.denominator;
    let steps = (weighing.score - threshold).abs() / step;
    let why = Why::Score { score: weighing.score, threshold };
    // More than a step is more than any factor has to say.
    (steps <= 1.0).then_some(Brink { steps, why })
}

/// Whether somebody can say of an exchange whether it failed.
pub(super) fn can_be_labelled(kind: ExchangeKind, ground: Ground) -> bool {
    kind == ExchangeKind::ToolCall && !crate::labels::labels_for(ground).is_empty()
}
