//! Pairs the calls of one session with their answers.

use super::setup::Setup;
use super::sidecar::{ToolsByName, id_text};
use super::{Bounds, ListedTools, UNKNOWN_SERVER};
use crate::format::{Beside, Direction, Message, Outcome, read_tool_list};
use crate::json::{Kind, Raw, RawStr, scan_document};
use crate::recording::{
    Exchange, ExchangeKind, Fate, Fidelity, JsonText, Moment, Origin, Place, Reply, Tool,
};
use hashbrown::HashMap;
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Bytes of waiting calls that a session keeps; beyond, the oldest counts as unanswered.
const MAX_HELD: usize = 32 << 20;
/// Bytes of listed tools that a session keeps; of further ones it knows the names alone.
const MAX_LISTED: usize = 16 << 20;
/// The same with those names; calls of what is listed beyond are judged as if it were not listed.
const MAX_NAMED: usize = 20 << 20;
/// How long a session must go on after a call before the call counts as not answered, in milliseconds:
/// so long the clients of the SDKs wait by default.
const PATIENCE: i64 = 60_000;
/// Bytes of a message's time; what is longer is none.
const MAX_TIME: usize = 64;

/// What is known of one session so far.
#[derive(Debug, Default)]
pub(super) struct Session {
    server: Option<String>,
    tools: ToolsByName,
    /// Bytes of the tools.
    listed: usize,
    setup: Setup,
    waiting: BTreeMap<u64, Waiting>,
    by_id: HashMap<String, VecDeque<u64>>,
    started: u64,
    /// How many answers the server sent.
    answers: u64,
    /// When the last message that has a time was sent, by either side, as recorded.
    last_at: String,
    /// Bytes of the calls that wait.
    held: usize,
}

#[derive(Debug)]
struct Waiting {
    /// As the request wrote it.
    id: Option<String>,
    question: Question,
    /// How many messages the server had sent before.
    answers_before: u64,
    /// How the client gave it up, where it did.
    given_up: Option<Fate>,
}

impl Waiting {
    /// Roughly how much memory it takes.
    fn bytes(&self) -> usize {
        /// What a call takes besides its texts.
        const CALL: usize = 256;
        let input = match &self.question {
            Question::Call(call) => call.input.as_ref().map_or(0, |input| input.raw().text().len()),
            Question::Initialize | Question::ListTools { .. } | Question::Other(_) => 0,
        };
        CALL + input + self.id.as_ref().map_or(0, String::len)
    }
}

#[derive(Debug)]
enum Question {
    Call(Box<Call>),
    Initialize,
    ListTools { first_page: bool },
    Other(String),
}

#[derive(Debug)]
struct Call {
    tool: Option<Arc<Tool>>,
    tool_name: String,
    input: Option<JsonText<'static>>,
    at: Option<String>,
    place: Place,
    origin: Option<Box<Origin>>,
}

/// An answer as it was met.
struct Answered<'m> {
    at: Option<&'m str>,
    place: Place,
    beside: Option<&'m Beside>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Recording,
    /// There is no room for it beside others.
    NoRoom,
}

pub(super) struct Surroundings<'t> {
    pub(super) name: &'t str,
    pub(super) server: Option<&'t str>,
    pub(super) scenarios: &'t HashMap<String, String>,
    pub(super) folder_tools: &'t ToolsByName,
}

/// Whether a list of tools is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pages {
    Whole,
    MoreToCome,
}

/// What a message turned out to be.
pub(super) enum Heard {
    /// A call: its exchange comes when it is answered, or when the recording ends.
    Call,
    /// Something else, counted under this name.
    Traffic(Cow<'static, str>),
    /// The server's tools, and whether more of its list is to come.
    Tools(ListedTools, Pages),
}

impl Session {
    /// Takes in a message. Exchanges that it completes are appended to `out`.
    pub(super) fn hear<'a>(
        &mut self,
        message: Message<'a>,
        place: Place,
        around: &Surroundings<'_>,
        out: &mut Vec<Exchange<'a>>,
    ) -> Heard {
        let from_server = message.direction == Some(Direction::FromServer);
        let is_answer = from_server && message.method.is_none() && message.outcome.is_some();
        self.answers += u64::from(is_answer);
        if let Some(at) = message.at.as_deref().filter(|at| at.len() <= MAX_TIME) {
            at.clone_into(&mut self.last_at);
        }
        match message {
            Message { method: None, outcome: None, .. } => {
                Heard::Traffic("(not JSON-RPC, in a batch)".into())
            }
            Message { method: Some(method), .. } if from_server => {
                Heard::Traffic(Cow::Owned(method.into_owned()))
            }
            Message { method: Some(ref method), .. } => {
                let method = method.clone().into_owned();
                let fate = message.beside.as_ref().and_then(|beside| beside.fate);
                if method == "notifications/cancelled" {
                    match fate {
                        Some(fate) => self.settle(&message, place, fate, around, out),
                        None => self.give_up(message.params),
                    }
                }
                self.ask(&method, &message, place)
            }
            Message { outcome: Some(_), .. } if !from_server => {
                Heard::Traffic("(answer from client)".into())
            }
            Message { .. } => self.answer(message, place, around, out),
        }
    }

