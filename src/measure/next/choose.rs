//! Which exchanges are most worth a label.

use super::{Doubt, Sketch};
use indexmap::IndexMap;
use std::cmp::Ordering;
use std::collections::HashSet;

/// A reply that is that much like one with a label says little that is new.
const STALE: f64 = 0.8;

/// An exchange that could be asked about.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its place among the exchanges.
    pub entry: u32,
    pub server: u32,
    pub doubt: Doubt,
    /// Hash of its reply.
    pub reply: u64,
    pub sketch: Sketch,
}

/// An exchange that has a label.
#[derive(Clone, Debug)]
pub struct Known {
    pub server: u32,
    /// Hash of its reply.
    pub reply: u64,
    pub sketch: Sketch,
}

/// An exchange to be asked about, and those of the same server with an equal reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The exchanges; the first is shown.
    pub entries: Vec<u32>,
    pub doubt: Doubt,
    /// How much its reply is like one with a label, or like one that is asked about earlier.
    pub likeness: f64,
    server: u32,
    sketch: Sketch,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chosen {
    /// The questions, in the order in which they are to be asked.
    pub questions: Vec<Question>,
    /// How many exchanges reply just what one of the same server replies that has a label.
    pub answered: usize,
    /// How many questions are left.
    pub left: usize,
}

impl Question {
    /// Least certain first, then least like any with a label; what is much like one comes last.
    fn order(&self, other: &Self) -> Ordering {
        let is_stale = |question: &Self| question.likeness >= STALE;
        is_stale(self)
            .cmp(&is_stale(other))
            .then(self.doubt.order(other.doubt))
            .then(self.likeness.total_cmp(&other.likeness))
            .then(self.entries[0].cmp(&other.entries[0]))
    }

    fn hears_of(&mut self, sketch: &Sketch) {
        self.likeness = self.likeness.max(self.sketch.likeness(sketch));
    }
}

/// Picks questions. Servers take turns, so that none gives most of the labels.
pub fn choose(candidates: Vec<Candidate>, known: &[Known], wanted: usize) -> Chosen {
    let labelled: HashSet<(u32, u64)> =
        known.iter().map(|known| (known.server, known.reply)).collect();
    let mut chosen = Chosen::default();
    let mut groups: IndexMap<(u32, u64), Question> = IndexMap::new();
    for Candidate { entry, server, doubt, reply, sketch } in candidates {
        if labelled.contains(&(server, reply)) {
            chosen.answered += 1;
            continue;
        }
        let question = groups.entry((server, reply)).or_insert_with(|| Question {
            entries: Vec::new(),
            doubt,
            likeness: 0.0,
            server,
            sketch,
        });
        if doubt.order(question.doubt) == Ordering::Less {
            question.doubt = doubt;
        }
        question.entries.push(entry);
    }
    let mut open: Vec<Question> = groups.into_values().collect();
    for question in &mut open {
        question.entries.sort_unstable();
        for known in known {
            question.hears_of(&known.sketch);
        }
    }
    while chosen.questions.len() < wanted && !open.is_empty() {
        // A round: each server's best, best first.
        open.sort_by(Question::order);
        let mut asked = HashSet::new();
        let (mut round, rest): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|question| asked.insert(question.server));
        let room = wanted - chosen.questions.len();
        open = round.split_off(room.min(round.len()));
        open.extend(rest);
        for question in &mut open {
            for asked in &round {
                question.hears_of(&asked.sketch);
            }
        }
        chosen.questions.extend(round);
    }
    chosen.left = open.len();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(entry: u32, server: u32, steps: f64, text: &str) -> Candidate {
        let reply = xxhash_rust::xxh3::xxh3_64(text.as_bytes());
        let doubt = Doubt { certainty: None, steps, score: None };
        Candidate { entry, server, doubt, reply, sketch: Sketch::of(text) }
    }

    fn asked(chosen: &Chosen) -> Vec<Vec<u32>> {
        chosen.questions.iter().map(|question| question.entries.clone()).collect()
    }

    #[test]
    fn the_nearest_come_first_and_servers_take_turns() {
        let candidates = vec![
            candidate(0, 1, 0.1, "the user was not found"),
            candidate(1, 1, 0.2, "connection refused by the database"),
            candidate(2, 2, 0.9, "a quota was used up today"),
            candidate(3, 3, f64::INFINITY, "it is sunny and warm outside"),
        ];
        let chosen = choose(candidates, &[], 3);
        assert_eq!(asked(&chosen), [[0], [2], [3]]);
        assert_eq!(chosen.left, 1);
    }

    #[test]
    fn the_least_certain_comes_first_however_near_others_are_to_flipping() {
        let with = |certainty, mut candidate: Candidate| {
            candidate.doubt.certainty = certainty;
            candidate
        };
        let candidates = vec![
            with(None, candidate(0, 1, 0.1, "the user was not found")),
            with(Some(0.97), candidate(1, 2, 0.1, "connection refused by the database")),
            with(Some(0.45), candidate(2, 3, 9.0, "a quota was used up today")),
        ];
        assert_eq!(asked(&choose(candidates, &[], 9)), [[2], [1], [0]]);
    }

    #[test]
    fn equal_replies_are_asked_once_and_those_with_a_label_not_at_all() {
        let one = candidate(0, 1, 1.0, "the user was not found");
        let again = candidate(4, 1, 0.5, "the user was not found");
        let elsewhere = candidate(7, 2, 1.0, "the user was not found");
        let chosen = choose(vec![one.clone(), elsewhere.clone(), again], &[], 9);
        assert_eq!(asked(&chosen), [vec![0, 4], vec![7]]);
        let known = Known { server: 1, reply: one.reply, sketch: one.sketch.clone() };
        let chosen = choose(vec![one, elsewhere], &[known], 9);
        assert_eq!((asked(&chosen), chosen.answered), (vec![vec![7]], 1));
        assert!(chosen.questions[0].likeness > 0.99);
    }

    #[test]
    fn what_is_much_like_a_label_comes_last() {
        let candidates = vec![
            candidate(0, 1, 0.0, "user 1 was not found in the table"),
            candidate(1, 1, 1.0, "the disk is full"),
            candidate(2, 1, 1.0, "segmentation fault"),
        ];
        let label = candidate(9, 2, 0.0, "user 2 was not found in the table");
        let known = Known { server: 2, reply: label.reply, sketch: label.sketch };
        assert_eq!(asked(&choose(candidates, &[known], 9)), [[1], [2], [0]]);
    }
}
