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

#[cfg(test)]
mod tests {
    use super::super::samples::{error, verdict};
    use super::super::{CauseKind, Origin};
    use super::*;
    use crate::verdict::Classification;

    fn common(kind: Kind, cause: &str, change: &str) -> Common {
        let cause =
            Cause { kind: CauseKind::Pattern, name: cause.to_owned(), change: change.to_owned() };
        let explanation =
            Explanation { origin: Origin::Rulebook, causes: vec![cause], proof: Proof::Proved };
        Common::of(kind, explanation, [&verdict(), &error(Classification::Error, false)])
    }

    #[test]
    fn worst_first_then_largest_and_names_last_beyond_today() {
        let changes = vec![
            (common(Kind::Changed, "list/a", "a"), 900),
            (common(Kind::Regressed, "list/b", "b"), 3),
            (common(Kind::Regressed, "list/c", "c"), 5),
            (common(Kind::Regressed, "list/b", "b"), 4),
        ];
        let (groups, group_of) = gather(changes.clone());
        let shown: Vec<_> = groups
            .iter()
            .map(|group| (group.common.explanation.causes[0].name.as_str(), group.exchanges))
            .collect();
        assert_eq!(shown, [("list/b", 7), ("list/c", 5), ("list/a", 900)]);
        assert_eq!(group_of, [2, 0, 1, 0]);
        let (alone, _) = gather(vec![changes[1].clone()]);
        assert_eq!(alone[0].id, groups[0].id, "what else changed has no say in the name");
        assert!(groups.iter().all(|group| group.id.len() == DIGITS));
    }

    #[test]
    fn a_group_keeps_its_name_whoever_stands_beside_it() {
        let all = [
            (common(Kind::Regressed, "list/a", "0.5 -> 0.4"), 1),
            (common(Kind::Regressed, "list/a", "0.5 -> 0.3"), 1),
        ];
        let (both, _) = gather(all.to_vec());
        assert_ne!(both[0].id, both[1].id);
        for one in all {
            let (alone, _) = gather(vec![one]);
            assert_eq!(alone[0].id.len(), DIGITS);
            assert!(both.iter().any(|group| group.id == alone[0].id));
        }
    }

    #[test]
    fn one_cause_is_one_group_and_as_sure_as_its_least_sure_change() {
        let proved = common(Kind::Regressed, "list/a", "a");
        let mut narrowed = proved.clone();
        narrowed.explanation.proof = Proof::Narrowed;
        let (groups, group_of) = gather(vec![(proved.clone(), 3), (narrowed, 4), (proved, 5)]);
        let [group] = &groups[..] else { panic!("one group: {groups:?}") };
        assert_eq!((group.exchanges, &group.common.explanation.proof), (12, &Proof::Narrowed));
        assert_eq!(group_of, [0, 0, 0]);
    }
}
