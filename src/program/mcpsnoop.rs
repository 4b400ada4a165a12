//! Session logs of mcpsnoop: one frame on each line.

use super::reader::Convert;
use super::sessions::lose;
use super::texts::{filled, given, is_true, number_of, quoted, text_of};
use super::wire::{NO_CALL, Passed, Side};
use super::{PLAIN, Program, Units, Wire};
use crate::json::Raw;
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
    recognise: |head| {
        head.has_line("session_id server_label seq direction transport")
            .then_some("lines with session_id, server_label, seq and transport")
    },
    converter: |_| Box::new(Log::default()),
    ..PLAIN
};

#[derive(Default)]
struct Log {
    /// The number of the last frame of each session.
    seen: HashMap<String, u64>,
}

impl Convert for Log {
    fn value(&mut self, frame: Raw<'_>, wire: &mut Wire) {
        let session = text_of(frame, "session_id").unwrap_or_default();
        self.count(frame, &session, wire);
        let side = match text_of(frame, "direction").as_deref() {
            Some("c2s") => Side::Client,
            Some("s2c") => Side::Server,
            _ => return wire.other(NO_CALL, 1),
        };
        // Clients that share a proxy number their requests alike.
        let connection = filled(frame, "conn_id").map_or(String::new(), |id| format!("/{id}"));
        let session = format!("{session}{connection}");
        let (at, server) = (text_of(frame, "ts"), text_of(frame, "server_label"));
        let passed = Passed {
            side,
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
        if side == Side::Client || !lose(&passed, &text, wire) {
            wire.message(&Passed { message: &quoted(&text), is_cut: false, ..passed });
        }
    }
}

impl Log {
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
