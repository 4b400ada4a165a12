//! The scanner: one pass over the bytes, no recursion, no allocation for ordinary nesting.

use super::{BLOCK, stops};
use super::{Kind, Raw, RawStr};
use smallvec::SmallVec;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {at}")]
pub struct ScanError {
    /// Offset of the offending byte from the start of the scanned text.
    pub at: usize,
    pub kind: ScanErrorKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScanErrorKind {
    #[error("the JSON text ends too early")]
    End,
    #[error("unexpected character in JSON text")]
    Unexpected,
    #[error("unescaped control character in a JSON string")]
    Control,
    #[error("unknown escape in a JSON string")]
    Escape,
    #[error("malformed JSON number")]
    Number,
    #[error("nested deeper than the bound")]
    Depth,
    #[error("text after the JSON value")]
    Trailing,
}

pub type Scan<T> = Result<T, ScanError>;

/// Scans a text that must be exactly one value (white space around it is allowed).
pub fn scan_document(text: &str, max_depth: usize) -> Scan<Raw<'_>> {
    let mut scanner = Scanner::new(text, max_depth);
    let value = scanner.value()?;
    scanner.end()?;
    Ok(value)
}

/// Reads JSON values from a text, one after the other.
#[derive(Clone, Debug)]
pub struct Scanner<'a> {
    text: &'a str,
    pos: usize,
    room: usize,
    loose: usize,
    /// Whether strings may hold control characters, as in texts that are no JSON.
    is_trusted: bool,
    /// The block of the text in which a string was last looked for, none at first, and where strings may stop in it.
    block: usize,
    stops: u64,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str, max_depth: usize) -> Self {
        let (pos, loose, is_trusted, block, stops) = (0, 0, false, usize::MAX, 0);
        Self { text, pos, room: max_depth, loose, is_trusted, block, stops }
    }

    /// A scanner over text that was scanned before, so no bound needs checking again.
    pub(crate) fn trusted(text: &'a str) -> Self {
        Self { is_trusted: true, ..Self::new(text, usize::MAX) }
    }

    /// How many bytes were read so far.
    pub fn position(&self) -> usize {
        self.pos
    }

    /// What follows the white space that comes next.
    pub(crate) fn rest(&mut self) -> &'a str {
        self.space();
        &self.text[self.pos..]
    }

    /// Passes over a value that the caller knows to be well-formed and this long.
    pub(crate) fn pass_known(&mut self, bytes: usize) {
        self.pos += bytes;
    }

    /// What the next value is, without reading it.
    pub fn peek(&mut self) -> Scan<Kind> {
        self.space();
        match self.byte()? {
            b'{' => Ok(Kind::Object),
            b'[' => Ok(Kind::Array),
            b'"' => Ok(Kind::String),
            b't' | b'f' => Ok(Kind::Bool),
            b'n' => Ok(Kind::Null),
            b'-' | b'0'..=b'9' => Ok(Kind::Number),
            _ => self.fail(ScanErrorKind::Unexpected),
        }
    }

    /// Demands that only white space is left.
    pub fn end(&mut self) -> Scan<()> {
        self.space();
        if self.pos == self.text.len() { Ok(()) } else { self.fail(ScanErrorKind::Trailing) }
    }

    pub fn string(&mut self) -> Scan<RawStr<'a>> {
        self.string_here()
    }

    /// Reads an object, handing each key to `member`, which must read exactly one value.
    #[inline]
    pub fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, RawStr<'a>) -> Scan<()>,
    ) -> Scan<Raw<'a>> {
        self.parts([b'{', b'}'], |inner| {
            let key = inner.key()?;
            member(inner, key)
        })
    }

    /// Reads an array, calling `element` before each element, which must read exactly one value.
    #[inline]
    pub fn array(&mut self, element: impl FnMut(&mut Self) -> Scan<()>) -> Scan<Raw<'a>> {
        self.parts([b'[', b']'], element)
    }

    #[inline]
    fn parts(
        &mut self,
        [open, close]: [u8; 2],
        mut part: impl FnMut(&mut Self) -> Scan<()>,
    ) -> Scan<Raw<'a>> {
        self.space();
        if self.byte()? != open {
            return self.fail(ScanErrorKind::Unexpected);
        }
        if self.room == 0 {
            return self.fail(ScanErrorKind::Depth);
        }
        let (start, loose) = (self.pos, self.loose);
        self.room -= 1;
        self.pos += 1;
        self.space();
        if self.byte()? != close {
            loop {
                part(self)?;
                self.space();
                match self.byte()? {
                    b',' => self.pos += 1,
                    byte if byte == close => break,
                    _ => return self.fail(ScanErrorKind::Unexpected),
                }
            }
        }
        self.room += 1;
        self.pos += 1;
        Ok(self.raw(start, loose))
    }

    pub fn value(&mut self) -> Scan<Raw<'a>> {
        self.space();
        let (start, loose) = (self.pos, self.loose);
        // Which brackets are open: whether each is an object's.
        let mut nest = SmallVec::<[bool; 64]>::new();
        'value: loop {
            match self.byte()? {
                b'"' => {
                    self.pass_string()?;
                }
                open @ (b'{' | b'[') => {
                    if nest.len() >= self.room {
                        return self.fail(ScanErrorKind::Depth);
                    }
                    self.pos += 1;
                    self.space();
                    let is_object = open == b'{';
                    if self.byte()? == if is_object { b'}' } else { b']' } {
                        self.pos += 1;
                    } else {
                        nest.push(is_object);
                        if is_object {
                            self.pass_key()?;
                        }
                        self.space();
                        continue 'value;
                    }
                }
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'n' => self.word("null")?,
                b'-' | b'0'..=b'9' => self.number()?,
                _ => return self.fail(ScanErrorKind::Unexpected),
            }
            while let Some(&is_object) = nest.last() {
                self.space();
                let close = if is_object { b'}' } else { b']' };
                match self.byte()? {
                    b',' => {
                        self.pos += 1;
                        if is_object {
                            self.space();
                            self.pass_key()?;
                        }
                        self.space();
                        continue 'value;
                    }
                    byte if byte == close => {}
                    _ => return self.fail(ScanErrorKind::Unexpected),
                }
                nest.pop();
                self.pos += 1;
            }
            return Ok(self.raw(start, loose));
        }
    }

    fn raw(&self, start: usize, loose: usize) -> Raw<'a> {
        Raw { text: &self.text[start..self.pos], canonical: self.loose == loose }
    }

    #[inline]
    fn key(&mut self) -> Scan<RawStr<'a>> {
        let key = self.string_here()?;
        self.space();
        if self.byte()? != b':' {
            return self.fail(ScanErrorKind::Unexpected);
        }
        self.pos += 1;
        Ok(key)
    }

    /// Passes over a key and its colon.
    #[inline]
    fn pass_key(&mut self) -> Scan<()> {
        if self.byte()? != b'"' {
            return self.fail(ScanErrorKind::Unexpected);
        }
        self.pass_string()?;
        self.space();
        if self.byte()? != b':' {
            return self.fail(ScanErrorKind::Unexpected);
        }
        self.pos += 1;
        Ok(())
    }

    #[inline]
    fn space(&mut self) {
        // Nearly all recordings are compact, and all that may stand between tokens is small.
        if self.text.as_bytes().get(self.pos).is_some_and(|byte| *byte <= b' ') {
            self.long_space();
        }
    }

    fn long_space(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(self.pos) {
            self.pos += 1;
            self.loose += 1;
        }
    }

    #[inline]
    fn byte(&self) -> Scan<u8> {
        match self.text.as_bytes().get(self.pos) {
            Some(byte) => Ok(*byte),
            None => Err(ScanError { at: self.pos, kind: ScanErrorKind::End }),
        }
    }

    #[cold]
    fn fail<T>(&self, kind: ScanErrorKind) -> Scan<T> {
        Err(ScanError { at: self.pos, kind })
    }

    fn word(&mut self, word: &str) -> Scan<()> {
        let rest = &self.text.as_bytes()[self.pos..];
        if rest.starts_with(word.as_bytes()) {
            self.pos += word.len();
            Ok(())
        } else {
            self.fail(ScanErrorKind::Unexpected)
        }
    }

    fn digits(&mut self) -> Scan<()> {
        let bytes = self.text.as_bytes();
        let start = self.pos;
        while bytes.get(self.pos).is_some_and(u8::is_ascii_digit) {
            self.pos += 1;
        }
        if self.pos == start { self.fail(ScanErrorKind::Number) } else { Ok(()) }
    }

    fn number(&mut self) -> Scan<()> {
        let bytes = self.text.as_bytes();
        if bytes[self.pos] == b'-' {
            self.pos += 1;
        }
        if bytes.get(self.pos) == Some(&b'0') {
            self.pos += 1;
        } else {
            self.digits()?;
        }
        if bytes.get(self.pos) == Some(&b'.') {
            self.pos += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = bytes.get(self.pos) {
            self.pos += 1;
            if let Some(b'+' | b'-') = bytes.get(self.pos) {
                self.pos += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    /// Reads a string where it is called.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call costs as much as reading a short name")]
    fn string_here(&mut self) -> Scan<RawStr<'a>> {
        self.space();
        if self.byte()? != b'"' {
            return self.fail(ScanErrorKind::Unexpected);
        }
        let start = self.pos + 1;
        let escaped = self.pass_string()?;
        Ok(RawStr::known(&self.text[start..self.pos - 1], escaped))
    }

    /// Passes over a string whose opening quote is the current byte; says whether it has escapes.
    #[inline]
    fn pass_string(&mut self) -> Scan<bool> {
        let end = self.stop(self.pos + 1);
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.pos = end + 1;
            return Ok(false);
        }
        self.pass_escapes(end)
    }

    /// Passes over the rest of a string, from the first byte on that does not mean itself.
    #[inline(never)]
    fn pass_escapes(&mut self, mut pos: usize) -> Scan<bool> {
        let bytes = self.text.as_bytes();
        let mut escaped = false;
        loop {
            self.pos = pos;
            match bytes.get(pos) {
                Some(b'"') => {
                    self.pos += 1;
                    return Ok(escaped);
                }
                Some(b'\\') => {
                    escaped = true;
                    let next = bytes.get(pos + 1);
                    let simple =
                        matches!(next, Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't'));
                    if simple {
                        self.pos += 2;
                    } else {
                        self.escape()?;
                    }
                    pos = self.stop(self.pos);
                }
                Some(_) if self.is_trusted => pos = self.stop(pos + 1),
                Some(_) => return self.fail(ScanErrorKind::Control),
                None => return self.fail(ScanErrorKind::End),
            }
        }
    }

    /// Where the next byte stands that does not mean itself in a string, or the end.
    #[inline]
    fn stop(&mut self, mut from: usize) -> usize {
        loop {
            if self.block != from / BLOCK {
                self.look_at(from / BLOCK);
            }
            let stops = self.stops >> (from % BLOCK);
            if stops != 0 {
                return from + stops.trailing_zeros() as usize;
            }
            from = (self.block + 1) * BLOCK;
            if from >= self.text.len() {
                return self.text.len();
            }
        }
    }

    #[inline(never)]
    fn look_at(&mut self, block: usize) {
        self.block = block;
        self.stops = stops(self.text.as_bytes().get(block * BLOCK..).unwrap_or_default());
    }

    /// Reads an escape that is more than one letter, or none.
    fn escape(&mut self) -> Scan<()> {
        let bytes = self.text.as_bytes();
        match bytes.get(self.pos + 1) {
            Some(b'/') => {
                self.loose += 1;
                self.pos += 2;
            }
            Some(b'u') => {
                let Some(hex) = bytes.get(self.pos + 2..self.pos + 6) else {
                    return self.fail(ScanErrorKind::End);
                };
                if !hex.iter().all(u8::is_ascii_hexdigit) {
                    return self.fail(ScanErrorKind::Escape);
                }
                if !demands_escape(hex) {
                    self.loose += 1;
                }
                self.pos += 6;
            }
            Some(_) => return self.fail(ScanErrorKind::Escape),
            None => return self.fail(ScanErrorKind::End),
        }
        Ok(())
    }
}

