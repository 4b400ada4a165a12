//! Where converters write: wire lines with what programs say beside them.

use super::texts::{MOST_DEPTH, Places, array, compact, protocol_code, quoted, text_block};
use super::{Program, by_id};
use crate::json::{Kind, Raw, ScanError, ScanErrorKind, scan_document};
use crate::recording::Direction::{self, FromClient, FromServer};
use crate::recording::{Fate, Fidelity, LinePosition, Refuser};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::hash::Hasher as _;
use xxhash_rust::xxh3::Xxh3;

/// Calls of other files that are remembered, so that a call that two files hold counts once.
const MOST_REMEMBERED: usize = 2_000_000;
/// Calls of a file that wait for their answers.
const MOST_OPEN: usize = 100_000;
/// Bytes of them.
const MOST_HELD: usize = 64 << 20;

/// The name of records that hold no call.
pub(super) const NO_CALL: &str = "(no MCP call)";

/// Where a line was written that a unit of the file became.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    pub start: usize,
    pub end: usize,
    pub place: LinePosition,
}

/// What was found in one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Calls that converters took out of what a host kept.
    pub calls: u64,
    pub not_sent: u64,
    pub reply_cut: u64,
    pub reply_not_kept: u64,
    /// Calls that were recorded before, here or in another file.
    pub duplicates: u64,
    pub names_guessed: u64,
    /// Calls without an answer, which another file may hold: they are judged after all files.
    pub waiting: u64,
    /// Calls that waited in an earlier file.
    pub resumed: u64,
    /// More calls were met than can be remembered, so that some may count twice.
    pub forgot: bool,
}

/// How deep the members of a line lie in which a part of a reply stands.
const LINE_DEPTH: usize = 8;

/// Wire lines in the making.
#[derive(Debug, Default)]
pub struct Wire {
    written: Written,
    tally: Tally,
    place: LinePosition,
    /// Whether anything was noted of the record at hand.
    is_noted: bool,
    recorded_by: &'static str,
    /// The program whose ids its calls have.
    ids_of: &'static str,
    fidelity: Fidelity,
    host_owned: &'static [&'static str],
    max_depth: usize,
    /// The session of calls that name none.
    pub(super) session: String,
    open: HashMap<String, Open>,
    /// The ids of open calls by when they were made.
    order: BTreeMap<u64, String>,
    made: u64,
    /// Bytes of open calls.
    held: usize,
    dropped: HashSet<String>,
    /// Calls of any file whose answer was met.
    remembered: HashSet<u128>,
    /// Calls of files that ended before their answer: another file may hold it.
    unanswered: HashSet<u128>,
}

/// A unit that cannot be read.
#[derive(Debug)]
pub struct Broken {
    pub place: LinePosition,
    pub why: Why,
    pub detail: String,
    pub head: String,
}

/// What is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    NotUtf8,
    NotJson,
    CutShort,
    TooDeep,
    TooLong,
    Unrecognised,
}

/// A call that waits for its answer. It is written when that is met, so that what two files hold can count once.
#[derive(Debug)]
struct Open {
    serial: u64,
    server: String,
    session: String,
    tool: String,
    arguments: String,
    at: Option<String>,
    name_is_guess: bool,
    place: LinePosition,
    /// What tells it from all other calls of the program, where anything does.
    hash: Option<u128>,
}

impl Open {
    fn bytes(&self) -> usize {
        self.server.len() + self.session.len() + self.tool.len() + self.arguments.len()
    }
}

/// A call without an answer in its file.
#[derive(Debug)]
pub struct Unanswered {
    pub hash: u128,
    pub line: String,
    pub place: LinePosition,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Call<'a> {
    pub id: &'a str,
    /// Whether no two calls of any two files of the program have the same id.
    pub is_unique: bool,
    pub server: &'a str,
    /// Empty where it is that of the file.
    pub session: &'a str,
    pub tool: &'a str,
    /// The arguments as JSON; empty where they were not recorded.
    pub arguments: &'a str,
    pub at: Option<&'a str>,
    pub name_is_guess: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Answer<'a> {
    pub id: &'a str,
    pub at: Option<&'a str>,
    pub duration_ms: Option<f64>,
    pub reply: Reply<'a>,
    /// The program left out a part of the reply.
    pub is_cut: bool,
}

