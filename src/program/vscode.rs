//! The logs that VS Code keeps of MCP servers.

use super::reader::Convert;
use super::sessions::Sessions;
use super::wire::{Passed, Side};
use super::{PLAIN, Program, Units, Wire};
use crate::recording::Fidelity;

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
    words: &["editor] ", "server] ", " Says] ", STARTED],
    recognise: |head| {
        head.is_log(&PHRASES, |line| Some(entry(line)?.1))
            .then_some("lines with time, level and \"[editor -> server]\" or alike")
    },
    converter: |file| {
        Box::new(Log {
            sessions: Sessions::new(file.stem),
            server: server_of(file.stem).to_owned(),
            has_messages: false,
        })
    },
    ..PLAIN
};

struct Log {
    sessions: Sessions,
    /// The server that the file's name tells.
    server: String,
    has_messages: bool,
}

impl Convert for Log {
    fn line(&mut self, text: &str, wire: &mut Wire) {
        let Some((at, text)) = entry(text) else { return };
        let said =
            SENDERS.iter().find_map(|(words, side)| Some((*side, text.strip_prefix(words)?)));
        if let Some((side, message)) = said {
            self.has_messages = true;
            let passed = Passed { side, at: Some(at), server: &self.server, ..Passed::default() };
            self.sessions.said(&passed, message, wire);
        } else if text.starts_with(STARTED) {
            self.sessions.restart(&self.server);
        }
    }

    fn end(&mut self, wire: &mut Wire) {
        if !self.has_messages {
            wire.other("(log without messages: its level was not Debug or Trace)", 1);
        }
    }
}

/// Time and text of a line of the log: `DAY TIME [LEVEL] TEXT`. The time is that of the machine, without a zone.
fn entry(line: &str) -> Option<(&str, &str)> {
    const PATTERN: &[u8] = b"0000-00-00 00:00:00.000 [";
    let line = line.trim();
    let fits = |(byte, pattern): (&u8, &u8)| match pattern {
        b'0' => byte.is_ascii_digit(),
        other => byte == other,
    };
    let is_entry = line.len() > PATTERN.len() && line.as_bytes().iter().zip(PATTERN).all(fits);
    let (at, rest) = line.split_at_checked(PATTERN.len() - 2).filter(|_| is_entry)?;
    Some((at, rest.split_once("] ")?.1))
}

/// The server that the name of a log tells: `MCP: NAME` or `mcpServer.COLLECTION.NAME`.
fn server_of(stem: &str) -> &str {
    let saved = CHANNELS.iter().find_map(|prefix| stem.strip_prefix(prefix));
    let kept = || stem.strip_prefix("mcpServer.")?.rsplit('.').next();
    saved.or_else(kept).unwrap_or_default()
}
