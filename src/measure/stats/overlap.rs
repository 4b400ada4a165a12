//! Which patterns, signals and factors hold together.

use super::Question;
use super::catalogue::{Catalogue, Thing};
use super::gathered::Gathered;
use crate::compare::Side;
use crate::measure::accuracy::Share;
use std::collections::HashMap;

/// Two things that hold of the same replies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    pub thing: Thing,
    /// Their names, in the rulebook's order.
    pub names: [String; 2],
    /// Of the replies of which the second holds, those of which the first does too.
    pub first_given_second: Share,
    /// Of the replies of which the first holds, those of which the second does too.
    pub second_given_first: Share,
    /// The replies of which nothing of the kind holds but the one, and those of the other.
    pub alone: [u64; 2],
}

impl Overlap {
    /// The replies of which both hold.
    pub fn both(&self) -> u64 {
        self.first_given_second.hits
    }

    /// How near they come to holding of the same replies: both, of either.
    pub fn alike(&self) -> f64 {
        let either = self.first_given_second.of + self.second_given_first.of - self.both();
        if either == 0 { 0.0 } else { self.both() as f64 / either as f64 }
    }
}

/// All pairs that hold together: the most alike first, then those of most replies, then by name.
pub(super) fn overlaps(side: &Side, gathered: &Gathered, catalogue: &Catalogue) -> Vec<Overlap> {
    let mut single = vec![0_u64; catalogue.entries.len()];
    let mut alone = single.clone();
    let mut both: HashMap<(u32, u32), u64> = HashMap::new();
    for (at, verdict) in side.verdicts.iter().enumerate() {
        if Question::of(verdict).is_none() {
            continue;
        }
        let (holding, count) = (&catalogue.holding[at], gathered.exchanges[at]);
        for (place, one) in holding.iter().enumerate() {
            single[*one as usize] += count;
            if holding.len() == 1 {
                alone[*one as usize] += count;
            }
            for other in &holding[place + 1..] {
                *both.entry((*one, *other)).or_default() += count;
            }
        }
    }
    let name = |at: u32| catalogue.entries[at as usize].name.clone();
    let overlap = |((one, other), both): ((u32, u32), u64)| Overlap {
        thing: catalogue.thing,
        names: [name(one), name(other)],
        first_given_second: Share { hits: both, of: single[other as usize] },
        second_given_first: Share { hits: both, of: single[one as usize] },
        alone: [alone[one as usize], alone[other as usize]],
    };
    let mut overlaps: Vec<Overlap> =
        both.into_iter().filter(|(_, both)| *both > 0).map(overlap).collect();
    overlaps.sort_by(|one, other| {
        let by_likeness = other.alike().total_cmp(&one.alike());
        by_likeness.then(other.both().cmp(&one.both())).then_with(|| one.names.cmp(&other.names))
    });
    overlaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::stats::samples;

    #[test]
    fn overlaps_are_told_both_ways() {
        let side = samples::side();
        let gathered = Gathered::of(&side, &[]);
        let patterns = overlaps(&side, &gathered, &Catalogue::of(&side, Thing::Pattern));
        let shown: Vec<_> = patterns
            .iter()
            .map(|it| {
                let [one, other] = it.names.each_ref().map(String::as_str);
                (one, other, it.first_given_second, it.second_given_first)
            })
            .collect();
        let share = |hits, of| Share { hits, of };
        assert_eq!(
            shown,
            [
                // All that crashed is broken, and a quarter of what is broken crashed.
                ("breaks/broken", "breaks/crashed", share(1, 1), share(1, 4)),
                ("refuses/not found", "breaks/broken", share(1, 4), share(1, 4)),
            ]
        );
        assert_eq!(patterns[0].alone, [2, 0], "what crashed is broken too");
        assert!((patterns[1].alike() - 1.0 / 7.0).abs() < 1e-12);
    }
}
