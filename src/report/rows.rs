//! Verdicts on their way into tables: one batch of columns per stretch of the corpus.

use super::legend::Legend;
use super::texts::{Distinct, DistinctColumn, NONE, PlainColumn, renumber};
use crate::tally::{GroupRef, Judged, SpillError, Tally, TallySlot};
use crate::tape::{Exchange, Key, Keys, Reply, ReplyKind};
use crate::verdict::{
    Classification, FactSet, Issue, IssueType, Judgement, SchemaOutcome, Severities, Severity,
    Verdict,
};
use hashbrown::HashMap;
use std::fmt::Write as _;

/// One judged exchange.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The exchange.
    pub exchange: &'a Exchange<'a>,
    /// Its tape, as a path below the corpus.
    pub file: &'a str,
    /// Its keys.
    pub keys: Keys,
    /// The day of its recording, empty where it is not known.
    pub day: &'a str,
    /// What is said of it.
    pub verdict: &'a Verdict,
}

/// Rows of the tables `verdicts` and `issues`, and what they count, for a stretch of the corpus.
///
/// Texts that occur often are kept once per batch, so a row costs little more than its numbers.
#[derive(Debug, Default)]
pub struct VerdictBatch {
    pub(super) keys: Vec<Key>,
    pub(super) requests: Vec<Key>,
    pub(super) ordinals: Vec<u32>,
    pub(super) file: DistinctColumn,
    pub(super) line: Vec<i64>,
    pub(super) byte: Vec<i64>,
    pub(super) id: PlainColumn,
    pub(super) session: DistinctColumn,
    pub(super) recorded_at: PlainColumn,
    pub(super) duration: Vec<Option<f64>>,
    pub(super) label: DistinctColumn,
    pub(super) reply: Vec<u32>,
    pub(super) error_code: DistinctColumn,
    pub(super) class: Vec<u32>,
    pub(super) confidence: Vec<Option<f64>>,
    pub(super) is_valid: Vec<Option<bool>>,
    pub(super) is_error: Vec<Option<bool>>,
    pub(super) business_logic: Vec<Option<bool>>,
    pub(super) score: Vec<Option<f64>>,
    pub(super) threshold: Vec<Option<f64>>,
    pub(super) decision: Vec<u32>,
    pub(super) error_kind: Vec<u32>,
    pub(super) hidden_failure: Vec<Option<bool>>,
    pub(super) facts: Vec<Observed>,
    pub(super) hits: DistinctColumn,
    pub(super) severities: Vec<Severities>,
    pub(super) schema: Vec<u32>,
    pub(super) content_types: DistinctColumn,
    pub(super) has_structured: Vec<Option<bool>>,
    pub(super) has_meta: Vec<Option<bool>>,
    pub(super) group: Vec<u32>,
    pub(super) groups: Groups,
    pub(super) issues: IssueColumns,
    scratch: String,
    patterns: Vec<u16>,
}

/// The facts that hold, and which were looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observed {
    pub(super) holds: FactSet,
    pub(super) seen: Seen,
}

/// Which facts were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Nothing,
    ErrorFacts,
    SuccessFacts,
}

/// Which day, server, tool and scenario rows have, and what they count.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) day: Distinct,
    pub(super) server: Distinct,
    pub(super) tool: Distinct,
    pub(super) scenario: Distinct,
    pub(super) members: Vec<[u32; 4]>,
    known: HashMap<[u32; 4], u32>,
}

impl Groups {
    fn index_of(&mut self, row: &Row<'_>) -> u32 {
        let member = [
            self.day.index_of(row.day),
            self.server.index_of(&row.exchange.server),
            self.tool.index_of(&row.exchange.tool.name),
            self.scenario.index_of_option(row.exchange.scenario.as_deref()),
        ];
        self.number_of(member)
    }

    fn number_of(&mut self, member: [u32; 4]) -> u32 {
        *self.known.entry(member).or_insert_with(|| {
            self.members.push(member);
            u32::try_from(self.members.len() - 1).unwrap_or(NONE)
        })
    }

