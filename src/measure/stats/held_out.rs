//! Leaving one server out: what a rulebook would be worth on a server that nobody had seen.
//!
//! For each server with labels, every pattern is left out that no exchange of another server hits,
//! labelled or not; weights and thresholds are fitted anew to the labels of the other servers; and what
//! is left answers the labelled replies of that server. Neither its texts nor its labels nor its name
//! have a part in its answers. Confusions of all servers are then taken together.

use crate::compare::{Observations, Patterns, Side};
use crate::labels::Label;
use crate::measure::accuracy::{Confusion, Item, answer};
use crate::measure::fit::{Settings, fit};
use crate::recording::ExchangeKind;
use crate::rulebook::Rulebook;
use crate::verdict::Weighing;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A server that was left out.
#[derive(Clone, Debug, Serialize)]
pub struct Fold {
    pub server: String,
    pub labels: u64,
    /// The names of the patterns that nobody else hits.
    pub left_out: Vec<String>,
    /// How many of its labelled replies get another answer than from the whole rulebook.
    #[serde(rename = "changed_answers")]
    pub changed: u64,
    /// The weights and thresholds that fitting changed.
    #[serde(rename = "refitted_numbers")]
    pub refitted: u64,
    /// What is said of its labelled replies by what is left.
    #[serde(rename = "confusion")]
    pub table: Confusion,
    #[serde(skip)]
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
    let rulebook = observations.rulebook;
    let mut hitters: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); rulebook.patterns.len()];
    for (hits, servers) in observations.hits.iter().zip(side.servers()) {
        for hit in hits {
            hitters[*hit].extend(&servers);
        }
    }
    let mut by_server: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, item) in items.iter().enumerate() {
        if side.verdict(item.verdict).kind == ExchangeKind::ToolCall {
            by_server.entry(side.names.get(item.server)).or_default().push(place);
        }
    }
    let names = rulebook.pattern_names();
    let folds = by_server.into_iter().map(|(name, own)| {
        let only = BTreeSet::from([items[own[0]].server]);
        let without: Patterns = (0..names.len()).filter(|at| hitters[*at] == only).collect();
        let fitted = (refit == Refit::Yes).then(|| {
            let others = items.iter().filter(|item| !only.contains(&item.server));
            let others: Vec<Item> = others.copied().collect();
            let settings = Settings { without: without.clone(), ..Settings::default() };
            fit(observations, &others, rulebook, &settings)
        });
        let rules = fitted.as_ref().unwrap_or(rulebook);
        let mut fold = Fold {
            server: name.to_owned(),
            labels: own.len() as u64,
            left_out: without.iter().map(|at| names[*at].clone()).collect(),
            changed: 0,
            refitted: changed_numbers(rulebook, rules),
            table: Confusion::default(),
            answers: Vec::with_capacity(own.len()),
        };
        for place in own {
            let item = &items[place];
            let signals = observations.signals(item.verdict, &without);
            let concluded = observations.conclusion(item.verdict, rules, signals);
            let said = concluded.as_ref().map(Label::concluded);
            let certain = concluded.and_then(|it| {
                let distance = it.weighing.map_or(0.0, Weighing::distance);
                Some((it.certainty?.line, distance))
            });
            let whole = answer(observations, item.verdict, rulebook, &Patterns::default());
            fold.changed += u64::from(said != whole);
            fold.table.add(item.label, said);
            fold.answers.push(LeftOutAnswer { place, answer: said, certain });
        }
        fold
    });
    folds.collect()
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
        let folds: Vec<(String, Vec<String>)> =
            held_out().into_iter().map(|fold| (fold.server, fold.left_out)).collect();
        let crashed = vec!["breaks/crashed".to_owned()];
        let wanted = [("a", vec![]), ("b", crashed), ("c", vec![])];
        assert_eq!(folds, wanted.map(|(server, patterns)| (server.to_owned(), patterns)));
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
            let hits = &side.verdict(entry.verdict).hits;
            if hits.contains(&"breaks/broken".to_owned()) {
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
