//! Where converters write: wire lines with what programs say beside them.

use super::texts::{compact, quoted};
use crate::json::Raw;
use crate::recording::{Fate, Fidelity, Place, Refuser};
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

/// Where a line was written that a unit of the file became.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    pub start: usize,
    pub end: usize,
    pub place: Place,
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

/// Wire lines in the making.
#[derive(Debug, Default)]
pub struct Wire {
    text: String,
    units: Vec<Unit>,
    passed: BTreeMap<&'static str, u64>,
    broken: Vec<Broken>,
    tally: Tally,
    place: Place,
    recorded_by: &'static str,
    fidelity: Fidelity,
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
    pub place: Place,
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
    at: String,
    name_is_guess: bool,
    host_owned: bool,
    place: Place,
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
    pub place: Place,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Call<'a> {
    pub id: &'a str,
    /// Whether no two calls of any two files of the program have the same id.
    pub is_unique: bool,
    pub server: &'a str,
    pub session: &'a str,
    pub tool: &'a str,
    /// The arguments as JSON; empty where they were not recorded.
    pub arguments: &'a str,
    pub at: Option<&'a str>,
    pub name_is_guess: bool,
    pub host_owned: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    pub id: &'a str,
    pub at: Option<&'a str>,
    pub duration_ms: Option<f64>,
    pub reply: Reply<'a>,
    /// The program left out a part of the reply.
    pub is_cut: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum Reply<'a> {
    /// A result as the server sent it, as JSON.
    Whole(&'a str),
    /// One text. Without `is_error` nothing was recorded that says whether it is an error.
    Text { text: &'a str, is_error: Option<bool> },
    /// The blocks of a result, as a JSON array, and its structured content.
    Blocks { blocks: &'a str, structured: Option<&'a str>, is_error: Option<bool> },
    /// An error of the protocol.
    Error { code: &'a str, message: &'a str },
    /// An error of the protocol as the server sent it, as JSON.
    WholeError(&'a str),
    /// None that was kept.
    Lost { fate: Fate, refused_by: Option<Refuser>, reason: &'a str },
}

/// Which way a message went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    #[default]
    Client,
    Server,
}

impl Side {
    pub fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

/// A message of the wire, with what the program wrote beside it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passed<'a> {
    pub side: Side,
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
    pub fn begin(&mut self, recorded_by: &'static str, fidelity: Fidelity) {
        self.recorded_by = recorded_by;
        self.fidelity = fidelity;
        self.open.clear();
        self.order.clear();
        self.held = 0;
        self.dropped.clear();
        self.tally = Tally::default();
    }

    /// What comes next stands there.
    pub fn at(&mut self, place: Place) {
        self.place = place;
    }

    pub fn place(&self) -> Place {
        self.place
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
        let open = Open {
            serial: self.made,
            server: call.server.to_owned(),
            session: call.session.to_owned(),
            tool: call.tool.to_owned(),
            arguments: call.arguments.to_owned(),
            at: call.at.unwrap_or_default().to_owned(),
            name_is_guess: call.name_is_guess,
            host_owned: call.host_owned,
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
                let line = self.call_line(&id, &open);
                self.write(&line, open.place);
            }
        }
    }

    /// Takes the true names of server and tool of a call that waits for its answer.
    pub fn rename(&mut self, id: &str, server: &str, tool: &str, host_owned: bool) {
        let Some(open) = self.open.get_mut(id) else { return };
        self.held -= open.bytes();
        server.clone_into(&mut open.server);
        tool.clone_into(&mut open.tool);
        open.host_owned = host_owned;
        self.held += open.bytes();
        self.tally.names_guessed -= u64::from(std::mem::take(&mut open.name_is_guess));
    }

    fn close(&mut self, id: &str) -> Option<Open> {
        let open = self.open.remove(id)?;
        self.order.remove(&open.serial);
        self.held -= open.bytes();
        Some(open)
    }

    fn write(&mut self, line: &str, place: Place) {
        let start = self.text.len();
        self.text.push_str(line);
        self.units.push(Unit { start, end: self.text.len(), place });
        self.text.push('\n');
    }

    fn call_line(&mut self, id: &str, call: &Open) -> String {
        let before = self.text.len();
        self.begin_line(Side::Client, Some(&call.at), &call.server, &call.session);
        self.flag("name_is_guess", call.name_is_guess);
        self.flag("host_owned", call.host_owned);
        let (id, tool) = (quoted(id), quoted(&call.tool));
        let _ = write!(
            self.text,
            r#","msg":{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":{tool}"#
        );
        if !call.arguments.is_empty() {
            self.text.push_str(r#","arguments":"#);
            self.text.push_str(&one_line(&call.arguments));
        }
        self.text.push_str("}}}");
        self.text.split_off(before)
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

    /// Writes a call and what came back. An answer to a call that counted before, or to none, is another message.
    pub fn answer(&mut self, answer: &Answer<'_>) {
        let Some(open) = self.close(answer.id) else {
            let was_dropped = self.dropped.contains(answer.id);
            self.other(
                if was_dropped { "(answer recorded before)" } else { "(answer without request)" },
                1,
            );
            return;
        };
        let line = self.call_line(answer.id, &open);
        self.write(&line, open.place);
        if let Some(hash) = open.hash {
            if self.remembered.len() < MOST_REMEMBERED {
                self.remembered.insert(hash);
            } else {
                self.tally.forgot = true;
            }
        }
        let is_lost = matches!(answer.reply, Reply::Lost { .. });
        let side = if is_lost { Side::Client } else { Side::Server };
        let start = self.begin_line(side, answer.at, &open.server, &open.session);
        if let Some(duration) = answer.duration_ms {
            let _ = write!(self.text, r#","duration_ms":{duration}"#);
        }
        self.tally.reply_cut += u64::from(answer.is_cut);
        self.flag("reply_cut", answer.is_cut);
        let id = quoted(answer.id);
        match answer.reply {
            Reply::Whole(result) => self.result(&id, result),
            Reply::Text { text, is_error } => {
                let blocks = format!(r#"[{{"type":"text","text":{}}}]"#, quoted(text));
                self.made(&id, &blocks, None, is_error);
            }
            Reply::Blocks { blocks, structured, is_error } => {
                self.made(&id, blocks, structured, is_error);
            }
            Reply::Error { code, message } => {
                let error = format!(r#"{{"code":{code},"message":{}}}"#, quoted(message));
                self.error(&id, &error);
            }
            Reply::WholeError(error) => self.error(&id, error),
            Reply::Lost { fate, refused_by, reason } => {
                if let Some(refuser) = refused_by {
                    let _ = write!(self.text, r#","refused_by":"{}""#, refuser.name());
                }
                self.lost(&id, fate, reason);
            }
        }
        self.end_line(start);
    }

    /// Writes how a call of the wire ended whose answer is missing. The message is the call's id.
    pub fn no_answer(&mut self, passed: &Passed<'_>, fate: Fate, reason: &str) {
        let start = self.begin_line(Side::Client, passed.at, passed.server, passed.session);
        self.lost(passed.message, fate, reason);
        self.end_line(start);
    }

    pub fn message(&mut self, passed: &Passed<'_>) {
        let start = self.begin_line(passed.side, passed.at, passed.server, passed.session);
        if let Some(duration) = passed.duration_ms {
            let _ = write!(self.text, r#","duration_ms":{duration}"#);
        }
        self.tally.reply_cut += u64::from(passed.is_cut);
        self.flag("reply_cut", passed.is_cut);
        let _ = write!(self.text, r#","msg":{}}}"#, one_line(passed.message));
        self.end_line(start);
    }

    /// Writes the tools of a server, as a JSON array.
    pub fn tools(&mut self, server: &str, tools: &str) {
        let start = self.text.len();
        let server = quoted(server);
        let _ = write!(self.text, r#"{{"server":{server},"tools":{}}}"#, one_line(tools));
        self.end_line(start);
    }

    /// Hands a record on as it is, to be read as a file of such records would be.
    pub fn pass(&mut self, record: Raw<'_>) {
        let start = self.text.len();
        self.text.push_str(&one_line(record.text()));
        self.end_line(start);
    }

    /// Counts records that hold no call.
    pub fn other(&mut self, name: &'static str, count: u64) {
        *self.passed.entry(name).or_default() += count;
    }

    pub fn unreadable(&mut self, why: Why, detail: impl Into<String>, head: &str) {
        let head = head.chars().take(400).collect();
        self.broken.push(Broken { place: self.place, why, detail: detail.into(), head });
    }

    /// How many bytes of lines wait to be taken.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.passed.is_empty() && self.broken.is_empty()
    }

    pub fn take(&mut self) -> Written {
        Written {
            text: std::mem::take(&mut self.text),
            units: std::mem::take(&mut self.units),
            passed: std::mem::take(&mut self.passed),
            broken: std::mem::take(&mut self.broken),
        }
    }

    pub fn tally(&self) -> Tally {
        self.tally
    }

    fn begin_line(&mut self, side: Side, at: Option<&str>, server: &str, session: &str) -> usize {
        let start = self.text.len();
        let dir = match side {
            Side::Client => "c2s",
            Side::Server => "s2c",
        };
        let _ = write!(self.text, r#"{{"dir":"{dir}","recorded_by":"{}""#, self.recorded_by);
        if self.fidelity == Fidelity::Derived {
            let _ = write!(self.text, r#","fidelity":"{}""#, self.fidelity.name());
        }
        for (name, value) in
            [("ts", at.unwrap_or_default()), ("server", server), ("session", session)]
        {
            if !value.is_empty() {
                let _ = write!(self.text, r#","{name}":{}"#, quoted(value));
            }
        }
        start
    }

    fn end_line(&mut self, start: usize) {
        self.units.push(Unit { start, end: self.text.len(), place: self.place });
        self.text.push('\n');
    }

    fn flag(&mut self, name: &str, is_set: bool) {
        if is_set {
            let _ = write!(self.text, r#","{name}":true"#);
        }
    }

    fn result(&mut self, id: &str, result: &str) {
        let result = one_line(result);
        let _ = write!(self.text, r#","msg":{{"jsonrpc":"2.0","id":{id},"result":{result}}}}}"#);
    }

    fn made(&mut self, id: &str, blocks: &str, structured: Option<&str>, is_error: Option<bool>) {
        self.flag("error_unknown", is_error.is_none());
        let mut result = format!(r#"{{"content":{blocks}"#);
        if let Some(structured) = structured {
            let _ = write!(result, r#","structuredContent":{structured}"#);
        }
        if is_error == Some(true) {
            result.push_str(r#","isError":true"#);
        }
        result.push('}');
        self.result(id, &result);
    }

    fn lost(&mut self, id: &str, fate: Fate, reason: &str) {
        match fate {
            Fate::NotSent => self.tally.not_sent += 1,
            Fate::NotRecorded => self.tally.reply_not_kept += 1,
            Fate::Settled | Fate::Cancelled | Fate::TimedOut | Fate::Waiting => {}
        }
        let (fate, reason) = (fate.name(), quoted(reason));
        let _ = write!(
            self.text,
            r#","fate":"{fate}","msg":{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":{reason}}}}}}}"#
        );
    }

    fn error(&mut self, id: &str, error: &str) {
        let error = one_line(error);
        let _ = write!(self.text, r#","msg":{{"jsonrpc":"2.0","id":{id},"error":{error}}}}}"#);
    }

    fn hash(&self, call: &Call<'_>) -> u128 {
        let mut hasher = Xxh3::new();
        for part in [self.recorded_by, call.id, call.server, call.tool, &compact(call.arguments)] {
            hasher.write_usize(part.len());
            hasher.write(part.as_bytes());
        }
        hasher.digest128()
    }
}

fn one_line(json: &str) -> Cow<'_, str> {
    if json.contains(['\n', '\r']) { compact(json) } else { Cow::Borrowed(json) }
}

/// What converters wrote since it was last taken.
#[derive(Debug, Default)]
pub struct Written {
    pub text: String,
    pub units: Vec<Unit>,
    pub passed: BTreeMap<&'static str, u64>,
    pub broken: Vec<Broken>,
}
