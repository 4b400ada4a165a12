//! A text without its secrets, and where its places have gone.

use super::stand_in;
use std::borrow::Cow;
use std::ops::Range;

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
