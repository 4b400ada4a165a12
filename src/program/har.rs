//! HAR files: what browsers, proxies and mcpsnoop save of HTTP.

use super::ahead::Ahead;
use super::http::{
    Conversation, HttpExchange, SESSION_HEADER, body_text, is_mcp_request, is_mcp_stream,
};
use super::sessions::Sessions;
use super::texts::{elements_of, nested, quoted, read, text_of};
use super::wire::{Passed, Side};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, ListPath, Raw, RawStr};
use crate::recording::{Fidelity, Place};
use std::borrow::Cow;
use std::collections::HashSet;

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
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let is_mcp = |entry: Raw<'_>| {
        Saved::of(entry).is_some_and(|saved| saved.is_mcp(usize::MAX) || saved.is_snooped())
    };
    ENTRIES
        .find(head.document()?)?
        .any_element(is_mcp)
        .then_some("log.entries with requests of MCP")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(Log {
        max_depth: file.max_depth,
        ahead: Ahead::default(),
        endpoints: HashSet::new(),
        conversation: Conversation::new(file.stem, file.max_depth),
        snooped: Snooped { sessions: Sessions::new(file.stem, file.max_depth), made: 0 },
        dropped: 0,
    })
}

struct Log {
    max_depth: usize,
    ahead: Ahead,
    /// The addresses that take messages.
    endpoints: HashSet<String>,
    conversation: Conversation,
    snooped: Snooped,
    dropped: u64,
}

impl Convert for Log {
    fn look_ahead(&mut self, element: &str) {
        let entry = nested(element, self.max_depth);
        let Some(saved) = entry.and_then(Saved::of).filter(|saved| !saved.is_snooped()) else {
            return;
        };
        if saved.is_mcp(self.max_depth) {
            self.endpoints.insert(address(&saved.url()).to_owned());
        }
        if !saved.is_document(self.max_depth) {
            self.ahead.see(&saved.exchange(Place::default()), self.max_depth);
        }
    }

    fn unit(&mut self, text: &str, wire: &mut Wire) {
        let Some(entry) = read(text, self.max_depth, wire) else { return };
        let Some(saved) = Saved::of(entry) else {
            wire.pass(entry);
            return;
        };
        if saved.is_snooped() {
            self.snooped.take(&saved, self.max_depth, wire);
            return;
        }
        let is_document = saved.is_document(self.max_depth);
        let ahead = if is_document { None } else { self.ahead.next() };
        if let Some(next) = ahead.filter(|_| self.endpoints.contains(address(&saved.url()))) {
            let hosts = self.ahead.hosts(&self.endpoints);
            self.conversation.take(&saved.exchange(wire.place()), &next, hosts, wire);
        } else if saved.may_be_document(self.max_depth) {
            wire.pass(entry);
        } else {
            wire.other("(HTTP without MCP)", 1);
        }
    }

    fn beside(&mut self, text: &str, _: &mut Wire) {
        let comment = nested(text, self.max_depth).and_then(Raw::as_str).map(RawStr::decode);
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

/// An address without what differs between requests to the same server.
fn address(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// An entry of the log.
struct Saved<'a> {
    entry: Raw<'a>,
    request: Raw<'a>,
    response: Option<Raw<'a>>,
}

impl<'a> Saved<'a> {
    fn of(entry: Raw<'a>) -> Option<Self> {
        let request = entry.member("request").filter(|request| request.member("url").is_some())?;
        let response = entry.member("response").filter(|response| response.kind() == Kind::Object);
        Some(Self { entry, request, response })
    }

    fn url(&self) -> Cow<'a, str> {
        text_of(self.request, "url").unwrap_or_default()
    }

    fn asked(&self) -> Cow<'a, str> {
        self.request.member("postData").and_then(text_in).unwrap_or_default()
    }

