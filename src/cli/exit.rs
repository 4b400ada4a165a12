//! The exit codes, in one table.

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
