//! What became of an exchange between two sides, decided in one place.

use super::{Matched, Origin, Side};
use crate::check::judge_result::Decision;
use crate::store::NamedVerdict;
use crate::verdict::{Answer, Judgement, Outcome, Severity};
use std::collections::BTreeSet;

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Kind {
        Regressed = "regressed",
        /// It got better, and worse in no respect.
        Fixed = "fixed",
        /// The reply is the same, and other rules call it worse.
        Stricter = "stricter",
        /// The reply is the same, and other rules call it better.
        MoreLenient = "more_lenient",
        /// It got no better and no worse, but something else is said of it.
        Changed = "changed",
        Added = "added",
        Gone = "gone",
        Same = "same",
    }
}

impl Kind {
    /// What became of an exchange of which this was said before and that is said after; `None` where
    /// it is not there. A call of an error case was made to be refused.
    pub fn of(
        before: Option<&NamedVerdict>,
        after: Option<&NamedVerdict>,
        is_error_case: bool,
    ) -> Self {
        let (before, after) = match (before, after) {
            (None, None) => return Self::Same,
            (None, Some(_)) => return Self::Added,
            (Some(_), None) => return Self::Gone,
            (Some(before), Some(after)) => (before, after),
        };
        match of_outcomes(before.outcome, after.outcome, is_error_case) {
            Some(kind) => kind,
            None if before.says_the_same_as(after) => Self::Same,
            None if !after.outcome.tells() => Self::Changed,
            None if is_worse_within(before, after) => Self::Regressed,
            None if is_worse_within(after, before) => Self::Fixed,
            None => Self::Changed,
        }
    }

    /// Where only the rules differ: the server did nothing, so it neither regressed nor was fixed.
    #[must_use]
    pub fn by_rules(self) -> Self {
        match self {
            Self::Regressed => Self::Stricter,
            Self::Fixed => Self::MoreLenient,
            _ => self,
        }
    }

    #[must_use]
    pub fn words(self) -> &'static str {
        if self == Self::MoreLenient { "more lenient" } else { self.name() }
    }
}

/// Whether only rulebook, checks or program changed: request, reply and schema are the same.
pub(super) fn is_of_rules([before, after]: [&Side; 2], matched: Matched, origin: Origin) -> bool {
    let is_equal = matched == Matched::Exchange && origin != Origin::Schema;
    is_equal && !before.header.is_judged_like(&after.header)
}

/// What becoming another outcome is; `None` where it stays the same.
fn of_outcomes(before: Outcome, after: Outcome, is_error_case: bool) -> Option<Kind> {
    use Outcome::{Failed, Invalid, NotSent, Refused, Unknown, Worked};
    match (before, after) {
        (Worked, Refused) if is_error_case => Some(Kind::Fixed),
        (Refused, Worked) if is_error_case => Some(Kind::Regressed),
        (Worked | Refused, Failed | Invalid) | (Worked, Refused) => Some(Kind::Regressed),
        (Failed | Invalid, Worked | Refused) => Some(Kind::Fixed),
        (Refused, Worked)
        | (Failed, Invalid)
        | (Invalid, Failed)
        | (NotSent | Unknown, Failed | Invalid | Refused | Worked)
        | (Failed | Invalid | Refused | Worked, NotSent | Unknown)
        | (NotSent, Unknown)
        | (Unknown, NotSent) => Some(Kind::Changed),
        (NotSent, NotSent)
        | (Unknown, Unknown)
        | (Failed, Failed)
        | (Invalid, Invalid)
        | (Refused, Refused)
        | (Worked, Worked) => None,
    }
}

/// Whether it got worse in any respect although it ended in the same way.
fn is_worse_within(before: &NamedVerdict, after: &NamedVerdict) -> bool {
    fn has_more<'a>(
        before: impl Iterator<Item = &'a str>,
        mut after: impl Iterator<Item = &'a str>,
    ) -> bool {
        let known: BTreeSet<&str> = before.collect();
        after.any(|one| !known.contains(one))
    }
    let [earlier, later] = [before, after].map(|verdict| verdict.issues_of(Severity::Error));
    let [known, now] =
        [before, after].map(|verdict| verdict.criteria[1].iter().map(String::as_str));
    before.has_no_error() && !after.has_no_error()
        || gravity(before.decision()) < gravity(after.decision())
        || has_more(earlier, later)
        || has_more(known, now)
}

/// How little what was decided lets pass. Warnings let all of it pass.
fn gravity(decision: Decision) -> u8 {
    match decision {
        Decision::Accept | Decision::AcceptWithWarnings => 0,
        Decision::Review => 1,
        Decision::Reject => 2,
    }
}

impl NamedVerdict {
    pub fn judgement(&self) -> Judgement {
        let answer = Answer::listed(self.hidden_failure, self.business_logic);
        Judgement { outcome: self.outcome, class: self.class, answer }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::verdict;
    use super::*;

    fn ended(outcome: Outcome) -> NamedVerdict {
        NamedVerdict { outcome, ..verdict() }
    }

    fn of(before: &NamedVerdict, after: &NamedVerdict, is_error_case: bool) -> Kind {
        Kind::of(Some(before), Some(after), is_error_case)
    }

    /// Rows are outcomes before, columns outcomes after, both in their order: `-` worse, `+` better, `.`
    /// changed, `=` the same. `r` is worse, and changed in an error case; `w` changed, and worse in an error
    /// case.
    const TABLE: [&str; 6] = ["=.....", ".=....", "..=.++", "...=++", "..--=w", "..--r="];

    #[test]
    fn every_move_has_the_kind_of_the_table() {
        for (before, row) in Outcome::ALL.into_iter().zip(TABLE) {
            for (after, cell) in Outcome::ALL.into_iter().zip(row.chars()) {
                for is_error_case in [false, true] {
                    let expected = match (cell, is_error_case) {
                        ('=', _) => Kind::Same,
                        ('-', _) | ('r', false) | ('w', true) => Kind::Regressed,
                        ('+', _) | ('r', true) => Kind::Fixed,
                        _ => Kind::Changed,
                    };
                    let found = of(&ended(before), &ended(after), is_error_case);
                    assert_eq!(found, expected, "{before:?} -> {after:?} {is_error_case}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_there_before_or_after_never_is_a_regression() {
        for outcome in Outcome::ALL {
            assert_eq!(Kind::of(None, Some(&ended(outcome)), false), Kind::Added);
            assert_eq!(Kind::of(Some(&ended(outcome)), None, false), Kind::Gone);
        }
        assert_eq!(Kind::of(None, None, false), Kind::Same);
    }
}
