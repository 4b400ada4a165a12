//! Transcripts of MCP-VCR: YAML with `meta` and `messages`, or the same as JSON lines.

use super::texts::{is_text, later, nested, read, text_of};
use super::wire::{Passed, Side, Why};
use super::yaml::Yaml;
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fidelity, Place};
use saphyr_parser::Event;

pub(super) struct McpVcr;

impl Program for McpVcr {
    fn id(&self) -> &'static str {
        "mcp-vcr"
    }

    fn name(&self) -> &'static str {
        "MCP-VCR transcript"
    }

    fn about(&self) -> &'static str {
        "A transcript of MCP-VCR, in YAML or as JSON lines."
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Wire
    }

    fn units(&self) -> Units {
        Units::Document
    }

    fn recognise(&self, head: &Head<'_>) -> Option<&'static str> {
        let is_meta = |line: &Raw<'_>| {
            is_text(*line, "_type", "meta")
                && line.member("session_id").is_some()
                && line.member("recorded_at").is_some()
        };
        if head.records.first().is_some_and(is_meta) {
            return Some("a first line with _type, session_id and recorded_at");
        }
        let text = match std::str::from_utf8(head.bytes) {
            Ok(text) => text,
            Err(error) => {
                std::str::from_utf8(&head.bytes[..error.valid_up_to()]).unwrap_or_default()
            }
        };
        let begins = |line: &str| text.lines().any(|other| other.starts_with(line));
        let has = |word: &str| text.lines().any(|line| line.trim_start().starts_with(word));
        (begins("meta:") && begins("messages:") && has("recorded_at:") && has("session_id:"))
            .then_some("YAML with meta.recorded_at, meta.session_id and messages")
    }

    fn converter(&self, file: &FileFacts<'_>) -> Box<dyn Convert> {
        Box::new(Transcript {
            max_depth: file.max_depth,
            begun: String::new(),
            session: String::new(),
        })
    }
}

struct Transcript {
    max_depth: usize,
    /// When the recording began.
    begun: String,
    session: String,
}

impl Convert for Transcript {
    fn unit(&mut self, text: &str, wire: &mut Wire) {
        if text.trim_start().starts_with('{') {
            self.lines(text, wire);
            return;
        }
        let mut yaml = Yaml::new(text, self.max_depth);
        let mut lines = Lines { text, line: 1, byte: 0 };
        if let Err(error) = self.document(&mut yaml, &mut lines, wire) {
            let place = lines.go(yaml.line());
            wire.at(place);
            let rest =
                text.get(usize::try_from(place.byte).unwrap_or_default()..).unwrap_or_default();
            let is_last = rest.trim_end().lines().count() <= 1;
            let why = if is_last { Why::CutShort } else { Why::Unrecognised };
            wire.unreadable(why, format!("not YAML: {error}"), rest);
        }
    }
}

impl Transcript {
    /// Reads a transcript that is kept as JSON lines.
    fn lines(&mut self, text: &str, wire: &mut Wire) {
        let mut place = Place { line: 1, byte: 0 };
        for line in text.split_inclusive('\n') {
            wire.at(place);
            place = Place { line: place.line + 1, byte: place.byte + line.len() as u64 };
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            let Some(line) = read(line, self.max_depth, wire) else { continue };
            if is_text(line, "_type", "meta") {
                self.begin(line);
                wire.other("(no MCP call)", 1);
            } else {
                self.message(line, wire);
            }
        }
    }

    fn document(
        &mut self,
        yaml: &mut Yaml<'_>,
        lines: &mut Lines<'_>,
        wire: &mut Wire,
    ) -> Result<(), String> {
        loop {
            match yaml.next()? {
                Event::MappingStart(..) => break,
                Event::StreamStart | Event::DocumentStart(_) | Event::Nothing => {}
                _ => return Err("it does not begin with a mapping".to_owned()),
            }
        }
        loop {
            let key = match yaml.next()? {
                Event::MappingEnd => return Ok(()),
                Event::Scalar(key, ..) => key,
                _ => return Err("a key is a collection".to_owned()),
            };
            match (&*key, yaml.next()?) {
                ("messages", Event::SequenceStart(..)) => loop {
                    let first = match yaml.next()? {
                        Event::SequenceEnd => break,
                        first => first,
                    };
                    wire.at(lines.go(yaml.line()));
                    let message = yaml.node(first)?;
                    self.message(Raw::known(&message, false), wire);
                },
                (key, first) => {
                    let value = yaml.node(first)?;
                    if key == "meta" {
                        self.begin(Raw::known(&value, false));
                    }
                }
            }
        }
    }

    fn begin(&mut self, meta: Raw<'_>) {
        self.begun = text_of(meta, "recorded_at").unwrap_or_default().into_owned();
        // An id of digits may stand there without quotes.
        let session = meta.member("session_id");
        let session =
            session.map(|id| id.as_str().map_or(id.text().into(), crate::json::RawStr::decode));
        self.session = session.unwrap_or_default().into_owned();
    }

