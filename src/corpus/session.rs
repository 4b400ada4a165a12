//! Pairs the calls of one session with their answers.

use super::continued_calls::{
    Clock, goes_on, is_no_earlier, key_of_task, keys_of_call, same_id, tool_name,
};
use super::session_setup::Setup;
use super::sidecar::{ToolsByName, id_text};
use super::{Bounds, ListedTools, UNKNOWN_SERVER};
use crate::format::{
    CallNotes, Message, Outcome, brings_unknown_types, read_error, read_tool_list, read_value,
};
use crate::json::{Kind, Raw, RawStr, scan_document};
use crate::recording::{
    Direction, Exchange, ExchangeKind, Fate, Fidelity, JsonText, LinePosition, Origin, Reply,
    ReplyKind, Shape, Tool,
};
use hashbrown::{HashMap, HashSet};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of waiting calls that a session keeps; beyond, the oldest counts as unanswered.
const MAX_HELD: usize = 32 << 20;
/// Bytes of listed tools that a session keeps; of further ones it knows the names alone.
const MAX_LISTED: usize = 16 << 20;
/// The same with those names; calls of what is listed beyond are judged as if it were not listed.
const MAX_NAMED: usize = 20 << 20;
/// How long a session must go on after a call before the call counts as not answered, in milliseconds:
/// so long the clients of the SDKs wait by default.
const PATIENCE: i64 = 60_000;
/// So many ids under which something was answered are remembered. Behind them nobody knows whether an answer comes again.
const MAX_ANSWERED: usize = 1_000;
/// Bytes of a message's time; what is longer is none.
const MAX_TIME: usize = 64;
/// The revision of the protocol from which on results have types.
const TYPED_RESULTS: &str = "2026-07-28";
/// The error that says that there is no such task, or no result of it yet.
const INVALID_PARAMS: &str = "-32602";
/// The error of a task that failed and does not say why.
const TASK_FAILED: &str = r#"{"message":"The status of the task is failed"}"#;

#[derive(Debug, Default)]
pub(super) struct Session {
    /// Who is asked, as far as it is known.
    pub(super) server: Option<String>,
    /// The tools that the server has listed last.
    pub(super) tools: ToolsByName,
    /// Bytes of the tools.
    listed: usize,
    pub(super) setup: Setup,
    waiting: BTreeMap<u64, Waiting>,
    by_key: HashMap<String, BTreeSet<u64>>,
    started: u64,
    /// How many answers the server sent.
    answers: u64,
    /// Hashes of ids under which something was answered.
    answered: HashSet<u64>,
    /// When the last message that has a time was sent, by either side, as recorded.
    last_at: String,
    /// Bytes of the calls that wait.
    held: usize,
    /// Whether the client and the server agreed on a revision whose results have no types.
    is_untyped: bool,
    /// Whether the server announced an extension that is not known here.
    is_extended: bool,
    /// Whether some messages were not recorded.
    has_gap: bool,
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
    /// What came instead of its answer: one under another id, or messages that were not recorded.
    astray: Option<Fate>,
    /// What the rest of a call is found by that a first reply did not settle.
    rest: Vec<String>,
}

impl Waiting {
    fn has_failed(&self) -> bool {
        matches!(&self.question, Question::Call(call) if call.has_failed)
    }

    /// Roughly how much memory it takes.
    fn bytes(&self) -> usize {
        /// What a call takes besides its texts.
        const CALL: usize = 256;
        let bytes = CALL + self.rest.iter().chain(&self.id).map(String::len).sum::<usize>();
        let Question::Call(call) = &self.question else { return bytes };
        let input = call.input.as_ref().map_or(0, |input| input.raw().text().len());
        bytes + input + call.first_id.as_ref().map_or(0, String::len)
    }

    fn keys(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let id = self.id.as_deref().filter(|_| self.rest.is_empty()).map(same_id);
        id.into_iter().chain(self.rest.iter().map(|key| Cow::Borrowed(key.as_str())))
    }
}

#[derive(Debug)]
enum Question {
    Call(Box<Call>),
    Initialize,
    ListTools {
        first_page: bool,
    },
    /// About a task: what its call is found by, and the method.
    Task(String, String),
    Other(String),
}

#[derive(Debug)]
struct Call {
    tool: Option<Arc<Tool>>,
    tool_name: String,
    input: Option<JsonText<'static>>,
    /// The id of its first request, where there was a further one.
    first_id: Option<String>,
    at: Option<String>,
    clock: Clock,
    /// Whether its task failed, and did not say why.
    has_failed: bool,
    place: LinePosition,
    origin: Option<Box<Origin>>,
}

