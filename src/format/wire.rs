//! Wire lines: `{"ts","dir","msg"}`, each message that passed between a client and a server.

use super::exchange::{number, scalar};
use super::message::read_messages;
use super::{Beside, Context, Direction, Message, Reading, Record};
use crate::json::{Kind, Raw, RawStr, Scanner};
use crate::recording::{Fate, Fidelity, Refuser};
use std::borrow::Cow;

pub(super) fn read<'a>(text: &'a str, context: &mut Context) -> Reading<'a> {
    read_line(&mut Scanner::new(text, context.max_depth))
}

/// What the line holds besides its direction and time.
enum Payload<'a> {
    Missing,
    Messages(Vec<Message<'a>>),
    /// A value that is no JSON-RPC message, or text that is not even JSON.
    Foreign,
}

fn read_line<'a>(scanner: &mut Scanner<'a>) -> Reading<'a> {
    if scanner.peek()? != Kind::Object {
        scanner.value()?;
        return scanner.end().map(|()| None);
    }
    let mut at = None;
    let mut direction = None;
    let mut server = None;
    let mut session = None;
    let mut payload = Payload::Missing;
    let mut beside = Beside::default();
    let mut is_beside = false;
    scanner.object(|inner, key| {
        match &*key.decode() {
            "ts" | "timestamp" | "t" => at = scalar(inner)?,
            "dir" | "direction" => direction = scalar(inner)?,
            "server" | "server_label" | "serverName" => server = scalar(inner)?,
            "session" | "session_id" => session = scalar(inner)?,
            "msg" | "message" | "payload" | "raw" => {
                let read = read_messages(inner)?;
                if !matches!(payload, Payload::Messages(_)) {
                    payload = read.map_or(Payload::Foreign, Payload::Messages);
                }
            }
            name => is_beside |= read_beside(name, inner.value()?, &mut beside),
        }
        Ok(())
    })?;
    scanner.end()?;
    let Some(word) = direction else { return Ok(None) };
    let sender = sender(&word);
    Ok(match (payload, sender) {
        (Payload::Messages(mut messages), Some(sender)) => {
            for message in &mut messages {
                message.direction = Some(sender);
                message.at.clone_from(&at);
                message.server.clone_from(&server);
                message.session.clone_from(&session);
                message.beside = is_beside.then(|| Box::new(beside.clone()));
            }
            Some(Record::Messages(messages))
        }
        (Payload::Foreign, Some(Direction::FromClient)) => {
            Some(Record::Traffic(Cow::Borrowed("(not JSON-RPC, from client)")))
        }
        (Payload::Foreign, Some(Direction::FromServer)) => {
            Some(Record::Traffic(Cow::Borrowed("(not JSON-RPC, from server)")))
        }
        (Payload::Messages(_) | Payload::Foreign | Payload::Missing, _) => None,
    })
}

/// Takes in what a program wrote beside the message; whether the member is one of those.
fn read_beside(name: &str, value: Raw<'_>, beside: &mut Beside) -> bool {
    let is_true = value.text() == "true";
    let text = value.as_str().map(RawStr::decode).unwrap_or_default();
    let origin = &mut beside.origin;
    match name {
        "recorded_by" => origin.recorded_by = text.into_owned(),
        "fidelity" => {
            origin.fidelity = named(&Fidelity::ALL, Fidelity::name, &text).unwrap_or_default();
        }
        "refused_by" => origin.refused_by = named(&Refuser::ALL, Refuser::name, &text),
        "reply_cut" => origin.reply_cut = is_true,
        "error_unknown" => origin.error_unknown = is_true,
        "name_is_guess" => origin.name_is_guess = is_true,
        "host_owned" => origin.host_owned = is_true,
        "fate" => beside.fate = named(&Fate::ALL, Fate::name, &text),
        "duration_ms" => beside.duration_ms = number(value),
        _ => return false,
    }
    true
}

fn named<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str, text: &str) -> Option<T> {
    all.iter().copied().find(|it| name(*it) == text)
}

/// Recorders name the two directions in many ways.
fn sender(word: &str) -> Option<Direction> {
    match word {
        "c2s" | "send" | "client" | "out" | "client_to_server" | "client->server" | "request" => {
            Some(Direction::FromClient)
        }
        "s2c" | "receive" | "recv" | "server" | "in" | "server_to_client" | "server->client"
        | "response" => Some(Direction::FromServer),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Reading<'_> {
        super::read(text, &mut Context::new(64))
    }

    #[test]
    fn a_wire_line_is_read() {
        let text = r#"{"ts":"2026-01-01T00:00:00.000Z","dir":"c2s","msg":{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{}}}"#;
        let Ok(Some(Record::Messages(messages))) = read(text) else { panic!("a message") };
        assert_eq!(messages[0].direction, Some(Direction::FromClient));
        assert_eq!(messages[0].id, Some("\"a\""));
        assert_eq!(messages[0].method.as_deref(), Some("tools/call"));
    }

    #[test]
    fn batches_and_foreign_text_are_known() {
        let batch = r#"{"dir":"s2c","msg":[{"id":1,"result":{}},{"id":2,"error":{}}]}"#;
        assert!(matches!(read(batch), Ok(Some(Record::Messages(messages))) if messages.len() == 2));
        let odd = r#"{"dir":"s2c","msg":[{"id":1,"result":{}},null,{"x":1}]}"#;
        let Ok(Some(Record::Messages(messages))) = read(odd) else { panic!("messages") };
        assert!(messages[0].outcome.is_some(), "the answer counts whatever stands beside it");
        assert!(messages[1..].iter().all(|message| message.outcome.is_none()));
        let log = r#"{"dir":"s2c","raw":"server is listening"}"#;
        assert!(matches!(read(log), Ok(Some(Record::Traffic(_)))));
        assert!(matches!(read(r#"{"dir":"up","msg":{"id":1,"result":{}}}"#), Ok(None)));
    }
}
