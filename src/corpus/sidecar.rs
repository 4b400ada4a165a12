//! Files beside a recording that say more about it: scenarios and tool lists.

use super::file_names::shown;
use super::{Unreadable, UnreadableReason};
use crate::format::read_tool_list;
use crate::json::{Kind, Raw, scan_document};
use crate::recording::Tool;
use hashbrown::{HashMap, HashSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Sidecars are read whole, so they have a bound of their own.
pub(super) const MAX_SIDECAR: u64 = 64 << 20;

/// The scenario of each call, by the text of its id.
pub(super) type Scenarios = HashMap<String, String>;

pub(super) type ToolsByName = HashMap<String, Arc<Tool>>;

/// The files beside recordings that go on beyond the bound.
#[derive(Debug, Default)]
pub(super) struct TooLong {
    reported: HashSet<PathBuf>,
    /// What there is to tell; whoever tells it takes it away.
    pub(super) unreadable: Vec<Unreadable>,
}

impl TooLong {
    /// Notes a file once, however many recordings share it. `name`: what tables call the recording.
    pub(super) fn note(&mut self, file: Option<String>, recording: &Path, name: &str) {
        let Some(file) = file else { return };
        if self.reported.insert(recording.with_file_name(&file)) {
            let file = name.rsplit_once('/').map_or(file.clone(), |(to, _)| format!("{to}/{file}"));
            let detail = format!("larger than {MAX_SIDECAR} bytes");
            self.unreadable.push(Unreadable::of_file(
                &file,
                UnreadableReason::SidecarTooLong,
                detail,
            ));
        }
    }
}

/// The scenarios that belong to a recording, of `NAME.scenarios.jsonl` beside `NAME.jsonl`; the name of that file, if it
/// goes on beyond the bound.
pub(super) fn scenarios_of(recording: &Path, max_depth: usize) -> (Scenarios, Option<String>) {
    let path = scenarios_path(recording);
    let (text, too_long) = path.map(|path| read_within(MAX_SIDECAR, &path)).unwrap_or_default();
    (text.lines().filter_map(|line| scenario_line(line, max_depth)).collect(), too_long)
}

/// Whether a line says which scenario a call belongs to.
pub(super) fn scenario_line(line: &str, max_depth: usize) -> Option<(String, String)> {
    let line = scan_document(line, max_depth).ok()?;
    let id = line.member("id")?;
    let scenario = line.member("scenario")?.as_str()?;
    Some((id_text(id), scenario.decode().into_owned()))
}

pub fn is_label_line(line: &str, max_depth: usize) -> bool {
    scan_document(line, max_depth).is_ok_and(|line| {
        line.member("label").is_some()
            && line.member("response").is_none()
            && line.member("tool").is_none()
    })
}

/// The tools of `tools.json` beside a recording, an array of them or an object that holds one; the name of that file, if
/// it goes on beyond the bound.
pub(super) fn tools_beside(recording: &Path, max_depth: usize) -> (ToolsByName, Option<String>) {
    let (text, too_long) = read_within(MAX_SIDECAR, &tools_path(recording));
    let tools = tools_in(text.as_bytes(), max_depth).into_iter();
    (tools.map(|tool| (tool.name.clone(), tool)).collect(), too_long)
}

pub(super) fn tools_path(recording: &Path) -> PathBuf {
    recording.with_file_name("tools.json")
}

pub(super) fn tools_in(document: &[u8], max_depth: usize) -> Vec<Arc<Tool>> {
    let text = std::str::from_utf8(document).unwrap_or_default();
    let document = scan_document(text, max_depth).ok();
    document.and_then(tool_list_in).map(read_tool_list).unwrap_or_default()
}

/// The list of tools that a document is, or holds as `tools` or `result.tools`.
pub(super) fn tool_list_in(document: Raw<'_>) -> Option<Raw<'_>> {
    let is_tool =
        |element: Raw<'_>| element.member("name").is_some() && element.member("response").is_none();
    if document.kind() == Kind::Array {
        let lists = document.any_element(is_tool) && !document.any_element(|it| !is_tool(it));
        return lists.then_some(document);
    }
    let holder = document.member("result").unwrap_or(document);
    holder.member("tools").filter(|tools| tools.kind() == Kind::Array)
}

/// How an id is written in tables: strings without their quotes, numbers as recorded.
pub(super) fn id_text(id: Raw<'_>) -> String {
    id.as_str().map_or_else(|| id.text().to_owned(), |text| text.decode().into_owned())
}

pub(super) fn scenarios_path(recording: &Path) -> Option<PathBuf> {
    let name = recording.file_name()?.to_str()?;
    let stem = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    Some(recording.with_file_name(format!("{stem}.scenarios.jsonl")))
}

/// Reads as much of a file as the bound allows; a file that cannot be read says nothing.
fn read_within(bound: u64, path: &Path) -> (String, Option<String>) {
    // Opening a pipe of that name would wait for somebody to write to it.
    if !std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return (String::new(), None);
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path);
    if file.and_then(|file| file.take(bound + 1).read_to_end(&mut bytes)).is_err() {
        return (String::new(), None);
    }
    let name = path.file_name().unwrap_or_default();
    let too_long = (bytes.len() as u64 > bound).then(|| shown(name));
    if too_long.is_some() {
        // The byte beyond the bound goes, and so does the record that the bound cuts apart: it must
        // not be taken for a whole one.
        bytes.pop();
        let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |end| end + 1);
        bytes.truncate(whole);
    }
    // One damaged line must not cost the others.
    let text = String::from_utf8_lossy(&bytes);
    (text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned(), too_long)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beyond_the_bound_is_not_used_and_told() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.scenarios.jsonl");
        let lines = "{\"id\":1,\"scenario\":\"one\"}\n{\"id\":12,\"scenario\":\"two\"}\n";
        std::fs::write(&path, lines).expect("a file");
        let length = lines.len() as u64;
        let read = |bound| {
            let (text, too_long) = read_within(bound, &path);
            (text.lines().filter_map(|line| scenario_line(line, 8)).count(), too_long)
        };
        assert_eq!(read(length), (2, None));
        assert_eq!(read(length - 1), (1, Some("a.scenarios.jsonl".to_owned())));
        assert_eq!(read(5), (0, Some("a.scenarios.jsonl".to_owned())));
        assert_eq!(read_within(9, &folder.path().join("none")), (String::new(), None));
    }
}
