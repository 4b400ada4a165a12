//! Bare JSON-RPC messages, one a line, as a copy of a server's standard streams leaves them.

use super::message::read_messages;
use super::{Context, Direction, Format, Reading, Record, reading};
use crate::json::{Scan, Scanner};

pub(super) struct RawRpcLines;

impl Format for RawRpcLines {
    fn name(&self) -> &'static str {
        "JSON-RPC lines"
    }

    fn about(&self) -> &'static str {
        "One JSON-RPC message on each line, as sent over the wire."
    }

    fn read<'a>(&self, text: &'a str, context: &mut Context) -> Reading<'a> {
        if !text.contains("\"jsonrpc\"") {
            return Reading::NotMine;
        }
        reading(read_line(&mut Scanner::new(text, context.max_depth)))
    }
}

fn read_line<'a>(scanner: &mut Scanner<'a>) -> Scan<Option<Record<'a>>> {
    let messages = read_messages(scanner)?;
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
