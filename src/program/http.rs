//! MCP over HTTP, as programs save requests with their responses: messages as JSON, in batches and in event streams.

use super::logs::{Sessions, lose};
use super::texts::{fits, given, is_text, later, nested, quoted, text_of};
use super::wire::{Passed, Wire};
use crate::json::Raw;
use crate::recording::Direction::{FromClient, FromServer};
use crate::recording::{Fate, LinePosition};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use xxhash_rust::xxh3::xxh3_64;

pub(super) const SESSION_HEADER: &str = "mcp-session-id";
/// So much is kept of a response that is no message.
const MOST_FOREIGN: usize = 400;

#[derive(Debug, Default)]
pub(super) struct HttpExchange<'a> {
    pub(super) place: LinePosition,
    pub(super) url: Cow<'a, str>,
    pub(super) at: Option<Cow<'a, str>>,
    pub(super) took_ms: Option<f64>,
    /// The id of the session, as headers name it.
    pub(super) session: Option<Cow<'a, str>>,
    pub(super) asked: Cow<'a, str>,
    /// None where there was no response.
    pub(super) status: Option<u64>,
    /// The response's body, where it was kept.
    pub(super) answered: Option<Cow<'a, str>>,
    /// What the client says of a request without a response.
    pub(super) failure: Cow<'a, str>,
}

impl HttpExchange<'_> {
    fn session_id(&self) -> Option<&str> {
        self.session.as_deref().or_else(|| session_in(&self.url))
    }
}

/// An address without what differs between requests to the same server.
fn endpoint(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// The session that the older transport names in its address.
fn session_in(url: &str) -> Option<&str> {
    let (_, query) = url.split_once('?')?;
    let mut pairs = query.split('#').next()?.split('&').filter_map(|pair| pair.split_once('='));
    Some(pairs.find(|(name, _)| matches!(*name, "sessionId" | "session_id"))?.1)
}

/// The host of an address, with its port where it has one.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    host.rsplit_once('@').map_or(host, |(_, host)| host)
}

/// Whether a request is a message of MCP, or a batch with one.
pub(super) fn is_mcp_request(body: &str) -> bool {
    const METHODS: [&str; 8] = [
        "initialize",
        "tools/",
        "resources/",
        "prompts/",
        "notifications/",
        "completion/",
        "logging/",
        "server/discover",
    ];
    let is_one = |value: Raw<'_>| {
        let method = text_of(value, "method").filter(|_| value.member("jsonrpc").is_some());
        method.is_some_and(|method| METHODS.iter().any(|known| method.starts_with(known)))
    };
    let is_any = |body: Raw<'_>| is_one(body) || body.any_element(is_one);
    body.contains("jsonrpc") && nested(body).is_some_and(is_any)
}

/// Whether a response is a stream of messages, or begins the older transport.
pub(super) fn is_mcp_stream(body: &str) -> bool {
    let is_mcp = |event: &Event| {
        event.name == "endpoint"
            || nested(&event.data).is_some_and(|data| data.member("jsonrpc").is_some())
    };
    body.contains("data:") && events(body).iter().any(is_mcp)
}

/// The text of a body, which may be kept in base64.
pub(super) fn body_text<'a>(text: Cow<'a, str>, encoding: Option<&str>) -> Cow<'a, str> {
    if !encoding.is_some_and(|encoding| encoding.eq_ignore_ascii_case("base64")) {
        return text;
    }
    let packed: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    match STANDARD.decode(packed) {
        Ok(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        Err(_) => text,
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Event {
    name: String,
    data: String,
}

/// The events of a stream. The last one counts although it may not have ended.
fn events(stream: &str) -> Vec<Event> {
    let mut found = Vec::new();
    let (mut event, mut lines) = (Event::default(), 0);
    let mut rest = stream.trim_start_matches('\u{feff}');
    loop {
        let end = rest.find(['\n', '\r']);
        let line = end.map_or(rest, |end| &rest[..end]);
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut event.name),
            "data" => {
                if lines > 0 {
                    event.data.push('\n');
                }
                event.data.push_str(value);
                lines += 1;
            }
            _ => {}
        }
        if line.is_empty() || end.is_none() {
            let ended = std::mem::take(&mut event);
            if std::mem::take(&mut lines) > 0 {
                found.push(ended);
            }
        }
        let Some(end) = end else { return found };
        rest = &rest[end..];
        rest = rest.strip_prefix("\r\n").or_else(|| rest.get(1..)).unwrap_or_default();
    }
}

