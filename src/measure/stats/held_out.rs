//! Leaving one server out: what a rulebook would be worth on a server that nobody had seen.
//!
//! For each server with labels, every pattern is left out that no exchange of another server hits,
//! labelled or not; weights and thresholds are fitted anew to the labels of the other servers; and what
//! is left answers the labelled replies of that server. Neither its texts nor its labels nor its name
//! have a part in its answers. Confusions of all servers are then taken together.

use super::Servers;
use crate::compare::Side;
use crate::labels::Label;
use crate::measure::accuracy::{Confusion, Item, Observations, Patterns};
use crate::measure::fit::{Settings, fit};
use crate::recording::ExchangeKind;
use crate::rulebook::Rulebook;
use crate::verdict::Weighing;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hitters {
    Nobody,
    Only(u32),
    Several,
}

/// A server that was left out.
#[derive(Clone, Debug)]
pub struct Fold {
    pub server: String,
    /// The patterns that nobody else hits, as numbers into the rulebook's.
    pub left_out: Vec<u16>,
    /// How many of its labelled replies get another answer than from the whole rulebook.
    pub changed: u64,
    /// The weights and thresholds that fitting changed.
    pub refitted: u64,
    /// What is said of its labelled replies by what is left.
    pub table: Confusion,
    pub answers: Vec<LeftOutAnswer>,
}

/// What is said of a labelled reply without its server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeftOutAnswer {
    /// The place of the item.
    pub place: usize,
    pub answer: Option<Label>,
    /// The line that says how sure it is, and how far the score is from the threshold.
    pub certain: Option<(u16, f64)>,
}

/// Whether weights and thresholds are fitted anew to the servers that are left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refit {
    /// As for a rulebook that is tuned.
    #[default]
    Yes,
    /// As its author wrote them.
    No,
}

/// Leaves out each server with labels in turn, by name.
pub fn leave_one_server_out(
    side: &Side,
    observations: &Observations<'_>,
    items: &[Item],
    refit: Refit,
) -> Vec<Fold> {
    let servers = Servers::of(side);
    let hitters = hitters(side, observations, &servers);
    let mut by_server: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (place, item) in items.iter().enumerate() {
        let is_call = side.verdicts[item.verdict as usize].kind == ExchangeKind::ToolCall;
        if let (true, Some(server)) = (is_call, servers.at(item.server)) {
            by_server.entry(server).or_default().push(place);
        }
    }
    let folds = by_server.into_iter().map(|(server, own)| {
        let only_own = (0_u16..).zip(&hitters).filter(|(_, who)| **who == Hitters::Only(server));
        let left_out: Vec<u16> = only_own.map(|(pattern, _)| pattern).collect();
        let without: Patterns = left_out.iter().copied().collect();
        let rules = match refit {
            Refit::No => None,
            Refit::Yes => {
                let others = items.iter().filter(|item| servers.at(item.server) != Some(server));
                let others: Vec<Item> = others.copied().collect();
                let settings = Settings { without: without.clone(), ..Settings::default() };
                Some(fit(observations, &others, observations.rulebook(), &settings))
            }
        };
        let rules = rules.as_ref().unwrap_or_else(|| observations.rulebook());
        let mut fold = Fold {
            server: servers.names[server as usize].clone(),
            left_out,
            changed: 0,
            refitted: changed_numbers(observations.rulebook(), rules),
            table: Confusion::default(),
            answers: Vec::with_capacity(own.len()),
        };
        for place in own {
            let item = &items[place];
            let signals = observations.signals(item.verdict, &without);
            let concluded = observations.conclusion(item.verdict, rules, signals);
            let answer = concluded.as_ref().map(Label::concluded);
            let certain = concluded.and_then(|it| {
                let distance = it.weighing.map_or(0.0, Weighing::distance);
                Some((it.certainty?.line, distance))
            });
            let whole =
                observations.answer(item.verdict, observations.rulebook(), &Patterns::default());
            fold.changed += u64::from(answer != whole);
            fold.table.add(item.label, answer);
            fold.answers.push(LeftOutAnswer { place, answer, certain });
        }
        fold
    });
    folds.collect()
}

