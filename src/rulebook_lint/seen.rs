//! What a rulebook judged, ready for questions about its patterns and facts.

use crate::accuracy::Item;
use crate::compare::{NotKept, Said, Side};
use crate::label::Label;
use crate::rulebook::{LeafSet, Observing, Rulebook};
use crate::tape::ExchangeKind;
use crate::verdict::{FactSet, Ground, SchemaOutcome};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a rulebook judged.
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

/// What was observed of some exchanges.
#[derive(Debug)]
pub(super) struct Observed<'s> {
    pub(super) number: u32,
    pub(super) said: &'s Said,
    pub(super) ground: Ground,
    pub(super) which: Observing,
    pub(super) schema: Option<SchemaOutcome>,
    /// The questions that are answered with yes.
    pub(super) yes: LeafSet,
    pub(super) facts: FactSet,
    pub(super) hits: Vec<usize>,
    /// How many exchanges, and on which servers.
    pub(super) exchanges: u64,
    pub(super) servers: BTreeSet<u32>,
}

impl<'s> Seen<'s> {
    /// What this rulebook judged: the side must be one of its own.
    pub fn new(side: &'s Side, rulebook: &Rulebook, items: &[Item]) -> Result<Self, NotKept> {
        let names: HashMap<String, usize> = rulebook.pattern_names().into_iter().zip(0..).collect();
        let mut questions = vec![0; rulebook.patterns.len()];
        for (question, asked) in rulebook.asked().iter().enumerate() {
            questions[asked.patterns.clone()].fill(question);
        }
        let mut exchanges = vec![0; side.said.len()];
        let mut servers = vec![BTreeSet::new(); side.said.len()];
        for entry in &side.entries {
            exchanges[entry.said as usize] += 1;
            servers[entry.said as usize].insert(entry.server);
        }
        let mut observed = Vec::new();
        for ((number, said), servers) in (0_u32..).zip(&side.said).zip(&servers) {
            let ground = said.ground.ok_or(NotKept::Hits)?;
            let hits = said.hits.as_ref().ok_or(NotKept::Hits)?.iter();
            let hits: Option<Vec<usize>> = hits.map(|name| names.get(name).copied()).collect();
            let hits = hits.ok_or(NotKept::Hits)?;
            let is_call = said.kind == ExchangeKind::ToolCall;
            let Some(which) = rulebook.observes(ground).filter(|_| is_call) else { continue };
            let mut yes = LeafSet::default();
            for hit in &hits {
                yes.insert(questions[*hit]);
            }
            observed.push(Observed {
                number,
                said,
                ground,
                which,
                schema: said.schema.as_ref().map(|schema| schema.outcome),
                yes,
                facts: rulebook.facts_when(which, yes),
                hits,
                exchanges: exchanges[number as usize],
                servers: servers.clone(),
            });
        }
        let mut labelled: BTreeMap<u32, Vec<(u32, Label)>> = BTreeMap::new();
        for item in items {
            labelled.entry(item.said).or_default().push((item.server, item.label));
        }
        Ok(Self { side, observed, labelled, exchanges_of: exchanges, servers_of: servers })
    }

    /// How many exchanges there are.
    #[must_use]
    pub fn exchanges(&self) -> u64 {
        self.side.entries.len() as u64
    }

    /// How many of them have a label.
    #[must_use]
    pub fn labels(&self) -> u64 {
        self.labelled.values().map(|labels| labels.len() as u64).sum()
    }

    /// How many servers there are.
    #[must_use]
    pub fn servers(&self) -> u64 {
        let servers: BTreeSet<u32> = self.side.entries.iter().map(|entry| entry.server).collect();
        servers.len() as u64
    }

    /// The labels of the exchanges of which this was said, with their servers.
    pub(super) fn labels_of(&self, observed: &Observed<'_>) -> &[(u32, Label)] {
        self.labelled.get(&observed.number).map_or(&[], Vec::as_slice)
    }

    /// How many replies of a kind there are.
    pub(super) fn replies(&self, which: Observing) -> u64 {
        self.observed.iter().filter(|it| it.which == which).map(|it| it.exchanges).sum()
    }
}
