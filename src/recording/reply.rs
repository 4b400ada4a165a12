//! The ways an exchange can be answered.

use super::{Fate, JsonText};
use super::{is_time_out, says_time_out};
use crate::json::{Kind, Raw, RawStr, is_js_truthy};
use std::borrow::Cow;

/// What came back for a call.
#[derive(Clone, Debug, Default)]
pub enum Reply<'a> {
    /// A result, which may say of itself that it is an error.
    Result(CallResult<'a>),
    /// A JSON-RPC error instead of a result.
    Error(RpcError<'a>),
    /// What stands in place of a tool's reply in exchanges of other kinds.
    Document(JsonText<'a>),
    /// Nothing: a time-out, a lost connection, or the recording stopped.
    #[default]
    None,
}

named! {
    /// The kinds of reply, as tables name them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ReplyKind {
        /// A result that does not call itself an error.
        Result = "result",
        /// A result with `isError`.
        ToolError = "tool_error",
        /// A JSON-RPC error.
        ProtocolError = "protocol_error",
        NoReply = "no_reply",
        /// What exchanges of other kinds hold in place of a tool's reply.
        Document = "document",
    }
}

impl ReplyKind {
    /// Whether the reply says of itself that it is an error.
    #[must_use]
    pub fn is_error(self) -> bool {
        match self {
            Self::ToolError | Self::ProtocolError => true,
            Self::Result | Self::NoReply | Self::Document => false,
        }
    }
}

impl Reply<'_> {
    #[must_use]
    pub fn kind(&self) -> ReplyKind {
        match self {
            Self::Result(result) if result.is_error => ReplyKind::ToolError,
            Self::Result(_) => ReplyKind::Result,
            Self::Error(_) => ReplyKind::ProtocolError,
            Self::Document(_) => ReplyKind::Document,
            Self::None => ReplyKind::NoReply,
        }
    }

    /// The bytes of it as JSON, and those of its `structuredContent`; 0 of what is not there.
    #[must_use]
    pub fn sizes(&self) -> [u32; 2] {
        let size = |raw: Raw<'_>| u32::try_from(raw.text().len()).unwrap_or(u32::MAX);
        match self {
            Self::Result(result) => [size(result.raw), result.structured.map_or(0, size)],
            Self::Error(error) => [size(error.raw), 0],
            Self::Document(_) | Self::None => [0, 0],
        }
    }

    /// How far the call got and what the server answered, where whoever recorded it was its client: errors
    /// of clients stand in the place of replies there.
    #[must_use]
    pub fn of_server(self) -> (Fate, Self) {
        match self {
            Self::Error(RpcError { ref code, message: Field::Text(message), .. })
                if is_time_out(code, &message.decode()) =>
            {
                (Fate::TimedOut, Self::None)
            }
            Self::Result(CallResult { shape: Shape::InputRequired | Shape::Task(_), .. }) => {
                (Fate::Waiting, Self::None)
            }
            Self::Error(_) | Self::Result(_) | Self::Document(_) | Self::None => {
                (Fate::Settled, self)
            }
        }
    }

    /// The same, where a host may also have shown errors of its client as errors of the tool. What it showed is kept.
    #[must_use]
    pub fn of_host(self) -> (Fate, Self) {
        let is_clients = match &self {
            Self::Result(result) if result.is_error => match result.content.blocks() {
                [block] => block.text.text().is_some_and(|text| says_time_out(&text.decode())),
                _ => false,
            },
            Self::Result(_) | Self::Error(_) | Self::Document(_) | Self::None => false,
        };
        if is_clients { (Fate::TimedOut, self) } else { self.of_server() }
    }
}

#[derive(Clone, Debug)]
pub struct CallResult<'a> {
    pub raw: Raw<'a>,
    /// Whether `isError` is true in JavaScript's sense.
    pub is_error: bool,
    pub content: Content<'a>,
    /// The `structuredContent` member; present even when it is `null`.
    pub structured: Option<Raw<'a>>,
    pub has_meta: bool,
    pub shape: Shape<'a>,
}

impl CallResult<'_> {
    /// The code of the failure that the reply states in its `_meta`, by a draft of the protocol.
    pub fn stated_code(&self) -> Cow<'_, str> {
        let stated = || {
            let meta = self.has_meta.then(|| self.raw.member("_meta")).flatten()?;
            meta.member("io.modelcontextprotocol/toolFailure")?.member("code")?.as_str()
        };
        stated().map(RawStr::decode).unwrap_or_default()
    }
}

