//! What was observed of each different verdict of a side, ready to be judged again without its text.

use super::Side;
use crate::recording::ExchangeKind;
use crate::rulebook::{LeafSet, Observing, Rulebook};
use crate::store::NamedVerdict;
use crate::verdict::{Conclusion, Observed, SignalSet, Signals};
use std::collections::{BTreeSet, HashMap};

/// Some of a rulebook's patterns, by their numbers.
pub type Patterns = BTreeSet<usize>;

/// Why a side cannot be judged again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    #[error("it does not keep its rulebook")]
    Rulebook,
    /// It does not tell what was there to be judged, or what hit.
    #[error("it does not keep which patterns matched")]
    Hits,
}

/// The hits of each different verdict of a side.
#[derive(Clone, Debug)]
pub struct Observations<'s> {
    pub rulebook: &'s Rulebook,
    pub verdicts: &'s [NamedVerdict],
    /// The patterns that hit, in the rulebook's order.
    pub hits: Vec<Vec<usize>>,
    /// The question that each pattern answers.
    questions: Vec<usize>,
}

impl<'s> Observations<'s> {
    pub fn of(side: &'s Side) -> Result<Self, NotKept> {
        let rulebook = side.rulebook.as_deref().ok_or(NotKept::Rulebook)?;
        let names: HashMap<String, usize> = rulebook.pattern_names().into_iter().zip(0..).collect();
        let hits = side.verdicts.iter().map(|verdict| {
            let numbers = verdict.hits.iter().map(|name| names.get(name).copied());
            numbers.collect::<Option<_>>().ok_or(NotKept::Hits)
        });
        Ok(Self {
            rulebook,
            verdicts: &side.verdicts,
            hits: hits.collect::<Result<_, _>>()?,
            questions: rulebook.questions(),
        })
    }

    /// The questions that these hits answer with yes.
    pub(crate) fn answered<'h>(&self, hits: impl IntoIterator<Item = &'h usize>) -> LeafSet {
        let mut yes = LeafSet::default();
        hits.into_iter().for_each(|hit| yes.insert(self.questions[*hit]));
        yes
    }

    /// The signals of a verdict, if some patterns did not hit.
    pub fn signals(&self, verdict: u32, without: &Patterns) -> SignalSet {
        let NamedVerdict { ground, hidden_failure, .. } = self.verdicts[verdict as usize];
        let hits = self.hits[verdict as usize].iter();
        let yes = self.answered(hits.filter(|hit| !without.contains(hit)));
        let which = self.rulebook.observed_as(ground, hidden_failure);
        which.map(|which| signals_of(self.rulebook, which, yes, None)).unwrap_or_default()
    }

    /// What rules conclude from these signals: those of the rulebook that observed, or of one that only
    /// weighs its signals otherwise. `None` for other exchanges than tool calls, and where two texts are
    /// judged, of which these are the signals of one.
    pub fn conclusion(
        &self,
        verdict: u32,
        rules: &Rulebook,
        signals: SignalSet,
    ) -> Option<Conclusion> {
        let observed = &self.verdicts[verdict as usize];
        let is_call = observed.kind == ExchangeKind::ToolCall;
        (is_call && !rules.judges_two_texts(observed.ground)).then(|| {
            rules.conclude(&Observed {
                schema: observed.schema.as_ref().map(|schema| schema.outcome),
                ..Observed::new(observed.ground, Signals::Of(signals))
            })
        })
    }
}

/// The signals that hold where these questions are answered with yes and no others are; `forced` makes one
/// signal hold or not, whatever it asks.
pub(crate) fn signals_of(
    rulebook: &Rulebook,
    which: Observing,
    yes: LeafSet,
    forced: Option<(usize, bool)>,
) -> SignalSet {
    rulebook.signals_when(which, yes, forced)
}

impl Side {
    /// The servers of the exchanges of each different verdict, by the numbers of their names.
    pub fn servers(&self) -> Vec<BTreeSet<u32>> {
        let mut servers = vec![BTreeSet::new(); self.verdicts.len()];
        for entry in &self.entries {
            servers[entry.verdict as usize].insert(entry.server);
        }
        servers
    }
}
