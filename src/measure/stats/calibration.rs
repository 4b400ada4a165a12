//! Whether certainties and confidences mean what they say.

use super::bootstrap::interval_of_draws;
use super::{Fold, LeftOutAnswer, Question};
use crate::compare::Side;
use crate::count::tally::Interval;
use crate::labels::{Class, Label};
use crate::measure::accuracy::{Item, Share};
use crate::measure::fit::{Answered, fit_certainty};
use crate::rulebook::{CertaintyLine, Curve};
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};

/// A verdict of at least this certainty is called sure.
pub const SURE: f64 = 0.9;
/// So many steps a table of confidences has.
const STEPS: usize = 10;

named! {
    /// What is taken as the probability of what. Rulebooks do not say what a confidence is one of: most give
    /// an error the score as its confidence, which speaks for a working tool, and a hidden failure 100, which
    /// speaks for the answer. So both are measured.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Reading {
        /// The certainty, that the answer is right.
        Certainty = "certainty",
        /// The same of each server without what was learned from it.
        CertaintyHeldOut = "certainty_held_out",
        /// That the answer is the true label.
        AnswerIsRight = "answer_is_right",
        /// That the tool works: that the true label is `ok` or `business_logic`.
        ToolWorks = "tool_works",
    }
}

impl Reading {
    /// What is taken as a probability, which where there are two, and what it is the probability of.
    pub fn words(self) -> [&'static str; 3] {
        let right = "the answer is the true label";
        match self {
            Self::Certainty => ["certainty", ", as written", right],
            Self::CertaintyHeldOut => ["certainty", ", fitted with each server held out", right],
            Self::AnswerIsRight => ["confidence", "", right],
            Self::ToolWorks => ["confidence", "", "the tool works (ok or business_logic)"],
        }
    }
}

/// How well confidences fit what is true, under one reading.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    pub reading: Reading,
    pub taken_as_probability_that: &'static str,
    /// The mean of the squared differences: 0 is perfect, 0.25 is what 50 % for everything gives.
    pub brier: f64,
    /// What always saying the share that came true would give.
    pub brier_of_the_mean: f64,
    /// The mean distance between what steps say and what came true, weighted by their items.
    pub expected_error: f64,
    /// The steps in which there are any, lowest first.
    pub steps: Vec<ConfidenceStep>,
    pub sure: AtLeast,
}

/// Those of this certainty and more that came true.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AtLeast {
    pub from: f64,
    pub right: Share,
    /// By drawing servers; `None` where that tells nothing.
    pub interval: Option<Interval>,
}

/// Labelled replies of about the same confidence: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ConfidenceStep {
    pub reading: Reading,
    /// The lowest confidence, 0 to 1.
    pub low: f64,
    /// The highest; it is in the next step, but for the last.
    pub high: f64,
    pub replies: u64,
    #[serde(rename = "mean_confidence")]
    pub mean: f64,
    pub came_true: Share,
}

/// A probability that was said of a labelled reply.
pub(super) struct Said {
    server: u32,
    probability: f64,
    came_true: bool,
}

/// What was said of labelled replies; of the fitted certainties, those of the servers that were left out.
pub(super) fn said(
    side: &Side,
    items: &[Item],
    reading: Reading,
    folds: &[Fold],
    lines: &[CertaintyLine],
) -> Vec<Said> {
    if reading == Reading::CertaintyHeldOut {
        return held_out(folds, items, lines);
    }
    let said = items.iter().filter_map(|item| {
        let verdict = side.verdict(item.verdict);
        Question::of(verdict)?;
        let is_right = item.label.is_met_by(Class::of(verdict));
        let confidence = verdict.confidence / 100.0;
        let (probability, came_true) = match reading {
            Reading::Certainty | Reading::CertaintyHeldOut => (verdict.certainty?, is_right),
            Reading::AnswerIsRight => (confidence, is_right),
            Reading::ToolWorks => {
                (confidence, matches!(item.label.label(), Label::Worked | Label::Refused))
            }
        };
        Some(Said { server: item.server, probability, came_true })
    });
    said.collect()
}

/// The answers of each server, as sure as the answers of all others ask for.
fn held_out(folds: &[Fold], items: &[Item], lines: &[CertaintyLine]) -> Vec<Said> {
    let all = answers(folds, items);
    let servers: BTreeSet<u32> = all.iter().map(|it| it.server).collect();
    let of_server = servers.into_iter().flat_map(|server| {
        let (own, others): (Vec<_>, Vec<_>) = all.iter().partition(|it| it.server == server);
        let fitted = fit_certainty(&others, lines);
        own.into_iter().map(move |it: Answered| Said {
            server,
            probability: fitted[usize::from(it.line)].at(it.distance),
            came_true: it.is_right,
        })
    });
    of_server.collect()
}

