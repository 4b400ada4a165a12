//! What a run keeps of the texts of an exchange, so that people can look at it without the recording.

use super::texts::PlainColumn;
use crate::verdict::{Classification, Severity, Verdict};

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    pub pattern: String,
}

impl Span {
    /// Spans as the column `hit_spans` holds them.
    pub(super) fn json(spans: &[Self]) -> String {
        let spans = spans.iter().map(|span| (span.start, span.end, &span.pattern));
        serde_json::to_string(&spans.collect::<Vec<_>>()).expect("texts and numbers are plain data")
    }

    /// Reads the column `hit_spans`; `None` where that is damaged.
    #[must_use]
    pub fn read(json: Option<&str>, text: &str) -> Option<Vec<Self>> {
        let Some(json) = json else { return Some(Vec::new()) };
        let spans: Vec<(u32, u32, String)> = serde_json::from_str(json).ok()?;
        let fits = |span: &Self| text.get(span.start as usize..span.end as usize).is_some();
        let spans = spans.into_iter().map(|(start, end, pattern)| Self { start, end, pattern });
        let spans: Vec<Self> = spans.collect();
        spans.iter().all(fits).then_some(spans)
    }
}

/// Whether a run keeps texts of an exchange: of all that did not plainly work.
#[must_use]
pub fn keeps_text(verdict: &Verdict) -> bool {
    verdict.is_error.is_yes()
        || verdict.conclusion.classification != Classification::FullyWorking
        || verdict.conclusion.hidden_failure() == Some(true)
        || verdict.observation.as_ref().is_some_and(|observation| !observation.hits.is_empty())
        || verdict.issues.iter().any(|issue| issue.severity == Severity::Error)
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
