//! Goes through a corpus exchange by exchange, on one thread: to find one, or to look at them all.

use super::drive::{DriveError, each_block, on_deep_stack};
use crate::corpus::{Assembled, Block, Bounds, CorpusReader};
use crate::recording::{Exchange, ExchangeKind, Key, KeyMaker, Keys, LinePosition, ReplyKind};
use std::fmt;
use std::num::NonZeroU64;
use std::ops::ControlFlow;

/// How many of the exchanges that a name fits are told.
pub const MOST_CANDIDATES: usize = 5;
/// Hex digits of a whole key.
const WHOLE_KEY: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The first one whose key begins like this.
    Key {
        /// Hex digits, in lower case.
        prefix: String,
    },
    /// The one whose record, request or answer stands at this line.
    Line {
        /// The line, from 1.
        line: u64,
        /// Which of the line's exchanges, from 1; `None` where it ought to be the only one.
        nth: Option<NonZeroU64>,
    },
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key { prefix } => write!(f, "called {prefix}"),
            Self::Line { line, nth: None } => write!(f, "recorded at line {line}"),
            Self::Line { line, nth: Some(nth) } => {
                write!(f, "number {nth} of those recorded at line {line}")
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchResult<T> {
    /// The exchange that is wanted, as it was shown.
    One(T),
    /// No exchange is called so. So many stand at the line that was named.
    Nothing { at_line: u64 },
    /// So many exchanges stand at the line, and which of them is wanted was not said.
    SeveralAtLine(u64),
    /// The beginning of a key fits several: these are the first of them, in the corpus's order. Whether there are more.
    SeveralKeys { first: Vec<Candidate>, more: bool },
}

/// An exchange that may be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub key: Key,
    pub file: String,
    pub line: u64,
}

/// An exchange and where it was found.
#[derive(Debug)]
pub struct Located<'a> {
    file: &'a str,
    pub keys: Keys,
    exchange: &'a Exchange<'a>,
}

impl<'a> Located<'a> {
    /// The call with the secrets in it: to judge it, and for files that must match the recording.
    pub fn as_recorded(&self) -> &'a Exchange<'a> {
        self.exchange
    }

    /// The name of its recording, with the secrets in it.
    pub fn file_as_recorded(&self) -> &'a str {
        self.file
    }

    pub fn place(&self) -> LinePosition {
        self.exchange.place
    }

    /// Where its answer stands, in wire recordings.
    pub fn answered(&self) -> Option<LinePosition> {
        self.exchange.answered
    }

    pub fn kind(&self) -> ExchangeKind {
        self.exchange.kind
    }

    pub fn reply_kind(&self) -> ReplyKind {
        self.exchange.reply.kind()
    }

    /// Whether the tool declares one.
    pub fn has_output_schema(&self) -> bool {
        self.exchange.tool.output_schema.is_some()
    }
}

/// Shows every exchange of a corpus to `look`, in order, until it breaks off.
pub fn for_each_exchange<T: Send>(
    reader: CorpusReader,
    bounds: &Bounds,
    mut look: impl FnMut(&Located<'_>) -> ControlFlow<T> + Send,
) -> Result<Option<T>, DriveError> {
    let mut keys = KeyMaker::default();
    let show = |block: &Block, assembled: &Assembled<'_>| {
        let file = block.recording.as_ref().map_or("", |recording| &recording.name);
        for exchange in &assembled.exchanges {
            look(&Located { file, keys: keys.keys(exchange), exchange })?;
        }
        ControlFlow::Continue(())
    };
    on_deep_stack(|| each_block(reader, bounds, show))
}

