//! A rulebook as the rest of the program sees it: names resolved, bounds checked.

use super::criteria::Criterion;
use super::decide::CertaintyLine;
use super::matching::LeafSet;
use super::observe::{FieldQuestion, Observer, SignalTexts};
use super::problem::Problem;
use super::source::Origin;
pub use crate::verdict::Field;
use crate::verdict::{
    Classification, Conclusion, Ending, IssueType, Outcome, Retry, Severities, Severity, SignalSet,
    Who,
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Heuristics, compiled.
#[derive(Debug, Clone)]
pub struct Rulebook {
    pub name: String,
    pub about: String,
    /// Hash of everything in it that can change a verdict, in hex. It does not depend on comments,
    /// layout or on which file a part came from.
    pub digest: String,
    /// Its text with what it extends merged in: TOML that needs no other file.
    pub resolved: String,
    /// The signals; a signal's place is its bit in a [`SignalSet`].
    pub signals: Vec<Signal>,
    /// Every list entry and regex; a pattern's place is its number in a hit.
    pub patterns: Vec<Pattern>,
    /// The signals observed on error replies.
    pub error_signals: SignalSet,
    /// The signals observed on replies that claim success.
    pub success_signals: SignalSet,
    pub factors: Vec<Factor>,
    /// What the weighted sum is divided by.
    pub denominator: f64,
    /// Whether a score above 1 counts as 1.
    pub clamp: bool,
    pub decide: Vec<DecisionLine>,
    pub text: TextRule,
    pub errors: ErrorPolicy,
    /// Kinds of error, in order; the first whose condition holds is the one.
    pub error_kinds: Vec<ErrorKind>,
    /// How sure answers are; the first line that is about one says so.
    pub certainty: Vec<CertaintyLine>,
    /// When a reply that claims success is a failure; `None`: nobody asks.
    pub hidden_failure: Option<Condition>,
    /// What each way a call can end means, by [`Ending`].
    pub endings: Vec<Meaning>,
    pub metadata: MetadataRule,
    pub schema: SchemaRule,
    pub evidence: EvidenceWording,
    /// What became of calls, in sentences that replace the usual ones, by their keys in files.
    pub(super) because: BTreeMap<&'static str, String>,
    /// How confidences are averaged.
    pub overall: Overall,
    /// How a tool's status follows from its exchanges.
    pub status: StatusRule,
    pub quality: Quality,
    /// What exchanges are to meet, beside everything else.
    pub criteria: Vec<Criterion>,
    /// Exchanges with the verdict they must get.
    pub examples: Vec<Example>,
    /// What its author may want to know, though nothing is wrong.
    pub warnings: Vec<Problem>,
    /// Where the rulebooks are that it extends, the nearest first.
    pub(super) bases: Vec<Origin>,
    pub(super) observer: Observer,
    /// The questions that the signals put to the texts, by their number.
    pub(super) asked: Vec<FieldQuestion>,
    pub(super) signal_texts: SignalTexts,
}

impl Rulebook {
    /// What became of an exchange, as a sentence: the rulebook's own, or else the usual one.
    pub fn because(&self, conclusion: &Conclusion) -> &str {
        const INVALID: &str = "invalid";
        let (key, usual) = match conclusion.ending {
            Ending::DocumentAccepted => {
                ("document_accepted", "No check found an error in the document.")
            }
            Ending::DocumentRefused => (
                "document_refused",
                "A check found an error in the document, or the document reports one.",
            ),
            _ if conclusion.judgement.outcome != Outcome::Invalid => {
                return self.sentence(conclusion.judgement.outcome);
            }
            Ending::SchemaFailed => (INVALID, "The reply breaks the tool's output schema."),
            Ending::NoContent | Ending::EmptyContent => (INVALID, "The reply has no content."),
            Ending::Malformed => (INVALID, "The reply is not a result of a tool."),
            _ if conclusion.content_issue.is_some() => {
                (INVALID, "The reply's content is malformed.")
            }
            _ => (INVALID, "A check found an error in the reply."),
        };
        self.because.get(key).map_or(usual, String::as_str)
    }

    /// What an outcome of a call means: the rulebook's sentence, or else the usual one.
    pub fn sentence(&self, outcome: Outcome) -> &str {
        self.because.get(outcome.name()).map_or(outcome.sentence(), String::as_str)
    }

    /// What a way of ending means.
    pub fn meaning(&self, ending: Ending) -> &Meaning {
        &self.endings[ending as usize]
    }
}

/// A named yes/no observation.
#[derive(Debug, Clone)]
pub struct Signal {
    pub name: String,
    pub about: String,
    /// Its definition in words, such as `any of: contains "mcp_codes", regex "..."`.
    pub definition: String,
    /// The same for people: a regex that has a name goes by it.
    pub outline: String,
    /// The patterns that can make it true or false, its own and those of the signals it rests on.
    pub patterns: Vec<u16>,
}

/// One list entry or regex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The list it belongs to, or the signal whose regex it is.
    pub list: String,
    /// The heading under which it stands in its list.
    pub heading: Option<String>,
    /// The entry, or the regex's text.
    pub text: String,
    pub title: Option<Title>,
    /// Where it is looked for; the places of its hits are places in that text.
    pub field: Field,
    pub kind: PatternKind,
    pub quoted_from: Option<QuotedFrom>,
}

