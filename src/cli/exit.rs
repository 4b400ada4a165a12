//! How a command ends: the exit codes in one table, which findings lead to them, and what went wrong, where, and what to do next.

use crate::baseline::BaselineError;
use crate::check::ChecksError;
use crate::compare::SideError;
use crate::corpus::CorpusError;
use crate::labels::LabelError;
use crate::page::PageError;
use crate::run::{DriveError, RunError};
use crate::store::{FolderError, ReportError};
use crate::trend::history::HistoryError;
use crate::verdict::Severity;
use std::process::ExitCode;
use std::{fmt, io};

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
    /// The code of each, in their order, and what it means.
    pub const TABLE: [(u8, &'static str); 5] = [
        (0, "success, no findings"),
        (1, "findings at or above --fail-on, or a failed check"),
        (2, "wrong command line, rulebook or setting; nothing ran"),
        (3, "could not finish, or nothing to judge or compare"),
        (130, "interrupted (Ctrl-C)"),
    ];

    pub fn code(self) -> u8 {
        Self::TABLE[self as usize].0
    }

    /// The table as `--help` shows it.
    pub fn help() -> String {
        let lines = Self::TABLE.iter().map(|(code, about)| format!("  {code:<3}  {about}"));
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

impl FailOnChange {
    /// Whether there are such changes, given whether there are any and any for the worse.
    pub(super) fn is_met(self, any: bool, worse: bool) -> bool {
        match self {
            Self::Never => false,
            Self::Worse => worse,
            Self::Any => any,
        }
    }
}

/// An error as a person meets it.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    what: String,
    next: Option<String>,
}

impl Failure {
    /// The command line or a setting is wrong; nothing ran.
    pub fn usage(what: impl fmt::Display) -> Self {
        Self { exit: Exit::Usage, what: what.to_string(), next: None }
    }

    /// The work was begun and could not be finished.
    pub fn unfinished(what: impl fmt::Display) -> Self {
        Self { exit: Exit::Unfinished, what: what.to_string(), next: None }
    }

    /// Adds what to do next.
    pub fn next(mut self, next: impl fmt::Display) -> Self {
        self.next = Some(next.to_string());
        self
    }

    pub fn exit(&self) -> Exit {
        self.exit
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.what)?;
        match &self.next {
            Some(next) => write!(f, "\n  next: {next}"),
            None => Ok(()),
        }
    }
}

impl From<CorpusError> for Failure {
    fn from(error: CorpusError) -> Self {
        Self::usage(error).next("name an existing file or folder, or `-` for standard input")
    }
}

impl From<ChecksError> for Failure {
    fn from(error: ChecksError) -> Self {
        Self::usage(error).next("fix the errors above; nothing was judged")
    }
}

impl From<DriveError> for Failure {
    fn from(error: DriveError) -> Self {
        Self::unfinished(error)
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let next = match error {
            RunError::Corpus(error) => return error.into(),
            RunError::Checks(error) => return error.into(),
            RunError::Folder(FolderError::NotOurs(_) | FolderError::NoName(_)) => {
                return Self::usage(error).next("choose another folder with --out");
            }
            RunError::Unaccounted { .. } | RunError::Lines(_) => "nothing was replaced; run again",
            RunError::Drive(_) => "use fewer threads with -j",
            RunError::Folder(_) | RunError::Report(_) => {
                "nothing was replaced; choose another folder with --out, or make room"
            }
        };
        Self::unfinished(error).next(next)
    }
}

/// Of tables that are written beside a run.
impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        Self::unfinished(&error).next(match error {
            ReportError::Folder(_) => "choose another folder with --out",
            _ => AGAIN,
        })
    }
}

const AGAIN: &str = "classify the recordings again with tapecheck run";

impl From<SideError> for Failure {
    fn from(error: SideError) -> Self {
        match &error {
            SideError::Part { .. } => {
                Self::usage(error).next("put all parts together: tapecheck merge PARTS --out DIR")
            }
            SideError::OtherFormat { command, .. } => {
                Self::unfinished(&error).next(format!("classify the recordings again: {command}"))
            }
            _ => Self::unfinished(error).next(AGAIN),
        }
    }
}

impl From<BaselineError> for Failure {
    fn from(error: BaselineError) -> Self {
        Self::unfinished(&error).next(match error {
            BaselineError::Wrong { .. } => {
                "nothing was overwritten; restore it from version control"
            }
            BaselineError::Unreadable { .. } => "check the path and its permissions",
            BaselineError::Locked(_) => {
                "wait for the other one, then try again; nothing was written"
            }
            BaselineError::Folder(_) => {
                "nothing was changed; allow writing there, or choose another folder with --baseline"
            }
        })
    }
}

impl From<LabelError> for Failure {
    fn from(error: LabelError) -> Self {
        let file = "name a file of labels that you may read and write: \
                    lines of JSON, or a table that ends in .csv";
        let (is_usage, next) = match &error {
            LabelError::Unreadable { source, .. } => {
                (source.kind() == io::ErrorKind::NotFound, file)
            }
            LabelError::Unwritable { .. } => (false, file),
            LabelError::IsTable { .. } => (
                true,
                "name another file with --labels, such as labels.jsonl; tables are only read",
            ),
            LabelError::Line { .. } => {
                (true, "correct the line: {\"file\": RECORDING, \"id\": ID, \"label\": CLASS}")
            }
            LabelError::Table(_) => (false, AGAIN),
        };
        if is_usage { Self::usage(error).next(next) } else { Self::unfinished(error).next(next) }
    }
}

impl From<PageError> for Failure {
    fn from(error: PageError) -> Self {
        let next = match error {
            PageError::NamedVerdict(error) => return error.into(),
            PageError::Unwritable { .. } => "name another file: --format html=FILE",
            PageError::Unreadable { .. } | PageError::Table(_) | PageError::Labels(_) => AGAIN,
        };
        Self::unfinished(error).next(next)
    }
}

impl From<HistoryError> for Failure {
    fn from(error: HistoryError) -> Self {
        let next = match error {
            HistoryError::Run(run @ (SideError::Missing(_) | SideError::NoRun(_))) => {
                return Self::usage(run).next("name the folder of a finished run");
            }
            HistoryError::Run(run) => return run.into(),
            HistoryError::Folder(_)
            | HistoryError::Kept { .. }
            | HistoryError::Unreadable { .. } => {
                return Self::unfinished(error)
                    .next("nothing was changed; see that you may read and write there");
            }
            HistoryError::NoNight(_) => "name the night with --night YYYY-MM-DD",
            HistoryError::NoCollection(_) => "name what it is a run of: --config collection=NAME",
            HistoryError::NoSuchRun { .. } => {
                "nothing was removed; tapecheck trend HISTORY --list lists the runs"
            }
            HistoryError::Missing(_) | HistoryError::NoStore(_) => {
                "name the folder of a history; a new or empty one starts with \
                 tapecheck run RECORDINGS --history DIR"
            }
        };
        Self::usage(error).next(next)
    }
}
