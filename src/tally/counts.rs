//! What is counted, and the counts themselves.

use super::spill::Mergeable;
use super::wire::{read_number, write_number};
use crate::tape::ReplyKind;
use crate::verdict::{Classification, IssueType, SchemaOutcome, Severity, Verdict};

/// Something that is counted. Error kinds are numbers into the rulebook's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Counted {
    /// Exchanges of a class.
    Class(Classification),
    /// Replies of a kind.
    Reply(ReplyKind),
    /// Errors judged to be business logic.
    BusinessLogic,
    /// Errors judged not to be business logic.
    ToolFailure,
    /// Replies that claim success and say that they failed.
    HiddenFailure,
    /// Replies that the output schema refuses, or that hold no JSON to validate.
    SchemaInvalid,
    /// Replies whose output schema cannot be used.
    SchemaUncompilable,
    /// Errors of a kind.
    ErrorKind(u16),
    /// Issues of a severity and type.
    Issues(Severity, IssueType),
    /// Exchanges that have at least one such issue.
    ExchangesWith(Severity, IssueType),
}

impl Counted {
    fn code(self) -> u32 {
        let issue = |severity: Severity, kind: IssueType| severity as u32 * 256 + kind as u32;
        match self {
            Self::Class(class) => class as u32,
            Self::Reply(kind) => 8 + kind as u32,
            Self::BusinessLogic => 16,
            Self::ToolFailure => 17,
            Self::HiddenFailure => 18,
            Self::SchemaInvalid => 19,
            Self::SchemaUncompilable => 20,
            Self::ErrorKind(kind) => 0x1_0000 + u32::from(kind),
            Self::Issues(severity, kind) => 0x2_0000 + issue(severity, kind),
            Self::ExchangesWith(severity, kind) => 0x3_0000 + issue(severity, kind),
        }
    }
}

/// Counts of whatever occurred at least once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    // Sorted by code. A group rarely counts more than a dozen things.
    entries: Vec<(u32, u64)>,
}

impl Counts {
    /// Counts one exchange.
    pub fn add(&mut self, reply: ReplyKind, verdict: &Verdict) {
        self.increase(Counted::Class(verdict.classification));
        self.increase(Counted::Reply(reply));
        match verdict.judgement.as_ref().and_then(|judgement| judgement.business_logic) {
            Some(true) => self.increase(Counted::BusinessLogic),
            Some(false) => self.increase(Counted::ToolFailure),
            None => {}
        }
        if verdict.hidden_failure == Some(true) {
            self.increase(Counted::HiddenFailure);
        }
        if let Some(kind) = verdict.error_kind {
            self.increase(Counted::ErrorKind(kind));
        }
        let schema = verdict.metadata.as_ref().and_then(|metadata| metadata.output_schema.as_ref());
        match schema.map(|schema| schema.outcome) {
            Some(SchemaOutcome::Invalid | SchemaOutcome::NoJson) => {
                self.increase(Counted::SchemaInvalid);
            }
            Some(SchemaOutcome::Uncompilable) => self.increase(Counted::SchemaUncompilable),
            Some(SchemaOutcome::Valid | SchemaOutcome::Undecided) | None => {}
        }
        for (index, issue) in verdict.issues.iter().enumerate() {
            self.increase(Counted::Issues(issue.severity, issue.kind));
            let is_first = !verdict.issues[..index]
                .iter()
                .any(|earlier| (earlier.severity, earlier.kind) == (issue.severity, issue.kind));
            if is_first {
                self.increase(Counted::ExchangesWith(issue.severity, issue.kind));
            }
        }
    }

    fn increase(&mut self, what: Counted) {
        self.increase_by(what.code(), 1);
    }

    fn increase_by(&mut self, code: u32, by: u64) {
        match self.entries.binary_search_by_key(&code, |entry| entry.0) {
            Ok(found) => self.entries[found].1 += by,
            Err(place) => self.entries.insert(place, (code, by)),
        }
    }

    /// How often something occurred.
    #[must_use]
    pub fn get(&self, what: Counted) -> u64 {
        let code = what.code();
        self.entries
            .binary_search_by_key(&code, |entry| entry.0)
            .map_or(0, |found| self.entries[found].1)
    }

    /// How many issues of a severity there are.
    #[must_use]
    pub fn issues(&self, severity: Severity) -> u64 {
        IssueType::ALL.iter().map(|kind| self.get(Counted::Issues(severity, *kind))).sum()
    }

    /// How many exchanges were counted.
    #[must_use]
    pub fn exchanges(&self) -> u64 {
        Classification::ALL.into_iter().map(|class| self.get(Counted::Class(class))).sum()
    }

    /// Adds what another set of exchanges counted.
    pub fn merge(&mut self, other: &Self) {
        for (code, count) in &other.entries {
            self.increase_by(*code, *count);
        }
    }
}

impl Mergeable for Counts {
    fn absorb(&mut self, later: Self) {
        self.merge(&later);
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_number(self.entries.len() as u64, out);
        for (code, count) in &self.entries {
            write_number(u64::from(*code), out);
            write_number(*count, out);
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let mut counts = Self::default();
        for _ in 0..read_number(bytes)? {
            let code = u32::try_from(read_number(bytes)?).ok()?;
            counts.increase_by(code, read_number(bytes)?);
        }
        Some(counts)
    }

    fn weight(&self) -> usize {
        size_of::<Self>() + self.entries.capacity() * size_of::<(u32, u64)>()
    }
}