/// A regex in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title {
    pub name: String,
    /// One plain sentence; empty where the rulebook has none.
    pub about: String,
}

/// How a pattern is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PatternKind {
    Text(Matching),
    Regex(Case),
    /// As the whole of the field, whatever its case.
    Whole,
    /// A part of the call of at least so many characters.
    Quotation(usize),
}

named! {
    /// Where in a call something that a reply quotes has to be found.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum QuotedFrom {
        /// The values of the arguments, submitted code among them.
        Values = "values",
        /// The names of the arguments and of the members of their objects.
        Names = "names",
        /// Either.
        Call = "call",
        /// Nowhere in the call.
        Nothing = "nothing",
    }
}

impl QuotedFrom {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Values => "a value of the call",
            Self::Names => "a name in the call",
            Self::Call => "a name or value of the call",
            Self::Nothing => "nothing of the call",
        }
    }
}

/// Where a text counts as contained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Matching {
    /// Anywhere, inside words too.
    Substring,
    /// Only with no ASCII letter, digit or underscore directly before or after it.
    Word,
    /// As a word, but underscores may stand around it, as in the names of tools.
    Part,
}

/// What a regex makes of upper and lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Case {
    /// It sees the text in lower case.
    Ignored,
    /// It sees the text as recorded.
    Exact,
}

#[derive(Debug, Clone)]
pub struct Factor {
    pub name: String,
    pub signal: usize,
    pub weight: f64,
}

/// What holds of a reply or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    Always,
    /// A question put to one of the texts. Only signals ask some.
    Question(usize),
    Signal(usize),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
}

impl Condition {
    pub fn holds(&self, signals: SignalSet) -> bool {
        self.holds_when(LeafSet::default(), signals)
    }

    /// Whether it holds when these questions are answered with yes.
    pub(super) fn holds_when(&self, yes: LeafSet, signals: SignalSet) -> bool {
        match self {
            Self::Always => true,
            Self::Question(question) => yes.has(*question),
            Self::Signal(signal) => signals.has(*signal),
            Self::All(parts) => parts.iter().all(|part| part.holds_when(yes, signals)),
            Self::Any(parts) => parts.iter().any(|part| part.holds_when(yes, signals)),
            Self::Not(part) => !part.holds_when(yes, signals),
        }
    }

    /// The signals and the questions that it rests on.
    pub(super) fn rests_on(&self) -> (SignalSet, LeafSet) {
        let mut found = Default::default();
        self.gather(&mut found);
        found
    }

    fn gather(&self, found: &mut (SignalSet, LeafSet)) {
        match self {
            Self::Always => {}
            Self::Signal(signal) => found.0.insert(*signal),
            Self::Question(question) => found.1.insert(*question),
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.gather(found);
                }
            }
            Self::Not(part) => part.gather(found),
        }
    }

    pub(super) fn add_signals_to(&self, signals: &mut SignalSet) {
        signals.0 |= self.rests_on().0.0;
    }
}

#[derive(Debug, Clone)]
pub struct DecisionLine {
    pub name: String,
    pub condition: Condition,
    pub decision: Decision,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decision {
    /// The answer, whatever the score.
    Return(bool),
    /// Business logic if the score reaches this.
    Threshold(f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextRule {
    pub source: TextSource,
    pub otherwise: TextElse,
    /// How many UTF-16 units of an error's text become evidence.
    pub evidence_units: usize,
    /// How many bytes of a successful reply's text are looked at for a hidden failure.
    pub success_bytes: usize,
    /// Whether a text that is a result itself is judged as that result.
    pub opens_results: bool,
    /// Whether what it repeats of the call is left out, save for patterns that are to quote it.
    pub own_words: bool,
}

/// Where the judged text is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextSource {
    FirstTextBlock,
    /// All text blocks, joined by line feeds.
    AllText,
}

/// What stands in for a missing text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextElse {
    /// The content as `JSON.stringify` prints it.
    JsonDump,
    /// The structured content as `JSON.stringify` prints it, else content that is a string; otherwise nothing.
    Structured,
    Empty,
}

#[derive(Debug, Clone)]
pub struct ErrorPolicy {
    /// `false`: a tool that answers with an error responded ([`Ending::Responded`]).
    /// `true`: the error is judged ([`Ending::BusinessLogic`] and its siblings).
    pub judged: bool,
    pub question: Question,
    /// When an error means that something behind the tool cannot be reached.
    pub unreachable: Option<Condition>,
}

/// For which replies "business logic?" is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    Errors,
    /// Error replies, and those that claim success and are found to hide a failure.
    Failures,
    All,
}

#[derive(Debug, Clone)]
pub struct ErrorKind {
    pub name: String,
    /// What it means, in a sentence.
    pub about: String,
    pub who: Who,
    pub retry: Retry,
    /// Of refusals (`true`) or failures only; `None`: of both.
    pub of_refusals: Option<bool>,
    /// Calls that end so are of this kind, whatever their replies say.
    pub endings: Vec<Ending>,
    pub condition: Condition,
}

