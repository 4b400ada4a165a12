//! Sessions that one file holds one after another. The ids of messages start again with each.

use super::texts::is_text;
use super::wire::{Passed, Side, Wire};
use crate::json::{Kind, Raw, Scanner};
use crate::recording::Fate;
use std::collections::HashMap;

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
    pub(super) fn of(&mut self, server: &str, side: Side, message: Raw<'_>) -> String {
        if side == Side::Client && is_text(message, "method", "initialize") {
            self.restart(server);
        }
        self.current(server)
    }

    /// Writes the message at the beginning of what a log says after it named the sender.
    pub(super) fn said(&mut self, passed: &Passed<'_>, text: &str, wire: &mut Wire) {
        match Scanner::new(text, wire.max_depth()).value() {
            Ok(message) => {
                let session = self.of(passed.server, passed.side, message);
                wire.message(&Passed { session: &session, message: message.text(), ..*passed });
            }
            Err(error) => {
                let session = self.current(passed.server);
                let passed = Passed { session: &session, ..*passed };
                if passed.side == Side::Client || !lose(&passed, text, wire) {
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
