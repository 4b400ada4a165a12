//! Decisions about a group and about single exchanges of it.

use std::collections::BTreeMap;

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum What {
        /// What is said now is right: the baseline takes it.
        Accept = "accept",
        /// What was said before is right: the baseline keeps it.
        Reject = "reject",
        /// Later.
        Skip = "skip",
    }
}

impl What {
    /// What was done, in words.
    pub fn done(self) -> &'static str {
        match self {
            Self::Accept => "accepted",
            Self::Reject => "rejected",
            Self::Skip => "skipped",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub what: What,
    pub note: Option<String>,
    pub who: String,
    /// When (RFC 3339).
    pub when: String,
    /// Whether files say so already.
    pub written: bool,
}

/// What was decided about a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// About all of it, save for the exchanges that were decided one by one.
    pub whole: Option<Decision>,
    /// About single exchanges, by their place in the group.
    pub single: BTreeMap<u32, Decision>,
    /// A note that nothing was decided with yet.
    pub note: Option<String>,
}

impl State {
    /// What was decided about an exchange of the group.
    pub fn of(&self, place: u32) -> Option<&Decision> {
        self.single.get(&place).or(self.whole.as_ref())
    }

    pub fn counts(&self, exchanges: u64) -> Counts {
        let mut counts = Counts::default();
        let mut rest = exchanges;
        for decision in self.single.values() {
            *counts.of(Some(decision.what)) += 1;
            rest = rest.saturating_sub(1);
        }
        *counts.of(self.whole.as_ref().map(|decision| decision.what)) += rest;
        counts
    }
}

/// Exchanges by what was decided about them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub accepted: u64,
    pub rejected: u64,
    pub skipped: u64,
    pub open: u64,
}

impl Counts {
    fn of(&mut self, what: Option<What>) -> &mut u64 {
        match what {
            Some(What::Accept) => &mut self.accepted,
            Some(What::Reject) => &mut self.rejected,
            Some(What::Skip) => &mut self.skipped,
            None => &mut self.open,
        }
    }

    pub fn of_kind(mut self, what: What) -> u64 {
        *self.of(Some(what))
    }

    pub fn add(&mut self, other: Self) {
        self.accepted += other.accepted;
        self.rejected += other.rejected;
        self.skipped += other.skipped;
        self.open += other.open;
    }

    pub fn all(self) -> u64 {
        self.accepted + self.rejected + self.skipped + self.open
    }

    /// Those that somebody still has to decide about.
    pub fn left(self) -> u64 {
        self.skipped + self.open
    }

    /// What was decided about all of them alike; `None` where they differ or are open.
    pub fn alike(self) -> Option<What> {
        let all = self.all();
        [(What::Accept, self.accepted), (What::Reject, self.rejected), (What::Skip, self.skipped)]
            .into_iter()
            .find_map(|(what, count)| (count == all && all > 0).then_some(what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(what: What) -> Decision {
        let (who, when) = ("ann".to_owned(), "2026-11-21T20:00:00Z".to_owned());
        Decision { what, note: None, who, when, written: false }
    }

    #[test]
    fn single_decisions_stand_above_that_of_the_group() {
        let mut state = State::default();
        state.single.insert(2, decision(What::Reject));
        assert_eq!(state.counts(5), Counts { rejected: 1, open: 4, ..Counts::default() });
        state.whole = Some(decision(What::Accept));
        let counts = state.counts(5);
        assert_eq!(counts, Counts { rejected: 1, accepted: 4, ..Counts::default() });
        assert_eq!((counts.left(), counts.alike()), (0, None));
        assert_eq!(state.of(2).map(|decision| decision.what), Some(What::Reject));
        assert_eq!(state.of(3).map(|decision| decision.what), Some(What::Accept));
    }
}
