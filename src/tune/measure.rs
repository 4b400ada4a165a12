//! What a change is worth on servers that it was not made from.

use super::reply::Asked;
use crate::compare::paired::{exact_mcnemar, tango};
use crate::fit::{Counts, Objective};
use crate::label::Label;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use serde::Serialize;
use std::collections::BTreeMap;

/// How often servers are drawn anew for an interval.
const DRAWS: usize = 2000;

/// What was said of a reply by two judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The reply, by its place.
    pub reply: usize,
    /// Whose it is.
    pub server: u32,
    /// What is true.
    pub label: Label,
    /// What was said before.
    pub before: Option<Label>,
    /// What is said after.
    pub after: Option<Label>,
}

/// A measure with its interval (90 %, servers drawn anew): 95 % that it lies above the lower end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// What it comes to.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// What changed between two judges on the same replies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gain {
    /// The objective before.
    pub before: Measured,
    /// The objective after.
    pub after: Measured,
    /// After less before.
    pub gain: Measured,
    /// What the better of two judges comes to that give everything the same answer.
    pub constant: f64,
    /// Replies.
    pub replies: u64,
    /// Replies that were right and are not.
    pub lost: u64,
    /// Replies that were not right and are.
    pub gained: u64,
    /// `McNemar`'s exact test of those two.
    pub mcnemar: f64,
    /// Tango's interval (95 %) of the difference in accuracy.
    pub accuracy_difference: [f64; 2],
    /// Servers of which more is right.
    pub servers_better: u64,
    /// Servers of which less is right.
    pub servers_worse: u64,
    /// The sign test of those two.
    pub sign_test: f64,
}

impl Gain {
    /// Measures answers; `None` where one of the classes is missing.
    #[must_use]
    pub fn of(
        asked: Asked,
        outcomes: &[Outcome],
        (objective, seed): (Objective, u64),
    ) -> Option<Self> {
        let outcomes = outcomes.iter().filter(|it| Asked::about(it.label) == asked);
        let mut servers: BTreeMap<u32, Tally> = BTreeMap::new();
        for outcome in outcomes {
            servers.entry(outcome.server).or_default().add(asked, outcome);
        }
        let servers: Vec<Tally> = servers.into_values().collect();
        let whole = Tally::sum(servers.iter());
        if !whole.has_both() {
            return None;
        }
        let values = |tally: &Tally| {
            let [before, after] = [&tally.before, &tally.after].map(|counts| objective.of(counts));
            [before, after, after - before]
        };
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut draws: [Vec<f64>; 3] = Default::default();
        for _ in 0..DRAWS {
            let picked = (0..servers.len()).map(|_| {
                let at = random.next_u64() % servers.len() as u64;
                &servers[usize::try_from(at).unwrap_or_default()]
            });
            let resample = Tally::sum(picked);
            if resample.has_both() {
                draws.iter_mut().zip(values(&resample)).for_each(|(all, one)| all.push(one));
            }
        }
        let [before, after, gain] = values(&whole);
        let [before_draws, after_draws, gain_draws] = draws;
        let better =
            |wanted: fn(&Tally) -> bool| servers.iter().filter(|it| wanted(it)).count() as u64;
        let servers_better = better(|it| it.gained > it.lost);
        let servers_worse = better(|it| it.gained < it.lost);
        Some(Self {
            before: measured(before, before_draws),
            after: measured(after, after_draws),
            gain: measured(gain, gain_draws),
            constant: whole.constant(objective),
            replies: whole.replies,
            lost: whole.lost,
            gained: whole.gained,
            mcnemar: exact_mcnemar(whole.lost, whole.gained),
            accuracy_difference: tango(whole.lost, whole.gained, whole.replies),
            servers_better,
            servers_worse,
            sign_test: exact_mcnemar(servers_worse, servers_better),
        })
    }

    /// Whether something was gained that is no chance: the interval lies above nothing, and what is said
    /// after is better than always saying the same.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.gain.low > 0.0 && self.after.low > self.constant
    }
}

