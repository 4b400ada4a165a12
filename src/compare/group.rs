//! Changes of one kind, one cause and one transition, gathered, however sure the cause is.

use super::{Cause, Explanation, Kind, Proof, Standing};
use crate::store::NamedVerdict;
use hashbrown::HashMap;
use indexmap::IndexMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

/// So many hex digits name a group.
const DIGITS: usize = 8;

/// What the exchanges of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Common {
    pub(super) kind: Kind,
    pub(super) explanation: Explanation,
    pub(super) from: Standing,
    pub(super) to: Standing,
}

impl Common {
    pub(super) fn of(
        kind: Kind,
        explanation: Explanation,
        [before, after]: [&NamedVerdict; 2],
    ) -> Self {
        Self { kind, explanation, from: before.standing(), to: after.standing() }
    }

    /// What names the group: all that tells it from others, which is not how sure the cause is.
    fn identity(&self) -> String {
        let standing = |Standing { outcome, class, answer }: Standing| {
            [outcome.name(), class.name(), answer.name()].join(" ")
        };
        let origin = self.explanation.origin.name();
        let mut parts = vec![
            origin.to_owned(),
            self.kind.name().to_owned(),
            standing(self.from),
            standing(self.to),
        ];
        for Cause { kind, name, change } in &self.explanation.causes {
            parts.extend([kind.name().to_owned(), name.clone(), change.clone()]);
        }
        parts.join("\u{0}")
    }
}

/// A group without its examples.
#[derive(Debug)]
pub(super) struct Bare {
    pub(super) id: String,
    pub(super) common: Common,
    pub(super) exchanges: u64,
}

/// Gathers changes, each with what it has in common with others and its number of exchanges. Returns
/// the groups in the order in which they are shown, and the group of each change. A group is as sure
/// of its cause as the least sure of its changes.
pub(super) fn gather(changes: Vec<(Common, u64)>) -> (Vec<Bare>, Vec<u32>) {
    let mut sizes: IndexMap<Common, (u64, Proof)> = IndexMap::new();
    let mut group_of = Vec::with_capacity(changes.len());
    for (mut common, exchanges) in changes {
        let proof = std::mem::replace(&mut common.explanation.proof, Proof::Proved);
        let group = sizes.entry(common);
        group_of.push(group.index());
        let (size, weakest) = group.or_insert((0, Proof::Proved));
        *size += exchanges;
        if proof > *weakest {
            *weakest = proof;
        }
    }
    let ids = ids(sizes.keys());
    let groups = sizes.into_iter().map(|(mut common, (exchanges, proof))| {
        let id = ids.get(&common).cloned().unwrap_or_default();
        common.explanation.proof = proof;
        Bare { id, common, exchanges }
    });
    let mut groups: Vec<(usize, Bare)> = groups.enumerate().collect();
    groups.sort_by(|(_, one), (_, other)| {
        let rank = |group: &Bare| (group.common.kind, Reverse(group.exchanges));
        rank(one).cmp(&rank(other)).then_with(|| one.id.cmp(&other.id))
    });
    let mut place = vec![0; groups.len()];
    for (at, (number, _)) in (0..).zip(&groups) {
        place[*number] = at;
    }
    let group_of = group_of.into_iter().map(|number| place[number]).collect();
    (groups.into_iter().map(|(_, group)| group).collect(), group_of)
}

/// The names of groups. Where two hashes begin alike, which is rare, both are told whole.
fn ids<'c>(groups: impl Iterator<Item = &'c Common>) -> HashMap<Common, String> {
    let mut namesakes: BTreeMap<String, Vec<(String, &Common)>> = BTreeMap::new();
    for common in groups {
        let hash = format!("{:016x}", xxh3_64(common.identity().as_bytes()));
        namesakes.entry(hash[..DIGITS].to_owned()).or_default().push((hash, common));
    }
    let mut ids = HashMap::new();
    for (short, commons) in namesakes {
        let is_alone = commons.len() == 1;
        for (hash, common) in commons {
            ids.insert(common.clone(), if is_alone { short.clone() } else { hash });
        }
    }
    ids
}
