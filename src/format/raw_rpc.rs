//! Bare JSON-RPC messages, one a line, as a copy of a server's standard streams leaves them.

use super::message::read_messages;
use super::{Context, Direction, Reading, Record};
use crate::json::Scanner;

pub(super) fn read<'a>(text: &'a str, context: &mut Context) -> Reading<'a> {
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
