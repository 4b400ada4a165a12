//! Recorded text as it may be shown: secrets masked, nothing that steers or hides, bounded.

use crate::compare::Excerpt;
use crate::redact::{Masked, MaskedText, Quotations, Redactor};
use crate::store::{Comparable, Span};
use hashbrown::HashMap;
use std::cell::RefCell;

/// So many characters of a name are shown.
const LONGEST_NAME: usize = 160;
/// So many characters of a sentence are shown.
const LONGEST_WORDS: usize = 400;
/// So many names are remembered, which are those of most rows.
const REMEMBERED: usize = 20_000;

/// The one way by which recorded text comes onto a page.
#[derive(Clone, Debug, Default)]
pub(super) struct Showing {
    redactor: Redactor,
    quotations: Quotations,
    /// Names that were shown already: a few stand in nearly all rows.
    names: RefCell<HashMap<String, MaskedText>>,
}

/// Parts of a text, and the names of the patterns that hit each.
type Pieces = Vec<(MaskedText, Vec<String>)>;

impl Showing {
    /// Shows what these rules leave.
    pub(super) fn new(redactor: Redactor, quotations: Quotations) -> Self {
        Self { redactor, quotations, names: RefCell::default() }
    }

    /// Shows what a run keeps: what these rules masked when it was made is not searched again.
    pub(super) fn of_run(&self, run: &Comparable) -> Self {
        let masked_by = run.redaction.as_ref().filter(|_| run.version == env!("CARGO_PKG_VERSION"));
        let is_masked = masked_by.is_some_and(|rules| rules.digest == self.redactor.digest());
        let redactor = if is_masked { Redactor::none() } else { self.redactor.clone() };
        Self::new(redactor, self.quotations.clone())
    }

    /// A name: of a server, a tool, a recording. Something without one can be pointed at, too.
    pub(super) fn name(&self, text: &str) -> MaskedText {
        if let Some(shown) = self.names.borrow().get(text) {
            return shown.clone();
        }
        let told = if text.trim().is_empty() { "(no name)" } else { text };
        let shown = self.redactor.tell(told).cut(LONGEST_NAME);
        let mut names = self.names.borrow_mut();
        if names.len() < REMEMBERED {
            names.insert(text.to_owned(), shown.clone());
        }
        shown
    }

    /// The message of an issue, which may quote what was recorded, or nothing.
    pub(super) fn message(&self, text: &str) -> MaskedText {
        self.redactor.tell_message(text, &self.quotations).cut(LONGEST_WORDS)
    }

    pub(super) fn words(&self, text: &str) -> MaskedText {
        self.redactor.tell(text).cut(LONGEST_WORDS)
    }

    pub(super) fn pieces(&self, text: &str, spans: &[Span]) -> Pieces {
        let (text, spans) = self.text(text, spans);
        pieces(&text, spans)
    }

    /// A text without its secrets; what hit within one covers what stands for it.
    fn text<'t>(&self, text: &'t str, spans: &[Span]) -> (Masked<'t>, Vec<Span>) {
        let masked = self.redactor.mask_part(text, None);
        let moved = |span: &Span| {
            let place = masked.place(span.start as usize..span.end as usize);
            let [start, end] = [place.start, place.end].map(|at| u32::try_from(at).unwrap_or(0));
            Span { start, end, ..span.clone() }
        };
        let spans = spans.iter().map(moved).collect();
        (masked, spans)
    }

    /// An excerpt without its secrets.
    pub(super) fn excerpt(&self, excerpt: &Excerpt) -> Excerpt {
        let (text, spans) = self.text(&excerpt.text, &excerpt.spans);
        Excerpt { text: text.text.into_owned(), spans }
    }

    /// A text of any length without its secrets. Who shows it sees to it that it stays text.
    pub(super) fn masked(&self, text: &str) -> String {
        self.redactor.mask(text).into_owned()
    }
}

/// Cuts a text where hits begin and end. Hits that overlap are one.
fn pieces(text: &Masked<'_>, mut spans: Vec<Span>) -> Pieces {
    spans.retain(|span| span.start < span.end);
    spans.sort_by_key(|span| (span.start, span.end));
    let mut merged: Vec<(usize, usize, Vec<String>)> = Vec::new();
    for Span { start, end, pattern, sent: _ } in spans {
        let (start, end) = (start as usize, end as usize);
        match merged.last_mut() {
            Some((_, last, patterns)) if start < *last => {
                *last = end.max(*last);
                if !patterns.contains(&pattern) {
                    patterns.push(pattern);
                }
            }
            Some(_) | None => merged.push((start, end, vec![pattern])),
        }
    }
    let mut out = Vec::new();
    let mut done = 0;
    let mut add = |from: usize, to: usize, patterns: Vec<String>| {
        if let Some(text) = text.tell(from..to).filter(|text| !text.as_ref().is_empty()) {
            out.push((text, patterns));
        }
    };
    for (start, end, patterns) in merged {
        add(done, start, Vec::new());
        add(start, end, patterns);
        done = end;
    }
    add(done, text.text.len(), Vec::new());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u32, end: u32, pattern: &str) -> Span {
        Span { start, end, pattern: pattern.to_owned(), sent: None }
    }

    #[test]
    fn texts_are_cut_where_hits_begin_and_end() {
        let spans = vec![span(8, 17, "b"), span(5, 14, "a"), span(20, 20, "empty")];
        let text = Redactor::none().mask_whole("User not found\u{202e} here\r\nx");
        let cut = pieces(&text, spans);
        let shown: Vec<(&str, usize)> =
            cut.iter().map(|(text, patterns)| (text.as_ref(), patterns.len())).collect();
        assert_eq!(
            shown,
            [("User ", 0), ("not found\\u{202e}", 2), (" here\nx", 0)],
            "overlapping hits are one, and nothing turns the text around"
        );
    }

    #[test]
    fn hits_stay_where_they_are_beside_masked_parts() {
        let excerpt = Excerpt {
            text: "token=abc123 not found, not found".to_owned(),
            spans: vec![span(6, 12, "gone"), span(13, 22, "one"), span(24, 33, "two")],
        };
        let showing = Showing::default();
        let pieces = showing.pieces(&excerpt.text, &excerpt.spans);
        let hits = pieces.iter().filter(|(_, patterns)| !patterns.is_empty());
        let hits: Vec<&str> = hits.map(|(text, _)| text.as_ref()).collect();
        assert!(hits[0].starts_with("[secret ") && hits[1..] == ["not found"; 2], "{hits:?}");
        assert!(showing.excerpt(&excerpt).text.starts_with("token=[secret "));
    }

    #[test]
    fn names_are_bounded_and_harmless() {
        let showing = Showing::default();
        assert_eq!(showing.name("").as_ref(), "(no name)");
        assert_eq!(showing.name(" ").as_ref(), "(no name)", "what cannot be seen cannot be chosen");
        assert_eq!(showing.name("a\nb\u{1b}[0m").as_ref(), "a⏎b\\u{1b}[0m");
        assert_eq!(showing.name(&"x".repeat(1000)).as_ref().chars().count(), LONGEST_NAME);
    }
}
