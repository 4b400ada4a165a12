//! The words of `--fail-on`: how bad a finding, or which change, ends a command with 1.

use crate::verdict::Severity;

/// How bad a finding has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum FailOn {
    /// Findings never change the exit code
    Never,
    /// Lines and files that could not be read
    Unreadable,
    /// Errors, calls that failed or are invalid, and all of `unreadable`
    Error,
    /// Warnings, and all of `error`
    Warning,
    /// Any finding
    Info,
}

impl FailOn {
    pub(super) fn counts_unreadable(self) -> bool {
        self != Self::Never
    }

    pub(super) fn is_met_by(self, severity: Severity) -> bool {
        match self {
            Self::Never | Self::Unreadable => false,
            Self::Error => severity == Severity::Error,
            Self::Warning => severity != Severity::Info,
            Self::Info => true,
        }
    }
}

/// Which changes between two runs, or between nights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum FailOnChange {
    /// Changes never change the exit code
    Never,
    /// Changes for the worse
    Worse,
    /// Any change
    Any,
}