impl Calibration {
    /// Probabilities held against what is true; `None` where there are none.
    pub(super) fn of(said: &[Said], reading: Reading, seed: u64) -> Option<Self> {
        let mut steps = [(0.0, Share::default()); STEPS];
        let mut squares = 0.0;
        let mut sure: BTreeMap<u32, Share> = BTreeMap::new();
        for Said { server, probability, came_true } in said {
            let probability = probability.clamp(0.0, 1.0);
            squares += (probability - f64::from(u8::from(*came_true))).powi(2);
            let of_server = sure.entry(*server).or_default();
            if probability >= SURE {
                add(of_server, *came_true);
            }
            let (sum, share) = &mut steps[step_of(probability)];
            *sum += probability;
            add(share, *came_true);
        }
        let step = |(at, (sum, came_true)): (usize, &(f64, Share))| ConfidenceStep {
            reading,
            low: at as f64 / STEPS as f64,
            high: (at + 1) as f64 / STEPS as f64,
            replies: came_true.of,
            mean: sum / came_true.of as f64,
            came_true: *came_true,
        };
        let steps = steps.iter().enumerate().filter(|(_, (_, share))| share.of > 0).map(step);
        let steps: Vec<ConfidenceStep> = steps.collect();
        let distance = |step: &ConfidenceStep| {
            let share = step.came_true.value().unwrap_or(0.0);
            (step.mean - share).abs() * step.replies as f64
        };
        let sure: Vec<Share> = sure.into_values().collect();
        let interval = interval_of_draws(sure.len(), seed, |places| {
            sum(&mut places.map(|place| &sure[place])).value()
        });
        let all = sum(&mut steps.iter().map(|step| &step.came_true));
        let share = all.value()?;
        Some(Self {
            reading,
            taken_as_probability_that: reading.words()[2],
            brier: squares / all.of as f64,
            brier_of_the_mean: share * (1.0 - share),
            expected_error: steps.iter().map(distance).sum::<f64>() / all.of as f64,
            sure: AtLeast { from: SURE, right: sum(&mut sure.iter()), interval },
            steps,
        })
    }
}

fn add(share: &mut Share, hits: bool) {
    share.hits += u64::from(hits);
    share.of += 1;
}

fn sum(shares: &mut dyn Iterator<Item = &Share>) -> Share {
    shares.fold(Share::default(), |mut all, it| {
        all.add(*it);
        all
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a small number"
)]
fn step_of(confidence: f64) -> usize {
    ((confidence * STEPS as f64) as usize).min(STEPS - 1)
}

/// A line of a rulebook's certainties, beside the one that labels ask for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CertaintyFit {
    pub name: String,
    /// Answers of which it says how sure they are, each server left out, and how many of them are right.
    pub right: Share,
    pub servers: u64,
    #[serde(serialize_with = "write_curve")]
    pub written: Curve,
    #[serde(serialize_with = "write_curve")]
    pub fitted: Curve,
}

fn write_curve<S: Serializer>(curve: &Curve, to: S) -> Result<S::Ok, S::Error> {
    let both = [("near", curve.near), ("far", curve.far)];
    let level = [("certainty", curve.near)];
    to.collect_map(if curve.is_level() { &level[..] } else { &both[..] }.iter().copied())
}

/// The lines fitted to the answers that were given without their servers.
pub(super) fn fits(folds: &[Fold], items: &[Item], lines: &[CertaintyLine]) -> Vec<CertaintyFit> {
    let answers = answers(folds, items);
    let fitted = fit_certainty(&answers, lines);
    let rows = (0_u16..).zip(lines).zip(fitted).map(|((number, line), fitted)| {
        let own = || answers.iter().filter(|it| it.line == number);
        let hits = own().filter(|it| it.is_right).count() as u64;
        CertaintyFit {
            name: line.name.clone(),
            right: Share { hits, of: own().count() as u64 },
            servers: own().map(|it| it.server).collect::<BTreeSet<_>>().len() as u64,
            written: line.curve,
            fitted,
        }
    });
    rows.collect()
}

fn answers(folds: &[Fold], items: &[Item]) -> Vec<Answered> {
    let answered = |answer: &LeftOutAnswer| {
        let Item { label, server, .. } = items[answer.place];
        let (line, distance) = answer.certain?;
        Some(Answered { line, distance, server, is_right: answer.answer == Some(label) })
    };
    folds.iter().flat_map(|fold| &fold.answers).filter_map(answered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidences_are_held_against_what_is_true() {
        // Nine of ten answers are right, and 80 % is said of all.
        let said = |at| Said { server: 0, probability: 0.8, came_true: at > 0 };
        let said: Vec<Said> = (0..10).map(said).collect();
        let right = Calibration::of(&said, Reading::AnswerIsRight, 1).expect("answers");
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-12, "{found}");
        close(right.brier, 0.9 * 0.04 + 0.1 * 0.64);
        close(right.brier_of_the_mean, 0.09);
        close(right.expected_error, 0.1);
        assert_eq!(right.steps.len(), 1);
        assert_eq!(right.steps[0].came_true, Share { hits: 9, of: 10 });
        assert_eq!(Calibration::of(&[], Reading::ToolWorks, 1), None);
    }

    #[test]
    fn full_confidence_is_in_the_last_step() {
        assert_eq!([0.0, 0.05, 0.1, 0.95, 1.0].map(step_of), [0, 0, 1, 9, 9]);
    }
}