/// What is known of exchanges from those that follow them.
#[derive(Debug, Default)]
struct Ahead {
    seen: usize,
    told: usize,
    /// By the number of the exchange: the session that the next request to the same address names.
    sessions: HashMap<usize, String>,
    /// Exchanges that were refused or lost on their way, and that the client sent again.
    sent_again: HashSet<usize>,
    addresses: HashMap<String, Address>,
    /// The addresses that take messages.
    endpoints: HashSet<String>,
    /// How many of those each host has.
    hosts: Option<HashMap<String, usize>>,
}

/// The requests to one address since its session began.
#[derive(Debug, Default)]
struct Address {
    /// The request that began the session, until the next one names it.
    beginning: Option<usize>,
    /// Those that failed, by a hash of what they asked.
    failed: HashMap<u64, Vec<usize>>,
}

/// What is known of one exchange from those that follow it.
#[derive(Debug, Default)]
pub(super) struct Next {
    session: Option<String>,
    is_sent_again: bool,
}

impl Ahead {
    fn see(&mut self, exchange: &HttpExchange<'_>) {
        let number = self.seen;
        self.seen += 1;
        if exchange.asked.is_empty() {
            return;
        }
        let address = self.addresses.entry(endpoint(&exchange.url).to_owned()).or_default();
        let asked = xxh3_64(exchange.asked.as_bytes());
        self.sent_again.extend(address.failed.remove(&asked).unwrap_or_default());
        let is_first = exchange.asked.contains("initialize")
            && is_text(nested(&exchange.asked), "method", "initialize");
        if is_first {
            address.beginning = Some(number);
            address.failed.clear();
        } else if let Some(beginning) = address.beginning.take()
            && let Some(session) = exchange.session_id()
        {
            self.sessions.insert(beginning, session.to_owned());
        }
        if !matches!(exchange.status, Some(1..=399)) {
            address.failed.entry(asked).or_default().push(number);
        }
    }

    fn hosts(&mut self) -> &HashMap<String, usize> {
        self.hosts.get_or_insert_with(|| {
            let mut hosts = HashMap::new();
            for address in self.addresses.drain().map(|(address, _)| address) {
                if self.endpoints.contains(&address) {
                    *hosts.entry(host_of(&address).to_owned()).or_default() += 1;
                }
            }
            hosts
        })
    }
}

/// A request that its own response did not answer.
#[derive(Debug)]
struct Open {
    place: LinePosition,
    at: Option<String>,
    /// How it ended, where not even the server's silence is known.
    fate: Option<(Fate, String)>,
}

/// Requests and responses of one file, in their order. All are seen before the first is taken.
#[derive(Debug)]
pub(super) struct Conversation {
    ahead: Ahead,
    sessions: Sessions,
    open: BTreeMap<Key, Open>,
    /// Answers that came before their requests, in the stream of the older transport.
    early: BTreeMap<Key, (LinePosition, String)>,
}

/// What a request and its answer have in common: server, session and id.
type Key = [String; 3];

impl Conversation {
    pub(super) fn new(stem: &str) -> Self {
        let (ahead, sessions) = (Ahead::default(), Sessions::new(stem));
        Self { ahead, sessions, open: BTreeMap::new(), early: BTreeMap::new() }
    }

    /// The address takes messages.
    pub(super) fn add_endpoint(&mut self, url: &str) {
        self.ahead.endpoints.insert(endpoint(url).to_owned());
    }

    pub(super) fn see(&mut self, exchange: &HttpExchange<'_>) {
        self.ahead.see(exchange);
    }

    /// What is known of the next exchange that was seen, where its address takes messages.
    pub(super) fn next(&mut self, url: &str) -> Option<Next> {
        let number = self.ahead.told;
        self.ahead.told += 1;
        let session = self.ahead.sessions.remove(&number);
        let next = Next { session, is_sent_again: self.ahead.sent_again.remove(&number) };
        self.ahead.endpoints.contains(endpoint(url)).then_some(next)
    }

