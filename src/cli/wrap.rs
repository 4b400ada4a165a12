//! `tapecheck record wrap` and `unwrap`: the recorder in the settings of clients, and out of them again. Only the words of
//! commands change; everything else in a file stays as it was written, comments too.

use super::inputs::{masked, redactor};
use super::terminal::{print, say};
use super::{Exit, Failure};
use crate::json::{Kind, Raw, RawStr, scan_document, start_in};
use crate::recording::Moment;
use crate::rulebook::source::read_within;
use crate::store::write_whole;
use regex::{Captures, Regex};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::iter;
use std::path::{Path, PathBuf};

/// Where clients keep which servers they start: Claude Code, VS Code and Cursor below the working folder; Claude Desktop and
/// VS Code (on Linux and macOS), Claude Code and Cursor below the home folder.
const PLACES: [&str; 9] = [
    ".mcp.json",
    ".vscode/mcp.json",
    ".cursor/mcp.json",
    "~/.config/Claude/claude_desktop_config.json",
    "~/Library/Application Support/Claude/claude_desktop_config.json",
    "~/.claude.json",
    "~/.config/Code/User/mcp.json",
    "~/Library/Application Support/Code/User/mcp.json",
    "~/.cursor/mcp.json",
];
/// The members that hold servers by their names.
const SERVERS: [&str; 2] = ["mcpServers", "servers"];
/// So much of a file is read, and so deep.
const LONGEST: u64 = 64 << 20;
const DEEPEST: usize = 100;
/// Folders from which `uvx` and `npx` run what is not installed: they come and go.
const CACHES: [&str; 2] = ["archive-v0", "_npx"];

#[derive(Debug, clap::Args)]
pub(super) struct WrapArgs {
    #[command(flatten)]
    which: Which,
    /// Folder that recordings are written into [default: recordings, in the working folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(super) struct Which {
    /// File in which a client says which servers it starts [default: the one that is found]
    #[arg(value_name = "CONFIG")]
    file: Option<PathBuf>,
    /// Only this server; repeatable
    #[arg(long, value_name = "NAME")]
    server: Vec<String>,
}

impl WrapArgs {
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        // Clients start servers in folders of their own.
        let out = std::path::absolute(self.out.as_deref().unwrap_or(Path::new("recordings")));
        let words = out.and_then(|out| Ok((own_program()?, out)));
        let (program, out) = words.map_err(|error| {
            Failure::unfinished(format!("cannot tell where tapecheck is: {error}"))
                .next("start it by its whole path")
        })?;
        let is_kept = |it: &PathBuf| !it.iter().any(|part| CACHES.iter().any(|it| part == *it));
        let program = program.filter(is_kept).ok_or_else(|| {
            Failure::usage(
                "clients cannot rely on this tapecheck, which uvx, npx or python -m runs",
            )
            .next("install it: uv tool install tapecheck, or npm install --global tapecheck")
        })?;
        let (program, out) = (program.to_string_lossy(), out.to_string_lossy());
        self.which.change(|text, server| server.wrapped(text, &program, &out))
    }
}

impl Which {
    pub(super) fn unwrap(&self) -> Result<Exit, Failure> {
        self.change(|text, server| server.unwrapped(text))
    }