/// What one way of ending means.
#[derive(Debug, Clone)]
pub struct Meaning {
    pub classification: Classification,
    pub confidence: Confidence,
    /// Whether it indicates a working tool.
    pub is_valid: bool,
    pub issue: Option<IssueWording>,
    /// The first reason, where the usual one would say something else.
    pub evidence: Option<String>,
}

/// A confidence of 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Confidence {
    Fixed(f64),
    /// The score, as a percentage.
    Score,
}

#[derive(Debug, Clone)]
pub struct IssueWording {
    pub severity: Severity,
    pub kind: IssueType,
    /// The message; the reply's own words, or the schema's complaint, stand for `{error}`.
    pub message: String,
    pub suggestion: Option<String>,
}

#[derive(Debug, Clone)]
pub struct MetadataRule {
    pub on: MetadataOn,
    /// Whether each content type is listed once.
    pub distinct_types: bool,
    pub block_policy: BlockPolicy,
    pub counted: Vec<CountedBlocks>,
}

/// On which replies metadata is extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetadataOn {
    Always,
    WithContent,
    /// On results that are neither errors nor without content.
    Ok,
}

/// What a block of an unknown shape does to the other blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockPolicy {
    /// Nothing: each block counts for itself.
    PerBlock,
    /// Every block must fit one of these shapes, or the metadata takes the content as absent.
    AllOrNothing(Vec<BlockShape>),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlockShape {
    /// The types that have it; empty: any type.
    pub types: Vec<String>,
    /// Members (among `text`, `data`, `mimeType`, `uri`) that must be strings.
    pub required: Vec<String>,
    /// Members that must be strings where they are present.
    pub optional: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedBlocks {
    /// The name of the count in the response metadata, such as `textBlockCount`.
    pub name: String,
    pub types: Vec<String>,
    /// The evidence where there are any; `{n}` stands for the count.
    pub evidence: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SchemaRule {
    pub dialect: DialectRule,
    /// Whether `format` is checked (`None`: as the dialect says).
    pub assert_formats: Option<bool>,
    pub unknown_format: UnknownFormat,
    pub uncompilable: UncompilableSchema,
    pub json_null: JsonNull,
    /// Whether error replies are held against the schema too.
    pub on_errors: bool,
}

/// Which dialects of JSON Schema are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DialectRule {
    /// Draft 4 to 2020-12, as `$schema` says; 2020-12 where it says nothing.
    Declared,
    /// Draft 7 only; a schema that declares another one does not compile.
    #[serde(rename = "draft7")]
    Draft7Only,
}

/// What a format that nobody knows does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownFormat {
    Ignored,
    /// The schema does not compile.
    RefusesSchema,
}

/// What a schema that does not compile means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UncompilableSchema {
    /// An issue of the tool.
    Reported,
    AsIfAbsent,
}

/// What a text block holding `null` does to the search for JSON in text blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JsonNull {
    /// The search stops there and has found nothing.
    StopsSearch,
    IsValue,
}

#[derive(Debug, Clone)]
pub struct EvidenceWording {
    pub responded_with_error: String,
    /// Its text, at `{text}`.
    pub error_text: String,
    /// What stands for a missing text.
    pub unknown_error: String,
    pub has_content: String,
    pub has_structured_content: String,
    pub has_meta: String,
    pub schema_passed: String,
    pub schema_failed: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Overall {
    /// The weight of each class, in the order of [`Classification::ALL`].
    pub weights: [f64; 5],
    /// The answer for no exchange at all.
    pub empty: f64,
}

#[derive(Debug, Clone)]
pub struct StatusRule {
    pub passes: Vec<Classification>,
    /// The lines, in order; the first whose test holds gives the status.
    pub lines: Vec<StatusLine>,
}

#[derive(Debug, Clone)]
pub struct StatusLine {
    pub test: StatusTest,
    pub status: Classification,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StatusTest {
    /// Every exchange passed (and there is one).
    AllPassed,
    /// More than this share of the exchanges passed.
    PassedAbove(f64),
    AnyAnswered,
    Always,
}

/// What issues cost of the quality score, which starts at 1 and stops at 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    pub error: f64,
    pub warning: f64,
    pub info: f64,
}

impl Quality {
    /// What these issues leave of a perfect score, to four decimals.
    pub fn score(self, issues: Severities) -> f64 {
        let cost = f64::from(issues.errors) * self.error
            + f64::from(issues.warnings) * self.warning
            + f64::from(issues.infos) * self.info;
        ((1.0 - cost).max(0.0) * 10_000.0).round() / 10_000.0
    }
}

#[derive(Debug, Clone)]
pub struct Example {
    pub name: String,
    /// The exchange, as one exchange line (JSON).
    pub exchange: String,
    /// The members of the rendered verdict that must have these values (JSON object).
    pub expect: String,
    /// Where it stands in the TOML: file and line.
    pub place: String,
}
