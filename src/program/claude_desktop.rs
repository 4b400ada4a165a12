//! The logs that Claude Desktop keeps of servers: `mcp-server-NAME.log`.

use super::reader::Convert;
use super::sessions::Sessions;
use super::wire::{Passed, Side};
use super::{PLAIN, Program, Units, Wire};
use crate::recording::{Fidelity, Moment};

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
    words: &["] Message from ", STARTED],
    recognise: |head| {
        head.is_log(&PHRASES, |line| Some(entry(line)?.2))
            .then_some("lines with time, server, level and \"Message from client:\" or alike")
    },
    converter: |file| Box::new(Log(Sessions::new(file.stem))),
    ..PLAIN
};

struct Log(Sessions);

impl Convert for Log {
    fn line(&mut self, text: &str, wire: &mut Wire) {
        let Some((at, server, text)) = entry(text) else { return };
        let passed = Passed { at: Some(at), server, ..Passed::default() };
        if let Some(message) = text.strip_prefix(FROM_CLIENT) {
            self.0.said(&passed, message, wire);
        } else if let Some(message) = text.strip_prefix(FROM_SERVER) {
            self.0.said(&Passed { side: Side::Server, ..passed }, message, wire);
        } else if text.starts_with(STARTED) {
            self.0.restart(server);
        }
    }
}

/// Time, server and text of a line that the program wrote: `TIME [SERVER] [LEVEL] TEXT`, in older builds
/// `TIME [LEVEL] [SERVER] TEXT`.
fn entry(line: &str) -> Option<(&str, &str, &str)> {
    let (at, rest) = line.trim().split_once(' ')?;
    let (first, rest) = rest.strip_prefix('[')?.split_once("] ")?;
    let (second, text) = rest.strip_prefix('[')?.split_once("] ")?;
    let server = if LEVELS.contains(&second) { first } else { second };
    let has_level = LEVELS.contains(&second) || LEVELS.contains(&first);
    let is_time = at.contains('T') && at.ends_with('Z') && Moment::parse(at).is_some();
    (has_level && is_time).then_some((at, server, text))
}
