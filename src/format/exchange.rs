//! Exchange lines: `{tool, input, response, …}`, one exchange each, and the tool lists among them.

use super::document::is_document;
use super::reply::{is_of_a_call, of_function, read_reply};
use super::tools::{ToolCache, read_tool_list};
use super::{Context, ExchangeRecord, Reading, Record, ToolMention};
use crate::json::{Kind, Raw, Scan, Scanner};
use std::borrow::Cow;

pub(super) fn read<'a>(text: &'a str, context: &mut Context) -> Reading<'a> {
    let mut scanner = Scanner::new(text, context.max_depth);
    let read = read_line(&mut scanner, &mut context.tools)?;
    // A response by itself may be one that speaks of no tool at all.
    let is_alone = matches!(&read, Some(Record::Exchange(record)) if is_response_alone(record));
    Ok(read.filter(|_| !is_alone || !is_document(text, context.max_depth)))
}

fn read_line<'a>(scanner: &mut Scanner<'a>, tools: &mut ToolCache) -> Reading<'a> {
    if scanner.peek()? != Kind::Object {
        scanner.value()?;
        return scanner.end().map(|()| None);
    }
    let mut record = Box::<ExchangeRecord<'_>>::default();
    let mut seen = MembersPresent::default();
    scanner.object(|inner, key| {
        match &*key.decode() {
            "tool" => record.tool = mention(inner, tools)?,
            "tool_name" if matches!(record.tool, ToolMention::Absent) => {
                seen.bare = true;
                record.tool = mention(inner, tools)?;
            }
            "input" => {
                seen.input = true;
                record.input = Some(inner.value()?.into());
            }
            "parameters" if !seen.input => {
                seen.bare = true;
                record.input = Some(inner.value()?.into());
            }
            "response" => {
                seen.response = true;
                record.reply = read_reply(inner)?;
            }
            "scenarioCategory" => record.scenario = scalar(inner)?,
            "id" => record.id = scalar(inner)?,
            "recorded_at" => record.recorded_at = scalar(inner)?,
            "server" => record.server = scalar(inner)?,
            "session" => record.session = scalar(inner)?,
            "duration_ms" => record.duration_ms = number(inner.value()?),
            "label" => record.label = scalar(inner)?,
            "original" => record.original = Some(inner.value()?),
            "tools" => seen.tools = Some(inner.value()?),
            "exchanges" | "messages" | "records" => {
                seen.wrapper = true;
                inner.value()?;
            }
            "request" | "dir" | "direction" | "jsonrpc" => {
                seen.foreign = true;
                inner.value()?;
            }
            _ => {
                inner.value()?;
            }
        }
        Ok(())
    })?;
    scanner.end()?;
    Ok(seen.into_record(record))
}

/// Whether a line is a call with its reply as we write them.
pub fn is_call_with_reply(line: &str, max_depth: usize) -> bool {
    let (mut has_tool, mut has_reply, mut scanner) = (false, false, Scanner::new(line, max_depth));
    let read = scanner.object(|inner, key| {
        let value = inner.value()?;
        has_tool |= key.is("tool") && matches!(value.kind(), Kind::String | Kind::Object);
        has_reply |= key.is("response");
        Ok(())
    });
    read.is_ok() && scanner.end().is_ok() && has_tool && has_reply
}

fn is_response_alone(record: &ExchangeRecord<'_>) -> bool {
    record.input.is_none() && matches!(record.tool, ToolMention::Absent)
}

/// Which telling members a line has.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a member that a line has or has not")]
struct MembersPresent<'a> {
    input: bool,
    response: bool,
    /// Members of applications, which record what their functions return.
    bare: bool,
    wrapper: bool,
    foreign: bool,
    tools: Option<Raw<'a>>,
}

impl<'a> MembersPresent<'a> {
    fn into_record(self, mut record: Box<ExchangeRecord<'a>>) -> Option<Record<'a>> {
        // With a tool and one more member a line is a call, whatever else stands on it. Without a tool, all kinds of files
        // have a `response`.
        let is_call = match record.tool {
            ToolMention::Definition(_) | ToolMention::Name(_) => {
                record.input.is_some() || self.response
            }
            ToolMention::Absent => {
                self.response && !self.foreign && !self.wrapper && is_of_a_call(&record.reply)
            }
        };
        if is_call {
            if self.bare {
                record.reply = of_function(record.reply);
            }
            return Some(Record::Exchange(record));
        }
        match self.tools {
            Some(tools) if tools.kind() == Kind::Array && !self.foreign && !self.wrapper => {
                Some(Record::Tools { server: record.server, tools: read_tool_list(tools) })
            }
            _ => None,
        }
    }
}

fn mention<'a>(scanner: &mut Scanner<'a>, tools: &mut ToolCache) -> Scan<ToolMention<'a>> {
    Ok(match scanner.peek()? {
        Kind::Object => ToolMention::Definition(tools.read(scanner)?),
        Kind::String => ToolMention::Name(scanner.string()?.decode()),
        Kind::Null | Kind::Bool | Kind::Number | Kind::Array => {
            scanner.value()?;
            ToolMention::Absent
        }
    })
}

/// Reads a value: the text of a string or a number; nothing for anything else.
pub(super) fn scalar<'a>(scanner: &mut Scanner<'a>) -> Scan<Option<Cow<'a, str>>> {
    Ok(match scanner.peek()? {
        Kind::String => Some(scanner.string()?.decode()),
        Kind::Number => Some(Cow::Borrowed(scanner.value()?.text())),
        Kind::Null | Kind::Bool | Kind::Array | Kind::Object => {
            scanner.value()?;
            None
        }
    })
}

pub(super) fn number(raw: Raw<'_>) -> Option<f64> {
    // Most are whole, which is read sooner.
    if let Ok(whole) = raw.text().parse::<u32>() {
        return Some(whole.into());
    }
    raw.text().parse().ok().filter(|number: &f64| number.is_finite())
}
