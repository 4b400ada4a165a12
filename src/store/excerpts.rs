//! What a run keeps of the texts of an exchange, so that people can look at it without the recording.

use super::named::NamedVerdict;
use super::texts::PlainColumn;
use crate::verdict::{Classification, Field, Severity, Verdict};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::ops::Range;

/// What a run keeps of the texts of an exchange, with secrets masked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The judged text, around its hits.
    pub reply: String,
    /// The beginning of the input.
    pub input: String,
    /// Where patterns hit in the reply.
    pub spans: Vec<Span>,
}

/// The same, as a row holds it: its hits have numbers.
#[derive(Clone, Debug, Default)]
pub struct Kept<'t> {
    pub reply: Cow<'t, str>,
    pub input: Cow<'t, str>,
    pub marks: SmallVec<[Mark; 4]>,
}

/// A place in a text where a pattern hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    /// Which of the hits of the row it is.
    pub hit: u32,
    /// Where in the input stands what was hit, if the pattern looked for it there.
    pub sent: Option<Range<u32>>,
}

/// As the column `hit_spans` holds it.
impl serde::Serialize for Mark {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let sent = self.sent.iter().flat_map(|Range { start, end }| [*start, *end]);
        to.collect_seq([self.start, self.end, self.hit].into_iter().chain(sent))
    }
}

/// A place in a text where a pattern hit.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Span {
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    pub pattern: String,
    /// Where in the input stands what was hit, if the pattern looked for it there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent: Option<Range<u32>>,
}

impl Span {
    /// Reads the column `hit_spans` of a row with these hits; `None` where that is damaged.
    pub fn read(json: Option<&str>, text: &str, hits: &[String]) -> Option<Vec<Self>> {
        let Some(json) = json else { return Some(Vec::new()) };
        let marks: Vec<Vec<u32>> = serde_json::from_str(json).ok()?;
        let span = |mark: &Vec<u32>| {
            let (&[start, end, hit], sent) = mark.split_first_chunk()?;
            let pattern = hits.get(hit as usize)?.clone();
            text.get(start as usize..end as usize)?;
            let sent = match *sent {
                [] => None,
                [start, end] => Some(start..end),
                _ => return None,
            };
            Some(Self { start, end, pattern, sent })
        };
        marks.iter().map(span).collect()
    }

    /// The places of the input that the reply was found to quote.
    pub fn in_input(spans: &[Self], input: &str) -> Vec<Self> {
        let sent = spans.iter().filter_map(|span| {
            let Range { start, end } = span.sent.clone()?;
            input.get(start as usize..end as usize)?;
            Some(Self { start, end, pattern: span.pattern.clone(), sent: None })
        });
        sent.collect()
    }
}

/// A run keeps texts of all exchanges that did not plainly work, and of those in whose reply a pattern hit: what hit in
/// the name of a tool or in the arguments is no reason.
fn keeps(
    is_error: bool,
    class: Classification,
    hidden_failure: Option<bool>,
    has_hits: bool,
    has_errors: bool,
) -> bool {
    is_error
        || class != Classification::FullyWorking
        || hidden_failure == Some(true)
        || has_hits
        || has_errors
}

pub fn keeps_text(verdict: &Verdict) -> bool {
    let Verdict { is_error, conclusion, observation, issues, .. } = verdict;
    let mut hits = observation.iter().flat_map(|observation| &observation.hits);
    let has_hits = hits.any(|hit| hit.field == Field::Text);
    let has_errors = issues.iter().any(|issue| issue.severity == Severity::Error);
    let hidden_failure = conclusion.hidden_failure();
    keeps(is_error.is_yes(), conclusion.judgement.class, hidden_failure, has_hits, has_errors)
}

impl NamedVerdict {
    pub fn keeps_text(&self) -> bool {
        let is_error = self.is_error == Some(true);
        let has_hits = self.hits.iter().any(|hit| Field::of_pattern(hit) == Field::Text);
        let has_errors = self.issues.iter().any(|issue| issue.starts_with("error "));
        keeps(is_error, self.class, self.hidden_failure, has_hits, has_errors)
    }
}

#[derive(Debug, Default)]
pub(super) struct Excerpts {
    pub(super) reply: PlainColumn,
    pub(super) input: PlainColumn,
    pub(super) spans: PlainColumn,
    /// Room in which the marks of a row are written.
    json: Vec<u8>,
}

impl Excerpts {
    pub(super) fn push(&mut self, excerpt: Option<&Kept<'_>>) {
        self.reply.push(excerpt.map(|excerpt| &*excerpt.reply));
        self.input.push(excerpt.map(|excerpt| &*excerpt.input));
        self.json.clear();
        let marks = excerpt.map(|excerpt| &*excerpt.marks).filter(|marks| !marks.is_empty());
        let written = marks.and_then(|marks| serde_json::to_writer(&mut self.json, marks).ok());
        let spans = written.and_then(|()| simdutf8::basic::from_utf8(&self.json).ok());
        self.spans.push(spans);
    }

    pub(super) fn append(&mut self, other: &Self) {
        self.reply.append(&other.reply);
        self.input.append(&other.input);
        self.spans.append(&other.spans);
    }

    pub(super) fn bytes(&self) -> usize {
        self.reply.bytes() + self.input.bytes() + self.spans.bytes()
    }
}
