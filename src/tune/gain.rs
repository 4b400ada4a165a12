//! What fitted numbers are worth on servers that they were not fitted to.

use crate::count::tally::Interval;
use crate::labels::Class;
use crate::measure::accuracy::Confusion;
use crate::measure::fit::{Counts, Objective};
use crate::measure::stats::interval_of_draws;
use crate::measure::what_if::Paired;
use serde::Serialize;

/// Fewer servers prove nothing, whatever is found on them.
pub const FEWEST_SERVERS: u64 = 5;
/// More answers get worse than better, and chance does so more rarely than this.
const WORSE: f64 = 0.05;

/// A label, and what was answered before and after.
pub type Answered = (Class, [Option<Class>; 2]);

/// Servers that numbers were not fitted to, with the balanced accuracy of their errors before and after.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    pub servers: usize,
    pub errors: u64,
    pub before: Option<f64>,
    pub after: Option<f64>,
    /// The answers of each server before and after.
    #[serde(skip)]
    tables: Vec<[Confusion; 2]>,
    /// Whether each answer was right before, and is after.
    #[serde(skip)]
    right: Vec<[bool; 2]>,
}

impl Part {
    /// Of the answers of each server.
    pub fn of(servers: &[Vec<Answered>]) -> Self {
        let tables: Vec<[Confusion; 2]> = servers
            .iter()
            .map(|answers| {
                let mut tables = [Confusion::default(), Confusion::default()];
                for (label, answers) in answers {
                    tables.iter_mut().zip(answers).for_each(|(it, answer)| it.add(*label, *answer));
                }
                tables
            })
            .collect();
        let right = |(label, answers): &Answered| answers.map(|answer| label.is_met_by(answer));
        let [before, after] = summed(&mut tables.iter());
        Self {
            servers: servers.len(),
            errors: before.items(),
            before: before.balanced_accuracy(),
            after: after.balanced_accuracy(),
            right: servers.iter().flatten().map(right).collect(),
            tables,
        }
    }
}

/// The objective on held-out servers, before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gain {
    pub before: f64,
    pub after: f64,
    /// 95 %, servers drawn with replacement; none where nearly all draws lack a class.
    pub interval: Option<[f64; 2]>,
    /// Answers that were right before and are wrong after.
    pub lost: u64,
    /// Answers that were wrong before and are right after.
    pub gained: u64,
    /// `McNemar`'s exact test of those two.
    pub mcnemar: f64,
    pub servers: u64,
    pub finding: Finding,
}

/// Whether there is a gain, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    Gain,
    TooFewServers,
    NotMore,
    /// The interval of the difference reaches 0.
    MayBeChance,
    MoreGetWorse,
}

impl Gain {
    pub fn of(parts: &[Part], objective: Objective, seed: u64) -> Self {
        let servers: Vec<&[Confusion; 2]> = parts.iter().flat_map(|part| &part.tables).collect();
        let value = |table: &Confusion| {
            let counts = counts(table);
            let has_both =
                counts.found + counts.missed > 0.0 && counts.alarmed + counts.spared > 0.0;
            has_both.then(|| objective.of(&counts))
        };
        let sum = |places: &mut dyn Iterator<Item = usize>| {
            summed(&mut places.map(|place| servers[place]))
        };
        let difference = |[before, after]: &[Confusion; 2]| Some(value(after)? - value(before)?);
        let whole = sum(&mut (0..servers.len()));
        let drawn = interval_of_draws(servers.len(), seed, |places| difference(&sum(places)));
        let [before, after] = whole.each_ref().map(|table| value(table).unwrap_or_default());
        let paired = Paired::of(parts.iter().flat_map(|part| &part.right).copied());
        let mut gain = Self {
            before,
            after,
            interval: drawn.map(|Interval { low, high }| [low, high]),
            lost: paired.lost,
            gained: paired.gained,
            mcnemar: paired.p,
            servers: servers.len() as u64,
            finding: Finding::Gain,
        };
        gain.finding = gain.found(objective);
        gain
    }

    fn found(&self, objective: Objective) -> Finding {
        // Other objectives accept more mistakes of one kind.
        let counts_mistakes = objective == Objective::BalancedAccuracy;
        if self.servers < FEWEST_SERVERS {
            Finding::TooFewServers
        } else if self.after <= self.before {
            Finding::NotMore
        } else if self.interval.is_none_or(|[low, _]| low <= 0.0) {
            Finding::MayBeChance
        } else if counts_mistakes && self.lost > self.gained && self.mcnemar < WORSE {
            Finding::MoreGetWorse
        } else {
            Finding::Gain
        }
    }
}

fn summed(servers: &mut dyn Iterator<Item = &[Confusion; 2]>) -> [Confusion; 2] {
    let mut sum = [Confusion::default(), Confusion::default()];
    for server in servers {
        sum.iter_mut().zip(server).for_each(|(sum, server)| sum.merge(server));
    }
    sum
}

fn counts(table: &Confusion) -> Counts {
    let failed = Some(Class::Failed);
    let [found, alarmed] =
        [Class::Failed, Class::Refused].map(|label| table.count(label, failed) as f64);
    Counts {
        found,
        missed: table.of(Class::Failed) as f64 - found,
        alarmed,
        spared: table.of(Class::Refused) as f64 - alarmed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Class::{Failed, Refused};

    /// One failure and one refusal a server; everything is called a refusal before.
    fn gain(servers: usize, after: impl Fn(usize, Class) -> Class) -> Gain {
        let answered = |server, label| (label, [Some(Refused), Some(after(server, label))]);
        let servers = (0..servers).map(|it| [Refused, Failed].map(|label| answered(it, label)));
        let servers: Vec<Vec<Answered>> = servers.map(Vec::from).collect();
        Gain::of(&[Part::of(&servers)], Objective::BalancedAccuracy, 1)
    }

    #[test]
    fn a_gain_needs_several_servers_and_more_than_chance() {
        assert_eq!(gain(12, |_, label| label).finding, Finding::Gain);
        assert_eq!(gain(4, |_, label| label).finding, Finding::TooFewServers);
        assert_eq!(gain(12, |_, _| Failed).finding, Finding::NotMore);
        let one = gain(12, |server, label| if server == 0 { label } else { Refused });
        assert_eq!((one.finding, one.gained, one.lost), (Finding::MayBeChance, 1, 0));
    }

    #[test]
    fn more_wrong_answers_are_no_gain_though_balanced_accuracy_rises() {
        let failure = (Failed, [Some(Refused), Some(Failed)]);
        let refusals = (0..30).map(|turn| {
            let after = if turn < 3 { Failed } else { Refused };
            (Refused, [Some(Refused), Some(after)])
        });
        let server: Vec<Answered> = std::iter::once(failure).chain(refusals).collect();
        let part = Part::of(&vec![server; 12]);
        let gain = Gain::of(&[part], Objective::BalancedAccuracy, 1);
        assert_eq!((gain.gained, gain.lost, gain.finding), (12, 36, Finding::MoreGetWorse));
    }
}