    fn text(&self, [day, server, tool, scenario]: [u32; 4]) -> GroupRef<'_> {
        GroupRef {
            day: self.day.texts().get(day as usize),
            server: self.server.texts().get(server as usize),
            tool: self.tool.texts().get(tool as usize),
            scenario: (scenario != NONE).then(|| self.scenario.texts().get(scenario as usize)),
        }
    }

    /// Joins another batch's groups to these and says which number each of them has here.
    fn append(&mut self, other: &Self) -> Vec<u32> {
        let columns = [
            self.day.absorb(&other.day),
            self.server.absorb(&other.server),
            self.tool.absorb(&other.tool),
            self.scenario.absorb(&other.scenario),
        ];
        let renumbered = |member: &[u32; 4]| {
            let mut member = *member;
            for (index, column) in member.iter_mut().zip(&columns) {
                *index = renumber(column, *index);
            }
            member
        };
        other.members.iter().map(|member| self.number_of(renumbered(member))).collect()
    }
}

/// Rows of the table `issues`.
#[derive(Debug, Default)]
pub(super) struct IssueColumns {
    /// The row of the exchange.
    pub(super) row: Vec<u32>,
    pub(super) severity: Vec<u32>,
    pub(super) kind: Vec<u32>,
    pub(super) message: DistinctColumn,
    pub(super) location: DistinctColumn,
    pub(super) suggestion: DistinctColumn,
}

impl IssueColumns {
    fn push(&mut self, row: usize, issue: &Issue) {
        self.row.push(u32::try_from(row).unwrap_or(NONE));
        self.severity.push(issue.severity as u32);
        self.kind.push(issue.kind as u32);
        self.message.push(Some(&issue.message));
        self.location.push(issue.location.as_deref());
        self.suggestion.push(issue.suggestion.as_deref());
    }

    fn kind_at(&self, issue: usize) -> (Severity, IssueType) {
        let (severity, kind) = (self.severity[issue] as usize, self.kind[issue] as usize);
        (Severity::ALL[severity], IssueType::ALL[kind])
    }

    fn append(&mut self, other: &Self, rows: usize) {
        let rows = u32::try_from(rows).unwrap_or(NONE);
        self.row.extend(other.row.iter().map(|row| row.saturating_add(rows)));
        self.severity.extend_from_slice(&other.severity);
        self.kind.extend_from_slice(&other.kind);
        self.message.append(&other.message);
        self.location.append(&other.location);
        self.suggestion.append(&other.suggestion);
    }
}

impl VerdictBatch {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// An empty batch with room for so many rows, which saves growing thirty columns step by step.
    #[must_use]
    pub fn with_room_for(rows: usize) -> Self {
        Self {
            keys: Vec::with_capacity(rows),
            requests: Vec::with_capacity(rows),
            ordinals: Vec::with_capacity(rows),
            file: DistinctColumn::with_room_for(rows),
            line: Vec::with_capacity(rows),
            byte: Vec::with_capacity(rows),
            session: DistinctColumn::with_room_for(rows),
            duration: Vec::with_capacity(rows),
            label: DistinctColumn::with_room_for(rows),
            reply: Vec::with_capacity(rows),
            error_code: DistinctColumn::with_room_for(rows),
            class: Vec::with_capacity(rows),
            confidence: Vec::with_capacity(rows),
            is_valid: Vec::with_capacity(rows),
            is_error: Vec::with_capacity(rows),
            business_logic: Vec::with_capacity(rows),
            score: Vec::with_capacity(rows),
            threshold: Vec::with_capacity(rows),
            decision: Vec::with_capacity(rows),
            error_kind: Vec::with_capacity(rows),
            hidden_failure: Vec::with_capacity(rows),
            facts: Vec::with_capacity(rows),
            hits: DistinctColumn::with_room_for(rows),
            severities: Vec::with_capacity(rows),
            schema: Vec::with_capacity(rows),
            content_types: DistinctColumn::with_room_for(rows),
            has_structured: Vec::with_capacity(rows),
            has_meta: Vec::with_capacity(rows),
            group: Vec::with_capacity(rows),
            ..Self::default()
        }
    }

