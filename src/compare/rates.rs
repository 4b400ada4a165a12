//! Shares of outcomes, classes, answers and types of issue, before and after.

use super::RateChange;
use super::chance::{exact_mcnemar, holm, tango};
use crate::store::NamedVerdict;
use crate::verdict::{Answer, Classification, Judgement, Outcome};
use std::collections::{BTreeMap, BTreeSet};

/// From this corrected p-value on, a change of a share is called noise.
const NOISE: f64 = 0.05;

impl RateChange {
    pub fn shares(&self) -> [f64; 2] {
        self.counts.map(|count| if self.of == 0 { 0.0 } else { count as f64 / self.of as f64 })
    }

    /// Whether any exchange began or ceased to count.
    pub fn is_moved(&self) -> bool {
        self.lost + self.gained > 0
    }

    /// For each share, whether chance alone may well have moved it so, corrected by Holm for how many of
    /// them moved. One that did not move has moved no more than chance would.
    pub fn noise(rates: &[Self]) -> Vec<bool> {
        let moved: Vec<f64> =
            rates.iter().filter(|rate| rate.is_moved()).map(|rate| rate.p).collect();
        let mut corrected = holm(&moved).into_iter();
        let is_noise = |rate: &Self| {
            !rate.is_moved() || corrected.next().is_none_or(|corrected| corrected >= NOISE)
        };
        rates.iter().map(is_noise).collect()
    }
}

/// What a share is counted over: exchanges that both sides have, by what was said before and after.
pub(super) struct Weighted<'s> {
    pub(super) before: &'s NamedVerdict,
    pub(super) after: &'s NamedVerdict,
    pub(super) exchanges: u64,
}

/// The shares: all outcomes, all classes, all answers, and every type of issue that occurs, in this order.
/// Shares of outcomes that say something of the server are of the exchanges whose outcomes do, both before
/// and after.
pub(super) fn rates<'s>(pairs: impl Iterator<Item = Weighted<'s>>) -> Vec<RateChange> {
    let listed = Outcome::ALL.map(of_outcome).into_iter();
    let listed = listed.chain(Classification::ALL.map(of_class));
    let listed = listed.chain(Answer::LISTED.map(of_answer)).map(|what| (what, [0; 3]));
    let mut counts: BTreeMap<Counted<'s>, [u64; 3]> = listed.collect();
    let (mut of, mut of_telling) = (0, 0);
    for Weighted { before, after, exchanges } in pairs {
        of += exchanges;
        let both_tell = before.outcome.tells() && after.outcome.tells();
        of_telling += if both_tell { exchanges } else { 0 };
        let [earlier, later] = [before, after].map(|verdict| counted(verdict, both_tell));
        for what in earlier.union(&later) {
            let column = match (earlier.contains(what), later.contains(what)) {
                (true, true) => 0,
                (true, false) => 1,
                (false, _) => 2,
            };
            counts.entry(*what).or_default()[column] += exchanges;
        }
    }
    let rate = |((kind, place, name), [both, lost, gained]): (Counted<'s>, [u64; 3])| {
        let is_of_telling = kind == 0 && Outcome::ALL[place].tells();
        let of = if is_of_telling { of_telling } else { of };
        RateChange {
            name: format!("{} {name}", KINDS[kind]),
            of,
            counts: [both + lost, both + gained],
            lost,
            gained,
            p: exact_mcnemar(lost, gained),
            interval: tango(lost, gained, of),
        }
    };
    counts.into_iter().map(rate).collect()
}

/// What is counted: its kind, its place among those of its kind, and its name.
type Counted<'s> = (usize, usize, &'s str);
/// An issue is counted where there is at least one of its severity and type.
const KINDS: [&str; 4] = ["outcome", "class", "answer", "issue"];

fn of_outcome<'s>(outcome: Outcome) -> Counted<'s> {
    (0, outcome as usize, outcome.name())
}

fn of_class<'s>(class: Classification) -> Counted<'s> {
    (1, class as usize, class.name())
}

fn of_answer<'s>(answer: Answer) -> Counted<'s> {
    (2, answer as usize, answer.name())
}

fn counted(verdict: &NamedVerdict, both_tell: bool) -> BTreeSet<Counted<'_>> {
    let Judgement { outcome, class, answer } = verdict.judgement();
    let mut counted: BTreeSet<_> = verdict.issues.iter().map(|issue| (3, 0, &**issue)).collect();
    counted.extend([of_class(class), of_answer(answer)]);
    // A policy that limits what is hidden means refusals too.
    counted.extend((answer == Answer::HiddenRefusal).then(|| of_answer(Answer::HiddenFailure)));
    counted.extend((both_tell || !outcome.tells()).then(|| of_outcome(outcome)));
    counted
}
