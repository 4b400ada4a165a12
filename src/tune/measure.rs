//! What a change is worth on servers that it was not made from.

use super::chance::Chance;
use super::reply::Asked;
use crate::compare::paired::{exact_mcnemar, tango};
use crate::count::tally::wilson;
use crate::labels::Label;
use crate::measure::fit::{Counts, Objective};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use serde::Serialize;
use std::collections::BTreeMap;

/// How often servers are drawn anew for an interval.
const DRAWS: usize = 2000;

/// Fewer servers do not tell, whatever is found on them.
pub const FEWEST_SERVERS: u64 = 5;
/// Shuffled labels may bring as much so often, for either of the two questions: together two runs of a
/// thousand. Gains that are any do better than all shuffles.
const SHUFFLED: f64 = 0.001;
/// Swapped servers may bring as much so often: whatever three of them bring, it is one time in eight.
const SWAPPED: f64 = 0.1;
/// What gets worse rather than better so seldom by chance gets worse.
const WORSE: f64 = 0.05;

/// What was said of a reply by two judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The reply, by its place.
    pub reply: usize,
    pub server: u32,
    pub label: Label,
    pub before: Option<Label>,
    pub after: Option<Label>,
}

/// A measure with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measured {
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Where the interval is from.
    pub by: Means,
}

/// Where an interval is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    /// Servers drawn anew (90 %): 95 % that it lies above the lower end.
    Draws,
    /// Wilson's (95 %) of the shares that the measure is made of, since all draws come to the same: where
    /// nothing is wrong, drawing again brings nothing wrong.
    Wilson,
}

/// What changed between two judges on the same replies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gain {
    pub before: Measured,
    pub after: Measured,
    /// After less before.
    pub gain: Measured,
    /// What the better of two judges comes to that give everything the same answer.
    pub constant: f64,
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
    pub servers: u64,
    /// How often labels that are shuffled within their servers bring as much, over before and over always
    /// saying the same.
    pub shuffled: f64,
    /// How often as much is gained where before and after are swapped on whole servers by a coin.
    pub swapped: f64,
    pub finding: Finding,
}

/// Whether there is a gain, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    Gain,
    /// Too few servers were measured on to tell.
    TooFewServers,
    /// It is not more than before.
    NotMore,
    /// It is not shown to be more than always saying the same.
    LikeConstant,
    /// Labels without sense bring as much too often.
    LikeShuffled,
    FewServersBringIt,
    /// More replies, or servers, get worse than better, and that is no chance.
    MoreGetWorse,
}

impl Gain {
    /// Measures answers; `None` where one of the classes is missing.
    pub fn of(
        asked: Asked,
        outcomes: &[Outcome],
        (objective, seed): (Objective, u64),
    ) -> Option<Self> {
        let outcomes: Vec<&Outcome> =
            outcomes.iter().filter(|it| Asked::about(it.label) == asked).collect();
        let mut servers: BTreeMap<u32, Tally> = BTreeMap::new();
        for outcome in &outcomes {
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
        let before_measured = measured(before, before_draws).or_wilson(&whole.before, objective);
        let after_measured = measured(after, after_draws).or_wilson(&whole.after, objective);
        let mut gain_measured = measured(gain, gain_draws);
        if whole.lost + whole.gained > 0 {
            gain_measured = gain_measured.or_between(
                measured_by_wilson(before, &whole.before, objective),
                measured_by_wilson(after, &whole.after, objective),
            );
        }
        let better =
            |wanted: fn(&Tally) -> bool| servers.iter().filter(|it| wanted(it)).count() as u64;
        let servers_better = better(|it| it.gained > it.lost);
        let servers_worse = better(|it| it.gained < it.lost);
        let [failed, _] = asked.labels();
        let chance = Chance::of(&outcomes, failed, objective, seed);
        let mut measured = Self {
            before: before_measured,
            after: after_measured,
            gain: gain_measured,
            constant: whole.constant(objective),
            replies: whole.replies,
            lost: whole.lost,
            gained: whole.gained,
            mcnemar: exact_mcnemar(whole.lost, whole.gained),
            accuracy_difference: tango(whole.lost, whole.gained, whole.replies),
            servers_better,
            servers_worse,
            sign_test: exact_mcnemar(servers_worse, servers_better),
            servers: servers.len() as u64,
            shuffled: chance.shuffled,
            swapped: chance.swapped,
            finding: Finding::NotMore,
        };
        measured.finding = measured.found(objective);
        Some(measured)
    }

    fn found(&self, objective: Objective) -> Finding {
        // Other objectives ask for more mistakes of one kind.
        let counts_mistakes = objective == Objective::BalancedAccuracy;
        let gets_worse = (self.lost > self.gained && self.mcnemar < WORSE)
            || (self.servers_worse > self.servers_better && self.sign_test < WORSE);
        if self.servers < FEWEST_SERVERS {
            Finding::TooFewServers
        } else if self.gain.value <= 0.0 {
            Finding::NotMore
        } else if self.after.low <= self.constant {
            Finding::LikeConstant
        } else if self.shuffled > SHUFFLED {
            Finding::LikeShuffled
        } else if self.swapped > SWAPPED {
            Finding::FewServersBringIt
        } else if counts_mistakes && gets_worse {
            Finding::MoreGetWorse
        } else {
            Finding::Gain
        }
    }

    /// Whether something was gained that is no chance.
    pub fn is_real(&self) -> bool {
        self.finding == Finding::Gain
    }
}

fn measured(value: f64, mut draws: Vec<f64>) -> Measured {
    draws.sort_unstable_by(f64::total_cmp);
    let at = |part: usize| draws.get(draws.len() * part / 1000).copied().unwrap_or(value);
    let high = draws.len().checked_sub(1 + draws.len() * 50 / 1000).map(|at| draws[at]);
    let (low, high) = (at(50).min(value), high.unwrap_or(value).max(value));
    Measured { value, low, high, by: Means::Draws }
}

/// By the shares alone; `None` of an objective that is no mean of shares.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of replies are whole and not negative"
)]
fn measured_by_wilson(value: f64, counts: &Counts, objective: Objective) -> Option<Measured> {
    if objective != Objective::BalancedAccuracy {
        return None;
    }
    let interval = |hits: f64, rest: f64| wilson(hits as u64, (hits + rest) as u64);
    let classes = [interval(counts.found, counts.missed), interval(counts.spared, counts.alarmed)];
    let [low, high] = [classes.map(|it| it.low), classes.map(|it| it.high)]
        .map(|[one, other]| f64::midpoint(one, other));
    Some(Measured { value, low, high, by: Means::Wilson })
}

