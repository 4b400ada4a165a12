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
        let headers = headers(frame);
        let passed = Passed {
            side,
            at: at.as_deref(),
            server: &server,
            session: &session,
            headers: headers.as_deref(),
            status: frame.member("status").and_then(|status| status.text().parse().ok()),
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

/// The headers that were recorded.
fn headers(frame: Raw<'_>) -> Option<String> {
    let mut headers = super::http::Headers::default();
    for (member, header) in [
        ("mcp_method", "mcp-method"),
        ("mcp_name", "mcp-name"),
        ("mcp_protocol_version", "mcp-protocol-version"),
        ("auth_challenge", "www-authenticate"),
    ] {
        if let Some(value) = text_of(frame, member) {
            headers.add(header, &value);
        }
    }
    headers.as_json()
}

#[cfg(test)]
mod tests {
    use super::super::tests::calls;
    use super::*;

    fn frame(number: u64, direction: &str, rest: &str) -> String {
        format!(
            r#"{{"session_id":"s","server_label":"kiln","seq":{number},"ts":"2026-01-02T03:04:05.123456789+01:00","direction":"{direction}","transport":"http",{rest}}}"#
        )
    }

    const CALL: &str =
        r#""raw":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"heat"}}"#;

    #[test]
    fn clients_of_one_proxy_are_told_apart() {
        let answer = r#""raw":{"jsonrpc":"2.0","id":1,"result":{"content":[]}},"status":200"#;
        let text = [
            frame(0, "meta", r#""raw":{"command":["x"]}"#),
            frame(1, "c2s", &format!(r#"{CALL},"conn_id":"a","mcp_method":"tools/call""#)),
            frame(2, "c2s", &format!(r#"{CALL},"conn_id":"b""#)),
            frame(3, "s2c", &format!(r#"{answer},"conn_id":"b""#)),
            frame(6, "stderr", r#""text":"slow""#),
        ];
        let mut wire = Wire::default();
        wire.begin("mcpsnoop", Fidelity::Wire);
        let facts =
            FileFacts { name: "s.jsonl", stem: "s", folder: None, is_named: false, max_depth: 64 };
        let mut converter = converter(&facts);
        for line in &text {
            converter.unit(line, &mut wire);
        }
        let written = wire.take();
        let sessions: Vec<_> =
            written.text.lines().map(|line| line.contains(r#""session":"s/b""#)).collect();
        assert_eq!(sessions, [false, true, true], "{}", written.text);
        assert!(written.text.contains(r#""headers":{"mcp-method":"tools/call"}"#));
        assert_eq!(written.passed.get("(message that the recorder dropped)"), Some(&2));
        assert_eq!(written.passed.get("(no MCP call)"), Some(&2), "meta and stderr");
    }

    #[test]
    fn a_frame_that_was_cut_is_no_silence_of_the_server() {
        let cut =
            r#""text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{","truncated":true"#;
        let text = [frame(1, "c2s", CALL), frame(2, "s2c", cut)].join("\n");
        assert_eq!(calls(&MCPSNOOP, &text), ["kiln/heat null: not_recorded by nobody"]);
        let noise = [frame(1, "c2s", CALL), frame(2, "s2c", r#""text":"listening""#)].join("\n");
        assert_eq!(calls(&MCPSNOOP, &noise), ["kiln/heat null: no answer"]);
    }

    #[test]
    fn wire_lines_of_others_are_left_to_others() {
        let own =
            r#"{"ts":"2026-03-01T10:00:00.000Z","dir":"c2s","server":"a","session":"b","msg":{}}"#;
        assert_eq!((MCPSNOOP.recognise)(&Head::of(own.as_bytes(), true, 64)), None);
        assert!(
            (MCPSNOOP.recognise)(&Head::of(frame(0, "meta", CALL).as_bytes(), true, 64)).is_some()
        );
    }
}
