//! A few exchanges of a group, picked fairly and always the same ones.

use hashbrown::{HashMap, HashSet};

pub(super) const EXAMPLES: usize = 3;

#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Its place among the flips.
    pub(super) flip: u32,
    pub(super) server: u32,
    pub(super) tool: u32,
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