    /// The exchanges' keys, in order.
    #[must_use]
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Says how often each key occurred before: one number per row.
    pub fn set_ordinals(&mut self, ordinals: Vec<u32>) {
        debug_assert_eq!(ordinals.len(), self.len(), "one ordinal per row");
        self.ordinals = ordinals;
    }

    /// Roughly how much memory the rows take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        /// What a row takes in the columns of numbers.
        const ROW: usize = 256;
        let distinct = [&self.file, &self.session, &self.label, &self.error_code, &self.hits];
        let issues = [&self.issues.message, &self.issues.location, &self.issues.suggestion];
        self.len() * ROW
            + distinct.iter().chain(&issues).map(|column| column.bytes()).sum::<usize>()
            + self.id.bytes()
            + self.recorded_at.bytes()
    }

    /// Adds a row.
    pub fn push(&mut self, row: &Row<'_>) {
        let Row { exchange, verdict, .. } = row;
        self.push_place(row);
        self.reply.push(exchange.reply.kind() as u32);
        self.error_code.push(match &exchange.reply {
            Reply::Error(error) if !error.code.is_empty() => Some(&error.code),
            Reply::Error(_) | Reply::Result(_) | Reply::None => None,
        });
        self.class.push(verdict.classification as u32);
        self.confidence.push(Some(verdict.confidence));
        self.is_valid.push(Some(verdict.is_valid));
        self.is_error.push(Some(verdict.is_error));
        self.hidden_failure.push(verdict.hidden_failure);
        self.error_kind.push(verdict.error_kind.map_or(NONE, u32::from));
        self.push_judgement(verdict);
        self.push_metadata(verdict);
        for issue in &verdict.issues {
            self.issues.push(self.group.len(), issue);
        }
        self.severities.push(Severities::of(&verdict.issues));

        let group = self.groups.index_of(row);
        self.group.push(group);
    }

    fn push_place(&mut self, row: &Row<'_>) {
        let exchange = row.exchange;
        self.keys.push(row.keys.exchange);
        self.requests.push(row.keys.request);
        self.file.push(Some(row.file));
        self.line.push(i64::try_from(exchange.place.line).unwrap_or(i64::MAX));
        self.byte.push(i64::try_from(exchange.place.byte).unwrap_or(i64::MAX));
        self.id.push(exchange.id.as_deref());
        self.session.push(Some(&exchange.session));
        self.recorded_at.push(exchange.recorded_at.as_deref());
        self.duration.push(exchange.duration_ms);
        self.label.push(exchange.label.as_deref());
    }

    fn push_judgement(&mut self, verdict: &Verdict) {
        let judgement = verdict.judgement.as_ref();
        self.business_logic.push(judgement.and_then(|judgement| judgement.business_logic));
        // Facts may be looked at without the question being asked; then there is no score either.
        let asked = judgement.filter(|judgement| judgement.business_logic.is_some());
        self.score.push(asked.map(|judgement| judgement.score));
        self.threshold.push(asked.and_then(|judgement| judgement.threshold));
        let decision = asked.and_then(|judgement| judgement.decision);
        self.decision.push(decision.map_or(NONE, u32::from));
        let seen = match judgement {
            None => Seen::Nothing,
            Some(_) if verdict.is_error => Seen::ErrorFacts,
            Some(_) => Seen::SuccessFacts,
        };
        let holds = judgement.map(|judgement| judgement.facts).unwrap_or_default();
        self.facts.push(Observed { holds, seen });
        self.push_hits(judgement);
    }

    /// Keeps the numbers of the patterns that hit; they become names when the batch is encoded.
    fn push_hits(&mut self, judgement: Option<&Judgement>) {
        let hits = judgement.map(|judgement| judgement.hits.as_slice()).unwrap_or_default();
        if hits.is_empty() {
            return self.hits.push(None);
        }
        self.patterns.clear();
        self.patterns.extend(hits.iter().map(|hit| hit.pattern));
        self.patterns.sort_unstable();
        self.patterns.dedup();
        self.scratch.clear();
        for pattern in &self.patterns {
            let _ = write!(self.scratch, "{pattern} ");
        }
        self.hits.push(Some(&self.scratch));
    }

    fn push_metadata(&mut self, verdict: &Verdict) {
        let metadata = verdict.metadata.as_ref();
        let schema = metadata.and_then(|metadata| metadata.output_schema.as_ref());
        self.schema.push(schema.map_or(NONE, |schema| schema.outcome as u32));
        self.has_structured.push(metadata.map(|metadata| metadata.has_structured_content));
        self.has_meta.push(metadata.map(|metadata| metadata.has_meta));
        let Some(metadata) = metadata else {
            return self.content_types.push(None);
        };
        self.scratch.clear();
        for (index, kind) in metadata.content_types.iter().enumerate() {
            self.scratch.push_str(if index == 0 { "" } else { "," });
            self.scratch.push_str(kind);
        }
        self.content_types.push(Some(&self.scratch));
    }

    /// Counts the rows. Batches must come in corpus order, each once; a batch of many rows costs
    /// less than many batches of few.
    pub fn tally_into(&self, tally: &mut Tally, legend: &Legend) -> Result<(), SpillError> {
        let members = self.groups.members.iter();
        let slots: Vec<TallySlot> =
            members.map(|member| tally.slot(self.groups.text(*member))).collect();
        let mut issues = Vec::new();
        let mut next_issue = 0;
        for (row, group) in self.group.iter().enumerate() {
            issues.clear();
            while self.issues.row.get(next_issue).is_some_and(|of| *of as usize == row) {
                issues.push(self.issues.kind_at(next_issue));
                next_issue += 1;
            }
            let judged = Judged { issues: &issues, ..self.judged(row) };
            tally.count(slots[*group as usize], &judged, &legend.overall);
        }
        tally.settle()
    }

    fn judged(&self, row: usize) -> Judged<'static> {
        Judged {
            class: Classification::ALL[self.class[row] as usize],
            confidence: self.confidence[row].unwrap_or_default(),
            reply: ReplyKind::ALL[self.reply[row] as usize],
            business_logic: self.business_logic[row],
            hidden_failure: self.hidden_failure[row],
            error_kind: u16::try_from(self.error_kind[row]).ok(),
            schema: SchemaOutcome::ALL.get(self.schema[row] as usize).copied(),
            issues: &[],
        }
    }

    /// Appends the rows of the next batch, which must not be tallied again.
    pub fn append(&mut self, other: &Self) {
        let rows = self.len();
        self.keys.extend_from_slice(&other.keys);
        self.requests.extend_from_slice(&other.requests);
        self.ordinals.extend_from_slice(&other.ordinals);
        self.file.append(&other.file);
        self.line.extend_from_slice(&other.line);
        self.byte.extend_from_slice(&other.byte);
        self.id.append(&other.id);
        self.session.append(&other.session);
        self.recorded_at.append(&other.recorded_at);
        self.duration.extend_from_slice(&other.duration);
        self.label.append(&other.label);
        self.reply.extend_from_slice(&other.reply);
        self.error_code.append(&other.error_code);
        self.class.extend_from_slice(&other.class);
        self.confidence.extend_from_slice(&other.confidence);
        self.is_valid.extend_from_slice(&other.is_valid);
        self.is_error.extend_from_slice(&other.is_error);
        self.business_logic.extend_from_slice(&other.business_logic);
        self.score.extend_from_slice(&other.score);
        self.threshold.extend_from_slice(&other.threshold);
        self.decision.extend_from_slice(&other.decision);
        self.error_kind.extend_from_slice(&other.error_kind);
        self.hidden_failure.extend_from_slice(&other.hidden_failure);
        self.facts.extend_from_slice(&other.facts);
        self.hits.append(&other.hits);
        self.severities.extend_from_slice(&other.severities);
        self.schema.extend_from_slice(&other.schema);
        self.content_types.append(&other.content_types);
        self.has_structured.extend_from_slice(&other.has_structured);
        self.has_meta.extend_from_slice(&other.has_meta);
        self.issues.append(&other.issues, rows);
        let renumbered = self.groups.append(&other.groups);
        self.group.extend(other.group.iter().map(|group| renumber(&renumbered, *group)));
    }
}
