//! What a recording says: exchanges, replies, tools and where each of them stands. Plain data.

mod key;
mod reply;
mod time;

pub use key::{Key, KeyMaker, Keys};
pub use reply::{Block, Blocks, CallResult, Content, Field, Reply, ReplyKind, RpcError, Shape};
pub use time::{Day, Moment};

use crate::json::Raw;
use std::borrow::Cow;
use std::sync::Arc;

named! {
    /// The kinds of exchange that recordings hold.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ExchangeKind {
        #[default]
        ToolCall = "tool_call",
        /// A request and a response in envelopes of their own.
        Envelope = "envelope",
        /// A judge's result about some output.
        JudgeResult = "judge_result",
        /// A response that reports on a session's validation.
        SessionReport = "session_report",
    }
}

/// One request with its reply, its tool and where it stands.
#[derive(Clone, Debug)]
pub struct Exchange<'a> {
    pub kind: ExchangeKind,
    /// The record's own id, when it has one.
    pub id: Option<Cow<'a, str>>,
    /// Who answered: as recorded, or as the server named itself.
    pub server: Cow<'a, str>,
    /// The recorded session, or the recording's name.
    pub session: Cow<'a, str>,
    /// The tool that was called.
    pub tool: Arc<Tool>,
    /// The arguments it was called with.
    pub input: Option<JsonText<'a>>,
    pub reply: Reply<'a>,
    /// How far the call got.
    pub fate: Fate,
    /// The object that the call changes, as it was before, where the recording holds it.
    pub original: Option<JsonText<'a>>,
    /// The scenario category, as recorded.
    pub scenario: Option<Cow<'a, str>>,
    /// When the exchange was recorded (RFC 3339), as recorded.
    pub recorded_at: Option<Cow<'a, str>>,
    /// How long the reply took.
    pub duration_ms: Option<f64>,
    /// How long the server waited, between its replies, for what it wanted to know of the client.
    pub waited_ms: Option<f64>,
    /// What a person says the truth is, where the recording carries it.
    pub label: Option<Cow<'a, str>>,
    /// Where the exchange (in wire recordings: its request) stands in its recording.
    pub place: LinePosition,
    /// Where its answer stands, in wire recordings.
    pub answered: Option<LinePosition>,
    /// What the recording of a program says beside the call.
    pub origin: Option<Box<Origin>>,
}

impl Exchange<'_> {
    /// Whether a host wrote the call down, and not what passed between it and the server.
    #[must_use]
    pub fn is_derived(&self) -> bool {
        self.origin.as_ref().is_some_and(|origin| origin.fidelity == Fidelity::Derived)
    }

    /// Whether a part of the reply was left out.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.origin.as_ref().is_some_and(|origin| origin.reply_cut)
    }

    /// Whether nothing was recorded that says whether the reply is an error.
    #[must_use]
    pub fn is_error_unknown(&self) -> bool {
        self.origin.as_ref().is_some_and(|origin| origin.error_unknown)
    }
}

/// A line of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinePosition {
    /// Line number, from 1.
    pub line: u64,
    /// Offset of the line's first byte in the (decompressed) recording.
    pub byte: u64,
}

/// Well-formed JSON text, borrowed from its recording or kept from an earlier part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonText<'a> {
    text: Cow<'a, str>,
    canonical: bool,
}

impl JsonText<'_> {
    #[must_use]
    pub fn into_owned(self) -> JsonText<'static> {
        JsonText { text: Cow::Owned(self.text.into_owned()), canonical: self.canonical }
    }

    #[must_use]
    pub fn raw(&self) -> Raw<'_> {
        Raw::known(&self.text, self.canonical)
    }
}

impl<'a> From<Raw<'a>> for JsonText<'a> {
    fn from(raw: Raw<'a>) -> Self {
        Self { text: Cow::Borrowed(raw.text()), canonical: raw.is_canonical() }
    }
}

/// A tool: its name and, where the recording holds it, its definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tool {
    /// The tool's name; empty where a call named none.
    pub name: String,
    /// The text of the whole definition.
    pub definition: Option<String>,
    /// The text of its `outputSchema`, unless absent or false in JavaScript's sense.
    pub output_schema: Option<String>,
}

impl Tool {
    /// Roughly how much memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        /// What a tool takes besides its texts, tables that hold it included.
        const TOOL: usize = 256;
        let texts = [&self.definition, &self.output_schema];
        TOOL + self.name.len() + texts.into_iter().flatten().map(String::len).sum::<usize>()
    }

    /// A tool of which only the name is known.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

named! {
    /// Which way a message went.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Direction {
        #[default]
        FromClient = "c2s",
        FromServer = "s2c",
    }
}

impl Direction {
    pub fn other(self) -> Self {
        match self {
            Self::FromClient => Self::FromServer,
            Self::FromServer => Self::FromClient,
        }
    }
}

