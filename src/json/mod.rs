//! JSON as slices of its own text: scanned once, decoded only where somebody looks.
//!
//! Recorded traffic is mostly text that no rule ever reads. This module finds and checks values
//! without building trees of them; a [`Raw`] value is a proof that its text is well-formed.

mod scan;
mod spelling;
mod string;

pub use scan::{Scan, ScanError, ScanErrorKind, Scanner, scan_document};
pub use spelling::{is_js_truthy, js_stringify, to_value, write_canonical, write_escaped};
pub use string::RawStr;
pub(crate) use string::decode_string;

use std::borrow::Cow;
use wide::u8x16;

/// Where a piece of a text begins in it.
pub fn start_in(whole: &str, piece: &str) -> usize {
    piece.as_ptr().addr().wrapping_sub(whole.as_ptr().addr())
}

/// The text of one well-formed JSON value, without the white space around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw<'a> {
    text: &'a str,
    canonical: bool,
}

/// What a JSON value is, by its first character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl<'a> Raw<'a> {
    /// A value that was scanned before and kept.
    pub(crate) fn known(text: &'a str, canonical: bool) -> Self {
        Self { text, canonical }
    }

    pub fn text(self) -> &'a str {
        self.text
    }

    /// Whether it is the canonical form: no white space between tokens, only escapes JSON demands.
    pub fn is_canonical(self) -> bool {
        self.canonical
    }

    pub fn kind(self) -> Kind {
        match self.text.as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') | None => Kind::Null,
            Some(_) => Kind::Number,
        }
    }

    pub fn as_str(self) -> Option<RawStr<'a>> {
        (self.kind() == Kind::String).then(|| RawStr::new(&self.text[1..self.text.len() - 1]))
    }

    pub fn elements(self) -> Option<Vec<Raw<'a>>> {
        let mut found = Vec::new();
        self.each_element(|element| found.push(element)).then_some(found)
    }

    /// Visits the elements of this value, without keeping them. Says whether it is an array.
    pub fn each_element(self, mut visit: impl FnMut(Raw<'a>)) -> bool {
        let mut scanner = Scanner::trusted(self.text);
        self.kind() == Kind::Array
            && scanner
                .array(|inner| {
                    visit(inner.value()?);
                    Ok(())
                })
                .is_ok()
    }

    pub fn any_element(self, mut is_it: impl FnMut(Raw<'a>) -> bool) -> bool {
        let mut found = false;
        self.each_element(|element| found = found || is_it(element)) && found
    }

    /// The members of this value in recorded order, if it is an object.
    pub fn members(self) -> Option<Vec<(RawStr<'a>, Raw<'a>)>> {
        let mut found = Vec::new();
        let mut scanner = Scanner::trusted(self.text);
        (self.kind() == Kind::Object
            && scanner
                .object(|inner, key| {
                    found.push((key, inner.value()?));
                    Ok(())
                })
                .is_ok())
        .then_some(found)
    }

    /// The value of one member; the last one counts where a key stands twice.
    pub fn member(self, name: &str) -> Option<Raw<'a>> {
        let (mut found, mut scanner) = (None, Scanner::trusted(self.text));
        let object = scanner.object(|inner, key| {
            let value = inner.value()?;
            if key.is(name) {
                found = Some(value);
            }
            Ok(())
        });
        found.filter(|_| object.is_ok())
    }
}

/// Where a document keeps a list, so that it can be read element by element.
#[derive(Debug, PartialEq, Eq)]
pub struct ListPath {
    /// The members that lead to it.
    pub members: &'static [&'static str],
    /// The members that lead to what stands beside it and is wanted as well.
    pub beside: &'static [&'static str],
    pub beside_kind: Kind,
}

impl ListPath {
    pub fn find<'a>(&self, document: Raw<'a>) -> Option<Raw<'a>> {
        let list =
            self.members.iter().try_fold(document, |holder, member| holder.member(member))?;
        (list.kind() == Kind::Array).then_some(list)
    }
}

/// A name as a step of a JSON pointer.
pub fn escaped_step(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) {
        name.replace('~', "~0").replace('/', "~1").into()
    } else {
        name.into()
    }
}

/// The name that a step of a JSON pointer stands for.
pub fn unescaped_step(step: &str) -> Cow<'_, str> {
    if step.contains('~') { step.replace("~1", "/").replace("~0", "~").into() } else { step.into() }
}

/// So many bytes are looked at together.
pub(crate) const BLOCK: usize = u64::BITS as usize;
/// And so many by one instruction.
const LANES: usize = 16;

/// The bytes at the beginning of a text at which scanning a string must stop, as bits: quotes, backslashes and control
/// characters.
pub(crate) fn stops(text: &[u8]) -> u64 {
    if let Some(block) = text.first_chunk() {
        return stops_of(block);
    }
    let mut block = [b' '; BLOCK];
    block[..text.len()].copy_from_slice(text);
    stops_of(&block)
}

fn stops_of(block: &[u8; BLOCK]) -> u64 {
    block.as_chunks::<LANES>().0.iter().rev().fold(0, |stops, part| {
        let part = u8x16::from(*part);
        let is = |byte| part.simd_eq(u8x16::splat(byte));
        let is_control = part.min(u8x16::splat(0x1f)).simd_eq(part);
        stops << LANES | u64::from((is(b'"') | is(b'\\') | is_control).to_bitmask())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How a text is spelled, where that differs from the text itself.
    fn spelled(text: &str) -> String {
        let raw = match scan_document(text, 64) {
            Ok(raw) => raw,
            Err(error) => return error.to_string(),
        };
        let (mut canonical, value) = (String::new(), to_value(raw));
        write_canonical(raw, &mut canonical);
        assert_eq!(raw.is_canonical(), canonical == text, "{text}");
        let again = scan_document(&canonical, 64).expect("well-formed");
        assert!(again.is_canonical(), "{canonical}");
        assert_eq!(raw.as_str().map(RawStr::decode).as_deref(), value.as_str());
        let spellings = [
            ("canonical", canonical),
            ("tree", value.to_string()),
            ("in JavaScript", js_stringify(raw)),
        ];
        let mut lines: Vec<String> = spellings
            .iter()
            .filter(|(_, spelling)| spelling != text)
            .map(|(what, spelling)| format!("{what}: {spelling}"))
            .collect();
        if !is_js_truthy(raw) {
            lines.push("false in JavaScript".to_owned());
        }
        lines.join("\n")
    }

    #[test]
    fn texts_are_spelled_as_the_cases_say() {
        crate::cases::check("tests/cases/json.txt", |case| spelled(&case.text));
    }

    #[test]
    fn each_byte_stops_a_string_or_not_wherever_it_stands() {
        for byte in 0..=u8::MAX {
            let is_stop = matches!(byte, b'"' | b'\\' | 0..0x20);
            for length in [1, 15, 16, 63, 64, 65] {
                let mut text = vec![b'a'; length];
                let at = length.min(BLOCK) - 1;
                text[at] = byte;
                assert_eq!(stops(&text), u64::from(is_stop) << at, "{byte} at {at} of {length}");
            }
        }
    }
}
