//! What version 2 of the MCP Inspector exports: its protocol log and its network log.

use super::http::{Conversation, HttpExchange, SESSION_HEADER};
use super::logs::Sessions;
use super::reader::Convert;
use super::texts::{Places, fits, get, is_text, later, number_of, text_of, unescaped};
use super::wire::{NO_CALL, Passed};
use super::{PLAIN, Program, Wire};
use crate::json::{Kind, Raw, RawStr};
use crate::recording::Direction::{self, FromClient, FromServer};
use crate::recording::{Fate, Fidelity, LinePosition, Moment};
use std::borrow::Cow;

/// Entries of a protocol log, and of a network log.
const ENTRY: &str = "id:\" timestamp direction=request|response|notification message:{";
const FETCH: &str = "url method requestHeaders category";

pub(super) static INSPECTOR: Program = Program {
    id: "inspector",
    name: "MCP Inspector export",
    about: "The protocol log or the network log that the MCP Inspector exports.",
    fidelity: Fidelity::Wire,
    signs: &[r#""requestHeaders""#, r#""direction""#],
    recognise: |head| {
        let entries = head.document()?;
        if entries.any_element(|entry| fits(entry, FETCH)) {
            return Some("an array with url, requestHeaders and category");
        }
        let is_own = |entry| fits(entry, ENTRY) && fits(entry, "origin|response");
        let is_any = entries.any_element(is_own);
        is_any.then_some("an array with direction, message and origin or response")
    },
    converter: |file| {
        let server = server_of(file.stem).unwrap_or_default();
        Box::new(Export { stem: file.stem.to_owned(), server })
    },
    ..PLAIN
};

/// The server that the name of an export tells: `inspector-KIND-SERVER-TIME`.
fn server_of(stem: &str) -> Option<String> {
    /// As long as `-2026-05-01T10-00-00.000Z`.
    const TIME: usize = 25;
    let rest = stem.strip_prefix("inspector-")?;
    let (_, server) = rest.get(..rest.len().checked_sub(TIME)?)?.split_once('-')?;
    let pins = ["pinned-", "unpinned-"];
    let server = pins.iter().find_map(|kind| server.strip_prefix(kind)).unwrap_or(server);
    rest.ends_with('Z').then(|| unescaped(server))
}

struct Export {
    stem: String,
    server: String,
}

impl Convert for Export {
    fn value(&mut self, document: Raw<'_>, wire: &mut Wire) {
        let mut places = Places::of(document, wire.place());
        let (mut messages, mut exchanges) = (Vec::new(), Vec::new());
        for entry in document.elements().unwrap_or_default() {
            let place = places.of_part(entry);
            if fits(entry, ENTRY) {
                messages.extend(Entry::read(entry, place));
            } else if fits(entry, FETCH) && !is_text(entry, "category", "auth") {
                exchanges.push(exchange(entry, place));
            } else {
                wire.other(NO_CALL, 1);
            }
        }
        self.write(&mut messages, wire);
        let mut conversation = Conversation::new(&self.stem);
        for exchange in &exchanges {
            conversation.add_endpoint(&exchange.url);
            conversation.see(exchange);
        }
        for exchange in &exchanges {
            if let Some(next) = conversation.next(&exchange.url) {
                conversation.take(exchange, &next, wire);
            }
        }
        conversation.end(wire);
    }
}

impl Export {
    /// Writes the messages in the order in which they passed: an entry also holds the answer, which came later.
    fn write(&self, entries: &mut [Entry<'_>], wire: &mut Wire) {
        let mut sessions = Sessions::new(&self.stem);
        if entries.iter().all(|entry| entry.moment.is_some()) {
            entries.sort_by_key(|entry| entry.moment);
        }
        // When each passed, the session, and whether it is the answer.
        let mut sent = Vec::new();
        for entry in &*entries {
            let session = sessions.of(&self.server, entry.direction, entry.message);
            let answered =
                entry.answer.map(|_| (entry.answered_at(), session.clone(), entry, true));
            sent.push((entry.moment, session, entry, false));
            sent.extend(answered);
        }
        if sent.iter().all(|(moment, ..)| moment.is_some()) {
            sent.sort_by_key(|(moment, ..)| *moment);
        }
        for (_, session, entry, is_answer) in &sent {
            wire.at(entry.place);
            let answer = entry.answer.filter(|_| *is_answer);
            let took_ms = entry.took_ms.filter(|_| *is_answer);
            let ended = took_ms.and_then(|took| later(&entry.at, took));
            let passed = Passed { server: &self.server, session, ..Passed::default() };
            wire.message(&Passed {
                direction: if *is_answer { entry.direction.other() } else { entry.direction },
                at: if *is_answer { ended.as_deref() } else { Some(&entry.at) },
                message: answer.unwrap_or(entry.message).text(),
                duration_ms: took_ms,
                ..passed
            });
            if let (Some(error), None) = (&entry.client_error, entry.answer) {
                let message = entry.message.member("id").map_or("null", Raw::text);
                wire.no_answer(&Passed { message, ..passed }, Fate::given_up(error), error);
            }
        }
    }
}

/// An entry of a protocol log.
struct Entry<'a> {
    place: LinePosition,
    at: String,
    moment: Option<Moment>,
    direction: Direction,
    message: Raw<'a>,
    answer: Option<Raw<'a>>,
    took_ms: Option<f64>,
    /// Why the client gave up; where it was answered, what it held against the answer.
    client_error: Option<Cow<'a, str>>,
}

impl<'a> Entry<'a> {
    fn read(entry: Raw<'a>, place: LinePosition) -> Option<Self> {
        let message = entry.member("message")?;
        let at = text_of(entry, "timestamp")?.into_owned();
        let took: Option<f64> = number_of(entry, "duration");
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
            direction: if is_servers { FromServer } else { FromClient },
            message,
            answer: entry.member("response").filter(|answer| answer.kind() == Kind::Object),
            took_ms: took.filter(|took| took.is_finite() && *took >= 0.0),
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

fn exchange(entry: Raw<'_>, place: LinePosition) -> HttpExchange<'_> {
    let session = |headers| {
        let headers = get(entry, headers).and_then(Raw::members).unwrap_or_default();
        let mut headers = headers.into_iter();
        let header = headers.find(|(name, _)| name.decode().eq_ignore_ascii_case(SESSION_HEADER));
        header?.1.as_str().map(RawStr::decode).filter(|id| !id.is_empty())
    };
    HttpExchange {
        place,
        url: text_of(entry, "url").unwrap_or_default(),
        at: text_of(entry, "timestamp"),
        took_ms: number_of(entry, "duration"),
        session: session("requestHeaders").or_else(|| session("responseHeaders")),
        asked: text_of(entry, "requestBody").unwrap_or_default(),
        status: number_of(entry, "responseStatus"),
        answered: text_of(entry, "responseBody"),
        failure: text_of(entry, "error").unwrap_or_default(),
    }
}
