//! HAR files: what browsers, proxies and mcpsnoop save of HTTP.

use super::http::{
    Conversation, HttpExchange, SESSION_HEADER, body_text, is_mcp_request, is_mcp_stream,
};
use super::logs::Sessions;
use super::reader::Convert;
use super::texts::{elements_of, filled, fits, get, nested, number_of, quoted, text_of};
use super::wire::Passed;
use super::{PLAIN, Program, Units, Wire};
use crate::json::{Kind, ListPath, Raw, RawStr};
use crate::recording::Direction::{FromClient, FromServer};
use crate::recording::{Fidelity, LinePosition};
use std::borrow::Cow;

static ENTRIES: ListPath = ListPath {
    members: &["log", "entries"],
    beside: &["log", "comment"],
    beside_kind: Kind::String,
};

/// How mcpsnoop writes the address of what it saw: `mcp://SERVER/METHOD`, for calls `mcp://SERVER/METHOD/TOOL`.
const SNOOPED: &str = "mcp://";

pub(super) static HAR: Program = Program {
    id: "har",
    name: "HAR",
    about: "HTTP that a browser, a proxy or mcpsnoop saved, with MCP in it.",
    fidelity: Fidelity::Wire,
    units: Units::Elements(&ENTRIES),
    signs: &[r#""entries""#],
    recognise: |head| {
        let is_mcp =
            |entry| Saved::of(entry).is_some_and(|saved| saved.is_mcp() || saved.is_snooped());
        let entries = ENTRIES.find(head.document()?)?;
        entries.any_element(is_mcp).then_some("log.entries with requests of MCP")
    },
    converter: |file| {
        Box::new(Log {
            conversation: Conversation::new(file.stem),
            sessions: Sessions::new(file.stem),
            snooped: 0,
            dropped: 0,
        })
    },
    ..PLAIN
};

struct Log {
    conversation: Conversation,
    /// The sessions of what mcpsnoop exported, and how many requests of it were met.
    sessions: Sessions,
    snooped: u64,
    dropped: u64,
}

impl Convert for Log {
    fn look_ahead(&mut self, entry: Raw<'_>) {
        let Some(saved) = Saved::of(entry).filter(|saved| !saved.is_snooped()) else { return };
        if saved.is_mcp() {
            self.conversation.add_endpoint(&saved.url());
        }
        if !saved.is_document() {
            self.conversation.see(&saved.exchange(LinePosition::default()));
        }
    }

    fn value(&mut self, entry: Raw<'_>, wire: &mut Wire) {
        let Some(saved) = Saved::of(entry) else { return wire.pass(entry) };
        if saved.is_snooped() {
            return self.snooped(&saved, wire);
        }
        let next = (!saved.is_document()).then(|| self.conversation.next(&saved.url())).flatten();
        if let Some(next) = next {
            self.conversation.take(&saved.exchange(wire.place()), &next, wire);
        } else if saved.may_be_document() {
            wire.pass(entry);
        } else {
            wire.other("(HTTP without MCP)", 1);
        }
    }

    fn beside(&mut self, value: Raw<'_>) {
        let comment = value.as_str().map(RawStr::decode);
        self.dropped = comment.as_deref().and_then(dropped_frames).unwrap_or_default();
    }

    fn end(&mut self, wire: &mut Wire) {
        self.conversation.end(wire);
        if self.dropped > 0 {
            wire.other("(message that the recorder dropped)", self.dropped);
        }
    }
}

/// How many messages the comment of an incomplete file says are missing.
fn dropped_frames(comment: &str) -> Option<u64> {
    let rest = comment.strip_prefix("mcpsnoop: capture incomplete, ")?;
    rest.split(' ').next()?.parse().ok()
}

/// An entry of the log.
struct Saved<'a>(Raw<'a>);

impl<'a> Saved<'a> {
    fn of(entry: Raw<'a>) -> Option<Self> {
        fits(entry, "request.url").then_some(Self(entry))
    }

