//! Logs of Inspect: `logs/TIME_TASK_ID.eval`, a zip archive with one entry for each sample, or `.json`.

use super::chat::{self, Arguments};
use super::host_replies;
use super::reader::Convert;
use super::texts::{
    compact, elements_of, filled, fits, get, is_text, is_true, number_of, protocol_code, text_of,
    text_or_json,
};
use super::wire::{Answer, Call, NO_CALL, Reply, Why};
use super::zip::{self, Entry};
use super::{PLAIN, Program, Units, Wire};
use crate::json::{Kind, Raw, RawStr};
use crate::recording::{Fate, Refuser};
use memchr::memmem;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// The longest entry of an archive that is read.
const MOST_ENTRY: usize = 256 << 20;
/// How often its size an archive may become, beyond a size at which all is read.
const MOST_RATIO: usize = 250;
const LEAST_ROOM: usize = 64 << 20;
/// Bytes of attachments that are put in their places: one may be referred to everywhere.
const MOST_ATTACHED: usize = 256 << 20;
/// Bytes of calls and replies of an archive, which are kept until all of it was read.
const MOST_WRITTEN: usize = 512 << 20;
/// Older builds nest the events of an agent in those of the tool that is the agent.
const MOST_NESTED: usize = 16;

const ATTACHMENT: &str = "attachment://";

/// How messages begin and end by which the program tells its model that it did not pass a call on.
const NOT_SENT: [(&str, &str); 5] = [
    ("Tool ", " not found"),
    ("Found ", " validation errors parsing tool input arguments:"),
    ("Required parameter ", " not provided to tool call."),
    ("Unable to convert ", ""),
    ("Error parsing the following tool call arguments", ""),
];

pub(super) static INSPECT_AI: Program = Program {
    id: "inspect-ai",
    name: "Inspect log",
    about: "An evaluation with Inspect: logs/TIME_TASK_ID.eval or .json.",
    units: Units::Archive,
    signs: &[r#""eval""#, "_journal/start.json", "samples/"],
    recognise: |head| {
        if zip::is_archive(head.bytes) {
            let is_sample = |name: &str| name.starts_with("samples/") && name.contains("_epoch_");
            let is_known = |name: &str| name == "_journal/start.json" || is_sample(name);
            let is_own = zip::names_in(head.bytes).any(is_known);
            return is_own.then_some("an archive with samples/ID_epoch_N.json");
        }
        fits(head.document()?, "version status plan|samples eval.task eval.model")
            .then_some("a document with version, status, eval.task and eval.model")
    },
    converter: |_| Box::new(Log { room: MOST_ATTACHED }),
    ..PLAIN
};

struct Log {
    /// Bytes of attachments that may still be put in their places.
    room: usize,
}

impl Convert for Log {
    fn value(&mut self, log: Raw<'_>, wire: &mut Wire) {
        let samples = elements_of(log, "samples");
        if samples.is_empty() {
            wire.other(NO_CALL, 1);
        }
        for sample in samples {
            self.sample(sample, wire);
        }
    }

    fn archive(&mut self, bytes: &[u8], wire: &mut Wire) {
        if !zip::is_archive(bytes) {
            return match std::str::from_utf8(bytes) {
                Ok(text) => self.line(text.trim_start_matches('\u{feff}'), wire),
                Err(_) => wire.unreadable(Why::NotUtf8, "", ""),
            };
        }
        let Some(entries) = zip::directory(bytes) else {
            let detail = "the archive has no directory: its end is missing";
            return wire.unreadable(Why::CutShort, detail, "");
        };
        let room = bytes.len().saturating_mul(MOST_RATIO).max(LEAST_ROOM);
        let mut archive = Archive { bytes, entries, room };
        let names: Vec<String> = archive.entries.keys().cloned().collect();
        for name in &names {
            if wire.len() > MOST_WRITTEN {
                let detail = format!(
                    "{name}: the calls before it are longer than the bound of {MOST_WRITTEN} bytes"
                );
                return wire.unreadable(Why::Unrecognised, detail, "");
            }
            if let Some(folder) = name.strip_suffix("/sample.json") {
                self.chunks(folder, &mut archive, wire);
            } else if archive.is_sample(name) {
                let Some(text) = archive.read(name, MOST_ENTRY, wire) else { continue };
                if let Some(sample) = wire.read(&text) {
                    self.sample(sample, wire);
                }
            } else if !name.starts_with("samples/") {
                wire.other(NO_CALL, 1);
            }
        }
    }
}

struct Archive<'a> {
    bytes: &'a [u8],
    entries: BTreeMap<String, Entry>,
    /// Bytes that may still be decompressed.
    room: usize,
}