/// Looks through a corpus and shows the exchange that is wanted to `look`.
pub fn find_exchange<T: Send>(
    reader: CorpusReader,
    bounds: &Bounds,
    wanted: &Wanted,
    look: impl Fn(&Located<'_>) -> T + Sync,
) -> Result<SearchResult<T>, DriveError> {
    match wanted {
        Wanted::Line { line, nth } => find_at_line(reader, bounds, *line, *nth, look),
        Wanted::Key { prefix } => find_by_key(reader, bounds, prefix, look),
    }
}

fn find_at_line<T: Send>(
    reader: CorpusReader,
    bounds: &Bounds,
    line: u64,
    nth: Option<NonZeroU64>,
    look: impl Fn(&Located<'_>) -> T + Sync,
) -> Result<SearchResult<T>, DriveError> {
    let mut count = 0;
    let mut first = None;
    let found = for_each_exchange(reader, bounds, |located| {
        let Exchange { place, answered, .. } = located.exchange;
        if place.line == line || answered.is_some_and(|place| place.line == line) {
            count += 1;
            if nth.is_some_and(|nth| nth.get() == count) {
                return ControlFlow::Break(look(located));
            }
            // Whether it is the only one is known at the end of the recording.
            if nth.is_none() && count == 1 {
                first = Some(look(located));
            }
        }
        ControlFlow::Continue(())
    })?;
    Ok(match (found.or(first), count) {
        (Some(_), 2..) if nth.is_none() => SearchResult::SeveralAtLine(count),
        (Some(found), _) => SearchResult::One(found),
        (None, at_line) => SearchResult::Nothing { at_line },
    })
}

fn find_by_key<T: Send>(
    reader: CorpusReader,
    bounds: &Bounds,
    prefix: &str,
    look: impl Fn(&Located<'_>) -> T + Sync,
) -> Result<SearchResult<T>, DriveError> {
    let mut fitting: Vec<Candidate> = Vec::new();
    let mut shown = None;
    let over = for_each_exchange(reader, bounds, |located| {
        let key = located.keys.exchange;
        if !key.to_string().starts_with(prefix) {
            return ControlFlow::Continue(());
        }
        if fitting.iter().any(|other| other.key == key) {
            return ControlFlow::Continue(());
        }
        if fitting.len() == MOST_CANDIDATES {
            return ControlFlow::Break(true);
        }
        if fitting.is_empty() {
            shown = Some(look(located));
        }
        let line = located.place().line;
        fitting.push(Candidate { key, file: located.file.to_owned(), line });
        if prefix.len() == WHOLE_KEY {
            return ControlFlow::Break(false);
        }
        ControlFlow::Continue(())
    })?;
    Ok(match shown {
        _ if fitting.len() > 1 => {
            SearchResult::SeveralKeys { first: fitting, more: over.unwrap_or(false) }
        }
        Some(found) => SearchResult::One(found),
        None => SearchResult::Nothing { at_line: 0 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Input;
    use std::fmt::Write as _;

    /// Looks for an exchange among as many as there are tools, all in one document of one line.
    fn search(tools: usize, wanted: &Wanted) -> SearchResult<String> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("one-line.json");
        let mut records = String::new();
        for tool in 0..tools {
            let comma = if tool == 0 { "" } else { "," };
            let _ = write!(records, r#"{comma}{{"tool":"t{tool}","input":{{}},"response":{{}}}}"#);
        }
        std::fs::write(&path, format!(r#"{{"records":[{records}]}}"#)).expect("a file");
        let bounds = Bounds::default();
        let reader = CorpusReader::new(&[Input::Path(path)], bounds).expect("it is there");
        let name = |located: &Located<'_>| located.as_recorded().tool.name.clone();
        find_exchange(reader, &bounds, wanted, name).expect("threads")
    }

    fn line(nth: u64) -> Wanted {
        Wanted::Line { line: 1, nth: NonZeroU64::new(nth) }
    }

    fn key(prefix: &str) -> Wanted {
        Wanted::Key { prefix: prefix.to_owned() }
    }

    #[test]
    fn a_line_of_several_exchanges_needs_a_number() {
        assert_eq!(search(1, &line(0)), SearchResult::One("t0".to_owned()));
        assert_eq!(search(3, &line(0)), SearchResult::SeveralAtLine(3));
        assert_eq!(search(3, &line(2)), SearchResult::One("t1".to_owned()));
        assert_eq!(search(3, &line(4)), SearchResult::Nothing { at_line: 3 });
        let below = Wanted::Line { line: 2, nth: None };
        assert_eq!(search(3, &below), SearchResult::Nothing { at_line: 0 });
    }

    #[test]
    fn the_beginning_of_several_keys_names_none_of_them() {
        let SearchResult::SeveralKeys { first, more } = search(MOST_CANDIDATES, &key("")) else {
            panic!("all keys begin with nothing");
        };
        assert_eq!((first.len(), more), (MOST_CANDIDATES, false));
        let places: Vec<(&str, u64)> = first.iter().map(|c| (c.file.as_str(), c.line)).collect();
        assert_eq!(places, [("one-line.json", 1); MOST_CANDIDATES]);
        let whole = first[2].key.to_string();
        assert_eq!(search(MOST_CANDIDATES, &key(&whole)), SearchResult::One("t2".to_owned()));
        assert_eq!(search(MOST_CANDIDATES, &key(&whole[..20])), SearchResult::One("t2".to_owned()));
        assert_eq!(search(1, &key(&whole)), SearchResult::Nothing { at_line: 0 });
        let many = search(MOST_CANDIDATES + 1, &key(""));
        assert!(matches!(many, SearchResult::SeveralKeys { more: true, .. }), "{many:?}");
    }
}
