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
    use crate::cases;
    use xxhash_rust::xxh3::xxh3_64;

    #[test]
    fn questions_are_chosen_as_their_cases_say() {
        cases::check("tests/cases/next-labels.txt", |case| {
            let (mut candidates, mut known, mut wanted) = (Vec::new(), Vec::new(), 9);
            for line in case.text.lines() {
                let (words, text) = line.split_once(" | ").unwrap_or((line, ""));
                let (reply, sketch) = (xxh3_64(text.as_bytes()), Sketch::of(text));
                let number = |word: &str| word.parse().expect("a number");
                match words.split(' ').collect::<Vec<_>>()[..] {
                    ["wanted", count] => wanted = count.parse().expect("a number"),
                    ["labelled", server] => {
                        known.push(Known { server: number(server), reply, sketch });
                    }
                    [entry, server, steps, ref certainty @ ..] => {
                        let certainty = certainty.first().map(|it| it.parse().expect("a number"));
                        let steps = steps.parse().expect("a number");
                        let doubt = Doubt { certainty, steps, score: None };
                        let (entry, server) = (number(entry), number(server));
                        candidates.push(Candidate { entry, server, doubt, reply, sketch });
                    }
                    _ => panic!("neither a candidate nor a label: {line}"),
                }
            }
            let Chosen { questions, answered, left } = choose(candidates, &known, wanted);
            let asked = questions.iter().map(|it| format!("{:?} {:.2}\n", it.entries, it.likeness));
            asked.collect::<String>() + &format!("{answered} answered, {left} left")
        });
    }
}
