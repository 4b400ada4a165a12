//! `tapecheck import`: what programs recorded, as recordings of the wire.

use super::command_line::CommandLine;
use super::config::config;
use super::inputs::{inputs, redactor};
use super::terminal::{counted, print, say};
use super::{Exit, Failure};
use crate::corpus::{Bounds, CorpusReader};
use crate::recording::{Day, Moment};
use crate::run::{ImportPlan, import};
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
        for (count, what, words) in [
            (found.already, "recording", "left out: `tapecheck run` reads them as they are"),
            (found.unreadable, "line", "could not be read: `tapecheck run` names them"),
        ] {
            if count > 0 {
                say(&format!("{} {words}", counted(count, what)));
            }
        }
        if found.calls == 0 {
            say("no calls of MCP tools were found; nothing was written");
            return Ok(Exit::Unfinished);
        }
        let masked = if redactor.rules().is_empty() { "unmasked" } else { "with secrets masked" };
        let (calls, sessions) = (counted(found.calls, "call"), counted(found.sessions, "session"));
        let next = CommandLine::new("tapecheck run").word(&self.out);
        let out = self.out.display();
        print(&format!("{calls} of {sessions} written to {out}, {masked}\nnext: {next}\n"))
    }
}

/// Where programs keep their settings on Linux, macOS and Windows, below the home folder.
const SETTINGS: [&str; 3] = [".config", "Library/Application Support", "AppData/Roaming"];

/// Programs, the endings of their files, and their folders: below the home folder, with `*` below each of the settings.
/// Nothing else is ever looked at. `docs/formats.md` lists the same.
const PLACES: [(&str, &[&str], &[&str]); 8] = [
    ("Claude Code", &[".jsonl"], &[".claude/projects"]),
    ("Codex", &[".jsonl", ".jsonl.zst"], &[".codex/sessions", ".codex/archived_sessions"]),
    (
        "Claude Desktop",
        &[".log"],
        &["Library/Logs/Claude", ".config/Claude/logs", "AppData/Roaming/Claude/logs"],
    ),
    ("Copilot CLI", &["events.jsonl"], &[".copilot/session-state"]),
    ("Gemini CLI", &[".json", ".jsonl"], &[".gemini/tmp"]),
    (
        "Cline and Roo Code",
        &["ui_messages.json"],
        &[
            "*/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
            "*/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
        ],
    ),
    ("Continue", &[".json"], &[".continue/sessions"]),
    (
        "goose",
        &[".jsonl"],
        &[".local/share/goose/sessions", "AppData/Roaming/Block/goose/data/sessions"],
    ),
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
    for (program, endings, folders) in &PLACES {
        let below = |folder: &&str| match folder.strip_prefix("*/") {
            Some(rest) => SETTINGS.map(|settings| home.join(settings).join(rest)).to_vec(),
            None => vec![home.join(folder)],
        };
        for folder in folders.iter().flat_map(below).filter(|folder| folder.is_dir()) {
            let files = count(&folder, endings);
            say(&format!("{program}: {} in {}", counted(files, "file"), folder.display()));
            if files > 0 {
                found.push(folder);
            }
        }
    }
    if found.is_empty() {
        let names = PLACES.map(|(program, ..)| program).join(", ");
        return Err(Failure::unfinished(format!("found nothing recorded by {names}"))
            .next("name files or folders instead: tapecheck run RECORDINGS"));
    }
    let is_asked = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if yes || is_asked && is_agreed() {
        return Ok(found);
    }
    let what = if is_asked { "nothing was read" } else { "--here has no terminal to ask on" };
    Err(Failure::usage(what).next("answer y to read the places named above, or add --yes"))
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
