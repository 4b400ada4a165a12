//! The error report of a session, by the session's name or the report's.

use crate::cli::terminal::{harmless, print};
use crate::cli::{Exit, Failure, cannot_print};
use crate::store::{NoReport, SESSIONS, error_report};
use std::path::Path;

pub(super) fn show(run: &Path, name: &str) -> Result<Exit, Failure> {
    let text = error_report(run, name).map_err(|error| failed(run, &error))?;
    print(&text).map_err(|error| cannot_print(&error))?;
    Ok(Exit::Clean)
}

fn failed(run: &Path, error: &NoReport) -> Failure {
    let failure = Failure::usage(harmless(&error.to_string()));
    match error {
        NoReport::NoRun(_) => {
            failure.next("name the run's folder: tapecheck show RUN --report SESSION")
        }
        NoReport::Unknown(_) => failure.next(format!(
            "{} lists all sessions; those without errors have no report",
            run.join(SESSIONS).display()
        )),
        NoReport::Several { .. } => failure.next("name one of these files instead of the session"),
        NoReport::Unwritten { file, session } => failure.next(format!(
            "its issues are the rows of issues.parquet whose file is {} and whose session is {}",
            harmless(file),
            harmless(session)
        )),
        NoReport::Unreadable(_) => Failure::unfinished(harmless(&error.to_string()))
            .next("classify the recordings again with tapecheck run"),
    }
}