    /// Emits, as unanswered, what exceeds the bound on waiting calls.
    pub(super) fn enforce(
        &mut self,
        bounds: &Bounds,
        around: &Surroundings<'_>,
        out: &mut Vec<Exchange<'_>>,
    ) {
        while self.waiting.len() > bounds.max_waiting || self.held > MAX_HELD {
            let Some((serial, waiting)) = self.waiting.pop_first() else { return };
            self.held -= waiting.bytes();
            self.forget(&waiting, serial);
            if let Question::Call(call) = waiting.question {
                let is_late = self.went_on_after(&call).is_some_and(|time| time >= PATIENCE);
                let has_no_reply = is_late && !is_derived(&call);
                let unanswered = if has_no_reply { Fate::Settled } else { Fate::Waiting };
                let fate = waiting.given_up.unwrap_or(unanswered);
                let exchange = self.exchange(waiting.id, *call, None, Reply::None, around);
                out.push(Exchange { fate, ..exchange });
            }
        }
    }

    /// Notes the session's first message.
    pub(super) fn begin(&mut self, setup: Setup) {
        self.setup = setup;
    }

    /// Who is asked, as far as it is known.
    pub(super) fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// The tools that the server has listed last.
    pub(super) fn tools(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools.values()
    }

    /// How the session was set up.
    pub(super) fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Whether nothing waits for an answer.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Emits every call that was never answered. It still waits where the session is dropped for room, or
    /// ends before a client would have lost patience and before the server answered anything later.
    pub(super) fn finish(
        &mut self,
        why: End,
        around: &Surroundings<'_>,
        out: &mut Vec<Exchange<'_>>,
    ) {
        self.held = 0;
        for asked in std::mem::take(&mut self.waiting).into_values() {
            if let Question::Call(call) = asked.question {
                let is_late = || self.went_on_after(&call).is_some_and(|time| time >= PATIENCE);
                let has_no_reply = match why {
                    _ if is_derived(&call) => false,
                    End::NoRoom => false,
                    End::Recording => asked.answers_before < self.answers || is_late(),
                };
                let unanswered = if has_no_reply { Fate::Settled } else { Fate::Waiting };
                let fate = asked.given_up.unwrap_or(unanswered);
                let exchange = self.exchange(asked.id, *call, None, Reply::None, around);
                out.push(Exchange { fate, ..exchange });
            }
        }
        self.by_id.clear();
    }

    /// How long messages of either side followed a call, in milliseconds, where both have times.
    fn went_on_after(&self, call: &Call) -> Option<i64> {
        let asked = Moment::parse(call.at.as_deref()?)?;
        Some(Moment::parse(&self.last_at)?.0 - asked.0)
    }

    fn ask(&mut self, method: &str, message: &Message<'_>, place: Place) -> Heard {
        let (question, heard) = match method {
            "tools/call" => {
                let call = self.call(message, place);
                self.setup.called(&call.tool_name);
                (Question::Call(Box::new(call)), Heard::Call)
            }
            "initialize" => (Question::Initialize, Heard::Traffic("initialize".into())),
            "tools/list" => {
                let cursor = message.params.and_then(|params| params.member("cursor"));
                let first_page = cursor.is_none_or(|cursor| cursor.kind() == Kind::Null);
                (Question::ListTools { first_page }, Heard::Traffic("tools/list".into()))
            }
            other => {
                (Question::Other(other.to_owned()), Heard::Traffic(Cow::Owned(other.to_owned())))
            }
        };
        let is_call = matches!(question, Question::Call(_));
        if message.id.is_some() || is_call {
            let serial = self.started;
            self.started += 1;
            let id = message.id.map(str::to_owned);
            if let Some(id) = &id {
                self.by_id.entry(same_id(id).into_owned()).or_default().push_back(serial);
            }
            let answers_before = self.answers;
            let waiting = Waiting { id, question, answers_before, given_up: None };
            self.held += waiting.bytes();
            self.waiting.insert(serial, waiting);
        }
        heard
    }

