//! The JSON that a reply amounts to: its structured content, else what its text holds.

use crate::json::{Kind, Raw, RawStr, scan_document};
use crate::recording::{Block, CallResult, Content, Exchange, ExchangeKind, Reply};
use crate::verdict::NotApplied;
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::sync::LazyLock;

/// JSON inside a text block may be nested as deeply as a recording's own.
pub(super) const MAX_DEPTH: usize = 4_200;

/// The texts that may be the JSON of a reply, still undecoded.
pub(super) enum Payload<'e> {
    /// It stands in the reply as JSON.
    Raw(Raw<'e>),
    /// It stands in one of these blocks, if anywhere: in the first whose text is an object.
    Blocks(&'e [Block<'e>]),
    Nothing,
}

pub(super) fn payload<'e>(exchange: &'e Exchange<'_>) -> Payload<'e> {
    match &exchange.reply {
        Reply::Document(document) => Payload::Raw(document.raw()),
        Reply::Result(result) => of_result(result),
        Reply::Error(_) | Reply::None => Payload::Nothing,
    }
}

fn of_result<'e>(result: &'e CallResult<'_>) -> Payload<'e> {
    // Some servers write `null` where there is nothing structured.
    if let Some(structured) = result.structured.filter(|raw| raw.kind() != Kind::Null) {
        return Payload::Raw(structured);
    }
    // What the tool returned may have been recorded without the envelope of the protocol.
    if matches!((&result.content, result.structured), (Content::Absent, None))
        && result.raw.kind() == Kind::Object
    {
        return Payload::Raw(result.raw);
    }
    Payload::Blocks(result.content.blocks())
}

/// The texts that begin as objects do, still undecoded.
fn objects<'e>(blocks: &'e [Block<'e>]) -> impl Iterator<Item = RawStr<'e>> {
    let texts = blocks.iter().filter_map(|block| block.text.text());
    texts.filter(|text| match text.escaped_text().as_bytes().first() {
        Some(b'{') => true,
        // White space may be escaped, and so may the brace.
        Some(b'\\' | b' ') => text.decode().trim_start().starts_with('{'),
        Some(_) | None => false,
    })
}

impl Payload<'_> {
    /// Whether one of these words stands somewhere in it: looked for before anything is decoded.
    pub(super) fn mentions(&self, words: &[Finder<'static>]) -> bool {
        let found = |text: &str| words.iter().any(|word| word.find(text.as_bytes()).is_some());
        match self {
            Self::Raw(raw) => found(raw.text()),
            Self::Blocks(blocks) => objects(blocks).any(|text| found(text.escaped_text())),
            Self::Nothing => false,
        }
    }

    pub(super) fn with_value<T>(&self, work: impl FnOnce(Raw<'_>) -> T) -> Option<T> {
        match self {
            Self::Raw(raw) => Some(work(*raw)),
            Self::Blocks(blocks) => {
                for text in objects(blocks).map(RawStr::decode) {
                    if let Ok(value) = scan_document(&text, MAX_DEPTH) {
                        return Some(work(value));
                    }
                }
                None
            }
            Self::Nothing => None,
        }
    }
}

/// How a kind of document is known where it stands in the reply of a tool.
pub(super) struct Sign {
    pub(super) kind: ExchangeKind,
    /// A document without any of these words is none.
    pub(super) words: LazyLock<Vec<Finder<'static>>>,
    pub(super) is_one: fn(Raw<'_>) -> bool,
}

impl Sign {
    /// Looks at the document of an exchange, where it is or holds one of this kind.
    pub(super) fn ask(
        &self,
        exchange: &Exchange<'_>,
        look: impl FnOnce(Raw<'_>),
    ) -> Result<(), NotApplied> {
        let is_certain = exchange.kind == self.kind;
        let payload = payload(exchange);
        if !is_certain && !payload.mentions(&self.words) {
            return Err(NotApplied::OtherKind);
        }
        let asked = payload.with_value(|value| {
            let is_one = is_certain || (self.is_one)(value);
            is_one.then(|| look(value)).ok_or(NotApplied::OtherKind)
        });
        asked.unwrap_or(Err(NotApplied::NoObject))
    }
}

/// An id as text; recorders write numbers too.
pub(super) fn id_of(value: Raw<'_>) -> Option<Cow<'_, str>> {
    match value.kind() {
        Kind::Number => Some(value.text().into()),
        _ => value.as_str().map(RawStr::decode),
    }
}

/// Does something with the object that a successful reply amounts to, where there is one.
pub(super) fn with_response<T>(
    exchange: &Exchange<'_>,
    work: impl FnOnce(Raw<'_>) -> T,
) -> Option<T> {
    if exchange.reply.kind().is_error() { None } else { payload(exchange).with_value(work) }
}