impl Measured {
    fn is_one_value(&self) -> bool {
        self.high - self.low < 1e-9
    }

    fn or_wilson(self, counts: &Counts, objective: Objective) -> Self {
        let wilson = measured_by_wilson(self.value, counts, objective);
        wilson.filter(|_| self.is_one_value()).unwrap_or(self)
    }

    /// A difference from the intervals of what it is between (Newcombe).
    fn or_between(self, before: Option<Self>, after: Option<Self>) -> Self {
        let Some((before, after)) = before.zip(after).filter(|_| self.is_one_value()) else {
            return self;
        };
        let low = self.value - (after.value - after.low).hypot(before.high - before.value);
        let high = self.value + (after.high - after.value).hypot(before.value - before.low);
        Self { low, high, by: Means::Wilson, ..self }
    }
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
        let wilson = [all.after.by, all.gain.by];
        assert_eq!(wilson, [Means::Wilson; 2], "nothing wrong is no proof: {all:?}");
        // Wilson's interval of 12 out of 12 begins at 12 / (12 + 1.96²), for either class.
        assert!((all.after.low - 12.0 / (12.0 + 3.841_459)).abs() < 1e-6, "{all:?}");
        assert!(all.gain.low < 0.5 && all.gain.high > 0.5, "{all:?}");
        assert_eq!(Gain::of(Asked::Hidden, &outcomes(|_, label| label), objective), None);
    }

    #[test]
    fn few_servers_do_not_tell_and_what_gets_worse_is_no_gain() {
        let objective = (Objective::BalancedAccuracy, 0);
        let mut few = outcomes(|_, label| label);
        few.retain(|outcome| outcome.server < 4);
        let few = Gain::of(Asked::Failed, &few, objective).expect("both");
        assert_eq!((few.servers, few.finding), (4, Finding::TooFewServers));

        // The one failure of each server is found, and three of thirty refusals are called failures.
        let refusals = (0..12).flat_map(|server| (0..30).map(move |turn| (server, turn)));
        let refused = refusals.map(|(server, turn)| Outcome {
            reply: turn,
            server,
            label: Label::BusinessLogic,
            before: Some(Label::BusinessLogic),
            after: Some(if turn < 3 { Label::ToolFailure } else { Label::BusinessLogic }),
        });
        let mut worse = outcomes(|_, label| label);
        worse.extend(refused);
        let reason = Gain::of(Asked::Failed, &worse, objective).expect("both");
        assert!(reason.gain.low > 0.0 && reason.servers_worse == 12, "{reason:?}");
        assert_eq!(reason.finding, Finding::MoreGetWorse);
        let costs = (Objective::Costs { missed: 9.0, alarmed: 1.0 }, 0);
        let reason = Gain::of(Asked::Failed, &worse, costs).expect("both");
        assert_eq!(reason.finding, Finding::Gain, "that is what these costs ask for: {reason:?}");
    }
}
