//! What was observed of each different verdict, ready to be judged again.

use crate::compare::{NotKept, Side};
use crate::labels::Label;
use crate::recording::ExchangeKind;
use crate::rulebook::{LeafSet, Rulebook};
use crate::store::NamedVerdict;
use crate::verdict::{Conclusion, Ground, Observed as OfCall, SchemaOutcome, SignalSet, Signals};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Some of a rulebook's patterns, by their numbers.
pub type Patterns = BTreeSet<u16>;

/// What was observed of each different verdict of a side.
#[derive(Clone, Debug)]
pub struct Observations {
    rulebook: Arc<Rulebook>,
    /// The question that each pattern answers.
    questions: Vec<usize>,
    of: Vec<Observed>,
}

#[derive(Clone, Debug)]
struct Observed {
    kind: ExchangeKind,
    ground: Ground,
    /// Whether it is a failure that claims success.
    hides: Option<bool>,
    schema: Option<SchemaOutcome>,
    hits: Vec<u16>,
}

impl Observations {
    /// Takes them from a side.
    pub fn of(side: &Side) -> Result<Self, NotKept> {
        let rulebook = side.rulebook.clone().ok_or(NotKept::Rulebook)?;
        let names = rulebook.pattern_names().into_iter().zip(0_u16..);
        let numbers: HashMap<String, u16> = names.collect();
        let of = side.verdicts.iter().map(|verdict| Observed::of(verdict, &numbers));
        let of = of.collect::<Option<_>>().ok_or(NotKept::Hits)?;
        Ok(Self { questions: rulebook.questions(), rulebook, of })
    }

    pub fn rulebook(&self) -> &Rulebook {
        &self.rulebook
    }

    /// How many different verdicts there are.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// The patterns that hit, in the rulebook's order.
    pub fn hits(&self, verdict: u32) -> &[u16] {
        &self.of[verdict as usize].hits
    }

    pub fn signals(&self, verdict: u32, without: &Patterns) -> SignalSet {
        let observed = &self.of[verdict as usize];
        let Some(which) = self.rulebook.observed_as(observed.ground, observed.hides) else {
            return SignalSet::default();
        };
        let mut yes = LeafSet::default();
        for hit in observed.hits.iter().filter(|hit| !without.contains(hit)) {
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
        let observed = &self.of[verdict as usize];
        if observed.kind != ExchangeKind::ToolCall || rules.judges_two_texts(observed.ground) {
            return None;
        }
        Some(rules.conclude(&OfCall {
            schema: observed.schema,
            ..OfCall::new(observed.ground, Signals::Of(signals))
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

impl Observed {
    fn of(verdict: &NamedVerdict, numbers: &HashMap<String, u16>) -> Option<Self> {
        let hits = verdict.hits.iter().map(|name| numbers.get(name).copied());
        Some(Self {
            kind: verdict.kind,
            ground: verdict.ground,
            hides: verdict.hidden_failure,
            schema: verdict.schema.as_ref().map(|schema| schema.outcome),
            hits: hits.collect::<Option<_>>()?,
        })
    }
}
