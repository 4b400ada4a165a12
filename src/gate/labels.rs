//! What people say the truth is: labels in recordings, and labels kept beside them.

use crate::compare::{Answer, Said, Side};
use crate::report::{ReportError, Table, TableReader};
use crate::verdict::{counted, cut, grouped};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

/// The longest line of a file of labels.
const LONGEST_LINE: u64 = 1 << 20;

/// What a person says of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    /// The tool did what it was asked to do.
    Ok,
    /// The tool works and refused.
    BusinessLogic,
    /// The tool failed.
    ToolFailure,
    /// The tool failed and claims success.
    HiddenFailure,
}

impl Label {
    /// All labels.
    pub const ALL: [Self; 4] =
        [Self::Ok, Self::BusinessLogic, Self::ToolFailure, Self::HiddenFailure];

    /// The word in recordings and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::BusinessLogic => "business_logic",
            Self::ToolFailure => "tool_failure",
            Self::HiddenFailure => "hidden_failure",
        }
    }

    fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.name() == word)
    }

    /// The label that a verdict comes to; `None` for an error of which nothing was asked.
    pub(super) fn of(said: &Said) -> Option<Self> {
        match said.standing().answer {
            Answer::BusinessLogic => Some(Self::BusinessLogic),
            Answer::ToolFailure => Some(Self::ToolFailure),
            Answer::HiddenFailure => Some(Self::HiddenFailure),
            Answer::NotAsked => (!said.is_error).then_some(Self::Ok),
        }
    }
}

/// A line of a file of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelLine {
    /// The tape, as a path below the corpus.
    pub file: String,
    /// The record's own id, as tables write it.
    pub id: String,
    /// What is said of it.
    pub label: Label,
}

/// A file of labels could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LabelError {
    /// The system says so.
    #[error("cannot read the labels {path}: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// A line is no label.
    #[error("{path}:{line}: {reason}")]
    Line {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The run has no such columns.
    #[error(transparent)]
    Table(#[from] ReportError),
}

#[derive(Deserialize)]
struct Written {
    file: String,
    id: serde_json::Value,
    label: String,
}

/// Reads a file of `{"file", "id", "label"}` lines.
pub fn read_labels(path: &Path) -> Result<Vec<LabelLine>, LabelError> {
    let shown = path.display().to_string();
    let unreadable = |source| LabelError::Unreadable { path: shown.clone(), source };
    let mut reader = BufReader::new(File::open(path).map_err(unreadable)?);
    let mut found = Vec::new();
    let mut text = String::new();
    for line in 1.. {
        text.clear();
        let taken = reader.by_ref().take(LONGEST_LINE).read_line(&mut text).map_err(unreadable)?;
        if taken == 0 {
            break;
        }
        if text.trim().is_empty() {
            continue;
        }
        match read_line(&text) {
            Ok(label) => found.push(label),
            Err(reason) => return Err(LabelError::Line { path: shown, line, reason }),
        }
    }
    Ok(found)
}

fn read_line(text: &str) -> Result<LabelLine, String> {
    let Written { file, id, label } = serde_json::from_str(text)
        .map_err(|error| format!("a label is a JSON object with file, id and label: {error}"))?;
    let id = match id {
        serde_json::Value::String(id) => id,
        serde_json::Value::Number(id) => id.to_string(),
        _ => return Err("`id` must be a text or a number".to_owned()),
    };
    let label = Label::named(&label).ok_or_else(|| {
        let known = Label::ALL.map(Label::name).join(", ");
        format!("`{}` is none of {known}", cut(&label, 40))
    })?;
    Ok(LabelLine { file, id, label })
}

/// The labels of a side's exchanges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labelled {
    /// By the exchange's place in [`Side::entries`].
    pub of: BTreeMap<u32, Label>,
    /// Lines of the file of labels that no exchange, or more than one, has the file and the id of.
    pub unmatched: u64,
    /// Labels in recordings that are none of the four words.
    pub unknown: u64,
    /// Why nothing is known of labels, where it is not that there are none.
    pub cannot_tell: Option<String>,
}

/// A line of a file of labels while its exchange is looked for.
struct Wanted {
    label: Label,
    /// The exchanges that have its file and its id: the first, and how many.
    first: u32,
    found: u32,
}

