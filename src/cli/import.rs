//! `tapecheck import`: what programs recorded, as recordings of the wire.

use super::command_line::CommandLine;
use super::config::config;
use super::inputs::inputs;
use super::redacting::redactor;
use super::terminal::{counted, print, say};
use super::{Exit, Failure, here::HereArgs};
use crate::corpus::CorpusReader;
use crate::recording::{Day, Moment};
use crate::redact::Redactor;
use crate::run::{ImportPlan, Imported, import};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files and folders that programs wrote
    #[arg(required_unless_present = "here", value_name = "RECORDINGS")]
    sources: Vec<PathBuf>,
    #[command(flatten)]
    here: HereArgs,
    /// Where to write one recording per session; equal sessions replace each other
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Only calls from this day on
    #[arg(long, value_name = "YYYY-MM-DD")]
    since: Option<Day>,
    /// Only calls of this server; repeatable
    #[arg(long, value_name = "NAME")]
    server: Vec<String>,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let mut bounds = config().bounds;
        let mut sources = self.sources.clone();
        sources.extend(self.here.places(&mut bounds)?);
        let reader = CorpusReader::new(&inputs(&sources), bounds)?;
        let redactor = redactor()?;
        let plan = ImportPlan {
            out: &self.out,
            redactor: &redactor,
            since: self.since.and_then(|day| Moment::parse(&format!("{day}T00:00:00Z"))),
            servers: &self.server,
        };
        let written = import(reader, &plan).map_err(|error| {
            Failure::unfinished(format!("cannot write {}: {error}", self.out.display()))
                .next("make room, or choose another folder with --out")
        })?;
        let found = written?;
        for (format, files) in &found.files {
            say(&format!("{format}: {}", counted(*files, "file")));
        }
        if found.already > 0 {
            let already = counted(found.already, "recording");
            say(&format!("{already} left out: `tapecheck run` reads them as they are"));
        }
        if found.unreadable > 0 {
            say(&format!(
                "{} could not be read: `tapecheck run` names them",
                counted(found.unreadable, "line")
            ));
        }
        if found.calls == 0 {
            say("no calls of MCP tools were found; nothing was written");
            return Ok(Exit::Unfinished);
        }
        print(&self.summary(&found, &redactor))?;
        Ok(Exit::Clean)
    }

    fn summary(&self, found: &Imported, redactor: &Redactor) -> String {
        let masked = if redactor.rules().is_empty() { "unmasked" } else { "with secrets masked" };
        let next = CommandLine::new("tapecheck run").word(&self.out);
        format!(
            "{} of {} written to {}, {masked}\nnext: {next}\n",
            counted(found.calls, "call"),
            counted(found.sessions, "session"),
            self.out.display(),
        )
    }
}
