//! What became of an exchange between two sides, decided in one place.

use super::NamedVerdict;
use crate::verdict::{Answer, Classification};
use std::cmp::Ordering;

named! {
    /// What became of an exchange.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Kind {
        /// It stands worse than before: a worse class, or a failure that was none, or no longer valid.
        Regressed = "regressed",
        /// It stands better than before.
        Fixed = "fixed",
        /// It stands no better and no worse, but something else is said of it.
        Altered = "altered",
        Added = "added",
        /// It is no longer there.
        Gone = "gone",
        Same = "same",
    }
}

/// The class and the answer: what flips.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Standing {
    pub class: Classification,
    pub answer: Answer,
}

impl Kind {
    /// What became of an exchange of which this was said before and that is said after; `None` where
    /// it is not there.
    pub fn of(before: Option<&NamedVerdict>, after: Option<&NamedVerdict>) -> Self {
        match (before, after) {
            (None, None) => Self::Same,
            (None, Some(_)) => Self::Added,
            (Some(_), None) => Self::Gone,
            (Some(before), Some(after)) => match course(before, after) {
                Ordering::Less => Self::Regressed,
                Ordering::Greater => Self::Fixed,
                Ordering::Equal if before.says_the_same_as(after) => Self::Same,
                Ordering::Equal => Self::Altered,
            },
        }
    }
}

/// Whether it got worse (`Less`) or better (`Greater`): the class decides, then the answer, then
/// whether the reply indicates a working tool.
fn course(before: &NamedVerdict, after: &NamedVerdict) -> Ordering {
    let (from, to) = (before.standing(), after.standing());
    // Classes are ordered best first.
    let class = from.class.cmp(&to.class);
    class.then(course_of_answers(from.answer, to.answer)).then(after.is_valid.cmp(&before.is_valid))
}

/// Whether an answer is followed by a worse one (`Less`) or a better one (`Greater`). That a question begins
/// to be asked, or is no longer asked, is neither.
fn course_of_answers(from: Answer, to: Answer) -> Ordering {
    use Answer::{BusinessLogic, Fine, HiddenFailure, NotAsked, ToolFailure};
    match (from, to) {
        (BusinessLogic, ToolFailure) | (NotAsked | Fine | BusinessLogic, HiddenFailure) => {
            Ordering::Less
        }
        (ToolFailure, BusinessLogic) | (HiddenFailure, NotAsked | Fine | BusinessLogic) => {
            Ordering::Greater
        }
        (NotAsked | Fine | BusinessLogic, NotAsked | Fine | BusinessLogic)
        | (NotAsked | Fine, ToolFailure)
        | (ToolFailure, NotAsked | Fine)
        | (ToolFailure | HiddenFailure, ToolFailure | HiddenFailure) => Ordering::Equal,
    }
}

impl NamedVerdict {
    /// The class and the answer: what flips.
    pub fn standing(&self) -> Standing {
        let answer = Answer::listed(self.hidden_failure, self.business_logic);
        Standing { class: self.class, answer }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::said;
    use super::*;

    /// Rows are answers before, columns answers after: `-` worse, `+` better, `.` neither.
    const COURSES: [[char; 4]; 4] =
        [['.', '.', '.', '-'], ['.', '.', '-', '-'], ['.', '+', '.', '.'], ['+', '+', '.', '.']];

    fn standing(class: Classification, answer: Answer, is_valid: bool) -> NamedVerdict {
        NamedVerdict {
            class,
            is_valid,
            business_logic: match answer {
                Answer::NotAsked | Answer::Fine | Answer::HiddenFailure => None,
                Answer::BusinessLogic => Some(true),
                Answer::ToolFailure => Some(false),
            },
            hidden_failure: (answer == Answer::HiddenFailure).then_some(true),
            ..said()
        }
    }

    fn all() -> Vec<(usize, usize, bool, NamedVerdict)> {
        let mut all = Vec::new();
        for (rank, class) in Classification::ALL.into_iter().enumerate() {
            for (row, answer) in Answer::LISTED.into_iter().enumerate() {
                for valid in [true, false] {
                    all.push((rank, row, valid, standing(class, answer, valid)));
                }
            }
        }
        all
    }

    #[test]
    fn every_combination_has_the_kind_of_the_table() {
        for (rank, row, valid, before) in all() {
            for (other_rank, column, other_valid, after) in all() {
                let by_class = match other_rank.cmp(&rank) {
                    Ordering::Less => '+',
                    Ordering::Greater => '-',
                    Ordering::Equal => '.',
                };
                let by_validity = match (valid, other_valid) {
                    (true, false) => '-',
                    (false, true) => '+',
                    (true, true) | (false, false) => '.',
                };
                let votes = [by_class, COURSES[row][column], by_validity];
                let expected = match votes.into_iter().find(|vote| *vote != '.') {
                    Some('-') => Kind::Regressed,
                    Some(_) => Kind::Fixed,
                    None if row == column => Kind::Same,
                    None => Kind::Altered,
                };
                let found = Kind::of(Some(&before), Some(&after));
                assert_eq!(found, expected, "{before:?}\n{after:?}");
            }
        }
    }

    #[test]
    fn what_is_not_there_before_or_after_never_is_a_regression() {
        for (.., said) in all() {
            assert_eq!(Kind::of(None, Some(&said)), Kind::Added);
            assert_eq!(Kind::of(Some(&said), None), Kind::Gone);
        }
        assert_eq!(Kind::of(None, None), Kind::Same);
    }

    #[test]
    fn whatever_else_is_said_differently_is_altered() {
        let before = said();
        let changes: [fn(&mut NamedVerdict); 8] = [
            |said| said.score = Some(0.25),
            |said| said.confidence = 12.5,
            |said| said.decided_by = Some("another line".to_owned()),
            |said| said.error_kind = Some("timeout".to_owned()),
            |said| said.facts = vec!["says_not_found".to_owned()],
            |said| said.hits = vec!["list/pattern".to_owned()],
            |said| said.issues = vec!["error no_reply".to_owned()],
            |said| said.criteria[1] = vec!["short answers".to_owned()],
        ];
        for change in changes {
            let mut after = before.clone();
            change(&mut after);
            assert_eq!(Kind::of(Some(&before), Some(&after)), Kind::Altered, "{after:?}");
        }
    }
}
