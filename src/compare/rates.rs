//! Shares of outcomes, classes, answers and types of issue, before and after.

use super::RateChange;
use super::paired::{exact_mcnemar, holm, tango};
use crate::store::NamedVerdict;
use crate::verdict::{Answer, Classification, Outcome};
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
    let mut counts: BTreeMap<Counted<'s>, [u64; 3]> = BTreeMap::new();
    for outcome in Outcome::ALL {
        counts.insert(Counted::Outcome(outcome), [0; 3]);
    }
    for class in Classification::ALL {
        counts.insert(Counted::Class(class), [0; 3]);
    }
    for answer in Answer::LISTED {
        counts.insert(Counted::Answer(answer), [0; 3]);
    }
    let (mut of, mut of_telling) = (0, 0);
    for Weighted { before, after, exchanges } in pairs {
        of += exchanges;
        let both_tell = before.outcome.tells() && after.outcome.tells();
        of_telling += if both_tell { exchanges } else { 0 };
        let [earlier, later] = [before, after].map(|verdict| Counted::of(verdict, both_tell));
        for what in earlier.union(&later) {
            let column = match (earlier.contains(what), later.contains(what)) {
                (true, true) => 0,
                (true, false) => 1,
                (false, _) => 2,
            };
            counts.entry(*what).or_default()[column] += exchanges;
        }
    }
    let rate = |(what, [both, lost, gained]): (Counted<'s>, [u64; 3])| {
        let of = if what.is_of_telling() { of_telling } else { of };
        RateChange {
            name: what.name(),
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

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Counted<'s> {
    Outcome(Outcome),
    Class(Classification),
    Answer(Answer),
    /// At least one issue of this severity and type.
    Issue(&'s str),
}

impl<'s> Counted<'s> {
    fn of(verdict: &'s NamedVerdict, both_tell: bool) -> BTreeSet<Self> {
        let standing = verdict.standing();
        let issues = verdict.issues.iter().map(|issue| Self::Issue(issue));
        let counted = [Self::Class(standing.class), Self::Answer(standing.answer)];
        // A policy that limits what is hidden means refusals too.
        let hides = standing.answer == Answer::HiddenRefusal;
        let hidden = hides.then_some(Self::Answer(Answer::HiddenFailure));
        let counts = both_tell || !standing.outcome.tells();
        let outcome = counts.then_some(Self::Outcome(standing.outcome));
        issues.chain(counted).chain(hidden).chain(outcome).collect()
    }

    fn is_of_telling(self) -> bool {
        match self {
            Self::Outcome(outcome) => outcome.tells(),
            Self::Class(_) | Self::Answer(_) | Self::Issue(_) => false,
        }
    }

    fn name(self) -> String {
        match self {
            Self::Outcome(outcome) => format!("outcome {}", outcome.name()),
            Self::Class(class) => format!("class {}", class.name()),
            Self::Answer(answer) => format!("answer {}", answer.name()),
            Self::Issue(issue) => format!("issue {issue}"),
        }
    }
}
