//! Logs of the messages that passed between a client and servers: those of Claude Desktop (`mcp-server-NAME.log`), of VS
//! Code, and of mcpsnoop. One file holds sessions one after another, and the ids of messages start again with each.

use super::reader::Convert;
use super::texts::{filled, given, is_text, is_true, number_of, quoted, text_of};
use super::wire::{NO_CALL, Passed, Wire};
use super::{FileFacts, PLAIN, Program, Units};
use crate::json::{Kind, Raw, Scanner};
use crate::recording::Direction::{self, FromClient, FromServer};
use crate::recording::{Fate, Fidelity, Moment};
use std::collections::HashMap;

/// How a program writes the log of a server.
struct Layout {
    /// What such logs say of every server: the senders of messages first, then the one that begins a session.
    phrases: [&'static str; 6],
    senders: &'static [Direction],
    /// Time, server and text of a line; the server is empty where the file's name tells it.
    entry: fn(&str) -> Option<(&str, &str, &str)>,
    /// What a log without messages counts as.
    silent: Option<&'static str>,
}

static CLAUDE_DESKTOP: Layout = Layout {
    phrases: [
        "Message from client: ",
        "Message from server: ",
        "Initializing server...",
        "Server started and connected successfully",
        "Client transport closed",
        "Server transport closed",
    ],
    senders: &[FromClient, FromServer],
    entry: entry_of_claude_desktop,
    silent: None,
};

/// Messages have other words before them in newer and older builds.
static VSCODE: Layout = Layout {
    phrases: [
        "[editor -> server] ",
        "[server -> editor] ",
        "[Client Says] ",
        "[Server Says] ",
        "Starting server ",
        "Connection state: ",
    ],
    senders: &[FromClient, FromServer, FromClient, FromServer],
    entry: entry_of_vscode,
    silent: Some("(log without messages: its level was not Debug or Trace)"),
};

pub(super) static CLAUDE_DESKTOP_LOG: Program = Program {
    id: "claude-desktop-log",
    name: "Claude Desktop log",
    about: "The log that Claude Desktop keeps of a server: mcp-server-NAME.log.",
    fidelity: Fidelity::Wire,
    units: Units::Lines,
    signs: &CLAUDE_DESKTOP.phrases,
    words: &["] Message from ", CLAUDE_DESKTOP.phrases[2]],
    recognise: |head| {
        head.is_log(&CLAUDE_DESKTOP.phrases, |line| Some(entry_of_claude_desktop(line)?.2))
            .then_some("lines with time, server, level and \"Message from client:\" or alike")
    },
    converter: |file| Log::boxed(&CLAUDE_DESKTOP, file),
    ..PLAIN
};

pub(super) static VSCODE_MCP_LOG: Program = Program {
    id: "vscode-mcp-log",
    name: "VS Code MCP log",
    about: "The output of an MCP server in VS Code, at log level Debug or Trace.",
    fidelity: Fidelity::Wire,
    units: Units::Lines,
    signs: &VSCODE.phrases,
    words: &["editor] ", "server] ", " Says] ", VSCODE.phrases[4]],
    recognise: |head| {
        head.is_log(&VSCODE.phrases, |line| Some(entry_of_vscode(line)?.2))
            .then_some("lines with time, level and \"[editor -> server]\" or alike")
    },
    converter: |file| Log::boxed(&VSCODE, file),
    ..PLAIN
};

struct Log {
    layout: &'static Layout,
    sessions: Sessions,
    /// The server that the file's name tells.
    server: String,
    has_messages: bool,
}

impl Log {
    fn boxed(layout: &'static Layout, file: &FileFacts<'_>) -> Box<dyn Convert> {
        let server = server_of(file.stem).to_owned();
        Box::new(Self { layout, sessions: Sessions::new(file.stem), server, has_messages: false })
    }
}

impl Convert for Log {
    fn line(&mut self, text: &str, wire: &mut Wire) {
        let Some((at, server, text)) = (self.layout.entry)(text) else { return };
        let server = if server.is_empty() { &*self.server } else { server };
        let mut phrases = self.layout.phrases.iter();
        let mut senders = self.layout.senders.iter().zip(phrases.by_ref());
        let said =
            senders.find_map(|(direction, words)| Some((*direction, text.strip_prefix(words)?)));
        if let Some((direction, message)) = said {
            self.has_messages = true;
            let passed = Passed { direction, at: Some(at), server, ..Passed::default() };
            self.sessions.said(&passed, message, wire);
        } else if phrases.next().is_some_and(|begins| text.starts_with(begins)) {
            self.sessions.restart(server);
        }
    }

