//! What became more or less frequent between two corpora.

use super::Question;
use super::catalogue::{Catalogue, Thing};
use crate::compare::Side;
use crate::compare::paired::holm;
use crate::measure::accuracy::Share;
use crate::verdict::{Answer, Classification};
use statrs::function::erf::erfc;
use statrs::function::factorial::ln_binomial;
use std::collections::{BTreeMap, BTreeSet};

/// Below so many expected in any of the four cells, the exact test is made: the normal distribution makes
/// too much of few.
const FEW: f64 = 20.0;
/// From this corrected p-value on, a difference is called noise.
const NOISE: f64 = 0.05;

/// Shares of two corpora.
#[derive(Clone, Debug, PartialEq)]
pub struct Drift {
    /// What the earlier corpus is called.
    pub before: String,
    /// The rulebook that judged it, where that is another one; rows are then about what both can say.
    pub other_rulebook: Option<String>,
    /// What differs most surely comes first.
    pub rows: Vec<Drifted>,
}

/// A share of the exchanges of two corpora.
#[derive(Clone, Debug, PartialEq)]
pub struct Drifted {
    /// What kind of thing it is: `class`, `answer`, `error_kind`, `pattern` or `signal`.
    pub kind: &'static str,
    pub name: String,
    /// Of all replies, those of which it holds; before and after.
    pub shares: [Share; 2],
    /// How likely a difference so large is, if the corpora were drawn from the same exchanges.
    pub p: f64,
    /// The same, made honest about how many shares are looked at (Holm).
    pub corrected: f64,
}

impl Drifted {
    /// Whether chance may well have done it.
    pub fn is_noise(&self) -> bool {
        self.corrected >= NOISE
    }
}

