//! From many verdicts to one status per tool.

use super::{Rulebook, StatusTest};
use crate::verdict::Classification;

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
    fn a_tools_status_follows_from_the_share_that_passed() {
        let guide = Rulebook::builtin("guide").expect("built in");
        assert_eq!(guide.tool_status([4, 0, 0, 0, 0], 4), FullyWorking);
        assert_eq!(guide.tool_status([3, 1, 0, 0, 0], 4), PartiallyWorking);
        assert_eq!(guide.tool_status([2, 0, 0, 0, 2], 2), ConnectivityOnly);
        assert_eq!(guide.tool_status([0, 0, 0, 0, 2], 0), Broken);
        assert_eq!(guide.tool_status([0; 5], 0), Broken);
    }
}
