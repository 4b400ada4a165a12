//! `tapecheck label`: saying what the truth is.

pub(super) use check::complaints;

mod add;
mod check;
mod how;
mod next;
mod sheet;
#[cfg(test)]
mod sheet_tests;

use super::config::config;
use super::{Exit, Failure};
use crate::labels::LabelError;
use std::io::ErrorKind;
use std::path::PathBuf;

/// Where labels go: into the file that is named, else the first of the configuration, else labels.jsonl.
fn target(named: Option<&PathBuf>) -> PathBuf {
    let named = named.or(config().labels.first());
    named.cloned().unwrap_or_else(|| PathBuf::from("labels.jsonl"))
}

/// What is done with labels.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Label one call.
    Add(add::Args),
    /// Check labels for errors, conflicts and gaps.
    Check(check::Args),
    /// Label the most informative calls.
    Next(next::Args),
}

impl Verb {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self {
            Self::Add(args) => args.run(),
            Self::Check(args) => args.run(),
            Self::Next(args) => args.run(),
        }
    }
}

fn failed(error: &LabelError) -> Failure {
    match error {
        LabelError::Unreadable { source, .. } if source.kind() == ErrorKind::NotFound => {
            Failure::usage(error)
                .next("name a file of labels: lines of JSON, or a table that ends in .csv")
        }
        LabelError::Unreadable { .. } => Failure::unfinished(error)
            .next("see that it is a file and that you may read it, then run again"),
        LabelError::Unwritable { .. } => Failure::unfinished(error)
            .next("see that its folder is there and that you may write to it, then run again"),
        LabelError::IsTable { .. } => Failure::usage(error)
            .next("name another file with --labels, such as labels.jsonl; tables are only read"),
        LabelError::Line { .. } => Failure::usage(error).next(
            "name a file of labels, or correct the line; tapecheck label check lists all of them",
        ),
        LabelError::Table(_) => {
            Failure::unfinished(error).next("classify the recordings again with tapecheck run")
        }
    }
}
