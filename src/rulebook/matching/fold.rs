//! Case folding as JavaScript's `toLowerCase` does it, without a copy wherever none is needed.

use memchr::memchr2_iter;
use std::cell::OnceCell;

/// A text ready for matching: its case is folded.
///
/// Of all characters beyond ASCII only two fold to something that has ASCII in it: the Kelvin sign to `k`,
/// and a capital I with a dot to `i` and a combining dot. Texts with one of them, and texts matched against
/// patterns of which the case of other characters matters where such a character is large, are folded
/// character by character, and remember where each byte came from. In all others ASCII alone is folded, which moves nothing.
pub(super) struct Folded<'a> {
    original: &'a str,
    /// The text folded character by character, where that is called for.
    moved: Option<Moved>,
    /// Otherwise the text with its ASCII folded, once somebody asks and if that changes it.
    lowered: OnceCell<Option<String>>,
}

struct Moved {
    lowered: String,
    /// For each byte the first byte of its character in the original. `None` where every character is as long as before.
    origins: Option<Vec<u32>>,
}

impl<'a> Folded<'a> {
    pub(super) fn new(original: &'a str, patterns: Script) -> Self {
        let is_moved = !original.is_ascii()
            && match patterns {
                Script::Cased => foreign(original).any(|(_, c)| !c.to_lowercase().eq([c])),
                Script::Caseless => folds_to_ascii(original),
            };
        let moved = is_moved.then(|| match lowered_in_place(original) {
            Some(lowered) => Moved { lowered, origins: None },
            None => Moved { lowered: original.to_lowercase(), origins: Some(origins(original)) },
        });
        Self { original, moved, lowered: OnceCell::new() }
    }

    /// The text with its case folded, as far as any pattern can tell.
    pub(super) fn lowered(&self) -> &str {
        if let Some(moved) = &self.moved {
            return &moved.lowered;
        }
        let lowered = self.lowered.get_or_init(|| {
            let has_capitals = self.original.bytes().any(|byte| byte.is_ascii_uppercase());
            has_capitals.then(|| self.original.to_ascii_lowercase())
        });
        lowered.as_deref().unwrap_or(self.original)
    }

    /// The same but for ASCII letters, which may stand in either case: for those who do not mind.
    pub(super) fn in_any_case(&self) -> &str {
        self.moved.as_ref().map_or(self.original, |moved| &moved.lowered)
    }

    pub(super) fn original(&self) -> &'a str {
        self.original
    }

    /// Where a match in the folded text stands in the original: whole characters.
    pub(super) fn span(&self, start: usize, end: usize) -> (u32, u32) {
        match &self.moved {
            None | Some(Moved { origins: None, .. }) => (offset(start), offset(end)),
            Some(Moved { origins: Some(origins), .. }) => {
                let origin = |byte: usize| origins.get(byte).copied();
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

/// Whether a text has one of the two characters beyond ASCII of which letters of ASCII are made.
pub(super) fn folds_to_ascii(text: &str) -> bool {
    has_either(text, ["\u{130}", "\u{212a}"])
}

/// Whether a text has one of two characters beyond ASCII.
pub(super) fn has_either(text: &str, characters: [&str; 2]) -> bool {
    let text = text.as_bytes();
    let [one, other] = characters.map(|it| it.as_bytes()[it.len() - 1]);
    let ends_with_one = |end| characters.iter().any(|it| text[..=end].ends_with(it.as_bytes()));
    !text.is_ascii() && memchr2_iter(one, other, text).any(ends_with_one)
}

const AT_ONCE: usize = 16;

/// The characters beyond ASCII, with their places.
pub(super) fn foreign(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &text.as_bytes()[at..];
        let skipped = rest.chunks(AT_ONCE).take_while(|bytes| bytes.is_ascii()).count() * AT_ONCE;
        let rest = rest.get(skipped..)?;
        let place = at + skipped + rest.iter().take_while(|byte| byte.is_ascii()).count();
        let character = text[place..].chars().next()?;
        at = place + character.len_utf8();
        Some((place, character))
    })
}

/// A text in lower case, where none of its characters becomes longer or shorter and none depends on others.
fn lowered_in_place(text: &str) -> Option<String> {
    let (mut lowered, mut done) = (String::with_capacity(text.len()), 0);
    for (at, character) in foreign(text) {
        let mut small = character.to_lowercase();
        let (small, length) = (small.next().filter(|_| small.len() == 0)?, character.len_utf8());
        if small.len_utf8() != length || character == 'Σ' {
            return None;
        }
        lowered.push_str(&text[done..at]);
        lowered.push(small);
        done = at + length;
    }
    lowered.push_str(&text[done..]);
    lowered.make_ascii_lowercase();
    Some(lowered)
}

/// For each byte of the folded text the first byte of its character in the original.
fn origins(original: &str) -> Vec<u32> {
    let mut origins = Vec::with_capacity(original.len());
    for (start, character) in original.char_indices() {
        // The one context-dependent rule, final sigma, changes no length.
        let width = character.to_lowercase().map(char::len_utf8).sum();
        origins.extend(std::iter::repeat_n(offset(start), width));
    }
    origins
}

/// Whether the case of characters beyond ASCII matters to patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rulebook) enum Script {
    /// It does not: there is none, or only such that have no case.
    Caseless,
    Cased,
}

impl Script {
    /// That of a literal text.
    pub(in crate::rulebook) fn of(text: &str) -> Self {
        let is_caseless = |c: char| {
            // The combining dot is what is left of a capital I with a dot.
            c != '\u{307}' && c.to_lowercase().eq([c]) && c.to_uppercase().eq([c])
        };
        if text.chars().filter(|c| !c.is_ascii()).all(is_caseless) {
            Self::Caseless
        } else {
            Self::Cased
        }
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
    fn only_texts_that_need_it_are_folded_character_by_character() {
        let moved = |text, patterns| Folded::new(text, patterns).moved.is_some();
        assert!(!moved("Ünïcode TEXT", Script::Caseless));
        assert!(moved("Ünïcode TEXT", Script::Cased) && !moved("TEXT", Script::Cased));
        assert_eq!(Folded::new("TO\u{212A}EN", Script::Caseless).lowered(), "token");
        assert_eq!(Folded::new("ÜBER", Script::Cased).lowered(), "über");
        assert_eq!(Folded::new("ÜBER", Script::Caseless).lowered(), "Über");
    }

    #[test]
    fn characters_without_case_need_no_folding() {
        for text in ["not found", "不存在", "찾을 수 없", "見つかりません", "غير موجود"]
        {
            assert_eq!(Script::of(text), Script::Caseless, "{text}");
        }
        for text in ["größe", "не найден", "i\u{307}", "Ⅷ", "ß", "λ"] {
            assert_eq!(Script::of(text), Script::Cased, "{text}");
        }
    }

    #[test]
    fn places_are_those_of_the_original() {
        let folded = Folded::new("x\u{130}y TO\u{212A}EN", Script::Caseless);
        let found = folded.lowered().find("token").expect("folded");
        let (start, end) = folded.span(found, found + 5);
        assert_eq!(&folded.original()[start as usize..end as usize], "TO\u{212A}EN");
    }

    proptest! {
        #[test]
        fn every_byte_of_a_folded_text_has_an_origin(text in ".{0,30}") {
            prop_assert_eq!(text.to_lowercase().len(), origins(&text).len());
        }
    }
}