/// Ids of messages are kept as JSON, those of records as texts.
fn plain_id(id: &str) -> &str {
    id.strip_prefix('"').and_then(|id| id.strip_suffix('"')).unwrap_or(id)
}

impl Labelled {
    /// A side that does not keep what labels are found by.
    #[must_use]
    pub fn cannot_tell(because: &str) -> Self {
        Self { cannot_tell: Some(because.to_owned()), ..Self::default() }
    }

    /// The labels of a run's exchanges: those of its recordings, and those of a file, which count
    /// where there are both.
    pub fn of_run(folder: &Path, side: &Side, lines: &[LabelLine]) -> Result<Self, LabelError> {
        let mut table = TableReader::open(folder, Table::Verdicts)?;
        let mut labelled = Self::default();
        let mut wanted: BTreeMap<&str, BTreeMap<&str, Wanted>> = BTreeMap::new();
        for LabelLine { file, id, label } in lines {
            let line = Wanted { label: *label, first: 0, found: 0 };
            wanted.entry(file).or_default().insert(id, line);
        }
        let mut at = 0;
        for group in 0..table.groups() {
            let [files, ids, own] = ["file", "id", "label"].map(|name| table.texts(group, name));
            let (files, ids, own) = (files?, ids?, own?);
            for row in 0..table.rows(group) {
                match own.get(row).map(Label::named) {
                    Some(Some(label)) => _ = labelled.of.insert(at, label),
                    Some(None) => labelled.unknown += 1,
                    None => {}
                }
                if let (Some(file), Some(id)) = (files.get(row), ids.get(row))
                    && let Some(wanted) = wanted.get_mut(file)
                    && let Some(wanted) = wanted.get_mut(plain_id(id))
                {
                    wanted.first = if wanted.found == 0 { at } else { wanted.first };
                    wanted.found += 1;
                }
                at += 1;
            }
        }
        if at as usize != side.entries.len() {
            return Ok(Self::cannot_tell("the table of verdicts has other rows than the side"));
        }
        for Wanted { label, first, found } in wanted.into_values().flat_map(BTreeMap::into_values) {
            match found {
                1 => _ = labelled.of.insert(first, label),
                _ => labelled.unmatched += 1,
            }
        }
        Ok(labelled)
    }

    /// What is to be said of labels that do not count.
    pub(super) fn notes(&self) -> Vec<String> {
        let unmatched = (self.unmatched > 0).then(|| {
            format!("{} of the file fit no single exchange", counted(self.unmatched, "label"))
        });
        let unknown = (self.unknown > 0).then(|| {
            let known = Label::ALL.map(Label::name).join(", ");
            format!("{} in recordings say none of {known}", grouped(self.unknown))
        });
        unmatched.into_iter().chain(unknown).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_labels_are_read_and_wrong_ones_told_with_their_place() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let path = place.path().join("labels.jsonl");
        let good = "{\"file\": \"a.jsonl\", \"id\": 3, \"label\": \"ok\", \"why\": \"done\"}\n\n\
                    {\"file\": \"b.jsonl\", \"id\": \"x\", \"label\": \"hidden_failure\"}\n";
        std::fs::write(&path, good).expect("a file");
        let labels = read_labels(&path).expect("labels");
        let read: Vec<_> =
            labels.iter().map(|it| (it.file.as_str(), it.id.as_str(), it.label)).collect();
        assert_eq!(read, [("a.jsonl", "3", Label::Ok), ("b.jsonl", "x", Label::HiddenFailure)]);
        for (line, about) in [
            ("{\"file\": \"a\", \"id\": 3, \"label\": \"fine\"}", "`fine` is none of ok"),
            ("{\"file\": \"a\", \"id\": [], \"label\": \"ok\"}", "`id` must be"),
            ("{\"id\": 3}", "missing field"),
            ("not JSON", "a label is a JSON object"),
        ] {
            std::fs::write(&path, format!("{good}{line}\n")).expect("a file");
            let error = read_labels(&path).expect_err("a wrong line").to_string();
            assert!(error.contains("labels.jsonl:4: ") && error.contains(about), "{error}");
        }
        assert!(read_labels(&place.path().join("none")).is_err());
    }
}
