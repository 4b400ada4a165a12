//! A few exchanges of a group, picked fairly and always the same ones.

use hashbrown::{HashMap, HashSet};

/// So many examples are shown of a group.
pub(super) const EXAMPLES: usize = 3;

/// An exchange that may become an example.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Its place among the flips.
    pub(super) flip: u32,
    pub(super) server: u32,
    pub(super) tool: u32,
    /// Whether there is a text to show.
    pub(super) text: Text,
}

/// Whether a side holds the judged text of an exchange; those that have one come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Text {
    Held,
    Absent,
}

/// What is known of a group while its exchanges go by.
#[derive(Debug, Default)]
pub(super) struct Picking {
    /// The best few of each server, best first.
    servers: HashMap<u32, Vec<(Text, u32)>>,
    tools: HashSet<(u32, u32)>,
}

impl Picking {
    /// Exchanges must come in order.
    pub(super) fn see(&mut self, candidate: Candidate) {
        let Candidate { flip, server, tool, text } = candidate;
        self.tools.insert((server, tool));
        let best = self.servers.entry(server).or_default();
        let place = best.partition_point(|(other, _)| *other <= text);
        if place < EXAMPLES {
            best.truncate(EXAMPLES - 1);
            best.insert(place, (text, flip));
        }
    }

    pub(super) fn servers(&self) -> u64 {
        self.servers.len() as u64
    }

    pub(super) fn tools(&self) -> u64 {
        self.tools.len() as u64
    }

    /// The examples: one of each server before a second of the same.
    pub(super) fn into_examples(self) -> Vec<u32> {
        let mut ranked: Vec<(usize, Text, u32)> = Vec::new();
        for best in self.servers.into_values() {
            let rounds = best.into_iter().enumerate();
            ranked.extend(rounds.map(|(round, (text, flip))| (round, text, flip)));
        }
        ranked.sort_unstable();
        ranked.into_iter().take(EXAMPLES).map(|(.., flip)| flip).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(candidates: &[(u32, Text)]) -> Vec<u32> {
        let mut picking = Picking::default();
        for (flip, (server, text)) in (0..).zip(candidates) {
            picking.see(Candidate { flip, server: *server, tool: 0, text: *text });
        }
        picking.into_examples()
    }

    #[test]
    fn one_of_each_server_before_a_second_of_the_same() {
        use Text::Absent;
        let crowd = [(7, Absent), (7, Absent), (7, Absent), (7, Absent), (8, Absent)];
        assert_eq!(picked(&crowd), [0, 4, 1]);
        let many: Vec<_> = (0..9).map(|server| (server, Absent)).collect();
        assert_eq!(picked(&many), [0, 1, 2]);
        assert_eq!(picked(&[(1, Absent)]), [0]);
        assert!(picked(&[]).is_empty());
    }

    #[test]
    fn those_with_a_text_come_first() {
        use Text::{Absent, Held};
        assert_eq!(picked(&[(1, Absent), (1, Held), (2, Absent), (3, Held)]), [1, 3, 2]);
        let late = [(1, Absent), (1, Absent), (1, Absent), (1, Held), (1, Held)];
        assert_eq!(picked(&late), [3, 4, 0]);
    }
}