/// Whether these hex digits name a control character that has no shorter escape, in lower case.
fn demands_escape(hex: &[u8]) -> bool {
    hex.starts_with(b"00")
        && matches!(hex[2], b'0' | b'1')
        && !hex[3].is_ascii_uppercase()
        && !(hex[2] == b'0' && matches!(hex[3], b'8' | b'9' | b'a' | b'c' | b'd'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DEEP: usize = 512;

    #[test]
    fn a_value_ends_where_its_text_ends() {
        let mut scanner = Scanner::new(" {\"a\":[1,2.5e3,{}]} \"next\"", DEEP);
        assert_eq!(scanner.value().expect("an object").text(), "{\"a\":[1,2.5e3,{}]}");
        assert_eq!(scanner.value().expect("a string").text(), "\"next\"");
        assert_eq!(scanner.end(), Ok(()));
    }

    #[test]
    fn nesting_is_refused_beyond_the_bound_and_read_up_to_it() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        for depth in [1, 63, 64, 65, 128, 129, 300] {
            assert!(scan_document(&nested(depth), 300).is_ok(), "depth {depth}");
        }
        let error = scan_document(&nested(301), 300).expect_err("one too deep");
        assert_eq!((error.kind, error.at), (ScanErrorKind::Depth, 300));
    }

    #[test]
    fn mixed_nesting_keeps_its_brackets_apart() {
        let good = "{\"a\":[".repeat(100) + &"]}".repeat(100);
        assert!(scan_document(&good, DEEP).is_ok());
        let crossed = "{\"a\":[".repeat(100) + &"}]".repeat(100);
        assert!(scan_document(&crossed, DEEP).is_err());
    }

    #[test]
    fn a_trusted_text_may_have_line_feeds_in_its_strings() {
        let text = "\"could not\nopen\" file";
        assert!(Scanner::trusted(text).string().is_ok_and(|it| it.is("could not\nopen")));
        assert!(Scanner::new(text, DEEP).string().is_err());
    }

    fn serde_accepts(text: &str) -> bool {
        let mut reader = serde_json::Deserializer::from_str(text);
        serde::de::IgnoredAny::deserialize(&mut reader).is_ok() && reader.end().is_ok()
    }
    use serde::Deserialize as _;

    proptest! {
        #[test]
        fn accepts_exactly_what_serde_json_accepts(text in r#"[\[\]{}:,"\\a-f0-9utrulsn .eE+\-\n]{0,24}"#) {
            prop_assert_eq!(scan_document(&text, 100).is_ok(), serde_accepts(&text), "{}", text);
        }

        #[test]
        fn accepts_what_serde_json_writes(strings in proptest::collection::vec(".{0,40}", 0..6), n in any::<f64>()) {
            let value = serde_json::json!({"list": strings, "n": n, "deep": {"x": [null, true]}});
            let text = value.to_string();
            prop_assert!(scan_document(&text, 100).is_ok_and(Raw::is_canonical));
            let pretty = serde_json::to_string_pretty(&value).expect("a value prints");
            prop_assert!(scan_document(&pretty, 100).is_ok());
        }
    }
}
