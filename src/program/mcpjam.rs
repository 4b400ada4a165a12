//! Output of the command line of `MCPJam`: artifacts of `--debug-out`, and other output with `_rpcLogs`.

use super::sessions::Sessions;
use super::texts::{Places, read, text_of, time_of_millis};
use super::wire::{Passed, Side};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::Fidelity;
use std::borrow::Cow;

pub(super) struct McpJam;

impl Program for McpJam {
    fn id(&self) -> &'static str {
        "mcpjam"
    }

    fn name(&self) -> &'static str {
        "MCPJam output"
    }

    fn about(&self) -> &'static str {
        "What the command line of MCPJam wrote with --debug-out, or printed with --rpc."
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Wire
    }

    fn units(&self) -> Units {
        Units::Document
    }

    fn recognise(&self, head: &Head<'_>) -> Option<&'static str> {
        let document = head.document()?;
        if messages(document).iter().any(|event| is_event(*event)) {
            return Some("_rpcLogs with serverId, direction and message");
        }
        // The messages come last, perhaps after more than is looked at.
        let member = |holder: &str, name: &str| document.member(holder)?.member(name);
        let is_artifact = document.member("schemaVersion").is_some()
            && member("command", "name").is_some()
            && document.member("target").is_some()
            && (member("outcome", "status").is_some() || document.member("outcome").is_none());
        (is_artifact && document.member("generatedAt").is_some())
            .then_some("schemaVersion, generatedAt, command.name and target")
    }

    fn converter(&self, file: &FileFacts<'_>) -> Box<dyn Convert> {
        Box::new(Output {
            sessions: Sessions::new(file.stem, file.max_depth),
            max_depth: file.max_depth,
        })
    }
}

fn messages(document: Raw<'_>) -> Vec<Raw<'_>> {
    document.member("_rpcLogs").and_then(Raw::elements).unwrap_or_default()
}

fn is_event(event: Raw<'_>) -> bool {
    ["serverId", "direction", "message"].iter().all(|name| event.member(name).is_some())
}

struct Output {
    sessions: Sessions,
    max_depth: usize,
}

impl Convert for Output {
    fn unit(&mut self, text: &str, wire: &mut Wire) {
        let Some(document) = read(text, self.max_depth, wire) else { return };
        let mut places = Places::of(document, wire);
        let events = messages(document);
        if events.is_empty() {
            wire.other("(no MCP call)", 1);
        }
        for event in events {
            wire.at(places.of_part(event));
            let side = match text_of(event, "direction").as_deref() {
                Some("send") => Side::Client,
                Some("receive") => Side::Server,
                _ => {
                    wire.other("(no MCP call)", 1);
                    continue;
                }
            };
            let Some(message) = event.member("message") else { continue };
            let server = text_of(event, "serverName").or_else(|| text_of(event, "serverId"));
            let server = server.unwrap_or_default();
            let session = self.sessions.of(&server, side, message);
            let at = time(event);
            wire.message(&Passed {
                side,
                at: at.as_deref(),
                server: &server,
                session: &session,
                message: message.text(),
                ..Passed::default()
            });
        }
    }
}

fn time(event: Raw<'_>) -> Option<Cow<'_, str>> {
    let time = event.member("timestamp")?;
    match time.kind() {
        Kind::Number => time_of_millis(time.text().parse().ok()?).map(Cow::Owned),
        _ => time.as_str().map(crate::json::RawStr::decode),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::calls;
    use super::*;

    #[test]
    fn servers_are_told_apart() {
        let text = r#"{"tools":[],"_rpcLogs":[
            {"serverId":"1","serverName":"kiln","direction":"send","timestamp":"2026-02-01T08:00:00Z","message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"heat"}}},
            {"serverId":"2","direction":"send","timestamp":1770000000000,"message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weave"}}},
            {"serverId":"2","direction":"receive","timestamp":1770000000100,"message":{"jsonrpc":"2.0","id":1,"result":{"content":[]}}}
        ]}"#;
        assert_eq!(calls(&McpJam, text), ["kiln/heat null: no answer", "2/weave null: result "]);
        assert!(McpJam.recognise(&Head::of(text.as_bytes(), true, 64)).is_some());
    }

    #[test]
    fn an_artifact_is_known_before_its_messages() {
        let text = r#"{"schemaVersion":1,"generatedAt":"x","command":{"name":"tools call"},"target":{},"outcome":{"status":"success"},"snapshot":{"a"#;
        assert!(McpJam.recognise(&Head::of(text.as_bytes(), false, 64)).is_some());
        for other in [
            r#"{"schemaVersion":1,"command":"x","target":{}}"#,
            r#"{"_rpcLogs":[]}"#,
            r#"{"_rpcLogs":[5]}"#,
        ] {
            assert_eq!(McpJam.recognise(&Head::of(other.as_bytes(), true, 64)), None, "{other}");
        }
    }
}
