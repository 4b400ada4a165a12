//! What is counted, and the counts themselves.

use super::spill::Mergeable;
use super::wire::{read_number, write_number};
use crate::tape::ReplyKind;
use crate::verdict::{Classification, IssueType, SchemaOutcome, Severity};

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
    Issues(Severity, IssueCode),
    /// Exchanges that have at least one such issue.
    ExchangesWith(Severity, IssueCode),
}

/// Where a count stands: what nearly every group counts has a fixed place.
enum Place {
    Fixed(usize),
    Rare(u32),
}

/// How many fixed places there are.
const FIXED: usize = 15;

impl Counted {
    fn place(self) -> Place {
        let issue =
            |severity: Severity, IssueCode(kind)| (severity as u32 + 1) << 16 | u32::from(kind);
        match self {
            Self::Class(class) => Place::Fixed(class as usize),
            Self::Reply(kind) => Place::Fixed(5 + kind as usize),
            Self::BusinessLogic => Place::Fixed(10),
            Self::ToolFailure => Place::Fixed(11),
            Self::HiddenFailure => Place::Fixed(12),
            Self::SchemaInvalid => Place::Fixed(13),
            Self::SchemaUncompilable => Place::Fixed(14),
            Self::ErrorKind(kind) => Place::Rare(u32::from(kind)),
            Self::Issues(severity, kind) => Place::Rare(0x100_0000 | issue(severity, kind)),
            Self::ExchangesWith(severity, kind) => Place::Rare(0x200_0000 | issue(severity, kind)),
        }
    }
}

impl Counted {
    fn rare_code(self) -> u32 {
        match self.place() {
            Place::Fixed(_) => 0,
            Place::Rare(code) => code,
        }
    }
}

/// A type of issue as it is counted: one of the table's, or one that only recordings know, numbered
/// as they come (see [`Unlisted`](super::Unlisted)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IssueCode(pub(super) u16);

impl From<IssueType> for IssueCode {
    fn from(kind: IssueType) -> Self {
        Self(kind as u16)
    }
}

/// What is counted of one exchange.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// The class.
    pub class: Classification,
    /// The confidence.
    pub confidence: f64,
    /// The kind of reply.
    pub reply: ReplyKind,
    /// Whether an error is business logic.
    pub business_logic: Option<bool>,
    /// Whether a success is a failure.
    pub hidden_failure: Option<bool>,
    /// The kind of error.
    pub error_kind: Option<u16>,
    /// What the output schema says.
    pub schema: Option<SchemaOutcome>,
    /// The issues.
    pub issues: &'a [(Severity, IssueCode)],
}

/// Counts of exchanges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    fixed: [u64; FIXED],
    /// Sorted by code; what never occurred has no entry.
    rare: Vec<(u32, u64)>,
}

impl Counts {
    /// Counts so many exchanges that are judged alike.
    pub fn add(&mut self, exchange: &Judged<'_>, times: u64) {
        self.increase(Counted::Class(exchange.class), times);
        self.increase(Counted::Reply(exchange.reply), times);
        let is_error = exchange.reply.is_error();
        match exchange.business_logic.filter(|_| is_error) {
            Some(true) => self.increase(Counted::BusinessLogic, times),
            Some(false) => self.increase(Counted::ToolFailure, times),
            None => {}
        }
        if exchange.hidden_failure == Some(true) {
            self.increase(Counted::HiddenFailure, times);
        }
        if let Some(kind) = exchange.error_kind {
            self.increase(Counted::ErrorKind(kind), times);
        }
        match exchange.schema {
            Some(SchemaOutcome::Invalid | SchemaOutcome::NoJson) => {
                self.increase(Counted::SchemaInvalid, times);
            }
            Some(SchemaOutcome::Uncompilable) => self.increase(Counted::SchemaUncompilable, times),
            Some(SchemaOutcome::Valid | SchemaOutcome::Undecided) | None => {}
        }
        for (index, (severity, kind)) in exchange.issues.iter().enumerate() {
            self.increase(Counted::Issues(*severity, *kind), times);
            if !exchange.issues[..index].contains(&(*severity, *kind)) {
                self.increase(Counted::ExchangesWith(*severity, *kind), times);
            }
        }
    }

    /// Counts an issue that belongs to no exchange.
    pub fn add_issue(&mut self, severity: Severity, kind: IssueCode) {
        self.increase(Counted::Issues(severity, kind), 1);
    }

    #[inline]
    fn increase(&mut self, what: Counted, by: u64) {
        match what.place() {
            Place::Fixed(place) => self.fixed[place] += by,
            Place::Rare(code) => self.increase_rare(code, by),
        }
    }

    fn increase_rare(&mut self, code: u32, by: u64) {
        match self.rare.binary_search_by_key(&code, |entry| entry.0) {
            Ok(found) => self.rare[found].1 += by,
            Err(place) => self.rare.insert(place, (code, by)),
        }
    }

    /// How often something occurred.
    #[must_use]
    pub fn get(&self, what: Counted) -> u64 {
        match what.place() {
            Place::Fixed(place) => self.fixed[place],
            Place::Rare(code) => self
                .rare
                .binary_search_by_key(&code, |entry| entry.0)
                .map_or(0, |found| self.rare[found].1),
        }
    }

    /// How many issues of a severity there are.
    #[must_use]
    pub fn issues(&self, severity: Severity) -> u64 {
        let first = Counted::Issues(severity, IssueCode(0)).rare_code();
        let codes = first..first + u32::from(u16::MAX);
        self.rare.iter().filter(|(code, _)| codes.contains(code)).map(|(_, count)| count).sum()
    }

    /// The types of issue that were counted, by severity and code.
    pub fn issue_codes(&self) -> impl Iterator<Item = (Severity, IssueCode)> {
        self.rare.iter().filter(|(code, _)| code >> 24 == 1).filter_map(|(code, _)| {
            let severity = Severity::ALL.get(((code >> 16 & 0xff) as usize).checked_sub(1)?)?;
            Some((*severity, IssueCode(u16::try_from(code & 0xffff).ok()?)))
        })
    }

    /// How many exchanges were counted.
    #[must_use]
    pub fn exchanges(&self) -> u64 {
        Classification::ALL.into_iter().map(|class| self.get(Counted::Class(class))).sum()
    }

    /// Adds what another set of exchanges counted.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.fixed.iter_mut().zip(other.fixed) {
            *count += more;
        }
        for (code, count) in &other.rare {
            self.increase_rare(*code, *count);
        }
    }
}

impl Mergeable for Counts {
    fn absorb(&mut self, later: Self) {
        self.merge(&later);
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.fixed.iter().for_each(|count| write_number(*count, out));
        write_number(self.rare.len() as u64, out);
        for (code, count) in &self.rare {
            write_number(u64::from(*code), out);
            write_number(*count, out);
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let mut counts = Self::default();
        for count in &mut counts.fixed {
            *count = read_number(bytes)?;
        }
        for _ in 0..read_number(bytes)? {
            let code = u32::try_from(read_number(bytes)?).ok()?;
            counts.increase_rare(code, read_number(bytes)?);
        }
        Some(counts)
    }

    fn weight(&self) -> usize {
        size_of::<Self>() + self.rare.capacity() * size_of::<(u32, u64)>()
    }
}
