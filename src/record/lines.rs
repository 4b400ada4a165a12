//! What passed, as lines of a recording: copies are cut into messages, masked and written.

use super::Plan;
use super::queue::{Copied, Missed, Queue};
use super::tape::Tape;
use crate::json::{Raw, scan_document};
use crate::recording::{Day, Direction, Moment};
use crate::redact::Redactor;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// Longer messages are not recorded: the recorder may take little memory, and a run leaves out longer lines.
const LONGEST: usize = 4 << 20;
/// What is nested deeper is kept as a text, so that a run can read the line.
const DEEPEST: usize = 4_000;

/// Bytes of messages that every file begins with.
const MOST_KEPT: usize = 1 << 20;
/// Requests of which the answers are needed to read a recording: who serves, and what the tools are.
const SETTING_UP: [&str; 2] = ["\"initialize\"", "\"tools/list\""];

/// Why something is not in the recording.
const TOO_LONG: &str = "longer than 4 MiB";
const TOO_FAST: &str = "more came than could be written";
const UNWRITABLE: &str = "the file could not be written";

/// One direction.
#[derive(Debug, Default)]
struct Way {
    /// The message at hand, as far as it was copied.
    line: Vec<u8>,
    /// What is left out since the message at hand cannot be recorded.
    left_out: Option<(Missed, &'static str)>,
}

pub(super) struct Recorder {
    redactor: Redactor,
    tell: fn(&str),
    has_told: bool,
    /// Members that every line has behind its direction.
    members: String,
    /// What the first line of each file says of the recorder.
    head: String,
    tape: Tape,
    /// A file may have so many bytes, and is of this day.
    most_bytes: u64,
    day: Day,
    /// Ids under which a request was sent that sets up the session, and lines of such requests and their answers.
    asked: Vec<String>,
    setup: String,
    ways: [Way; 2],
    /// Lines that are not yet written, and the messages that they tell of.
    lines: String,
    told: Missed,
    /// Messages that could not be written.
    unwritten: Missed,
}

impl Recorder {
    pub(super) fn new(plan: Plan) -> Self {
        let Plan { command, server, out, most_bytes, mut redactor, tell, helper: _ } = plan;
        let program = command.first().map(Path::new).and_then(Path::file_stem);
        let program = program.map(|it| it.to_string_lossy().into_owned());
        let label = server.clone().or(program).unwrap_or_default();
        let tape = Tape::new(out, &redactor.mask(&label));
        let text = |text: &str| Value::from(redactor.mask(text).into_owned());
        let mut members = format!(r#","session":{}"#, Value::from(tape.session.as_str()));
        if let Some(server) = server {
            let _ = write!(members, r#","called":{}"#, text(&server));
        }
        let words = command.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
        let folder = std::env::current_dir().unwrap_or_default();
        let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
        let head = format!(
            r#","command":{},"folder":{},"environment":{},"masked_by":{}}}"#,
            text(&words),
            text(&folder.to_string_lossy()),
            Value::from_iter(names.collect::<BTreeSet<_>>()),
            Value::from(redactor.names().join(", ")),
        );
        redactor.learn(&words);
        Self {
            redactor,
            tell,
            has_told: false,
            members,
            head,
            tape,
            most_bytes,
            day: Moment::now().day(),
            asked: Vec::new(),
            setup: String::new(),
            ways: <[Way; 2]>::default(),
            lines: String::new(),
            told: Missed::default(),
            unwritten: Missed::default(),
        }
    }

    /// What a file begins with.
    fn beginning(&self) -> String {
        let Self { members, head, setup, tape, .. } = self;
        let (at, part) = (Moment::now().rfc3339_with_milliseconds(), tape.part);
        let version = env!("CARGO_PKG_VERSION");
        let head = format!(
            r#"{{"ts":"{at}","recorder":"tapecheck {version}","part":{part}{members}{head}"#
        );
        if part == 1 {
            return head + "\n";
        }
        head + "\n"
            + setup
            + &self.gap_line(Missed::default(), "the file before has what came before")
    }

    /// A gap in both directions: calls may wait for answers that are not in this file.
    fn gap_line(&self, missed: Missed, why: &str) -> String {
        self.line(Moment::now(), None) + &missed.as_gap(why)
    }

    /// Goes on with another file once one is long enough, or of the day before.
    fn turn(&mut self, today: Day) {
        if self.tape.whole < self.most_bytes && today == self.day || self.unwritten.ends > 0 {
            return;
        }
        self.day = today;
        self.lines = self.gap_line(Missed::default(), "the next file goes on");
        self.write();
        self.tape.turn();
        // It begins with what set up the session until now.
        self.write();
    }

    /// Writes down what comes until nothing more does.
    pub(super) fn follow(mut self, queue: &Queue) {
        self.put_down(Moment::now().day());
        loop {
            let copies = queue.take();
            if copies.is_empty() {
                return self.end();
            }
            for copied in copies {
                self.hear(copied);
            }
            self.put_down(Moment::now().day());
        }
    }

    /// Writes what was heard, and goes on with another file where it is time.
    pub(super) fn put_down(&mut self, today: Day) {
        self.write();
        self.turn(today);
    }

    pub(super) fn end(mut self) {
        for direction in Direction::ALL {
            self.end_line(direction, Moment::now(), true);
        }
        self.write();
        self.tape.sync();
    }

    pub(super) fn hear(&mut self, Copied { at, direction, what }: Copied) {
        let way = &mut self.ways[direction as usize];
        let bytes = match what {
            Ok(bytes) => bytes,
            Err(missed) => {
                way.leave_out(missed, TOO_FAST);
                if let Some((all, why)) = way.left_out.take_if(|_| !missed.is_torn) {
                    self.gap(at, direction, all, why);
                }
                return;
            }
        };
        let mut rest = bytes.as_slice();
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.ways[direction as usize].take(&rest[..end]);
            self.end_line(direction, at, false);
            rest = &rest[end + 1..];
        }
        self.ways[direction as usize].take(rest);
    }

    /// Writes the message at hand, or that it was left out. One that was cut has no end of its own.
    fn end_line(&mut self, direction: Direction, at: Moment, is_cut: bool) {
        let end = Missed { bytes: u64::from(!is_cut), ends: 1, is_torn: is_cut };
        let way = &mut self.ways[direction as usize];
        if let Some((mut missed, why)) = way.left_out.take() {
            missed.add(end);
            return self.gap(at, direction, missed, why);
        }
        let line = std::mem::take(&mut way.line);
        let lossy = String::from_utf8_lossy(&line);
        let text = lossy.trim_ascii();
        if text.is_empty() {
            return;
        }
        let json = scan_document(text, DEEPEST).ok();
        if direction == Direction::FromClient {
            self.redactor.learn(text);
        }
        let start = self.lines.len();
        self.lines += &self.line(at, Some(direction));
        // Whoever reads it should not take it for what passed.
        let marks = [("cut", is_cut), ("not_utf8", matches!(lossy, Cow::Owned(_)))];
        for (name, _) in marks.iter().filter(|(_, is_so)| *is_so) {
            let _ = write!(self.lines, r#","{name}":true"#);
        }
        let _ = if json.is_some() {
            write!(self.lines, r#","msg":{}"#, self.redactor.mask_json(text))
        } else {
            write!(self.lines, r#","raw":{}"#, Value::from(self.redactor.mask(text).into_owned()))
        };
        self.lines.push_str("}\n");
        self.told.add(Missed { bytes: line.len() as u64 + end.bytes, ..end });
        let is_kept = json.is_some_and(|message| self.sets_up(direction, message));
        if is_kept && self.setup.len() + self.lines.len() - start <= MOST_KEPT {
            self.setup.push_str(&self.lines[start..]);
        }
    }

    /// Whether a message belongs to what a session is set up with.
    fn sets_up(&mut self, direction: Direction, message: Raw<'_>) -> bool {
        let Some(id) = message.member("id").map(Raw::text) else { return false };
        let method = message.member("method").map(Raw::text);
        if direction == Direction::FromServer {
            let asked = self.asked.iter().position(|asked| asked == id && method.is_none());
            return asked.map(|at| self.asked.swap_remove(at)).is_some();
        }
        let is_one = method.is_some_and(|method| SETTING_UP.contains(&method));
        if is_one && self.asked.len() < 100 {
            self.asked.push(id.to_owned());
        }
        is_one
    }

    fn gap(&mut self, at: Moment, direction: Direction, missed: Missed, why: &str) {
        self.lines += &(self.line(at, Some(direction)) + &missed.as_gap(why));
        self.told.add(missed);
        let next = "lines `gap` in the recording say what is missing";
        self.warn(&format!("not everything is recorded: {why}; {next}"));
    }

    /// What a line begins with.
    fn line(&self, at: Moment, direction: Option<Direction>) -> String {
        let (at, members) = (at.rfc3339_with_milliseconds(), &self.members);
        let direction = direction.map_or(String::new(), |it| format!(r#","dir":"{}""#, it.name()));
        format!(r#"{{"ts":"{at}"{direction}{members}"#)
    }

    /// Writes the lines at hand. Those that cannot be written are left out, and the next that can say so.
    fn write(&mut self) {
        let mut text = if self.tape.whole == 0 { self.beginning() } else { String::new() };
        if self.unwritten.ends > 0 {
            text += &self.gap_line(self.unwritten, UNWRITABLE);
        }
        text += &self.lines;
        if text.is_empty() {
            return;
        }
        match self.tape.write(&text) {
            Ok(()) => self.unwritten = Missed::default(),
            Err(error) => {
                self.unwritten.add(self.told);
                let file = self.tape.path.display().to_string();
                self.warn(&format!("cannot write {file}: {error}; the server runs on unrecorded"));
            }
        }
        (self.lines, self.told) = (String::new(), Missed::default());
    }

    /// Says it once: standard error is the server's.
    fn warn(&mut self, what: &str) {
        if !std::mem::replace(&mut self.has_told, true) {
            (self.tell)(&format!("warning: tapecheck record: {what}"));
        }
    }
}

impl Way {
    /// Takes a part of a message.
    fn take(&mut self, part: &[u8]) {
        if self.left_out.is_none() && self.line.len() + part.len() <= LONGEST {
            self.line.extend_from_slice(part);
        } else {
            self.leave_out(Missed { bytes: part.len() as u64, ..Missed::default() }, TOO_LONG);
        }
    }

    /// Leaves the message at hand out, and what comes of it. The first reason is told.
    fn leave_out(&mut self, missed: Missed, why: &'static str) {
        let (all, _) = self.left_out.get_or_insert((Missed::default(), why));
        all.bytes += std::mem::take(&mut self.line).len() as u64;
        all.add(missed);
    }
}
