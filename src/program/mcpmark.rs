//! Chats whose tools are MCP's: `messages.json` of `MCPMark`, and other chats with results of MCP calls in them.

use super::chat::{self, ChatCall};
use super::kept::{self, CallResult, Kept};
use super::records::{JsonFile, Records, records_in};
use super::texts::{elements_of, is_text, nested, text_of};
use super::wire::{Answer, Call};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fidelity, Refuser};

pub(super) struct McpMark;

/// Where programs keep the messages of a chat.
const CHATS: [&str; 2] = ["messages", "conversations"];

impl Program for McpMark {
    fn id(&self) -> &'static str {
        "mcpmark"
    }

    fn name(&self) -> &'static str {
        "Chat with MCP results"
    }

    fn about(&self) -> &'static str {
        "Messages of a chat with the results of MCP calls: messages.json of MCPMark, and chats of other programs."
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Derived
    }

    fn units(&self) -> Units {
        Units::Lines
    }

    fn recognise(&self, head: &Head<'_>) -> Option<&'static str> {
        let is_chat = |record: &Raw<'_>| {
            let messages =
                CHATS.iter().find_map(|name| record.member(name)?.elements()).unwrap_or_default();
            messages.iter().any(|message| chat::is_of_a_call(*message))
        };
        let records = head.any_records();
        let is_one = head.document().is_some_and(|document| document.kind() == Kind::Array)
            && records.iter().any(|message| chat::is_of_a_call(*message) || is_result(*message));
        (is_one || records.iter().any(is_chat)).then_some("messages of a chat with tool_calls")
    }

    fn converter(&self, file: &FileFacts<'_>) -> Box<dyn Convert> {
        let chats = Chats { max_depth: file.max_depth, is_named: file.is_named, count: 0 };
        Box::new(JsonFile::new(chats, file.max_depth))
    }
}

/// Whether a message has the result of an MCP call as the models of Anthropic are shown it.
fn is_result(message: Raw<'_>) -> bool {
    let blocks = elements_of(message, "content");
    let is_result = |block: &Raw<'_>| {
        let content = block.member("content").filter(|_| is_text(*block, "type", "tool_result"));
        content.is_some_and(|content| {
            kept::result_in_text(&chat::text_in(content), usize::MAX).is_some()
        })
    };
    is_text(message, "role", "user") && blocks.iter().any(is_result)
}

struct Chats {
    max_depth: usize,
    is_named: bool,
    /// Chats so far.
    count: u64,
}

impl Records for Chats {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        let is_message =
            |record: &Raw<'_>| record.member("role").is_some() || record.member("type").is_some();
        let records = records_in(value, &[]);
        if value.kind() == Kind::Array && records.first().is_some_and(is_message) {
            self.chat(&records, wire);
            return;
        }
        for record in records {
            let messages =
                CHATS.iter().find_map(|name| record.member(name)?.elements()).unwrap_or_default();
            self.chat(&messages, wire);
        }
    }
}

