//! Goes through a corpus exchange by exchange, on one thread: to find one, or to look at them all.

use super::drive::{DriveError, exchanges, on_deep_stack};
use crate::corpus::{Bounds, CorpusReader, ToolCache};
use crate::tape::{Exchange, Key, KeyMaker, Keys};
use std::fmt;
use std::ops::ControlFlow;

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

/// An exchange and where it was found.
#[derive(Debug)]
pub struct Located<'a> {
    /// Its tape.
    pub file: &'a str,
    /// Its keys.
    pub keys: Keys,
    /// The exchange.
    pub exchange: &'a Exchange<'a>,
}

/// Shows every exchange of a corpus to `look`, in order, until it breaks off.
pub fn for_each_exchange<T: Send>(
    reader: CorpusReader,
    bounds: &Bounds,
    look: impl FnMut(&Located<'_>) -> ControlFlow<T> + Send,
) -> Result<Option<T>, DriveError> {
    on_deep_stack(|| go_through(reader, bounds, look))
}

fn go_through<T>(
    mut reader: CorpusReader,
    bounds: &Bounds,
    mut look: impl FnMut(&Located<'_>) -> ControlFlow<T>,
) -> Option<T> {
    let mut cache = ToolCache::default();
    let mut keys = KeyMaker::default();
    while let Some(block) = reader.next_block() {
        let assembled = exchanges(&block, bounds, &mut cache);
        let file = block.tape.as_ref().map_or("", |tape| &tape.name);
        for exchange in &assembled.exchanges {
            let located = Located { file, keys: keys.keys(exchange), exchange };
            if let ControlFlow::Break(answer) = look(&located) {
                return Some(answer);
            }
        }
        reader.recycle(block);
    }
    None
}

/// Looks through a corpus and shows the first exchange that is wanted to `look`.
pub fn find_exchange<T: Send>(
    reader: CorpusReader,
    bounds: &Bounds,
    wanted: &Wanted,
    look: impl Fn(&Located<'_>) -> T + Send,
) -> Result<Option<T>, DriveError> {
    let mut search = Search { wanted, meant: None, seen: 0 };
    for_each_exchange(reader, bounds, move |located| {
        if search.is_it(located) {
            ControlFlow::Break(look(located))
        } else {
            ControlFlow::Continue(())
        }
    })
}

struct Search<'w> {
    wanted: &'w Wanted,
    /// The beginning of a key may fit several: the first one settles which is meant.
    meant: Option<Key>,
    seen: u32,
}

impl Search<'_> {
    fn is_it(&mut self, located: &Located<'_>) -> bool {
        let Located { keys, exchange, .. } = located;
        match self.wanted {
            Wanted::Line(line) => {
                exchange.place.line == *line
                    || exchange.answered.is_some_and(|place| place.line == *line)
            }
            Wanted::Key { prefix, occurrence } => {
                let fits = match self.meant {
                    None => keys.exchange.to_string().starts_with(prefix),
                    Some(meant) => keys.exchange == meant,
                };
                if fits {
                    self.meant = Some(keys.exchange);
                    self.seen += 1;
                }
                fits && self.seen == *occurrence
            }
        }
    }
}
