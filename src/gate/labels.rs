//! What people say the truth is: labels in recordings, and labels kept beside them.

use crate::compare::{Answer, Said, Side};
use crate::report::{ReportError, Table, read_columns};
use crate::verdict::{counted, cut, grouped};
use polars::prelude::{DataFrame, PolarsError};
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
    /// The columns are not as they should be.
    #[error("the table of verdicts cannot be read: {0}")]
    Columns(#[from] PolarsError),
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

/// The rows of a table of verdicts that labels are found by.
struct Rows<'a> {
    files: Vec<Option<&'a str>>,
    ids: Vec<Option<&'a str>>,
    own: Vec<Option<&'a str>>,
}

impl<'a> Rows<'a> {
    const COLUMNS: [&'static str; 3] = ["file", "id", "label"];

    fn of(frame: &'a DataFrame) -> Result<Self, PolarsError> {
        let [files, ids, own] = Self::COLUMNS.map(|name| {
            frame.column(name).and_then(|column| column.str()).map(|texts| texts.iter().collect())
        });
        Ok(Self { files: files?, ids: ids?, own: own? })
    }

    /// The rows of a tape with an id. Ids of messages are kept as JSON, those of records as texts.
    fn by_id(&self) -> BTreeMap<(&'a str, &'a str), Vec<u32>> {
        let mut found: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        for ((at, file), id) in (0..).zip(&self.files).zip(&self.ids) {
            if let (Some(file), Some(id)) = (file, id) {
                let id = id.strip_prefix('"').and_then(|id| id.strip_suffix('"')).unwrap_or(id);
                found.entry((*file, id)).or_default().push(at);
            }
        }
        found
    }
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
        let frame = read_columns(folder, Table::Verdicts, &Rows::COLUMNS)?;
        let rows = Rows::of(&frame)?;
        if rows.files.len() != side.entries.len() {
            return Ok(Self::cannot_tell("the table of verdicts has other rows than the side"));
        }
        let mut labelled = Self::default();
        for (at, word) in (0..).zip(&rows.own) {
            match word.map(Label::named) {
                Some(Some(label)) => _ = labelled.of.insert(at, label),
                Some(None) => labelled.unknown += 1,
                None => {}
            }
        }
        if lines.is_empty() {
            return Ok(labelled);
        }
        let by_id = rows.by_id();
        for LabelLine { file, id, label } in lines {
            match by_id.get(&(file.as_str(), id.as_str())).map(Vec::as_slice) {
                Some([row]) => _ = labelled.of.insert(*row, *label),
                Some(_) | None => labelled.unmatched += 1,
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
