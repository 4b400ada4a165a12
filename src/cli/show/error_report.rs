//! The error report of a session, by the session's name or the report's, and the validation report of a call.

use crate::cli::explain::validation_report;
use crate::cli::terminal::print;
use crate::cli::{Exit, Failure};
use crate::compare::read_any_manifest;
use crate::store::{NoReport, SESSIONS, error_report, is_run};
use std::path::Path;

pub(super) fn show(run: &Path, name: &str) -> Result<Exit, Failure> {
    if is_run(run) {
        read_any_manifest(run)?;
    }
    let text = match error_report(run, name) {
        Err(NoReport::Unknown(_)) if is_call(name) => validation_report(name, run)?,
        found => found.map_err(|error| failed(run, &error))?,
    };
    print(&text)?;
    Ok(Exit::Clean)
}

/// A key, or the line of a recording.
fn is_call(name: &str) -> bool {
    let is_key =
        name.len() >= 4 && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'#');
    let is_line = |line: &str| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    is_key || name.rsplit_once(':').is_some_and(|(_, line)| is_line(line))
}

fn failed(run: &Path, error: &NoReport) -> Failure {
    let failure = Failure::usage(error);
    match error {
        NoReport::NoRun(_) => {
            failure.next("name the run's folder: tapecheck show RUN --report SESSION")
        }
        NoReport::Unknown(_) => failure.next(format!(
            "{} lists all sessions; those without errors have no report",
            run.join(SESSIONS).display()
        )),
        NoReport::Several { .. } => failure.next("name one of these files instead of the session"),
        NoReport::Unreadable(_) | NoReport::Table(_) => {
            Failure::unfinished(error).next("classify the recordings again with tapecheck run")
        }
    }
}