impl Archive<'_> {
    /// Whether an entry is a sample of its own, and no part of one: those lie in a folder of the sample, or below it.
    fn is_sample(&self, name: &str) -> bool {
        let has_sample = |folder: &str| self.entries.contains_key(&format!("{folder}/sample.json"));
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let above = folder.rsplit_once('/').map_or("", |(above, _)| above);
        name.starts_with("samples/") && !has_sample(folder) && !has_sample(above)
    }

    fn read(&mut self, name: &str, most: usize, wire: &mut Wire) -> Option<String> {
        let entry = self.entries.get(name)?;
        match entry.read(self.bytes, self.room.min(most)) {
            Ok(content) => {
                self.room -= content.len();
                let text = String::from_utf8(content);
                if text.is_err() {
                    wire.unreadable(Why::NotJson, format!("{name}: not UTF-8"), "");
                }
                text.ok()
            }
            Err(error) => {
                wire.unreadable(Why::Unrecognised, format!("{name}: {error}"), "");
                None
            }
        }
    }

    /// The entries of a sequence of a sample, in its order.
    fn sequence(&self, folder: &str, sequence: &str) -> Vec<String> {
        let begin = format!("{folder}/{sequence}/");
        let named =
            self.entries.range(begin.clone()..).take_while(|(name, _)| name.starts_with(&begin));
        let mut chunks: Vec<(u64, String)> = named
            .filter_map(|(name, _)| {
                let start = name.get(begin.len()..)?.strip_suffix(".json")?.parse().ok()?;
                Some((start, name.clone()))
            })
            .collect();
        chunks.sort_unstable();
        chunks.into_iter().map(|(_, name)| name).collect()
    }
}

/// What stands in place of long texts in a sample, as JSON strings by what refers to them.
type Attachments<'a> = HashMap<Cow<'a, str>, &'a str>;

impl Log {
    fn sample(&mut self, sample: Raw<'_>, wire: &mut Wire) {
        let attachments = sample.member("attachments").and_then(Raw::members).unwrap_or_default();
        let attachments: Attachments<'_> =
            attachments.into_iter().map(|(key, text)| (key.decode(), text.text())).collect();
        wire.session = session_of(sample);
        let has_events = self.events(sample.member("events"), &attachments, 0, wire);
        self.messages(sample.member("messages"), has_events, &attachments, wire);
    }

    /// Reads a sample whose sequences are entries of their own.
    fn chunks(&mut self, folder: &str, archive: &mut Archive<'_>, wire: &mut Wire) {
        let mut texts = Vec::new();
        let mut most = MOST_ENTRY;
        for name in archive.sequence(folder, "attachments") {
            let Some(text) = archive.read(&name, most, wire) else { continue };
            most -= text.len();
            if wire.read(&text).is_some() {
                texts.push(text);
            }
        }
        let attached =
            texts.iter().flat_map(|it| Raw::known(it.trim(), false).elements().unwrap_or_default());
        let attachments: Attachments<'_> =
            attached.zip(0..).map(|(text, at)| (at.to_string().into(), text.text())).collect();
        folder.trim_start_matches("samples/").clone_into(&mut wire.session);
        let mut has_events = false;
        for name in archive.sequence(folder, "events") {
            let Some(text) = archive.read(&name, MOST_ENTRY, wire) else { continue };
            has_events |= self.events(wire.read(&text), &attachments, 0, wire);
        }
        for name in archive.sequence(folder, "messages") {
            let Some(text) = archive.read(&name, MOST_ENTRY, wire) else { continue };
            self.messages(wire.read(&text), has_events, &attachments, wire);
        }
    }

    /// Reads events; whether one was of a tool.
    fn events(
        &mut self,
        events: Option<Raw<'_>>,
        attachments: &Attachments<'_>,
        depth: usize,
        wire: &mut Wire,
    ) -> bool {
        let mut has_events = false;
        for event in events.and_then(Raw::elements).unwrap_or_default() {
            // Model events repeat the chat, and may be long.
            if is_text(event, "event", "tool") {
                has_events = true;
                self.tool_event(event, attachments, wire);
            } else {
                wire.other(NO_CALL, 1);
            }
            let nested = event.member("events").filter(|_| depth < MOST_NESTED);
            has_events |= self.events(nested, attachments, depth + 1, wire);
        }
        has_events
    }

