//! Changes of one kind, one cause and one transition, gathered, however sure the cause is.

use super::{ByLabels, Explanation, Group, Kind, Proof};
use crate::verdict::Judgement;
use hashbrown::{HashMap, HashSet};
use indexmap::IndexMap;
use std::cmp::Reverse;
use xxhash_rust::xxh3::xxh3_64;

/// So many hex digits name a group.
const DIGITS: usize = 8;
const EXAMPLES: usize = 3;

/// A change: its kind, its explanation, what was said before and after, and its number of exchanges.
type Changed = (Kind, Explanation, [Judgement; 2], u64);

/// What names a group: all that tells it from others, which is not how sure the cause is.
fn identity((kind, explanation, judgements, _): &Changed) -> String {
    let mut parts = vec![explanation.origin.name(), kind.name()];
    let judgements = judgements.map(|Judgement { outcome, class, answer }| {
        [outcome.name(), class.name(), answer.name()].join(" ")
    });
    parts.extend(judgements.iter().map(String::as_str));
    for cause in &explanation.causes {
        parts.extend([cause.kind.name(), &cause.name, &cause.change]);
    }
    parts.join("\u{0}")
}

/// The groups in the order in which they are shown, without examples, and the group of each change that has
/// one. A group is as sure of its cause as the least sure of its changes.
pub(super) fn grouped(
    changes: impl Iterator<Item = Option<Changed>>,
) -> (Vec<Group>, Vec<Option<u32>>) {
    let mut groups: IndexMap<String, Group> = IndexMap::new();
    let number_of = changes.map(|changed| {
        let one = changed?;
        let entry = groups.entry(identity(&one));
        let number = entry.index();
        let (kind, mut explanation, [from, to], exchanges) = one;
        let proof = std::mem::replace(&mut explanation.proof, Proof::Proved);
        let group = entry.or_insert_with(|| Group {
            id: String::new(),
            kind,
            explanation,
            from,
            to,
            exchanges: 0,
            servers: 0,
            tools: 0,
            by_labels: ByLabels::default(),
            examples: Vec::new(),
        });
        group.exchanges += exchanges;
        if proof > group.explanation.proof {
            group.explanation.proof = proof;
        }
        Some(number)
    });
    let number_of: Vec<Option<usize>> = number_of.collect();
    let mut namesakes: HashMap<String, u64> = HashMap::new();
    for (identity, group) in &mut groups {
        group.id = format!("{:016x}", xxh3_64(identity.as_bytes()));
        *namesakes.entry(group.id[..DIGITS].to_owned()).or_default() += 1;
    }
    // Where two hashes begin alike, which is rare, both are told whole.
    for group in groups.values_mut().filter(|group| namesakes[&group.id[..DIGITS]] == 1) {
        group.id.truncate(DIGITS);
    }
    let mut groups: Vec<(usize, Group)> = groups.into_values().enumerate().collect();
    groups.sort_by(|(_, one), (_, other)| {
        let rank = |group: &Group| (group.kind, Reverse(group.exchanges));
        rank(one).cmp(&rank(other)).then_with(|| one.id.cmp(&other.id))
    });
    let mut place = vec![0; groups.len()];
    (0..).zip(&groups).for_each(|(at, (number, _))| place[*number] = at);
    let group_of = number_of.into_iter().map(|number| Some(place[number?])).collect();
    (groups.into_iter().map(|(_, group)| group).collect(), group_of)
}

/// Whether no side holds the judged text of a flip, which comes later then, and the flip's number.
type Candidate = (bool, u32);

/// What is known of a group while its exchanges go by: a few examples, picked fairly and always the same ones.
#[derive(Debug, Default)]
pub(super) struct Picking {
    /// The best few of each server, best first.
    servers: HashMap<u32, Vec<Candidate>>,
    tools: HashSet<(u32, u32)>,
}

impl Picking {
    /// Exchanges must come in order.
    pub(super) fn see(&mut self, candidate: Candidate, server: u32, tool: u32) {
        self.tools.insert((server, tool));
        let best = self.servers.entry(server).or_default();
        let place = best.partition_point(|other| *other < candidate);
        if place < EXAMPLES {
            best.truncate(EXAMPLES - 1);
            best.insert(place, candidate);
        }
    }

    /// How many servers there are, and tools.
    pub(super) fn counts(&self) -> (u64, u64) {
        (self.servers.len() as u64, self.tools.len() as u64)
    }

    /// The examples: one of each server before a second of the same.
    pub(super) fn into_examples(self) -> Vec<u32> {
        let rounds = self.servers.into_values().flat_map(|best| (0..).zip(best));
        let mut ranked: Vec<(usize, Candidate)> = rounds.collect();
        ranked.sort_unstable();
        ranked.into_iter().take(EXAMPLES).map(|(_, (_, flip))| flip).collect()
    }
}
