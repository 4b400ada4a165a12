//! What is counted, and the counts themselves.

use super::{Confidences, Dimension};
use crate::recording::ReplyKind;
use crate::rulebook::Overall;
use crate::verdict::{
    Answer, Classification, FactSet, IssueType, Outcome, SchemaOutcome, Severity,
};

/// Something that is counted. Error kinds and signals are numbers into the rulebook's lists.
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
    /// Replies that were checked against an output schema.
    Schema(SchemaOutcome),
    ErrorKind(u16),
    /// Issues of a severity and type.
    Issues(Severity, IssueCode),
    /// Exchanges that have at least one such issue.
    ExchangesWith(Severity, IssueCode),
}

/// A value of a dimension: dimensions in their order, and in each the values by their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Code(Dimension, u16);

impl Counted {
    fn code(self) -> Code {
        let issue = |severity: Severity, IssueCode(kind): IssueCode| {
            (severity as u16) << SEVERITY_SHIFT | kind
        };
        match self {
            Self::Class(class) => Code(Dimension::Class, class as u16),
            Self::Reply(kind) => Code(Dimension::Reply, kind as u16),
            Self::BusinessLogic => Code(Dimension::ErrorAnswer, Answer::BusinessLogic as u16),
            Self::ToolFailure => Code(Dimension::ErrorAnswer, Answer::ToolFailure as u16),
            Self::HiddenFailure => Code(Dimension::Answer, Answer::HiddenFailure as u16),
            Self::Schema(outcome) => Code(Dimension::Schema, outcome as u16),
            Self::ErrorKind(kind) => Code(Dimension::ErrorKind, kind),
            Self::Issues(severity, kind) => Code(Dimension::Issues, issue(severity, kind)),
            Self::ExchangesWith(severity, kind) => {
                Code(Dimension::IssueType, issue(severity, kind))
            }
        }
    }
}

/// Above the number of an issue's type; below it is room for more types than are ever counted.
const SEVERITY_SHIFT: u16 = 14;

fn issue_of(number: u16) -> Option<(Severity, IssueCode)> {
    let severity = Severity::ALL.get(usize::from(number >> SEVERITY_SHIFT))?;
    Some((*severity, IssueCode(number & ((1 << SEVERITY_SHIFT) - 1))))
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
    pub class: Classification,
    pub outcome: Outcome,
    pub confidence: f64,
    pub reply: ReplyKind,
    /// Whether an error is business logic.
    pub business_logic: Option<bool>,
    /// Whether a success is a failure.
    pub hidden_failure: Option<bool>,
    pub error_kind: Option<u16>,
    /// What the output schema says.
    pub schema: Option<SchemaOutcome>,
    pub signals: FactSet,
    pub issues: &'a [(Severity, IssueCode)],
}

/// The number of a duration: 0 below a millisecond, else one more than its power of two.
#[must_use]
pub fn duration_bucket(milliseconds: f64) -> Option<u16> {
    if milliseconds.is_nan() || milliseconds < 0.0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    let whole = milliseconds as u64;
    u16::try_from(u64::BITS - whole.leading_zeros()).ok()
}

/// Counts of exchanges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Sorted; what never occurred has no entry.
    cells: Vec<(Code, u64)>,
    confidences: Confidences,
}

impl Counts {
    /// Counts so many exchanges that are judged alike.
    pub fn add(&mut self, exchange: &Judged<'_>, times: u64, overall: &Overall) {
        self.increase(Counted::Class(exchange.class), times);
        self.increase_code(Code(Dimension::Outcome, exchange.outcome as u16), times);
        self.increase(Counted::Reply(exchange.reply), times);
        let answer = Answer::listed(exchange.hidden_failure, exchange.business_logic);
        self.increase_code(Code(Dimension::Answer, answer as u16), times);
        match exchange.business_logic.filter(|_| exchange.reply.is_error()) {
            Some(true) => self.increase(Counted::BusinessLogic, times),
            Some(false) => self.increase(Counted::ToolFailure, times),
            None => {}
        }
        if let Some(kind) = exchange.error_kind {
            self.increase(Counted::ErrorKind(kind), times);
        }
        if let Some(outcome) = exchange.schema {
            self.increase(Counted::Schema(outcome), times);
        }
        for (index, (severity, kind)) in exchange.issues.iter().enumerate() {
            self.increase(Counted::Issues(*severity, *kind), times);
            if !exchange.issues[..index].contains(&(*severity, *kind)) {
                self.increase(Counted::ExchangesWith(*severity, *kind), times);
            }
        }
        for signal in (0_u16..).take(FactSet::CAPACITY) {
            if exchange.signals.has(usize::from(signal)) {
                self.increase_code(Code(Dimension::Signal, signal), times);
            }
        }
        self.confidences.add(overall, (exchange.class, exchange.confidence), times);
    }

