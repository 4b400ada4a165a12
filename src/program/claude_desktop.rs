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

#[cfg(test)]
mod tests {
    use super::super::tests::calls;
    use super::*;

    fn log(lines: &[&str]) -> String {
        lines.join("\n")
    }

    #[test]
    fn both_orders_of_level_and_server_and_what_follows_a_message_are_read() {
        let text = log(&[
            r#"2026-03-02T07:00:00.000Z [kiln] [info] Message from client: {"method":"tools/call","params":{"name":"heat","arguments":{"t":9}},"jsonrpc":"2.0","id":3} { metadata: undefined }"#,
            r#"2026-03-02T07:00:01.000Z [info] [kiln] Message from server: {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"a } b"}]}} { metadata: undefined }"#,
        ]);
        assert_eq!(calls(&CLAUDE_DESKTOP_LOG, &text), [r#"kiln/heat {"t":9}: result a } b"#]);
        let head = Head::of(text.as_bytes(), true, 64);
        assert!((CLAUDE_DESKTOP_LOG.recognise)(&head).is_some());
    }

    #[test]
    fn ids_start_again_with_each_start_of_the_server() {
        let call = r#"2026-03-02T07:00:00Z [kiln] [info] Message from client: {"method":"tools/call","params":{"name":"heat"},"id":1}"#;
        let answer = r#"2026-03-02T07:00:05Z [kiln] [info] Message from server: {"id":1,"result":{"content":[]}}"#;
        let start = "2026-03-02T07:00:04Z [kiln] [info] Initializing server...";
        let mut wire = Wire::default();
        let facts =
            FileFacts { name: "k.log", stem: "k", folder: None, is_named: false, max_depth: 64 };
        let mut converter = converter(&facts);
        wire.begin("claude-desktop-log", Fidelity::Wire);
        for line in [start, call, start, call, answer] {
            assert!(converter.wants(line.as_bytes(), &wire), "{line}");
            converter.unit(line, &mut wire);
        }
        let written = wire.take().text;
        let sessions: Vec<bool> =
            written.lines().map(|line| line.contains(r#""session":"k-2""#)).collect();
        assert_eq!(sessions, [false, true, true], "{written}");
    }

    #[test]
    fn what_servers_print_is_passed_over() {
        for line in [
            "Traceback: Message from client: {",
            "2026-03-02T07:00:00Z [kiln] Message from client: {}",
            "2026-03-02 07:00:00 [kiln] [info] Message from client: {}",
            "[kiln] [info] Message from client: {}",
        ] {
            assert!(Entry::read(line).is_none(), "{line}");
        }
    }
}
