//! Case folding as JavaScript's `toLowerCase` does it, without a copy wherever none is needed.

use std::borrow::Cow;

/// A text ready for matching.
///
/// The automaton ignores ASCII case by itself, and of all other characters only two fold to
/// something that has ASCII in it: the Kelvin sign to `k`, and a capital I with a dot to `i` and a
/// combining dot. Texts with one of them, and texts matched against patterns that are not ASCII, are
/// folded into a copy that remembers where each of its bytes came from.
pub(super) struct Folded<'a> {
    original: &'a str,
    copy: Option<Copy>,
}

struct Copy {
    text: String,
    /// For each byte of the copy the first byte of its character in the original.
    origins: Vec<u32>,
}

impl<'a> Folded<'a> {
    /// Folds a text for patterns of which some may not be ASCII.
    pub(super) fn new(original: &'a str, patterns: Script) -> Self {
        let needs_copy = !original.is_ascii()
            && match patterns {
                Script::AnyUnicode => true,
                Script::Ascii => original.contains(['\u{212A}', '\u{130}']),
            };
        Self { original, copy: needs_copy.then(|| Copy::of(original)) }
    }

    /// The text to search without regard to ASCII case.
    pub(super) fn haystack(&self) -> &str {
        self.copy.as_ref().map_or(self.original, |copy| &copy.text)
    }

    /// The text as recorded.
    pub(super) fn original(&self) -> &'a str {
        self.original
    }

    /// The text with its case folded. Where no copy was needed, characters that are not ASCII stay
    /// as they are: nothing that is matched against them can tell.
    pub(super) fn lowered(&self) -> Cow<'_, str> {
        match &self.copy {
            Some(copy) => Cow::Borrowed(&copy.text),
            None if self.original.bytes().any(|byte| byte.is_ascii_uppercase()) => {
                Cow::Owned(self.original.to_ascii_lowercase())
            }
            None => Cow::Borrowed(self.original),
        }
    }

    /// Where a match in the haystack stands in the original: whole characters.
    pub(super) fn span(&self, start: usize, end: usize) -> (u32, u32) {
        match &self.copy {
            None => (offset(start), offset(end)),
            Some(copy) => {
                let origin = |byte: usize| copy.origins.get(byte).copied();
                let length = offset(self.original.len());
                let first = origin(start).unwrap_or(length);
                if end <= start {
                    return (first, first);
                }
                let last = origin(end - 1).unwrap_or(length);
                let after = self.original[last as usize..].chars().next().map_or(0, char::len_utf8);
                (first, last + offset(after))
            }
        }
    }
}

/// Which characters a set of patterns is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rulebook) enum Script {
    /// ASCII only.
    Ascii,
    /// Others too.
    AnyUnicode,
}

impl Copy {
    fn of(original: &str) -> Self {
        let text = original.to_lowercase();
        let mut origins = Vec::with_capacity(text.len());
        for (start, character) in original.char_indices() {
            // The one context-dependent rule, final sigma, changes no length.
            let width = character.to_lowercase().map(char::len_utf8).sum();
            origins.extend(std::iter::repeat_n(offset(start), width));
        }
        Self { text, origins }
    }
}

/// A byte offset as hits store it. Recorded texts are far below 4 GiB; a longer one would only get
/// its later places wrong.
pub(super) fn offset(byte: usize) -> u32 {
    u32::try_from(byte).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_texts_that_need_a_copy_get_one() {
        assert!(Folded::new("Ünïcode TEXT", Script::Ascii).copy.is_none());
        assert_eq!(Folded::new("TO\u{212A}EN", Script::Ascii).haystack(), "token");
        assert_eq!(Folded::new("ÜBER", Script::AnyUnicode).haystack(), "über");
    }

    #[test]
    fn places_are_those_of_the_original() {
        let folded = Folded::new("x\u{130}y TO\u{212A}EN", Script::Ascii);
        let found = folded.haystack().find("token").expect("folded");
        let (start, end) = folded.span(found, found + 5);
        assert_eq!(&folded.original()[start as usize..end as usize], "TO\u{212A}EN");
    }

    proptest! {
        #[test]
        fn every_byte_of_a_copy_has_an_origin(text in ".{0,30}") {
            let copy = Copy::of(&text);
            prop_assert_eq!(copy.text.len(), copy.origins.len());
        }
    }
}
