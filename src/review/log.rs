//! The log of decisions: one line of JSON each, only ever added to.

use super::What;
use crate::recording::Key;
use crate::verdict::cut;
use serde::{Deserialize, Serialize};

/// The version of the lines that this program writes.
pub(super) const VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// The version of the line's form.
    pub v: u32,
    /// What was done at once has one number; numbers grow.
    pub step: u64,
    pub who: String,
    /// When (RFC 3339).
    pub when: String,
    #[serde(flatten)]
    pub deed: Deed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Deed {
    /// Something was accepted.
    Accept(About),
    /// Something was rejected.
    Reject(About),
    /// Something was put off.
    Skip(About),
    /// A note was made.
    Note(About),
    /// An earlier step was taken back.
    Undo { undoes: u64 },
    /// The decisions up to here were written into files; they can no longer be taken back.
    Written {
        /// How many exchanges the baseline took.
        accepted: u64,
        /// For how many rejected exchanges it kept what it had.
        rejected: u64,
        files: Vec<String>,
    },
}

impl Deed {
    pub fn decided(what: What, about: About) -> Self {
        match what {
            What::Accept => Self::Accept(about),
            What::Reject => Self::Reject(about),
            What::Skip => Self::Skip(about),
        }
    }

    /// What is wrong with the key of a decision about one exchange.
    fn wrong_key(&self) -> Option<String> {
        let about = match self {
            Self::Accept(about) | Self::Reject(about) | Self::Skip(about) => about,
            Self::Note(_) | Self::Undo { .. } | Self::Written { .. } => return None,
        };
        let key = about.keys.first().filter(|_| about.single)?;
        let is_key = Key::parse(key).is_some();
        (!is_key)
            .then(|| format!("`{}` is not a key: remove the line and decide again", cut(key, 60)))
    }
}

/// What a decision or a note is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    pub group: String,
    pub cause: String,
    /// How its exchanges stood and stand, in words.
    pub change: String,
    pub exchanges: u64,
    /// A digest over their keys and what is said of them: a decision counts while it is the same.
    pub digest: String,
    /// The keys; the first of them, where there are many. One that was decided on by itself is alone.
    pub keys: Vec<String>,
    /// Whether the decision is about one exchange and not about its group.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub single: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadLog {
    pub lines: Vec<LogLine>,
    /// How many bytes are whole lines; more is a torn one, and what is written next begins here.
    pub whole: usize,
    pub torn: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    #[error("line {line} is not a decision: {why}")]
    Line {
        /// Which, from 1.
        line: usize,
        why: String,
    },
    #[error("line {line} was written by a newer version of tapecheck (form {version})")]
    Newer {
        /// Which, from 1.
        line: usize,
        /// The form of the line.
        version: u64,
    },
}

/// Reads a log. A last line that does not end is what a kill leaves behind; it counts for nothing.
pub fn read_log(bytes: &[u8]) -> Result<ReadLog, LogError> {
    let whole = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
    let mut read = ReadLog { lines: Vec::new(), whole, torn: whole < bytes.len() };
    for (at, line) in bytes[..whole].split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let wrong = |why: String| LogError::Line { line: at + 1, why };
        let value: serde_json::Value =
            serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
        let version = value.get("v").and_then(serde_json::Value::as_u64);
        match version {
            Some(version) if version > u64::from(VERSION) => {
                return Err(LogError::Newer { line: at + 1, version });
            }
            Some(_) => {}
            None => return Err(wrong("it has no `v`".to_owned())),
        }
        let line: LogLine =
            serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
        if let Some(why) = line.deed.wrong_key() {
            return Err(wrong(why));
        }
        read.lines.push(line);
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(step: u64) -> LogLine {
        let about = About {
            group: "1a2b3c4d".to_owned(),
            cause: "pattern 'not found' no longer matches".to_owned(),
            exchanges: 2,
            note: Some("says \"no\"\nand more".to_owned()),
            ..About::default()
        };
        LogLine {
            v: VERSION,
            step,
            who: "ann".to_owned(),
            when: "2026-11-21T20:00:00Z".to_owned(),
            deed: Deed::decided(What::Reject, about),
        }
    }

    fn text(line: &LogLine) -> String {
        serde_json::to_string(line).expect("plain data") + "\n"
    }

    #[test]
    fn lines_come_back_as_they_were_written() {
        let lines = [line(1), LogLine { deed: Deed::Undo { undoes: 1 }, ..line(2) }];
        let all: String = lines.iter().map(text).collect();
        assert_eq!(all.lines().count(), 2, "a note stays within its line");
        let read = read_log(all.as_bytes()).expect("a log");
        assert_eq!(read.lines, lines);
        assert_eq!((read.whole, read.torn), (all.len(), false));
        assert!(text(&line(1)).contains(r#""what":"reject""#));
    }

    #[test]
    fn a_torn_last_line_counts_for_nothing() {
        let (first, second) = (text(&line(1)), text(&line(2)));
        for cut in 1..second.len() {
            let bytes = [first.as_bytes(), &second.as_bytes()[..cut]].concat();
            let read = read_log(&bytes).expect("a log");
            let whole = if cut == second.len() { bytes.len() } else { first.len() };
            assert_eq!((read.lines.len(), read.whole, read.torn), (1, whole, true));
        }
    }

    #[test]
    fn what_is_no_decision_is_told_with_its_line() {
        let bytes = format!("{}nonsense\n", text(&line(1)));
        let error = read_log(bytes.as_bytes()).expect_err("no log");
        assert!(error.to_string().starts_with("line 2 is not a decision"), "{error}");
        let newer = text(&line(1)).replace("\"v\":1", "\"v\":9");
        let error = read_log(newer.as_bytes()).expect_err("too new");
        assert_eq!(error, LogError::Newer { line: 1, version: 9 });
    }
}
