//! Names for exchanges that depend on what was said, never on where it was kept.

use super::{Exchange, Reply};
use crate::json::write_canonical;
use std::fmt;
use xxhash_rust::xxh3::xxh3_128;

/// A content hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u128);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl serde::Serialize for Key {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl Key {
    /// Its first half as a number.
    #[must_use]
    pub fn half(self) -> i64 {
        ((self.0 >> 64) as u64).cast_signed()
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_key = text.len() == 32 && text.bytes().all(is_digit);
        u128::from_str_radix(text, 16).ok().filter(|_| is_key).map(Self)
    }
}

/// The two names of an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// Hash of server, tool, input and reply.
    pub exchange: Key,
    /// Half a hash of server, tool and input, with zeros behind it: the same for two recordings of one request.
    pub request: Key,
}

/// Computes keys, reusing its buffer.
#[derive(Debug, Default)]
pub struct KeyMaker {
    text: String,
}

/// Stands between the parts, and cannot stand in canonical JSON.
const PART: char = '\u{1}';

impl KeyMaker {
    pub fn keys(&mut self, exchange: &Exchange<'_>) -> Keys {
        self.text.clear();
        self.part(&exchange.server);
        self.part(&exchange.tool.name);
        if let Some(input) = &exchange.input {
            write_canonical(input.raw(), &mut self.text);
        }
        self.text.push(PART);
        let request = Key(xxh3_128(self.text.as_bytes()) >> 64 << 64);
        let reply = match &exchange.reply {
            Reply::Result(result) => Some(('r', result.raw)),
            Reply::Error(error) => Some(('e', error.raw)),
            Reply::Document(document) => Some(('d', document.raw())),
            Reply::None => None,
        };
        if let Some((mark, raw)) = reply {
            self.text.push(mark);
            write_canonical(raw, &mut self.text);
        }
        Keys { exchange: Key(xxh3_128(self.text.as_bytes())), request }
    }

    fn part(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push(PART);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_are_read_as_they_are_written(key in any::<u128>()) {
            prop_assert_eq!(Key::parse(&Key(key).to_string()), Some(Key(key)));
        }
    }

    #[test]
    fn what_is_no_key_is_none() {
        let key = "0123456789abcdef0123456789abcdef";
        for text in
            ["", "0", &key[1..], &key.to_uppercase(), &format!("{key}0"), &format!("{key}-2")]
        {
            assert_eq!(Key::parse(text), None, "{text}");
        }
    }
}
