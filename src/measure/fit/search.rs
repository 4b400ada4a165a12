//! The search for numbers: one after the other, each to its best value, from several places.

use super::{Cell, Line};
use super::{Counts, Settings};
use crate::labels::Class;
use crate::rulebook::{Decision, Rulebook};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use std::collections::BTreeSet;

/// What a changed number has to bring. Below it, what its author wrote is worth more.
const CHANGE: f64 = 0.01;
/// What a weight has to bring that becomes 0: less is easier to read.
const ZERO: f64 = 0.0025;
/// How much it counts how far from the threshold scores are, on their right side: less than any change.
const MARGIN: f64 = 0.002;
/// A gain that is no rounding.
const GAIN: f64 = 1e-9;
/// Places that the search starts from beside the numbers that are given.
const RESTARTS: usize = 4;
/// Passes over all numbers, at most.
const PASSES: usize = 24;

/// The numbers of a rulebook that are fitted: the weights of its factors, then the thresholds of its decision
/// lines, 0 where a line has none.
pub(super) fn numbers(rulebook: &Rulebook) -> Vec<f64> {
    let thresholds = rulebook.decide.iter().map(|line| match line.decision {
        Decision::Threshold(threshold) => threshold,
        Decision::Return(_) => 0.0,
    });
    rulebook.factors.iter().map(|factor| factor.weight).chain(thresholds).collect()
}

pub(super) fn with_numbers(rulebook: &Rulebook, numbers: &[f64]) -> Rulebook {
    let mut rulebook = rulebook.clone();
    let (weights, thresholds) = numbers.split_at(rulebook.factors.len());
    for (factor, weight) in rulebook.factors.iter_mut().zip(weights) {
        factor.weight = *weight;
    }
    for (line, number) in rulebook.decide.iter_mut().zip(thresholds) {
        if let Decision::Threshold(threshold) = &mut line.decision {
            *threshold = *number;
        }
    }
    rulebook
}

pub(super) struct Search<'a> {
    cells: &'a [Cell],
    rulebook: &'a Rulebook,
    settings: &'a Settings,
    given: &'a [f64],
    /// The numbers that some cell depends on: factors, and lines.
    factors: Vec<usize>,
    lines: Vec<usize>,
    /// The weight of the failures and of the others.
    classes: [f64; 2],
}

impl<'a> Search<'a> {
    pub(super) fn new(
        cells: &'a [Cell],
        rulebook: &'a Rulebook,
        settings: &'a Settings,
        given: &'a [f64],
    ) -> Self {
        let mut classes = [0.0; 2];
        let (mut factors, mut lines) = (BTreeSet::new(), BTreeSet::new());
        for cell in cells {
            classes[usize::from(cell.label != Class::Failed)] += cell.weight;
            if let Line::Threshold(line) = cell.line {
                lines.insert(line);
                factors.extend(&cell.factors);
            }
        }
        let (factors, lines) = (factors.into_iter().collect(), lines.into_iter().collect());
        Self { cells, rulebook, settings, given, factors, lines, classes }
    }

    /// The place of a line's threshold among the numbers.
    fn at(&self, line: usize) -> usize {
        self.rulebook.factors.len() + line
    }

    /// The score of a cell, added up as the rulebook adds it up.
    fn score(&self, cell: &Cell, numbers: &[f64]) -> f64 {
        let sum = cell.factors.iter().fold(0.0, |sum, factor| sum + numbers[*factor]);
        let score = sum / self.rulebook.denominator;
        if self.rulebook.clamp { score.min(1.0) } else { score }
    }

    fn objective(&self, numbers: &[f64]) -> f64 {
        let mut counts = Counts::default();
        for cell in self.cells {
            let answer = match cell.line {
                Line::Settled(answer) => answer,
                Line::Threshold(line) if self.score(cell, numbers) >= numbers[self.at(line)] => {
                    Class::Refused
                }
                Line::Threshold(_) => Class::Failed,
            };
            counts.add(cell.label, answer, cell.weight);
        }
        self.settings.objective.of(&counts)
    }

    /// How clearly scores are on their right side of the threshold: 1 less the logistic loss in which
    /// both classes count the same.
    fn clearness(&self, numbers: &[f64]) -> f64 {
        let mut loss = 0.0;
        for cell in self.cells {
            let Line::Threshold(line) = cell.line else { continue };
            let is_failure = cell.label == Class::Failed;
            let distance =
                (self.score(cell, numbers) - numbers[self.at(line)]) * self.rulebook.denominator;
            let right = if is_failure { -distance } else { distance };
            let class = self.classes[usize::from(!is_failure)];
            loss += cell.weight / class / 2.0 * (-right).exp().ln_1p();
        }
        1.0 - loss
    }

    /// What it costs to change the given numbers into these.
    fn cost(&self, numbers: &[f64]) -> f64 {
        let changed = numbers.iter().zip(self.given).enumerate();
        let changed = changed.filter(|(_, (one, other))| one.to_bits() != other.to_bits());
        let is_weight = |at: usize| at < self.rulebook.factors.len();
        let cost =
            changed.map(|(at, (one, _))| if is_weight(at) && *one == 0.0 { ZERO } else { CHANGE });
        cost.sum()
    }

