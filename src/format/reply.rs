//! Reads replies: one pass, keeping only what some rule may look at.

use super::Outcome;
use crate::json::{Kind, Raw, RawStr, Scan, Scanner, is_js_truthy};
use crate::recording::{Block, Blocks, CallResult, Content, Field, Reply, RpcError, Shape};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Reads the `response` of an exchange record: a result, a whole JSON-RPC answer, or nothing.
pub fn read_reply<'a>(scanner: &mut Scanner<'a>) -> Scan<Reply<'a>> {
    match scanner.peek()? {
        Kind::Null => scanner.value().map(|_| Reply::None),
        Kind::Object => {
            let (result, rest) = read_members(scanner)?;
            Ok(unwrap_envelope(result, &rest))
        }
        Kind::Bool | Kind::Number | Kind::String | Kind::Array => {
            scanner.value().map(|raw| Reply::Result(shapeless(raw)))
        }
    }
}

pub(super) fn read_result<'a>(scanner: &mut Scanner<'a>) -> Scan<Outcome<'a>> {
    if scanner.peek()? == Kind::Object {
        Ok(Outcome::Result(read_members(scanner)?.0))
    } else {
        Ok(Outcome::Odd(scanner.value()?))
    }
}

/// The same of a value that was read before.
pub fn read_value(raw: Raw<'_>) -> CallResult<'_> {
    match read_result(&mut Scanner::trusted(raw.text())) {
        Ok(Outcome::Result(result)) => result,
        Ok(Outcome::Odd(_) | Outcome::Error(_)) | Err(_) => shapeless(raw),
    }
}

pub fn read_error(raw: Raw<'_>) -> RpcError<'_> {
    let mut code = Cow::Borrowed("");
    let mut message = Field::Absent;
    for (key, value) in raw.members().unwrap_or_default() {
        if key.is("code") {
            code = value.as_str().map_or(Cow::Borrowed(value.text()), RawStr::decode);
        } else if key.is("message") {
            message = Field::from(value);
        }
    }
    if message == Field::Absent && raw.kind() == Kind::String {
        message = Field::from(raw);
    }
    RpcError { raw, code, message }
}

/// A result that is not an object, so that it has no members at all.
pub fn shapeless(raw: Raw<'_>) -> CallResult<'_> {
    CallResult {
        raw,
        is_error: false,
        content: Content::Absent,
        structured: None,
        has_meta: false,
        shape: Shape::Complete,
    }
}

/// Whether a reply is one to a call, of whatever tool: it says so itself, and nothing in it is out of shape.
pub(super) fn is_of_a_call(reply: &Reply<'_>) -> bool {
    match reply {
        Reply::Error(_) => true,
        Reply::Result(CallResult { content: Content::Blocks { blocks, .. }, is_error, .. }) => {
            *is_error || blocks.as_slice().iter().all(|block| block.malformation().is_none())
        }
        Reply::Result(result) => result.is_error,
        Reply::Document(_) | Reply::None => false,
    }
}

/// The reply of a function, whose value is no result by its members: the text of one, and its structured content.
pub(super) fn of_function(reply: Reply<'_>) -> Reply<'_> {
    let Reply::Result(result) = reply else { return reply };
    let raw = result.raw;
    let has_shape = result.is_error || result.structured.is_some();
    if has_shape || !matches!(result.content, Content::Absent) {
        return Reply::Result(result);
    }
    let text = raw.as_str().unwrap_or(RawStr::plain(raw.text()));
    let block = Block { raw, kind: Field::Text(RawStr::plain("text")), text: Field::Text(text) };
    let content = Content::Blocks { raw, blocks: Blocks::One([block]) };
    let structured = (raw.kind() == Kind::Object).then_some(raw);
    Reply::Result(CallResult { content, structured, ..result })
}

/// The members by which a whole JSON-RPC answer differs from a bare result.
#[derive(Default)]
struct Envelope<'a> {
    result: Option<Raw<'a>>,
    error: Option<Raw<'a>>,
    looks_like_result: bool,
}

fn unwrap_envelope<'a>(result: CallResult<'a>, envelope: &Envelope<'a>) -> Reply<'a> {
    if envelope.looks_like_result {
        return Reply::Result(result);
    }
    match envelope {
        Envelope { error: Some(error), .. } if is_rpc_error(*error) => {
            Reply::Error(read_error(*error))
        }
        Envelope { result: Some(inner), .. } => Reply::Result(read_value(*inner)),
        Envelope { .. } => Reply::Result(result),
    }
}

/// A JSON-RPC error has a numeric code and a message; anything else may be a tool's own member.
fn is_rpc_error(raw: Raw<'_>) -> bool {
    raw.member("code").is_some_and(|code| code.kind() == Kind::Number)
        && raw.member("message").is_some()
}

fn read_members<'a>(scanner: &mut Scanner<'a>) -> Scan<(CallResult<'a>, Envelope<'a>)> {
    let mut envelope = Envelope::default();
    let mut is_error = false;
    let mut content = Content::Absent;
    let mut structured = None;
    let mut has_meta = false;
    let mut result_type = None;
    let mut task = None;
    let raw = scanner.object(|inner, key| {
        match &*key.decode() {
            "content" => content = read_content(inner)?,
            "isError" => is_error = is_js_truthy(inner.value()?),
            "structuredContent" => structured = Some(inner.value()?),
            "_meta" => {
                inner.value()?;
                has_meta = true;
                return Ok(());
            }
            "resultType" => {
                result_type = Some(inner.value()?);
                return Ok(());
            }
            "task" => {
                task = Some(inner.value()?);
                return Ok(());
            }
            "result" => {
                envelope.result = Some(inner.value()?);
                return Ok(());
            }
            "error" => {
                envelope.error = Some(inner.value()?);
                return Ok(());
            }
            _ => {
                inner.value()?;
                return Ok(());
            }
        }
        envelope.looks_like_result = true;
        Ok(())
    })?;
    let handle = task.filter(|_| matches!(content, Content::Absent));
    let shape = shape_of(raw, result_type, handle);
    Ok((CallResult { raw, is_error, content, structured, has_meta, shape }, envelope))
}

fn read_content<'a>(scanner: &mut Scanner<'a>) -> Scan<Content<'a>> {
    if scanner.peek()? != Kind::Array {
        return scanner.value().map(Content::Other);
    }
    let mut blocks = Blocks::default();
    let raw = scanner.array(|inner| {
        blocks.push(read_block(inner)?);
        Ok(())
    })?;
    Ok(Content::Blocks { raw, blocks })
}

