//! Session logs of mcpsnoop: one frame on each line.

use super::sessions::lose;
use super::texts::{is_true, quoted, read, text_of};
use super::wire::{Passed, Side};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::Fidelity;
use std::collections::HashMap;

/// Sessions whose frames are counted.
const MOST_SESSIONS: usize = 10_000;

pub(super) static MCPSNOOP: Program = Program {
    id: "mcpsnoop",
    name: "mcpsnoop log",
    about: "A session log of mcpsnoop, one frame on each line.",
    fidelity: Fidelity::Wire,
    units: Units::Lines,
    signs: &[r#""server_label""#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let is_frame = |line: &Raw<'_>| {
        ["session_id", "server_label", "seq", "direction", "transport"]
            .iter()
            .all(|name| line.member(name).is_some())
    };
    head.records()
        .iter()
        .any(is_frame)
        .then_some("lines with session_id, server_label, seq and transport")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(Log { seen: HashMap::new(), max_depth: file.max_depth })
}

struct Log {
    /// The number of the last frame of each session.
    seen: HashMap<String, u64>,
    max_depth: usize,
}

impl Convert for Log {
    fn unit(&mut self, text: &str, wire: &mut Wire) {
        let Some(frame) = read(text, self.max_depth, wire) else { return };
        let session = text_of(frame, "session_id").unwrap_or_default();
        self.count(frame, &session, wire);
        let side = match text_of(frame, "direction").as_deref() {
            Some("c2s") => Side::Client,
            Some("s2c") => Side::Server,
            _ => {
                return wire.other("(no MCP call)", 1);
            }
        };
        // Clients that share a proxy number their requests alike.
        let session = match text_of(frame, "conn_id").filter(|connection| !connection.is_empty()) {
            Some(connection) => format!("{session}/{connection}"),
            None => session.into_owned(),
        };
        let at = text_of(frame, "ts");
        let server = text_of(frame, "server_label").unwrap_or_default();
        let passed = Passed {
            side,
            at: at.as_deref(),
            server: &server,
            session: &session,
            is_cut: is_true(frame, "truncated"),
            ..Passed::default()
        };
        let raw = frame.member("raw").filter(|raw| raw.kind() != Kind::Null);
        if let Some(raw) = raw {
            wire.message(&Passed { message: raw.text(), ..passed });
            return;
        }
        let text = text_of(frame, "text").unwrap_or_default();
        if side == Side::Client || !lose(&passed, &text, self.max_depth, wire) {
            wire.message(&Passed { message: &quoted(&text), is_cut: false, ..passed });
        }
    }
}

impl Log {
    /// Counts the frames that are missing before this one.
    fn count(&mut self, frame: Raw<'_>, session: &str, wire: &mut Wire) {
        let number = frame.member("seq").and_then(|number| number.text().parse().ok());
        let Some(number) = number else { return };
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