    /// Changes the commands of servers, and shows what became different.
    fn change(&self, change: impl Fn(&str, &Server<'_>) -> Edits) -> Result<Exit, Failure> {
        redactor()?;
        let file = self.file()?;
        let shown = file.display();
        let unreadable = |what: String| {
            Failure::usage(format!("{shown}: {what}; nothing was changed"))
                .next("name the file in which the client keeps its servers")
        };
        let text = read_within(&file, LONGEST).map_err(|error| unreadable(error.to_string()))?;
        let plain = without_comments(&text);
        let document = scan_document(&plain, DEEPEST)
            .map_err(|error| unreadable(format!("this is not JSON: {error}")))?;
        let all = servers(document);
        let is_there = |name: &&String| all.iter().any(|server| server.name == **name);
        if let Some(name) = self.server.iter().find(|name| !is_there(name)) {
            let names: Vec<_> = all.iter().map(|server| server.name.as_str()).collect();
            let names = format!("servers in this file: {}", names.join(", "));
            return Err(unreadable(format!("no server is named {name}; {names}")));
        }
        let is_meant =
            |server: &&Server<'_>| self.server.is_empty() || self.server.contains(&server.name);
        let mut edits = Edits::new();
        for server in all.iter().filter(is_meant) {
            if server.command.is_none() {
                say(&format!("left out: {} has no command, or args not in a list", server.name));
            }
            edits.extend(change(&plain, server));
        }
        if edits.is_empty() {
            let what = if all.is_empty() { "no servers" } else { "nothing to change" };
            return print(&masked(&format!("{what} in {shown}\n")));
        }
        edits.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
        let mut changed = text.clone();
        for (at, end, words) in edits {
            changed.replace_range(at..end, &words);
        }
        let backup = replace(&file, &changed).map_err(|error| {
            Failure::unfinished(format!("cannot write {shown}: {error}; nothing was changed"))
                .next("see that you may write there")
        })?;
        let report = format!("{}backup   {}\n", differences(&text, &changed), backup.display());
        print(&masked(&format!(
            "{report}next: restart the MCP client (such as Claude Desktop) that uses {shown}\n"
        )))
    }

    /// The file that is named, or the one that there is.
    fn file(&self) -> Result<PathBuf, Failure> {
        if let Some(file) = &self.file {
            return Ok(file.clone());
        }
        let home = std::env::home_dir().unwrap_or_default();
        let places = PLACES.into_iter().map(|place| match place.strip_prefix("~/") {
            Some(place) => home.join(place),
            None => place.into(),
        });
        let mut found: Vec<PathBuf> = places.filter(|place| place.is_file()).collect();
        let names: Vec<_> = found.iter().map(|file| file.display().to_string()).collect();
        match found.pop() {
            Some(file) if found.is_empty() => Ok(file),
            Some(_) => Err(Failure::usage(format!("several are there: {}", names.join(", ")))
                .next("name one of them")),
            None => Err(Failure::usage(
                "no settings of Claude Desktop, Claude Code, VS Code or Cursor were found",
            )
            .next("name the file in which your client keeps its servers")),
        }
    }
}

/// The list of arguments of a server that had none, spelled as hardly anybody does.
const OWN_LIST: &str = r#", "args":["#;

/// Ranges of a text and what takes their place.
type Edits = Vec<(usize, usize, String)>;

/// A server that a client starts.
struct Server<'a> {
    name: String,
    command: Option<Raw<'a>>,
    arguments: Option<Raw<'a>>,
}

impl Server<'_> {
    /// The words of its arguments.
    fn words(&self) -> Vec<String> {
        let elements = self.arguments.and_then(Raw::elements).unwrap_or_default();
        elements.into_iter().map(|it| it.as_str().map_or(String::new(), text_of)).collect()
    }

    fn is_wrapped(&self) -> bool {
        let program = self.command.and_then(Raw::as_str).map(text_of).unwrap_or_default();
        let words = self.words();
        is_tapecheck(Path::new(&program))
            && words.first().is_some_and(|it| it == "record")
            && words.iter().any(|it| it == "--")
    }

    fn wrapped(&self, text: &str, program: &str, out: &str) -> Edits {
        let Some(command) = self.command.filter(|_| !self.is_wrapped()) else { return Vec::new() };
        let words = ["record", "--out", out, &format!("--server={}", self.name), "--"].map(quoted);
        let words = words.join(", ") + ", " + command.text();
        let (at, end) = place(text, command);
        let Some(arguments) = self.arguments else {
            return vec![(at, end, format!("{}{OWN_LIST}{words}]", quoted(program)))];
        };
        let inside = place(text, arguments).0 + 1;
        let is_alone = arguments.elements().is_none_or(|all| all.is_empty());
        let ends_line = text[inside..].starts_with(['\n', '\r']);
        let after = if is_alone { "" } else { [", ", ","][usize::from(ends_line)] };
        vec![(at, end, quoted(program)), (inside, inside, words + after)]
    }

    fn unwrapped(&self, text: &str) -> Edits {
        let (Some(command), Some(arguments)) = (self.command, self.arguments) else {
            return Vec::new();
        };
        let elements = arguments.elements().unwrap_or_default();
        let behind = self.words().iter().position(|word| word == "--").map(|at| at + 1);
        let Some(first) = behind.and_then(|at| elements.get(at)).filter(|_| self.is_wrapped())
        else {
            return Vec::new();
        };
        let (start, end) = place(text, command);
        let inside = place(text, arguments).0 + 1;
        let rest = place(text, *first).1;
        if text[rest..].starts_with(']') && text.get(end..inside) == Some(OWN_LIST) {
            return vec![(start, rest + 1, first.text().to_owned())];
        }
        let comma = [", ", ","].into_iter().find(|comma| text[rest..].starts_with(comma));
        let rest = rest + comma.map_or(0, str::len);
        vec![(start, end, first.text().to_owned()), (inside, rest, String::new())]
    }
}

