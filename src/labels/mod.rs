//! What people say the truth is: labels in recordings, and labels kept beside them.

mod check;
mod line;
mod of_run;
mod read;
mod store;

pub use check::{
    Against, Age, Checked, Complaint, Fault, can_have, check_labels, labels_for, labels_of_entry,
};
pub use line::{LabelLine, plain_id};
use of_run::Meant;
pub use of_run::{Labelled, Recorded};
pub use read::{LabelFile, PlacedLabel, read_label_file, read_labels, read_whole_labels};
pub use store::{
    Added, Contradiction, add_labels, can_be_added_to, replace_labels, take_labels_back,
};

use crate::store::{NamedVerdict, ReportError};
use crate::verdict::{Answer, Conclusion};

named! {
    /// What a person says of an exchange.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Label {
        /// The tool did what it was asked to do.
        Ok = "ok",
        /// The tool works and refused.
        BusinessLogic = "business_logic",
        ToolFailure = "tool_failure",
        /// The tool failed and claims success.
        HiddenFailure = "hidden_failure",
    }
}

impl Label {
    /// The label that a verdict comes to; `None` for an error of which nothing was asked.
    pub fn of(verdict: &NamedVerdict) -> Option<Self> {
        Self::answered(verdict.judgement().answer, verdict.is_error == Some(true))
    }

    /// The label that an answer comes to; `None` for an error of which nothing was asked.
    pub fn answered(answer: Answer, is_error: bool) -> Option<Self> {
        match answer {
            Answer::BusinessLogic => Some(Self::BusinessLogic),
            Answer::ToolFailure => Some(Self::ToolFailure),
            Answer::HiddenFailure | Answer::HiddenRefusal => Some(Self::HiddenFailure),
            Answer::NotAsked | Answer::Fine => (!is_error).then_some(Self::Ok),
        }
    }

    pub fn concluded(conclusion: &Conclusion) -> Self {
        match (conclusion.judgement.answer.hidden_failure(), conclusion.business_logic()) {
            (Some(true), _) => Self::HiddenFailure,
            (_, Some(true)) => Self::BusinessLogic,
            (_, Some(false)) => Self::ToolFailure,
            (_, None) => Self::Ok,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum LabelError {
    #[error("cannot read the labels {path}: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("{path}:{line}: {reason}")]
    Line {
        path: String,
        /// The line, from 1.
        line: u64,
        reason: String,
    },
    #[error("cannot write the labels {path}: {source}")]
    Unwritable { path: String, source: std::io::Error },
    #[error("{path} is a table, and labels are written as lines of JSON")]
    IsTable { path: String },
    /// The run has no such columns.
    #[error(transparent)]
    Table(#[from] ReportError),
}