    fn end(&mut self, wire: &mut Wire) {
        if let Some(silent) = self.layout.silent.filter(|_| !self.has_messages) {
            wire.other(silent, 1);
        }
    }
}

/// `TIME [SERVER] [LEVEL] TEXT`, in older builds `TIME [LEVEL] [SERVER] TEXT`.
fn entry_of_claude_desktop(line: &str) -> Option<(&str, &str, &str)> {
    const LEVELS: [&str; 5] = ["info", "error", "warn", "warning", "debug"];
    let (at, rest) = line.trim().split_once(' ')?;
    let (first, rest) = rest.strip_prefix('[')?.split_once("] ")?;
    let (second, text) = rest.strip_prefix('[')?.split_once("] ")?;
    let server = if LEVELS.contains(&second) { first } else { second };
    let has_level = LEVELS.contains(&second) || LEVELS.contains(&first);
    let is_time = at.contains('T') && at.ends_with('Z') && Moment::parse(at).is_some();
    (has_level && is_time).then_some((at, server, text))
}

/// `DAY TIME [LEVEL] TEXT`. The time is that of the machine, without a zone.
fn entry_of_vscode(line: &str) -> Option<(&str, &str, &str)> {
    const PATTERN: &[u8] = b"0000-00-00 00:00:00.000 [";
    let line = line.trim();
    let fits = |(byte, pattern): (&u8, &u8)| match pattern {
        b'0' => byte.is_ascii_digit(),
        other => byte == other,
    };
    let is_entry = line.len() > PATTERN.len() && line.as_bytes().iter().zip(PATTERN).all(fits);
    let (at, rest) = line.split_at_checked(PATTERN.len() - 2).filter(|_| is_entry)?;
    Some((at, "", rest.split_once("] ")?.1))
}

/// The server that the name of a log of VS Code tells: `MCP: NAME` or `mcpServer.COLLECTION.NAME`.
fn server_of(stem: &str) -> &str {
    let saved = ["MCP_ ", "MCP: ", "MCP "].iter().find_map(|prefix| stem.strip_prefix(prefix));
    let kept = || stem.strip_prefix("mcpServer.")?.rsplit('.').next();
    saved.or_else(kept).unwrap_or_default()
}

/// Sessions whose frames are counted.
const MOST_SESSIONS: usize = 10_000;

pub(super) static MCPSNOOP: Program = Program {
    id: "mcpsnoop",
    name: "mcpsnoop log",
    about: "A session log of mcpsnoop, one frame on each line.",
    fidelity: Fidelity::Wire,
    units: Units::Lines,
    signs: &[r#""server_label""#],
    recognise: |head| {
        head.has_line("session_id server_label seq direction transport")
            .then_some("lines with session_id, server_label, seq and transport")
    },
    converter: |_| Box::new(Frames::default()),
    ..PLAIN
};

#[derive(Default)]
struct Frames {
    /// The number of the last frame of each session.
    seen: HashMap<String, u64>,
}

impl Convert for Frames {
    fn value(&mut self, frame: Raw<'_>, wire: &mut Wire) {
        let session = text_of(frame, "session_id").unwrap_or_default();
        self.count(frame, &session, wire);
        let direction = text_of(frame, "direction").and_then(|word| Direction::of_name(&word));
        let Some(direction) = direction else { return wire.other(NO_CALL, 1) };
        // Clients that share a proxy number their requests alike.
        let connection = filled(frame, "conn_id").map_or(String::new(), |id| format!("/{id}"));
        let session = format!("{session}{connection}");
        let (at, server) = (text_of(frame, "ts"), text_of(frame, "server_label"));
        let passed = Passed {
            direction,
            at: at.as_deref(),
            server: server.as_deref().unwrap_or_default(),
            session: &session,
            is_cut: is_true(frame, "truncated"),
            ..Passed::default()
        };
        if let Some(raw) = given(frame, "raw") {
            return wire.message(&Passed { message: raw.text(), ..passed });
        }
        let text = text_of(frame, "text").unwrap_or_default();
        if direction == FromClient || !lose(&passed, &text, wire) {
            wire.message(&Passed { message: &quoted(&text), is_cut: false, ..passed });
        }
    }
}

impl Frames {
    /// Counts the frames that are missing before this one.
    fn count(&mut self, frame: Raw<'_>, session: &str, wire: &mut Wire) {
        let Some(number) = number_of(frame, "seq") else { return };
        if self.seen.len() >= MOST_SESSIONS && !self.seen.contains_key(session) {
            self.seen.clear();
        }
        let before = self.seen.insert(session.to_owned(), number);
        let missing = before.map_or(0, |before| number.saturating_sub(before).saturating_sub(1));
        if missing > 0 {
            wire.other("(message that the recorder dropped)", missing);
        }
    }
}

/// Servers of one file whose sessions are told apart.
const MOST_SERVERS: usize = 10_000;

/// Numbers the sessions of each server.
#[derive(Debug)]
pub(super) struct Sessions {
    stem: String,
    /// How many sessions of each server ended, and whether another began.
    of: HashMap<String, (u32, bool)>,
}

impl Sessions {
    pub(super) fn new(stem: &str) -> Self {
        Self { stem: stem.to_owned(), of: HashMap::new() }
    }

    /// A server was started: what follows is another session.
    pub(super) fn restart(&mut self, server: &str) {
        let (ended, has_begun) = self.numbered(server);
        *ended += u32::from(std::mem::take(has_begun));
    }

    /// The session that a message belongs to: the first has the recording's name.
    pub(super) fn of(&mut self, server: &str, direction: Direction, message: Raw<'_>) -> String {
        if direction == FromClient && is_text(message, "method", "initialize") {
            self.restart(server);
        }
        self.current(server)
    }

    /// Writes the message at the beginning of what a log says after it named the sender.
    pub(super) fn said(&mut self, passed: &Passed<'_>, text: &str, wire: &mut Wire) {
        match Scanner::new(text, wire.max_depth()).value() {
            Ok(message) => {
                let session = self.of(passed.server, passed.direction, message);
                wire.message(&Passed { session: &session, message: message.text(), ..*passed });
            }
            Err(error) => {
                let session = self.current(passed.server);
                let passed = Passed { session: &session, ..*passed };
                if passed.direction == FromClient || !lose(&passed, text, wire) {
                    wire.note(&error, text);
                }
            }
        }
    }

    fn current(&mut self, server: &str) -> String {
        let (ended, has_begun) = self.numbered(server);
        *has_begun = true;
        match *ended {
            0 => String::new(),
            ended => format!("{}-{}", self.stem, u64::from(ended) + 1),
        }
    }

    fn numbered(&mut self, server: &str) -> &mut (u32, bool) {
        if self.of.len() >= MOST_SERVERS && !self.of.contains_key(server) {
            self.of.clear();
        }
        self.of.entry(server.to_owned()).or_default()
    }
}

/// Notes that the answer which a cut text begins was not kept; whether it begins one.
pub(super) fn lose(passed: &Passed<'_>, text: &str, wire: &mut Wire) -> bool {
    let (mut id, mut is_answer) = (None, false);
    // It ends in an error where the text does.
    let _ = Scanner::new(text, wire.max_depth()).object(|inner, key| {
        is_answer |= key.is("result") || key.is("error");
        let value = inner.value()?;
        if key.is("id") && value.kind() != Kind::Null {
            id = Some(value.text());
        }
        Ok(())
    });
    let Some(id) = id.filter(|_| is_answer) else { return false };
    let reason = "the rest of the answer was not recorded";
    wire.no_answer(&Passed { message: id, ..*passed }, Fate::NotRecorded, reason);
    true
}
