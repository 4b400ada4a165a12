//! Messages of Anthropic's API in which the API called tools of MCP servers: responses, histories and streams.

use super::records::{JsonFile, Records};
use super::texts::{elements_of, is_text, nested, protocol_code, text_of};
use super::wire::{Answer, Call, Reply};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::Fidelity;
use memchr::memmem;
use std::collections::HashMap;

const USE: &str = "mcp_tool_use";
const QUOTED_USE: &str = r#""mcp_tool_use""#;
const RESULT: &str = "mcp_tool_result";
/// Blocks of a stream that have not ended.
const MOST_BEGUN: usize = 1_000;

pub(super) static ANTHROPIC_MESSAGES: Program = Program {
    id: "anthropic-messages",
    name: "Anthropic Messages",
    about: "Responses, histories or streams of Anthropic's Messages API with blocks of MCP.",
    fidelity: Fidelity::Derived,
    units: Units::Lines,
    // Of a stream the first event, since the block of a call may come late.
    signs: &[r#""mcp_servers""#, QUOTED_USE, r#""mcp_tool_result""#, r#""message_start""#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let has_blocks = memmem::find(head.bytes, QUOTED_USE.as_bytes()).is_some();
    let is_list = |value: Option<Raw<'_>>| value.is_some_and(|value| value.kind() == Kind::Array);
    let is_own = |record: Raw<'_>| {
        let asks_mcp = is_list(record.member("mcp_servers")) && is_list(record.member("messages"));
        let is_stream = has_blocks
            && is_text(record, "type", "message_start")
            && record.member("message").is_some_and(|message| is_list(message.member("content")));
        asks_mcp || is_stream || blocks(record).into_iter().any(is_mcp)
    };
    head.records_and_events()
        .any(is_own)
        .then_some("content blocks of the type mcp_tool_use, or mcp_servers beside messages")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    let messages = Messages { max_depth: file.max_depth, begun: HashMap::new() };
    Box::new(JsonFile::new(messages, file.max_depth))
}

