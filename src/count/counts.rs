//! What is counted, and the counts themselves.

use super::cube::Bound;
use super::latency::{Durations, bucket_milliseconds};
use super::{Dimension, List};
use crate::recording::ReplyKind;
use crate::rulebook::Overall;
use crate::verdict::{
    Answer, Classification, IssueOrigin, IssueType, Outcome, SchemaOutcome, Severity, SignalSet,
    Verdict, Who,
};
use hashbrown::DefaultHashBuilder;
use indexmap::IndexSet;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Something that is counted. Error kinds and signals are numbers into the rulebook's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Counted {
    Outcome(Outcome),
    Class(Classification),
    /// Exchanges that count as this class in a tool's status.
    Standing(Classification),
    Reply(ReplyKind),
    /// Errors judged to be business logic.
    BusinessLogic,
    /// Errors judged not to be business logic.
    ToolFailure,
    /// Replies that claim success and say that they failed.
    HiddenFailure,
    /// Replies that claim success and say that they refused.
    HiddenRefusal,
    /// Replies that were checked against an output schema.
    Schema(SchemaOutcome),
    ErrorKind(u16),
    Who(Who),
    List(List),
    Issues(Severity, IssueCode),
    /// Exchanges that have at least one such issue.
    ExchangesWith(Severity, IssueCode),
}

/// A value of a dimension: dimensions in their order, and in each the values by their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Code(pub(super) Dimension, u16);

impl Counted {
    fn code(self) -> Code {
        match self {
            Self::Outcome(outcome) => Code(Dimension::Outcome, outcome as u16),
            Self::Class(class) => Code(Dimension::Class, class as u16),
            Self::Standing(class) => Code(Dimension::Standing, class as u16),
            Self::Reply(kind) => Code(Dimension::Reply, kind as u16),
            Self::BusinessLogic => Code(Dimension::ErrorAnswer, Answer::BusinessLogic as u16),
            Self::ToolFailure => Code(Dimension::ErrorAnswer, Answer::ToolFailure as u16),
            Self::HiddenFailure => Code(Dimension::Answer, Answer::HiddenFailure as u16),
            Self::HiddenRefusal => Code(Dimension::Answer, Answer::HiddenRefusal as u16),
            Self::Schema(outcome) => Code(Dimension::Schema, outcome as u16),
            Self::ErrorKind(kind) => Code(Dimension::ErrorKind, kind),
            Self::Who(who) => Code(Dimension::Who, who as u16),
            Self::List(list) => Code(Dimension::List, list as u16),
            Self::Issues(severity, kind) => Code(Dimension::Issues, issue_number(severity, kind)),
            Self::ExchangesWith(severity, kind) => {
                Code(Dimension::IssueType, issue_number(severity, kind))
            }
        }
    }
}

/// Above the number of an issue's type; below it is room for more types than are ever counted.
const SEVERITY_SHIFT: u16 = 14;

fn issue_number(severity: Severity, IssueCode(kind): IssueCode) -> u16 {
    (severity as u16) << SEVERITY_SHIFT | kind
}

fn issue_of(number: u16) -> Option<(Severity, IssueCode)> {
    let severity = Severity::ALL.get(usize::from(number >> SEVERITY_SHIFT))?;
    Some((*severity, IssueCode(number & ((1 << SEVERITY_SHIFT) - 1))))
}

/// A type of issue as it is counted: one of the table's, or one that only recordings know, numbered
/// as they come (see [`Unlisted`]); and whether the recording reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IssueCode(pub(super) u16);

impl IssueCode {
    /// Set where a recorded judge or session report tells the issue.
    const REPORTED: u16 = 1 << (SEVERITY_SHIFT - 1);

    /// The same type, from there.
    #[must_use]
    pub fn from(self, origin: IssueOrigin) -> Self {
        match origin {
            IssueOrigin::Tapecheck => Self(self.0 & !Self::REPORTED),
            IssueOrigin::Reported => Self(self.0 | Self::REPORTED),
        }
    }

    pub fn origin(self) -> IssueOrigin {
        match self.0 & Self::REPORTED {
            0 => IssueOrigin::Tapecheck,
            _ => IssueOrigin::Reported,
        }
    }

