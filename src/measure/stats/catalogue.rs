//! What there is to be counted: patterns, signals and factors, and of which verdicts they hold.

use super::Question;
use crate::compare::Side;
use crate::rulebook::{Observing, Rulebook};
use std::collections::HashMap;

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Thing {
        /// A list entry or a regex.
        Pattern = "patterns",
        Signal = "signals",
        Factor = "factors",
    }
}

/// All patterns, all signals or all factors.
#[derive(Clone, Debug)]
pub(super) struct Catalogue {
    pub(super) thing: Thing,
    pub(super) entries: Vec<Entry>,
    /// Which of them hold of each different verdict, in order.
    pub(super) holding: Vec<Vec<u32>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Entry {
    pub(super) name: String,
    /// Which questions it is observed for, in the order of [`Question::ALL`].
    pub(super) asked: [bool; 2],
    pub(super) weight: Option<f64>,
    /// For a pattern, the signals that rest on it; for a factor, its signal.
    pub(super) signals: Vec<String>,
    /// Others that hold because it does, or the other way round, so that it can hold alone.
    pub(super) family: Family,
}

/// With whom an entry is compared when it is asked whether it holds alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Family {
    #[default]
    All,
    /// With those that have the same number.
    Same(usize),
    AllBut(Vec<u32>),
}

impl Catalogue {
    pub(super) fn of(side: &Side, thing: Thing) -> Self {
        let rulebook = side.rulebook.as_deref();
        let entries = match (thing, rulebook) {
            (_, None) => Vec::new(),
            (Thing::Pattern, Some(rulebook)) => patterns(rulebook),
            (Thing::Signal, Some(rulebook)) => signals(rulebook),
            (Thing::Factor, Some(rulebook)) => factors(rulebook),
        };
        let mut catalogue = Self { thing, entries, holding: Vec::new() };
        match thing {
            Thing::Pattern | Thing::Signal => catalogue.hold_names(side),
            Thing::Factor => catalogue.hold_factors(side),
        }
        catalogue
    }

    /// Notes what holds by the names in verdicts; names that no rulebook has are added.
    fn hold_names(&mut self, side: &Side) {
        let names = (0..).zip(&self.entries).map(|(at, entry)| (entry.name.clone(), at));
        let mut numbers: HashMap<String, u32> = names.collect();
        let has_rulebook = side.rulebook.is_some();
        for verdict in &side.verdicts {
            let question = Question::of(verdict);
            let names: &[String] = match self.thing {
                Thing::Pattern => &verdict.hits,
                Thing::Signal | Thing::Factor => &verdict.signals,
            };
            let mut holding: Vec<u32> = Vec::with_capacity(names.len());
            for name in names {
                let at = *numbers.entry(name.clone()).or_insert_with(|| {
                    self.entries.push(Entry { name: name.clone(), ..Entry::default() });
                    u32::try_from(self.entries.len() - 1).unwrap_or(u32::MAX)
                });
                if let (false, Some(question)) = (has_rulebook, question) {
                    self.entries[at as usize].asked[question as usize] = true;
                }
                holding.push(at);
            }
            holding.sort_unstable();
            holding.dedup();
            self.holding.push(holding);
        }
    }

    fn hold_factors(&mut self, side: &Side) {
        for verdict in &side.verdicts {
            let is_asked = Question::of(verdict) == Some(Question::Errors);
            let entries = (0..).zip(&self.entries);
            let holding = entries.filter(|(_, factor)| {
                is_asked && factor.signals.iter().all(|signal| verdict.signals.contains(signal))
            });
            self.holding.push(holding.map(|(at, _)| at).collect());
        }
    }

    /// Whether an entry holds alone among these, which are in order.
    pub(super) fn is_alone(&self, entry: u32, holding: &[u32]) -> bool {
        let family = &self.entries[entry as usize].family;
        holding.iter().filter(|other| **other != entry).all(|other| match family {
            Family::All => false,
            Family::Same(_) => self.entries[*other as usize].family != *family,
            Family::AllBut(kin) => kin.binary_search(other).is_ok(),
        })
    }
}