/// The servers of a file: also those that Claude Code keeps for each project.
fn servers(document: Raw<'_>) -> Vec<Server<'_>> {
    let projects = document.member("projects").and_then(Raw::members).unwrap_or_default();
    let holders = std::iter::once(document).chain(projects.into_iter().map(|(_, project)| project));
    let lists = holders.flat_map(|holder| SERVERS.map(|name| holder.member(name)));
    let all = lists.flatten().filter_map(Raw::members).flatten();
    let is_list = |server: Raw<'_>| server.member("args").is_none_or(|it| it.kind() == Kind::Array);
    all.map(|(name, server)| Server {
        name: text_of(name),
        command: server.member("command").filter(|it| it.kind() == Kind::String && is_list(server)),
        arguments: server.member("args"),
    })
    .collect()
}

/// This program, or the script by which Python runs its code.
pub(super) fn own_program() -> io::Result<Option<PathBuf>> {
    let script = std::env::args_os().nth(1).and_then(|word| std::path::absolute(word).ok());
    let script = script.filter(|script| script.is_file());
    Ok(iter::once(std::env::current_exe()?).chain(script).find(|program| is_tapecheck(program)))
}

fn is_tapecheck(program: &Path) -> bool {
    program.file_stem().is_some_and(|stem| stem == "tapecheck")
}

fn text_of(text: RawStr<'_>) -> String {
    text.decode().into_owned()
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Where a value stands in the text that it is a part of.
fn place(text: &str, value: Raw<'_>) -> (usize, usize) {
    let at = start_in(text, value.text());
    (at, at + value.text().len())
}

/// JSON as long as the text, with blanks in the place of comments and of commas behind which nothing comes.
fn without_comments(text: &str) -> String {
    // Neither ends before its end, nor goes on behind it, whatever has to follow.
    const COMMENT: &str = r"//[^\n]*(?:\n|$)|/\*(?:[^*]|\*+[^*/])*\*+/";
    let parts = format!(r#"^\x{{feff}}|"(?:[^"\\]|\\.)*"|{COMMENT}|,(?:\s|{COMMENT})*[\]}}]"#);
    let parts = Regex::new(&parts).expect("a regex");
    let blank = |found: &Captures<'_>| {
        let part = &found[0];
        // A bracket behind a comma stays, and all of a text.
        let end = match part.as_bytes()[0] {
            b'"' => 0,
            b',' => part.len() - 1,
            _ => part.len(),
        };
        let blanks = part[..end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' });
        blanks.chain(part[end..].chars()).collect::<String>()
    };
    parts.replace_all(text, blank).into_owned()
}

/// Puts a text in the place of a file's, all at once, and keeps what was there beside it.
fn replace(file: &Path, after: &str) -> io::Result<PathBuf> {
    // A link stays one: what it leads to is replaced.
    let file = fs::canonicalize(file)?;
    let time = Moment::now().rfc3339_with_milliseconds().replace([':', '-', '.'], "");
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let backup = file.with_file_name(format!("{name}.{time}.backup"));
    fs::copy(&file, &backup)?;
    write_whole(&file, |file| file.write_all(after.as_bytes()))?;
    Ok(backup)
}

/// The lines that differ: an edit begins and ends no line.
fn differences(before: &str, after: &str) -> String {
    let mut told = String::new();
    let (mut before, mut after) = (before.lines(), after.lines());
    loop {
        let (old, new) = (before.next(), after.next());
        if old.is_none() && new.is_none() {
            return told;
        }
        for (sign, line) in [("-", old), ("+", new)].into_iter().filter(|_| old != new) {
            let _ = line.map(|line| writeln!(told, "{sign} {}", line.trim_start()));
        }
    }
}
