//! Sessions of mcp-recorder by Todd Gray: one message on each line, and a summary.

use super::texts::{is_text, read, text_of, time_of_millis};
use super::wire::{Passed, Side};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::Fidelity;

pub(super) struct ToddegrayRecorder;

impl Program for ToddegrayRecorder {
    fn id(&self) -> &'static str {
        "toddegray-recorder"
    }

    fn name(&self) -> &'static str {
        "mcp-recorder session"
    }

    fn about(&self) -> &'static str {
        "A session of mcp-recorder by Todd Gray: ~/.mcp-recorder/sessions/NAME.jsonl."
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Wire
    }

    fn units(&self) -> Units {
        Units::Lines
    }

    fn recognise(&self, head: &Head<'_>) -> Option<&'static str> {
        let is_number =
            |line: &Raw<'_>, name| line.member(name).is_some_and(|it| it.kind() == Kind::Number);
        let is_entry = |line: &Raw<'_>| {
            is_number(line, "seq")
                && is_number(line, "t")
                && side(*line).is_some()
                && line.member("msg").is_some()
        };
        head.records.iter().any(is_entry).then_some("lines with seq, t in seconds, dir and msg")
    }

    fn converter(&self, file: &FileFacts<'_>) -> Box<dyn Convert> {
        Box::new(Session { max_depth: file.max_depth })
    }
}

fn side(line: Raw<'_>) -> Option<Side> {
    match text_of(line, "dir").as_deref() {
        Some("c2s") => Some(Side::Client),
        Some("s2c") => Some(Side::Server),
        _ => None,
    }
}

struct Session {
    max_depth: usize,
}

impl Convert for Session {
    fn unit(&mut self, text: &str, wire: &mut Wire) {
        let Some(line) = read(text, self.max_depth, wire) else { return };
        let Some((side, message)) = side(line).zip(line.member("msg")) else {
            let name = if is_text(line, "type", "summary") { "(summary)" } else { "(no MCP call)" };
            wire.other(name, 1);
            return;
        };
        let at = line.member("t").and_then(time);
        wire.message(&Passed {
            side,
            at: at.as_deref(),
            message: message.text(),
            ..Passed::default()
        });
    }
}

/// Seconds since 1970 as a time.
fn time(seconds: Raw<'_>) -> Option<String> {
    let seconds: f64 = seconds.text().parse().ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "casts of floats saturate")]
    time_of_millis((seconds * 1000.0).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::super::tests::calls;
    use super::*;

    #[test]
    fn noise_and_the_summary_are_other_traffic() {
        let text = concat!(
            r#"{"seq":0,"t":1770000000.25,"dir":"c2s","msg":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"heat"}}}"#,
            "\n",
            r#"{"seq":1,"t":1770000001,"dir":"s2c","msg":"ready","malformed":true}"#,
            "\n",
            r#"{"seq":2,"t":1770000002.5,"dir":"s2c","msg":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"warm"}]}}}"#,
            "\n",
            r#"{"type":"summary","startedAt":1770000000,"requests":1}"#,
        );
        assert_eq!(calls(&ToddegrayRecorder, text), ["/heat null: result warm"]);
        assert!(ToddegrayRecorder.recognise(&Head::of(text.as_bytes(), true, 64)).is_some());
        let seconds = crate::json::scan_document("1770000000.25", 9).expect("JSON");
        assert_eq!(time(seconds).as_deref(), Some("2026-02-02T02:40:00.250Z"));
    }

    #[test]
    fn wire_lines_of_others_are_left_to_others() {
        for other in [
            r#"{"ts":"2026-03-01T10:00:00.000Z","dir":"c2s","msg":{}}"#,
            r#"{"seq":1,"t":"2026-03-01T10:00:00.000Z","dir":"c2s","msg":{}}"#,
            r#"{"seq":1,"t":5,"dir":"up","msg":{}}"#,
        ] {
            assert_eq!(
                ToddegrayRecorder.recognise(&Head::of(other.as_bytes(), true, 64)),
                None,
                "{other}"
            );
        }
    }
}
