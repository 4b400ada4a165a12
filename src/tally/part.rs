//! What a stretch of the corpus adds to the counts of a run: worked out apart, kept, and added later.

use super::section::Section;
use super::spill::{Entry, Mergeable, SpillError, SpillSpace};
use super::wire::{read_bytes, read_many, read_text, write_bytes, write_number, write_text};
use super::{Counts, IssueCode, SessionIssues, Sessions, Tally, ToolCounts};
use std::path::Path;

/// What a stretch adds to a [`Tally`].
#[derive(Clone, Debug, PartialEq)]
pub struct TallyPart {
    groups: Vec<Entry<Counts>>,
    tools: Vec<Entry<ToolCounts>>,
    total: ToolCounts,
    /// The types of issues that only recordings know, as they are numbered here.
    unlisted: Vec<String>,
}

/// What a stretch adds to the [`Sessions`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionsPart {
    each: Vec<Entry<SessionIssues>>,
    whole: SessionIssues,
}

/// Space that is never used: a part is as small as its stretch.
fn roomy() -> SpillSpace {
    SpillSpace::new(Path::new(""), usize::MAX)
}

impl Tally {
    /// An empty tally of a stretch, which becomes a part.
    #[must_use]
    pub fn of_stretch() -> Self {
        Self::new(&roomy())
    }

    /// The tally of a stretch as a part of a run's.
    #[must_use]
    pub fn into_part(self) -> TallyPart {
        TallyPart {
            groups: self.groups.into_unsettled(),
            tools: self.tools.into_unsettled(),
            total: self.total,
            unlisted: self.unlisted.into_names(),
        }
    }

    /// Writes groups and tools to disk, and says what else was counted: a part without groups and tools.
    pub fn on_disk(&mut self) -> Result<(TallyPart, [Section; 2]), SpillError> {
        let runs = [self.groups.on_disk()?, self.tools.on_disk()?];
        let unlisted = self.unlisted.names().to_vec();
        let (groups, tools) = (Vec::new(), Vec::new());
        Ok((TallyPart { groups, tools, total: self.total.clone(), unlisted }, runs))
    }

    /// An empty tally goes on from where another one was written to disk.
    pub fn go_on_from(&mut self, [groups, tools]: [Section; 2]) {
        self.groups.go_on_from(groups);
        self.tools.go_on_from(tools);
    }

    /// Adds the next stretch of the corpus.
    pub fn add(&mut self, part: &TallyPart) -> Result<(), SpillError> {
        let codes: Vec<IssueCode> =
            part.unlisted.iter().map(|name| self.unlisted.code(name)).collect();
        let recode = |counts: &Counts| counts.clone().recoded(&codes);
        for (key, counts) in &part.groups {
            let slot = self.groups.slot(key);
            let counters = self.groups.counters(slot);
            if codes.is_empty() {
                counters.merge(counts);
            } else {
                counters.absorb(recode(counts));
            }
        }
        for (key, counts) in &part.tools {
            let slot = self.tools.slot(key);
            self.tools.counters(slot).merge(counts, &codes);
        }
        self.total.merge(&part.total, &codes);
        self.settle()
    }
}

impl ToolCounts {
    fn merge(&mut self, other: &Self, codes: &[IssueCode]) {
        if codes.is_empty() {
            self.counts.merge(&other.counts);
        } else {
            self.counts.absorb(other.counts.clone().recoded(codes));
        }
        self.confidences.absorb(other.confidences);
    }
}

impl Sessions {
    /// No sessions of a stretch, which become a part.
    #[must_use]
    pub fn of_stretch() -> Self {
        Self::new(roomy())
    }

    /// The sessions of a stretch as a part of a run's.
    #[must_use]
    pub fn into_part(self) -> SessionsPart {
        SessionsPart { each: self.each.into_unsettled(), whole: self.whole }
    }

    /// Writes each session to disk, and says what all of them amount to.
    pub fn on_disk(&mut self) -> Result<(SessionsPart, Section), SpillError> {
        let each = self.each.on_disk()?;
        Ok((SessionsPart { each: Vec::new(), whole: self.whole.clone() }, each))
    }

    /// No sessions yet go on from where others were written to disk.
    pub fn go_on_from(&mut self, each: Section) {
        self.each.go_on_from(each);
    }

    /// Adds the next stretch of the corpus.
    pub fn join(&mut self, part: &SessionsPart) -> Result<(), SpillError> {
        for (key, issues) in &part.each {
            let slot = self.each.slot(key);
            self.each.counters(slot).join(issues);
        }
        self.whole.join(&part.whole);
        self.settle()
    }
}

impl TallyPart {
    /// Appends the part.
    pub fn write(&self, out: &mut Vec<u8>) {
        write_entries(&self.groups, out);
        write_entries(&self.tools, out);
        self.total.write(out);
        write_number(self.unlisted.len() as u64, out);
        self.unlisted.iter().for_each(|name| write_text(name, out));
    }

    /// Takes a part off the front.
    #[must_use]
    pub fn read(bytes: &mut &[u8]) -> Option<Self> {
        Some(Self {
            groups: read_entries(bytes)?,
            tools: read_entries(bytes)?,
            total: ToolCounts::read(bytes)?,
            unlisted: read_many(bytes, |bytes| read_text(bytes).map(str::to_owned))?,
        })
    }
}

impl SessionsPart {
    /// Appends the part.
    pub fn write(&self, out: &mut Vec<u8>) {
        write_entries(&self.each, out);
        self.whole.write(out);
    }

    /// Takes a part off the front.
    #[must_use]
    pub fn read(bytes: &mut &[u8]) -> Option<Self> {
        Some(Self { each: read_entries(bytes)?, whole: SessionIssues::read(bytes)? })
    }
}

fn write_entries<V: Mergeable>(entries: &[Entry<V>], out: &mut Vec<u8>) {
    write_number(entries.len() as u64, out);
    for (key, counters) in entries {
        write_bytes(key, out);
        counters.write(out);
    }
}

fn read_entries<V: Mergeable>(bytes: &mut &[u8]) -> Option<Vec<Entry<V>>> {
    read_many(bytes, |bytes| Some((read_bytes(bytes)?.into(), V::read(bytes)?)))
}