    fn url(&self) -> Cow<'a, str> {
        text_of(self.0, "request.url").unwrap_or_default()
    }

    fn asked(&self) -> Cow<'a, str> {
        text_in(self.0, "request.postData").unwrap_or_default()
    }

    /// The body of the response, where it was kept.
    fn answered(&self) -> Option<Cow<'a, str>> {
        text_in(self.0, "response.content")
    }

    /// Whether the entry alone shows that a server of MCP is asked.
    fn is_mcp(&self) -> bool {
        is_mcp_request(&self.asked()) || self.answered().is_some_and(|body| is_mcp_stream(&body))
    }

    /// Whether the request holds JSON that is no message.
    fn is_document(&self) -> bool {
        nested(&self.asked())
            .is_some_and(|asked| asked.kind() == Kind::Object && !fits(asked, "jsonrpc|method"))
    }

    /// Whether it may be an envelope, or what a judge sent. A page is neither.
    fn may_be_document(&self) -> bool {
        const OF_ANSWERS: &str =
            "status|conversation_context|hasValidationErrors|validationStatus|quality_score";
        let (asked, answered) = (self.asked(), self.answered().unwrap_or_default());
        nested(&asked).is_some() || nested(&answered).is_some_and(|it| fits(it, OF_ANSWERS))
    }

    fn is_snooped(&self) -> bool {
        self.url().starts_with(SNOOPED)
    }

    fn exchange(&self, place: LinePosition) -> HttpExchange<'a> {
        HttpExchange {
            place,
            url: self.url(),
            at: text_of(self.0, "startedDateTime"),
            took_ms: number_of(self.0, "time"),
            session: ["request.headers", "response.headers"]
                .iter()
                .find_map(|headers| session(elements_of(self.0, headers))),
            asked: self.asked(),
            status: number_of(self.0, "response.status"),
            answered: self.answered(),
            failure: text_of(self.0, "response._error").unwrap_or_default(),
        }
    }
}

fn text_in<'a>(entry: Raw<'a>, path: &str) -> Option<Cow<'a, str>> {
    let body = get(entry, path)?;
    Some(body_text(text_of(body, "text")?, text_of(body, "encoding").as_deref()))
}

/// The id of the session that headers name.
fn session(headers: Vec<Raw<'_>>) -> Option<Cow<'_, str>> {
    let is_session = |name: Cow<'_, str>| name.eq_ignore_ascii_case(SESSION_HEADER);
    let mut headers = headers.into_iter();
    let header = headers.find(|header| text_of(*header, "name").is_some_and(is_session))?;
    filled(header, "value")
}

impl Log {
    /// Takes what mcpsnoop exported: the parameters of requests with their results or errors, without ids.
    fn snooped(&mut self, saved: &Saved<'_>, wire: &mut Wire) {
        let (url, asked) = (saved.url(), saved.asked());
        let (server, method) = split(&url);
        let params = nested(&asked);
        // The name of what is asked for stands behind the method.
        let name = text_of(params, "name").unwrap_or_default();
        let bare = method.strip_suffix(&*name).and_then(|method| method.strip_suffix('/'));
        let method = bare.unwrap_or(method);
        let is_servers =
            matches!(method, "sampling/createMessage" | "elicitation/create" | "roots/list");
        let direction = if is_servers { FromServer } else { FromClient };
        self.snooped += 1;
        let id = self.snooped;
        let params =
            params.map_or(String::new(), |params| format!(r#","params":{}"#, params.text()));
        let method = quoted(method);
        let request = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method}{params}}}"#);
        let session = self.sessions.of(server, direction, Raw::known(&request, false));
        let at = text_of(saved.0, "startedDateTime");
        let sent = Passed { direction, server, session: &session, ..Passed::default() };
        wire.message(&Passed { at: at.as_deref(), message: &request, ..sent });
        let answered = saved.answered().unwrap_or_default();
        let Some(answer) = nested(&answered) else { return };
        let code = answer.member("code").filter(|code| code.kind() == Kind::Number);
        let is_error = code.is_some() && fits(answer, "message") && !fits(answer, "content");
        let kind = if is_error { "error" } else { "result" };
        let message = &format!(r#"{{"jsonrpc":"2.0","id":{id},"{kind}":{}}}"#, answer.text());
        let duration_ms = number_of(saved.0, "time");
        wire.message(&Passed { direction: direction.other(), message, duration_ms, ..sent });
    }
}

/// Server and method of an address. The server is what its user called it, which may hold a slash.
fn split(url: &str) -> (&str, &str) {
    const METHODS: [&str; 12] = [
        "/initialize",
        "/tools/",
        "/resources/",
        "/prompts/",
        "/notifications/",
        "/ping",
        "/completion/",
        "/logging/",
        "/sampling/",
        "/elicitation/",
        "/roots/",
        "/server/",
    ];
    let rest = url.strip_prefix(SNOOPED).unwrap_or(url);
    let at = METHODS.iter().filter_map(|method| rest.find(method)).min();
    at.or_else(|| rest.find('/')).map_or((rest, ""), |at| (&rest[..at], &rest[at + 1..]))
}
