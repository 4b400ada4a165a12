//! What people say the truth is: labels in recordings, and labels kept beside them.

mod check;
mod line;
mod of_run;
mod read;
mod store;

pub use check::{
    Against, Age, Checked, Complaint, Fault, check_labels, class_of, labels_for, labels_of_entry,
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
    /// What a person says became of a call.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Label {
        /// The tool did what it was asked to do.
        Worked = "worked",
        /// The tool works and refused.
        Refused = "refused",
        Failed = "failed",
        /// One of the last two, without `isError`: the word of older files, which do not say which.
        Hidden = "hidden_failure",
    }
}

/// A label as it is written: what became of the call, and whether the reply is flagged as an error, where that is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Said {
    pub label: Label,
    pub flagged: Option<bool>,
}

named! {
    /// What is true of a call, and whether its reply is flagged as an error: what a label and a verdict come to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Class {
        Worked = "worked",
        Refused = "refused",
        Failed = "failed",
        /// Refused without `isError`.
        HiddenRefusal = "hidden_refusal",
        /// Failed without `isError`.
        HiddenFailure = "hidden_failure",
        /// One of the last two; nobody says which.
        Hidden = "hidden",
    }
}

impl Label {
    /// The words that are asked for.
    pub const ASKED: [Self; 3] = [Self::Worked, Self::Refused, Self::Failed];
}

impl Said {
    /// Of a word, which may be one of older files.
    pub fn of_word(word: &str) -> Option<Self> {
        let (label, flagged) = match word {
            "ok" => (Label::Worked, None),
            "business_logic" => (Label::Refused, Some(true)),
            "tool_failure" => (Label::Failed, Some(true)),
            word => match Label::of_name(word)? {
                Label::Hidden => (Label::Hidden, Some(false)),
                label => (label, None),
            },
        };
        Some(Self { label, flagged })
    }

    /// Of a call whose reply is flagged as an error, or not.
    pub fn of_call(label: Label, is_error: bool) -> Self {
        Self { label, flagged: (label != Label::Worked).then_some(is_error) }
    }

    /// What both say, where they do not contradict each other: the one that says more.
    pub fn with(self, other: Self) -> Option<Self> {
        let [more, less] = if self.label < other.label { [self, other] } else { [other, self] };
        let is_same =
            more.label == less.label || less.label == Label::Hidden && more.label != Label::Worked;
        let flags = self.flagged.is_none_or(|it| other.flagged.is_none_or(|other| it == other));
        let flagged = self.flagged.or(other.flagged);
        (is_same && flags).then_some(Self { label: more.label, flagged })
    }

    /// What it comes to of a call whose reply is flagged, or not; `None` where that cannot be. A reply without the
    /// flag may hold a result that has it.
    pub fn class(self, is_error: bool) -> Option<Class> {
        if self.flagged == Some(true) && !is_error {
            return None;
        }
        match (self.label, is_error) {
            (Label::Worked, false) => Some(Class::Worked),
            (Label::Refused, true) => Some(Class::Refused),
            (Label::Failed, true) => Some(Class::Failed),
            (Label::Refused, false) => Some(Class::HiddenRefusal),
            (Label::Failed, false) => Some(Class::HiddenFailure),
            (Label::Hidden, false) => Some(Class::Hidden),
            (Label::Worked | Label::Hidden, true) => None,
        }
    }
}

impl Class {
    /// The classes that tables have columns of; refusals and failures without `isError` are one there.
    pub const LISTED: [Self; 4] = [Self::Worked, Self::Refused, Self::Failed, Self::Hidden];

    /// The listed class that it belongs to.
    #[must_use]
    pub fn listed(self) -> Self {
        match self {
            Self::HiddenRefusal | Self::HiddenFailure => Self::Hidden,
            listed => listed,
        }
    }

    /// The classes that it stands for: its own, and of a listed one those that belong to it.
    pub fn members(self) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |class| self.is_met_by(Some(*class)))
    }

    /// What the columns of a listed class begin with.
    pub fn column(self) -> &'static str {
        match self {
            Self::Worked => "ok",
            Self::Refused => "business_logic",
            Self::Failed => "tool_failure",
            Self::HiddenRefusal | Self::HiddenFailure | Self::Hidden => "hidden_failure",
        }
    }

    /// The name as people read it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Worked => "worked",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::HiddenRefusal => "hidden refusal",
            Self::HiddenFailure => "hidden failure",
            Self::Hidden => "hidden (either)",
        }
    }

    /// What became of the call.
    pub fn label(self) -> Label {
        match self {
            Self::Worked => Label::Worked,
            Self::Refused | Self::HiddenRefusal => Label::Refused,
            Self::Failed | Self::HiddenFailure => Label::Failed,
            Self::Hidden => Label::Hidden,
        }
    }

    /// Whether the reply is flagged as an error.
    pub fn is_flagged(self) -> bool {
        matches!(self, Self::Refused | Self::Failed)
    }

    /// Whether this answer is right where it is true.
    pub fn is_met_by(self, answer: Option<Self>) -> bool {
        answer.is_some_and(|answer| answer == self || answer.listed() == self)
    }

    /// The class that a verdict comes to; `None` for an error of which nothing was asked.
    pub fn of(verdict: &NamedVerdict) -> Option<Self> {
        Self::answered(verdict.judgement().answer, verdict.is_error == Some(true))
    }

    /// The class that an answer comes to; `None` for an error of which nothing was asked.
    pub fn answered(answer: Answer, is_error: bool) -> Option<Self> {
        match answer {
            Answer::BusinessLogic => Some(Self::Refused),
            Answer::ToolFailure => Some(Self::Failed),
            Answer::HiddenFailure => Some(Self::HiddenFailure),
            Answer::HiddenRefusal => Some(Self::HiddenRefusal),
            Answer::NotAsked | Answer::Fine => (!is_error).then_some(Self::Worked),
        }
    }

    pub fn concluded(conclusion: &Conclusion) -> Self {
        match (conclusion.judgement.answer.hidden_failure(), conclusion.business_logic()) {
            (Some(true), Some(true)) => Self::HiddenRefusal,
            (Some(true), _) => Self::HiddenFailure,
            (_, Some(true)) => Self::Refused,
            (_, Some(false)) => Self::Failed,
            (_, None) => Self::Worked,
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
