//! What came of holding two sides against each other: one ordered model that everything else shows.

use super::{ByLabel, ByLabels, DurationChange, Excerpt, Header, Kind};
use crate::recording::Key;
use crate::verdict::{Answer, Classification, Judgement, Outcome};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub before: Header,
    pub after: Header,
    pub overlap: Overlap,
    /// Exchanges by what became of them; every kind is there.
    pub kinds: BTreeMap<Kind, u64>,
    #[serde(skip_serializing_if = "ByLabels::is_empty")]
    pub by_labels: ByLabels,
    /// Outcomes before and after, of the exchanges that both sides have.
    pub outcomes: Matrix<Outcome>,
    /// Classes before and after, of the exchanges that both sides have.
    pub classes: Matrix<Classification>,
    /// Answers before and after, of the exchanges that both sides have.
    pub answers: Matrix<Answer>,
    /// Shares before and after, of the exchanges that both sides have.
    #[serde(serialize_with = "with_noise")]
    pub rates: Vec<RateChange>,
    /// How long calls took, by server and tool; empty where a side has no durations.
    pub durations: Vec<DurationChange>,
    /// By cause: worst kinds first, then the largest groups; without added and gone exchanges.
    pub groups: Vec<Group>,
    /// What is not the same: in the later side's order, then what is gone in the earlier one's.
    #[serde(skip)]
    pub flips: Vec<Flip>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Overlap {
    pub same_exchange: u64,
    /// Requests that both have, with another reply.
    pub same_request: u64,
    pub only_before: u64,
    pub only_after: u64,
}

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Matched {
        /// They are one: request and reply are the same.
        Exchange = "exchange",
        /// The request is the same, the reply is another.
        Request = "request",
    }
}

/// How often what stood for one value stood for another afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix<T: Ord>(pub BTreeMap<(T, T), u64>);

impl<T: Ord + Serialize> Serialize for Matrix<T> {
    /// As a list of what moved from where to where.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Moved<'m, T> {
            from: &'m T,
            to: &'m T,
            exchanges: u64,
        }
        let cells = self.0.iter();
        to.collect_seq(cells.map(|((from, to), count)| Moved { from, to, exchanges: *count }))
    }
}

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Origin {
        Rulebook = "rulebook",
        Reply = "reply",
        /// The tool's output schema was changed.
        Schema = "schema",
        /// The contracts, facts or schemas of envelopes were changed.
        Checks = "checks",
        Program = "program",
        Several = "several",
    }
}

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum CauseKind {
        /// An entry of a list, or a regex.
        Pattern = "pattern",
        /// What a signal is made of.
        Signal = "signal",
        /// The weight of a factor, or what the sum is divided by.
        Weight = "weight",
        /// The threshold of a decision line.
        Threshold = "threshold",
        /// A decision line: its condition, its place, whether it is there.
        DecisionLine = "decision_line",
        /// The condition of an error kind or of a hidden failure.
        Condition = "condition",
        /// What a way of ending means: its class, its confidence, its issue.
        Ending = "ending",
        /// Any other setting of a rulebook.
        Setting = "setting",
        /// A type of issue that is raised or no longer raised.
        IssueType = "issue_type",
        /// A keyword of an output schema that is no longer met, or met again.
        SchemaKeyword = "schema_keyword",
        /// What the reply consists of.
        Reply = "reply",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Cause {
    pub kind: CauseKind,
    /// Its name, such as `business_patterns/not found` or `factors.http_status.weight`: stable, and
    /// what policies name.
    pub name: String,
    /// What became of it, in words, such as `pattern 'not found' no longer hits`.
    pub change: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Explanation {
    pub origin: Origin,
    /// The smallest set of changes that does it, in the rulebook's order.
    pub causes: Vec<Cause>,
    #[serde(flatten)]
    pub proof: Proof,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(tag = "proof", content = "unproved_because", rename_all = "snake_case")]
pub enum Proof {
    /// With these changes put back, and no others, the earlier verdict returns.
    Proved,
    /// With these changes put back the earlier verdict returns, and with one of them left out it does
    /// not; but there were too many to be sure that no smaller set does.
    Narrowed,
    /// It is what differs, but it could not be tried: for this reason.
    Observed(String),
}

impl Proof {
    /// The name used in tables and files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Narrowed => "narrowed",
            Self::Observed(_) => "observed",
        }
    }
}

/// Exchanges that changed in the same way by the same cause.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// A short name that depends on cause and change alone, so that it can be used again tomorrow.
    pub id: String,
    pub kind: Kind,
    #[serde(flatten)]
    pub explanation: Explanation,
    pub from: Judgement,
    pub to: Judgement,
    pub exchanges: u64,
    pub servers: u64,
    pub tools: u64,
    /// What labels say of them, where the replies are equal and other rules judge them.
    #[serde(skip_serializing_if = "ByLabels::is_empty")]
    pub by_labels: ByLabels,
    /// A few of them, each of another server where there are several.
    pub examples: Vec<Example>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Example {
    /// Its place in [`Comparison::flips`].
    #[serde(skip)]
    pub flip: u32,
    /// Its key, on the later side.
    pub key: Key,
    pub server: String,
    pub tool: String,
    pub file: String,
    pub line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_label: Option<ByLabel>,
    /// What was said, as one line of text each: before and after.
    #[serde(rename = "verdicts")]
    pub lines: [String; 2],
    /// The text that was judged, before and after, where the sides hold it.
    #[serde(rename = "texts")]
    pub excerpts: [Option<Excerpt>; 2],
}

/// An exchange that did not stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flip {
    pub kind: Kind,
    /// How it was matched; `None` where it was added or is gone.
    pub matched: Option<Matched>,
    /// Its place among the entries of the earlier side.
    pub before: Option<u32>,
    /// Its place among the entries of the later side.
    pub after: Option<u32>,
    /// Its group, as a number into [`Comparison::groups`].
    pub group: Option<u32>,
    /// What its label says, where the reply is equal and other rules judge it.
    pub by_label: Option<ByLabel>,
}

/// A share before and after, of the same exchanges.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RateChange {
    /// What is counted: `class fully_working`, `answer tool_failure` and so on.
    pub name: String,
    /// How many exchanges both sides have.
    pub of: u64,
    #[serde(serialize_with = "before_after")]
    pub counts: [u64; 2],
    /// How many counted before and no longer do.
    pub lost: u64,
    /// How many did not count before and now do.
    pub gained: u64,
    /// Two-sided p-value of `McNemar`'s test on the two numbers above: exact where they are few.
    pub p: f64,
    /// 95 % interval of the difference of the shares.
    #[serde(serialize_with = "low_high")]
    pub interval: [f64; 2],
}

/// Something of both sides, as an object.
pub(super) fn before_after<T: Serialize, S: Serializer>(
    [before, after]: &[T; 2],
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_map([("before", before), ("after", after)])
}

fn low_high<S: Serializer>([low, high]: &[f64; 2], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map([("low", low), ("high", high)])
}

/// Shares, and whether what moved may be noise among all of them.
fn with_noise<S: Serializer>(rates: &[RateChange], to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Judged<'r> {
        #[serde(flatten)]
        rate: &'r RateChange,
        noise: bool,
    }
    let judged = rates.iter().zip(RateChange::noise(rates));
    to.collect_seq(judged.map(|(rate, noise)| Judged { rate, noise }))
}