/// The content blocks of a response, of the messages of a request, or of an event.
fn blocks(record: Raw<'_>) -> Vec<Raw<'_>> {
    let member = |name| record.member(name).filter(|it| it.kind() == Kind::Object);
    let batched = member("result").and_then(|result| result.member("message"));
    let holders = [member("request"), Some(record), member("response"), member("body"), batched];
    let mut found = Vec::new();
    for holder in holders.into_iter().flatten() {
        let messages = elements_of(holder, "messages");
        for message in messages.into_iter().chain([holder]) {
            found.extend(elements_of(message, "content"));
        }
    }
    found.extend(member("content_block"));
    found
}

fn is_mcp(block: Raw<'_>) -> bool {
    (is_text(block, "type", USE) && block.member("name").is_some())
        || (is_text(block, "type", RESULT) && block.member("tool_use_id").is_some())
}

struct Messages {
    max_depth: usize,
    /// The blocks of a stream by their index, with the arguments so far.
    begun: HashMap<String, Begun>,
}

struct Begun {
    block: String,
    arguments: String,
}

impl Records for Messages {
    fn record(&mut self, record: Raw<'_>, wire: &mut Wire) {
        let kind = text_of(record, "type").unwrap_or_default();
        let index = record.member("index").map_or("", Raw::text);
        let block = record.member("content_block").filter(|block| is_text(*block, "type", USE));
        match (&*kind, block) {
            ("content_block_start", Some(block)) if self.begun.len() < MOST_BEGUN => {
                let begun = Begun { block: block.text().to_owned(), arguments: String::new() };
                self.begun.insert(index.to_owned(), begun);
                wire.other("(part of a stream)", 1);
            }
            ("content_block_delta", _) => {
                let part = record.member("delta").and_then(|delta| text_of(delta, "partial_json"));
                if let (Some(begun), Some(part)) = (self.begun.get_mut(index), part) {
                    begun.arguments.push_str(&part);
                }
                wire.other("(part of a stream)", 1);
            }
            ("content_block_stop", _) => match self.begun.remove(index) {
                Some(Begun { block, arguments }) => {
                    let arguments = nested(&arguments, self.max_depth);
                    call(Raw::known(&block, false), arguments, wire);
                }
                None => wire.other("(no MCP call)", 1),
            },
            _ => {
                let blocks = blocks(record);
                let mut found = false;
                for block in blocks.into_iter().filter(|block| is_mcp(*block)) {
                    found = true;
                    if is_text(block, "type", USE) {
                        call(block, None, wire);
                    } else {
                        answer(block, wire);
                    }
                }
                if !found {
                    wire.other("(no MCP call)", 1);
                }
            }
        }
    }

    fn end(&mut self, wire: &mut Wire) {
        for begun in std::mem::take(&mut self.begun).into_values() {
            call(Raw::known(&begun.block, false), None, wire);
        }
    }
}

/// Writes a call. In streams, the arguments come after the block.
fn call(block: Raw<'_>, arguments: Option<Raw<'_>>, wire: &mut Wire) {
    let id = text_of(block, "id").unwrap_or_default();
    let server = text_of(block, "server_name").or_else(|| text_of(block, "server"));
    wire.call(&Call {
        id: &id,
        is_unique: !id.is_empty(),
        server: &server.unwrap_or_default(),
        tool: &text_of(block, "name").unwrap_or_default(),
        arguments: arguments.or(block.member("input")).map_or("", Raw::text),
        ..Call::default()
    });
}

fn answer(block: Raw<'_>, wire: &mut Wire) {
    let id = text_of(block, "tool_use_id").unwrap_or_default();
    let is_error =
        block.member("is_error").filter(|it| it.kind() == Kind::Bool).map(|it| it.text() == "true");
    let content = block.member("content");
    let blocks = content.and_then(Raw::elements).unwrap_or_default();
    let only = match blocks[..] {
        [one] => text_of(one, "text"),
        _ => content.and_then(Raw::as_str).map(crate::json::RawStr::decode),
    };
    let text = only.as_deref().unwrap_or_default();
    let reply = match (protocol_code(text).filter(|_| is_error == Some(true)), content) {
        (Some(code), _) => Reply::Error { code, message: text },
        (None, Some(content)) if content.kind() == Kind::Array => {
            Reply::Blocks { blocks: content.text(), structured: None, is_error }
        }
        (None, _) => Reply::Text { text, is_error },
    };
    wire.answer(&Answer { id: &id, at: None, duration_ms: None, is_cut: false, reply });
}

#[cfg(test)]
mod tests {
    use super::super::{recognise as recognise_any, tests::calls};
    use super::*;

    const CALL: &str = r#"{"type":"mcp_tool_use","id":"m1","name":"heat","server_name":"kiln","input":{"t":1.50}}"#;

    fn result(rest: &str) -> String {
        format!(r#"{{"type":"mcp_tool_result","tool_use_id":"m1",{rest}}}"#)
    }

    fn message(blocks: &[&str]) -> String {
        format!(
            r#"{{"id":"msg","type":"message","role":"assistant","content":[{}]}}"#,
            blocks.join(",")
        )
    }

    #[test]
    fn results_are_texts_or_blocks() {
        for (rest, expected) in [
            (r#""is_error":false,"content":"warm""#, "result warm"),
            (
                r#""content":[{"type":"text","text":"warm"},{"type":"text","text":"dry"}]"#,
                "result warm | dry [error_unknown]",
            ),
            (r#""is_error":true,"content":[{"type":"text","text":"broke"}]"#, "tool error broke"),
            (
                r#""is_error":true,"content":"MCP error -32602: x""#,
                "error -32602 MCP error -32602: x",
            ),
            (r#""is_error":false,"content":"MCP error -32602: x""#, "result MCP error -32602: x"),
            (r#""is_error":false,"content":[]"#, "result "),
        ] {
            let found = calls(&ANTHROPIC_MESSAGES, &message(&[CALL, &result(rest)]));
            assert_eq!(found, [format!(r#"kiln/heat {{"t":1.5}}: {expected}"#)], "{rest}");
        }
    }

    #[test]
    fn histories_repeat_what_was_said() {
        let said = message(&[CALL, &result(r#""content":"warm""#)]);
        let first =
            r#"{"mcp_servers":[{"name":"kiln"}],"messages":[{"role":"user","content":"hi"}]}"#;
        let next = format!(
            r#"{{"messages":[{{"role":"user","content":"hi"}},{said},{{"role":"user","content":[]}}]}}"#
        );
        let text = [first, &said, &next, &next].join("\n");
        assert_eq!(calls(&ANTHROPIC_MESSAGES, &text).len(), 1);
        for text in [
            first,
            &said,
            &next,
            &format!("[{next}]"),
            &format!(r#"{{"custom_id":"a","result":{{"message":{said}}}}}"#),
        ] {
            assert!(
                (ANTHROPIC_MESSAGES.recognise)(&Head::of(text.as_bytes(), true, 64)).is_some(),
                "{text}"
            );
        }
    }

    #[test]
    fn streams_bring_arguments_in_parts() {
        let start = CALL.replace(r#"{"t":1.50}"#, "{}");
        let events = [
            r#"{"type":"message_start","message":{"content":[]}}"#.to_owned(),
            format!(r#"{{"type":"content_block_start","index":1,"content_block":{start}}}"#),
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"t\""}}"#.to_owned(),
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":":2}"}}"#.to_owned(),
            r#"{"type":"content_block_stop","index":1}"#.to_owned(),
            format!(r#"{{"type":"content_block_start","index":2,"content_block":{}}}"#, result(r#""is_error":false,"content":"warm""#)),
            r#"{"type":"content_block_stop","index":2}"#.to_owned(),
        ];
        let expected = [r#"kiln/heat {"t":2}: result warm"#];
        assert_eq!(calls(&ANTHROPIC_MESSAGES, &events.join("\n")), expected);
        let stream: Vec<String> =
            events.iter().map(|event| format!("event: e\ndata: {event}\n")).collect();
        assert_eq!(calls(&ANTHROPIC_MESSAGES, &stream.join("\n")), expected);
        let words = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta"}}"#;
        let late = [&*events[0], &[words; 1_000].join("\n"), &*events[1..].join("\n")].join("\n");
        for text in [&*events.join("\n"), &*stream.join("\n"), &*late] {
            let found = recognise_any(&Head::of(text.as_bytes(), true, 64));
            assert_eq!(found.map(|(program, _)| program.id), Some("anthropic-messages"), "{text}");
        }
    }

    #[test]
    fn messages_without_mcp_are_left_to_others() {
        for text in [
            r#"{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"a","name":"x","input":{}}]}"#,
            r#"{"type":"message_start","message":{"content":[]}}"#,
            r#"{"messages":[{"role":"user","content":"mcp_tool_use"}]}"#,
        ] {
            assert_eq!(
                (ANTHROPIC_MESSAGES.recognise)(&Head::of(text.as_bytes(), true, 64)),
                None,
                "{text}"
            );
        }
    }
}
