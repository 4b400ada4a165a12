//! The rulebook under the lens, and what it judged, ready for questions about its patterns and signals.

use super::{Linted, Named};
use crate::compare::{NotKept, Observations, Side, signals_of};
use crate::labels::Class;
use crate::measure::accuracy::Item;
use crate::recording::ExchangeKind;
use crate::rulebook::{Factor, LeafSet, Observing, Rulebook};
use crate::store::NamedVerdict;
use crate::verdict::{Answer, Conclusion, Ending, Observed as OfCall, SignalSet, Signals, grouped};
use std::collections::{BTreeMap, BTreeSet};

/// What a rulebook judged.
#[derive(Debug)]
pub struct JudgedCorpus<'s> {
    pub(super) side: &'s Side,
    /// Each different verdict in which anything was looked for.
    pub(super) observed: Vec<Observed<'s>>,
    /// The labels of the exchanges that each verdict stands for, with their servers.
    pub(super) labelled: BTreeMap<u32, Vec<(u32, Class)>>,
    /// How many exchanges each verdict stands for, and on which servers.
    pub(super) exchanges_of: Vec<u64>,
    pub(super) servers_of: Vec<BTreeSet<u32>>,
}

#[derive(Debug)]
pub(super) struct Observed<'s> {
    pub(super) number: u32,
    pub(super) verdict: &'s NamedVerdict,
    pub(super) which: Observing,
    /// The patterns that hit.
    pub(super) hits: Vec<usize>,
    /// The questions that they answer with yes, and the signals that hold.
    pub(super) yes: LeafSet,
    pub(super) signals: SignalSet,
    /// Whether another text was searched for a hidden failure, of which only the answer is kept.
    pub(super) has_second_text: bool,
    pub(super) exchanges: u64,
}

impl<'s> JudgedCorpus<'s> {
    pub fn new(side: &'s Side, items: &[Item]) -> Result<Self, NotKept> {
        let observations = Observations::of(side)?;
        let rulebook = observations.rulebook;
        let exchanges_of = side.weights();
        let verdicts = (0_u32..).zip(&side.verdicts).zip(&exchanges_of).zip(&observations.hits);
        let observed = verdicts.filter_map(|(((number, verdict), exchanges), hits)| {
            let is_call = verdict.kind == ExchangeKind::ToolCall;
            let which = rulebook.observes(verdict.ground).filter(|_| is_call)?;
            let yes = observations.answered(hits);
            Some(Observed {
                number,
                verdict,
                which,
                hits: hits.clone(),
                yes,
                signals: signals_of(rulebook, which, yes, None),
                has_second_text: rulebook.judges_two_texts(verdict.ground),
                exchanges: *exchanges,
            })
        });
        let observed = observed.collect();
        let mut labelled: BTreeMap<u32, Vec<(u32, Class)>> = BTreeMap::new();
        for item in items {
            labelled.entry(item.verdict).or_default().push((item.server, item.label));
        }
        Ok(Self { side, observed, labelled, exchanges_of, servers_of: side.servers() })
    }

    pub fn exchanges(&self) -> u64 {
        self.side.entries.len() as u64
    }

    /// How many of them have a label.
    pub fn labels(&self) -> u64 {
        self.labelled.values().map(|labels| labels.len() as u64).sum()
    }

    pub fn servers(&self) -> u64 {
        self.servers_of.iter().flatten().collect::<BTreeSet<_>>().len() as u64
    }

    pub(super) fn replies(&self, which: Observing) -> u64 {
        self.observed.iter().filter(|it| it.which == which).map(|it| it.exchanges).sum()
    }
}

/// The rulebook under the lens.
pub(super) struct Subject<'a> {
    pub(super) linted: &'a Linted<'a>,
    pub(super) rulebook: &'a Rulebook,
    pub(super) names: Vec<String>,
}

pub(super) const KINDS: [Observing; 2] = [Observing::Errors, Observing::Successes];

impl<'a> Subject<'a> {
    pub(super) fn new(linted: &'a Linted<'a>) -> Self {
        Self { linted, rulebook: linted.rulebook, names: linted.rulebook.pattern_names() }
    }

    pub(super) fn pattern(&self, pattern: usize) -> Named {
        let place = self.linted.places.pattern(self.rulebook, pattern);
        (self.names[pattern].clone(), place.map(str::to_owned))
    }

    pub(super) fn signal(&self, signal: usize) -> Named {
        let name = &self.rulebook.signals[signal].name;
        (format!("signals.{name}"), self.linted.places.part("signals", name).map(str::to_owned))
    }

    pub(super) fn factor(&self, factor: &Factor) -> Named {
        let place = self.linted.places.part("factors", &factor.name);
        (format!("factors.{}", factor.name), place.map(str::to_owned))
    }

    /// The signals that hold where these questions are answered with yes; `forced` makes one signal hold or
    /// not, whatever it asks.
    pub(super) fn signals(
        &self,
        which: Observing,
        yes: LeafSet,
        forced: Option<(usize, bool)>,
    ) -> SignalSet {
        signals_of(self.rulebook, which, yes, forced)
    }

    /// The signals for which a question that is answered with yes is enough.
    pub(super) fn signals_by(&self, which: Observing, question: usize) -> SignalSet {
        let mut yes = LeafSet::default();
        yes.insert(question);
        let [without, with] = [LeafSet::default(), yes].map(|yes| self.signals(which, yes, None).0);
        SignalSet(with & !without)
    }

    /// What is concluded of such a call.
    pub(super) fn concluded(
        &self,
        observed: &Observed<'_>,
        forced: Option<(usize, bool)>,
    ) -> Conclusion {
        let NamedVerdict { ground, hidden_failure, error_kind, schema, .. } = observed.verdict;
        let question = self.signals(observed.which, observed.yes, forced);
        let signals = if observed.has_second_text {
            let kinds = &self.rulebook.error_kinds;
            let kind = kinds.iter().position(|it| Some(&it.name) == error_kind.as_ref());
            Signals::OfFirst {
                question,
                hides_failure: *hidden_failure == Some(true),
                error_kind: kind.and_then(|kind| u16::try_from(kind).ok()),
            }
        } else {
            Signals::Of(question)
        };
        self.rulebook.conclude(&OfCall {
            schema: schema.as_ref().map(|schema| schema.outcome),
            ..OfCall::new(*ground, signals)
        })
    }

    /// Whether it is known what would be concluded if a signal held that does not, or the other way round.
    pub(super) fn can_tell(&self, observed: &Observed<'_>, signal: usize) -> bool {
        let [_, hidden] = self.rulebook.deciding_signals();
        let below = self.rulebook.signals_below(observed.which);
        let mut below = below.iter().enumerate().filter(|(of, _)| hidden.has(*of));
        !observed.has_second_text || below.all(|(_, signals)| !signals.has(signal))
    }
}

/// So many replies of a kind, in words.
pub(super) fn replies(count: u64, which: Observing) -> String {
    let [one, several] = match which {
        Observing::Errors => ["error reply", "error replies"],
        Observing::Successes | Observing::HiddenFailures => {
            ["reply that claims success", "replies that claim success"]
        }
    };
    format!("{} {}", grouped(count), if count == 1 { one } else { several })
}

/// What of a conclusion is a verdict: how it ended, not by which score.
pub(super) fn verdict(conclusion: &Conclusion) -> (Ending, Answer, Option<bool>) {
    (conclusion.ending, conclusion.judgement.answer, conclusion.success_answer)
}