    pub fn is_about_security(self) -> bool {
        IssueType::ALL.get(self.number()).is_some_and(|kind| kind.is_about_security())
    }

    pub(super) fn number(self) -> usize {
        usize::from(self.0 & !Self::REPORTED)
    }
}

impl From<IssueType> for IssueCode {
    /// The code of a type of the table; others are numbered by [`Unlisted`].
    fn from(kind: IssueType) -> Self {
        let place = kind.place().or(IssueType::UnlistedIssue.place());
        Self(place.and_then(|place| u16::try_from(place).ok()).unwrap_or_default())
    }
}

/// So many types that only recordings know are counted one by one; recordings could invent any number.
const MOST_UNLISTED: usize = 1_000;

/// Types of issues that recorded results name and the table of types does not have.
#[derive(Debug)]
pub struct Unlisted {
    pub(super) names: IndexSet<Arc<str>, DefaultHashBuilder>,
    bound: Bound,
}

impl Default for Unlisted {
    fn default() -> Self {
        Self { names: IndexSet::default(), bound: Bound::of(MOST_UNLISTED) }
    }
}

impl Unlisted {
    /// Makes room for further names. Where earlier ones have to go, returns the codes of all earlier ones from now on.
    pub(super) fn make_room(&mut self, names: &[&str]) -> Option<Vec<IssueCode>> {
        let further = names.iter().copied().filter(|name| !self.names.contains(*name));
        let all = self.names.iter().map(|name| &**name).chain(further);
        self.bound.fit(all.map(|name| (hash_of_type(name), 1)));
        if self.names.iter().all(|name| self.bound.admits(hash_of_type(name))) {
            return None;
        }
        let earlier = std::mem::take(&mut self.names);
        Some(earlier.iter().map(|name| self.code(name)).collect())
    }

    /// The code of a name; one not counted for itself counts as [`IssueType::UnlistedIssue`].
    pub(super) fn code(&mut self, name: &str) -> IssueCode {
        if !self.bound.admits(hash_of_type(name)) {
            return IssueType::UnlistedIssue.into();
        }
        let known = self.names.get_index_of(name);
        let number = known.unwrap_or_else(|| self.names.insert_full(name.into()).0);
        u16::try_from(IssueType::ALL.len() + number)
            .map_or(IssueType::UnlistedIssue.into(), IssueCode)
    }

    /// The same with the names in their order, and the codes that they have there.
    pub(super) fn sorted(&self) -> (Self, Vec<IssueCode>) {
        let mut sorted = Self { names: self.names.clone(), bound: self.bound };
        sorted.names.sort_unstable();
        let codes = self.names.iter().map(|name| sorted.code(name)).collect();
        (sorted, codes)
    }

    pub fn name(&self, code: IssueCode) -> &str {
        let code = code.number();
        match IssueType::ALL.get(code) {
            Some(kind) => kind.name(),
            None => self.names.get_index(code - IssueType::ALL.len()).map_or("", |name| name),
        }
    }
}

