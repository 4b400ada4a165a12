//! A run over recorded sessions of real servers: every call, every line.

use crate::harness::paths_in;
use crate::support::read_table;
use crate::support::{Judged, corpus, lines, shared};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use tapecheck::internals::json::{RawStr, scan_document};
use tapecheck::internals::store::Table;

/// Calls of a session by what came back.
type Counts = BTreeMap<&'static str, u64>;

/// What came back, in the order of the table's columns.
const REPLIES: [&str; 4] = ["result", "tool_error", "protocol_error", "no_reply"];

/// The table of the recordings' README: per session, calls and how they were answered.
fn promised(readme: &Path) -> BTreeMap<String, Counts> {
    let lines = lines(readme);
    let is_header = |line: &&String| !line.starts_with("| session |");
    let mut rows =
        lines.iter().skip_while(is_header).take_while(|line| line.starts_with('|')).map(
            |line| -> Vec<&str> { line.trim_matches('|').split('|').map(str::trim).collect() },
        );
    let header = rows.next().expect("a table");
    let column = |name: &str| {
        header.iter().position(|cell| *cell == name).unwrap_or_else(|| panic!("column {name}"))
    };
    let calls = column("calls");
    let columns = ["ok", "isError", "JSON-RPC error", "no answer"].map(column);
    let sessions = rows.filter(|row| !row[0].starts_with("---"));
    sessions
        .map(|row| {
            let number = |at: usize| -> u64 { row[at].parse().expect("a number") };
            let counts: Counts = REPLIES.into_iter().zip(columns.map(number)).collect();
            assert_eq!(number(calls), counts.values().sum::<u64>(), "the row of {}", row[0]);
            (row[0].to_owned(), counts)
        })
        .collect()
}

/// The scenarios of a folder's sidecars, by session and id.
fn scenarios(folder: &Path) -> HashMap<(String, String), String> {
    let mut scenarios = HashMap::new();
    for path in paths_in(folder) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some(session) = name.strip_suffix(".scenarios.jsonl") else { continue };
        for line in lines(&path) {
            let line = scan_document(&line, 10).expect("JSON");
            let member = |name| line.member(name).expect("a member");
            let id = member("id");
            let id =
                id.as_str().map_or_else(|| id.text().to_owned(), |id| id.decode().into_owned());
            let scenario = member("scenario").as_str().map(RawStr::decode).expect("a text");
            scenarios.insert((session.to_owned(), id), scenario.into_owned());
        }
    }
    scenarios
}

/// Session, id, reply and scenario of every verdict.
fn rows(judged: &Judged) -> Vec<[String; 4]> {
    let frame = read_table(judged.folder(), Table::Verdicts);
    let columns = ["session", "id", "reply", "scenario"];
    (0..frame.height).map(|row| columns.map(|column| frame.text(column, row))).collect()
}

/// Holds a run over the folder against the table in `readme`.
fn check(folder: &Path, readme: &Path) -> Judged {
    let promised = promised(readme);
    let judged = Judged::new(folder, "guide");
    judged.assert_adds_up();
    let mut counted: BTreeMap<String, Counts> = BTreeMap::new();
    let rows = rows(&judged);
    for [session, _, reply, _] in &rows {
        let reply = REPLIES.into_iter().find(|known| known == reply).expect("a known reply");
        let counts = counted
            .entry(session.clone())
            .or_insert_with(|| REPLIES.map(|reply| (reply, 0)).into());
        *counts.get_mut(reply).expect("every reply is counted") += 1;
    }
    assert_eq!(counted, promised, "calls per session and reply");

    let scenarios = scenarios(folder);
    let (mut joined, mut wrong) = (0, Vec::new());
    for [session, id, _, scenario] in rows {
        let named = scenarios.get(&(session.clone(), id.clone())).map_or("", String::as_str);
        joined += u64::from(!named.is_empty());
        if named != scenario {
            wrong.push(format!("{session} {id}: '{scenario}' instead of '{named}'"));
        }
    }
    assert!(wrong.is_empty(), "scenarios: {wrong:?}");
    assert!(joined >= scenarios.len() as u64, "{joined} calls have a scenario");
    judged
}

/// Lines of the recordings of a folder that are not blank.
fn raw_lines(folder: &Path) -> u64 {
    let paths = paths_in(folder).into_iter().filter(|path| {
        let name = path.to_string_lossy();
        name.ends_with(".jsonl")
            && !name.ends_with(".scenarios.jsonl")
            && !name.ends_with("labels.jsonl")
    });
    paths.map(|path| lines(&path).len() as u64).sum()
}

#[test]
fn every_call_of_the_recordings_of_real_servers_is_judged() {
    let Some(folder) = shared("corpora/recorded") else { return };
    let judged = check(&folder, &folder.join("README.md"));
    let totals = &judged.finished.totals;
    assert_eq!(totals.exchanges, 2_114, "calls");
    assert_eq!((totals.lines, raw_lines(&folder)), (4_897, 4_897), "every line is read");
    assert_eq!(totals.recordings, 27);
    assert_eq!(totals.unreadable_lines, BTreeMap::new(), "nothing is rejected");
    assert_eq!(totals.unreadable_files, BTreeMap::new(), "every file is read to its end");
}

#[test]
fn every_call_of_the_bundled_recordings_is_judged() {
    let folder = corpus().join("recorded");
    let judged = check(&folder, &corpus().join("README.md"));
    let totals = &judged.finished.totals;
    assert_eq!(totals.exchanges, 318, "calls");
    assert_eq!(totals.lines, raw_lines(&folder), "every line is read");
    assert_eq!(totals.unreadable_lines, BTreeMap::new(), "nothing is rejected");
    assert_eq!(totals.unreadable_files, BTreeMap::new(), "every file is read to its end");
}
