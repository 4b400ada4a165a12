//! What a rulebook judged, ready for questions about its patterns and signals.

use crate::compare::{NotKept, Side};
use crate::labels::Label;
use crate::measure::accuracy::Item;
use crate::recording::ExchangeKind;
use crate::rulebook::{LeafSet, Observing, Rulebook};
use crate::store::NamedVerdict;
use crate::verdict::{Ground, SchemaOutcome, SignalSet};
use std::collections::{BTreeMap, BTreeSet, HashMap};

#[derive(Debug)]
pub struct Seen<'s> {
    pub(super) side: &'s Side,
    /// Each different verdict in which anything was looked for.
    pub(super) observed: Vec<Observed<'s>>,
    /// The labelled exchanges, by the number of what was said.
    pub(super) labelled: BTreeMap<u32, Vec<(u32, Label)>>,
    /// How many exchanges each verdict stands for, and on which servers.
    pub(super) exchanges_of: Vec<u64>,
    pub(super) servers_of: Vec<BTreeSet<u32>>,
}

#[derive(Debug)]
pub(super) struct Observed<'s> {
    pub(super) number: u32,
    pub(super) verdict: &'s NamedVerdict,
    pub(super) ground: Ground,
    pub(super) which: Observing,
    pub(super) schema: Option<SchemaOutcome>,
    /// The questions that are answered with yes.
    pub(super) yes: LeafSet,
    pub(super) signals: SignalSet,
    pub(super) second: Second,
    /// The patterns that hit, in either text.
    pub(super) hits: Vec<usize>,
    /// How many exchanges, and on which servers.
    pub(super) exchanges: u64,
    pub(super) servers: BTreeSet<u32>,
}

/// What the text searched for a hidden failure holds, where the question is put to another one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Second {
    /// There is one text.
    None,
    /// The questions that are answered with yes, and the signals.
    Searched { yes: LeafSet, signals: SignalSet },
    /// Only what came of it is kept.
    NotKept { hides_failure: bool, error_kind: Option<u16> },
}

impl Observed<'_> {
    /// Whether a signal holds, in either text.
    pub(super) fn holds(&self, signal: usize) -> bool {
        let in_second = match self.second {
            Second::None | Second::NotKept { .. } => false,
            Second::Searched { signals, .. } => signals.has(signal),
        };
        in_second || self.signals.has(signal)
    }
}

impl<'s> Seen<'s> {
    /// What this rulebook judged: the side must be one of its own.
    pub fn new(side: &'s Side, rulebook: &Rulebook, items: &[Item]) -> Result<Self, NotKept> {
        let names: HashMap<String, usize> = rulebook.pattern_names().into_iter().zip(0..).collect();
        let questions = rulebook.questions();
        let exchanges = side.weights();
        let mut servers = vec![BTreeSet::new(); side.verdicts.len()];
        for entry in &side.entries {
            servers[entry.verdict as usize].insert(entry.server);
        }
        let mut observed = Vec::new();
        for ((number, verdict), servers) in (0_u32..).zip(&side.verdicts).zip(&servers) {
            let ground = verdict.ground;
            let numbers = |hits: &[String]| -> Option<Vec<usize>> {
                hits.iter().map(|name| names.get(name).copied()).collect()
            };
            let hits = numbers(&verdict.hits).ok_or(NotKept::Hits)?;
            let is_call = verdict.kind == ExchangeKind::ToolCall;
            let Some(which) = rulebook.observes(ground).filter(|_| is_call) else { continue };
            let answered = |hits: &[usize]| {
                let mut yes = LeafSet::default();
                for hit in hits {
                    yes.insert(questions[*hit]);
                }
                yes
            };
            let yes = answered(&hits);
            let mut hits = hits;
            let second = match &verdict.hidden_hits {
                _ if !rulebook.judges_two_texts(ground) => Second::None,
                Some(hidden) => {
                    let hidden = numbers(hidden).ok_or(NotKept::Hits)?;
                    let yes = answered(&hidden);
                    hits.extend(hidden);
                    hits.sort_unstable();
                    hits.dedup();
                    Second::Searched { yes, signals: rulebook.signals_when(which, yes) }
                }
                None => Second::NotKept {
                    hides_failure: verdict.hidden_failure == Some(true),
                    error_kind: verdict.error_kind.as_ref().and_then(|name| {
                        let kind = rulebook.error_kinds.iter().position(|it| it.name == *name)?;
                        u16::try_from(kind).ok()
                    }),
                },
            };
            observed.push(Observed {
                number,
                verdict,
                ground,
                which,
                schema: verdict.schema.as_ref().map(|schema| schema.outcome),
                yes,
                signals: rulebook.signals_when(which, yes),
                second,
                hits,
                exchanges: exchanges[number as usize],
                servers: servers.clone(),
            });
        }
        let mut labelled: BTreeMap<u32, Vec<(u32, Label)>> = BTreeMap::new();
        for item in items {
            labelled.entry(item.verdict).or_default().push((item.server, item.label));
        }
        Ok(Self { side, observed, labelled, exchanges_of: exchanges, servers_of: servers })
    }

    pub fn exchanges(&self) -> u64 {
        self.side.entries.len() as u64
    }

    /// How many of them have a label.
    pub fn labels(&self) -> u64 {
        self.labelled.values().map(|labels| labels.len() as u64).sum()
    }

    pub fn servers(&self) -> u64 {
        let servers: BTreeSet<u32> = self.side.entries.iter().map(|entry| entry.server).collect();
        servers.len() as u64
    }

    /// The labels of the exchanges of which this was said, with their servers.
    pub(super) fn labels_of(&self, observed: &Observed<'_>) -> &[(u32, Label)] {
        self.labelled.get(&observed.number).map_or(&[], Vec::as_slice)
    }

    pub(super) fn replies(&self, which: Observing) -> u64 {
        self.observed.iter().filter(|it| it.which == which).map(|it| it.exchanges).sum()
    }
}
