//! Logs of Inspect: `logs/TIME_TASK_ID.eval`, a zip archive with one entry for each sample, or `.json`.

use super::chat::{self, Arguments};
use super::kept::{self, CallResult, Kept};
use super::texts::{compact, elements_of, is_text, is_true, protocol_code, read, text_of};
use super::wire::{Answer, Call, Why};
use super::zip::{self, Entry};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Fidelity, Refuser};
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
    fidelity: Fidelity::Derived,
    units: Units::Archive,
    signs: &[r#""eval""#, "_journal/start.json", "samples/"],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    if zip::is_archive(head.bytes) {
        let is_known = |name: &str| {
            name == "_journal/start.json"
                || (name.starts_with("samples/") && name.contains("_epoch_"))
        };
        return zip::names_in(head.bytes)
            .any(is_known)
            .then_some("an archive with samples/ID_epoch_N.json");
    }
    let log = head.document()?;
    let eval = log.member("eval")?;
    let has = |name: &str| log.member(name).is_some();
    let is_log = has("version") && has("status") && (has("plan") || has("samples"));
    (is_log && eval.member("task").is_some() && eval.member("model").is_some())
        .then_some("a document with version, status, eval.task and eval.model")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(Log { max_depth: file.max_depth, room: MOST_ATTACHED })
}

struct Log {
    max_depth: usize,
    /// Bytes of attachments that may still be put in their places.
    room: usize,
}

impl Convert for Log {
    fn unit(&mut self, text: &str, wire: &mut Wire) {
        let Some(log) = read(text, self.max_depth, wire) else { return };
        let samples = elements_of(log, "samples");
        if samples.is_empty() {
            wire.other("(no MCP call)", 1);
        }
        for sample in samples {
            self.sample(sample, wire);
        }
    }

