//! The logs that Claude Desktop keeps of servers: `mcp-server-NAME.log`.

use super::sessions::Sessions;
use super::wire::{Passed, Side};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::recording::{Fidelity, Moment};
use memchr::memmem;

const FROM_CLIENT: &str = "Message from client: ";
const FROM_SERVER: &str = "Message from server: ";
const STARTED: &str = "Initializing server...";
/// What such logs say of every server.
const PHRASES: [&str; 6] = [
    FROM_CLIENT,
    FROM_SERVER,
    STARTED,
    "Server started and connected successfully",
    "Client transport closed",
    "Server transport closed",
];
const LEVELS: [&str; 5] = ["info", "error", "warn", "warning", "debug"];

pub(super) static CLAUDE_DESKTOP_LOG: Program = Program {
    id: "claude-desktop-log",
    name: "Claude Desktop log",
    about: "The log that Claude Desktop keeps of a server: mcp-server-NAME.log.",
    fidelity: Fidelity::Wire,
    units: Units::Lines,
    signs: &PHRASES,
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    head.is_log(&PHRASES, |line| Some(Entry::read(line)?.text))
        .then_some("lines with time, server, level and \"Message from client:\" or alike")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(Log {
        sessions: Sessions::new(file.stem, file.max_depth),
        messages: memmem::Finder::new("] Message from "),
        starts: memmem::Finder::new(STARTED),
    })
}

struct Log {
    sessions: Sessions,
    messages: memmem::Finder<'static>,
    starts: memmem::Finder<'static>,
}

impl Convert for Log {
    fn wants(&self, line: &[u8], _wire: &Wire) -> bool {
        self.messages.find(line).is_some() || self.starts.find(line).is_some()
    }

    fn unit(&mut self, text: &str, wire: &mut Wire) {
        let Some(Entry { at, server, text }) = Entry::read(text) else {
            return wire.other("(no MCP call)", 1);
        };
        let passed = Passed { at: Some(at), server, ..Passed::default() };
        if let Some(message) = text.strip_prefix(FROM_CLIENT) {
            self.sessions.said(&passed, message, wire);
        } else if let Some(message) = text.strip_prefix(FROM_SERVER) {
            self.sessions.said(&Passed { side: Side::Server, ..passed }, message, wire);
        } else {
            if text.starts_with(STARTED) {
                self.sessions.restart(server);
            }
            wire.other("(no MCP call)", 1);
        }
    }
}

/// A line that the program wrote: `TIME [SERVER] [LEVEL] TEXT`, in older builds `TIME [LEVEL] [SERVER] TEXT`.
struct Entry<'a> {
    at: &'a str,
    server: &'a str,
    text: &'a str,
}

impl<'a> Entry<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (at, rest) = line.trim().split_once(' ')?;
        let (first, rest) = rest.strip_prefix('[')?.split_once("] ")?;
        let (second, text) = rest.strip_prefix('[')?.split_once("] ")?;
        let server = if LEVELS.contains(&second) { first } else { second };
        let has_level = LEVELS.contains(&second) || LEVELS.contains(&first);
        let is_time = at.contains('T') && at.ends_with('Z') && Moment::parse(at).is_some();
        (has_level && is_time).then_some(Self { at, server, text })
    }
}
