//! From many verdicts to one figure and one status per tool.

use super::{Overall, Rulebook, StatusTest};
use crate::verdict::Classification;

/// Averages confidences one at a time. The order of the additions decides the last bits of the
/// result, so exchanges must come in corpus order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OverallSum {
    weighted: f64,
    total: f64,
}

impl OverallSum {
    /// Adds the confidence of one exchange.
    pub fn add(&mut self, overall: &Overall, classification: Classification, confidence: f64) {
        let [working, partial, connectivity, error, broken] = overall.weights;
        let weight = match classification {
            Classification::FullyWorking => working,
            Classification::PartiallyWorking => partial,
            Classification::ConnectivityOnly => connectivity,
            Classification::Error => error,
            Classification::Broken => broken,
        };
        self.weighted += confidence * weight;
        self.total += 100.0;
    }

    /// The average, from 0 to 100 for confidences from 0 to 100.
    #[must_use]
    pub fn value(&self, overall: &Overall) -> f64 {
        if self.total == 0.0 { overall.empty } else { (self.weighted / self.total) * 100.0 }
    }
}

impl Rulebook {
    /// The overall confidence of exchanges in corpus order.
    #[must_use]
    pub fn overall_confidence(&self, results: impl Iterator<Item = (Classification, f64)>) -> f64 {
        let mut sum = OverallSum::default();
        for (classification, confidence) in results {
            sum.add(&self.overall, classification, confidence);
        }
        sum.value(&self.overall)
    }

    /// A tool's status, from how many of its exchanges are of each class (in the order of
    /// [`Classification::ALL`]) and how many of them were answered at all.
    #[must_use]
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
    fn the_guides_average_is_exactly_83() {
        let guide = Rulebook::builtin("guide").expect("built in");
        let scenarios = [(FullyWorking, 100.0), (PartiallyWorking, 70.0), (FullyWorking, 100.0)];
        let overall = guide.overall_confidence(scenarios.into_iter());
        assert_eq!(overall.to_bits(), 83.0_f64.to_bits());
        assert_eq!(guide.overall_confidence(std::iter::empty()).to_bits(), 0.0_f64.to_bits());
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