fn hash_of_type(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedIssue {
    pub severity: Severity,
    pub code: IssueCode,
    /// Whether no other of the exchange before it has its severity, type and origin. Types that are not counted one
    /// by one share a code and are several nonetheless.
    pub is_first: bool,
}

/// What an exchange adds to counts, sorted: worked out once for all that are judged alike.
#[derive(Clone, Debug)]
pub struct CountedOnce {
    codes: Vec<(Code, u64)>,
    confidence: Confidences,
}

impl CountedOnce {
    /// `standing` is the class by which the tool's status goes, and its confidence.
    pub fn of(
        verdict: &Verdict,
        (reply, signals): (ReplyKind, SignalSet),
        standing: (Classification, f64),
        issues: &[CountedIssue],
        overall: &Overall,
    ) -> Self {
        let conclusion = &verdict.conclusion;
        let business_logic = conclusion.business_logic();
        let answer = Answer::listed(conclusion.hidden_failure(), business_logic);
        let mut codes = vec![
            Counted::Class(conclusion.judgement.class).code(),
            Counted::Outcome(conclusion.judgement.outcome).code(),
            Counted::Standing(standing.0).code(),
            Counted::Reply(reply).code(),
            Code(Dimension::Answer, answer as u16),
        ];
        let of_error =
            business_logic.filter(|_| reply.is_error() && conclusion.judgement.outcome.tells());
        let answers = [Counted::ToolFailure, Counted::BusinessLogic];
        codes.extend(of_error.map(|it| answers[usize::from(it)].code()));
        codes.extend(conclusion.error_kind.map(|kind| Counted::ErrorKind(kind).code()));
        codes.extend(conclusion.who.map(|who| Counted::Who(who).code()));
        codes.extend(verdict.schema().map(|outcome| Counted::Schema(outcome).code()));
        for CountedIssue { severity, code, is_first } in issues.iter().copied() {
            codes.push(Counted::Issues(severity, code).code());
            codes.extend(is_first.then(|| Counted::ExchangesWith(severity, code).code()));
        }
        let all = (0_u16..).take(SignalSet::CAPACITY).filter(|it| signals.has(usize::from(*it)));
        codes.extend(all.map(|signal| Code(Dimension::Signal, signal)));
        codes.sort_unstable();
        let equal = codes.chunk_by(|one, other| one == other);
        Self {
            codes: equal.map(|equal| (equal[0], equal.len() as u64)).collect(),
            confidence: Confidences::of(overall, standing.0, standing.1),
        }
    }
}

/// A value and how often it occurred, in one word, since a run has a million of these. From the top
/// a byte for the dimension, two for the value, and five for the count, which is enough for a run of months.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Cell(u64);

impl Cell {
    const COUNT_BITS: u32 = 40;
    const MOST: u64 = (1 << Self::COUNT_BITS) - 1;

    fn new(code: Code, n: u64) -> Self {
        Self(code.place() << Self::COUNT_BITS | n.min(Self::MOST))
    }

    fn place(self) -> u64 {
        self.0 >> Self::COUNT_BITS
    }

    fn code(self) -> Code {
        let [dimension, high, low, ..] = self.0.to_be_bytes();
        Code(Dimension::ALL[usize::from(dimension)], u16::from_be_bytes([high, low]))
    }

    fn n(self) -> u64 {
        self.0 & Self::MOST
    }

    fn increase(&mut self, by: u64) {
        self.0 += by.min(Self::MOST - self.n());
    }
}

impl Code {
    fn place(self) -> u64 {
        (self.0 as u64) << 16 | u64::from(self.1)
    }

    pub(super) fn number(self) -> usize {
        usize::from(self.1)
    }
}

#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Sorted; what never occurred has no entry.
    cells: Vec<Cell>,
    confidences: Confidences,
}

impl Counts {
    /// Counts so many exchanges that are judged alike.
    pub fn add(&mut self, counted_once: &CountedOnce, times: u64) {
        self.add_cells(counted_once.codes.iter().map(|(code, n)| Cell::new(*code, n * times)));
        self.confidences.merge(&counted_once.confidence.times(times));
    }

    /// Adds cells that come in their order, each place once.
    fn add_cells(&mut self, cells: impl ExactSizeIterator<Item = Cell>) {
        if self.cells.is_empty() {
            // With room for a duration, which comes by itself.
            self.cells.reserve_exact(cells.len() + 1);
            self.cells.extend(cells);
            return;
        }
        let mut at = 0;
        for more in cells {
            let place = more.place();
            at += self.cells[at..].iter().take_while(|cell| cell.place() < place).count();
            match self.cells.get_mut(at) {
                Some(cell) if cell.place() == place => cell.increase(more.n()),
                Some(_) | None => self.insert(at, more),
            }
        }
    }

    /// Counts by itself what is not counted with an exchange.
    pub fn increase(&mut self, what: Counted, by: u64) {
        self.increase_code(what.code(), by);
    }

    pub fn add_durations(&mut self, bucket: u16, times: u64) {
        self.increase_code(Code(Dimension::Duration, bucket), times);
    }

    fn increase_code(&mut self, code: Code, by: u64) {
        match self.cells.binary_search_by_key(&code.place(), |cell| cell.place()) {
            Ok(found) => self.cells[found].increase(by),
            Err(at) => self.insert(at, Cell::new(code, by)),
        }
    }