named! {
    /// How close a recording is to what passed between client and server.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Fidelity {
        /// The messages themselves.
        #[default]
        Wire = "wire",
        /// What a host showed its model, or kept for itself.
        Derived = "derived",
    }
}

named! {
    /// Who kept a call from the server.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Refuser {
        User = "user",
        /// The host's own check of permissions.
        Policy = "policy",
        /// A program that the person put before calls.
        Hook = "hook",
        /// The host, which knew no such tool or found the arguments wrong.
        Host = "host",
    }
}

/// What the recording of a program says of a call beside the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own")]
pub struct Origin {
    /// The program whose file it is, by its name in the table of formats.
    pub recorded_by: String,
    pub fidelity: Fidelity,
    pub refused_by: Option<Refuser>,
    pub reply_cut: bool,
    /// Nothing was written down that says whether the reply is an error.
    pub error_unknown: bool,
    /// Server and tool were taken from one name that can be split in several ways.
    pub name_is_guess: bool,
    /// The server belongs to the host; nobody set it up.
    pub host_owned: bool,
}

impl Origin {
    /// Takes in what the line of the answer says.
    pub fn complete(&mut self, answer: &Self) {
        self.refused_by = answer.refused_by.or(self.refused_by);
        self.reply_cut |= answer.reply_cut;
        self.error_unknown |= answer.error_unknown;
        self.name_is_guess |= answer.name_is_guess;
        self.host_owned |= answer.host_owned;
    }
}

/// What a wire recording shows of a session besides its calls.
#[derive(Clone, Debug)]
pub struct SessionEvent {
    /// Who was asked: as recorded, or as the server named itself.
    pub server: String,
    /// The recorded session, or the recording's name.
    pub session: String,
    /// Where it stands: a list of tools, or the session's first message.
    pub place: LinePosition,
    /// When it was recorded (RFC 3339), as recorded.
    pub recorded_at: Option<String>,
    pub what: SessionNews,
}

#[derive(Clone, Debug)]
pub enum SessionNews {
    Ended(EndedSession),
    /// Its server lists other tools than before.
    Relisted {
        before: Vec<Arc<Tool>>,
        after: Vec<Arc<Tool>>,
    },
}

/// A session as it was when its recording ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedSession {
    /// Whether the server had answered `initialize` before the first call.
    pub start: Started,
    /// The names of the tools that its server listed; `None` where it never did.
    pub listed: Option<Vec<String>>,
    /// The names of tools that were called, as far as they were kept.
    pub called: Vec<String>,
}

/// How far a session was set up when its first tool was called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Started {
    /// The server had answered `initialize`.
    Initialized,
    #[default]
    NotInitialized,
}

/// A task that a session works on.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Task {
    pub id: String,
    pub name: Option<String>,
    pub status: Option<String>,
}

impl Task {
    /// So many tasks of a session are kept.
    pub const MOST: usize = 100;
    /// The longest id, name and status, in bytes.
    const LONGEST: [usize; 3] = [256, 120, 40];

    /// Cuts texts that are too long.
    #[must_use]
    pub fn cut(mut self) -> Self {
        let texts = [Some(&mut self.id), self.name.as_mut(), self.status.as_mut()];
        for (text, longest) in texts.into_iter().zip(Self::LONGEST) {
            if let Some(text) = text {
                text.truncate(text.floor_char_boundary(longest));
            }
        }
        self
    }

    /// Roughly how much memory it takes, now or once its name and status are known.
    pub fn bytes(&self) -> usize {
        let [_, name, status] = Self::LONGEST;
        size_of::<Self>() + self.id.len() + name + status
    }

    /// Takes over what another mention of the task says.
    pub fn update(&mut self, newer: &Self) {
        for (known, newer) in [(&mut self.name, &newer.name), (&mut self.status, &newer.status)] {
            if newer.is_some() {
                known.clone_from(newer);
            }
        }
    }
}

/// The path at which the middleware of the envelopes' own document stands.
const DOCUMENTED: [&str; 1] = ["/mcp/v1"];

/// Paths of requests: each is a whole path, or the beginning of paths where it ends in `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvelopePaths(Arc<[String]>);

impl Default for EnvelopePaths {
    fn default() -> Self {
        Self::of(&DOCUMENTED.map(str::to_owned))
    }
}

impl EnvelopePaths {
    pub fn of(paths: &[String]) -> Self {
        Self(paths.into())
    }

    /// Whether a request to this URL or path carries an envelope.
    pub fn have(&self, url: &str) -> bool {
        let path = path_of(url);
        self.0.iter().any(|known| match known.strip_suffix('*') {
            Some(beginning) => path.starts_with(beginning),
            None => path == trimmed(known),
        })
    }

