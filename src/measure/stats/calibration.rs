//! Whether certainties and confidences mean what they say.

use super::Question;
use super::bootstrap::interval;
use super::certainty::Sure;
use crate::compare::Side;
use crate::count::tally::Interval;
use crate::labels::Label;
use crate::measure::accuracy::{Confusion, Item, Share};
use serde::Serialize;
use std::collections::BTreeMap;

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

    fn came_true(self, truth: Label, answer: Option<Label>) -> bool {
        match self {
            Self::ToolWorks => Self::WORKING.contains(&truth),
            Self::Certainty | Self::CertaintyHeldOut | Self::AnswerIsRight => answer == Some(truth),
        }
    }

    /// Of what a table holds, that which came true.
    fn share(self, table: &Confusion) -> Share {
        match self {
            Self::ToolWorks => Share {
                hits: Self::WORKING.into_iter().map(|label| table.of(label)).sum(),
                of: table.items(),
            },
            Self::Certainty | Self::CertaintyHeldOut | Self::AnswerIsRight => table.accuracy(),
        }
    }

    const WORKING: [Label; 2] = [Label::Ok, Label::BusinessLogic];
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
    /// Its interval, by drawing servers; `None` where that tells nothing.
    pub interval: Option<Interval>,
}

/// Labelled replies of about the same confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ConfidenceStep {
    /// The lowest confidence, 0 to 1.
    pub low: f64,
    /// The highest; it is in the next step, but for the last.
    pub high: f64,
    #[serde(rename = "mean_confidence")]
    pub mean: f64,
    pub came_true: Share,
}

/// Confidences held against what is true; `None` where no reply is labelled.
pub(super) fn calibration(
    side: &Side,
    items: &[Item],
    reading: Reading,
    seed: u64,
) -> Option<Calibration> {
    let said = items.iter().filter_map(|item| {
        let verdict = &side.verdicts[item.verdict as usize];
        Question::of(verdict)?;
        let certainty = match reading {
            Reading::Certainty | Reading::CertaintyHeldOut => verdict.certainty?,
            Reading::AnswerIsRight | Reading::ToolWorks => verdict.confidence / 100.0,
        };
        Some(Sure { server: item.server, truth: item.label, answer: Label::of(verdict), certainty })
    });
    of(said, reading, seed)
}

/// Probabilities held against what is true; `None` where there are none.
pub(super) fn of(
    said: impl Iterator<Item = Sure>,
    reading: Reading,
    seed: u64,
) -> Option<Calibration> {
    let mut steps = [(0.0, Share { hits: 0, of: 0 }); STEPS];
    let (mut squares, mut hits, mut of) = (0.0, 0_u64, 0_u64);
    let mut sure: BTreeMap<u32, Confusion> = BTreeMap::new();
    for Sure { server, truth, answer, certainty } in said {
        let confidence = certainty.clamp(0.0, 1.0);
        let came_true = reading.came_true(truth, answer);
        let of_server = sure.entry(server).or_default();
        if confidence >= SURE {
            of_server.add(truth, answer);
        }
        let outcome = if came_true { 1.0 } else { 0.0 };
        squares += (confidence - outcome) * (confidence - outcome);
        hits += u64::from(came_true);
        of += 1;
        let (sum, share) = &mut steps[step_of(confidence)];
        *sum += confidence;
        share.hits += u64::from(came_true);
        share.of += 1;
    }
    if of == 0 {
        return None;
    }
    let step = |(at, (sum, came_true)): (usize, (f64, Share))| {
        let width = 1.0 / STEPS as f64;
        (came_true.of > 0).then(|| ConfidenceStep {
            low: at as f64 * width,
            high: (at + 1) as f64 * width,
            mean: sum / came_true.of as f64,
            came_true,
        })
    };
    let steps: Vec<ConfidenceStep> = steps.into_iter().enumerate().filter_map(step).collect();
    let distance = |step: &ConfidenceStep| {
        let share = step.came_true.value().unwrap_or(0.0);
        (step.mean - share).abs() * step.came_true.of as f64
    };
    let share = hits as f64 / of as f64;
    let sure: Vec<Confusion> = sure.into_values().collect();
    let all_sure = Confusion::of_all(&sure);
    Some(Calibration {
        reading,
        taken_as_probability_that: reading.words()[2],
        sure: AtLeast {
            from: SURE,
            right: reading.share(&all_sure),
            interval: interval(&sure, |table| reading.share(table).value(), seed),
        },
        brier: squares / of as f64,
        brier_of_the_mean: share * (1.0 - share),
        expected_error: steps.iter().map(distance).sum::<f64>() / of as f64,
        steps,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::stats::samples;

    #[test]
    fn confidences_are_held_against_what_is_true() {
        let mut side = samples::side();
        let items = samples::items();
        // Ten labelled replies: nine answers are right. Say 80 % of everything.
        for verdict in &mut side.verdicts {
            verdict.confidence = 80.0;
        }
        let right = calibration(&side, &items, Reading::AnswerIsRight, 1).expect("labels");
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-12, "{found}");
        close(right.brier, 0.9 * 0.04 + 0.1 * 0.64);
        close(right.brier_of_the_mean, 0.09);
        close(right.expected_error, 0.1);
        assert_eq!(right.steps.len(), 1);
        assert_eq!(right.steps[0].came_true, Share { hits: 9, of: 10 });
        // Six of the ten tools work.
        let works = calibration(&side, &items, Reading::ToolWorks, 1).expect("labels");
        close(works.brier, 0.6 * 0.04 + 0.4 * 0.64);
        close(works.expected_error, 0.2);
        assert_eq!(calibration(&side, &[], Reading::ToolWorks, 1), None);
    }

    #[test]
    fn full_confidence_is_in_the_last_step() {
        assert_eq!([0.0, 0.05, 0.1, 0.95, 1.0].map(step_of), [0, 0, 1, 9, 9]);
    }
}