    fn message(&self, entry: Raw<'_>, wire: &mut Wire) {
        let side = match text_of(entry, "dir").as_deref() {
            Some("c2s") => Side::Client,
            Some("s2c") => Side::Server,
            _ => {
                wire.other("(no MCP call)", 1);
                return;
            }
        };
        let Some(message) = entry.member("payload").filter(|payload| payload.kind() != Kind::Null)
        else {
            wire.other("(no MCP call)", 1);
            return;
        };
        // What no JSON is may be kept as a text.
        let held = message.as_str().map(crate::json::RawStr::decode);
        let message =
            held.as_deref().and_then(|text| nested(text, self.max_depth)).unwrap_or(message);
        let after = entry.member("t").and_then(|after| after.text().parse().ok());
        let at = after.and_then(|after| later(&self.begun, after));
        wire.message(&Passed {
            side,
            at: at.as_deref(),
            session: &self.session,
            message: message.text(),
            ..Passed::default()
        });
    }
}

/// The lines of a text, which are asked for in their order.
struct Lines<'a> {
    text: &'a str,
    line: usize,
    byte: usize,
}

impl Lines<'_> {
    fn go(&mut self, line: usize) -> Place {
        let rest = self.text.as_bytes().get(self.byte..).unwrap_or_default();
        let steps = line.saturating_sub(self.line);
        if let Some(end) =
            steps.checked_sub(1).and_then(|steps| memchr::memchr_iter(b'\n', rest).nth(steps))
        {
            self.byte += end + 1;
            self.line = line;
        }
        Place { line: self.line as u64, byte: self.byte as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::calls;
    use super::*;

    const META: &str = "meta:\n  recorded_at: '2026-01-05T08:00:00.000Z'\n  session_id: 12345678\n";

    #[test]
    fn ids_without_quotes_and_block_scalars_are_read() {
        let text = format!(
            "{META}messages:\n- dir: c2s\n  payload:\n    id: REQ-1\n    method: tools/call\n    params:\n      arguments:\n        open: yes\n        since: 2026-01-01\n      name: heat\n  t: 40\n- dir: s2c\n  payload:\n    id: REQ-1\n    result:\n      content:\n      - text: |-\n          warm\n          dry\n        type: text\n  t: 65\n"
        );
        assert!(McpVcr.recognise(&Head::of(text.as_bytes(), true, 64)).is_some());
        assert_eq!(
            calls(&McpVcr, &text),
            ["/heat {\"open\":\"yes\",\"since\":\"2026-01-01\"}: result warm\ndry"]
        );
    }

    fn written(text: &str) -> super::super::Written {
        let facts =
            FileFacts { name: "s.yaml", stem: "s", folder: None, is_named: false, max_depth: 64 };
        let mut wire = Wire::default();
        wire.begin("mcp-vcr", Fidelity::Wire);
        McpVcr.converter(&facts).unit(text, &mut wire);
        wire.take()
    }

    #[test]
    fn times_count_from_the_beginning_and_places_are_lines() {
        let text = format!(
            "{META}messages:\n- t: 5\n  dir: c2s\n  payload: {{id: 1, method: ping}}\n\n- t: 1500\n  dir: s2c\n  payload:\n    id: 1\n    result: {{}}\n"
        );
        let written = written(&text);
        assert!(written.text.contains(r#""ts":"2026-01-05T08:00:01.500Z""#), "{}", written.text);
        let lines: Vec<u64> = written.units.iter().map(|unit| unit.place.line).collect();
        assert_eq!(lines, [5, 9]);
        let mut bytes =
            written.units.iter().filter_map(|unit| usize::try_from(unit.place.byte).ok());
        assert!(bytes.all(|byte| text[byte..].starts_with("- t:")));
    }

    #[test]
    fn messages_before_damage_are_kept() {
        let text = format!(
            "{META}messages:\n- t: 5\n  dir: c2s\n  payload: {{id: 1, method: ping}}\n- t: 6\n  dir: s2c\n  payload: {{id: 1, result: {{\"a"
        );
        let written = written(&text);
        assert_eq!((written.units.len(), written.broken.len()), (1, 1));
        assert_eq!(written.broken[0].why, Why::CutShort);
    }

    #[test]
    fn json_lines_are_read() {
        let text = concat!(
            r#"{"_type":"meta","version":1,"recorded_at":"2026-01-05T08:00:00Z","session_id":"ab"}"#,
            "\n",
            r#"{"t":12,"dir":"c2s","payload":{"id":1,"method":"tools/call","params":{"name":"heat"}}}"#,
            "\n",
            r#"{"t":15,"dir":"s2c","payload":{"id":1,"result":{"content":[]}}}"#,
        );
        assert_eq!(calls(&McpVcr, text), ["/heat null: result "]);
        assert!(McpVcr.recognise(&Head::of(text.as_bytes(), true, 64)).is_some());
    }

    #[test]
    fn other_yaml_is_left_to_others() {
        for text in
            ["meta:\n  a: 1\nmessages: []\n", "messages:\n- a\n", "a: 1\n", "meta: messages:"]
        {
            assert_eq!(McpVcr.recognise(&Head::of(text.as_bytes(), true, 64)), None, "{text}");
        }
    }
}
