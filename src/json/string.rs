//! JSON strings, still escaped until somebody asks for their characters.

use std::borrow::Cow;

/// The characters between the quotes of a JSON string, as recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawStr<'a> {
    inner: &'a str,
    escaped: bool,
}

impl<'a> RawStr<'a> {
    pub(super) fn new(inner: &'a str) -> Self {
        Self { inner, escaped: memchr::memchr(b'\\', inner.as_bytes()).is_some() }
    }

    pub(super) fn known(inner: &'a str, escaped: bool) -> Self {
        Self { inner, escaped }
    }

    /// A text that stands for itself.
    pub(crate) fn plain(text: &'a str) -> Self {
        Self { inner: text, escaped: false }
    }

    /// The text between the quotes, escapes and all.
    pub fn escaped_text(self) -> &'a str {
        self.inner
    }

    pub fn is_empty(self) -> bool {
        self.inner.is_empty()
    }

    /// Whether the string, decoded, is this text.
    pub fn is(self, text: &str) -> bool {
        if self.escaped { self.decode() == text } else { self.inner == text }
    }

    /// The characters; a surrogate without its partner, which UTF-8 cannot hold, becomes U+FFFD.
    pub fn decode(self) -> Cow<'a, str> {
        if !self.escaped {
            return Cow::Borrowed(self.inner);
        }
        self.decode_up_to(usize::MAX)
    }

    /// The first characters of the string: about `limit` bytes of them.
    pub fn decode_up_to(self, limit: usize) -> Cow<'a, str> {
        if !self.escaped {
            return Cow::Borrowed(&self.inner[..self.inner.floor_char_boundary(limit)]);
        }
        let mut out = String::with_capacity(self.inner.len().min(limit));
        let mut rest = self.inner;
        while out.len() < limit {
            let plain = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
            let taken = rest.floor_char_boundary(plain.min(limit - out.len()));
            out.push_str(&rest[..taken]);
            rest = &rest[taken..];
            if taken < plain || rest.is_empty() {
                break;
            }
            let (decoded, used) = decode_escape(rest);
            out.push(decoded);
            rest = &rest[used..];
        }
        Cow::Owned(out)
    }
}

/// Visits the characters of an escaped string, each with its first byte there.
pub(crate) fn decode_string(escaped: &str, mut visit: impl FnMut(char, usize)) {
    let mut at = 0;
    while let Some(first) = escaped[at..].chars().next() {
        let (character, used) = match first {
            '\\' => decode_escape(&escaped[at..]),
            plain => (plain, plain.len_utf8()),
        };
        visit(character, at);
        at += used;
    }
}

/// Decodes the escape at the start of `text`: its character and how many bytes it took.
pub(super) fn decode_escape(text: &str) -> (char, usize) {
    match text.as_bytes().get(1) {
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'n') => ('\n', 2),
        Some(b'r') => ('\r', 2),
        Some(b't') => ('\t', 2),
        Some(b'u') => decode_unicode(text),
        Some(other) => (char::from(*other), 2),
        None => (char::REPLACEMENT_CHARACTER, text.len()),
    }
}

fn decode_unicode(text: &str) -> (char, usize) {
    let Some(first) = hex_at(text, 2) else {
        return (char::REPLACEMENT_CHARACTER, text.len().min(2));
    };
    if let Some(plain) = char::from_u32(first) {
        return (plain, 6);
    }
    let follows = text.as_bytes().get(6..8) == Some(b"\\u");
    match hex_at(text, 8) {
        Some(second) if follows && first < 0xdc00 && (0xdc00..0xe000).contains(&second) => {
            let joined = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            (char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
        }
        _ => (char::REPLACEMENT_CHARACTER, 6),
    }
}

fn hex_at(text: &str, at: usize) -> Option<u32> {
    u32::from_str_radix(text.get(at..at + 4)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_can_stop_early() {
        assert_eq!(RawStr::new("aé😀").decode_up_to(4), "aé");
        assert_eq!(RawStr::new(r"a\u00e9\n bc").decode_up_to(4), "aé\n");
        assert_eq!(RawStr::new(r"\n\n\n").decode_up_to(2), "\n\n");
    }

    #[test]
    fn an_escaped_key_is_still_that_key() {
        assert!(RawStr::new(r"\u0074ool").is("tool"));
        assert!(!RawStr::new("tool").is("tools"));
    }
}