impl Chats {
    fn chat(&mut self, messages: &[Raw<'_>], wire: &mut Wire) {
        self.count += 1;
        let calls = chat::calls(messages, self.max_depth);
        let replies: Vec<Option<Shown>> =
            calls.iter().map(|call| Some(Shown::of(call.reply?, self.max_depth))).collect();
        let is_mcp = self.is_named || replies.iter().flatten().any(|shown| shown.result.is_some());
        if calls.is_empty() {
            wire.other("(no MCP call)", 1);
        } else if !is_mcp {
            wire.other("(tool not known to be MCP's)", calls.len() as u64);
        } else {
            for (at, (call, shown)) in calls.iter().zip(replies).enumerate() {
                self.call(at, call, shown, wire);
            }
        }
    }

    fn call(&self, at: usize, call: &ChatCall<'_>, shown: Option<Shown>, wire: &mut Wire) {
        let is_unique = chat::is_random(&call.id);
        let id = if is_unique { call.id.clone() } else { format!("{}.{at}", self.count) };
        let session = self.count.to_string();
        wire.call(&Call {
            id: &id,
            is_unique,
            session: &session,
            tool: &call.name,
            arguments: &call.arguments.json,
            ..Call::default()
        });
        let Some(shown) = shown else { return };
        let (kept, is_cut) = shown.kept(call);
        wire.answer(&Answer { id: &id, at: None, duration_ms: None, reply: kept.reply(), is_cut });
    }
}

/// What a chat shows of a reply.
struct Shown {
    result: Option<CallResult>,
    text: String,
}

impl Shown {
    fn of(reply: Raw<'_>, max_depth: usize) -> Self {
        let text = chat::text_in(reply);
        // A message of the Agents SDK is a block, which may hold the text of another message.
        let block = nested(&text, max_depth).filter(|block| is_text(*block, "type", "text"));
        let inner = block.filter(|block| block.member("annotations").is_some());
        let Some(inner) =
            inner.and_then(|block| text_of(block, "text")).map(std::borrow::Cow::into_owned)
        else {
            let result = kept::result_in(reply, max_depth)
                .or_else(|| kept::result_in_text(&text, max_depth));
            return Self { result, text };
        };
        let result = kept::result_in_text(&inner, max_depth);
        let is_error = inner.starts_with("Error: ");
        let result = result.or_else(|| (!is_error).then(|| CallResult::of_text(&inner)));
        Self { result, text: inner }
    }

    fn kept(self, call: &ChatCall<'_>) -> (Kept, bool) {
        if let Some(result) = self.result {
            let is_cut = result.is_cut;
            return (Kept::Result(result.with_error(call.is_error)), is_cut);
        }
        let kept = match self.text.strip_prefix("Error: ") {
            Some(_) if call.arguments.is_broken => Kept::not_sent(Refuser::Host, self.text),
            Some(error) => kept::failure(error),
            None => Kept::text(self.text, call.is_error),
        };
        (kept, false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{calls, calls_when_named};
    use super::*;

    /// A chat of one call with this reply.
    fn chat(reply: &str) -> String {
        format!(
            r#"[{{"role":"assistant","tool_calls":[{{"id":"1","function":{{"name":"f","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"1","content":{reply:?}}}]"#
        )
    }

    #[test]
    fn a_chat_whose_tools_are_not_known_to_be_of_mcp_is_read_when_named() {
        assert!(calls(&McpMark, &chat("42")).is_empty());
        assert_eq!(calls_when_named(&McpMark, &chat("42")), ["/f {}: result 42 [error_unknown]"]);
    }

    #[test]
    fn replies_are_found_in_their_wrappings() {
        let result = r#"{"content":[{"type":"text","text":"x"}],"isError":true}"#;
        let block =
            format!(r#"{{"type":"text","text":{result:?},"annotations":null,"meta":null}}"#);
        for reply in [result, &block, "content=[TextContent(type='text', text='x')] isError=True"] {
            assert_eq!(calls(&McpMark, &chat(reply)), ["/f {}: tool error x"], "{reply}");
        }
        let plain = r#"{"type":"text","text":"x","annotations":null}"#;
        assert_eq!(calls(&McpMark, &chat(plain)), ["/f {}: result x [error_unknown]"]);
    }

    #[test]
    fn only_chats_with_calls_are_taken() {
        let recognised =
            |text: &str| McpMark.recognise(&Head::of(text.as_bytes(), true, 64)).is_some();
        assert!(recognised(&chat("42")));
        assert!(recognised(&format!(r#"{{"model":"m","messages":{}}}"#, chat("42"))));
        for other in [
            r#"[{"role":"user","content":"hi"},{"role":"assistant","content":"hi"}]"#,
            r#"[{"tool":"f","input":{},"response":{"content":[]}}]"#,
            r#"[{"type":"function_call","name":"f"}]"#,
            r#"{"messages":[{"role":"tool","text":"x"}]}"#,
        ] {
            assert!(!recognised(other), "{other}");
        }
    }
}