fn patterns(rulebook: &Rulebook) -> Vec<Entry> {
    let asked = Question::ALL.map(|question| rulebook.asked_of(question.observing()));
    let mut entries: Vec<Entry> = rulebook
        .pattern_names()
        .into_iter()
        .zip(rulebook.questions())
        .map(|(name, number)| Entry {
            name,
            asked: asked.map(|leaves| leaves.has(number)),
            family: Family::Same(number),
            ..Entry::default()
        })
        .collect();
    for (at, signal) in rulebook.signals.iter().enumerate() {
        for pattern in &signal.patterns {
            if let Some(entry) = entries.get_mut(usize::from(*pattern)) {
                entry.signals.push(signal.name.clone());
                let factors = rulebook.factors.iter().filter(|factor| factor.signal == at);
                for factor in factors {
                    entry.weight = Some(entry.weight.unwrap_or(0.0) + factor.weight);
                }
            }
        }
    }
    entries
}

fn signals(rulebook: &Rulebook) -> Vec<Entry> {
    let below =
        [Observing::Errors, Observing::Successes].map(|which| rulebook.signals_below(which));
    let rests_on = |upper: usize, lower: usize| below.iter().any(|below| below[upper].has(lower));
    let places = 0..rulebook.signals.len();
    let signal = |(at, signal): (usize, &crate::rulebook::Signal)| {
        let kin = places.clone().filter(|other| rests_on(at, *other) || rests_on(*other, at));
        let weights = rulebook.factors.iter().filter(|factor| factor.signal == at);
        Entry {
            name: signal.name.clone(),
            asked: [rulebook.error_signals.has(at), rulebook.success_signals.has(at)],
            weight: weights.map(|factor| factor.weight).reduce(|sum, weight| sum + weight),
            signals: Vec::new(),
            family: Family::AllBut(kin.filter_map(|kin| u32::try_from(kin).ok()).collect()),
        }
    };
    rulebook.signals.iter().enumerate().map(signal).collect()
}

fn factors(rulebook: &Rulebook) -> Vec<Entry> {
    let factor = |factor: &crate::rulebook::Factor| Entry {
        name: factor.name.clone(),
        asked: [true, false],
        weight: Some(factor.weight),
        signals: vec![rulebook.signals[factor.signal].name.clone()],
        family: Family::All,
    };
    rulebook.factors.iter().map(factor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::stats::samples;

    #[test]
    fn patterns_know_what_rests_on_them_and_who_asks_for_them() {
        let side = samples::side();
        let patterns = Catalogue::of(&side, Thing::Pattern);
        let entry = |name: &str| {
            let found = patterns.entries.iter().find(|entry| entry.name == name);
            found.unwrap_or_else(|| panic!("no {name}"))
        };
        let broken = entry("breaks/broken");
        assert_eq!(broken.asked, [true, true], "errors and hidden failures are searched for it");
        assert_eq!(broken.signals, ["breaks"]);
        assert_eq!(entry("refuses/not found").weight, Some(2.0));
        assert_eq!(entry("refuses/not found").asked, [true, false]);
    }

    #[test]
    fn what_holds_alone_has_no_other_of_its_family_beside_it() {
        let side = samples::side();
        let patterns = Catalogue::of(&side, Thing::Pattern);
        let at = |name: &str| {
            let place = patterns.entries.iter().position(|entry| entry.name == name);
            u32::try_from(place.expect(name)).expect("few")
        };
        let (broken, crashed, refused) =
            (at("breaks/broken"), at("breaks/crashed"), at("refuses/not found"));
        assert!(patterns.is_alone(broken, &[refused, broken]), "another list is no rival");
        assert!(!patterns.is_alone(broken, &[broken, crashed]));
        let factors = Catalogue::of(&side, Thing::Factor);
        assert!(factors.is_alone(0, &[0]) && !factors.is_alone(0, &[0, 1]));
    }
}