    /// Room for twice as many would be most of what a run keeps of all its groups.
    fn insert(&mut self, at: usize, cell: Cell) {
        if self.cells.len() == self.cells.capacity() {
            self.cells.reserve_exact(4 + self.cells.len() / 8);
        }
        self.cells.insert(at, cell);
    }

    pub fn get(&self, what: Counted) -> u64 {
        let place = what.code().place();
        let found = self.cells.binary_search_by_key(&place, |cell| cell.place());
        found.map_or(0, |found| self.cells[found].n())
    }

    /// The values of a dimension that occurred, with their numbers and counts.
    pub(super) fn of(&self, dimension: Dimension) -> impl Iterator<Item = (u16, u64)> {
        let first = Code(dimension, 0).place();
        let rest = &self.cells[self.cells.partition_point(|cell| cell.place() < first)..];
        let end = rest.partition_point(|cell| cell.place() < first + (1 << 16));
        rest[..end].iter().map(|cell| (cell.code().1, cell.n()))
    }

    /// All that occurred, in order.
    pub(super) fn all(&self) -> impl Iterator<Item = (Code, u64)> {
        self.cells.iter().map(|cell| (cell.code(), cell.n()))
    }

    pub fn issues(&self, severity: Severity) -> u64 {
        let issues = self.of(Dimension::Issues).filter_map(|(number, count)| {
            issue_of(number).filter(|(found, _)| *found == severity).map(|_| count)
        });
        issues.sum()
    }

    pub fn issue_codes(&self) -> impl Iterator<Item = (Severity, IssueCode)> {
        self.of(Dimension::Issues).filter_map(|(number, _)| issue_of(number))
    }

    pub fn exchanges(&self) -> u64 {
        self.of(Dimension::Class).map(|(_, count)| count).sum()
    }

    /// Of calls that came to an end and have a duration.
    pub fn durations(&self) -> Durations {
        self.of(Dimension::Duration).collect()
    }

    pub fn confidences(&self) -> &Confidences {
        &self.confidences
    }

    /// The same counts where issue types that only recordings know have these codes, in the order of
    /// their own.
    pub(super) fn with_unlisted(&self, codes: &[IssueCode]) -> Self {
        let renumbered = |cell: &Cell| {
            let Code(dimension @ (Dimension::IssueType | Dimension::Issues), number) = cell.code()
            else {
                return None;
            };
            let (severity, code) = issue_of(number)?;
            let own = codes.get(code.number().checked_sub(IssueType::ALL.len())?)?;
            Some(Cell::new(
                Code(dimension, issue_number(severity, own.from(code.origin()))),
                cell.n(),
            ))
        };
        let mut cells: Vec<Cell> =
            self.cells.iter().map(|cell| renumbered(cell).unwrap_or(*cell)).collect();
        cells.sort_unstable_by_key(|cell| cell.place());
        cells.dedup_by(|next, cell| {
            let is_same = next.place() == cell.place();
            if is_same {
                cell.increase(next.n());
            }
            is_same
        });
        Self { cells, confidences: self.confidences }
    }

    /// Counts no more exchanges with an issue than there are: types that came to share a code were counted each.
    pub(super) fn cap(&mut self) {
        let exchanges = self.exchanges();
        for cell in &mut self.cells {
            if cell.code().0 == Dimension::IssueType {
                *cell = Cell::new(cell.code(), cell.n().min(exchanges));
            }
        }
    }

    pub fn merge(&mut self, other: &Self) {
        self.add_cells(other.cells.iter().copied());
        self.confidences.merge(&other.confidences);
    }
}

/// What the numbers of values stand for.
#[derive(Clone, Copy)]
pub struct ValueNames<'a> {
    pub error_kinds: &'a [(String, Who)],
    pub signals: &'a [String],
    pub unlisted: &'a Unlisted,
}

