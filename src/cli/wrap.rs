//! `tapecheck record wrap` and `unwrap`: the recorder in the settings of clients, and out of them again. Only the words of
//! commands change; everything else in a file stays as it was written, comments too.

use super::inputs::{masked, redactor};
use super::terminal::{print, say};
use super::{Exit, Failure};
use crate::json::{Kind, Raw, RawStr, Scanner, scan_document, start_in};
use crate::recording::Moment;
use crate::rulebook::source::read_within;
use crate::store::write_whole;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Where Claude Code, VS Code and Cursor keep which servers they start, below the working folder.
const HERE: [&str; 3] = [".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"];
/// The same of Claude Desktop (on Linux and macOS), Claude Code, VS Code (on both) and Cursor, below the home folder.
const AT_HOME: [&str; 6] = [
    ".config/Claude/claude_desktop_config.json",
    "Library/Application Support/Claude/claude_desktop_config.json",
    ".claude.json",
    ".config/Code/User/mcp.json",
    "Library/Application Support/Code/User/mcp.json",
    ".cursor/mcp.json",
];
/// The members that hold servers by their names.
const SERVERS: [&str; 2] = ["mcpServers", "servers"];
/// So much of a file is read, and so deep.
const LONGEST: u64 = 64 << 20;
const DEEPEST: usize = 100;
/// The first argument of a recorder, and the one behind which the server's command stands.
const RECORD: &str = "record";
const BEHIND: &str = "--";

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
        let program = program.ok_or_else(|| {
            Failure::usage("no client can start this tapecheck, which is a part of Python")
                .next("install the program with npm or cargo")
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
        for name in &self.server {
            if !all.iter().any(|server| server.name == *name) {
                let names: Vec<_> = all.iter().map(|server| server.name.as_str()).collect();
                let names = names.join(", ");
                return Err(unreadable(format!(
                    "no server is named {name}; servers in this file: {names}"
                )));
            }
        }
        let is_meant =
            |server: &&Server<'_>| self.server.is_empty() || self.server.contains(&server.name);
        let mut edits = Edits::new();
        for server in all.iter().filter(is_meant) {
            if server.command.is_none() {
                say(&format!("left out: {} is not started by a command", server.name));
            }
            edits.extend(change(&plain, server));
        }
        if edits.is_empty() {
            return print(&masked(&format!("nothing to change in {shown}\n")));
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
        let told = format!("{}backup   {}\n", differences(&text, &changed), backup.display());
        print(&masked(&format!(
            "{told}next: restart the MCP client (such as Claude Desktop) that uses {shown}\n"
        )))
    }

    /// The file that is named, or the one that there is.
    fn file(&self) -> Result<PathBuf, Failure> {
        if let Some(file) = &self.file {
            return Ok(file.clone());
        }
        let home = std::env::home_dir().unwrap_or_default();
        let places = HERE.map(PathBuf::from).into_iter();
        let places = places.chain(AT_HOME.map(|place| home.join(place)));
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
            && words.first().is_some_and(|it| it == RECORD)
            && words.iter().any(|it| it == BEHIND)
    }

    fn wrapped(&self, text: &str, program: &str, out: &str) -> Edits {
        let Some(command) = self.command.filter(|_| !self.is_wrapped()) else { return Vec::new() };
        let words = [RECORD, "--out", out, "--server", &self.name, BEHIND].map(quoted).join(", ");
        let words = format!("{words}, {}", command.text());
        let (at, end) = place(text, command);
        let Some(arguments) = self.arguments else {
            return vec![(at, end, format!(r#"{}, "args": [{words}]"#, quoted(program)))];
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
        let behind = self.words().iter().position(|word| word == BEHIND).map(|at| at + 1);
        let Some(first) = behind.and_then(|at| elements.get(at)).filter(|_| self.is_wrapped())
        else {
            return Vec::new();
        };
        let (start, end) = place(text, command);
        let inside = place(text, arguments).0 + 1;
        let rest = place(text, *first).1;
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
    all.map(|(name, server)| Server {
        name: text_of(name),
        command: server.member("command").filter(|it| it.kind() == Kind::String),
        arguments: server.member("args").filter(|it| it.kind() == Kind::Array),
    })
    .collect()
}

/// This program, unless its code is run by another, such as Python.
pub(super) fn own_program() -> io::Result<Option<PathBuf>> {
    Ok(Some(std::env::current_exe()?).filter(|program| is_tapecheck(program)))
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
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut comma) = (0, None);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let end = match rest[0] {
            b'"' => {
                let string = Scanner::trusted(&text[at..]).string();
                at = string.map_or(bytes.len(), |it| at + it.escaped_text().len() + 2);
                comma = None;
                continue;
            }
            b'/' if rest.starts_with(b"//") => memchr::memchr(b'\n', rest),
            b'/' if rest.starts_with(b"/*") => {
                memchr::memmem::find(&rest[2..], b"*/").map(|end| end + 4)
            }
            byte => {
                match byte {
                    b',' => comma = Some(at),
                    b']' | b'}' => {
                        if let Some(comma) = comma.take() {
                            bytes[comma] = b' ';
                        }
                    }
                    _ if byte.is_ascii_whitespace() => {}
                    _ => comma = None,
                }
                at += 1;
                continue;
            }
        };
        let end = at + end.unwrap_or(rest.len());
        bytes[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        at = end;
    }
    String::from_utf8(bytes).unwrap_or_default()
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
    let (mut before, mut after) = (before.lines().peekable(), after.lines().peekable());
    while before.peek().is_some() || after.peek().is_some() {
        match (before.next(), after.next()) {
            (Some(old), Some(new)) if old == new => {}
            (old, new) => {
                let lines = [("-", old), ("+", new)];
                for (sign, line) in lines.iter().filter_map(|(sign, line)| Some((sign, (*line)?))) {
                    let _ = writeln!(told, "{sign} {}", line.trim_start());
                }
            }
        }
    }
    told
}
