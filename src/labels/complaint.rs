//! What there is to complain about in a file of labels.

/// Whether a complaint has to be mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gravity {
    /// Labels that are wrong, or that contradict something.
    Error,
    /// Labels that may be right and are not as good as they could be.
    Warning,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The line is no label.
    Wrong,
    Conflict,
    /// Several exchanges are meant.
    Ambiguous,
    /// A label of errors on a reply that is none, or the reverse.
    Kind,
    /// No exchange is meant.
    Unmatched,
    /// No exchange is meant by any of them.
    Foreign,
    /// The recording says something else.
    Recording,
    Duplicate,
    /// The time is none, or yet to come.
    Time,
    Old,
}

impl Fault {
    pub const ALL: [Self; 10] = [
        Self::Wrong,
        Self::Conflict,
        Self::Ambiguous,
        Self::Kind,
        Self::Unmatched,
        Self::Foreign,
        Self::Recording,
        Self::Duplicate,
        Self::Time,
        Self::Old,
    ];

    pub fn name(self) -> &'static str {
        self.row().0
    }

    pub fn gravity(self) -> Gravity {
        self.row().1
    }

    pub fn about(self) -> &'static str {
        self.row().2
    }

    fn row(self) -> (&'static str, Gravity, &'static str) {
        use Gravity::{Error, Warning};
        match self {
            Self::Wrong => ("wrong", Error, "the line is not a label, or its label is unknown"),
            Self::Conflict => (
                "conflict",
                Error,
                "two lines give different labels to one call, or to equal calls",
            ),
            Self::Ambiguous => (
                "ambiguous",
                Error,
                "several calls have the name, or key and place name different calls",
            ),
            Self::Kind => {
                ("kind", Error, "an error label on a reply without an error, or the reverse")
            }
            Self::Foreign => {
                ("foreign", Error, "no label of the file belongs to a call of the recordings")
            }
            Self::Unmatched => ("unmatched", Warning, "no call has the name"),
            Self::Recording => ("recording", Warning, "the recording itself has another label"),
            Self::Duplicate => ("duplicate", Warning, "an earlier line has the same label"),
            Self::Time => ("time", Warning, "`when` is not a time, or is in the future"),
            Self::Old => {
                ("old", Warning, "the label is older than `old_labels` days (tapecheck.toml)")
            }
        }
    }
}

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
