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
    of: HashMap<String, Numbered>,
    max_depth: usize,
}

#[derive(Debug, Default)]
struct Numbered {
    ended: u32,
    has_begun: bool,
}

impl Sessions {
    pub(super) fn new(stem: &str, max_depth: usize) -> Self {
        Self { stem: stem.to_owned(), of: HashMap::new(), max_depth }
    }

    /// A server was started: what follows is another session.
    pub(super) fn restart(&mut self, server: &str) {
        let numbered = self.numbered(server);
        numbered.ended += u32::from(numbered.has_begun);
        numbered.has_begun = false;
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
        match Scanner::new(text, self.max_depth).value() {
            Ok(message) => {
                let session = self.of(passed.server, passed.side, message);
                wire.message(&Passed { session: &session, message: message.text(), ..*passed });
            }
            Err(error) => {
                let session = self.current(passed.server);
                let passed = Passed { session: &session, ..*passed };
                if passed.side == Side::Client || !lose(&passed, text, self.max_depth, wire) {
                    super::texts::note(&error, text, wire);
                }
            }
        }
    }

    fn current(&mut self, server: &str) -> String {
        let numbered = self.numbered(server);
        numbered.has_begun = true;
        match numbered.ended {
            0 => String::new(),
            ended => format!("{}-{}", self.stem, u64::from(ended) + 1),
        }
    }

    fn numbered(&mut self, server: &str) -> &mut Numbered {
        if self.of.len() >= MOST_SERVERS && !self.of.contains_key(server) {
            self.of.clear();
        }
        self.of.entry(server.to_owned()).or_default()
    }
}

/// Notes that the answer which a cut text begins was not kept; whether it begins one.
pub(super) fn lose(passed: &Passed<'_>, text: &str, max_depth: usize, wire: &mut Wire) -> bool {
    let (mut id, mut is_answer) = (None, false);
    // It ends in an error where the text does.
    let _ = Scanner::new(text, max_depth).object(|inner, key| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan_document;
    use crate::recording::Fidelity;

    #[test]
    fn a_client_that_initializes_again_has_begun_another_session() {
        let message = |text| scan_document(text, 9).expect("JSON");
        let mut sessions = Sessions::new("mcp-server-kiln", 9);
        let begun = r#"{"id":0,"method":"initialize"}"#;
        let call = r#"{"id":1,"method":"tools/call"}"#;
        let mut of = |server, text| sessions.of(server, Side::Client, message(text));
        assert_eq!(["", ""], [of("kiln", begun).as_str(), of("kiln", call).as_str()]);
        assert_eq!(of("kiln", begun), "mcp-server-kiln-2");
        assert_eq!(of("loom", begun), "", "other servers have sessions of their own");
        sessions.restart("kiln");
        sessions.restart("kiln");
        assert_eq!(sessions.of("kiln", Side::Client, message(begun)), "mcp-server-kiln-3");
        assert_eq!(sessions.of("kiln", Side::Server, message(begun)), "mcp-server-kiln-3");
    }

    #[test]
    fn the_answer_that_a_cut_text_begins_was_not_kept() {
        let lost = |text| {
            let mut wire = Wire::default();
            wire.begin("a-log", Fidelity::Wire);
            let is_lost = lose(&Passed::default(), text, 9, &mut wire);
            assert_eq!(wire.take().units.len(), usize::from(is_lost), "{text}");
            is_lost
        };
        assert!(lost(r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"ty"#));
        assert!(!lost(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","par"#), "no answer");
        assert!(!lost(r#"{"result":{"content":[{"ty"#), "nobody knows whose");
        assert!(!lost(r#"{"id":null,"error":{"#));
    }
}
