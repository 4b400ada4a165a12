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
