//! What a run keeps of the texts of an exchange, so that people can look at it without the recording.

use super::named::NamedVerdict;
use super::texts::PlainColumn;
use crate::verdict::{Classification, Severity, Verdict};
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

/// A place in a text where a pattern hit.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    pub pattern: String,
    /// Where in the input stands what was hit, if the pattern looked for it there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<Range<u32>>,
}

impl Span {
    /// Spans as the column `hit_spans` holds them.
    pub(super) fn json(spans: &[Self]) -> String {
        serde_json::to_string(spans).expect("texts and numbers are plain data")
    }

    /// Reads the column `hit_spans`; `None` where that is damaged.
    pub fn read(json: Option<&str>, text: &str) -> Option<Vec<Self>> {
        let Some(json) = json else { return Some(Vec::new()) };
        let spans: Vec<Self> = serde_json::from_str(json).ok()?;
        let fits = |span: &Self| text.get(span.start as usize..span.end as usize).is_some();
        spans.iter().all(fits).then_some(spans)
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

/// A run keeps texts of all exchanges that did not plainly work.
fn keeps(
    is_error: bool,
    class: Classification,
    hidden_failure: Option<bool>,
    hits: usize,
    errors: usize,
) -> bool {
    is_error
        || class != Classification::FullyWorking
        || hidden_failure == Some(true)
        || hits > 0
        || errors > 0
}

/// Whether a run keeps texts of an exchange with this verdict.
pub fn keeps_text(verdict: &Verdict) -> bool {
    let Verdict { is_error, conclusion, observation, issues, .. } = verdict;
    let hits = observation.as_ref().map_or(0, |observation| observation.hits.len());
    let errors = issues.iter().filter(|issue| issue.severity == Severity::Error).count();
    let hidden_failure = conclusion.hidden_failure();
    keeps(is_error.is_yes(), conclusion.classification, hidden_failure, hits, errors)
}

impl NamedVerdict {
    /// Whether a run keeps texts of exchanges with this verdict.
    pub fn keeps_text(&self) -> bool {
        let errors = self.issues.iter().filter(|issue| issue.starts_with("error ")).count();
        keeps(self.is_error == Some(true), self.class, self.hidden_failure, self.hits.len(), errors)
    }
}

#[derive(Debug, Default)]
pub(super) struct Excerpts {
    pub(super) reply: PlainColumn,
    pub(super) input: PlainColumn,
    pub(super) spans: PlainColumn,
}

impl Excerpts {
    pub(super) fn push(&mut self, excerpt: Option<&Excerpt>) {
        self.reply.push(excerpt.map(|excerpt| excerpt.reply.as_str()));
        self.input.push(excerpt.map(|excerpt| excerpt.input.as_str()));
        let spans = excerpt.filter(|excerpt| !excerpt.spans.is_empty());
        self.spans.push(spans.map(|excerpt| Span::json(&excerpt.spans)).as_deref());
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