    /// Notes that the client gives up a request: the one that would be taken to be answered next under the id.
    fn give_up(&mut self, params: Option<Raw<'_>>) {
        let member = |name| params.and_then(|params| params.member(name));
        let Some(id) = member("requestId") else { return };
        let serial = self.by_id.get(&*same_id(id.text())).and_then(VecDeque::front);
        if let Some(waiting) = serial.and_then(|serial| self.waiting.get_mut(serial)) {
            let reason = member("reason").and_then(Raw::as_str);
            let reason = reason.map_or_else(Cow::default, RawStr::decode);
            waiting.given_up.get_or_insert(Fate::given_up(&reason));
        }
    }

    /// Ends a call as the program that recorded it says it ended.
    fn settle(
        &mut self,
        message: &Message<'_>,
        place: Place,
        fate: Fate,
        around: &Surroundings<'_>,
        out: &mut Vec<Exchange<'_>>,
    ) {
        let Some(id) = message.params.and_then(|params| params.member("requestId")) else { return };
        let Some(waiting) = self.take_waiting(id.text()) else { return };
        if let Question::Call(call) = waiting.question {
            let answered =
                Answered { at: message.at.as_deref(), place, beside: message.beside.as_deref() };
            let exchange = self.exchange(waiting.id, *call, Some(answered), Reply::None, around);
            out.push(Exchange { fate, ..exchange });
        }
    }

    /// The request that is answered next under an id.
    fn take_waiting(&mut self, id: &str) -> Option<Waiting> {
        let key = same_id(id);
        let queue = self.by_id.get_mut(&*key)?;
        let serial = queue.pop_front()?;
        if queue.is_empty() {
            self.by_id.remove(&*key);
        }
        let waiting = self.waiting.remove(&serial)?;
        self.held -= waiting.bytes();
        Some(waiting)
    }

    fn call(&self, message: &Message<'_>, place: Place) -> Call {
        let params = message.params;
        let tool_name = params
            .and_then(|params| params.member("name"))
            .and_then(Raw::as_str)
            .map(|name| name.decode().into_owned())
            .unwrap_or_default();
        Call {
            tool: self.tools.get(&tool_name).cloned(),
            tool_name,
            input: params
                .and_then(|params| params.member("arguments"))
                .map(|input| JsonText::from(input).into_owned()),
            at: message.at.clone().map(Cow::into_owned),
            place,
            origin: message.beside.as_ref().map(|beside| Box::new(beside.origin.clone())),
        }
    }

