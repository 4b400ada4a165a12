//! Finds one exchange in a corpus.

use super::drive::exchanges;
use crate::corpus::{Bounds, CorpusReader, ToolCache};
use crate::tape::{Exchange, KeyMaker, Keys};
use std::fmt;

/// Which exchange is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The one whose key begins like this; of equal ones, this occurrence (from 1).
    Key {
        /// Hex digits, in lower case.
        prefix: String,
        /// Which of the exchanges with that key.
        occurrence: u32,
    },
    /// The one whose record, request or answer stands at this line.
    Line(u64),
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key { prefix, occurrence: 1 } => write!(f, "called {prefix}"),
            Self::Key { prefix, occurrence } => write!(f, "called {prefix}-{occurrence}"),
            Self::Line(line) => write!(f, "recorded at line {line}"),
        }
    }
}

/// An exchange that was found.
#[derive(Debug)]
pub struct Located<'a> {
    /// Its tape.
    pub file: &'a str,
    /// Its keys.
    pub keys: Keys,
    /// The exchange.
    pub exchange: &'a Exchange<'a>,
}

/// Looks through a corpus and shows the first exchange that is wanted to `look`.
pub fn find_exchange<T>(
    mut reader: CorpusReader,
    bounds: &Bounds,
    wanted: &Wanted,
    look: impl FnOnce(&Located<'_>) -> T,
) -> Option<T> {
    let mut cache = ToolCache::default();
    let mut keys = KeyMaker::default();
    let mut seen = 0;
    // A short key may fit several exchanges: the first one settles which key is meant.
    let mut meant = None;
    while let Some(block) = reader.next_block() {
        let assembled = exchanges(&block, bounds, &mut cache);
        for exchange in &assembled.exchanges {
            let key = keys.keys(exchange);
            let is_wanted = match wanted {
                Wanted::Key { prefix, .. } => match meant {
                    None => key.exchange.to_string().starts_with(prefix),
                    Some(meant) => key.exchange == meant,
                },
                Wanted::Line(line) => {
                    exchange.place.line == *line
                        || exchange.answered.is_some_and(|place| place.line == *line)
                }
            };
            if is_wanted {
                seen += 1;
                meant = Some(key.exchange);
            }
            let enough = match wanted {
                Wanted::Key { occurrence, .. } => seen == *occurrence,
                Wanted::Line(_) => true,
            };
            if is_wanted && enough {
                let file = block.tape.as_ref().map_or("", |tape| &tape.name);
                return Some(look(&Located { file, keys: key, exchange }));
            }
        }
        reader.recycle(block);
    }
    None
}