#[derive(Clone, Copy)]
struct Answered<'m> {
    at: Option<&'m str>,
    place: LinePosition,
    beside: Option<&'m CallNotes>,
}

impl<'m> Answered<'m> {
    fn by(message: &'m Message<'_>, place: LinePosition) -> Self {
        Self { at: message.at.as_deref(), place, beside: message.beside.as_deref() }
    }
}

/// A call that has ended.
struct Done<'a> {
    id: Option<String>,
    call: Call,
    reply: Reply<'a>,
    fate: Fate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Recording,
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
    /// Takes in a message, and appends the exchange that it completes to `out`.
    pub(super) fn hear<'a>(
        &mut self,
        mut message: Message<'a>,
        place: LinePosition,
        around: &Surroundings<'_>,
        out: &mut Vec<Exchange<'a>>,
    ) -> Heard {
        let from_server = message.direction == Some(Direction::FromServer);
        let outcome = message.outcome.take();
        self.answers += u64::from(from_server && message.method.is_none() && outcome.is_some());
        if let Some(at) = message.at.as_deref().filter(|at| at.len() <= MAX_TIME) {
            at.clone_into(&mut self.last_at);
        }
        let (heard, done) = match (message.method.as_deref(), outcome) {
            (None, None) => (Heard::Traffic("(not JSON-RPC, in a batch)".into()), None),
            (Some(method), _) if from_server => {
                let task = message.params.filter(|_| method.starts_with("notifications/tasks"));
                let task = task.and_then(|task| Some((key_of_task(task)?, task)));
                let done = task
                    .and_then(|(key, task)| self.hear_of_task(&key, task, message.at.as_deref()));
                (Heard::Traffic(Cow::Owned(method.to_owned())), done)
            }
            (Some(method), _) => {
                let fate = message.beside.as_ref().and_then(|beside| beside.fate);
                let is_end = method == "notifications/cancelled";
                let done = match fate.filter(|_| is_end) {
                    Some(fate) => self.end_as_recorded(message.params, fate),
                    None => None,
                };
                if is_end && fate.is_none() {
                    self.give_up(message.params);
                }
                (self.ask(method, &message, place), done)
            }
            (None, Some(_)) if !from_server => {
                (Heard::Traffic("(answer from client)".into()), None)
            }
            (None, Some(outcome)) => self.answer(&message, outcome, place, around),
        };
        let answered = Answered::by(&message, place);
        out.extend(done.map(|done| self.exchange(done, Some(answered), around)));
        heard
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
            let done = self.unanswered(waiting, None);
            out.extend(done.map(|done| self.exchange(done, None, around)));
        }
    }

    /// Messages were not recorded: what waits may have been answered by one of them.
    pub(super) fn miss(&mut self) {
        self.has_gap = true;
        self.waiting.values_mut().for_each(|it| _ = it.astray.get_or_insert(Fate::NotRecorded));
    }

    pub(super) fn begun(setup: Setup) -> Self {
        Self { setup, ..Self::default() }
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
            let done = self.unanswered(asked, Some(why));
            out.extend(done.map(|done| self.exchange(done, None, around)));
        }
        self.by_key.clear();
    }

    /// A call that was not answered, or not to the end, before its session ended or there was no room for it.
    fn unanswered(&self, asked: Waiting, end: Option<End>) -> Option<Done<'static>> {
        let Question::Call(call) = &asked.question else { return None };
        let is_late = || call.clock.until(&self.last_at).is_some_and(|time| time >= PATIENCE);
        let has_no_reply = match end {
            _ if asked.astray.is_some() => true,
            _ if is_derived(call) || !asked.rest.is_empty() => false,
            Some(End::NoRoom) => false,
            None => is_late(),
            Some(End::Recording) => asked.answers_before < self.answers || is_late(),
        };
        let error = scan_document(TASK_FAILED, usize::MAX).ok().filter(|_| call.has_failed);
        let is_settled = has_no_reply || error.is_some();
        let unanswered = if is_settled { Fate::Settled } else { Fate::Waiting };
        let reply = error.map_or(Reply::None, |error| Reply::Error(read_error(error)));
        let fate = asked.given_up.or(asked.astray).unwrap_or(unanswered);
        let Question::Call(call) = asked.question else { return None };
        Some(Done { id: asked.id, call: *call, reply, fate })
    }

    /// Notes an answer under an id that nothing waits under: for the call that waits under it as another type, or else
    /// for the last that waits, unless it is a second answer, or may be that of a request before the recording.
    fn went_astray(&mut self, id: &str, hash: u64) {
        let other = match id.strip_prefix('"').and_then(|id| id.strip_suffix('"')) {
            Some(number) => number.to_owned(),
            None => format!("\"{id}\""),
        };
        if let Some(waiting) = self.next_under(&other) {
            waiting.astray = Some(Fate::OtherIdType);
            return;
        }
        if self.has_gap || self.answered.contains(&hash) || self.answered.len() >= MAX_ANSWERED {
            return;
        }
        let mut waiting = self.waiting.values_mut().rev();
        if let Some(last) = waiting.find(|it| {
            it.given_up.is_none() && it.astray.is_none() && is_no_earlier(id, it.id.as_deref())
        }) {
            last.astray = Some(Fate::OtherId);
        }
    }

    fn ask(&mut self, method: &str, message: &Message<'_>, place: LinePosition) -> Heard {
        let (question, heard) = match method {
            "tools/call" => {
                if let Some(asked) = self.asked_before(message) {
                    self.wait(asked);
                    return Heard::Traffic("tools/call (further request)".into());
                }
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
            "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/update" => {
                let key = message.params.and_then(key_of_task).unwrap_or_default();
                match (method, self.next_under(&key)) {
                    ("tasks/cancel", Some(waiting)) => {
                        waiting.given_up.get_or_insert(Fate::Cancelled);
                    }
                    ("tasks/update", Some(Waiting { question: Question::Call(call), .. })) => {
                        call.clock.resume(message.at.as_deref());
                    }
                    _ => {}
                }
                let heard = Heard::Traffic(Cow::Owned(method.to_owned()));
                (Question::Task(key, method.to_owned()), heard)
            }
            other => {
                (Question::Other(other.to_owned()), Heard::Traffic(Cow::Owned(other.to_owned())))
            }
        };
        let is_call = matches!(question, Question::Call(_));
        if message.id.is_some() || is_call {
            let id = message.id.map(str::to_owned);
            let answers_before = self.answers;
            let rest = Vec::new();
            self.wait(Waiting { id, question, answers_before, given_up: None, astray: None, rest });
        }
        heard
    }

    fn wait(&mut self, waiting: Waiting) {
        let serial = self.started;
        self.started += 1;
        for key in waiting.keys() {
            self.by_key.entry(key.into_owned()).or_default().insert(serial);
        }
        self.held += waiting.bytes();
        self.waiting.insert(serial, waiting);
    }

    /// The call that a request goes on with: the one whose state and arguments it brings, or its state, or else the
    /// first of its tool and arguments of which the server wants to know more.
    fn asked_before(&mut self, message: &Message<'_>) -> Option<Waiting> {
        let params = message.params?;
        if !goes_on(params) {
            return None;
        }
        let state = params.member("requestState").and_then(Raw::as_str);
        let keys = keys_of_call(state, &tool_name(params), params.member("arguments"));
        let mut asked = keys.iter().find_map(|key| self.take_waiting(key))?;
        if let Question::Call(call) = &mut asked.question {
            call.clock.resume(message.at.as_deref());
            call.first_id = call.first_id.take().or(asked.id);
        }
        let (id, answers_before) = (message.id.map(str::to_owned), self.answers);
        Some(Waiting { id, answers_before, rest: Vec::new(), ..asked })
    }

    /// Notes that the client gives up a request: the one that would be taken to be answered next under the id.
    fn give_up(&mut self, params: Option<Raw<'_>>) {
        let member = |name| params.and_then(|params| params.member(name));
        let Some(id) = member("requestId") else { return };
        if let Some(waiting) = self.next_under(&same_id(id.text())) {
            let reason = member("reason").and_then(Raw::as_str);
            let reason = reason.map_or_else(Cow::default, RawStr::decode);
            waiting.given_up.get_or_insert(Fate::given_up(&reason));
        }
    }

    /// Ends a call as the program that recorded it says it ended.
    fn end_as_recorded(&mut self, params: Option<Raw<'_>>, fate: Fate) -> Option<Done<'static>> {
        let id = params?.member("requestId")?;
        let waiting = self.take_waiting(&same_id(id.text()))?;
        settled(Waiting { given_up: Some(fate), ..waiting }, Reply::None)
    }

    fn next_under(&mut self, key: &str) -> Option<&mut Waiting> {
        self.waiting.get_mut(self.by_key.get(key)?.first()?)
    }

    /// The request that is answered next under a key.
    fn take_waiting(&mut self, key: &str) -> Option<Waiting> {
        let serial = *self.by_key.get(key)?.first()?;
        let waiting = self.waiting.remove(&serial)?;
        self.held -= waiting.bytes();
        self.forget(&waiting, serial);
        Some(waiting)
    }

    fn call(&self, message: &Message<'_>, place: LinePosition) -> Call {
        let params = message.params;
        let tool_name = params.map(tool_name).unwrap_or_default();
        Call {
            tool: self.tools.get(&tool_name).cloned(),
            tool_name,
            input: params
                .and_then(|params| params.member("arguments"))
                .map(|input| JsonText::from(input).into_owned()),
            first_id: None,
            at: message.at.clone().map(Cow::into_owned),
            clock: Clock::start(message.at.as_deref()),
            has_failed: false,
            place,
            origin: message.beside.as_ref().map(|beside| Box::new(beside.origin.clone())),
        }
    }

    fn answer<'a>(
        &mut self,
        message: &Message<'a>,
        outcome: Outcome<'a>,
        place: LinePosition,
        around: &Surroundings<'_>,
    ) -> (Heard, Option<Done<'a>>) {
        let at = message.at.as_deref();
        let id = message.id.map(same_id);
        let hash = id.as_deref().map(|id| xxh3_64(id.as_bytes()));
        let asked = id.as_deref().and_then(|id| self.take_waiting(id));
        let Some(waiting) = asked else {
            if let Some((id, hash)) = id.as_deref().zip(hash) {
                self.went_astray(id, hash);
            }
            return (Heard::Traffic("(answer without request)".into()), None);
        };
        self.answered.extend(hash.filter(|_| self.answered.len() < MAX_ANSWERED));
        let result = match &outcome {
            Outcome::Result(result) => Some(result.raw),
            Outcome::Odd(_) | Outcome::Error(_) => None,
        };
        let member = |name| result.and_then(|result| result.member(name));
        let method = match waiting.question {
            Question::Call(_) => {
                let done = self.reply(waiting, Reply::from(outcome), at);
                return (Heard::Traffic("tools/call (answer)".into()), done);
            }
            Question::Task(key, method) => {
                let done = self.answer_of_task(&key, &method, Reply::from(outcome), at);
                return (Heard::Traffic(Cow::Owned(format!("{method} (answer)"))), done);
            }
            Question::Initialize => {
                let name = member("serverInfo").and_then(|info| info.member("name"));
                let name =
                    name.and_then(Raw::as_str).filter(|it| !it.is_empty() && !message.is_called);
                self.server = name.map(|it| it.decode().into_owned()).or(self.server.take());
                if let Some(result) = result {
                    self.setup.initialized();
                    let revision = member("protocolVersion").and_then(Raw::as_str);
                    self.is_untyped = revision.is_some_and(|it| *it.decode() < *TYPED_RESULTS);
                    self.hear_capabilities(result);
                }
                "initialize".to_owned()
            }
            Question::ListTools { first_page } => {
                if let Some(list) = member("tools") {
                    if first_page {
                        self.tools.clear();
                        self.listed = 0;
                    }
                    self.setup.listed(place, at);
                    let tools = read_tool_list(list);
                    for tool in &tools {
                        self.list(tool);
                    }
                    let pages = match member("nextCursor").map(Raw::kind) {
                        None | Some(Kind::Null) => Pages::Whole,
                        Some(_) => Pages::MoreToCome,
                    };
                    let server = self.server.as_deref().or(around.server).map(str::to_owned);
                    return (Heard::Tools(ListedTools { server, tools }, pages), None);
                }
                "tools/list".to_owned()
            }
            Question::Other(method) => {
                if let Some(result) = result.filter(|_| method == "server/discover") {
                    self.hear_capabilities(result);
                }
                method
            }
        };
        (Heard::Traffic(Cow::Owned(method + " (answer)")), None)
    }

    /// Takes in the answer to a request about a task.
    fn answer_of_task<'a>(
        &mut self,
        key: &str,
        method: &str,
        reply: Reply<'a>,
        at: Option<&str>,
    ) -> Option<Done<'a>> {
        if method != "tasks/result" {
            let Reply::Result(task) = reply else { return None };
            return self.hear_of_task(key, task.raw, at);
        }
        let waiting = self.take_waiting(key)?;
        // No such task, or no result yet.
        let is_none = matches!(&reply, Reply::Error(it) if it.code == INVALID_PARAMS);
        if is_none && !waiting.has_failed() {
            self.wait(waiting);
            return None;
        }
        settled(waiting, reply)
    }

    fn hear_capabilities(&mut self, result: Raw<'_>) {
        self.is_extended = result.member("capabilities").is_some_and(brings_unknown_types);
    }

    /// Takes in the first reply to a request of a call, which may leave its rest open.
    fn reply<'a>(
        &mut self,
        mut waiting: Waiting,
        mut reply: Reply<'a>,
        at: Option<&str>,
    ) -> Option<Done<'a>> {
        let (Question::Call(call), Reply::Result(result)) = (&mut waiting.question, &mut reply)
        else {
            return settled(waiting, reply);
        };
        let has_content = result.content.raw().is_some();
        match result.shape {
            // Older servers have their own members, and other extensions their own types.
            _ if has_content && (self.is_untyped || self.is_extended) => {
                result.shape = Shape::Complete;
            }
            Shape::Unknown(_) if self.is_extended => {
                waiting.given_up = Some(Fate::NotRecorded);
                reply = Reply::None;
            }
            Shape::InputRequired => {
                call.clock.pause(at);
                let state = result.raw.member("requestState").and_then(Raw::as_str);
                let arguments = call.input.as_ref().map(JsonText::raw);
                waiting.rest = keys_of_call(state, &call.tool_name, arguments);
                self.wait(waiting);
                return None;
            }
            Shape::Task(task) => {
                let key = key_of_task(task).unwrap_or_default();
                waiting.rest = vec![key.clone()];
                self.wait(waiting);
                return self.hear_of_task(&key, task, at);
            }
            Shape::Complete | Shape::Unknown(_) => {}
        }
        settled(waiting, reply)
    }

    /// Takes in what the server says of a task, which may be the reply to its call.
    fn hear_of_task<'a>(&mut self, key: &str, task: Raw<'a>, at: Option<&str>) -> Option<Done<'a>> {
        let waiting = self.next_under(key)?;
        let status = task.member("status").and_then(Raw::as_str).map(RawStr::decode);
        if let Question::Call(call) = &mut waiting.question {
            match status.as_deref() {
                Some("input_required") => call.clock.pause(at),
                Some("failed") => call.has_failed = true,
                Some(_) | None => {}
            }
        }
        let member = |name| task.member(name).filter(|it| it.kind() == Kind::Object);
        let result = || member("result").map(|result| Reply::Result(read_value(result)));
        let reply = match status.as_deref() {
            Some("completed") => result(),
            Some("failed") => {
                member("error").map(|error| Reply::Error(read_error(error))).or_else(result)
            }
            Some("cancelled") => {
                waiting.given_up.get_or_insert(Fate::Cancelled);
                Some(Reply::None)
            }
            Some(_) | None => None,
        };
        let reply = reply?;
        settled(self.take_waiting(key)?, reply)
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
        for key in waiting.keys() {
            if let Some(queue) = self.by_key.get_mut(&*key) {
                queue.remove(&serial);
                if queue.is_empty() {
                    self.by_key.remove(&*key);
                }
            }
        }
    }

    fn exchange<'a>(
        &self,
        Done { id, call, reply, fate }: Done<'a>,
        answered: Option<Answered<'_>>,
        around: &Surroundings<'_>,
    ) -> Exchange<'a> {
        let id = call.first_id.clone().or(id);
        let id = id.map(|id| scan_document(&id, usize::MAX).map_or(id.clone(), id_text));
        let scenario = id.as_ref().and_then(|id| around.scenarios.get(id)).cloned();
        let is_derived = is_derived(&call);
        let known = call
            .tool
            .or_else(|| self.tools.get(&call.tool_name).cloned())
            .or_else(|| around.folder_tools.get(&call.tool_name).cloned());
        let beside = answered.as_ref().and_then(|answer| answer.beside);
        let answered_at = answered.as_ref().and_then(|answer| answer.at);
        // Hosts wait for people between the two times.
        let took = || answered_at.filter(|_| !is_derived).and_then(|at| call.clock.took_by(at));
        let duration_ms = beside.and_then(|beside| beside.duration_ms).or_else(took);
        let waited_ms = call.clock.waited();
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
            fate,
            scenario: scenario.map(Cow::Owned),
            recorded_at: call.at.map(Cow::Owned),
            duration_ms,
            waited_ms,
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

fn settled(waiting: Waiting, reply: Reply<'_>) -> Option<Done<'_>> {
    let Question::Call(call) = waiting.question else { return None };
    let (by_client, reply) =
        if is_derived(&call) { reply.of_host() } else { (Fate::Settled, reply) };
    // An error says no more than that the call was given up; a result is one, late unless a task may be asked for it.
    let is_result = reply.kind() == ReplyKind::Result;
    let fate = match waiting.given_up {
        Some(_) if is_result && waiting.rest.is_empty() => Fate::Late,
        given_up => given_up.filter(|_| !is_result).unwrap_or(by_client),
    };
    Some(Done { id: waiting.id, call: *call, reply, fate })
}
