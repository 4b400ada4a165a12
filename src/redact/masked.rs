//! Texts without their secrets: where their places have gone, how they may be shown, and which are known to hold none.

use super::{Quotations, Redactor, stand_in};
use crate::verdict::{counted, cut, harmless};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_128;

/// So many texts are remembered of each kind.
const SLOTS: usize = 1 << 12;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked<'t> {
    pub text: Cow<'t, str>,
    /// What was masked, from left to right: where it stood, and where its stand-in stands.
    moved: Vec<(Range<usize>, Range<usize>)>,
}

impl<'t> Masked<'t> {
    /// Puts stand-ins in the places of secrets, which stand from left to right and share nothing.
    pub(super) fn of(text: &'t str, found: &[(Range<usize>, String)]) -> Self {
        if found.is_empty() {
            return Self { text: Cow::Borrowed(text), moved: Vec::new() };
        }
        let (mut masked, mut moved) = (String::with_capacity(text.len()), Vec::new());
        let mut done = 0;
        for (range, word) in found {
            masked.push_str(&text[done..range.start]);
            let start = masked.len();
            masked.push_str(&stand_in(word, &text[range.clone()]));
            moved.push((range.clone(), start..masked.len()));
            done = range.end;
        }
        masked.push_str(&text[done..]);
        Self { text: Cow::Owned(masked), moved }
    }

    /// Where a stretch of the text has gone; what begins or ends within a secret covers its stand-in.
    pub fn place(&self, range: Range<usize>) -> Range<usize> {
        let start = self.moved_to(range.start, |stand_in| stand_in.start);
        start..self.moved_to(range.end, |stand_in| stand_in.end).max(start)
    }

    fn moved_to(&self, at: usize, within: impl Fn(&Range<usize>) -> usize) -> usize {
        let after = self.moved.partition_point(|(was, _)| was.start < at);
        match after.checked_sub(1).map(|last| &self.moved[last]) {
            None => at,
            Some((was, is)) if at < was.end => within(is),
            Some((was, is)) => is.end + (at - was.end),
        }
    }
}

/// Recorded text that may be shown: its secrets are masked, and nothing in it steers. Only this module
/// makes it, so that what takes it cannot be given anything else.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct MaskedText(String);

impl MaskedText {
    /// At most so many characters of it.
    #[must_use]
    pub fn cut(&self, longest: usize) -> Self {
        Self(cut(&self.0, longest))
    }
}

impl AsRef<str> for MaskedText {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MaskedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Redactor {
    /// A text as one line.
    pub fn tell(&self, text: &str) -> MaskedText {
        MaskedText(harmless(&self.mask(text)))
    }

    /// A message, which may quote what was recorded, or nothing.
    pub fn tell_message(&self, text: &str, quotations: &Quotations) -> MaskedText {
        MaskedText(harmless(
            self.mask_message(text, quotations, false).trim_end_matches([':', ' ']),
        ))
    }

    pub fn tell_lines(&self, text: &str) -> MaskedText {
        MaskedText(visible(&self.mask(text)))
    }

    /// The beginning of a text of several lines, and how much more there is.
    pub fn tell_beginning(&self, text: &str, bytes: usize) -> MaskedText {
        let (beginning, rest) = text.split_at(text.floor_char_boundary(bytes));
        if rest.is_empty() {
            return self.tell_lines(text);
        }
        let MaskedText(told) = self.tell_part(beginning);
        MaskedText(format!("{told}\n… and {} more", counted(rest.len() as u64, "byte")))
    }

    /// A text of several lines that may have been cut out of a longer one.
    pub fn tell_part(&self, text: &str) -> MaskedText {
        MaskedText(visible(&self.mask_part(text, None).text))
    }
}

impl Masked<'_> {
    /// A stretch of the masked text as one line; `None` where it has no such stretch.
    pub fn tell_line(&self, range: Range<usize>) -> Option<MaskedText> {
        self.text.get(range).map(|part| MaskedText(harmless(part)))
    }

    /// A stretch of the masked text, of several lines; `None` where it has no such stretch.
    pub fn tell(&self, range: Range<usize>) -> Option<MaskedText> {
        self.text.get(range).map(|part| MaskedText(visible(part)))
    }
}

/// Text of several lines, in which nothing steers.
fn visible(text: &str) -> String {
    text.replace("\r\n", "\n").split('\n').map(harmless).collect::<Vec<_>>().join("\n")
}

/// Texts that hold no secret, by their hashes: whoever makes two texts of one hash shows only what is his own. A text takes
/// the place of another that has the same slot.
#[derive(Debug, Default)]
pub struct CleanTexts(Vec<u128>);

impl CleanTexts {
    /// Whether a text is clean: known from before, or found to be so now and remembered.
    pub fn has(&mut self, text: &str, is_clean: impl FnOnce() -> bool) -> bool {
        self.0.resize(SLOTS, 0);
        let hash = xxh3_128(text.as_bytes());
        let [low, high, ..] = hash.to_le_bytes();
        let slot = &mut self.0[usize::from(u16::from_le_bytes([low, high])) % SLOTS];
        if *slot == hash {
            return true;
        }
        let is_clean = is_clean();
        if is_clean {
            *slot = hash;
        }
        is_clean
    }
}
