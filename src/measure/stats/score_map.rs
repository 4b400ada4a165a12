//! How far scores lie from what they are held against.

use crate::compare::{Entry, Side};
use crate::labels::Label;
use crate::measure::accuracy::Item;
use crate::rulebook::{Decision, Rulebook};
use std::collections::BTreeMap;

/// How wide a step of the map is.
pub const STEP: f64 = 0.1;
/// So many of the exchanges nearest to their threshold are kept.
const MOST_NEAREST: usize = 200;

/// The errors whose score was held against a threshold, by how far it lies above or below.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreMap {
    /// From the lowest step to the highest in which there are any, without gaps.
    pub steps: Vec<Step>,
    /// Those that a decision line answered whatever the score.
    pub outright: Tally,
    /// The exchanges nearest to their threshold, nearest first.
    pub nearest: Vec<Near>,
}

/// Errors whose scores lie about as far from their threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Their number from the threshold: step 0 begins there, step -1 ends there.
    pub number: i64,
    pub tally: Tally,
}

impl Step {
    /// The least distance; it is in the step.
    pub fn low(&self) -> f64 {
        rounded(self.number as f64 * STEP)
    }

    /// The greatest distance; it is in the next step.
    pub fn high(&self) -> f64 {
        rounded((self.number + 1) as f64 * STEP)
    }
}

/// Errors by what is true of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    pub business_logic: u64,
    pub tool_failure: u64,
    pub unlabelled: u64,
}

/// An exchange and how near it is to its threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The exchange, as a place in [`Side::entries`].
    pub entry: u32,
    /// How far its score lies above its threshold; below 0: below it.
    pub margin: f64,
    /// What is true of it, where that is known.
    pub label: Option<Label>,
}

pub(super) fn score_map(side: &Side, items: &[Item]) -> ScoreMap {
    let labels: BTreeMap<u32, Label> = items.iter().map(|item| (item.entry, item.label)).collect();
    let margins: Vec<Option<Margin>> = side
        .verdicts
        .iter()
        .map(|verdict| {
            let (score, decided_by) = (verdict.score?, verdict.decided_by.as_deref());
            if side.rulebook.as_deref().is_some_and(|rules| is_outright(rules, decided_by)) {
                return Some(Margin::Outright);
            }
            Some(
                verdict
                    .threshold
                    .map_or(Margin::Outright, |held| Margin::Of(rounded(score - held))),
            )
        })
        .collect();
    let mut map = ScoreMap::default();
    let mut steps: BTreeMap<i64, Tally> = BTreeMap::new();
    for (entry, at) in side.entries.iter().zip(0..) {
        let Some(margin) = margins.get(entry.verdict as usize).copied().flatten() else { continue };
        let label = labels.get(&at).copied();
        let tally = match margin {
            Margin::Outright => &mut map.outright,
            Margin::Of(margin) => {
                map.nearest.push(Near { entry: at, margin, label });
                steps.entry(step_of(margin)).or_default()
            }
        };
        match label {
            Some(Label::BusinessLogic) => tally.business_logic += 1,
            Some(Label::ToolFailure) => tally.tool_failure += 1,
            // Labels that no error ought to have count as none.
            Some(Label::Ok | Label::HiddenFailure) | None => tally.unlabelled += 1,
        }
    }
    if let (Some((first, _)), Some((last, _))) = (steps.first_key_value(), steps.last_key_value()) {
        let step = |number| Step { number, tally: steps.get(&number).copied().unwrap_or_default() };
        map.steps = (*first..=*last).map(step).collect();
    }
    let place = |near: &Near| {
        let Entry { file, line, .. } = &side.entries[near.entry as usize];
        (side.names.get(*file), *line)
    };
    // Labelled ones first: of them it can be told on which side they belong.
    map.nearest.sort_by(|one, other| {
        let distance = one.margin.abs().total_cmp(&other.margin.abs());
        distance
            .then(one.label.is_none().cmp(&other.label.is_none()))
            .then_with(|| place(one).cmp(&place(other)))
            .then(one.entry.cmp(&other.entry))
    });
    map.nearest.truncate(MOST_NEAREST);
    map
}

#[derive(Clone, Copy)]
enum Margin {
    Outright,
    Of(f64),
}

fn is_outright(rulebook: &Rulebook, decided_by: Option<&str>) -> bool {
    let line = rulebook.decide.iter().find(|line| Some(line.name.as_str()) == decided_by);
    line.is_some_and(|line| match line.decision {
        Decision::Return(_) => true,
        Decision::Threshold(_) => false,
    })
}

/// Scores are sums of weights that binary fractions miss by a trace, which must not decide a step.
fn rounded(number: f64) -> f64 {
    (number * 1e9).round() / 1e9
}

#[expect(clippy::cast_possible_truncation, reason = "bounded before")]
fn step_of(margin: f64) -> i64 {
    // Weights are what people write: a rulebook of enormous ones still gets a short map.
    (margin / STEP + 1e-9).floor().clamp(-100.0, 100.0) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::stats::samples;

    #[test]
    fn scores_are_told_by_their_distance_and_by_what_is_true() {
        let map = score_map(&samples::side(), &samples::items());
        let shown: Vec<_> = map
            .steps
            .iter()
            .filter(|step| step.tally != Tally::default())
            .map(|step| {
                let Tally { business_logic, tool_failure, unlabelled } = step.tally;
                (step.number, business_logic, tool_failure, unlabelled)
            })
            .collect();
        // Held against 0.5: three refusals score 1; what nothing speaks for scores 0, and so does what
        // both speak for; two breaks score -1.
        assert_eq!(shown, [(-15, 0, 2, 0), (-5, 1, 1, 1), (5, 3, 0, 0)]);
        assert_eq!(map.steps.len(), 21, "without gaps");
        assert_eq!(map.outright, Tally::default());
        let nearest: Vec<_> = map.nearest.iter().map(|near| (near.entry, near.margin)).collect();
        assert_eq!(nearest[0], (0, 0.5), "of equal distances, labelled ones by their place");
        assert_eq!(map.nearest[5].label, None);
        assert_eq!(nearest.last().map(|(_, margin)| *margin), Some(-1.5));
    }

    #[test]
    fn a_score_at_the_threshold_is_on_its_upper_side() {
        assert_eq!(
            step_of(rounded(0.3 - 0.1 - 0.2)),
            0,
            "0.3 - 0.1 - 0.2 is less than 0 in floats"
        );
        assert_eq!(step_of(-0.05), -1);
        assert_eq!(step_of(f64::MAX), 100);
        let step = Step { number: -3, tally: Tally::default() };
        assert!((step.low() + 0.3).abs() < 1e-12 && (step.high() + 0.2).abs() < 1e-12);
    }
}