    /// What the search makes as great as possible.
    fn worth(&self, numbers: &[f64]) -> f64 {
        self.objective(numbers) + MARGIN * self.clearness(numbers) - self.cost(numbers)
    }

    /// The best numbers that are found, starting from those that are given and from others.
    pub(super) fn best(&self) -> Vec<f64> {
        let mut random = ChaCha8Rng::seed_from_u64(self.settings.seed);
        let mut best = self.climb(self.given.to_vec());
        for _ in 0..RESTARTS {
            let mut start = best.0.clone();
            for factor in &self.factors {
                if random.next_u32() % 3 == 0 {
                    let values = self.weights_to_try(*factor);
                    start[*factor] = values[random.next_u32() as usize % values.len()];
                }
            }
            let other = self.climb(start);
            if other.1 > best.1 + GAIN {
                best = other;
            }
        }
        best.0
    }

    /// Takes one number after the other to its best value until nothing gets better.
    fn climb(&self, numbers: Vec<f64>) -> (Vec<f64>, f64) {
        let worth = self.worth(&numbers);
        let mut best = (numbers, worth);
        for _ in 0..PASSES {
            let before = best.1;
            for factor in &self.factors {
                for weight in self.weights_to_try(*factor) {
                    let mut other = best.0.clone();
                    other[*factor] = weight;
                    self.keep_better(&mut best, other);
                }
            }
            let same = best.0.clone();
            self.keep_better(&mut best, same);
            if best.1 <= before + GAIN {
                break;
            }
        }
        best
    }

    /// Takes other weights, as they are or with the best thresholds for them, if that is better.
    fn keep_better(&self, best: &mut (Vec<f64>, f64), mut other: Vec<f64>) {
        let mut worth = self.worth(&other);
        let mut keep = |other: &Vec<f64>, worth: f64| {
            if worth > best.1 + GAIN {
                *best = (other.clone(), worth);
            }
        };
        keep(&other, worth);
        for line in &self.lines {
            for threshold in self.thresholds_to_try(*line, &other) {
                let mut another = other.clone();
                another[self.at(*line)] = threshold;
                let found = self.worth(&another);
                if found > worth + GAIN {
                    (other, worth) = (another, found);
                }
            }
            keep(&other, worth);
        }
    }

    /// The weights that a factor may get, its own first. What speaks for refusals in its author's eyes
    /// does not come to speak against them: that would be chance more often than truth.
    fn weights_to_try(&self, factor: usize) -> Vec<f64> {
        let own = self.given[factor];
        let Settings { largest, step, .. } = self.settings;
        let largest = largest.max(own.abs());
        #[expect(clippy::cast_possible_truncation, reason = "whole, and 64 at most")]
        let steps = (largest / step).floor().min(64.0) as i32;
        let multiples = (-steps..=steps).map(|at| f64::from(at) * step);
        let others =
            multiples.filter(|weight| weight.to_bits() != own.to_bits() && weight * own >= 0.0);
        [own].into_iter().chain(others).collect()
    }

    /// The thresholds of a line that tell its scores apart in different ways, that of its author first.
    fn thresholds_to_try(&self, line: usize, numbers: &[f64]) -> Vec<f64> {
        let cells = self.cells.iter().filter(|cell| cell.line == Line::Threshold(line));
        let mut scores: Vec<f64> = cells.map(|cell| self.score(cell, numbers)).collect();
        scores.sort_unstable_by(f64::total_cmp);
        scores.dedup();
        let below = scores.first().map_or(0.0, |least| least - 1.0);
        let above = scores.last().map_or(0.0, |most| most + 1.0);
        let ends: Vec<f64> = [below].into_iter().chain(scores).chain([above]).collect();
        let between = ends.windows(2).filter_map(|pair| readable_between(pair[0], pair[1]));
        [self.given[self.at(line)]].into_iter().chain(between).collect()
    }
}

/// The threshold of fewest digits above `low` and not above `high`, nearest to their middle.
fn readable_between(low: f64, high: f64) -> Option<f64> {
    let (low, high) = (low.max(-1.0), high.min(1.0));
    let middle = f64::midpoint(low.max(0.0), high);
    [1.0, 2.0, 10.0, 20.0, 100.0, 1000.0].into_iter().find_map(|parts| {
        let near = (middle * parts).round();
        let tries = [near, near - 1.0, near + 1.0].map(|at| at / parts);
        tries.into_iter().find(|at| (0.0..=1.0).contains(at) && *at > low && *at <= high)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_have_few_digits() {
        let cases = [
            ((0.0, 0.5), Some(0.5)),
            ((0.0, 0.45), Some(0.2)),
            ((0.2, 0.3), Some(0.3)),
            ((0.26, 0.29), Some(0.28)),
            ((-0.5, 0.0), Some(0.0)),
            ((-0.5, -0.25), None),
            ((0.75, 2.0), Some(1.0)),
            ((1.0, 2.0), None),
        ];
        for ((low, high), wanted) in cases {
            assert_eq!(readable_between(low, high), wanted, "{low}..{high}");
        }
    }
}