    /// Why a text cannot be one of the paths.
    pub fn complaint(path: &str) -> Option<&'static str> {
        if !path.starts_with('/') {
            return Some("a path must begin with `/`, such as \"/mcp/v1\"");
        }
        let is_wild = path.strip_suffix('*').unwrap_or(path).contains('*');
        is_wild.then_some("`*` can only be the end of a path, such as \"/mcp/*\"")
    }
}

/// The path of a URL, without query, fragment and the slash at its end.
fn path_of(url: &str) -> &str {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]),
        None => url,
    };
    trimmed(path)
}

fn trimmed(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" => "/",
        path => path,
    }
}

named! {
    /// How far a call got, apart from what its reply says.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Fate {
        /// The server saw it, and all that came of it was recorded.
        #[default]
        Settled = "settled",
        /// A host or a person refused it before the server saw it.
        NotSent = "not_sent",
        /// The reply, or what it holds, was not recorded.
        NotRecorded = "not_recorded",
        Cancelled = "cancelled",
        TimedOut = "timed_out",
        /// It still waited when the recording ended, or when its session was dropped for room.
        Waiting = "waiting",
        /// An answer came under its id, written as another type, which no client takes for the answer.
        OtherIdType = "other_id_type",
        /// An answer came under an id that nobody had asked under, and none came under its own.
        OtherId = "other_id",
        /// A result came after the client had given the call up.
        Late = "late",
    }
}

/// The errors that the SDKs for TypeScript and Python make when a client waits no longer, by code and words.
const TIME_OUTS: [(&str, &str); 3] = [
    ("-32001", "Request timed out"),
    ("-32001", "Maximum total timeout exceeded"),
    ("408", "Timed out while waiting for response to "),
];

impl Fate {
    /// Whether the server may have seen the call, and nobody knows what came of it.
    #[must_use]
    pub fn is_unknown(self) -> bool {
        match self {
            Self::Settled | Self::OtherIdType | Self::OtherId | Self::Late | Self::NotSent => false,
            Self::NotRecorded | Self::Cancelled | Self::TimedOut | Self::Waiting => true,
        }
    }

    /// Whether the server saw the call, and all that came of it is known.
    #[must_use]
    pub fn is_settled(self) -> bool {
        !self.is_unknown() && self != Self::NotSent
    }

    /// The fate of a call that its client gave up, for a reason in the client's words.
    #[must_use]
    pub fn given_up(reason: &str) -> Self {
        let is_time_out = TIME_OUTS.iter().any(|(_, words)| reason.contains(words));
        if is_time_out { Self::TimedOut } else { Self::Cancelled }
    }
}

#[must_use]
pub(super) fn is_time_out(code: &str, message: &str) -> bool {
    TIME_OUTS.iter().any(|(of_sdk, words)| code == *of_sdk && message.contains(words))
}

/// Whether a text is what a client says that waited no longer, as hosts show it in place of a reply.
#[must_use]
pub(super) fn says_time_out(text: &str) -> bool {
    let text = text.trim_start();
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    let coded = text.strip_prefix("MCP error ").and_then(|rest| rest.split_once(": "));
    TIME_OUTS.iter().any(|(of_sdk, words)| match coded {
        Some((code, message)) => code == *of_sdk && message.starts_with(words),
        // Only the words of one SDK are too long to be a server's own.
        None => words.ends_with(' ') && text.starts_with(words),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a text; the word before it says as what it is read.
    fn told(line: &str) -> String {
        let (read_as, text) = line.split_once(": ").unwrap_or((line.trim_end_matches(':'), ""));
        let paths = match read_as {
            "below" => EnvelopePaths::of(&["/mcp/*".to_owned(), "/".to_owned()]),
            "all" => EnvelopePaths::of(&["/*".to_owned()]),
            "nowhere" => EnvelopePaths::of(&[]),
            _ => EnvelopePaths::default(),
        };
        match read_as {
            "day" => text.parse().map_or_else(str::to_owned, |day: Day| format!("{day} {}", day.0)),
            "time" => Moment::parse(text).map_or("no time".to_owned(), |at| {
                format!("{} on {}: {}", at.rfc3339(), at.day(), at.0)
            }),
            "path" => EnvelopePaths::complaint(text).unwrap_or("a path").to_owned(),
            "shown" => says_time_out(text).to_string(),
            "error" => {
                let (code, message) = text.split_once(' ').expect("a code and a message");
                is_time_out(code, message).to_string()
            }
            "given up" => Fate::given_up(text).name().to_owned(),
            _ => paths.have(text).to_string(),
        }
    }

    #[test]
    fn times_paths_and_time_outs_are_read_as_their_cases_list() {
        crate::cases::check("tests/cases/recording.txt", |case| {
            case.text.lines().map(told).collect::<Vec<_>>().join("\n")
        });
    }
}