/// What was kept of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply<'a> {
    /// A result as the server sent it, as JSON.
    Whole(&'a str),
    /// The blocks of a result, as a JSON array, and its structured content. Without `is_error` nothing was recorded
    /// that says whether it is an error.
    Blocks {
        blocks: Cow<'a, str>,
        structured: Option<Cow<'a, str>>,
        is_error: Option<bool>,
    },
    /// An error of the protocol, as JSON.
    Error(String),
    Lost {
        fate: Fate,
        refused_by: Option<Refuser>,
        reason: Cow<'a, str>,
    },
}

impl Default for Reply<'_> {
    fn default() -> Self {
        Self::lost(Fate::NotRecorded, "")
    }
}

impl<'a> Reply<'a> {
    pub(super) fn blocks(blocks: impl Into<Cow<'a, str>>, is_error: Option<bool>) -> Self {
        Self::Blocks { blocks: blocks.into(), structured: None, is_error }
    }

    pub(super) fn text(text: &str, is_error: Option<bool>) -> Self {
        Self::blocks(array(&[text_block(text)]), is_error)
    }

    /// An error of the protocol, whose code its message may tell.
    pub(super) fn error(message: &str) -> Self {
        Self::coded(protocol_code(message), message)
    }

    pub(super) fn coded(code: Option<&str>, message: &str) -> Self {
        let code = code.map_or(String::new(), |code| format!(r#""code":{code},"#));
        Self::Error(format!(r#"{{{code}"message":{}}}"#, quoted(message)))
    }

    pub(super) fn lost(fate: Fate, reason: impl Into<Cow<'a, str>>) -> Self {
        Self::Lost { fate, refused_by: None, reason: reason.into() }
    }

    pub(super) fn not_sent(refused_by: Refuser, reason: impl Into<Cow<'a, str>>) -> Self {
        Self::Lost { fate: Fate::NotSent, refused_by: Some(refused_by), reason: reason.into() }
    }

    /// What a text says that begins with one of these words: the server never saw the call.
    pub(super) fn refused(words: &[(&str, Refuser)], text: &'a str) -> Option<Self> {
        let (_, refuser) = words.iter().find(|(words, _)| text.starts_with(words))?;
        Some(Self::not_sent(*refuser, text))
    }

    pub(super) fn with_error(self, error: Option<bool>) -> Self {
        match self {
            Self::Blocks { blocks, structured, is_error } => {
                Self::Blocks { blocks, structured, is_error: error.or(is_error) }
            }
            other => other,
        }
    }
}

/// A message of the wire, with what the program wrote beside it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passed<'a> {
    pub direction: Direction,
    pub at: Option<&'a str>,
    /// The server, where the program names it; otherwise its `initialize` answer does.
    pub server: &'a str,
    pub session: &'a str,
    /// The message, or a batch, as JSON.
    pub message: &'a str,
    /// How long the answer took, where the program says so.
    pub duration_ms: Option<f64>,
    pub is_cut: bool,
}

impl Wire {
    /// Begins a file.
    pub fn begin(&mut self, program: &'static Program, max_depth: usize) {
        *self = Self {
            recorded_by: program.id,
            ids_of: program.ids(),
            fidelity: program.fidelity,
            host_owned: program.host_owned,
            max_depth,
            written: std::mem::take(&mut self.written),
            made: self.made,
            remembered: std::mem::take(&mut self.remembered),
            unanswered: std::mem::take(&mut self.unanswered),
            ..Self::default()
        };
    }

    /// What comes next stands there.
    pub fn at(&mut self, place: LinePosition) {
        self.place = place;
    }

    pub fn place(&self) -> LinePosition {
        self.place
    }

    /// The value that a text is. One that cannot be read is noted.
    pub(super) fn read<'t>(&mut self, text: &'t str) -> Option<Raw<'t>> {
        scan_document(text, self.max_depth).map_err(|error| self.note(&error, text)).ok()
    }

    pub(super) fn note(&mut self, error: &ScanError, text: &str) {
        let why = match error.kind {
            ScanErrorKind::End => Why::CutShort,
            ScanErrorKind::Depth => Why::TooDeep,
            _ => Why::NotJson,
        };
        self.unreadable(why, error.to_string(), text);
    }

    pub(super) fn max_depth(&self) -> usize {
        self.max_depth
    }

    /// Hands out the records in a value, each at its place, and counts those of which nothing was noted.
    pub(super) fn each<'a>(
        &mut self,
        value: Raw<'a>,
        lists: &[&str],
        mut take: impl FnMut(Raw<'a>, &mut Self),
    ) {
        let mut places = Places::of(value, self.place);
        for record in records_in(value, lists) {
            self.place = places.of_part(record);
            self.once(|wire| take(record, wire));
        }
    }

    /// Does what is to be done with a record, and counts it where nothing was noted of it.
    pub(super) fn once(&mut self, take: impl FnOnce(&mut Self)) {
        self.is_noted = false;
        take(self);
        if !self.is_noted {
            self.other(NO_CALL, 1);
        }
    }

    /// The record at hand is kept for later.
    pub(super) fn keep(&mut self) {
        self.is_noted = true;
    }

    /// Whether a call waits for its answer.
    pub fn has_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub fn is_open(&self, id: &str) -> bool {
        self.open.contains_key(id)
    }

    /// Takes a call. It counts once, however often programs write it down.
    pub fn call(&mut self, call: &Call<'_>) {
        self.is_noted = true;
        let hash = call.is_unique.then(|| self.hash(call));
        let was_answered = hash.is_some_and(|hash| self.remembered.contains(&hash));
        if was_answered || self.open.contains_key(call.id) {
            self.tally.duplicates += 1;
            if was_answered && self.dropped.len() < MOST_OPEN {
                self.dropped.insert(call.id.to_owned());
            }
            self.other("(call recorded before)", 1);
            return;
        }
        if hash.is_some_and(|hash| self.unanswered.remove(&hash)) {
            self.tally.duplicates += 1;
            self.tally.resumed += 1;
        }
        self.tally.calls += 1;
        self.tally.names_guessed += u64::from(call.name_is_guess);
        let session = if call.session.is_empty() { &self.session } else { call.session };
        let open = Open {
            serial: self.made,
            server: call.server.to_owned(),
            session: session.to_owned(),
            tool: call.tool.to_owned(),
            arguments: if self.is_too_deep(call.arguments) {
                quoted(call.arguments)
            } else {
                call.arguments.to_owned()
            },
            at: call.at.map(str::to_owned),
            name_is_guess: call.name_is_guess,
            place: self.place,
            hash,
        };
        self.held += open.bytes();
        self.order.insert(self.made, call.id.to_owned());
        self.made += 1;
        self.open.insert(call.id.to_owned(), open);
        while self.open.len() > MOST_OPEN || self.held > MOST_HELD {
            let Some((_, id)) = self.order.pop_first() else { return };
            if let Some(open) = self.close(&id) {
                self.write(&self.call_line(&id, &open), open.place);
            }
        }
    }

    /// Takes the true names of server and tool of a call that waits for its answer.
    pub fn rename(&mut self, id: &str, server: &str, tool: &str) {
        let Some(open) = self.open.get_mut(id) else { return };
        self.held -= open.bytes();
        server.clone_into(&mut open.server);
        tool.clone_into(&mut open.tool);
        self.held += open.bytes();
        self.tally.names_guessed -= u64::from(std::mem::take(&mut open.name_is_guess));
    }

    fn close(&mut self, id: &str) -> Option<Open> {
        let open = self.open.remove(id)?;
        self.order.remove(&open.serial);
        self.held -= open.bytes();
        Some(open)
    }

    /// Ends the file. Calls without an answer are written, unless another file may hold the answer: these are returned.
    pub fn end(&mut self) -> Vec<Unanswered> {
        let mut unanswered = Vec::new();
        while let Some((_, id)) = self.order.pop_first() {
            let Some(open) = self.close(&id) else { continue };
            let line = self.call_line(&id, &open);
            match open.hash {
                Some(hash) if self.unanswered.len() < MOST_REMEMBERED => {
                    self.unanswered.insert(hash);
                    unanswered.push(Unanswered { hash, line, place: open.place });
                }
                _ => self.write(&line, open.place),
            }
        }
        unanswered
    }

    /// Writes a call of a file that ended, unless another file held its answer.
    pub fn give_up(&mut self, unanswered: &Unanswered) {
        if self.unanswered.remove(&unanswered.hash) {
            self.write(&unanswered.line, unanswered.place);
        }
    }

    /// Whether JSON, which may have stood in a text, is nested deeper than a line around it may be.
    fn is_too_deep(&self, json: &str) -> bool {
        let deepest = self.max_depth.saturating_sub(LINE_DEPTH);
        deepest < MOST_DEPTH && !json.is_empty() && scan_document(json, deepest).is_err()
    }

    /// A reply with a part that stays a text, since it is too deep.
    fn as_text(&self, reply: &Reply<'_>) -> Option<Reply<'static>> {
        let (parts, is_error): ([Option<&str>; 2], _) = match reply {
            Reply::Whole(result) => ([Some(*result), None], None),
            Reply::Blocks { blocks, structured, is_error } => {
                ([structured.as_deref(), Some(blocks)], *is_error)
            }
            Reply::Error(_) | Reply::Lost { .. } => return None,
        };
        let deep = parts.into_iter().flatten().find(|json| self.is_too_deep(json))?;
        Some(Reply::text(deep, is_error))
    }

    /// Writes a call and what came back. An answer to a call that counted before, or to none, is another message.
    pub fn answer(&mut self, answer: &Answer<'_>) {
        let Some(open) = self.close(answer.id) else {
            let was_dropped = self.dropped.contains(answer.id);
            let name =
                if was_dropped { "(answer recorded before)" } else { "(answer without request)" };
            return self.other(name, 1);
        };
        self.write(&self.call_line(answer.id, &open), open.place);
        if let Some(hash) = open.hash {
            if self.remembered.len() < MOST_REMEMBERED {
                self.remembered.insert(hash);
            } else {
                self.tally.forgot = true;
            }
        }
        let id = quoted(answer.id);
        let passed = Passed {
            direction: FromServer,
            at: answer.at,
            server: &open.server,
            session: &open.session,
            duration_ms: answer.duration_ms,
            is_cut: answer.is_cut,
            message: "",
        };
        let mut more = String::new();
        let as_text = self.as_text(&answer.reply);
        let (member, content): (_, Cow<'_, str>) = match as_text.as_ref().unwrap_or(&answer.reply) {
            Reply::Whole(result) => ("result", (*result).into()),
            Reply::Error(error) => ("error", error.into()),
            Reply::Blocks { blocks, structured, is_error } => {
                if is_error.is_none() {
                    more.push_str(r#","error_unknown":true"#);
                }
                let structured = structured.as_ref();
                let structured =
                    structured.map_or(String::new(), |it| format!(r#","structuredContent":{it}"#));
                let error = if *is_error == Some(true) { r#","isError":true"# } else { "" };
                ("result", format!(r#"{{"content":{blocks}{structured}{error}}}"#).into())
            }
            Reply::Lost { fate, refused_by, reason } => {
                if let Some(refuser) = refused_by {
                    let _ = write!(more, r#","refused_by":"{}""#, refuser.name());
                }
                return self.lose(&Passed { message: &id, ..passed }, &more, *fate, reason);
            }
        };
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{content}}}"#);
        self.send(&Passed { message: &message, ..passed }, &more);
    }

    /// Writes how a call of the wire ended whose answer is missing. The message is the call's id.
    pub fn no_answer(&mut self, passed: &Passed<'_>, fate: Fate, reason: &str) {
        self.lose(&Passed { duration_ms: None, is_cut: false, ..*passed }, "", fate, reason);
    }

    fn lose(&mut self, passed: &Passed<'_>, more: &str, fate: Fate, reason: &str) {
        self.tally.not_sent += u64::from(fate == Fate::NotSent);
        self.tally.reply_not_kept += u64::from(fate == Fate::NotRecorded);
        let more = format!(r#"{more},"fate":"{}""#, fate.name());
        let (id, reason) = (passed.message, quoted(reason));
        let message = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":{reason}}}}}"#
        );
        self.send(&Passed { direction: FromClient, message: &message, ..*passed }, &more);
    }

    pub fn message(&mut self, passed: &Passed<'_>) {
        self.send(passed, "");
    }

    fn send(&mut self, passed: &Passed<'_>, more: &str) {
        self.tally.reply_cut += u64::from(passed.is_cut);
        self.write(&self.line(passed, more), self.place);
    }

    /// Writes the tools of a server, as a JSON array.
    pub fn tools(&mut self, server: &str, tools: &str) {
        let line = format!(r#"{{"server":{},"tools":{}}}"#, quoted(server), one_line(tools));
        self.write(&line, self.place);
    }

    /// Hands a record on as it is, to be read as a file of such records would be.
    pub fn pass(&mut self, record: Raw<'_>) {
        self.write(&one_line(record.text()), self.place);
    }

    /// Counts records that hold no call.
    pub fn other(&mut self, name: &'static str, count: u64) {
        self.is_noted = true;
        *self.written.passed.entry(name).or_default() += count;
    }

    pub fn unreadable(&mut self, why: Why, detail: impl Into<String>, head: &str) {
        self.is_noted = true;
        let head = head.chars().take(400).collect();
        let broken = Broken { place: self.place, why, detail: detail.into(), head };
        self.written.broken.push(broken);
    }

    /// How many bytes of lines wait to be taken.
    pub fn len(&self) -> usize {
        self.written.text.len()
    }

    pub fn is_empty(&self) -> bool {
        let Written { text, passed, broken, .. } = &self.written;
        text.is_empty() && passed.is_empty() && broken.is_empty()
    }

    pub fn take(&mut self) -> Written {
        std::mem::take(&mut self.written)
    }

    pub fn tally(&self) -> Tally {
        self.tally
    }

    fn write(&mut self, line: &str, place: LinePosition) {
        self.is_noted = true;
        let start = self.written.text.len();
        self.written.text.push_str(line);
        self.written.units.push(Unit { start, end: self.written.text.len(), place });
        self.written.text.push('\n');
    }

    fn call_line(&self, id: &str, call: &Open) -> String {
        let (id, tool) = (quoted(id), quoted(&call.tool));
        let mut arguments = String::new();
        if !call.arguments.is_empty() {
            arguments = format!(r#","arguments":{}"#, call.arguments);
        }
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":{tool}{arguments}}}}}"#
        );
        let mut more = String::new();
        let host_owned = self.host_owned.contains(&&*call.server);
        for (name, is_set) in [("name_is_guess", call.name_is_guess), ("host_owned", host_owned)] {
            if is_set {
                let _ = write!(more, r#","{name}":true"#);
            }
        }
        let passed = Passed {
            at: call.at.as_deref(),
            server: &call.server,
            session: &call.session,
            message: &message,
            ..Passed::default()
        };
        self.line(&passed, &more)
    }

    fn line(&self, passed: &Passed<'_>, more: &str) -> String {
        let dir = passed.direction.name();
        let mut line = format!(r#"{{"dir":"{dir}","recorded_by":"{}""#, self.recorded_by);
        if self.fidelity == Fidelity::Derived {
            let _ = write!(line, r#","fidelity":"{}""#, self.fidelity.name());
        }
        let at = passed.at.unwrap_or_default();
        for (name, value) in [("ts", at), ("server", passed.server), ("session", passed.session)] {
            if !value.is_empty() {
                let _ = write!(line, r#","{name}":{}"#, quoted(value));
            }
        }
        if let Some(took) = passed.duration_ms.filter(|took| took.is_finite() && *took >= 0.0) {
            let _ = write!(line, r#","duration_ms":{took}"#);
        }
        line.push_str(if passed.is_cut { r#","reply_cut":true"# } else { "" });
        let _ = write!(line, r#"{more},"msg":{}}}"#, one_line(passed.message));
        line
    }

    /// The calls that follow are another program's, which wrote them down as well, if it is known.
    pub(super) fn calls_are_of(&mut self, id: &str) {
        self.ids_of = by_id(id).map_or(self.recorded_by, Program::ids);
    }

    fn hash(&self, call: &Call<'_>) -> u128 {
        hash_of(&[self.ids_of, call.id, call.server, call.tool, &compact(call.arguments)])
    }
}

pub(super) fn hash_of(parts: &[&str]) -> u128 {
    let mut hasher = Xxh3::new();
    for part in parts {
        hasher.write_usize(part.len());
        hasher.write(part.as_bytes());
    }
    hasher.digest128()
}

/// The records in a value: the elements of an array, those of a list that a member holds, or the value itself.
pub(super) fn records_in<'a>(value: Raw<'a>, lists: &[&str]) -> Vec<Raw<'a>> {
    if value.kind() == Kind::Array {
        return value.elements().unwrap_or_default();
    }
    let list = lists.iter().find_map(|name| value.member(name)?.elements());
    list.unwrap_or_else(|| vec![value])
}

fn one_line(json: &str) -> Cow<'_, str> {
    if json.contains(['\n', '\r']) { compact(json) } else { json.into() }
}

/// What converters wrote since it was last taken.
#[derive(Debug, Default)]
pub struct Written {
    pub text: String,
    pub units: Vec<Unit>,
    pub passed: BTreeMap<&'static str, u64>,
    pub broken: Vec<Broken>,
}
