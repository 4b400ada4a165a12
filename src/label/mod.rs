//! What people say the truth is: labels in recordings, and labels kept beside them.

mod of_run;

pub use of_run::Labelled;

use crate::compare::{Answer, Said};
use crate::report::ReportError;
use crate::verdict::cut;
use serde::Deserialize;
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

    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.name() == word)
    }

    /// The label that a verdict comes to; `None` for an error of which nothing was asked.
    #[must_use]
    pub fn of(said: &Said) -> Option<Self> {
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