    fn tool_event(&mut self, event: Raw<'_>, attachments: &Attachments<'_>, wire: &mut Wire) {
        let names = text_of(event, "id").zip(text_of(event, "function"));
        let Some((call_id, tool)) = names else { return wire.other(NO_CALL, 1) };
        if fits(event, "agent:\"") {
            return wire.other("(call of an agent)", 1);
        }
        let uuid = filled(event, "uuid");
        let is_unique = uuid.is_some();
        let id = uuid.unwrap_or_else(|| format!("{}/{call_id}", wire.session).into());
        wire.call(&Call {
            id: &id,
            is_unique,
            tool: &tool,
            arguments: &self.attached(event, "arguments", attachments),
            at: text_of(event, "timestamp").as_deref(),
            ..Call::default()
        });
        let result = self.attached(event, "result", attachments);
        let message = self.attached(event, "error.message", attachments);
        let Some((reply, is_cut)) = reply(event, &result, &message) else { return };
        let seconds: Option<f64> = number_of(event, "working_time");
        wire.answer(&Answer {
            id: &id,
            at: text_of(event, "completed").as_deref(),
            duration_ms: seconds.map(|seconds| (seconds * 1e6).round() / 1e3),
            reply,
            is_cut,
        });
    }

    /// The JSON at a path, with the texts that stand elsewhere in the sample; empty where nothing stands there.
    fn attached<'v>(
        &mut self,
        holder: Raw<'v>,
        path: &str,
        attachments: &Attachments<'_>,
    ) -> Cow<'v, str> {
        let text = compact(get(holder, path).map_or("", Raw::text));
        let reference = format!("\"{ATTACHMENT}");
        let (mut out, mut done) = (String::new(), 0);
        for at in memmem::find_iter(text.as_bytes(), reference.as_bytes()) {
            let rest = text.get(at + reference.len()..).unwrap_or_default();
            let Some((key, after)) = rest.split_once('"') else { break };
            // A quote that is escaped is a part of a text, and what stands before a colon is a name.
            let is_value =
                !text.get(..at).unwrap_or_default().ends_with('\\') && !after.starts_with(':');
            let found = attachments.get(key).filter(|_| is_value);
            let Some(found) = found.filter(|found| found.len() <= self.room) else { continue };
            self.room -= found.len();
            out.push_str(text.get(done..at).unwrap_or_default());
            out.push_str(found);
            done = text.len() - after.len();
        }
        if done == 0 {
            return text;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        out.into()
    }

    /// Calls that a provider of models made itself, and, where a sample has no events of tools, all others.
    fn messages(
        &mut self,
        messages: Option<Raw<'_>>,
        has_events: bool,
        attachments: &Attachments<'_>,
        wire: &mut Wire,
    ) {
        for message in messages.and_then(Raw::elements).unwrap_or_default() {
            for block in elements_of(message, "content") {
                if fits(block, "type=tool_use tool_type=mcp_call") {
                    self.provider_call(block, attachments, wire);
                }
            }
            if has_events {
                continue;
            }
            for call in elements_of(message, "tool_calls") {
                let names = text_of(call, "id").zip(text_of(call, "function"));
                let Some((id, tool)) = names else { continue };
                let id = format!("{}/{id}", wire.session);
                let arguments = self.attached(call, "arguments", attachments);
                let (tool, arguments) = (&*tool, &*arguments);
                wire.call(&Call { id: &id, tool, arguments, ..Call::default() });
            }
            if is_text(message, "role", "tool") {
                self.message_answer(message, attachments, wire);
            }
        }
    }

    fn provider_call(&mut self, block: Raw<'_>, attachments: &Attachments<'_>, wire: &mut Wire) {
        let Some((id, tool)) = text_of(block, "id").zip(text_of(block, "name")) else { return };
        let arguments = self.attached(block, "arguments", attachments);
        wire.call(&Call {
            id: &id,
            is_unique: chat::is_random(&id),
            server: &text_of(block, "context").unwrap_or_default(),
            tool: &tool,
            arguments: &Arguments::of(Some(Raw::known(&arguments, false))).json,
            ..Call::default()
        });
        let result = self.attached(block, "result", attachments);
        let result = Raw::known(&result, false);
        let told =
            || Answer { reply: Reply::text(&chat::text_in(result), None), ..Answer::default() };
        let answer = match filled(block, "error") {
            Some(error) => Answer { reply: Reply::text(&error, Some(true)), ..Answer::default() },
            None => host_replies::result_in(result).unwrap_or_else(told),
        };
        wire.answer(&Answer { id: &id, ..answer });
    }

    fn message_answer(&mut self, message: Raw<'_>, attachments: &Attachments<'_>, wire: &mut Wire) {
        let id = text_of(message, "tool_call_id").unwrap_or_default();
        let id = format!("{}/{id}", wire.session);
        if !wire.is_open(&id) {
            return;
        }
        let content = self.attached(message, "content", attachments);
        let text = text_of(message, "error.message").unwrap_or_default();
        let reply = match get(message, "error").filter(|error| error.kind() == Kind::Object) {
            Some(error) => failed(&text_of(error, "type").unwrap_or_default(), &text),
            None => host_replies::content(Raw::known(&content, false), Some(false)),
        };
        let is_cut = content.contains("<START_TOOL_OUTPUT>");
        wire.answer(&Answer { id: &id, reply, is_cut, ..Answer::default() });
    }
}