    fn archive(&mut self, bytes: &[u8], wire: &mut Wire) {
        if !zip::is_archive(bytes) {
            match std::str::from_utf8(bytes) {
                Ok(text) => self.unit(text.trim_start_matches('\u{feff}'), wire),
                Err(_) => wire.unreadable(Why::NotUtf8, "", ""),
            }
            return;
        }
        let Some(entries) = zip::directory(bytes) else {
            wire.unreadable(Why::CutShort, "the archive has no directory: its end is missing", "");
            return;
        };
        let room = bytes.len().saturating_mul(MOST_RATIO).max(LEAST_ROOM);
        let mut archive = Archive { bytes, entries, room };
        let names: Vec<String> = archive.entries.keys().cloned().collect();
        for name in &names {
            if wire.len() > MOST_WRITTEN {
                let detail = format!(
                    "{name}: the calls before it are longer than the bound of {MOST_WRITTEN} bytes"
                );
                wire.unreadable(Why::Unrecognised, detail, "");
                break;
            }
            if let Some(folder) = name.strip_suffix("/sample.json") {
                self.chunks(folder, &mut archive, wire);
            } else if archive.is_sample(name) {
                let Some(text) = archive.read(name, MOST_ENTRY, wire) else { continue };
                if let Some(sample) = read(&text, self.max_depth, wire) {
                    self.sample(sample, wire);
                }
            } else if !name.starts_with("samples/") {
                wire.other("(no MCP call)", 1);
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

/// One sample: whose it is, and what stands in place of long texts in it.
struct Sample<'a> {
    session: String,
    /// JSON strings by what refers to them.
    attachments: HashMap<Cow<'a, str>, &'a str>,
    tool_events: u64,
}

impl Log {
    fn sample(&mut self, raw: Raw<'_>, wire: &mut Wire) {
        let attachments = raw.member("attachments").and_then(Raw::members).unwrap_or_default();
        let mut sample = Sample {
            session: session_of(raw),
            attachments: attachments
                .into_iter()
                .map(|(key, text)| (key.decode(), text.text()))
                .collect(),
            tool_events: 0,
        };
        self.events(raw.member("events"), &mut sample, 0, wire);
        self.messages(raw.member("messages"), &sample, wire);
    }

    /// Reads a sample whose sequences are entries of their own.
    fn chunks(&mut self, folder: &str, archive: &mut Archive<'_>, wire: &mut Wire) {
        let mut attachments = Vec::new();
        let mut most = MOST_ENTRY;
        for name in archive.sequence(folder, "attachments") {
            let Some(text) = archive.read(&name, most, wire) else { continue };
            most -= text.len();
            if read(&text, self.max_depth, wire).is_some() {
                attachments.push(text);
            }
        }
        let texts = attachments
            .iter()
            .flat_map(|text| Raw::known(text.trim(), false).elements().unwrap_or_default());
        let numbered =
            texts.enumerate().map(|(at, text)| (Cow::Owned(at.to_string()), text.text()));
        let mut sample = Sample {
            session: folder.trim_start_matches("samples/").to_owned(),
            attachments: numbered.collect(),
            tool_events: 0,
        };
        for name in archive.sequence(folder, "events") {
            let Some(text) = archive.read(&name, MOST_ENTRY, wire) else { continue };
            let events = read(&text, self.max_depth, wire);
            self.events(events, &mut sample, 0, wire);
        }
        for name in archive.sequence(folder, "messages") {
            let Some(text) = archive.read(&name, MOST_ENTRY, wire) else { continue };
            let messages = read(&text, self.max_depth, wire);
            self.messages(messages, &sample, wire);
        }
    }

    fn events(
        &mut self,
        events: Option<Raw<'_>>,
        sample: &mut Sample<'_>,
        depth: usize,
        wire: &mut Wire,
    ) {
        for event in events.and_then(Raw::elements).unwrap_or_default() {
            // Model events repeat the chat, and may be long.
            if is_text(event, "event", "tool") {
                sample.tool_events += 1;
                self.tool_event(event, sample, wire);
            } else {
                wire.other("(no MCP call)", 1);
            }
            let nested = event.member("events").filter(|_| depth < MOST_NESTED);
            self.events(nested, sample, depth + 1, wire);
        }
    }

    fn tool_event(&mut self, event: Raw<'_>, sample: &Sample<'_>, wire: &mut Wire) {
        let (Some(call_id), Some(tool)) = (text_of(event, "id"), text_of(event, "function")) else {
            return wire.other("(no MCP call)", 1);
        };
        if event.member("agent").is_some_and(|agent| agent.kind() == Kind::String) {
            return wire.other("(call of an agent)", 1);
        }
        let uuid = text_of(event, "uuid").filter(|uuid| !uuid.is_empty());
        let id = uuid.clone().unwrap_or_else(|| format!("{}/{call_id}", sample.session).into());
        let arguments = event.member("arguments").map(|arguments| self.attached(arguments, sample));
        let at = text_of(event, "timestamp");
        wire.call(&Call {
            id: &id,
            is_unique: uuid.is_some(),
            server: "",
            session: &sample.session,
            tool: &tool,
            arguments: arguments.as_deref().unwrap_or_default(),
            at: at.as_deref(),
            name_is_guess: false,
            host_owned: false,
        });
        let Some((kept, is_cut)) = self.reply(event, sample) else { return };
        let completed = text_of(event, "completed");
        let seconds = event.member("working_time").and_then(|time| time.text().parse::<f64>().ok());
        wire.answer(&Answer {
            id: &id,
            at: completed.as_deref(),
            duration_ms: seconds
                .map(|seconds| (seconds * 1e6).round() / 1e3)
                .filter(|duration| duration.is_finite()),
            reply: kept.reply(),
            is_cut,
        });
    }

    /// The reply in an event, and whether a part of it was left out; nothing where the tool had not ended.
    fn reply(&mut self, event: Raw<'_>, sample: &Sample<'_>) -> Option<(Kept, bool)> {
        let is_truncated = event.member("truncated").is_some_and(|cut| cut.kind() == Kind::Array);
        let result =
            event.member("result").map(|result| self.attached(result, sample)).unwrap_or_default();
        let is_cut = is_truncated || result.contains(ATTACHMENT);
        let result = Raw::known(&result, false);
        let error = event.member("error").filter(|error| error.kind() == Kind::Object);
        if let Some(error) = error {
            let message = error
                .member("message")
                .map(|message| self.attached(message, sample))
                .unwrap_or_default();
            let message = Raw::known(&message, false)
                .as_str()
                .map(crate::json::RawStr::decode)
                .unwrap_or_default();
            let kind = text_of(error, "type").unwrap_or_default();
            return Some(match &*kind {
                // What the tool wrote until then was kept.
                "output_limit" if result.as_str().is_some_and(|text| !text.is_empty()) => {
                    (Kept::text(chat::text_in(result), Some(true)), true)
                }
                _ => (failed(&kind, &message), is_cut),
            });
        }
        if is_true(event, "failed") {
            return Some((Kept::lost(Fate::NotRecorded, "the evaluation failed"), false));
        }
        let has_ended = event.member("completed").is_some_and(|time| time.kind() == Kind::String);
        let is_empty = result.as_str().is_none_or(crate::json::RawStr::is_empty)
            && result.kind() != Kind::Array;
        if is_true(event, "pending") || (is_empty && !has_ended) {
            return None;
        }
        // The program makes an error of every result that calls itself one.
        let kept = match result.kind() {
            Kind::Array => kept::blocks_in(result).map_or_else(
                || Kept::text("", Some(false)),
                |blocks| Kept::Result(blocks.with_error(Some(false))),
            ),
            _ => Kept::text(chat::text_in(result), Some(false)),
        };
        Some((kept, is_cut))
    }

    /// A value with the texts that stand elsewhere in the sample.
    fn attached<'v>(&mut self, value: Raw<'v>, sample: &Sample<'_>) -> Cow<'v, str> {
        let text = compact(value.text());
        let reference = format!("\"{ATTACHMENT}");
        let mut out = String::new();
        let mut done = 0;
        for at in memmem::find_iter(text.as_bytes(), reference.as_bytes()) {
            let rest = text.get(at + reference.len()..).unwrap_or_default();
            let Some((key, after)) = rest.split_once('"') else { break };
            // A quote that is escaped is a part of a text, and what stands before a colon is a name.
            let is_value =
                !text.get(..at).unwrap_or_default().ends_with('\\') && !after.starts_with(':');
            let found = sample.attachments.get(key).filter(|_| is_value);
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
    fn messages(&mut self, messages: Option<Raw<'_>>, sample: &Sample<'_>, wire: &mut Wire) {
        let messages = messages.and_then(Raw::elements).unwrap_or_default();
        for message in &messages {
            for block in elements_of(*message, "content") {
                if is_text(block, "type", "tool_use") && is_text(block, "tool_type", "mcp_call") {
                    self.provider_call(block, sample, wire);
                }
            }
            if sample.tool_events > 0 {
                continue;
            }
            for call in elements_of(*message, "tool_calls") {
                self.message_call(call, sample, wire);
            }
            if is_text(*message, "role", "tool") {
                self.message_answer(*message, sample, wire);
            }
        }
    }

    fn provider_call(&mut self, block: Raw<'_>, sample: &Sample<'_>, wire: &mut Wire) {
        let (Some(id), Some(tool)) = (text_of(block, "id"), text_of(block, "name")) else { return };
        let arguments = block.member("arguments").map(|arguments| self.attached(arguments, sample));
        let arguments =
            Arguments::of(arguments.as_deref().map(|text| Raw::known(text, false)), self.max_depth);
        wire.call(&Call {
            id: &id,
            is_unique: chat::is_random(&id),
            server: &text_of(block, "context").unwrap_or_default(),
            session: &sample.session,
            tool: &tool,
            arguments: &arguments.json,
            ..Call::default()
        });
        let result =
            block.member("result").map(|result| self.attached(result, sample)).unwrap_or_default();
        let result = Raw::known(&result, false);
        let kept = match text_of(block, "error").filter(|error| !error.is_empty()) {
            Some(error) => Kept::text(error, Some(true)),
            None => kept::result_in(result, self.max_depth)
                .map_or_else(|| Kept::text(chat::text_in(result), None), Kept::Result),
        };
        let is_cut = matches!(&kept, Kept::Result(CallResult { is_cut: true, .. }));
        wire.answer(&Answer { id: &id, at: None, duration_ms: None, reply: kept.reply(), is_cut });
    }

    fn message_call(&mut self, call: Raw<'_>, sample: &Sample<'_>, wire: &mut Wire) {
        let (Some(id), Some(tool)) = (text_of(call, "id"), text_of(call, "function")) else {
            return;
        };
        let arguments = call.member("arguments").map(|arguments| self.attached(arguments, sample));
        wire.call(&Call {
            id: &format!("{}/{id}", sample.session),
            session: &sample.session,
            tool: &tool,
            arguments: arguments.as_deref().unwrap_or_default(),
            ..Call::default()
        });
    }

    fn message_answer(&mut self, message: Raw<'_>, sample: &Sample<'_>, wire: &mut Wire) {
        let id =
            format!("{}/{}", sample.session, text_of(message, "tool_call_id").unwrap_or_default());
        if !wire.is_open(&id) {
            return;
        }
        let error = message.member("error").filter(|error| error.kind() == Kind::Object);
        let content = message
            .member("content")
            .map(|content| self.attached(content, sample))
            .unwrap_or_default();
        let content = Raw::known(&content, false);
        let kept = match error {
            Some(error) => failed(
                &text_of(error, "type").unwrap_or_default(),
                &text_of(error, "message").unwrap_or_default(),
            ),
            None => kept::blocks_in(content).map_or_else(
                || Kept::text(chat::text_in(content), Some(false)),
                |blocks| Kept::Result(blocks.with_error(Some(false))),
            ),
        };
        let is_cut = content.text().contains("<START_TOOL_OUTPUT>");
        wire.answer(&Answer { id: &id, at: None, duration_ms: None, reply: kept.reply(), is_cut });
    }
}

fn session_of(sample: Raw<'_>) -> String {
    if let Some(uuid) = text_of(sample, "uuid") {
        return uuid.into_owned();
    }
    let id = sample.member("id").map(text_or_number).unwrap_or_default();
    let epoch = sample.member("epoch").map_or("1", Raw::text);
    format!("{id}_epoch_{epoch}")
}

fn text_or_number(id: Raw<'_>) -> String {
    id.as_str().map_or_else(|| id.text().to_owned(), |text| text.decode().into_owned())
}

fn failed(kind: &str, message: &str) -> Kept {
    match kind {
        "timeout" => Kept::lost(Fate::TimedOut, message),
        "cancelled" => Kept::lost(Fate::Cancelled, message),
        "approval" => {
            let is_person = message.starts_with("Human operator ");
            Kept::not_sent(if is_person { Refuser::User } else { Refuser::Policy }, message)
        }
        "parsing" if is_own_check(message) => Kept::not_sent(Refuser::Host, message),
        // Only errors of the protocol with this code are told as errors in the arguments.
        "parsing" => Kept::invalid_params(message),
        _ if kept::is_time_out(message) => Kept::lost(Fate::TimedOut, message),
        _ if protocol_code(message).is_some() => Kept::error(message),
        _ => Kept::text(message, Some(true)),
    }
}

/// Whether the program itself found the arguments wrong, or knew no such tool.
fn is_own_check(message: &str) -> bool {
    let first = message.lines().next().unwrap_or_default();
    NOT_SENT.iter().any(|(begin, end)| first.starts_with(begin) && first.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attachments_have_a_bound() {
        let mut log = Log { max_depth: 9, room: 9 };
        let sample = Sample {
            session: String::new(),
            attachments: [(Cow::Borrowed("0a"), "\"long\"")].into(),
            tool_events: 0,
        };
        let twice = Raw::known(r#"["attachment://0a","attachment://0a"]"#, false);
        assert_eq!(log.attached(twice, &sample), r#"["long","attachment://0a"]"#);
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
        let recognised = |bytes: &[u8]| recognise(&Head::of(bytes, true, 64)).is_some();
        let other: Vec<u8> = zip::tests::ARCHIVE
            .iter()
            .map(|byte| if *byte == b'_' { b'-' } else { *byte })
            .collect();
        assert_eq!((recognised(zip::tests::ARCHIVE), recognised(&other)), (true, false));
    }
}
