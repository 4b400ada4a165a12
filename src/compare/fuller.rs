//! What a side leaves out, taken from another that says the same and tells more.

use super::{Entry, Side, shortened};
use crate::tape::Key;
use hashbrown::{HashMap, HashSet};

impl Side {
    /// Takes over the verdicts of a side that tells more, wherever it says the same of the same
    /// exchange: which patterns hit, and excerpts. Baselines tell neither, and causes are proved by
    /// patterns.
    pub fn fill_in(&mut self, fuller: &Self) {
        let offset = u32::try_from(self.said.len()).unwrap_or(u32::MAX);
        let mut by_key: HashMap<Key, Vec<u32>> = HashMap::with_capacity(fuller.entries.len());
        for Entry { key, said, .. } in &fuller.entries {
            let known = by_key.entry(shortened(*key, self.key_digits)).or_default();
            if !known.contains(said) {
                known.push(*said);
            }
        }
        // Few verdicts are different: each pair is held against each other once.
        let mut same: HashMap<(u32, u32), bool> = HashMap::new();
        let mut used: HashSet<u32> = HashSet::new();
        for entry in &mut self.entries {
            let Some(known) = by_key.get(&shortened(entry.key, self.key_digits)) else { continue };
            let own = entry.said;
            let mut says_the_same = |other: &&u32| {
                *same.entry((own, **other)).or_insert_with(|| {
                    let pair = (self.said.get(own as usize), fuller.said.get(**other as usize));
                    matches!(pair, (Some(one), Some(other)) if one.says_the_same_as(other))
                })
            };
            if let Some(other) = known.iter().find(|other| says_the_same(other)) {
                entry.said = offset.saturating_add(*other);
                used.insert(*other);
            }
        }
        if !used.is_empty() {
            self.said.extend(fuller.said.iter().cloned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{said, side};
    use crate::compare::Said;

    #[test]
    fn what_is_said_alike_is_told_in_full() {
        let told = Said { hits: Some(vec!["list/x".to_owned()]), ..said() };
        let less = Said { hits: None, ..said() };
        let other = Said { is_valid: !told.is_valid, hits: None, ..said() };
        let mut few = side("few", vec![less, other], &[(1, "a", 0), (2, "a", 1), (3, "a", 0)]);
        let full = side("full", vec![told.clone()], &[(1, "a", 0), (2, "a", 0)]);
        few.fill_in(&full);
        let hits = |at: usize| &few.said[few.entries[at].said as usize].hits;
        assert_eq!(hits(0), &told.hits);
        assert_eq!(hits(1), &None, "something else was said");
        assert_eq!(hits(2), &None, "it is not there");
    }
}
