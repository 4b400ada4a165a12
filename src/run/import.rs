//! The files of programs as recordings of the wire: one for each session, packed and masked.

use super::drive::{DriveError, on_deep_stack};
use crate::corpus::{Block, CorpusReader, goes_on};
use crate::json::{Raw, scan_document};
use crate::recording::Moment;
use crate::redact::Redactor;
use crate::store::WorkFolder;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

#[derive(Debug)]
pub struct ImportPlan<'p> {
    pub out: &'p Path,
    pub redactor: &'p Redactor,
    /// Calls from this time on; those without a time are left out, too.
    pub since: Option<Moment>,
    /// Calls of these servers; of all, where none is named.
    pub servers: &'p [String],
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    pub calls: u64,
    pub sessions: u64,
    /// Files that were read, by format.
    pub files: BTreeMap<&'static str, u64>,
    /// Recordings that need no import.
    pub already: u64,
    pub unreadable: u64,
}

/// A session on its way into its recording.
#[derive(Debug, Default)]
struct Session {
    /// As the server names itself.
    server: String,
    calls: u64,
    /// Ids of calls that were left out.
    left_out: HashSet<String>,
}

/// Reads the files of programs and writes their sessions.
pub fn import(
    reader: CorpusReader,
    plan: &ImportPlan<'_>,
) -> io::Result<Result<Imported, DriveError>> {
    fs::create_dir_all(plan.out)?;
    let building = WorkFolder::begin(plan.out).map_err(io::Error::other)?;
    let mut importer = Importer {
        plan,
        building: building.path(),
        sessions: BTreeMap::new(),
        found: Imported::default(),
    };
    match on_deep_stack(|| importer.read(reader)) {
        Err(error) => Ok(Err(error)),
        Ok(read) => {
            read?;
            importer.commit().map(Ok)
        }
    }
}

struct Importer<'p> {
    plan: &'p ImportPlan<'p>,
    building: &'p Path,
    /// By where their recordings go, below the folder.
    sessions: BTreeMap<PathBuf, Session>,
    found: Imported,
}

impl Importer<'_> {
    fn read(&mut self, mut reader: CorpusReader) -> io::Result<()> {
        while let Some(block) = reader.next_block() {
            self.found.unreadable += block.unreadable.len() as u64;
            self.take(&block)?;
            reader.recycle(block);
        }
        Ok(())
    }

    fn take(&mut self, block: &Block) -> io::Result<()> {
        let Some(recording) = &block.recording else { return Ok(()) };
        let Some(program) = recording.program.map(|it| it.program) else {
            self.found.already += u64::from(block.index == 0);
            return Ok(());
        };
        if block.index == 0 && !recording.is_rest {
            *self.found.files.entry(program.name).or_default() += 1;
        }
        let masked_by = self.plan.redactor.names().join(", ");
        let mut lines: HashMap<PathBuf, String> = HashMap::new();
        block.for_each_unit(|bytes, span| {
            let Ok(text) = std::str::from_utf8(bytes) else { return };
            let Ok(line) = scan_document(text, usize::MAX) else { return };
            let name = text_of(line, "session").unwrap_or_default();
            let name = if name.is_empty() { &recording.context.stem } else { &name };
            let path = Path::new(program.id).join(file_name(program.id, name, self.plan.redactor));
            let session = self.sessions.entry(path.clone()).or_default();
            if !session.wants(line, self.plan) {
                return;
            }
            let from = format!("{}:{}", recording.name, span.place.line);
            let line = self.plan.redactor.mask_json(&with_member(text, "from", &from)).into_owned();
            let lines = lines.entry(path).or_default();
            lines.push_str(&with_member(&line, "masked_by", &masked_by));
            lines.push('\n');
        });
        for (path, lines) in lines {
            self.append(&path, &lines)?;
        }
        Ok(())
    }

    /// Adds lines to a session's recording, as a frame of their own.
    fn append(&self, path: &Path, lines: &str) -> io::Result<()> {
        let file = self.building.join(path);
        fs::create_dir_all(file.parent().unwrap_or(self.building))?;
        let mut file = fs::File::options().create(true).append(true).open(file)?;
        file.write_all(&zstd::bulk::compress(lines.as_bytes(), 0)?)
    }

    /// Puts the recordings in their places.
    fn commit(mut self) -> io::Result<Imported> {
        for (path, session) in &self.sessions {
            if session.calls == 0 {
                continue;
            }
            let target = self.plan.out.join(path);
            fs::create_dir_all(target.parent().unwrap_or(self.plan.out))?;
            fs::rename(self.building.join(path), target)?;
            self.found.sessions += 1;
            self.found.calls += session.calls;
        }
        Ok(self.found)
    }
}

