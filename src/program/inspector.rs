//! What version 2 of the MCP Inspector exports: its protocol log and its network log.

use super::http::{Conversation, HttpExchange, SESSION_HEADER};
use super::sessions::Sessions;
use super::texts::{Places, is_text, later, read, text_of};
use super::wire::{Passed, Side};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw, RawStr};
use crate::recording::{Fate, Fidelity, Moment, Place};
use std::borrow::Cow;

pub(super) static INSPECTOR: Program = Program {
    id: "inspector",
    name: "MCP Inspector export",
    about: "The protocol log or the network log that the MCP Inspector exports.",
    fidelity: Fidelity::Wire,
    units: Units::Document,
    signs: &[r#""requestHeaders""#, r#""direction""#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let entries = head.document()?;
    if entries.any_element(is_fetch) {
        return Some("an array with url, requestHeaders and category");
    }
    let is_own = |entry: Raw<'_>| {
        is_entry(entry) && ["origin", "response"].iter().any(|name| entry.member(name).is_some())
    };
    entries.any_element(is_own).then_some("an array with direction, message and origin or response")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(Export {
        stem: file.stem.to_owned(),
        server: server_of(file.stem).unwrap_or_default(),
        max_depth: file.max_depth,
    })
}

/// Whether this is an entry of a protocol log.
fn is_entry(entry: Raw<'_>) -> bool {
    let direction = text_of(entry, "direction").unwrap_or_default();
    entry.member("id").is_some_and(|id| id.kind() == Kind::String)
        && entry.member("timestamp").is_some()
        && matches!(&*direction, "request" | "response" | "notification")
        && entry.member("message").is_some_and(|message| message.kind() == Kind::Object)
}

/// Whether this is an entry of a network log.
fn is_fetch(entry: Raw<'_>) -> bool {
    ["url", "method", "requestHeaders", "category"].iter().all(|name| entry.member(name).is_some())
}

/// The server that the name of an export tells: `inspector-KIND-SERVER-TIME`.
fn server_of(stem: &str) -> Option<String> {
    /// As long as `-2026-05-01T10-00-00.000Z`.
    const TIME: usize = 25;
    let rest = stem.strip_prefix("inspector-")?;
    let (_, server) = rest.get(..rest.len().checked_sub(TIME)?)?.split_once('-')?;
    let server = ["pinned-", "unpinned-"]
        .iter()
        .find_map(|kind| server.strip_prefix(kind))
        .unwrap_or(server);
    rest.ends_with('Z').then(|| decoded(server))
}

/// A text without percent encoding.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

struct Export {
    stem: String,
    server: String,
    max_depth: usize,
}

impl Convert for Export {
    fn unit(&mut self, text: &str, wire: &mut Wire) {
        let Some(document) = read(text, self.max_depth, wire) else { return };
        let mut places = Places::of(document, wire);
        let mut messages = Vec::new();
        let mut exchanges = Vec::new();
        for entry in document.elements().unwrap_or_default() {
            wire.at(places.of_part(entry));
            if is_entry(entry) {
                messages.extend(Entry::read(entry, wire.place()));
            } else if is_fetch(entry) && !is_text(entry, "category", "auth") {
                exchanges.push(exchange(entry, wire.place()));
            } else {
                wire.other("(no MCP call)", 1);
            }
        }
        self.write(&mut messages, wire);
        Conversation::write(&exchanges, &self.stem, self.max_depth, wire);
    }
}

