//! `tapecheck error-report`: the text of a session's errors, by its name.

use super::terminal::{harmless, print};
use super::{Exit, Failure, cannot_print};
use crate::store::{NoReport, SESSIONS, error_report};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The report's name, as `errorReport` gives it: `error_SESSION_TIME.txt`
    name: String,
    /// The run to look in
    #[arg(long, value_name = "FOLDER", default_value = "reports/latest")]
    run: PathBuf,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let text = error_report(&self.run, &self.name).map_err(|error| self.failed(&error))?;
        print(&text).map_err(|error| cannot_print(&error))?;
        Ok(Exit::Clean)
    }

    fn failed(&self, error: &NoReport) -> Failure {
        let failure = Failure::usage(harmless(&error.to_string()));
        let sessions = self.run.join(SESSIONS);
        let names = format!("{} names them, as report.errorReport.filename", sessions.display());
        match error {
            NoReport::NoName(_) => failure.next(format!(
                "a name is like error_SESSION_TIME.txt, without a folder; {names}"
            )),
            NoReport::NoRun(_) => failure.next("name the run's folder with --run"),
            NoReport::Unknown => failure.next(names),
            NoReport::Unwritten { file, session } => failure.next(format!(
                "its issues are the rows of issues.parquet whose file is {} and whose session is {}",
                harmless(file),
                harmless(session)
            )),
            NoReport::Unreadable(_) => Failure::unfinished(harmless(&error.to_string()))
                .next("judge the corpus again with tapecheck run"),
        }
    }
}
