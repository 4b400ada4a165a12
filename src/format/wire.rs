//! JSON-RPC messages that passed between a client and a server: wire lines, `{"ts","dir","msg"}`, and bare messages, as a
//! copy of a server's standard streams leaves them.

use super::exchange::{number, scalar};
use super::reply::{read_error, read_result};
use super::{CallNotes, Context, Message, Outcome, Reading, Record};
use crate::json::{Kind, Raw, RawStr, Scan, Scanner};
use crate::recording::{Direction, Fate, Fidelity, Refuser};
use std::borrow::Cow;

/// What the line holds besides its direction and time.
enum Payload<'a> {
    Missing,
    Messages(Vec<Message<'a>>),
    /// A value that is no JSON-RPC message, or text that is not even JSON.
    Foreign,
}

pub(super) fn read<'a>(text: &'a str, context: &mut Context) -> Reading<'a> {
    let mut scanner = Scanner::new(text, context.max_depth);
    if scanner.peek()? != Kind::Object {
        scanner.value()?;
        return scanner.end().map(|()| None);
    }
    let mut at = None;
    let mut direction = None;
    let (mut server, mut called) = (None, None);
    let mut session = None;
    let mut payload = Payload::Missing;
    let mut beside = CallNotes::default();
    let mut is_beside = false;
    let (mut is_gap, mut is_head) = (false, false);
    scanner.object(|inner, key| {
        match &*key.decode() {
            "ts" | "timestamp" | "t" => at = scalar(inner)?,
            "dir" | "direction" => direction = scalar(inner)?,
            "server" | "server_label" | "serverName" => server = scalar(inner)?,
            "called" => called = scalar(inner)?,
            "session" | "session_id" => session = scalar(inner)?,
            "msg" | "message" | "payload" | "raw" => {
                let read = read_messages(inner)?;
                if !matches!(payload, Payload::Messages(_)) {
                    payload = read.map_or(Payload::Foreign, Payload::Messages);
                }
            }
            "gap" => is_gap = inner.value()?.kind() == Kind::Object,
            "recorder" => is_head = scalar(inner)?.is_some_and(|it| it.starts_with("tapecheck ")),
            name => is_beside |= read_beside(name, inner.value()?, &mut beside),
        }
        Ok(())
    })?;
    scanner.end()?;
    if is_gap && matches!(payload, Payload::Missing) {
        return Ok(Some(Record::Gap { session }));
    }
    if is_head && direction.is_none() && matches!(payload, Payload::Missing) {
        return Ok(Some(Record::Traffic(Cow::Borrowed("(head of a recording)"))));
    }
    let Some(word) = direction else { return Ok(None) };
    let sender = sender(&word);
    Ok(match (payload, sender) {
        (Payload::Messages(mut messages), Some(sender)) => {
            for message in &mut messages {
                message.direction = Some(sender);
                message.at.clone_from(&at);
                message.server.clone_from(if called.is_some() { &called } else { &server });
                message.is_called = called.is_some();
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
fn read_beside(name: &str, value: Raw<'_>, beside: &mut CallNotes) -> bool {
    let is_true = value.text() == "true";
    let text = value.as_str().map(RawStr::decode).unwrap_or_default();
    let origin = &mut beside.origin;
    match name {
        "recorded_by" => origin.recorded_by = text.into_owned(),
        "fidelity" => origin.fidelity = Fidelity::of_name(&text).unwrap_or_default(),
        "refused_by" => origin.refused_by = Refuser::of_name(&text),
        "reply_cut" => origin.reply_cut = is_true,
        "error_unknown" => origin.error_unknown = is_true,
        "name_is_guess" => origin.name_is_guess = is_true,
        "host_owned" => origin.host_owned = is_true,
        "fate" => beside.fate = Fate::of_name(&text),
        "duration_ms" => beside.duration_ms = number(value),
        _ => return false,
    }
    true
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

/// Reads a message, or a batch of them, without anything around it.
pub(super) fn read_bare<'a>(text: &'a str, context: &mut Context) -> Reading<'a> {
    if !text.contains("\"jsonrpc\"") {
        return Ok(None);
    }
    let mut scanner = Scanner::new(text, context.max_depth);
    let messages = read_messages(&mut scanner)?;
    scanner.end()?;
    Ok(messages.map(|mut messages| {
        for message in &mut messages {
            message.direction = match message.method.as_deref() {
                // Requests that only servers send; everything else with a method is the client's,
                // as far as a line without a direction can tell.
                None
                | Some(
                    "sampling/createMessage"
                    | "elicitation/create"
                    | "roots/list"
                    | "notifications/tasks"
                    | "notifications/tasks/status",
                ) => Some(Direction::FromServer),
                Some(_) => Some(Direction::FromClient),
            };
        }
        Record::Messages(messages)
    }))
}

/// Reads one message, or a batch of them. `None`: the value is no JSON-RPC at all.
pub(super) fn read_messages<'a>(scanner: &mut Scanner<'a>) -> Scan<Option<Vec<Message<'a>>>> {
    match scanner.peek()? {
        Kind::Object => Ok(read_message(scanner)?.map(|message| vec![message])),
        Kind::Array => {
            let mut messages = Vec::new();
            let mut real = 0;
            scanner.array(|inner| {
                if inner.peek()? == Kind::Object {
                    let message = read_message(inner)?;
                    real += usize::from(message.is_some());
                    messages.push(message.unwrap_or_default());
                } else {
                    inner.value()?;
                    messages.push(Message::default());
                }
                Ok(())
            })?;
            // What is no message in a batch stays among them, empty, to be counted.
            Ok((real > 0).then_some(messages))
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => scanner.value().map(|_| None),
    }
}

fn read_message<'a>(scanner: &mut Scanner<'a>) -> Scan<Option<Message<'a>>> {
    let mut message = Message::default();
    scanner.object(|inner, key| {
        match &*key.decode() {
            "id" => {
                message.id =
                    Some(inner.value()?).filter(|id| id.kind() != Kind::Null).map(Raw::text);
            }
            "method" => message.method = scalar(inner)?,
            "params" => message.params = Some(inner.value()?),
            "result" => message.outcome = Some(read_result(inner)?),
            "error" => message.outcome = Some(Outcome::Error(read_error(inner.value()?))),
            _ => {
                inner.value()?;
            }
        }
        Ok(())
    })?;
    let is_rpc = message.method.is_some() || message.outcome.is_some();
    Ok(is_rpc.then_some(message))
}