/// For each pattern, the servers of whose exchanges it hits any.
fn hitters(side: &Side, observations: &Observations<'_>, servers: &Servers) -> Vec<Hitters> {
    let mut hitters = vec![Hitters::Nobody; observations.rulebook().patterns.len()];
    for (verdict, server) in servers.pairs(side) {
        for hit in observations.hits(verdict) {
            let who = &mut hitters[usize::from(*hit)];
            *who = match *who {
                Hitters::Nobody => Hitters::Only(server),
                Hitters::Only(other) if other == server => Hitters::Only(server),
                Hitters::Only(_) | Hitters::Several => Hitters::Several,
            };
        }
    }
    hitters
}

/// How many weights and thresholds differ.
fn changed_numbers(before: &Rulebook, after: &Rulebook) -> u64 {
    let weights = before.factors.iter().zip(&after.factors);
    let weights = weights.filter(|(one, other)| one.weight.to_bits() != other.weight.to_bits());
    let lines = before.decide.iter().zip(&after.decide);
    let lines = lines.filter(|(one, other)| one.decision != other.decision);
    (weights.count() + lines.count()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::stats::samples;

    fn held_out() -> Vec<Fold> {
        let side = samples::side();
        let observations = Observations::of(&side).expect("it keeps what hit");
        leave_one_server_out(&side, &observations, &samples::items(), Refit::No)
    }

    #[test]
    fn patterns_that_only_one_server_hits_are_left_out_of_its_fold_alone() {
        let side = samples::side();
        let rulebook = side.rulebook.as_ref().expect("a rulebook");
        let names = rulebook.pattern_names();
        let held_out = held_out();
        let folds: Vec<(&str, Vec<&str>)> = held_out
            .iter()
            .map(|fold| {
                let left_out = fold.left_out.iter().map(|at| names[usize::from(*at)].as_str());
                (fold.server.as_str(), left_out.collect())
            })
            .collect();
        assert_eq!(folds, [("a", vec![]), ("b", vec!["breaks/crashed"]), ("c", vec![])]);
    }

    #[test]
    fn every_labelled_reply_is_answered_once() {
        let held_out = held_out();
        let table = Confusion::of_all(held_out.iter().map(|fold| &fold.table));
        assert_eq!(table.items(), 10);
        assert_eq!(table.balanced_accuracy(), Some(0.875), "`broken` is hit elsewhere");
        let mut places: Vec<usize> =
            held_out.iter().flat_map(|fold| &fold.answers).map(|it| it.place).collect();
        places.sort_unstable();
        assert_eq!(places, (0..10).collect::<Vec<_>>());
    }

    #[test]
    fn a_pattern_of_a_single_server_is_worth_nothing_on_it() {
        let side = samples::side();
        let observations = Observations::of(&side).expect("it keeps what hit");
        // Only server `b` is left to say `broken`, so that its failures are not recognised without it.
        let mut alone = side.clone();
        for entry in &mut alone.entries {
            let hits = observations.hits(entry.verdict);
            let names = observations.rulebook().pattern_names();
            if hits.iter().any(|hit| names[usize::from(*hit)] == "breaks/broken") {
                entry.server = side.entries[10].server;
            }
        }
        let labels = (0..).zip(samples::REPLIES).filter_map(|(at, (.., label))| Some((at, label?)));
        let labelled =
            crate::labels::Labelled { of: labels.collect(), ..crate::labels::Labelled::default() };
        let items = crate::measure::accuracy::items(&alone, &labelled);
        let held_out = leave_one_server_out(&alone, &observations, &items, Refit::No);
        let fold = held_out.iter().find(|fold| fold.server == "c").expect("a fold");
        assert_eq!(fold.table.count(Label::HiddenFailure, Some(Label::Ok)), 1);
        assert_eq!(fold.table.count(Label::ToolFailure, Some(Label::BusinessLogic)), 1);
        assert_eq!(fold.changed, 2, "the two others score 0 without it, which is a failure still");
    }
}