impl Export {
    /// Writes the messages in the order in which they passed: an entry also holds the answer, which came later.
    fn write(&self, entries: &mut [Entry<'_>], wire: &mut Wire) {
        let mut sessions = Sessions::new(&self.stem, self.max_depth);
        if entries.iter().all(|entry| entry.moment.is_some()) {
            entries.sort_by_key(|entry| entry.moment);
        }
        let mut sent = Vec::new();
        for entry in &*entries {
            let session = sessions.of(&self.server, entry.side, entry.message);
            let message = Sent {
                entry,
                session,
                side: entry.side,
                moment: entry.moment,
                message: entry.message,
            };
            let answer = entry.answer.map(|answer| Sent {
                session: message.session.clone(),
                side: entry.side.other(),
                moment: entry.answered_at(),
                message: answer,
                ..message
            });
            sent.push(message);
            sent.extend(answer);
        }
        if sent.iter().all(|sent| sent.moment.is_some()) {
            sent.sort_by_key(|sent| sent.moment);
        }
        for Sent { entry, session, side, message, .. } in &sent {
            wire.at(entry.place);
            let is_answer = *side != entry.side;
            let at = if is_answer {
                entry.took_ms.and_then(|took| later(&entry.at, took))
            } else {
                Some(entry.at.clone())
            };
            wire.message(&Passed {
                side: *side,
                at: at.as_deref(),
                server: &self.server,
                session,
                message: message.text(),
                duration_ms: entry.took_ms.filter(|_| is_answer),
                ..Passed::default()
            });
            if let (Some(error), None, false) = (&entry.client_error, entry.answer, is_answer) {
                let id = message.member("id").map_or("null", Raw::text);
                let passed =
                    Passed { server: &self.server, session, message: id, ..Passed::default() };
                wire.no_answer(&passed, Fate::given_up(error), error);
            }
        }
    }
}

/// An entry of a protocol log.
struct Entry<'a> {
    place: Place,
    at: String,
    moment: Option<Moment>,
    side: Side,
    message: Raw<'a>,
    answer: Option<Raw<'a>>,
    took_ms: Option<f64>,
    /// Why the client gave up; where it was answered, what it held against the answer.
    client_error: Option<Cow<'a, str>>,
}

impl<'a> Entry<'a> {
    fn read(entry: Raw<'a>, place: Place) -> Option<Self> {
        let message = entry.member("message")?;
        let at = text_of(entry, "timestamp")?.into_owned();
        let took = entry.member("duration").and_then(|took| took.text().parse().ok());
        let is_servers = match text_of(entry, "origin").as_deref() {
            Some("client") => false,
            Some("server") => true,
            // Older builds did not record the sender.
            _ => is_servers(&text_of(entry, "direction").unwrap_or_default(), message),
        };
        Some(Self {
            place,
            moment: Moment::parse(&at),
            at,
            side: if is_servers { Side::Server } else { Side::Client },
            message,
            answer: entry.member("response").filter(|answer| answer.kind() == Kind::Object),
            took_ms: took.filter(|took: &f64| took.is_finite() && *took >= 0.0),
            client_error: text_of(entry, "clientError"),
        })
    }

    fn answered_at(&self) -> Option<Moment> {
        #[expect(clippy::cast_possible_truncation, reason = "casts of floats saturate")]
        let took = self.took_ms? as i64;
        self.moment?.0.checked_add(took).map(Moment)
    }
}

/// Whether the server sent a message whose sender was not recorded.
fn is_servers(direction: &str, message: Raw<'_>) -> bool {
    let method = text_of(message, "method").unwrap_or_default();
    match direction {
        "response" => true,
        "notification" => !matches!(
            &*method,
            "notifications/initialized"
                | "notifications/cancelled"
                | "notifications/roots/list_changed"
        ),
        _ => matches!(&*method, "sampling/createMessage" | "elicitation/create" | "roots/list"),
    }
}

/// A message of an entry.
struct Sent<'e, 'a> {
    entry: &'e Entry<'a>,
    session: String,
    side: Side,
    moment: Option<Moment>,
    message: Raw<'a>,
}

fn exchange(entry: Raw<'_>, place: Place) -> HttpExchange<'_> {
    let session = |headers| {
        let headers = entry.member(headers).and_then(Raw::members).unwrap_or_default();
        let mut headers = headers.into_iter();
        let header = headers.find(|(name, _)| name.decode().eq_ignore_ascii_case(SESSION_HEADER));
        header?.1.as_str().map(RawStr::decode).filter(|id| !id.is_empty())
    };
    let number = |name| entry.member(name).map(Raw::text);
    HttpExchange {
        place,
        url: text_of(entry, "url").unwrap_or_default(),
        at: text_of(entry, "timestamp"),
        took_ms: number("duration").and_then(|took| took.parse().ok()),
        session: session("requestHeaders").or_else(|| session("responseHeaders")),
        asked: text_of(entry, "requestBody").unwrap_or_default(),
        status: number("responseStatus").and_then(|status| status.parse().ok()),
        answered: text_of(entry, "responseBody"),
        failure: text_of(entry, "error").unwrap_or_default(),
    }
}
