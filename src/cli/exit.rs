//! The exit codes, in one table, and which findings lead to them.

use crate::verdict::Severity;
use std::process::ExitCode;

/// How a command ended; the worse, the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Everything was done and nothing was found.
    Clean,
    /// Everything was done and something was found, as `--fail-on` or a check asks.
    Findings,
    /// The command line, a rulebook or another setting is wrong; nothing ran.
    Usage,
    /// The work was begun and could not be finished.
    Unfinished,
    /// A signal ended it.
    Interrupted,
}

impl Exit {
    pub const TABLE: [(Self, &'static str); 5] = [
        (Self::Clean, "success, no findings"),
        (Self::Findings, "findings at or above --fail-on, or a failed check"),
        (Self::Usage, "wrong command line, rulebook or setting; nothing ran"),
        (Self::Unfinished, "could not finish, or nothing to judge or compare"),
        (Self::Interrupted, "interrupted (Ctrl-C)"),
    ];

    pub fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Usage => 2,
            Self::Unfinished => 3,
            Self::Interrupted => 130,
        }
    }

    /// The table as `--help` shows it.
    pub fn help() -> String {
        let lines =
            Self::TABLE.iter().map(|(exit, about)| format!("  {:<3}  {about}", exit.code()));
        std::iter::once("Exit codes:".to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

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
