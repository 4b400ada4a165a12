//! What any format yields.

use super::shapeless;
use crate::json::Raw;
use crate::recording::{
    CallResult, Direction, ExchangeKind, Fate, JsonText, Origin, Reply, RpcError, Tool,
};
use std::borrow::Cow;
use std::sync::Arc;

/// One record of a recording, whatever its format.
#[derive(Debug)]
pub enum Record<'a> {
    Exchange(Box<ExchangeRecord<'a>>),
    /// JSON-RPC messages that passed in one direction; more than one where they were sent as a batch.
    Messages(Vec<Message<'a>>),
    /// Tool definitions for the exchanges that follow.
    Tools {
        /// The server they belong to, where it is said.
        server: Option<Cow<'a, str>>,
        tools: Vec<Arc<Tool>>,
    },
    /// Messages passed that were not recorded: of this session, or of all.
    Gap {
        session: Option<Cow<'a, str>>,
    },
    /// A line that is known to hold no exchange, with the name under which it is counted.
    Traffic(Cow<'static, str>),
    /// A document that holds records.
    Many {
        /// The list of tools beside the records, by which they may name theirs.
        tools: Option<Raw<'a>>,
        records: Vec<Raw<'a>>,
    },
}

/// An exchange as one record holds it.
#[derive(Debug, Default)]
pub struct ExchangeRecord<'a> {
    pub kind: ExchangeKind,
    /// The URL or path that an envelope was sent to over HTTP, where the recording says so.
    pub sent_to: Option<Cow<'a, str>>,
    pub id: Option<Cow<'a, str>>,
    pub server: Option<Cow<'a, str>>,
    pub session: Option<Cow<'a, str>>,
    /// The tool, as far as the record says.
    pub tool: ToolMention<'a>,
    pub input: Option<JsonText<'a>>,
    pub reply: Reply<'a>,
    pub original: Option<Raw<'a>>,
    pub scenario: Option<Cow<'a, str>>,
    pub recorded_at: Option<Cow<'a, str>>,
    pub duration_ms: Option<f64>,
    pub label: Option<Cow<'a, str>>,
}

#[derive(Clone, Debug, Default)]
pub enum ToolMention<'a> {
    Definition(Arc<Tool>),
    Name(Cow<'a, str>),
    #[default]
    Absent,
}

/// One JSON-RPC message. Without a method and an outcome it is none, but stood in a batch.
#[derive(Debug, Default)]
pub struct Message<'a> {
    /// When it passed.
    pub at: Option<Cow<'a, str>>,
    pub direction: Option<Direction>,
    pub server: Option<Cow<'a, str>>,
    /// Whether a person called the server so: what it calls itself gives way.
    pub is_called: bool,
    pub session: Option<Cow<'a, str>>,
    /// The text of its `id`, where it has one that is not null.
    pub id: Option<&'a str>,
    /// Its `method`: a request or a notification.
    pub method: Option<Cow<'a, str>>,
    pub params: Option<Raw<'a>>,
    /// Its `result` or `error`: an answer.
    pub outcome: Option<Outcome<'a>>,
    pub beside: Option<Box<CallNotes>>,
}

/// What a line of a wire recording may say beside its message, where a program wrote down what it knew.
#[derive(Clone, Debug, Default)]
pub struct CallNotes {
    pub origin: Origin,
    /// How the call ended that the message gives up.
    pub fate: Option<Fate>,
    pub duration_ms: Option<f64>,
}

#[derive(Debug)]
pub enum Outcome<'a> {
    /// A result, read as if it were that of a tool call.
    Result(CallResult<'a>),
    /// A result that is not even an object.
    Odd(Raw<'a>),
    Error(RpcError<'a>),
}

impl<'a> From<Outcome<'a>> for Reply<'a> {
    fn from(outcome: Outcome<'a>) -> Self {
        match outcome {
            Outcome::Result(result) => Self::Result(result),
            Outcome::Odd(raw) => Self::Result(shapeless(raw)),
            Outcome::Error(error) => Self::Error(error),
        }
    }
}
