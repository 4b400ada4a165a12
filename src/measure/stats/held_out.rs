//! Leaving one server out: what a rulebook would be worth on a server that nobody had seen.
//!
//! For each server with labels, every pattern is left out that no exchange of another server hits,
//! labelled or not; weights and thresholds are fitted anew to the labels of the other servers; and what
//! is left answers the labelled replies of that server. Neither its texts nor its labels nor its name
//! have a part in its answers. Confusions of all servers are then taken together.

use crate::compare::{Observations, Patterns, Side};
use crate::labels::Class;
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
    pub answer: Option<Class>,
    /// The line that says how sure it is, and how far the score is from the threshold.
    pub certain: Option<(u16, f64)>,
}

/// Leaves out each server with labels in turn, by name; `refit` says whether weights and thresholds are fitted anew to
/// the servers that are left.
pub fn leave_one_server_out(
    side: &Side,
    observations: &Observations<'_>,
    items: &[Item],
    refit: bool,
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
        let fitted = refit.then(|| {
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
            let said = concluded.as_ref().map(Class::concluded);
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