fn measured(value: f64, mut draws: Vec<f64>) -> Measured {
    draws.sort_unstable_by(f64::total_cmp);
    let at = |part: usize| draws.get(draws.len() * part / 1000).copied().unwrap_or(value);
    let high = draws.len().checked_sub(1 + draws.len() * 50 / 1000).map(|at| draws[at]);
    Measured { value, low: at(50).min(value), high: high.unwrap_or(value).max(value) }
}

/// The answers to the replies of a server.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    before: Counts,
    after: Counts,
    replies: u64,
    lost: u64,
    gained: u64,
}

impl Tally {
    fn add(&mut self, asked: Asked, outcome: &Outcome) {
        let [failed, _] = asked.labels();
        let is_failed = outcome.label == failed;
        for (counts, answer) in
            [(&mut self.before, outcome.before), (&mut self.after, outcome.after)]
        {
            let count = match (is_failed, answer == Some(failed)) {
                (true, true) => &mut counts.found,
                (true, false) => &mut counts.missed,
                (false, true) => &mut counts.alarmed,
                (false, false) => &mut counts.spared,
            };
            *count += 1.0;
        }
        let right = |answer: Option<Label>| (answer == Some(failed)) == is_failed;
        self.replies += 1;
        self.lost += u64::from(right(outcome.before) && !right(outcome.after));
        self.gained += u64::from(!right(outcome.before) && right(outcome.after));
    }

    fn sum<'a>(parts: impl Iterator<Item = &'a Self>) -> Self {
        let add = |one: Counts, other: &Counts| Counts {
            found: one.found + other.found,
            missed: one.missed + other.missed,
            alarmed: one.alarmed + other.alarmed,
            spared: one.spared + other.spared,
        };
        parts.fold(Self::default(), |sum, part| Self {
            before: add(sum.before, &part.before),
            after: add(sum.after, &part.after),
            replies: sum.replies + part.replies,
            lost: sum.lost + part.lost,
            gained: sum.gained + part.gained,
        })
    }

    fn has_both(&self) -> bool {
        let Counts { found, missed, alarmed, spared } = self.before;
        found + missed > 0.0 && alarmed + spared > 0.0
    }

    fn constant(&self, objective: Objective) -> f64 {
        let Counts { found, missed, alarmed, spared } = self.before;
        let (failed, others) = (found + missed, alarmed + spared);
        let always = Counts { found: failed, alarmed: others, ..Counts::default() };
        let never = Counts { missed: failed, spared: others, ..Counts::default() };
        objective.of(&always).max(objective.of(&never))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(after: impl Fn(u32, Label) -> Label) -> Vec<Outcome> {
        let labels = [Label::BusinessLogic, Label::ToolFailure];
        let all = (0..12_u32).flat_map(|server| labels.map(|label| (server, label)));
        all.enumerate()
            .map(|(reply, (server, label))| Outcome {
                reply,
                server,
                label,
                before: Some(Label::BusinessLogic),
                after: Some(after(server, label)),
            })
            .collect()
    }

    #[test]
    fn a_gain_on_all_servers_is_real_and_one_on_a_single_server_is_not() {
        let objective = (Objective::BalancedAccuracy, 0);
        let all = Gain::of(Asked::Failed, &outcomes(|_, label| label), objective).expect("both");
        assert!(all.is_real() && (all.gain.value - 0.5).abs() < 1e-12, "{all:?}");
        assert_eq!((all.lost, all.gained, all.servers_better), (0, 12, 12));
        let one = |server, label| if server == 0 { label } else { Label::BusinessLogic };
        let one = Gain::of(Asked::Failed, &outcomes(one), objective).expect("both");
        assert!(!one.is_real(), "{one:?}");
        let none = Gain::of(Asked::Failed, &outcomes(|_, _| Label::ToolFailure), objective);
        assert!(!none.expect("both").is_real(), "always saying the same is no gain");
        assert_eq!(Gain::of(Asked::Hidden, &outcomes(|_, label| label), objective), None);
    }
}