    fn answer<'a>(
        &mut self,
        message: Message<'a>,
        place: Place,
        around: &Surroundings<'_>,
        out: &mut Vec<Exchange<'a>>,
    ) -> Heard {
        let asked = message.id.and_then(|id| self.take_waiting(id));
        let Some(waiting) = asked else { return Heard::Traffic("(answer without request)".into()) };
        match waiting.question {
            Question::Call(call) => {
                let reply = match message.outcome {
                    Some(Outcome::Result(result)) => Reply::Result(result),
                    Some(Outcome::Odd(raw)) => Reply::Result(crate::format::shapeless(raw)),
                    Some(Outcome::Error(error)) => Reply::Error(error),
                    None => Reply::None,
                };
                let (by_client, reply) =
                    if is_derived(&call) { reply.of_host() } else { (Fate::Settled, reply) };
                // An error says no more than that the call was given up; a result that comes all the same is one.
                let is_error = reply.kind().is_error();
                let fate = waiting.given_up.filter(|_| is_error).unwrap_or(by_client);
                let answered = Answered {
                    at: message.at.as_deref(),
                    place,
                    beside: message.beside.as_deref(),
                };
                let exchange = self.exchange(waiting.id, *call, Some(answered), reply, around);
                out.push(Exchange { fate, ..exchange });
                Heard::Traffic("tools/call (answer)".into())
            }
            Question::Initialize => {
                let info = result_of(&message).and_then(|result| result.member("serverInfo"));
                let name = info.and_then(|info| info.member("name")).and_then(Raw::as_str);
                if let Some(name) = name.filter(|name| !name.is_empty()) {
                    self.server = Some(name.decode().into_owned());
                }
                if matches!(message.outcome, Some(Outcome::Result(_))) {
                    self.setup.initialized();
                }
                Heard::Traffic("initialize (answer)".into())
            }
            Question::ListTools { first_page } => {
                let list = result_of(&message).and_then(|result| result.member("tools"));
                let Some(list) = list else {
                    return Heard::Traffic("tools/list (answer)".into());
                };
                if first_page {
                    self.tools.clear();
                    self.listed = 0;
                }
                self.setup.listed(place, message.at.as_deref());
                let tools = read_tool_list(list);
                for tool in &tools {
                    self.list(tool);
                }
                let next = result_of(&message).and_then(|result| result.member("nextCursor"));
                let pages = match next.map(Raw::kind) {
                    None | Some(Kind::Null) => Pages::Whole,
                    Some(_) => Pages::MoreToCome,
                };
                let server = self.server.as_deref().or(around.server).map(str::to_owned);
                Heard::Tools(ListedTools { server, tools }, pages)
            }
            Question::Other(method) => Heard::Traffic(Cow::Owned(format!("{method} (answer)"))),
        }
    }

    fn list(&mut self, tool: &Arc<Tool>) {
        if let Some(earlier) = self.tools.remove(&tool.name) {
            self.listed -= earlier.bytes();
        }
        let (tool, bound) = if self.listed + tool.bytes() <= MAX_LISTED {
            (Arc::clone(tool), MAX_LISTED)
        } else {
            (Arc::new(Tool::named(tool.name.as_str())), MAX_NAMED)
        };
        if self.listed + tool.bytes() <= bound {
            self.listed += tool.bytes();
            self.tools.insert(tool.name.clone(), tool);
        }
    }

    fn forget(&mut self, waiting: &Waiting, serial: u64) {
        if let Some(id) = &waiting.id
            && let id = same_id(id)
            && let Some(queue) = self.by_id.get_mut(&*id)
        {
            // What is given up first has waited longest, also among calls of the same id.
            if queue.front() == Some(&serial) {
                queue.pop_front();
            } else {
                queue.retain(|other| *other != serial);
            }
            if queue.is_empty() {
                self.by_id.remove(&*id);
            }
        }
    }

    fn exchange<'a>(
        &self,
        id: Option<String>,
        call: Call,
        answered: Option<Answered<'_>>,
        reply: Reply<'a>,
        around: &Surroundings<'_>,
    ) -> Exchange<'a> {
        let id = id.map(|id| scan_document(&id, usize::MAX).map_or(id.clone(), id_text));
        let scenario = id.as_ref().and_then(|id| around.scenarios.get(id)).cloned();
        let is_derived = is_derived(&call);
        let known = call
            .tool
            .or_else(|| self.tools.get(&call.tool_name).cloned())
            .or_else(|| around.folder_tools.get(&call.tool_name).cloned());
        let times = (
            call.at.as_deref().and_then(Moment::parse),
            answered.as_ref().and_then(|answer| answer.at).and_then(Moment::parse),
        );
        let beside = answered.as_ref().and_then(|answer| answer.beside);
        let duration_ms = match times {
            _ if beside.is_some_and(|beside| beside.duration_ms.is_some()) => {
                beside.and_then(|beside| beside.duration_ms)
            }
            // Hosts wait for people between the two times.
            (Some(asked), Some(answered)) if !is_derived => Some((answered.0 - asked.0) as f64),
            _ => None,
        };
        let mut origin = call.origin;
        if let (Some(origin), Some(beside)) = (&mut origin, beside) {
            origin.complete(&beside.origin);
        }
        let server = self.server.as_deref().or(around.server).unwrap_or(UNKNOWN_SERVER);
        Exchange {
            kind: ExchangeKind::ToolCall,
            original: None,
            id: id.map(Cow::Owned),
            server: Cow::Owned(server.to_owned()),
            session: Cow::Owned(around.name.to_owned()),
            tool: known.unwrap_or_else(|| Arc::new(Tool::named(call.tool_name))),
            input: call.input,
            reply,
            fate: Fate::Settled,
            scenario: scenario.map(Cow::Owned),
            recorded_at: call.at.map(Cow::Owned),
            duration_ms,
            label: None,
            place: call.place,
            answered: answered.map(|answer| answer.place),
            origin,
        }
    }
}

/// Whether a host wrote the call down, and not what passed.
fn is_derived(call: &Call) -> bool {
    call.origin.as_ref().is_some_and(|origin| origin.fidelity == Fidelity::Derived)
}

/// An id in the one form by which request and answer find each other: the two sides may escape the
/// same text differently, but neither takes `1` for `"1"`.
fn same_id(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let raw = scan_document(text, usize::MAX).ok();
    match raw.and_then(Raw::as_str) {
        Some(string) => Cow::Owned(format!("\"{}\"", string.decode())),
        None => Cow::Borrowed(text),
    }
}

fn result_of<'a>(message: &Message<'a>) -> Option<Raw<'a>> {
    match &message.outcome {
        Some(Outcome::Result(result)) => Some(result.raw),
        _ => None,
    }
}