    /// Counts an issue that belongs to no exchange.
    pub fn add_issue(&mut self, severity: Severity, kind: IssueCode) {
        self.increase(Counted::Issues(severity, kind), 1);
    }

    pub fn add_durations(&mut self, bucket: u16, times: u64) {
        self.increase_code(Code(Dimension::Duration, bucket), times);
    }

    fn increase(&mut self, what: Counted, by: u64) {
        self.increase_code(what.code(), by);
    }

    fn increase_code(&mut self, code: Code, by: u64) {
        match self.cells.binary_search_by_key(&code, |entry| entry.0) {
            Ok(found) => self.cells[found].1 += by,
            Err(place) => self.cells.insert(place, (code, by)),
        }
    }

    /// How often something occurred.
    #[must_use]
    pub fn get(&self, what: Counted) -> u64 {
        let found = self.cells.binary_search_by_key(&what.code(), |entry| entry.0);
        found.map_or(0, |found| self.cells[found].1)
    }

    /// The values of a dimension that occurred, with their numbers and counts.
    pub(super) fn of(&self, dimension: Dimension) -> impl Iterator<Item = (u16, u64)> {
        let from = self.cells.partition_point(|(code, _)| code.0 < dimension);
        let cells = self.cells[from..].iter().take_while(move |(code, _)| code.0 == dimension);
        cells.map(|(code, count)| (code.1, *count))
    }

    #[must_use]
    pub fn issues(&self, severity: Severity) -> u64 {
        let issues = self.of(Dimension::Issues).filter_map(|(number, count)| {
            issue_of(number).filter(|(found, _)| *found == severity).map(|_| count)
        });
        issues.sum()
    }

    /// The types of issue that were counted, by severity and code.
    pub fn issue_codes(&self) -> impl Iterator<Item = (Severity, IssueCode)> {
        self.of(Dimension::Issues).filter_map(|(number, _)| issue_of(number))
    }

    #[must_use]
    pub fn exchanges(&self) -> u64 {
        self.of(Dimension::Class).map(|(_, count)| count).sum()
    }

    #[must_use]
    pub fn confidences(&self) -> &Confidences {
        &self.confidences
    }

    /// Adds what another set of exchanges counted.
    pub fn merge(&mut self, other: &Self) {
        for (code, count) in &other.cells {
            self.increase_code(*code, *count);
        }
        self.confidences.merge(&other.confidences);
    }
}

/// What the numbers of values stand for.
#[derive(Clone, Copy)]
pub struct ValueNames<'a> {
    pub error_kinds: &'a [String],
    pub signals: &'a [String],
    /// The types of issues that only recordings know.
    pub unlisted: &'a super::Unlisted,
}

impl<'a> ValueNames<'a> {
    pub(super) fn value(self, dimension: Dimension, number: u16) -> std::borrow::Cow<'a, str> {
        let place = usize::from(number);
        let listed = |names: &'a [String]| names.get(place).map_or("", String::as_str).into();
        match dimension {
            Dimension::Class => Classification::ALL[place].name().into(),
            Dimension::Outcome => Outcome::ALL[place].name().into(),
            Dimension::Reply => ReplyKind::ALL[place].name().into(),
            Dimension::Answer | Dimension::ErrorAnswer => Answer::LISTED[place].name().into(),
            Dimension::ErrorKind => listed(self.error_kinds),
            Dimension::Schema => SchemaOutcome::ALL[place].name().into(),
            Dimension::IssueType | Dimension::Issues => {
                let Some((severity, kind)) = issue_of(number) else { return "".into() };
                format!("{} {}", severity.name(), self.unlisted.name(kind)).into()
            }
            Dimension::Signal => listed(self.signals),
            Dimension::Duration if number == 0 => "0".into(),
            Dimension::Duration => (1_u128 << (number - 1)).to_string().into(),
            Dimension::Confidence => "sum".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Unlisted;

    #[test]
    fn durations_are_counted_in_powers_of_two() {
        let value = |milliseconds: f64| {
            let unlisted = Unlisted::default();
            let names = ValueNames { error_kinds: &[], signals: &[], unlisted: &unlisted };
            duration_bucket(milliseconds)
                .map(|bucket| names.value(Dimension::Duration, bucket).into_owned())
        };
        let cases = [(0.0, "0"), (0.9, "0"), (1.0, "1"), (3.9, "2"), (4.0, "4"), (1000.0, "512")];
        for (milliseconds, wanted) in cases {
            assert_eq!(value(milliseconds).as_deref(), Some(wanted), "{milliseconds}");
        }
        assert_eq!(value(f64::INFINITY).as_deref(), Some("9223372036854775808"));
        assert_eq!((value(-1.0), value(f64::NAN)), (None, None));
    }
}
