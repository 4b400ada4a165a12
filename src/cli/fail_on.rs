//! How bad a finding must be to change the exit code: what commands share that look for advice.

use crate::verdict::Severity;

/// The least severity of findings that change the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum FailOn {
    /// Findings never change the exit code
    Never,
    /// Errors
    Error,
    /// Warnings and errors
    Warning,
    /// Any finding
    Info,
}

impl FailOn {
    /// Whether a finding of this severity changes the exit code.
    pub(super) fn is_met_by(self, severity: Severity) -> bool {
        match self {
            Self::Never => false,
            Self::Error => severity <= Severity::Error,
            Self::Warning => severity <= Severity::Warning,
            Self::Info => severity <= Severity::Info,
        }
    }
}
