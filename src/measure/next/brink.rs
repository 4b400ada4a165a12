//! How doubtful a verdict is: how sure its rulebook is of it, and how little would flip it.

use crate::compare::Side;
use crate::labels::{Labelled, labels_for};
use crate::measure::accuracy::{Observations, Patterns};
use crate::recording::ExchangeKind;
use crate::rulebook::{Decision, Rulebook};
use crate::store::NamedVerdict;
use crate::verdict::Certainty;
use std::cmp::Ordering;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doubt {
    /// The probability that it is right; `None` where its rulebook does not say.
    pub certainty: Option<f64>,
    /// In how many steps it flips; infinite where nothing that was looked at flips it. A step is a pattern, or
    /// the weight of the weightiest factor.
    pub steps: f64,
    /// What it is that flips it.
    pub why: Why,
}

impl Doubt {
    /// The more doubtful one first. What a rulebook says nothing of comes after what it does.
    pub fn order(self, other: Self) -> Ordering {
        let certainty = |it: Self| it.certainty.unwrap_or(1.0);
        certainty(self).total_cmp(&certainty(other)).then(self.steps.total_cmp(&other.steps))
    }

    pub fn words(self) -> String {
        self.certainty.map_or_else(|| self.why.words(), Certainty::words)
    }
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

impl Why {
    pub fn words(self) -> String {
        match self {
            Self::Score { score, threshold } => {
                let (score, threshold) = (rounded(score), rounded(threshold));
                format!("one factor could move the score {score} across the threshold {threshold}")
            }
            Self::Pattern => "a single pattern decides the verdict".to_owned(),
            Self::Nothing => "no single pattern or factor decides the verdict".to_owned(),
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
    let doubt = |(number, verdict): (u32, &NamedVerdict)| {
        let (steps, why) = observations.as_ref().map_or(FAR, |it| brink(it, number));
        Doubt { certainty: verdict.certainty, steps, why }
    };
    (0..).zip(&side.verdicts).map(doubt).collect()
}

/// Nothing that was looked at flips it.
const FAR: (f64, Why) = (f64::INFINITY, Why::Nothing);

/// How little would flip a verdict: in how many steps, and what.
fn brink(observations: &Observations<'_>, verdict: u32) -> (f64, Why) {
    let rules = observations.rulebook();
    let none = Patterns::default();
    let Some(answer) = observations.answer(verdict, rules, &none) else { return FAR };
    let by_score = score_brink(observations, verdict, rules).unwrap_or(FAR);
    let mut hits = observations.hits(verdict).iter();
    let flips = hits.any(|hit| {
        let without: Patterns = [*hit].into_iter().collect();
        observations.answer(verdict, rules, &without) != Some(answer)
    });
    let by_pattern = if flips { (1.0, Why::Pattern) } else { FAR };
    if by_score.0 <= by_pattern.0 { by_score } else { by_pattern }
}

fn score_brink(
    observations: &Observations<'_>,
    verdict: u32,
    rules: &Rulebook,
) -> Option<(f64, Why)> {
    let signals = observations.signals(verdict, &Patterns::default());
    let weighing = observations.conclusion(verdict, rules, signals)?.weighing?;
    let line = rules.decide.get(usize::from(weighing.line?))?;
    let Decision::Threshold(threshold) = line.decision else { return None };
    let weightiest = rules.factors.iter().map(|factor| factor.weight.abs()).fold(0.0, f64::max);
    let step = weightiest / rules.denominator;
    let steps = (weighing.score - threshold).abs() / step;
    let why = Why::Score { score: weighing.score, threshold };
    // More than a step is more than any factor has to say.
    (steps <= 1.0).then_some((steps, why))
}

/// So many exchanges of one server of which the same was said are looked at.
const MOST_ALIKE: u32 = 100;
/// So many exchanges are looked at.
const MOST: usize = 5_000;

/// The exchanges that are looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pool {
    /// Those without a label, by their places in [`Side::entries`].
    pub open: Vec<u32>,
    /// Some of those that have one.
    pub labelled: Vec<u32>,
    /// How many without a label are not looked at.
    pub left_out: u64,
}

/// Picks the exchanges to look at among those that are wanted: the most doubtful first, and of each server
/// and verdict a few.
pub fn pool(
    side: &Side,
    labelled: &Labelled,
    doubts: &[Doubt],
    is_wanted: impl Fn(u32) -> bool,
) -> Pool {
    let mut alike: HashMap<(u32, u32), u32> = HashMap::new();
    let mut open: Vec<(Doubt, u32, u32)> = Vec::new();
    let mut left_out = 0;
    for (at, entry) in (0..).zip(&side.entries) {
        let Some(verdict) = side.verdicts.get(entry.verdict as usize) else { continue };
        let can_be_labelled =
            verdict.kind == ExchangeKind::ToolCall && !labels_for(verdict.ground).is_empty();
        if labelled.of.contains_key(&at) || !can_be_labelled || !is_wanted(at) {
            continue;
        }
        let rank = alike.entry((entry.server, entry.verdict)).or_default();
        *rank += 1;
        if *rank > MOST_ALIKE {
            left_out += 1;
        } else {
            open.push((doubts[entry.verdict as usize], *rank, at));
        }
    }
    open.sort_by(|one, two| one.0.order(two.0).then((one.1, one.2).cmp(&(two.1, two.2))));
    left_out += open.len().saturating_sub(MOST) as u64;
    open.truncate(MOST);
    let labelled: Vec<u32> = labelled.of.keys().copied().collect();
    // Of too many, some of everywhere.
    let step = labelled.len().div_ceil(MOST).max(1);
    Pool {
        open: open.into_iter().map(|(_, _, at)| at).collect(),
        labelled: labelled.into_iter().step_by(step).collect(),
        left_out,
    }
}