fn read_block<'a>(scanner: &mut Scanner<'a>) -> Scan<Block<'a>> {
    let mut kind = Field::Absent;
    let mut text = Field::Absent;
    let raw = if scanner.peek()? == Kind::Object {
        scanner.object(|inner, key| {
            let field = match &*key.decode() {
                "type" => &mut kind,
                "text" => &mut text,
                _ => return inner.value().map(|_| ()),
            };
            *field = if inner.peek()? == Kind::String {
                Field::Text(inner.string()?)
            } else {
                Field::Other(inner.value()?)
            };
            Ok(())
        })?
    } else {
        scanner.value()?
    };
    Ok(Block { raw, kind, text })
}

/// What results are to their calls.
static RESULT_TYPES: LazyLock<ResultTypes> = LazyLock::new(|| {
    toml::from_str(include_str!("result_types.toml")).expect("the file of result types is in order")
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultTypes {
    known_extensions: Vec<String>,
    types: BTreeMap<String, Meaning>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Meaning {
    Complete,
    InputRequired,
    Task,
}

/// What a result is by its type, or by the handle that one without a type may hold.
fn shape_of<'a>(
    result: Raw<'a>,
    result_type: Option<Raw<'a>>,
    handle: Option<Raw<'a>>,
) -> Shape<'a> {
    let is_task = |task: &Raw<'_>| task.member("taskId").and_then(Raw::as_str).is_some();
    let task = |task: Raw<'a>| Some(task).filter(is_task).map_or(Shape::Complete, Shape::Task);
    let Some(named) = result_type else { return handle.map_or(Shape::Complete, task) };
    match named.as_str().and_then(|name| RESULT_TYPES.types.get(&*name.decode())) {
        Some(Meaning::Complete) => Shape::Complete,
        Some(Meaning::InputRequired) => Shape::InputRequired,
        Some(Meaning::Task) => task(handle.unwrap_or(result)),
        None => Shape::Unknown(named),
    }
}

/// Whether a server with these capabilities may send types of results that are not known here.
pub fn brings_unknown_types(capabilities: Raw<'_>) -> bool {
    let extensions = capabilities.member("extensions").and_then(Raw::members);
    let is_known = |name: RawStr<'_>| RESULT_TYPES.known_extensions.iter().any(|it| name.is(it));
    extensions.into_iter().flatten().any(|(name, _)| !is_known(name))
}
