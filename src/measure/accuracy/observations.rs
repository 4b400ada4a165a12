//! What was observed of each different verdict, ready to be judged again.

use crate::compare::{NotKept, Side};
use crate::labels::Label;
use crate::recording::ExchangeKind;
use crate::rulebook::{LeafSet, Rulebook};
use crate::store::NamedVerdict;
use crate::verdict::{Conclusion, Observed, SignalSet, Signals};
use std::collections::{BTreeSet, HashMap};

/// Some of a rulebook's patterns, by their numbers.
pub type Patterns = BTreeSet<u16>;

/// What was observed of each different verdict of a side.
#[derive(Clone, Debug)]
pub struct Observations<'s> {
    rulebook: &'s Rulebook,
    verdicts: &'s [NamedVerdict],
    /// The question that each pattern answers.
    questions: Vec<usize>,
    /// The patterns that hit, of each verdict.
    hits: Vec<Vec<u16>>,
}

impl<'s> Observations<'s> {
    /// Takes them from a side.
    pub fn of(side: &'s Side) -> Result<Self, NotKept> {
        let rulebook = side.rulebook.as_deref().ok_or(NotKept::Rulebook)?;
        let names = rulebook.pattern_names().into_iter().zip(0_u16..);
        let numbers: HashMap<String, u16> = names.collect();
        let hits = side.verdicts.iter().map(|verdict| {
            let hits = verdict.hits.iter();
            hits.map(|name| numbers.get(name).copied()).collect()
        });
        let hits = hits.collect::<Option<_>>().ok_or(NotKept::Hits)?;
        let questions = rulebook.questions();
        Ok(Self { rulebook, verdicts: &side.verdicts, questions, hits })
    }

    pub fn rulebook(&self) -> &'s Rulebook {
        self.rulebook
    }

    /// How many different verdicts there are.
    pub fn len(&self) -> usize {
        self.verdicts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty()
    }

    /// The patterns that hit, in the rulebook's order.
    pub fn hits(&self, verdict: u32) -> &[u16] {
        &self.hits[verdict as usize]
    }

    pub fn signals(&self, verdict: u32, without: &Patterns) -> SignalSet {
        let observed = &self.verdicts[verdict as usize];
        let Some(which) = self.rulebook.observed_as(observed.ground, observed.hidden_failure)
        else {
            return SignalSet::default();
        };
        let mut yes = LeafSet::default();
        for hit in self.hits(verdict).iter().filter(|hit| !without.contains(hit)) {
            yes.insert(self.questions[usize::from(*hit)]);
        }
        self.rulebook.signals_when(which, yes)
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
        if observed.kind != ExchangeKind::ToolCall || rules.judges_two_texts(observed.ground) {
            return None;
        }
        Some(rules.conclude(&Observed {
            schema: observed.schema.as_ref().map(|schema| schema.outcome),
            ..Observed::new(observed.ground, Signals::Of(signals))
        }))
    }

    /// The label that the verdict comes to; `None` where nothing is answered.
    pub fn answer(&self, verdict: u32, rules: &Rulebook, without: &Patterns) -> Option<Label> {
        self.answer_by(verdict, rules, self.signals(verdict, without))
    }

    /// The label that the verdict comes to by these signals; `None` where nothing is answered.
    pub fn answer_by(&self, verdict: u32, rules: &Rulebook, signals: SignalSet) -> Option<Label> {
        Some(Label::concluded(&self.conclusion(verdict, rules, signals)?))
    }
}
