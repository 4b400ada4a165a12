//! What there is to complain about in a file of labels.

use crate::verdict::Severity;

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Fault {
        Wrong = "wrong",
        Conflict = "conflict",
        Ambiguous = "ambiguous",
        Kind = "kind",
        Unmatched = "unmatched",
        Foreign = "foreign",
        Recording = "recording",
        Duplicate = "duplicate",
        Time = "time",
        Old = "old",
    }
}

impl Fault {
    /// Whether it has to be mended.
    pub fn severity(self) -> Severity {
        match self {
            Self::Wrong | Self::Conflict | Self::Ambiguous | Self::Kind | Self::Foreign => {
                Severity::Error
            }
            Self::Unmatched | Self::Recording | Self::Duplicate | Self::Time | Self::Old => {
                Severity::Warning
            }
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            Self::Wrong => "the line is not a label, or its label is unknown",
            Self::Conflict => "two lines give different labels to one call, or to equal calls",
            Self::Ambiguous => "several calls have the name, or key and place name different calls",
            Self::Kind => "an error label on a reply without an error, or the reverse",
            Self::Unmatched => "no call has the name",
            Self::Foreign => "no label of the file belongs to a call of the recordings",
            Self::Recording => "the recording itself has another label",
            Self::Duplicate => "an earlier line has the same label",
            Self::Time => "`when` is not a time, or is in the future",
            Self::Old => "the label is older than `old_labels` days (tapecheck.toml)",
        }
    }
}

/// A complaint about a file of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    pub fault: Fault,
    /// The line; `None` where the whole file is meant.
    pub line: Option<u64>,
    pub what: String,
    pub next: String,
}

impl Complaint {
    pub(super) fn new(
        fault: Fault,
        line: impl Into<Option<u64>>,
        what: String,
        next: impl Into<String>,
    ) -> Self {
        Self { fault, line: line.into(), what, next: next.into() }
    }
}