    /// Writes the messages of an exchange.
    pub(super) fn take(&mut self, exchange: &HttpExchange<'_>, next: &Next, wire: &mut Wire) {
        wire.at(exchange.place);
        wire.keep();
        let asked = nested(&exchange.asked);
        let received = received(exchange);
        let is_redirect = matches!(exchange.status, Some(301 | 302 | 303 | 307 | 308));
        let is_again = next.is_sent_again || is_redirect;
        if asked.is_some() && received.messages.is_empty() && is_again {
            return wire.other("(HTTP request that was sent again)", 1);
        }
        let address = received.endpoint.as_deref().unwrap_or(&exchange.url);
        let server = server_of(address, self.ahead.hosts());
        let id = received.endpoint.as_deref().and_then(session_in).or(exchange.session_id());
        let session = id.or(next.session.as_deref()).map(str::to_owned);
        let session = session.unwrap_or_else(|| {
            self.sessions.of(&server, FromClient, asked.unwrap_or(Raw::known("null", true)))
        });
        let at = exchange.at.as_deref();
        let from_client = Passed { at, server: &server, session: &session, ..Passed::default() };
        let mut waiting = BTreeSet::new();
        if let Some(asked) = asked {
            wire.message(&Passed { message: asked.text(), ..from_client });
            waiting = ids_of_requests(asked);
            waiting.retain(|id| {
                let early = self.early.remove(&[server.clone(), session.clone(), id.clone()]);
                let Some((_, message)) = &early else { return true };
                let (direction, at) = (FromServer, None);
                wire.message(&Passed { direction, at, message, ..from_client });
                false
            });
        }
        let took = exchange.took_ms.filter(|took| took.is_finite() && *took >= 0.0);
        let ended = at.zip(took).and_then(|(at, took)| later(at, took));
        let end = ended.as_deref();
        let answer = Passed { direction: FromServer, at: end, duration_ms: took, ..from_client };
        for text in &received.messages {
            self.hear(text, &answer, &mut waiting, wire);
        }
        if let Some(text) = received.foreign.filter(|_| asked.is_some()) {
            wire.message(&Passed { message: &foreign(text), ..untimed(&answer) });
        }
        for id in waiting {
            let fate = how_it_ended(exchange);
            let open = Open { place: exchange.place, at: at.map(str::to_owned), fate };
            self.open.insert([server.clone(), session.clone(), id], open);
        }
    }

    /// Takes a message of a response. `answer` says what holds for answers to the requests that wait for it.
    fn hear(
        &mut self,
        text: &str,
        answer: &Passed<'_>,
        waiting: &mut BTreeSet<String>,
        wire: &mut Wire,
    ) {
        let Some(message) = nested(text) else {
            if !lose(answer, text, wire) {
                wire.message(&Passed { message: &foreign(text), ..untimed(answer) });
            }
            return;
        };
        let id = message.member("id").filter(|_| message.member("method").is_none());
        let Some(id) = id.map(Raw::text) else {
            return wire.message(&Passed { message: text, ..untimed(answer) });
        };
        let key = [answer.server.to_owned(), answer.session.to_owned(), id.to_owned()];
        let only = waiting.first().filter(|_| waiting.len() == 1 && is_nobodys(id)).cloned();
        if waiting.remove(id) {
            wire.message(&Passed { message: text, ..*answer });
        } else if let Some(id) = only {
            // Servers that refuse a request before they read it do not know its id.
            let error = message.member("error").map_or("null", Raw::text);
            let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
            wire.message(&Passed { message: &message, ..*answer });
            waiting.clear();
        } else if self.open.remove(&key).is_some() || is_nobodys(id) {
            wire.message(&Passed { message: text, ..untimed(answer) });
        } else {
            self.early.insert(key, (wire.place(), text.to_owned()));
        }
    }