/// The shares of the earlier side and of the later one.
pub fn drift(before: &Side, after: &Side) -> Drift {
    let counts = [before, after].map(Counted::of);
    let [earlier, later] = [&before.header.rulebook, &after.header.rulebook];
    let other_rulebook = (earlier.digest != later.digest).then(|| earlier.name.clone());
    let mut names: Vec<&(&'static str, String)> =
        counts.iter().flat_map(|counted| counted.of.keys()).collect();
    if other_rulebook.is_some() {
        let sayable = [before, after].map(sayable);
        names.retain(|name| sayable.iter().all(|those| those.contains(*name)));
    }
    names.sort_unstable();
    names.dedup();
    let mut rows: Vec<Drifted> = names
        .into_iter()
        .map(|name| {
            let shares = [&counts[0], &counts[1]].map(|counted| Share {
                hits: counted.of.get(name).copied().unwrap_or(0),
                of: counted.replies,
            });
            let p = two_proportions(shares);
            Drifted { kind: name.0, name: name.1.clone(), shares, p, corrected: 1.0 }
        })
        .collect();
    let corrected = holm(&rows.iter().map(|row| row.p).collect::<Vec<_>>());
    for (row, corrected) in rows.iter_mut().zip(corrected) {
        row.corrected = corrected;
    }
    rows.sort_by(|one, other| {
        let names = (one.kind, &one.name).cmp(&(other.kind, &other.name));
        one.p.total_cmp(&other.p).then(names)
    });
    Drift { before: before.header.name.clone(), other_rulebook, rows }
}

/// What a side's rulebook can say of a reply at all.
fn sayable(side: &Side) -> BTreeSet<(&'static str, String)> {
    let mut names = BTreeSet::new();
    names.extend(Classification::ALL.map(|class| ("class", class.name().to_owned())));
    let rulebook = side.rulebook.as_deref();
    let finds_hidden = rulebook.is_none_or(|it| it.hidden_failure.is_some());
    let answers =
        Answer::LISTED.into_iter().filter(|it| *it != Answer::HiddenFailure || finds_hidden);
    names.extend(answers.map(|answer| ("answer", answer.name().to_owned())));
    let kinds = rulebook.iter().flat_map(|it| &it.error_kinds);
    names.extend(kinds.map(|kind| ("error_kind", kind.name.clone())));
    for (kind, thing) in [("pattern", Thing::Pattern), ("signal", Thing::Signal)] {
        let entries = Catalogue::of(side, thing).entries;
        names.extend(entries.into_iter().map(|entry| (kind, entry.name)));
    }
    names
}

/// How many replies there are, and of how many what holds.
struct Counted {
    replies: u64,
    of: BTreeMap<(&'static str, String), u64>,
}

impl Counted {
    fn of(side: &Side) -> Self {
        let exchanges = side.weights();
        let mut counted = Self { replies: 0, of: BTreeMap::new() };
        for class in Classification::ALL {
            counted.of.insert(("class", class.name().to_owned()), 0);
        }
        for answer in Answer::LISTED {
            counted.of.insert(("answer", answer.name().to_owned()), 0);
        }
        let catalogues = [("pattern", Thing::Pattern), ("signal", Thing::Signal)];
        let catalogues = catalogues.map(|(kind, thing)| (kind, Catalogue::of(side, thing)));
        for (at, verdict) in side.verdicts.iter().enumerate() {
            if Question::of(verdict).is_none() {
                continue;
            }
            let count = exchanges[at];
            counted.replies += count;
            let standing = verdict.standing();
            let mut names = vec![
                ("class", standing.class.name().to_owned()),
                ("answer", standing.answer.name().to_owned()),
            ];
            names.extend(verdict.error_kind.clone().map(|kind| ("error_kind", kind)));
            for (kind, catalogue) in &catalogues {
                let held = catalogue.holding[at].iter();
                names.extend(held.map(|at| (*kind, catalogue.entries[*at as usize].name.clone())));
            }
            for name in names {
                *counted.of.entry(name).or_default() += count;
            }
        }
        counted
    }
}

/// How likely two shares differ so much or more by chance, two-sided: by the normal distribution with the
/// pooled share, and exactly (Fisher) where it is too coarse for the few there are.
pub fn two_proportions([one, other]: [Share; 2]) -> f64 {
    if one.of == 0 || other.of == 0 {
        return 1.0;
    }
    let (hits, all) = (one.hits + other.hits, one.of + other.of);
    if hits == 0 || hits == all {
        return 1.0;
    }
    let least = hits.min(all - hits) as f64 * one.of.min(other.of) as f64 / all as f64;
    if least < FEW {
        return fisher([one, other]);
    }
    let pooled = hits as f64 / all as f64;
    let variance = pooled * (1.0 - pooled) * (1.0 / one.of as f64 + 1.0 / other.of as f64);
    let difference = one.hits as f64 / one.of as f64 - other.hits as f64 / other.of as f64;
    erfc(difference.abs() / (2.0 * variance).sqrt())
}

/// Fisher's exact test, two-sided: tables no likelier than the one that was found, with its sums.
fn fisher([one, other]: [Share; 2]) -> f64 {
    let (hits, all) = (one.hits + other.hits, one.of + other.of);
    let low = hits.saturating_sub(other.of);
    let high = hits.min(one.of);
    let chance = |here: u64| {
        let ways = ln_binomial(one.of, here) + ln_binomial(other.of, hits - here);
        (ways - ln_binomial(all, hits)).exp()
    };
    // What floats lose must not tell equally likely tables apart.
    let found = chance(one.hits) * (1.0 + 1e-7);
    (low..=high).map(chance).filter(|chance| *chance <= found).sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::stats::samples;

    fn close(found: f64, wanted: f64, within: f64) {
        assert!((found - wanted).abs() <= within, "{found} instead of {wanted}");
    }

    fn shares(one: [u64; 2], other: [u64; 2]) -> [Share; 2] {
        [one, other].map(|[hits, of]| Share { hits, of })
    }

    #[test]
    fn published_tests_hold() {
        // Fisher's tea: 3 of 4 cups told right, 1 of 4 wrong: p = 34/70.
        close(two_proportions(shares([3, 4], [1, 4])), 34.0 / 70.0, 1e-9);
        // 1 of 12 against 9 of 12, by the exact test: 0.002759.
        close(two_proportions(shares([1, 12], [9, 12])), 0.002_759, 5e-7);
        // 60 of 100 against 40 of 100: z = 0.2 / sqrt(0.5 * 0.5 * 0.02) = 2.828427.
        close(two_proportions(shares([60, 100], [40, 100])), 0.004_678, 5e-7);
    }

    #[test]
    fn nothing_differs_from_nothing() {
        for pair in [shares([0, 0], [3, 9]), shares([0, 50], [0, 70]), shares([9, 9], [4, 4])] {
            close(two_proportions(pair), 1.0, 0.0);
        }
    }

    #[test]
    fn a_corpus_drifts_from_another_but_not_from_itself() {
        let side = samples::side();
        let same = drift(&side, &side);
        assert!(same.rows.iter().all(Drifted::is_noise));
        let mut breaking = side.clone();
        let broken = side.entries[4];
        breaking.entries.extend(std::iter::repeat_n(broken, 40));
        let drift = drift(&side, &breaking);
        let first = &drift.rows[0];
        assert!(!first.is_noise(), "{first:?}");
        let row = drift.rows.iter().find(|row| row.name == "breaks/broken").expect("a row");
        assert_eq!(row.shares, shares([4, 11], [44, 51]));
        assert!(row.corrected >= row.p);
    }
}
