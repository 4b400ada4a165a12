//! The logs that VS Code keeps of MCP servers.

use super::sessions::Sessions;
use super::wire::{Passed, Side};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::recording::Fidelity;
use memchr::memmem;

/// What stands before a message, in newer and older builds.
const SENDERS: [(&str, Side); 4] = [
    ("[editor -> server] ", Side::Client),
    ("[server -> editor] ", Side::Server),
    ("[Client Says] ", Side::Client),
    ("[Server Says] ", Side::Server),
];
const STARTED: &str = "Starting server ";
const STATE: &str = "Connection state: ";
const PHRASES: [&str; 6] = [SENDERS[0].0, SENDERS[1].0, SENDERS[2].0, SENDERS[3].0, STARTED, STATE];
/// The prefixes of the names that logs are saved under.
const CHANNELS: [&str; 3] = ["MCP_ ", "MCP: ", "MCP "];

pub(super) static VSCODE_MCP_LOG: Program = Program {
    id: "vscode-mcp-log",
    name: "VS Code MCP log",
    about: "The output of an MCP server in VS Code, at log level Debug or Trace.",
    fidelity: Fidelity::Wire,
    units: Units::Lines,
    signs: &PHRASES,
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    head.is_log(&PHRASES, |line| Some(Entry::read(line)?.text))
        .then_some("lines with time, level and \"[editor -> server]\" or alike")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(Log {
        sessions: Sessions::new(file.stem, file.max_depth),
        server: server_of(file.stem).to_owned(),
        has_messages: false,
        wanted: ["editor] ", "server] ", " Says] ", STARTED].map(memmem::Finder::new),
    })
}

struct Log {
    sessions: Sessions,
    /// The server that the file's name tells.
    server: String,
    has_messages: bool,
    wanted: [memmem::Finder<'static>; 4],
}

impl Convert for Log {
    fn wants(&self, line: &[u8], _wire: &Wire) -> bool {
        self.wanted.iter().any(|finder| finder.find(line).is_some())
    }

    fn unit(&mut self, text: &str, wire: &mut Wire) {
        let Some(Entry { at, text }) = Entry::read(text) else {
            return wire.other("(no MCP call)", 1);
        };
        let said =
            SENDERS.iter().find_map(|(words, side)| Some((*side, text.strip_prefix(words)?)));
        if let Some((side, message)) = said {
            self.has_messages = true;
            let passed = Passed { side, at: Some(at), server: &self.server, ..Passed::default() };
            return self.sessions.said(&passed, message, wire);
        }
        if text.starts_with(STARTED) {
            self.sessions.restart(&self.server);
        }
        wire.other("(no MCP call)", 1);
    }

    fn end(&mut self, wire: &mut Wire) {
        if !self.has_messages {
            wire.other("(log without messages: its level was not Debug or Trace)", 1);
        }
    }
}

/// A line of the log: `DAY TIME [LEVEL] TEXT`. The time is that of the machine, without a zone.
struct Entry<'a> {
    at: &'a str,
    text: &'a str,
}

impl<'a> Entry<'a> {
    fn read(line: &'a str) -> Option<Self> {
        const PATTERN: &[u8] = b"0000-00-00 00:00:00.000 [";
        let line = line.trim();
        let fits = |(byte, pattern): (&u8, &u8)| match pattern {
            b'0' => byte.is_ascii_digit(),
            other => byte == other,
        };
        let is_entry = line.len() > PATTERN.len() && line.as_bytes().iter().zip(PATTERN).all(fits);
        let (at, rest) = line.split_at_checked(PATTERN.len() - 2).filter(|_| is_entry)?;
        let (_, text) = rest.split_once("] ")?;
        Some(Self { at, text })
    }
}

/// The server that the name of a log tells: `MCP: NAME` or `mcpServer.COLLECTION.NAME`.
fn server_of(stem: &str) -> &str {
    let saved = CHANNELS.iter().find_map(|prefix| stem.strip_prefix(prefix));
    let kept = || stem.strip_prefix("mcpServer.")?.rsplit('.').next();
    saved.or_else(kept).unwrap_or_default()
}