/// What a result is to the call that it answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape<'a> {
    /// The answer to it.
    #[default]
    Complete,
    /// A question: the call goes on with a request that brings what the server wants to know.
    InputRequired,
    /// A handle: the call goes on as this task.
    Task(Raw<'a>),
    /// Something of a `resultType` that the protocol does not define.
    Unknown(Raw<'a>),
}

/// The `content` member of a result.
#[derive(Clone, Debug)]
pub enum Content<'a> {
    /// There is none.
    Absent,
    /// An array of blocks, perhaps empty.
    Blocks { raw: Raw<'a>, blocks: Blocks<'a> },
    /// Something that is not an array.
    Other(Raw<'a>),
}

impl<'a> Content<'a> {
    #[must_use]
    pub fn raw(&self) -> Option<Raw<'a>> {
        match self {
            Self::Absent => None,
            Self::Blocks { raw, .. } | Self::Other(raw) => Some(*raw),
        }
    }

    /// Whether JavaScript's `if (content)` would take the branch.
    #[must_use]
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Absent => false,
            Self::Blocks { .. } => true,
            Self::Other(raw) => is_js_truthy(*raw),
        }
    }

    /// The blocks, where `content` is an array.
    #[must_use]
    pub fn blocks(&self) -> &[Block<'a>] {
        match self {
            Self::Blocks { blocks, .. } => blocks.as_slice(),
            Self::Absent | Self::Other(_) => &[],
        }
    }
}

/// The elements of `content`. Nearly all replies have one, which needs no memory of its own.
#[derive(Clone, Debug)]
pub enum Blocks<'a> {
    One([Block<'a>; 1]),
    Many(Vec<Block<'a>>),
}

impl<'a> Blocks<'a> {
    #[must_use]
    pub fn as_slice(&self) -> &[Block<'a>] {
        match self {
            Self::One(block) => block,
            Self::Many(blocks) => blocks,
        }
    }

    pub fn push(&mut self, block: Block<'a>) {
        *self = match std::mem::take(self) {
            Self::Many(blocks) if blocks.is_empty() => Self::One([block]),
            Self::Many(mut blocks) => {
                blocks.push(block);
                Self::Many(blocks)
            }
            Self::One([first]) => Self::Many(vec![first, block]),
        };
    }
}

impl Default for Blocks<'_> {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

/// One element of `content`, with the members that nearly every rule looks at.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    pub raw: Raw<'a>,
    /// Its `type`.
    pub kind: Field<'a>,
    pub text: Field<'a>,
}

impl<'a> Block<'a> {
    /// The types of the protocol.
    pub const TYPES: [&'static str; 5] = ["text", "image", "audio", "resource", "resource_link"];

    #[must_use]
    pub fn is_text(&self) -> bool {
        self.kind.text().is_some_and(|kind| kind.is("text"))
    }

    /// The blocks of a value that is the result of a call and nothing else, as the protocol and its SDKs spell
    /// that; `also` may be a member too.
    #[must_use]
    pub fn of_result(value: Raw<'a>, also: &str) -> Option<Vec<Raw<'a>>> {
        const MEMBERS: [&str; 7] = [
            "content",
            "structuredContent",
            "structured_content",
            "isError",
            "is_error",
            "_meta",
            "meta",
        ];
        let members = value.members()?;
        let blocks = value.member("content")?.elements()?;
        let is_member = |key: &RawStr<'_>| key.is(also) || MEMBERS.iter().any(|it| key.is(it));
        // Other programs have lists of contents too: an empty one says nothing.
        let is_certain = members.len() > 1 || !blocks.is_empty();
        let is_result = is_certain
            && members.iter().all(|(key, _)| is_member(key))
            && blocks.iter().all(|block| Self::is_typed(*block));
        is_result.then_some(blocks)
    }

    /// Whether a value has one of these types.
    #[must_use]
    pub fn is_typed(value: Raw<'_>) -> bool {
        let kind = value.member("type").and_then(Raw::as_str);
        kind.is_some_and(|kind| Self::TYPES.iter().any(|known| kind.is(known)))
    }

    /// Why no version of the protocol has such a block. Unknown types may come in a later version.
    #[must_use]
    pub fn malformation(&self) -> Option<&'static str> {
        match (self.kind, self.text) {
            (Field::Text(kind), Field::Absent) if kind.is("text") => Some("has no text"),
            (Field::Text(kind), Field::Other(_)) if kind.is("text") => {
                Some("has a text that is not a string")
            }
            (Field::Text(_), _) => None,
            (Field::Other(_), _) => Some("has a type that is not a string"),
            (Field::Absent, _) if self.raw.kind() == Kind::Object => Some("has no type"),
            (Field::Absent, _) => Some("is not an object"),
        }
    }

    #[must_use]
    pub fn field(&self, name: &str) -> Field<'a> {
        match name {
            "type" => self.kind,
            "text" => self.text,
            other => self.raw.member(other).map_or(Field::Absent, Field::from),
        }
    }
}

/// A member that ought to be a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field<'a> {
    Absent,
    Text(RawStr<'a>),
    Other(Raw<'a>),
}

impl<'a> Field<'a> {
    #[must_use]
    pub fn text(self) -> Option<RawStr<'a>> {
        match self {
            Self::Text(text) => Some(text),
            Self::Absent | Self::Other(_) => None,
        }
    }
}

impl<'a> From<Raw<'a>> for Field<'a> {
    fn from(raw: Raw<'a>) -> Self {
        raw.as_str().map_or(Self::Other(raw), Self::Text)
    }
}

#[derive(Clone, Debug)]
pub struct RpcError<'a> {
    pub raw: Raw<'a>,
    /// Its `code`, as recorded; empty where there is none.
    pub code: Cow<'a, str>,
    pub message: Field<'a>,
}