/// The reply in an event, and whether a part of it was left out; nothing where the tool had not ended.
fn reply<'a>(event: Raw<'_>, result: &str, message: &'a str) -> Option<(Reply<'a>, bool)> {
    let is_cut = fits(event, "truncated:[") || result.contains(ATTACHMENT);
    let result = Raw::known(result, false);
    let is_empty = result.as_str().is_none_or(RawStr::is_empty);
    if let Some(error) = get(event, "error").filter(|error| error.kind() == Kind::Object) {
        // What the tool wrote until then was kept.
        if is_text(error, "type", "output_limit") && !is_empty {
            return Some((Reply::text(&chat::text_in(result), Some(true)), true));
        }
        let message = Raw::known(message, false).as_str().map(RawStr::decode).unwrap_or_default();
        return Some((failed(&text_of(error, "type").unwrap_or_default(), &message), is_cut));
    }
    if is_true(event, "failed") {
        return Some((Reply::lost(Fate::NotRecorded, "the evaluation failed"), false));
    }
    let is_list = result.kind() == Kind::Array;
    if is_true(event, "pending") || (is_empty && !is_list && !fits(event, "completed:\"")) {
        return None;
    }
    // The program makes an error of every result that calls itself one.
    let blocks = || host_replies::blocks_in(result, Some(false));
    let text = if is_list { String::new() } else { chat::text_in(result) };
    Some((blocks().unwrap_or_else(|| Reply::text(&text, Some(false))), is_cut))
}

fn session_of(sample: Raw<'_>) -> String {
    let epoch = sample.member("epoch").map_or("1", Raw::text);
    let id = sample.member("id").map(text_or_json).unwrap_or_default();
    let numbered = || format!("{id}_epoch_{epoch}");
    text_of(sample, "uuid").map_or_else(numbered, Cow::into_owned)
}

fn failed(kind: &str, message: &str) -> Reply<'static> {
    let text = message.to_owned();
    match kind {
        "timeout" => Reply::lost(Fate::TimedOut, text),
        "cancelled" => Reply::lost(Fate::Cancelled, text),
        "approval" => {
            let is_person = message.starts_with("Human operator ");
            Reply::not_sent(if is_person { Refuser::User } else { Refuser::Policy }, text)
        }
        "parsing" if is_own_check(message) => Reply::not_sent(Refuser::Host, text),
        // Only errors of the protocol with this code are told as errors in the arguments.
        "parsing" => Reply::coded(Some("-32602"), message),
        _ if host_replies::is_time_out(message) => Reply::lost(Fate::TimedOut, text),
        _ if protocol_code(message).is_some() => Reply::error(message),
        _ => Reply::text(message, Some(true)),
    }
}

/// Whether the program itself found the arguments wrong, or knew no such tool.
fn is_own_check(message: &str) -> bool {
    let first = message.lines().next().unwrap_or_default();
    NOT_SENT.iter().any(|(begin, end)| first.starts_with(begin) && first.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::super::Head;
    use super::*;

    #[test]
    fn attachments_have_a_bound() {
        let attachments = [(Cow::Borrowed("0a"), "\"long\"")].into();
        let twice = Raw::known(r#"{"a":["attachment://0a","attachment://0a"]}"#, false);
        let attached = Log { room: 9 }.attached(twice, "a", &attachments);
        assert_eq!(attached, r#"["long","attachment://0a"]"#);
    }

    #[test]
    fn an_archive_is_read_up_to_its_bound() {
        let bytes = zip::tests::ARCHIVE;
        let entries = zip::directory(bytes).expect("a directory");
        let mut archive = Archive { bytes, entries, room: 12 };
        let mut wire = Wire::default();
        assert!(archive.read("b", MOST_ENTRY, &mut wire).is_some());
        assert_eq!(archive.read("b", MOST_ENTRY, &mut wire), None);
        assert_eq!(wire.take().broken.len(), 1);
    }

    #[test]
    fn archives_are_known_by_the_names_of_their_entries() {
        let recognised =
            |bytes: &[u8]| (INSPECT_AI.recognise)(&Head::of(bytes, true, 64)).is_some();
        let other: Vec<u8> = zip::tests::ARCHIVE
            .iter()
            .map(|byte| if *byte == b'_' { b'-' } else { *byte })
            .collect();
        assert_eq!((recognised(zip::tests::ARCHIVE), recognised(&other)), (true, false));
    }
}
