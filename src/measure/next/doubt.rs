//! How doubtful a verdict is: how sure its rulebook is of it, and how little would flip it.

use crate::compare::{Observations, Patterns, Side};
use crate::labels::{Labelled, labels_for};
use crate::measure::accuracy::answer;
use crate::recording::ExchangeKind;
use crate::rulebook::Decision;
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
    /// The score and the threshold, where the score is that near.
    pub score: Option<[f64; 2]>,
}

impl Doubt {
    /// The more doubtful one first. What a rulebook says nothing of comes after what it does.
    pub fn order(self, other: Self) -> Ordering {
        let certainty = |it: Self| it.certainty.unwrap_or(1.0);
        certainty(self).total_cmp(&certainty(other)).then(self.steps.total_cmp(&other.steps))
    }

    pub fn words(self) -> String {
        match self {
            Self { certainty: Some(certainty), .. } => Certainty::words(certainty),
            Self { score: Some(numbers), .. } => {
                let [score, threshold] = numbers.map(|it| (it * 1000.0).round() / 1000.0);
                format!("one factor could move the score {score} across the threshold {threshold}")
            }
            Self { steps, .. } if steps.is_finite() => {
                "a single pattern decides the verdict".to_owned()
            }
            Self { .. } => "no single pattern or factor decides the verdict".to_owned(),
        }
    }
}

/// How doubtful each verdict of a side is.
pub fn doubts(side: &Side) -> Vec<Doubt> {
    // Without what hit, all are equally far from flipping.
    let observations = Observations::of(side).ok();
    let doubt = |(number, verdict): (u32, &crate::store::NamedVerdict)| {
        let near = observations.as_ref().and_then(|told| nearest(told, number));
        let (steps, score) = near.unwrap_or((f64::INFINITY, None));
        Doubt { certainty: verdict.certainty, steps, score }
    };
    (0..).zip(&side.verdicts).map(doubt).collect()
}

/// In how many steps a verdict flips, with score and threshold where it is by them.
fn nearest(told: &Observations<'_>, verdict: u32) -> Option<(f64, Option<[f64; 2]>)> {
    let rules = told.rulebook;
    let none = Patterns::default();
    let said = answer(told, verdict, rules, &none)?;
    let weighing = told.conclusion(verdict, rules, told.signals(verdict, &none))?.weighing;
    let by_score = weighing.and_then(|weighing| {
        let line = rules.decide.get(usize::from(weighing.line?))?;
        let Decision::Threshold(threshold) = line.decision else { return None };
        let weights = rules.factors.iter().map(|factor| factor.weight.abs());
        let step = weights.fold(0.0, f64::max) / rules.denominator;
        let steps = (weighing.score - threshold).abs() / step;
        // More than a step is more than any factor has to say.
        (steps <= 1.0).then_some((steps, Some([weighing.score, threshold])))
    });
    let flips = |hit: &usize| answer(told, verdict, rules, &Patterns::from([*hit])) != Some(said);
    // A score that is near is no farther than a pattern.
    let by_pattern = || told.hits[verdict as usize].iter().any(flips).then_some((1.0, None));
    by_score.or_else(by_pattern)
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