    /// Writes what waits at the end: answers without a request, and how requests ended that nothing answered.
    pub(super) fn end(&mut self, wire: &mut Wire) {
        for ([server, session, _], (place, message)) in std::mem::take(&mut self.early) {
            wire.at(place);
            let passed = Passed { server: &server, session: &session, ..Passed::default() };
            wire.message(&Passed { direction: FromServer, message: &message, ..passed });
        }
        let mut open: Vec<_> = std::mem::take(&mut self.open).into_iter().collect();
        open.sort_by_key(|(_, open)| open.place);
        for ([server, session, id], Open { place, at, fate }) in &open {
            let Some((fate, reason)) = fate else { continue };
            wire.at(*place);
            let at = at.as_deref();
            let passed = Passed { at, server, session, message: id, ..Passed::default() };
            wire.no_answer(&passed, *fate, reason);
        }
    }
}

fn received<'e>(exchange: &'e HttpExchange<'_>) -> Received<'e> {
    let mut received = Received::default();
    let Some(text) = exchange.answered.as_deref().filter(|text| !text.trim().is_empty()) else {
        received.foreign = exchange.status.filter(|status| *status >= 300).map(|_| "");
        return received;
    };
    if let Some(body) = nested(text) {
        received.add(body);
    } else if text.contains("data:") {
        for event in events(text) {
            match nested(&event.data) {
                _ if event.name == "endpoint" => {
                    let scheme = exchange.url.split_once("://").map_or("http", |(it, _)| it);
                    let is_path = event.data.starts_with('/');
                    let before = format!("{scheme}://{}", host_of(&exchange.url));
                    received.endpoint =
                        Some(if is_path { before + &event.data } else { event.data });
                }
                Some(data) => received.add(data),
                None => received.messages.push(event.data),
            }
        }
    }
    if received.messages.is_empty() && received.endpoint.is_none() {
        received.foreign = Some(text);
    }
    received
}

/// The server's name as far as the address tells: its host, and the path where the host has several servers.
fn server_of(url: &str, hosts: &HashMap<String, usize>) -> String {
    let host = host_of(url);
    if hosts.get(host).is_none_or(|addresses| *addresses < 2) {
        return host.to_owned();
    }
    endpoint(url.split_once("://").map_or(url, |(_, rest)| rest)).to_owned()
}

/// The same of a message that is no answer to what was asked: nobody knows when it came.
fn untimed<'p>(answer: &Passed<'p>) -> Passed<'p> {
    Passed { at: None, duration_ms: None, ..*answer }
}

#[derive(Debug, Default)]
struct Received<'a> {
    /// Messages, and texts that are none where one was to be.
    messages: Vec<String>,
    /// The address that the older transport names for requests.
    endpoint: Option<String>,
    /// A response that is no message.
    foreign: Option<&'a str>,
}

impl Received<'_> {
    fn add(&mut self, value: Raw<'_>) {
        let messages = value.elements().unwrap_or_else(|| vec![value]).into_iter();
        let messages = messages
            .filter(|it| fits(*it, "jsonrpc") || fits(*it, "id method|result|error"))
            .map(|message| message.text().to_owned());
        self.messages.extend(messages);
    }
}

/// The ids of the requests in a message or a batch, as JSON.
fn ids_of_requests(asked: Raw<'_>) -> BTreeSet<String> {
    let all = asked.elements().unwrap_or_else(|| vec![asked]);
    let requests = all.into_iter().filter(|message| message.member("method").is_some());
    requests.filter_map(|message| Some(given(message, "id")?.text().to_owned())).collect()
}

/// Whether an id says that the server did not know which request it answers.
fn is_nobodys(id: &str) -> bool {
    matches!(id, "null" | r#""server-error""#)
}

/// How a request ended that was not answered, where not even the server's silence is known.
fn how_it_ended(exchange: &HttpExchange<'_>) -> Option<(Fate, String)> {
    match exchange.status {
        None | Some(0) => {
            let reason =
                if exchange.failure.is_empty() { "no response came" } else { &*exchange.failure };
            Some((Fate::given_up(reason), reason.to_owned()))
        }
        // The answer may be on a stream that was not kept.
        Some(202) => Some((Fate::NotRecorded, "the answer was not recorded".to_owned())),
        Some(200..=299) if exchange.answered.is_none() => {
            Some((Fate::NotRecorded, "the body of the response was not recorded".to_owned()))
        }
        Some(_) => None,
    }
}

/// The beginning of a text that is no message, as JSON.
fn foreign(text: &str) -> String {
    quoted(&text[..text.floor_char_boundary(MOST_FOREIGN)])
}
