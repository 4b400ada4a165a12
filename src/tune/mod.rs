//! Weights and thresholds for a rulebook, fitted to labelled errors and evaluated on servers that they were not
//! fitted to.

mod change;
mod examples;
mod gain;

pub use change::{Change, Number, changes, overlay};
pub use examples::{Breaking, breaking, breaking_inherited};
pub use gain::{Answered, FEWEST_SERVERS, Finding, Gain, Part};

use crate::compare::{Observations, Patterns, Side};
use crate::labels::Class;
use crate::measure::accuracy::Item;
use crate::measure::fit::{self, fit};
use crate::measure::stats::Dice;
use crate::rulebook::Rulebook;
use crate::verdict::counted;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Fewest labels of each of the two classes of errors.
const LABELS: usize = 10;
/// Fewest servers with labels of a class.
const SERVERS: usize = 3;

/// Fitted numbers, and what they are worth on servers that they were not fitted to.
#[derive(Debug, Serialize)]
pub struct Tuned {
    pub changes: Vec<Change>,
    pub parts: Vec<Part>,
    pub gain: Gain,
    /// Labelled errors, and the servers that they are of.
    pub errors: usize,
    pub servers: usize,
}

/// The labels cannot teach anything.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the labels are too few or too one-sided for tuning: {}", .0.join("; "))]
pub struct TooFew(Vec<String>);

/// Fits the numbers of the rulebook that observed to the labels of errors.
///
/// Servers are dealt into `parts`; each part is answered by numbers that were fitted to the others, so
/// that no server has a part in its own answers.
pub fn tune(
    side: &Side,
    observations: &Observations<'_>,
    items: &[Item],
    parts: usize,
    settings: &fit::Settings,
) -> Result<Tuned, TooFew> {
    let start = observations.rulebook;
    let none = Patterns::default();
    let answer = |item: &Item, rules: &Rulebook| {
        let signals = observations.signals(item.verdict, &none);
        let concluded = observations.conclusion(item.verdict, rules, signals)?;
        concluded.weighing.is_some().then(|| Class::concluded(&concluded))
    };
    let is_error = |item: &&Item| {
        matches!(item.label, Class::Refused | Class::Failed) && answer(item, start).is_some()
    };
    let errors: Vec<Item> = items.iter().filter(is_error).copied().collect();
    let mut of_server: BTreeMap<&str, Vec<Item>> = BTreeMap::new();
    for item in &errors {
        of_server.entry(side.names.get(item.server)).or_default().push(*item);
    }
    enough(&of_server)?;
    let mut tested = Vec::new();
    for names in dealt(&of_server, parts, settings.seed) {
        let learned_from: Vec<Item> = of_server
            .iter()
            .filter(|(name, _)| !names.contains(*name))
            .flat_map(|(_, items)| items.iter().copied())
            .collect();
        let fitted = fit(observations, &learned_from, start, settings);
        let answered = |item: &Item| (item.label, [answer(item, start), answer(item, &fitted)]);
        let servers = names.iter().map(|name| of_server[name].iter().map(answered).collect());
        tested.push(Part::of(&servers.collect::<Vec<_>>()));
    }
    let rulebook = fit(observations, &errors, start, settings);
    Ok(Tuned {
        changes: changes(start, &rulebook),
        gain: Gain::of(&tested, settings.objective, settings.seed),
        parts: tested,
        errors: errors.len(),
        servers: of_server.len(),
    })
}

fn enough(of_server: &BTreeMap<&str, Vec<Item>>) -> Result<(), TooFew> {
    let mut reasons = Vec::new();
    for label in [Class::Failed, Class::Refused] {
        let counts =
            of_server.values().map(|items| items.iter().filter(|it| it.label == label).count());
        let counts: Vec<usize> = counts.filter(|count| *count > 0).collect();
        let (labels, servers) = (counts.iter().sum::<usize>(), counts.len());
        if labels < LABELS || servers < SERVERS {
            reasons.push(format!(
                "{} of {} on {}, and {LABELS} on {SERVERS} servers are needed",
                counted(labels as u64, "label"),
                label.name(),
                counted(servers as u64, "server"),
            ));
        }
    }
    if reasons.is_empty() { Ok(()) } else { Err(TooFew(reasons)) }
}

/// Servers dealt into parts: those with failures first, so that no part lacks them where there are enough.
fn dealt<'a>(
    of_server: &BTreeMap<&'a str, Vec<Item>>,
    parts: usize,
    seed: u64,
) -> Vec<BTreeSet<&'a str>> {
    let mut dice = Dice::new(seed);
    let fails = |items: &[Item]| items.iter().any(|item| item.label == Class::Failed);
    let mut order: Vec<(bool, u64, &str)> =
        of_server.iter().map(|(name, items)| (!fails(items), dice.roll(), *name)).collect();
    order.sort_unstable();
    let mut dealt = vec![BTreeSet::new(); parts.clamp(2, order.len().max(2))];
    for (turn, (.., name)) in order.into_iter().enumerate() {
        let part = turn % dealt.len();
        dealt[part].insert(name);
    }
    dealt
}
