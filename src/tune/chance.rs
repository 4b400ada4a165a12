//! What chance alone would have brought: labels shuffled, and servers swapped.
//!
//! Replies are dealt out by server, so what judges a server was learned without it. Whatever its labels have
//! to do with one another, shuffling them among its own replies therefore gives what a rulebook reaches that
//! knows nothing of its replies: the test is exact for labels without sense, whether they were mixed up among
//! all servers or within each.

use super::measure::Outcome;
use crate::labels::Label;
use crate::measure::fit::{Counts, Objective};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use std::collections::BTreeMap;

/// How often labels are shuffled, and servers swapped.
const DRAWS: u32 = 2000;
/// Two sums of the same numbers need not be the same number.
const ALIKE: f64 = 1e-12;

/// How often chance does as well, as shares: the test of shuffled labels and that of swapped servers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Chance {
    /// How often labels that were shuffled within their servers bring as much.
    pub(super) shuffled: f64,
    /// How often as much is gained where before and after are swapped on servers by a coin.
    pub(super) swapped: f64,
}

/// The replies of a server by whether before and after call them failures.
#[derive(Clone, Debug, Default)]
struct Replies {
    /// `[before][after]`, as numbers of replies.
    answers: [[u64; 2]; 2],
    failed: [[u64; 2]; 2],
}

/// All replies of a server, and those that failed.
type Both = [Counts; 2];

impl Chance {
    /// Of answers to one question, whose failures have a label.
    pub(super) fn of(
        outcomes: &[&Outcome],
        failed: Label,
        objective: Objective,
        seed: u64,
    ) -> Self {
        let mut servers: BTreeMap<u32, Replies> = BTreeMap::new();
        for outcome in outcomes {
            let of = servers.entry(outcome.server).or_default();
            let [before, after] =
                [outcome.before, outcome.after].map(|answers| usize::from(answers == Some(failed)));
            of.answers[before][after] += 1;
            of.failed[before][after] += u64::from(outcome.label == failed);
        }
        let servers: Vec<Replies> = servers.into_values().collect();
        let own: Vec<Both> = servers.iter().map(|it| it.counts(&it.failed)).collect();
        let constant = constant(&own, objective);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let shuffled = share(above_both(&own, objective, constant), || {
            let own: Vec<Both> = servers.iter().map(|it| it.shuffled(&mut random)).collect();
            above_both(&own, objective, constant)
        });
        let swapped = share(difference(&own, objective), || {
            let swap = |[before, after]: &Both| {
                if random.next_u64().is_multiple_of(2) {
                    [*before, *after]
                } else {
                    [*after, *before]
                }
            };
            difference(&own.iter().map(swap).collect::<Vec<_>>(), objective)
        });
        Self { shuffled, swapped }
    }
}

impl Replies {
    fn counts(&self, failed: &[[u64; 2]; 2]) -> Both {
        let mut both = Both::default();
        for [before, after] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
            let bad = failed[before][after];
            let good = self.answers[before][after] - bad;
            for (counts, is_called_failed) in both.iter_mut().zip([before, after]) {
                if is_called_failed == 1 {
                    counts.found += bad as f64;
                    counts.alarmed += good as f64;
                } else {
                    counts.missed += bad as f64;
                    counts.spared += good as f64;
                }
            }
        }
        both
    }

    /// As many failures as there are, of any of the replies.
    fn shuffled(&self, random: &mut ChaCha8Rng) -> Both {
        let mut left: u64 = self.answers.as_flattened().iter().sum();
        let mut wanted: u64 = self.failed.as_flattened().iter().sum();
        let mut failed = [[0; 2]; 2];
        for (answers, failed) in self.answers.as_flattened().iter().zip(failed.as_flattened_mut()) {
            for _ in 0..*answers {
                let is_failed = wanted > 0 && (wanted == left || random.next_u64() % left < wanted);
                *failed += u64::from(is_failed);
                wanted -= u64::from(is_failed);
                left -= 1;
            }
        }
        self.counts(&failed)
    }
}

