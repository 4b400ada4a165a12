//! Files beside a tape that say more about it: scenarios and tool lists.

use crate::format::read_tool_list;
use crate::json::{Kind, Raw, scan_document};
use crate::tape::Tool;
use hashbrown::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Sidecars are read whole, so they have a bound of their own.
const MAX_SIDECAR: u64 = 64 << 20;

/// The scenario of each call, by the text of its id.
pub(super) type Scenarios = HashMap<String, String>;

/// Tools by name.
pub(super) type ToolsByName = HashMap<String, Arc<Tool>>;

/// Reads the scenarios that belong to a tape: `NAME.scenarios.jsonl` beside `NAME.jsonl`.
pub(super) fn scenarios_of(tape: &Path, max_depth: usize) -> Scenarios {
    let Some(path) = scenarios_path(tape) else { return Scenarios::new() };
    let Some(text) = read_small(&path) else { return Scenarios::new() };
    text.lines().filter_map(|line| scenario_line(line, max_depth)).collect()
}

/// Whether a line says which scenario a call belongs to.
pub(super) fn scenario_line(line: &str, max_depth: usize) -> Option<(String, String)> {
    let line = scan_document(line, max_depth).ok()?;
    let id = line.member("id")?;
    let scenario = line.member("scenario")?.as_str()?;
    Some((id_text(id), scenario.decode().into_owned()))
}

/// Whether a line is a label.
pub(super) fn is_label_line(line: &str, max_depth: usize) -> bool {
    scan_document(line, max_depth).is_ok_and(|line| {
        line.member("label").is_some()
            && line.member("response").is_none()
            && line.member("tool").is_none()
    })
}

/// Reads `tools.json` beside a tape: an array of tools, or an object that holds one.
pub(super) fn tools_beside(tape: &Path, max_depth: usize) -> ToolsByName {
    let path = tape.with_file_name("tools.json");
    let Some(text) = read_small(&path) else { return ToolsByName::new() };
    tools_in(text.as_bytes(), max_depth).into_iter().map(|tool| (tool.name.clone(), tool)).collect()
}

/// The tools of a document that is a tool list.
pub(super) fn tools_in(document: &[u8], max_depth: usize) -> Vec<Arc<Tool>> {
    let text = std::str::from_utf8(document).unwrap_or_default();
    let document = scan_document(text, max_depth).ok();
    document.and_then(tool_list_in).map(read_tool_list).unwrap_or_default()
}

/// The list of tools that a document is, or holds as `tools` or `result.tools`.
pub(super) fn tool_list_in(document: Raw<'_>) -> Option<Raw<'_>> {
    let is_tool = |element: &Raw<'_>| {
        element.member("name").is_some() && element.member("response").is_none()
    };
    if document.kind() == Kind::Array {
        let elements = document.elements()?;
        return (!elements.is_empty() && elements.iter().all(is_tool)).then_some(document);
    }
    let holder = document.member("result").unwrap_or(document);
    holder.member("tools").filter(|tools| tools.kind() == Kind::Array)
}

/// How an id is written in tables: strings without their quotes, numbers as recorded.
pub(super) fn id_text(id: Raw<'_>) -> String {
    id.as_str().map_or_else(|| id.text().to_owned(), |text| text.decode().into_owned())
}

fn scenarios_path(tape: &Path) -> Option<PathBuf> {
    let name = tape.file_name()?.to_str()?;
    let stem = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    Some(tape.with_file_name(format!("{stem}.scenarios.jsonl")))
}

fn read_small(path: &Path) -> Option<String> {
    // Opening a pipe of that name would wait for somebody to write to it.
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let file = std::fs::File::open(path).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_SIDECAR).read_to_end(&mut bytes).ok()?;
    // One damaged line must not cost the others.
    let text = String::from_utf8_lossy(&bytes);
    Some(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}
