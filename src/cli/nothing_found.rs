//! A run that found no call: what was looked at, and what to do next.

use super::command_line::typed;
use super::terminal::{counted, grouped, harmless};
use crate::corpus::OTHER_PATH;
use crate::program::{NOT_OF_MCP, PROGRAMS};
use crate::run::{Finished, Left, Totals};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

pub(super) fn nothing_found(finished: &Finished, inputs: &[PathBuf], out: &Path) -> String {
    let inputs: Vec<String> = inputs.iter().map(typed).collect();
    let left = match finished.folder {
        Left::Run => format!("written to {}", out.display()),
        Left::EarlierRun => format!("the earlier run in {} was not replaced", out.display()),
    };
    format!(
        "no calls were found in {}: {}\n  {left}\n  next: name files or folders of recordings; docs/recordings.md lists their formats",
        inputs.join(", "),
        looked_at(&finished.totals),
    )
}

fn looked_at(totals: &Totals) -> String {
    let mut parts = Vec::new();
    if totals.recordings > 0 {
        let mut part = counted(totals.recordings, "recording") + " with ";
        part += &counted(totals.lines, "line");
        if totals.unreadable() > 0 {
            let reasons = totals.unreadable_lines.iter();
            let reasons: Vec<String> = reasons
                .filter(|(_, count)| **count > 0)
                .map(|(reason, count)| format!("{} {}", reason.name(), grouped(*count)))
                .collect();
            let _ = write!(part, ", {} of them unreadable", grouped(totals.unreadable()));
            let _ = write!(part, " ({})", reasons.join(", "));
        }
        if let Some(requests) = totals.traffic.get(OTHER_PATH) {
            let requests = counted(*requests, "HTTP request");
            let _ = write!(part, ", {requests} to other paths than `envelope_paths` names");
        }
        if let Some(runs) = totals.traffic.get(NOT_OF_MCP) {
            let formats = PROGRAMS.iter().filter(|it| totals.programs.contains_key(it.name));
            let flags: Vec<_> = formats.map(|it| format!("--read-as {}", it.id)).collect();
            let runs = counted(*runs, "tool run");
            let _ = write!(
                part,
                ", {runs} not known to be MCP's ({} reads every tool run as a call)",
                flags.join(" or ")
            );
        }
        parts.push(part);
    }
    let unreadable: u64 = totals.unreadable_files.values().sum();
    if unreadable > 0 {
        let mut part = counted(unreadable, "file") + " that could not be read";
        if let Some(first) = totals.broken_files.first() {
            let _ = write!(part, " ({}: {})", harmless(&first.file), harmless(&first.detail));
        }
        parts.push(part);
    }
    let others: u64 = totals.other_files.values().flat_map(|reasons| reasons.values()).sum();
    if others > 0 {
        let mut part = counted(others, "other file");
        if let Some(first) = totals.notes.first() {
            let _ = write!(part, " ({}: {})", harmless(&first.file), harmless(&first.detail));
        }
        parts.push(part);
    }
    if parts.is_empty() { "no files".to_owned() } else { parts.join("; ") }
}