/// How often what is drawn is no less than what was seen, which counts as one of the draws.
fn share(seen: f64, mut draw: impl FnMut() -> f64) -> f64 {
    let as_much = (0..DRAWS).filter(|_| draw() >= seen - ALIKE).count();
    (as_much + 1) as f64 / f64::from(DRAWS + 1)
}

fn values(own: &[Both], objective: Objective) -> [f64; 2] {
    let sum = own.iter().fold(Both::default(), |mut sum, both| {
        for (sum, one) in sum.iter_mut().zip(both) {
            sum.found += one.found;
            sum.missed += one.missed;
            sum.alarmed += one.alarmed;
            sum.spared += one.spared;
        }
        sum
    });
    sum.map(|counts| objective.of(&counts))
}

fn difference(own: &[Both], objective: Objective) -> f64 {
    let [before, after] = values(own, objective);
    after - before
}

/// How far after is above before, and above always saying the same, whichever is less.
fn above_both(own: &[Both], objective: Objective, constant: f64) -> f64 {
    let [before, after] = values(own, objective);
    (after - before).min(after - constant)
}

/// What the better of two judges comes to that give everything the same answer.
fn constant(own: &[Both], objective: Objective) -> f64 {
    let sum = |part: fn(&Counts) -> f64| own.iter().map(|[it, _]| part(it)).sum::<f64>();
    let (failed, others) = (sum(|it| it.found + it.missed), sum(|it| it.alarmed + it.spared));
    let always = Counts { found: failed, alarmed: others, ..Counts::default() };
    let never = Counts { missed: failed, spared: others, ..Counts::default() };
    objective.of(&always).max(objective.of(&never))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECTIVE: Objective = Objective::BalancedAccuracy;

    /// Of each server so many replies of either class; before says that nothing failed.
    fn outcomes(
        servers: u32,
        each: usize,
        after: impl Fn(u32, usize, Label) -> Label,
    ) -> Vec<Outcome> {
        let labels = [Label::BusinessLogic, Label::ToolFailure];
        let all = (0..servers).flat_map(|server| (0..2 * each).map(move |turn| (server, turn)));
        all.map(|(server, turn)| Outcome {
            reply: turn,
            server,
            label: labels[turn % 2],
            before: Some(Label::BusinessLogic),
            after: Some(after(server, turn, labels[turn % 2])),
        })
        .collect()
    }

    fn chance(outcomes: &[Outcome]) -> Chance {
        let outcomes: Vec<&Outcome> = outcomes.iter().collect();
        Chance::of(&outcomes, Label::ToolFailure, OBJECTIVE, 1)
    }

    #[test]
    fn what_tells_replies_of_many_servers_apart_is_no_chance() {
        let found = chance(&outcomes(10, 4, |_, _, label| label));
        assert!(found.shuffled < 0.001 && found.swapped < 0.01, "{found:?}");
    }

    #[test]
    fn what_only_knows_the_servers_is_what_shuffled_labels_bring() {
        // Nine of ten failures are the first five servers', and after says that all of theirs failed.
        let mut all =
            outcomes(
                10,
                20,
                |server, _, _| {
                    if server < 5 { Label::ToolFailure } else { Label::BusinessLogic }
                },
            );
        for outcome in &mut all {
            let is_usual = !outcome.reply.is_multiple_of(10);
            let is_failure = (outcome.server < 5) == is_usual;
            outcome.label = if is_failure { Label::ToolFailure } else { Label::BusinessLogic };
        }
        let found = chance(&all);
        assert!(found.shuffled > 0.9, "{found:?}");
    }

    #[test]
    fn a_gain_on_one_server_is_swapped_as_often_as_not() {
        let one = |server, _, label| if server == 0 { label } else { Label::BusinessLogic };
        let found = chance(&outcomes(10, 20, one));
        assert!(found.shuffled < 0.001 && found.swapped > 0.4, "{found:?}");
        let all = chance(&outcomes(4, 20, |_, _, label| label));
        assert!(all.swapped > 0.05, "four servers are too few: {all:?}");
    }
}
