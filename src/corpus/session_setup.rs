//! How a session was set up before its first call.

use crate::recording::{EndedSession, LinePosition, Started};
use std::collections::BTreeSet;

/// Bytes of names of called tools that a session keeps.
const MAX_CALLED: usize = 64 << 10;

/// What a session did besides calling tools.
#[derive(Debug, Default)]
pub(super) struct Setup {
    /// Whether it may be the rest of a session that was ended to make room.
    is_rest: bool,
    /// Where the session last listed tools, or else where it begins.
    pub(super) place: LinePosition,
    pub(super) recorded_at: Option<String>,
    has_answer: bool,
    has_list: bool,
    /// Settled with the first call.
    start: Option<Started>,
    called: BTreeSet<String>,
    held: usize,
}

impl Setup {
    pub(super) fn new(is_rest: bool, place: LinePosition, at: Option<&str>) -> Self {
        Self { is_rest, place, recorded_at: at.map(str::to_owned), ..Self::default() }
    }

    /// The server answered `initialize`.
    pub(super) fn initialized(&mut self) {
        self.has_answer = true;
    }

    pub(super) fn listed(&mut self, place: LinePosition, at: Option<&str>) {
        self.has_list = true;
        self.place = place;
        self.recorded_at = at.map(str::to_owned);
    }

    pub(super) fn called(&mut self, tool: &str) {
        let start = self.so_far();
        self.start.get_or_insert(start);
        if self.held + tool.len() <= MAX_CALLED && !self.called.contains(tool) {
            self.held += tool.len();
            self.called.insert(tool.to_owned());
        }
    }

    /// What is known at its end. A session that may have begun earlier says nothing of its beginning.
    pub(super) fn ended(&self, mut listed: Vec<String>) -> Option<EndedSession> {
        listed.sort_unstable();
        (!self.is_rest).then(|| EndedSession {
            start: self.start.unwrap_or_else(|| self.so_far()),
            listed: self.has_list.then_some(listed),
            called: self.called.iter().cloned().collect(),
        })
    }

    fn so_far(&self) -> Started {
        if self.has_answer { Started::Initialized } else { Started::NotInitialized }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_session_says_nothing_of_its_beginning() {
        assert!(Setup::new(true, LinePosition::default(), None).ended(Vec::new()).is_none());
    }

    #[test]
    fn names_of_called_tools_are_kept_within_a_bound() {
        let mut setup = Setup::default();
        (0..5_000).for_each(|number| setup.called(&format!("{number:0>100}")));
        assert!(setup.held <= MAX_CALLED && setup.called.len() == MAX_CALLED / 100);
    }
}