impl Session {
    /// Whether a line belongs to what is wanted; counts the calls among such lines.
    fn wants(&mut self, line: Raw<'_>, plan: &ImportPlan<'_>) -> bool {
        let Some(message) = line.member("msg") else { return true };
        let info = message.member("result").and_then(|result| result.member("serverInfo"));
        if let Some(name) = info.and_then(|info| text_of(info, "name")) {
            self.server = name;
        }
        let id = |holder: Raw<'_>, name| {
            holder.member(name).map_or(String::new(), |id| id.text().to_owned())
        };
        let given_up = message.member("params").map(|params| id(params, "requestId"));
        if message.member("method").is_some_and(|method| method.text() == "\"tools/call\"") {
            let id = id(message, "id");
            if !self.is_meant(line, plan) {
                self.left_out.insert(id);
                return false;
            }
            self.left_out.remove(&id);
            self.calls += u64::from(!message.member("params").is_some_and(goes_on));
            return true;
        }
        let answered = id(message, "id");
        !self.left_out.contains(&answered)
            && !given_up.is_some_and(|id| !id.is_empty() && self.left_out.contains(&id))
    }

    fn is_meant(&self, call: Raw<'_>, plan: &ImportPlan<'_>) -> bool {
        let server = text_of(call, "server").unwrap_or_default();
        let server = if self.server.is_empty() { &server } else { &self.server };
        let at = text_of(call, "ts").and_then(|at| Moment::parse(&at));
        let is_new = plan.since.is_none_or(|since| at.is_some_and(|at| at >= since));
        is_new && (plan.servers.is_empty() || plan.servers.contains(server))
    }
}

fn text_of(value: Raw<'_>, name: &str) -> Option<String> {
    value.member(name)?.as_str().map(|text| text.decode().into_owned())
}

/// What the recording of a session is called: what can be read of its name, and what tells it from all others.
fn file_name(program: &str, session: &str, redactor: &Redactor) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let readable: String = redactor.mask(session).chars().take(60).map(plain).collect();
    let hash = xxh3_64(format!("{program}\0{session}").as_bytes());
    format!("{readable}-{:08x}.jsonl.zst", hash >> 32)
}

/// A line that also says where it was taken from, or by which rules it was masked.
fn with_member(line: &str, name: &str, value: &str) -> String {
    let value = Value::from(value);
    match line.strip_prefix('{') {
        Some(rest) if !rest.trim_start().starts_with('}') => {
            format!(r#"{{"{name}":{value},{rest}"#)
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Bounds, Input};

    const CALL: &str = r#"{"type":"assistant","uuid":"a","sessionId":"s-1","timestamp":"2026-03-02T09:00:00Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"mcp__garden__water","input":{"key":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}}]}}"#;
    const ANSWER: &str = r#"{"type":"user","uuid":"b","sessionId":"s-1","timestamp":"2026-03-02T09:00:01Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"done"}]}]}}"#;

    fn imported(since: Option<&str>, servers: &[String]) -> (Imported, Vec<String>) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let source = folder.path().join("s.jsonl");
        fs::write(&source, format!("{CALL}\n{ANSWER}\n")).expect("a file");
        let out = folder.path().join("out");
        let redactor = Redactor::builtin();
        let since = since.and_then(Moment::parse);
        let plan = ImportPlan { out: &out, redactor: &redactor, since, servers };
        let mut found = Imported::default();
        // The second import finds what the first left, and changes nothing.
        for _ in 0..2 {
            let reader = CorpusReader::new(&[Input::Path(source.clone())], Bounds::default());
            found = import(reader.expect("it is there"), &plan).expect("written").expect("threads");
        }
        let mut texts = Vec::new();
        for entry in fs::read_dir(out.join("claude-code")).into_iter().flatten() {
            let bytes = fs::read(entry.expect("an entry").path()).expect("a file");
            let text = zstd::decode_all(&bytes[..]).expect("packed");
            texts.push(String::from_utf8(text).expect("text"));
        }
        (found, texts)
    }

    #[test]
    fn a_session_becomes_a_recording_without_secrets_that_says_where_it_is_from() {
        let (found, texts) = imported(None, &[]);
        assert_eq!((found.calls, found.sessions, texts.len()), (1, 1, 1));
        let lines: Vec<&str> = texts[0].lines().collect();
        assert_eq!(lines.len(), 2, "{}", texts[0]);
        assert!(
            lines[0].starts_with(
                r#"{"masked_by":"builtin","from":"s.jsonl:1","dir":"c2s","recorded_by":"claude-code""#
            ),
            "{}",
            lines[0]
        );
        assert!(lines[0].contains("[token ") && !texts[0].contains("ghp_"), "{}", texts[0]);
        let second = r#"{"masked_by":"builtin","from":"s.jsonl:2","dir":"s2c""#;
        assert!(lines[1].starts_with(second), "{}", lines[1]);
    }

    #[test]
    fn the_name_of_a_session_is_masked_where_it_names_a_file() {
        let session = "talk with ghp_0123456789abcdefghijABCDEFGHIJ012345";
        let name = |redactor: &Redactor| file_name("goose", session, redactor);
        let [masked, plain] = [name(&Redactor::builtin()), name(&Redactor::none())];
        assert!(masked.starts_with("talk_with__token_"), "{masked}");
        assert!(plain.starts_with("talk_with_ghp_0123"), "{plain}");
        let hash = |name: &str| name.rsplit_once('-').expect("a hash").1.to_owned();
        assert_eq!(hash(&masked), hash(&plain), "the session stays the same");
    }

    #[test]
    fn calls_are_chosen_by_time_and_server() {
        let garden = ["garden".to_owned()];
        assert_eq!(imported(Some("2026-03-02T00:00:00Z"), &garden).0.calls, 1);
        assert_eq!(
            imported(Some("2026-03-03T00:00:00Z"), &[]),
            (
                Imported { files: [("Claude Code transcript", 1)].into(), ..Imported::default() },
                Vec::new()
            )
        );
        assert_eq!(imported(None, &["shop".to_owned()]).0.calls, 0);
    }
}
