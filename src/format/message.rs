//! JSON-RPC messages, the common part of all wire recordings.

use super::exchange::scalar;
use super::reply::{read_error, read_result};
use super::{Message, Outcome};
use crate::json::{Kind, Raw, Scan, Scanner};

/// Reads one message, or a batch of them. `None`: the value is no JSON-RPC at all.
pub(super) fn read_messages<'a>(scanner: &mut Scanner<'a>) -> Scan<Option<Vec<Message<'a>>>> {
    match scanner.peek()? {
        Kind::Object => Ok(read_message(scanner)?.map(|message| vec![message])),
        Kind::Array => {
            let mut messages = Vec::new();
            let mut strangers = 0;
            scanner.array(|inner| {
                if inner.peek()? == Kind::Object {
                    match read_message(inner)? {
                        Some(message) => messages.push(message),
                        None => strangers += 1,
                    }
                } else {
                    inner.value()?;
                    strangers += 1;
                }
                Ok(())
            })?;
            Ok((strangers == 0 && !messages.is_empty()).then_some(messages))
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => scanner.value().map(|_| None),
    }
}

fn read_message<'a>(scanner: &mut Scanner<'a>) -> Scan<Option<Message<'a>>> {
    let mut message = Message {
        at: None,
        direction: None,
        server: None,
        session: None,
        id: None,
        method: None,
        params: None,
        outcome: None,
    };
    scanner.object(|inner, key| {
        match &*key.decode() {
            "id" => {
                message.id =
                    Some(inner.value()?).filter(|id| id.kind() != Kind::Null).map(Raw::text);
            }
            "method" => message.method = scalar(inner.value()?),
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
