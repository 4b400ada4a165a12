//! The JSON that a reply amounts to: its structured content, else what its text holds.

use crate::json::{Kind, Raw, RawStr, scan_document};
use crate::tape::{CallResult, Content, Exchange, Reply};
use memchr::memmem::Finder;
use std::borrow::Cow;

/// JSON inside a text block may be nested as deeply as a tape's own.
const MAX_DEPTH: usize = 4_200;

/// The texts that may be the JSON of a reply, still undecoded.
pub(super) enum Payload<'e> {
    /// It stands in the reply as JSON.
    Raw(Raw<'e>),
    /// It stands in a text block.
    Text(RawStr<'e>),
    /// There is none.
    Nothing,
}

/// Where the JSON of a reply stands.
pub(super) fn payload<'e>(exchange: &'e Exchange<'_>) -> Payload<'e> {
    match &exchange.reply {
        Reply::Document(document) => Payload::Raw(document.raw()),
        Reply::Result(result) => of_result(result),
        Reply::Error(_) | Reply::None => Payload::Nothing,
    }
}

fn of_result<'e>(result: &'e CallResult<'_>) -> Payload<'e> {
    if let Some(structured) = result.structured {
        return Payload::Raw(structured);
    }
    // What the tool returned may have been recorded without the envelope of the protocol.
    if matches!(result.content, Content::Absent) && result.raw.kind() == Kind::Object {
        return Payload::Raw(result.raw);
    }
    let texts = result.content.blocks().iter().filter_map(|block| block.text.text());
    let object = |text: &RawStr<'_>| text.escaped_text().trim_start().starts_with('{');
    texts.into_iter().find(object).map_or(Payload::Nothing, Payload::Text)
}

impl<'e> Payload<'e> {
    /// Whether one of these words stands somewhere in it: looked for before anything is decoded.
    pub(super) fn mentions(&self, words: &[Finder<'static>]) -> bool {
        let text = match self {
            Self::Raw(raw) => raw.text(),
            Self::Text(text) => text.escaped_text(),
            Self::Nothing => return false,
        };
        words.iter().any(|word| word.find(text.as_bytes()).is_some())
    }

    /// Does something with the value, where there is one.
    pub(super) fn with_value<T>(&self, work: impl FnOnce(Raw<'_>) -> T) -> Option<T> {
        match self {
            Self::Raw(raw) => Some(work(*raw)),
            Self::Text(text) => {
                let text: Cow<'e, str> = text.decode();
                let value = scan_document(&text, MAX_DEPTH).ok()?;
                (value.kind() == Kind::Object).then(|| work(value))
            }
            Self::Nothing => None,
        }
    }
}

/// Does something with the object that a successful reply amounts to, where there is one.
pub fn with_response<T>(exchange: &Exchange<'_>, work: impl FnOnce(Raw<'_>) -> T) -> Option<T> {
    if exchange.reply.kind().is_error() { None } else { payload(exchange).with_value(work) }
}
