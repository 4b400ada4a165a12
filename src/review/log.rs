//! The log of decisions: one line of JSON each, only ever added to.

use super::{Signature, What};
use crate::recording::Key;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// The version of the lines that this program writes.
const VERSION: u64 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// The version of the line's form.
    v: u64,
    /// What was done at once has one number; numbers grow.
    pub step: u64,
    #[serde(flatten)]
    pub by: Signature,
    #[serde(flatten)]
    pub deed: Deed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Deed {
    Accept(About),
    Reject(About),
    Skip(About),
    Note(About),
    /// An earlier step was taken back.
    Undo {
        undoes: u64,
    },
    /// The decisions up to here were written into files; they can no longer be taken back.
    Written {
        /// How many exchanges the baseline took.
        accepted: u64,
        /// For how many rejected exchanges it kept what it had.
        rejected: u64,
        files: Vec<String>,
    },
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
    #[serde(deserialize_with = "keys")]
    pub keys: Vec<Key>,
    /// Whether the decision is about one exchange and not about its group.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub single: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

fn keys<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Key>, D::Error> {
    let wrong = |key: &str| D::Error::custom(format!("{key} is not the key of a call"));
    let read = |key: &String| Key::parse(key).ok_or_else(|| wrong(key));
    Vec::<String>::deserialize(from)?.iter().map(read).collect()
}

impl Deed {
    pub fn decided(what: What, about: About) -> Self {
        match what {
            What::Accept => Self::Accept(about),
            What::Reject => Self::Reject(about),
            What::Skip => Self::Skip(about),
        }
    }
}

impl LogLine {
    pub(super) fn new(step: u64, by: &Signature, deed: Deed) -> Self {
        Self { v: VERSION, step, by: by.clone(), deed }
    }
}

/// The lines of a log, and how many bytes are whole lines. A last line that does not end is what a kill
/// leaves behind: it counts for nothing, and what is written next takes its place.
pub fn read_log(bytes: &[u8]) -> Result<(Vec<LogLine>, usize), String> {
    #[derive(Deserialize)]
    struct Version {
        v: u64,
    }
    let whole = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
    let lines = (1..).zip(bytes[..whole].split(|byte| *byte == b'\n'));
    let lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty()).map(|(at, line)| {
        let version = serde_json::from_slice(line).map(|Version { v }| v);
        match version {
            Ok(v) if v > VERSION => {
                Err(format!("line {at} was written by a newer version of tapecheck (form {v})"))
            }
            _ => serde_json::from_slice(line)
                .map_err(|error| format!("line {at} is not a decision: {error}")),
        }
    });
    Ok((lines.collect::<Result<_, _>>()?, whole))
}

#[cfg(test)]
mod tests {
    use super::super::testing::by;
    use super::*;

    fn line(step: u64) -> LogLine {
        let about = About {
            group: "1a2b3c4d".to_owned(),
            cause: "pattern 'not found' no longer matches".to_owned(),
            exchanges: 2,
            note: Some("says \"no\"\nand more".to_owned()),
            ..About::default()
        };
        LogLine::new(step, &by(), Deed::decided(What::Reject, about))
    }

    fn text(line: &LogLine) -> String {
        serde_json::to_string(line).expect("plain data") + "\n"
    }

    #[test]
    fn lines_come_back_as_they_were_written() {
        let lines = [line(1), LogLine { deed: Deed::Undo { undoes: 1 }, ..line(2) }];
        let all: String = lines.iter().map(text).collect();
        assert_eq!(all.lines().count(), 2, "a note stays within its line");
        assert_eq!(read_log(all.as_bytes()), Ok((lines.to_vec(), all.len())));
        let begin = r#"{"v":1,"step":1,"who":"ann","when":"2026-11-21T20:00:00Z","what":"reject","#;
        assert!(all.starts_with(begin), "{all}");
    }

    #[test]
    fn a_torn_last_line_counts_for_nothing() {
        let (first, second) = (text(&line(1)), text(&line(2)));
        for cut in 1..second.len() {
            let bytes = [first.as_bytes(), &second.as_bytes()[..cut]].concat();
            assert_eq!(read_log(&bytes), Ok((vec![line(1)], first.len())));
        }
    }

    #[test]
    fn what_is_no_decision_is_told_with_its_line() {
        let read = |second: &str| {
            read_log((text(&line(1)) + second + "\n").as_bytes()).expect_err("no log")
        };
        assert!(read("nonsense").starts_with("line 2 is not a decision"));
        let newer = "line 2 was written by a newer version of tapecheck (form 9)";
        assert_eq!(read(r#"{"v":9}"#), newer);
    }
}