impl ValueNames<'_> {
    pub(super) fn value(self, Code(dimension, number): Code) -> String {
        let place = usize::from(number);
        let listed = |names: &[String]| names.get(place).cloned().unwrap_or_default();
        match dimension {
            Dimension::Class | Dimension::Standing => Classification::ALL[place].name().to_owned(),
            Dimension::Outcome => Outcome::ALL[place].name().to_owned(),
            Dimension::Reply => ReplyKind::ALL[place].name().to_owned(),
            Dimension::Answer | Dimension::ErrorAnswer => Answer::LISTED[place].name().to_owned(),
            Dimension::ErrorKind => {
                self.error_kinds.get(place).map(|(name, _)| name.clone()).unwrap_or_default()
            }
            Dimension::Who => Who::ALL[place].name().to_owned(),
            Dimension::List => List::ALL[place].name().to_owned(),
            Dimension::Schema => SchemaOutcome::ALL[place].name().to_owned(),
            Dimension::IssueType | Dimension::Issues => {
                let Some((severity, kind)) = issue_of(number) else { return String::new() };
                // What only recordings know is always reported.
                let listed = kind.number() < IssueType::ALL.len();
                let is_said = kind.origin() == IssueOrigin::Reported && listed;
                let reported = if is_said { " (reported)" } else { "" };
                format!("{} {}{reported}", severity.name(), self.unlisted.name(kind))
            }
            Dimension::Signal => listed(self.signals),
            Dimension::Duration => bucket_milliseconds(number).to_string(),
            Dimension::Confidence => "sum".to_owned(),
        }
    }
}

/// The sum of weighted confidences in millionths: whole numbers can be added apart, in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Confidences(i64);

const MILLION: f64 = 1e6;

impl Confidences {
    #[expect(clippy::cast_possible_truncation, reason = "casts from floats saturate")]
    pub fn of(overall: &Overall, class: Classification, confidence: f64) -> Self {
        Self((confidence * overall.weights[class as usize] * MILLION).round() as i64)
    }

    /// Those of so many exchanges that have the same.
    pub fn times(&self, times: u64) -> Self {
        Self(self.0.saturating_mul(i64::try_from(times).unwrap_or(i64::MAX)))
    }

    /// The average over this many exchanges, 0 to 100.
    pub fn average(&self, exchanges: u64, overall: &Overall) -> f64 {
        if exchanges == 0 {
            return overall.empty;
        }
        // The full score is 100 for each exchange.
        let full = exchanges as f64 * 100.0 * MILLION;
        self.0 as f64 / full * 100.0
    }

    pub fn merge(&mut self, other: &Self) {
        self.0 = self.0.saturating_add(other.0);
    }

    pub fn millionths(&self) -> i64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_holds_its_value_and_counts_to_the_most() {
        for dimension in Dimension::ALL {
            for number in [0, 1, u16::MAX] {
                let code = Code(dimension, number);
                let mut cell = Cell::new(code, 7);
                assert_eq!((cell.code(), cell.n()), (code, 7));
                cell.increase(u64::MAX);
                assert_eq!((cell.code(), cell.n()), (code, Cell::MOST));
            }
        }
        assert!(Dimension::ALL.is_sorted(), "cells are sorted by these");
    }

    #[test]
    fn names_of_others_are_numbered_behind_ours() {
        let mut unlisted = Unlisted::default();
        let first = unlisted.code("tone_issue");
        assert_eq!(unlisted.code("tone_issue"), first);
        assert_eq!(unlisted.name(first), "tone_issue");
        assert_eq!(unlisted.name(IssueType::NoReply.into()), "no_reply");
    }

    #[test]
    fn the_worked_average_is_exact() {
        let guide = crate::rulebook::Rulebook::builtin("guide").expect("built in").overall;
        assert_eq!(guide, Overall { weights: [1.0, 0.7, 0.3, 0.2, 0.0], empty: 0.0 });
        let mut confidences = Confidences::default();
        for (class, confidence) in [
            (Classification::FullyWorking, 100.0),
            (Classification::PartiallyWorking, 70.0),
            (Classification::FullyWorking, 100.0),
        ] {
            confidences.merge(&Confidences::of(&guide, class, confidence));
        }
        assert_eq!(confidences.average(3, &guide).to_bits(), 83.0_f64.to_bits());
        let nothing = Confidences::default().average(0, &guide);
        assert_eq!(nothing.to_bits(), 0.0_f64.to_bits());
    }
}
