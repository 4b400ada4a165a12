//! Cassettes of `DevHelm`'s mcp-recorder: requests with their responses.

use super::http::host_of;
use super::sessions::Sessions;
use super::texts::{Places, read, text_of};
use super::wire::{Passed, Side};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Fidelity};

pub(super) struct DevhelmCassette;

impl Program for DevhelmCassette {
    fn id(&self) -> &'static str {
        "devhelm-cassette"
    }

    fn name(&self) -> &'static str {
        "mcp-recorder cassette"
    }

    fn about(&self) -> &'static str {
        "A cassette of mcp-recorder by DevHelm."
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Wire
    }

    fn units(&self) -> Units {
        Units::Document
    }

    fn recognise(&self, head: &Head<'_>) -> Option<&'static str> {
        let document = head.document()?;
        let metadata = document.member("metadata")?;
        let interactions = document.member("interactions")?.elements()?;
        let is_own =
            |one: &Raw<'_>| one.member("type").is_some() && one.member("request").is_some();
        (metadata.member("recorded_at").is_some() && interactions.iter().all(is_own))
            .then_some("metadata.recorded_at and interactions with requests")
    }

    fn converter(&self, file: &FileFacts<'_>) -> Box<dyn Convert> {
        Box::new(Cassette {
            sessions: Sessions::new(file.stem, file.max_depth),
            max_depth: file.max_depth,
        })
    }
}

struct Cassette {
    sessions: Sessions,
    max_depth: usize,
}

impl Convert for Cassette {
    fn unit(&mut self, text: &str, wire: &mut Wire) {
        let Some(document) = read(text, self.max_depth, wire) else { return };
        let metadata = document.member("metadata");
        let info = metadata.and_then(|metadata| metadata.member("server_info"));
        let url = metadata.and_then(|metadata| text_of(metadata, "server_url")).unwrap_or_default();
        let server = info.and_then(|info| text_of(info, "name")).unwrap_or(host_of(&url).into());
        let interactions = document.member("interactions").and_then(Raw::elements);
        let mut places = Places::of(document, wire);
        for interaction in interactions.unwrap_or_default() {
            wire.at(places.of_part(interaction));
            self.take(interaction, &server, wire);
        }
    }
}

impl Cassette {
    fn take(&mut self, interaction: Raw<'_>, server: &str, wire: &mut Wire) {
        let message =
            |name| interaction.member(name).filter(|message| message.kind() == Kind::Object);
        let Some(request) = message("request") else {
            wire.other("(no MCP call)", 1);
            return;
        };
        let session = self.sessions.of(server, Side::Client, request);
        let sent =
            Passed { server, session: &session, message: request.text(), ..Passed::default() };
        wire.message(&sent);
        let Some(response) = message("response") else { return };
        let number = |name| interaction.member(name).map(Raw::text);
        let is_answer = response.member("method").is_none();
        let took = number("latency_ms").and_then(|took| took.parse().ok());
        wire.message(&Passed {
            side: Side::Server,
            message: response.text(),
            status: number("response_status").and_then(|status| status.parse().ok()),
            duration_ms: took.filter(|took: &f64| is_answer && took.is_finite() && *took >= 0.0),
            ..sent
        });
        // Of a stream, only the first message is kept, which may be a notification.
        if let (false, Some(id)) = (is_answer, request.member("id")) {
            let reason = "only the first message of the stream was recorded";
            wire.no_answer(&Passed { message: id.text(), ..sent }, Fate::NotRecorded, reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::calls;
    use super::*;

    fn cassette(metadata: &str, response: &str) -> String {
        format!(
            r#"{{"version":"1.0","metadata":{{"recorded_at":"x"{metadata}}},"interactions":[
                {{"type":"jsonrpc_request","request":{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"heat"}}}},"response":{response},"response_status":200,"latency_ms":8}},
                {{"type":"lifecycle","request":null,"response":null}}]}}"#
        )
    }

    #[test]
    fn calls_have_the_latency_and_the_server_that_was_recorded() {
        let named = r#","server_info":{"name":"kiln"}"#;
        let answer =
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"warm"}]}}"#;
        let text = cassette(named, answer);
        assert_eq!(calls(&DevhelmCassette, &text), ["kiln/heat null: result warm [duration_ms 8]"]);
        assert!(DevhelmCassette.recognise(&Head::of(text.as_bytes(), true, 64)).is_some());
        let url = r#","server_url":"http://127.0.0.1:8000/mcp""#;
        assert_eq!(
            calls(&DevhelmCassette, &cassette(url, "null")),
            ["127.0.0.1:8000/heat null: no answer"]
        );
    }

    #[test]
    fn a_notification_in_place_of_the_answer_is_none() {
        let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#;
        assert_eq!(
            calls(&DevhelmCassette, &cassette("", progress)),
            ["/heat null: not_recorded by nobody"]
        );
    }

    #[test]
    fn other_documents_are_left_to_others() {
        for other in [
            r#"{"metadata":{"recorded_at":"x"},"interactions":[{"request":{},"response":{}}]}"#,
            r#"{"metadata":{},"interactions":[]}"#,
            r#"{"interactions":[]}"#,
        ] {
            assert_eq!(
                DevhelmCassette.recognise(&Head::of(other.as_bytes(), true, 64)),
                None,
                "{other}"
            );
        }
    }
}
