//! Changes of a rulebook.

use super::reply::Asked;
use crate::labels::Label;
use std::fmt;

/// A change of a rulebook.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Phrases get a list, a signal and a weight.
    Phrases {
        /// The name of list, signal and factor.
        name: String,
        label: Label,
        /// The phrases, each as words.
        entries: Vec<String>,
        /// What one of them weighs; for hidden failures nothing does.
        weight: f64,
    },
    /// A factor weighs something else.
    Weight {
        factor: String,
        from: f64,
        to: f64,
    },
    /// A decision line holds the score against another threshold.
    Threshold {
        line: String,
        from: f64,
        to: f64,
    },
    NoLine {
        line: String,
    },
    /// The score is divided by a fixed number, so that weights can change.
    Denominator {
        to: f64,
    },
    /// A pattern that is there becomes another.
    Variant {
        variation: Variation,
        /// To which question it changes answers.
        asked: Asked,
    },
}

/// A variant of a pattern, or of what it makes true.
#[derive(Clone, Debug, PartialEq)]
pub enum Variation {
    Without {
        list: String,
        entry: String,
    },
    /// An entry that counts as a word only.
    Word {
        list: String,
        entry: String,
        /// The list of words that it moves to: signals that look for the one look for both from then on.
        to: String,
    },
    /// A signal that does not hold beside something else.
    Veto {
        signal: String,
        /// What it does not hold beside.
        by: Veto,
    },
}

/// What a signal does not hold beside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Veto {
    /// Another signal.
    Signal(String),
    /// A phrase in the text, as words.
    Phrase(String),
}

impl Change {
    /// To which question it changes answers.
    pub fn asked(&self) -> Asked {
        match self {
            Self::Phrases { label, .. } => Asked::about(*label),
            Self::Variant { asked, .. } => *asked,
            Self::Weight { .. }
            | Self::Threshold { .. }
            | Self::NoLine { .. }
            | Self::Denominator { .. } => Asked::Failed,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Phrases { name, label, entries, weight } => {
                let count = entries.len();
                let s = if count == 1 { "" } else { "s" };
                match label {
                    Label::HiddenFailure => {
                        write!(f, "{count} phrase{s} of hidden failures: list and signal `{name}`")
                    }
                    Label::Ok | Label::BusinessLogic | Label::ToolFailure => {
                        let of = match label {
                            Label::BusinessLogic => "refusals",
                            Label::Ok | Label::ToolFailure | Label::HiddenFailure => "failures",
                        };
                        write!(
                            f,
                            "{count} phrase{s} of {of}: list, signal and factor `{name}`, weight {weight}"
                        )
                    }
                }
            }
            Self::Weight { factor, from, to } if weighs_nothing(*to) => {
                write!(f, "factor `{factor}` is removed: its weight would be 0 instead of {from}")
            }
            Self::Weight { factor, from, to } => {
                write!(f, "factor `{factor}` has weight {to} instead of {from}")
            }
            Self::Threshold { line, from, to } => {
                write!(f, "decision line `{line}` has threshold {to} instead of {from}")
            }
            Self::NoLine { line } => write!(f, "decision line `{line}` is removed"),
            Self::Variant { variation, .. } => variation.fmt(f),
            Self::Denominator { to } => {
                write!(f, "the score is still divided by {to}")
            }
        }
    }
}

/// Whether a factor of such a weight never changes a score.
pub(super) fn weighs_nothing(weight: f64) -> bool {
    weight.abs() < f64::EPSILON
}

impl fmt::Display for Variation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Without { list, entry } => {
                write!(f, "\"{entry}\" is removed from list `{list}`")
            }
            Self::Word { list, entry, to } => {
                write!(f, "\"{entry}\" of list `{list}` matches whole words only: list `{to}`")
            }
            Self::Veto { signal, by: Veto::Signal(other) } => {
                write!(f, "signal `{signal}` is off where `{other}` is on")
            }
            Self::Veto { signal, by: Veto::Phrase(phrase) } => {
                write!(f, "signal `{signal}` is off where the text has \"{phrase}\"")
            }
        }
    }
}
