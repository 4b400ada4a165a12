//! Verdicts on their way into tables: one batch of columns per stretch of the corpus.

use super::legend::Legend;
use super::texts::{Distinct, DistinctColumn, NONE, PlainColumn, renumber};
use crate::tally::{Confidences, Counts, GroupRef, SpillError, Tally, ToolCounts};
use crate::tape::{Exchange, Key, Keys, Reply};
use crate::verdict::{FactSet, Issue, Judgement, Severities, Verdict};
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
    tools: HashMap<(u32, u32), ToolCounts>,
    confidences: Confidences,
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
    counts: Vec<Counts>,
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
        *self.known.entry(member).or_insert_with(|| {
            self.members.push(member);
            self.counts.push(Counts::default());
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

    /// Joins another batch's groups to these and says how far their numbers moved.
    fn append(&mut self, other: &Self) -> u32 {
        let moved = u32::try_from(self.members.len()).unwrap_or(NONE);
        let columns = [
            self.day.absorb(&other.day),
            self.server.absorb(&other.server),
            self.tool.absorb(&other.tool),
            self.scenario.absorb(&other.scenario),
        ];
        for member in &other.members {
            let mut renumbered = *member;
            for (index, column) in renumbered.iter_mut().zip(&columns) {
                *index = renumber(column, *index);
            }
            self.members.push(renumbered);
        }
        moved
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
    pub fn push(&mut self, row: &Row<'_>, legend: &Legend) {
        let Row { exchange, verdict, .. } = row;
        self.push_place(row);
        let reply = exchange.reply.kind();
        self.reply.push(reply as u32);
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
        self.groups.counts[group as usize].add(reply, verdict);
        let [_, server, tool, _] = self.groups.members[group as usize];
        let (class, confidence) = (verdict.classification, verdict.confidence);
        let tool = self.tools.entry((server, tool)).or_default();
        tool.confidences.add(&legend.overall, class, confidence);
        self.confidences.add(&legend.overall, class, confidence);
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
        self.score.push(judgement.map(|judgement| judgement.score));
        self.threshold.push(judgement.and_then(|judgement| judgement.threshold));
        let decision = judgement.and_then(|judgement| judgement.decision);
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

    /// Adds what the rows count to a run's tally. Batches must come in corpus order, each once.
    pub fn tally_into(&mut self, tally: &mut Tally) -> Result<(), SpillError> {
        let groups = &mut self.groups;
        let counts = std::mem::take(&mut groups.counts);
        for (member, counts) in groups.members.iter().zip(counts) {
            let [_, server, tool, _] = *member;
            if let Some(tool) = self.tools.get_mut(&(server, tool)) {
                tool.counts.merge(&counts);
            }
            tally.add_group(groups.text(*member), counts)?;
        }
        for ((server, tool), counts) in self.tools.drain() {
            let server = groups.server.texts().get(server as usize);
            let tool = groups.tool.texts().get(tool as usize);
            tally.add_tool((server, tool), counts)?;
        }
        tally.add_confidences(std::mem::take(&mut self.confidences));
        Ok(())
    }

    /// Appends the rows of the next batch, after both were tallied.
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
        let moved = self.groups.append(&other.groups);
        self.group.extend(other.group.iter().map(|group| group.saturating_add(moved)));
    }
}
