//! From signals to an answer, how sure it is, and from many verdicts to one status per tool.

use super::matching::bits;
use super::{Condition, Decision, DecisionLine, Rulebook, StatusTest};
use crate::verdict::{Answer, Certainty, Classification, SignalSet, Weighing};

/// The answer to "is this error business logic?".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decided {
    /// True: the tool works and refused. False: the tool failed.
    pub business_logic: bool,
    pub weighing: Weighing,
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
        let (business_logic, threshold, line) = match applying.next() {
            None => (false, None, None),
            Some((DecisionLine { decision: Decision::Threshold(threshold), .. }, number)) => {
                (score >= *threshold, Some(*threshold), Some(number))
            }
            Some((DecisionLine { decision: Decision::Return(answer), .. }, number)) => {
                let later = applying.find_map(|(line, _)| match line.decision {
                    Decision::Threshold(threshold) => Some(threshold),
                    Decision::Return(_) => None,
                });
                (*answer, later, Some(number))
            }
        };
        Decided { business_logic, weighing: Weighing { score, threshold, line } }
    }

    /// The signals observed in errors that, changed alone, would change an answer.
    pub fn flipping_signals(&self, signals: SignalSet, business_logic: bool) -> Vec<usize> {
        let flips = |signal: &usize| {
            let changed = SignalSet(signals.0 ^ 1 << *signal);
            self.decide(changed).business_logic != business_logic
        };
        bits(self.error_signals.0).filter(flips).collect()
    }
}

/// A line of `[[certainty]]`. The first that is about an answer says how sure it is.
#[derive(Debug, Clone)]
pub struct CertaintyLine {
    pub name: String,
    pub answer: Answer,
    /// The decision line that has to have answered, as an index into the rulebook's; `None`: any.
    pub decided_by: Option<u16>,
    pub condition: Condition,
    pub curve: Curve,
}

/// A probability by the distance of the score from the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Where the score is the threshold.
    pub near: f64,
    /// Where the score is 1 away from it, or more.
    pub far: f64,
}

impl Curve {
    /// The bounds of what a rulebook may say: neither never nor always.
    pub(crate) const BOUNDS: std::ops::RangeInclusive<f64> = 0.001..=0.999;

    /// One probability at any distance.
    pub fn level(probability: f64) -> Self {
        Self { near: probability, far: probability }
    }

    pub fn is_level(self) -> bool {
        self.near.to_bits() == self.far.to_bits()
    }

    /// Between the two ends the logarithm of the odds changes evenly.
    pub fn at(self, distance: f64) -> f64 {
        if self.is_level() {
            return self.near;
        }
        let [near, far] = [self.near, self.far].map(|it| (it / (1.0 - it)).ln());
        let odds = (near + (far - near) * distance.clamp(0.0, 1.0)).exp();
        // No digit of which machines might disagree.
        (odds / (1.0 + odds) * 10_000.0).round() / 10_000.0
    }
}

impl Weighing {
    /// How far the score is from the threshold.
    pub fn distance(self) -> f64 {
        self.threshold.map_or(0.0, |threshold| (self.score - threshold).abs())
    }
}

impl Rulebook {
    /// How sure an answer is; `None` where no line is about it.
    pub(super) fn certainty_of(
        &self,
        answer: Answer,
        weighing: Option<Weighing>,
        signals: SignalSet,
    ) -> Option<Certainty> {
        let decided_by = weighing.and_then(|weighing| weighing.line);
        let is_about = |line: &CertaintyLine| {
            line.answer == answer
                && (line.decided_by.is_none() || line.decided_by == decided_by)
                && line.condition.holds(signals)
        };
        let at = self.certainty.iter().position(is_about)?;
        let value = self.certainty[at].curve.at(weighing.map_or(0.0, Weighing::distance));
        Some(Certainty { line: u16::try_from(at).ok()?, value })
    }
}

impl Rulebook {
    /// A tool's status, from how many of its exchanges are of each class (in the order of
    /// [`Classification::ALL`]) and how many of them were answered at all.
    pub fn tool_status(&self, classes: [u64; 5], answered: u64) -> Classification {
        let total: u64 = classes.iter().sum();
        let passed: u64 = Classification::ALL
            .iter()
            .zip(classes)
            .filter(|(class, _)| self.status.passes.contains(class))
            .map(|(_, count)| count)
            .sum();
        let holds = |test| match test {
            StatusTest::AllPassed => total > 0 && passed == total,
            StatusTest::PassedAbove(share) => passed as f64 > total as f64 * share,
            StatusTest::AnyAnswered => answered > 0,
            StatusTest::Always => true,
        };
        let line = self.status.lines.iter().find(|line| holds(line.test));
        line.map_or(Classification::Broken, |line| line.status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Classification::{Broken, ConnectivityOnly, FullyWorking, PartiallyWorking};

    #[test]
    fn a_curve_goes_evenly_from_near_to_far_in_the_logarithm_of_the_odds() {
        let curve = Curve { near: 0.5, far: 0.9 };
        // Odds of 1 and 9: halfway they are 3.
        let at = [0.0, 0.5, 1.0, 7.0].map(|distance| curve.at(distance).to_string());
        assert_eq!(at, ["0.5", "0.75", "0.9", "0.9"]);
        assert_eq!(Curve::level(0.97).at(0.3).to_bits(), 0.97_f64.to_bits());
    }

    #[test]
    fn a_tools_status_follows_from_the_share_that_passed() {
        let guide = Rulebook::builtin("guide").expect("built in");
        assert_eq!(guide.tool_status([4, 0, 0, 0, 0], 4), FullyWorking);
        assert_eq!(guide.tool_status([3, 1, 0, 0, 0], 4), PartiallyWorking);
        assert_eq!(guide.tool_status([2, 0, 0, 0, 2], 2), ConnectivityOnly);
        assert_eq!(guide.tool_status([0, 0, 0, 0, 2], 0), Broken);
        assert_eq!(guide.tool_status([0; 5], 0), Broken);
    }
}
