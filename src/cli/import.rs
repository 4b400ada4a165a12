//! `tapecheck import`: what programs recorded, as recordings of the wire.

use super::command_line::CommandLine;
use super::config::config;
use super::inputs::{inputs, redactor};
use super::terminal::{counted, print, say};
use super::{Exit, Failure};
use crate::corpus::{Bounds, CorpusReader};
use crate::recording::{Day, Moment};
use crate::redact::Redactor;
use crate::run::{ImportPlan, Imported, import};
use std::io::{BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};

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
        print(&self.summary(&found, &redactor))
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

/// A program and the folders it writes to, below the home folder.
struct Place {
    program: &'static str,
    folders: &'static [&'static str],
    endings: &'static [&'static str],
}

/// All that is ever looked at. `docs/formats.md` lists the same.
const PLACES: [Place; 8] = [
    Place { program: "Claude Code", folders: &[".claude/projects"], endings: &[".jsonl"] },
    Place {
        program: "Codex",
        folders: &[".codex/sessions", ".codex/archived_sessions"],
        endings: &[".jsonl", ".jsonl.zst"],
    },
    Place {
        program: "Claude Desktop",
        folders: &["Library/Logs/Claude", ".config/Claude/logs", "AppData/Roaming/Claude/logs"],
        endings: &[".log"],
    },
    Place {
        program: "Copilot CLI",
        folders: &[".copilot/session-state"],
        endings: &["events.jsonl"],
    },
    Place { program: "Gemini CLI", folders: &[".gemini/tmp"], endings: &[".json", ".jsonl"] },
    Place {
        program: "Cline and Roo Code",
        folders: &[
            ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
            ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
            "Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
            "Library/Application Support/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
            "AppData/Roaming/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
            "AppData/Roaming/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
        ],
        endings: &["ui_messages.json"],
    },
    Place { program: "Continue", folders: &[".continue/sessions"], endings: &[".json"] },
    Place {
        program: "goose",
        folders: &[".local/share/goose/sessions", "AppData/Roaming/Block/goose/data/sessions"],
        endings: &[".jsonl"],
    },
];

#[derive(Debug, clap::Args)]
pub(super) struct HereArgs {
    /// Read what the programs of this user recorded, in the places where they keep it; asks first
    #[arg(long)]
    pub(super) here: bool,
    /// Read these places without asking
    #[arg(long, requires = "here")]
    yes: bool,
}

impl HereArgs {
    /// The places to read; empty where they were not asked for. Links in them are not followed.
    pub(super) fn places(&self, bounds: &mut Bounds) -> Result<Vec<PathBuf>, Failure> {
        bounds.follow_links &= !self.here;
        if self.here { places(self.yes) } else { Ok(Vec::new()) }
    }
}

/// The known places of this user that are there, after saying what they hold and asking.
fn places(yes: bool) -> Result<Vec<PathBuf>, Failure> {
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    let home = home.ok_or_else(|| Failure::usage("--here: this user has no home folder"))?;
    let mut found = Vec::new();
    for place in &PLACES {
        for folder in
            place.folders.iter().map(|folder| home.join(folder)).filter(|folder| folder.is_dir())
        {
            let files = count(&folder, place.endings);
            say(&format!("{}: {} in {}", place.program, counted(files, "file"), folder.display()));
            if files > 0 {
                found.push(folder);
            }
        }
    }
    if found.is_empty() {
        let names: Vec<&str> = PLACES.iter().map(|place| place.program).collect();
        return Err(Failure::unfinished(format!("found nothing recorded by {}", names.join(", ")))
            .next("name files or folders instead: tapecheck run RECORDINGS"));
    }
    let is_asked = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    match (yes, is_asked) {
        (true, _) => Ok(found),
        (false, true) if is_agreed() => Ok(found),
        (false, true) => Err(Failure::usage("nothing was read").next("answer y to read them")),
        (false, false) => Err(Failure::usage("--here has no terminal to ask on")
            .next("add --yes to read the places named above")),
    }
}

fn is_agreed() -> bool {
    say("Read them? They are only read, and nothing leaves this machine. [y/N]");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

fn count(folder: &Path, endings: &[&str]) -> u64 {
    let files = walkdir::WalkDir::new(folder).into_iter().filter_map(Result::ok);
    let is_one = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.file_type().is_file() && endings.iter().any(|ending| name.ends_with(ending))
    };
    files.filter(is_one).count() as u64
}