    /// The body of the response, where it was kept.
    fn answered(&self) -> Option<Cow<'a, str>> {
        text_in(self.response?.member("content")?)
    }

    fn status(&self) -> Option<u64> {
        self.response?.member("status")?.text().parse().ok()
    }

    /// Whether the entry alone shows that a server of MCP is asked.
    fn is_mcp(&self, max_depth: usize) -> bool {
        is_mcp_request(&self.asked(), max_depth)
            || self.answered().is_some_and(|body| is_mcp_stream(&body, max_depth))
    }

    /// Whether the request holds JSON that is no message.
    fn is_document(&self, max_depth: usize) -> bool {
        let asked = self.asked();
        nested(&asked, max_depth).is_some_and(|asked| {
            asked.kind() == Kind::Object
                && asked.member("jsonrpc").is_none()
                && asked.member("method").is_none()
        })
    }

    /// Whether it may be an envelope, or what a judge sent. A page is neither.
    fn may_be_document(&self, max_depth: usize) -> bool {
        const OF_ANSWERS: [&str; 5] = [
            "status",
            "conversation_context",
            "hasValidationErrors",
            "validationStatus",
            "quality_score",
        ];
        let (asked, answered) = (self.asked(), self.answered().unwrap_or_default());
        let answer = || nested(&answered, max_depth);
        nested(&asked, max_depth).is_some()
            || answer().is_some_and(|it| OF_ANSWERS.iter().any(|name| it.member(name).is_some()))
    }

    fn is_snooped(&self) -> bool {
        self.url().starts_with(SNOOPED)
    }

    fn exchange(&self, place: Place) -> HttpExchange<'a> {
        let failure = self.response.and_then(|response| text_of(response, "_error"));
        HttpExchange {
            place,
            url: self.url(),
            at: text_of(self.entry, "startedDateTime"),
            took_ms: self.entry.member("time").and_then(|time| time.text().parse().ok()),
            session: [Some(self.request), self.response].into_iter().flatten().find_map(session),
            asked: self.asked(),
            status: self.status(),
            answered: self.answered(),
            failure: failure.unwrap_or_default(),
        }
    }
}

fn text_in(body: Raw<'_>) -> Option<Cow<'_, str>> {
    let encoding = text_of(body, "encoding");
    Some(body_text(text_of(body, "text")?, encoding.as_deref()))
}

/// The id of the session that headers name.
fn session(message: Raw<'_>) -> Option<Cow<'_, str>> {
    let is_session = |name: Cow<'_, str>| name.eq_ignore_ascii_case(SESSION_HEADER);
    let header = elements_of(message, "headers")
        .into_iter()
        .find(|header| text_of(*header, "name").is_some_and(is_session))?;
    text_of(header, "value").filter(|id| !id.is_empty())
}

/// What mcpsnoop exported: the parameters of requests with their results or errors, without ids.
struct Snooped {
    sessions: Sessions,
    made: u64,
}

impl Snooped {
    fn take(&mut self, saved: &Saved<'_>, max_depth: usize, wire: &mut Wire) {
        let url = saved.url();
        let (server, method) = split(&url);
        let params = saved.asked();
        let params = nested(&params, max_depth);
        // The name of what is asked for stands behind the method.
        let name = params.and_then(|params| text_of(params, "name")).unwrap_or_default();
        let method = method
            .strip_suffix(&*name)
            .and_then(|method| method.strip_suffix('/'))
            .unwrap_or(method);
        let is_servers =
            matches!(method, "sampling/createMessage" | "elicitation/create" | "roots/list");
        let side = if is_servers { Side::Server } else { Side::Client };
        self.made += 1;
        let id = self.made;
        let params =
            params.map_or(String::new(), |params| format!(r#","params":{}"#, params.text()));
        let method = quoted(method);
        let request = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method}{params}}}"#);
        let session = self.sessions.of(server, side, Raw::known(&request, false));
        let at = text_of(saved.entry, "startedDateTime");
        let sent =
            Passed { side, at: at.as_deref(), server, session: &session, ..Passed::default() };
        wire.message(&Passed { message: &request, ..sent });
        let answered = saved.answered().unwrap_or_default();
        let Some(answer) = nested(&answered, max_depth) else { return };
        let code = answer.member("code").filter(|code| code.kind() == Kind::Number);
        let is_error = code.is_some()
            && answer.member("message").is_some()
            && answer.member("content").is_none();
        let kind = if is_error { "error" } else { "result" };
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"{kind}":{}}}"#, answer.text());
        let took: Option<f64> =
            saved.entry.member("time").and_then(|time| time.text().parse().ok());
        let duration_ms = took.filter(|took| took.is_finite() && *took >= 0.0);
        let at = None;
        wire.message(&Passed { side: side.other(), message: &message, duration_ms, at, ..sent });
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
