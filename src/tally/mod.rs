//! Counts over a run, in memory that does not grow with the corpus.

mod confidence;
mod counts;
mod interval;
mod sessions;
mod spill;
mod unlisted;
pub mod wire;

pub use confidence::Confidences;
pub use counts::{Counted, Counts, IssueCode, Judged};
pub use interval::{Interval, Share, wilson};
pub use sessions::{
    FirstIssue, FirstIssueRef, NamedSession, SessionIssues, SessionSlot, Sessions, SortedSessions,
};
pub use spill::{Mergeable, Sorted, SpillError, SpillSpace, Spilling};
pub use unlisted::Unlisted;

use crate::rulebook::Overall;
use crate::verdict::Severity;
use wire::{read_optional_part, read_part, write_optional_part, write_part};

/// What the exchanges of one row of `rates` have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Group {
    /// The day.
    pub day: String,
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// The scenario category.
    pub scenario: Option<String>,
}

/// The same, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupRef<'a> {
    /// The day.
    pub day: &'a str,
    /// The server.
    pub server: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// The scenario category.
    pub scenario: Option<&'a str>,
}

/// The counts of one tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCounts {
    /// What was counted.
    pub counts: Counts,
    /// The confidences, added up.
    pub confidences: Confidences,
}

impl ToolCounts {
    fn add(&mut self, exchange: &Judged<'_>, times: u64, overall: &Overall) {
        self.counts.add(exchange, times);
        self.confidences.add(overall, (exchange.class, exchange.confidence), times);
    }
}

/// Where exchanges of one group are counted.
#[derive(Clone, Copy, Debug)]
pub struct TallySlot {
    group: usize,
    tool: usize,
}

impl Mergeable for ToolCounts {
    fn absorb(&mut self, later: Self) {
        self.counts.absorb(later.counts);
        self.confidences.absorb(later.confidences);
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.counts.write(out);
        self.confidences.write(out);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Some(Self { counts: Counts::read(bytes)?, confidences: Confidences::read(bytes)? })
    }

    fn weight(&self) -> usize {
        self.counts.weight() + self.confidences.weight()
    }
}

/// A run's counts.
#[derive(Debug)]
pub struct Tally {
    groups: Spilling<Counts>,
    tools: Spilling<ToolCounts>,
    total: ToolCounts,
    unlisted: Unlisted,
    key: Vec<u8>,
}

impl Tally {
    /// An empty tally.
    #[must_use]
    pub fn new(space: &SpillSpace) -> Self {
        Self {
            groups: Spilling::new(space.quarters(3)),
            tools: Spilling::new(space.quarters(1)),
            total: ToolCounts::default(),
            unlisted: Unlisted::default(),
            key: Vec::new(),
        }
    }

    /// Where exchanges of a group are counted, until the next [`Tally::settle`].
    pub fn slot(&mut self, group: GroupRef<'_>) -> TallySlot {
        self.key.clear();
        write_part(group.server, &mut self.key);
        write_part(group.tool, &mut self.key);
        let tool = self.tools.slot(&self.key);
        TallySlot { group: self.group_slot(group), tool }
    }

    fn group_slot(&mut self, group: GroupRef<'_>) -> usize {
        self.key.clear();
        write_part(group.day, &mut self.key);
        write_part(group.server, &mut self.key);
        write_part(group.tool, &mut self.key);
        write_optional_part(group.scenario, &mut self.key);
        self.groups.slot(&self.key)
    }

    /// Counts an issue that belongs to no exchange.
    pub fn count_issue(&mut self, group: GroupRef<'_>, severity: Severity, code: IssueCode) {
        let slot = self.group_slot(group);
        self.groups.counters(slot).add_issue(severity, code);
        self.total.counts.add_issue(severity, code);
    }

    /// The types of issues that only recordings know.
    pub fn unlisted(&mut self) -> &mut Unlisted {
        &mut self.unlisted
    }

    /// Counts so many exchanges that are judged alike.
    pub fn count(
        &mut self,
        (slot, times): (TallySlot, u64),
        exchange: &Judged<'_>,
        overall: &Overall,
    ) {
        self.groups.counters(slot.group).add(exchange, times);
        self.tools.counters(slot.tool).add(exchange, times, overall);
        self.total.add(exchange, times, overall);
    }

    /// Makes sure that the budget of memory is kept; all slots are void then.
    pub fn settle(&mut self) -> Result<(), SpillError> {
        self.groups.settle()?;
        self.tools.settle()
    }

    /// The counts of the whole run.
    #[must_use]
    pub fn total(&self) -> &Counts {
        &self.total.counts
    }

    /// The overall confidence of the whole run.
    #[must_use]
    pub fn overall_confidence(&self, overall: &Overall) -> f64 {
        self.total.confidences.average(self.total.counts.exchanges(), overall)
    }

    /// The groups in the order of day, server, tool and scenario; the tools in the order of server
    /// and tool.
    pub fn into_sorted(self) -> Result<(SortedGroups, SortedTools), SpillError> {
        Ok((SortedGroups(self.groups.into_sorted()?), SortedTools(self.tools.into_sorted()?)))
    }
}

/// Groups with their counts, in order.
pub struct SortedGroups(Sorted<Counts>);

impl Iterator for SortedGroups {
    type Item = Result<(Group, Counts), SpillError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|entry| {
            let (key, counts) = entry?;
            Ok((read_group(&key).expect("written by this module"), counts))
        })
    }
}

fn read_group(mut key: &[u8]) -> Option<Group> {
    Some(Group {
        day: read_part(&mut key)?,
        server: read_part(&mut key)?,
        tool: read_part(&mut key)?,
        scenario: read_optional_part(&mut key),
    })
}

/// Tools (server and name) with their counts, in order.
pub struct SortedTools(Sorted<ToolCounts>);

impl Iterator for SortedTools {
    type Item = Result<((String, String), ToolCounts), SpillError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|entry| {
            let (key, counts) = entry?;
            let mut key = &*key;
            let server = read_part(&mut key).expect("written by this module");
            let tool = read_part(&mut key).expect("written by this module");
            Ok(((server, tool), counts))
        })
    }
}
