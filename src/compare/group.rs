//! Changes of one kind, one cause and one transition, gathered.

use super::{Explanation, Kind, Said, Standing};
use hashbrown::HashMap;
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
    pub(super) fn of(kind: Kind, explanation: Explanation, [before, after]: [&Said; 2]) -> Self {
        Self { kind, explanation, from: before.standing(), to: after.standing() }
    }

    /// What names the group: causes by their stable names, and what became of its exchanges.
    fn identity(&self) -> String {
        let standing =
            |Standing { class, answer }: Standing| format!("{} {}", class.name(), answer.name());
        let origin = self.explanation.origin.name();
        let mut parts = vec![
            origin.to_owned(),
            self.kind.name().to_owned(),
            standing(self.from),
            standing(self.to),
        ];
        parts.extend(self.explanation.causes.iter().map(|cause| cause.name.clone()));
        parts.join("\u{0}")
    }

    /// What tells it from every other group.
    fn whole(&self) -> String {
        format!("{self:?}")
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
/// the groups in the order in which they are shown, and the group of each change.
pub(super) fn gather(changes: Vec<(Common, u64)>) -> (Vec<Bare>, Vec<u32>) {
    let mut numbers: HashMap<Common, usize> = HashMap::new();
    let mut sizes: Vec<u64> = Vec::new();
    let mut group_of = Vec::with_capacity(changes.len());
    for (common, exchanges) in changes {
        let number = *numbers.entry(common).or_insert_with(|| {
            sizes.push(0);
            sizes.len() - 1
        });
        sizes[number] += exchanges;
        group_of.push(number);
    }
    let ids = ids(numbers.keys());
    let mut groups: Vec<(usize, Bare)> = numbers
        .into_iter()
        .map(|(common, number)| {
            let id = ids.get(&common).cloned().unwrap_or_default();
            (number, Bare { id, common, exchanges: sizes[number] })
        })
        .collect();
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

/// The names of groups. Those that would share one are named by all that tells them apart.
fn ids<'c>(groups: impl Iterator<Item = &'c Common>) -> HashMap<Common, String> {
    let mut namesakes: BTreeMap<String, Vec<&Common>> = BTreeMap::new();
    for common in groups {
        let hash = format!("{:016x}", xxh3_64(common.identity().as_bytes()));
        namesakes.entry(hash[..DIGITS].to_owned()).or_default().push(common);
    }
    let mut ids = HashMap::new();
    for (short, mut commons) in namesakes {
        if let [only] = commons[..] {
            ids.insert(only.clone(), short);
            continue;
        }
        commons.sort_unstable();
        for common in commons {
            let hash = xxh3_64(common.whole().as_bytes());
            ids.insert(common.clone(), format!("{short}{hash:016x}"));
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::super::samples::{error, said};
    use super::super::{Cause, CauseKind, Origin, Proof};
    use super::*;
    use crate::verdict::Classification;

    fn common(kind: Kind, cause: &str, change: &str) -> Common {
        let cause =
            Cause { kind: CauseKind::Pattern, name: cause.to_owned(), change: change.to_owned() };
        let explanation =
            Explanation { origin: Origin::Rulebook, causes: vec![cause], proof: Proof::Proved };
        Common::of(kind, explanation, [&said(), &error(Classification::Error, false)])
    }

    #[test]
    fn worst_first_then_largest_and_names_last_beyond_today() {
        let changes = vec![
            (common(Kind::Altered, "list/a", "a"), 900),
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
    fn groups_that_would_share_a_name_get_longer_ones() {
        let changes = vec![
            (common(Kind::Regressed, "list/a", "0.5 -> 0.4"), 1),
            (common(Kind::Regressed, "list/a", "0.5 -> 0.3"), 1),
        ];
        let (groups, _) = gather(changes);
        assert_ne!(groups[0].id, groups[1].id);
        assert!(groups.iter().all(|group| group.id.len() > DIGITS));
        assert_eq!(groups[0].id[..DIGITS], groups[1].id[..DIGITS]);
    }
}
