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

/// A key as tables write it: exchanges with the same content are told apart by how many came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyName {
    /// The content hash.
    pub key: Key,
    /// How many exchanges with this content came before.
    pub before: u32,
}

impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.before {
            0 => self.key.fmt(f),
            before => write!(f, "{}-{}", self.key, u64::from(before) + 1),
        }
    }
}

/// The two names of an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// Hash of server, tool, input and reply.
    pub exchange: Key,
    /// Hash of server, tool and input: the same for two recordings of one request.
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
    /// The keys of an exchange.
    pub fn keys(&mut self, exchange: &Exchange<'_>) -> Keys {
        self.text.clear();
        self.part(&exchange.server);
        self.part(&exchange.tool.name);
        if let Some(input) = &exchange.input {
            write_canonical(input.raw(), &mut self.text);
        }
        self.text.push(PART);
        let request = Key(xxh3_128(self.text.as_bytes()));
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
