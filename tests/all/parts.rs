//! A run made in parts and put together is the run that one machine would have made.

use crate::determinism::{assert_same, folder, recording, wire};
use crate::frame::Frame;
use crate::harness::{Place, gzip, names_in, tapecheck};
use crate::report_formats::FORMATS;
use crate::support::{Judged, corpus};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder of a part beside the recordings.
fn part(place: &Place, number: usize, of: usize) -> PathBuf {
    place.path(&format!("part-{number}-of-{of}"))
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn run_part(recordings: &Path, number: usize, of: usize, out: &Path) {
    let part = format!("{number}/{of}");
    let arguments = ["run", &text(recordings), "--part", &part, "--out", &text(out), "--quiet"];
    tapecheck(&arguments).ended_with(0);
}

/// Runs all parts, the last first.
fn run_parts(place: &Place, recordings: &Path, of: usize) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = (1..=of).map(|number| part(place, number, of)).collect();
    for (number, out) in folders.iter().enumerate().rev() {
        run_part(recordings, number + 1, of, out);
    }
    folders
}

fn merge(parts: &[PathBuf], out: &Path, more: &[&str]) -> crate::harness::Ran {
    let mut arguments = vec!["merge".to_owned()];
    arguments.extend(parts.iter().map(|part| text(part)));
    arguments.extend(["--out".to_owned(), text(out)]);
    arguments.extend(more.iter().map(|word| (*word).to_owned()));
    tapecheck(&arguments)
}

/// Asserts that a merged run equals one of one machine: the rows of its tables, and its sums and reports.
#[track_caller]
fn assert_equal(whole: &BTreeMap<String, Vec<u8>>, merged: &BTreeMap<String, Vec<u8>>, what: &str) {
    let is_table = |name: &&String| Path::new(name).extension().is_some_and(|it| it == "parquet");
    let (mut whole, mut merged) = (whole.clone(), merged.clone());
    for table in &whole.keys().filter(is_table).cloned().collect::<Vec<_>>() {
        let rows = |files: &mut BTreeMap<String, Vec<u8>>| {
            Frame::of_bytes(&files.remove(table).unwrap_or_else(|| panic!("{what}: no {table}")))
        };
        let (one, other) = (rows(&mut whole), rows(&mut merged));
        assert_eq!(one.height, other.height, "{what}: rows of {table}");
        for (one, other) in one.columns.iter().zip(&other.columns) {
            assert_eq!(
                (&one.name, &one.of),
                (&other.name, &other.of),
                "{what}: columns of {table}"
            );
            let differs = one.cells.iter().zip(&other.cells).position(|(one, other)| one != other);
            assert_eq!(differs, None, "{what}: the first row that differs in {table}.{}", one.name);
        }
    }
    assert_same(&whole, &merged, what);
}

/// The recordings here as one run, and in each of these numbers of parts.
#[track_caller]
fn equals_in_parts(place: &Place, parts: &[usize]) {
    place.command().args(["--quiet"]).status().expect("the program starts");
    let whole = folder(place);
    for of in parts {
        let folders = run_parts(place, &place.recordings(), *of);
        merge(&folders, &place.out(), &["--quiet"]).ended_with(0);
        assert_equal(&whole, &folder(place), &format!("{of} parts"));
    }
}

#[test]
fn the_bundled_corpus_in_parts_is_the_same_run() {
    let place = Place::new();
    let parts = run_parts(&place, &corpus(), 6);
    merge(&parts, &place.out(), &["--quiet"]).ended_with(0);
    let judged = Judged::corpus("calibrated");
    let whole = crate::determinism::folder_at(judged.folder());
    let mut merged = folder(&place);
    // The corpus was judged through the library, which names no flags.
    assert!(whole.contains_key("manifest.json") && whole.len() >= 15, "{:?}", whole.keys());
    merged.retain(|name, _| whole.contains_key(name));
    assert_equal(&whole, &merged, "6 parts of the bundled corpus");
}

#[test]
fn recordings_of_all_layouts_in_parts_are_the_same_run() {
    let place = Place::with_good_recording();
    for number in 0..3 {
        let text = "not json\n".to_owned()
            + &recording(number * 100..number * 100 + 90, 900)
            + "{\"cut\":";
        place.recording(&format!("part-{number}/recording.jsonl"), text);
    }
    place.recording("wire.jsonl", wire(200, 500));
    place.recording("part-1/wire.jsonl.gz", gzip(wire(90, 10).as_bytes()));
    place.recording("notes.txt", "nothing");
    place.recording("zz-cut.jsonl.gz", &gzip(recording(0..50, 100).as_bytes())[..200]);
    equals_in_parts(&place, &[1, 2, 5, 40]);
    place.lost_nothing();
}

/// A session of Claude Code, and the same up to the answer of its last call.
fn session() -> (String, String) {
    let file = corpus().join("formats/claude-code/2f6d1c1e-0a4b-4a51-9b0e-5d0c3e7a0001.jsonl");
    let whole = std::fs::read_to_string(file).expect("a file");
    let last = whole.lines().rfind(|line| line.contains("tool_result")).expect("an answer");
    let cut = whole[..whole.find(last).expect("it is there")].to_owned();
    (whole, cut)
}

#[test]
fn a_call_that_files_of_several_parts_hold_counts_once() {
    let (whole, cut) = session();
    let count = |files: &[(&str, &str)]| {
        let place = Place::new();
        for (name, text) in files {
            place.recording(name, text);
        }
        equals_in_parts(&place, &[2, 3]);
        place.ids().len()
    };
    let once = count(&[("a.jsonl", &whole)]);
    assert!(once > 1, "the session has calls");
    let files =
        [("a.jsonl", &*cut), ("b.jsonl", &*whole), ("c.jsonl", &*cut), ("d.jsonl", &*whole)];
    assert_eq!(count(&files), once, "each call counts once");
    assert_eq!(count(&[("a.jsonl", &cut), ("b.jsonl", &cut)]), once, "the last without an answer");
}

#[test]
fn reports_of_a_merged_run_and_its_history_are_the_same() {
    let place = Place::with_good_recording();
    // More calls than a page shows, in more files than a page looks into for examples.
    for file in 0..6 {
        place.recording(&format!("{file}.jsonl"), recording(file * 400..file * 400 + 400, 200));
    }
    // A tool that is named like its server, which comes later than other tools.
    let call = |tool| json!({"server": "clock", "tool": tool, "response": {"content": []}});
    place.recording("clock.jsonl", format!("{}\n{}\n", call("find"), call("clock")));
    let whole = place.path("whole");
    tapecheck(&["run", &text(&place.recordings()), "--out", &text(&whole), "--quiet"])
        .ended_with(0);
    let parts = run_parts(&place, &place.recordings(), 7);
    let history = text(&place.path("history"));
    for _ in 0..2 {
        let more = ["--quiet", "--history", &history, "--night", "2026-11-21"];
        merge(&parts, &place.out(), &more).ended_with(0);
    }
    let mut kept = names_in(&place.path("history"));
    kept.retain(|name| name.ends_with(".parquet"));
    assert_eq!(kept.len(), 1, "a run that is merged twice is in the history once");
    // Only the time of the run differs by its nature.
    let of = |folder: &Path| -> Value {
        serde_json::from_slice(&std::fs::read(folder.join("manifest.json")).expect("a file"))
            .expect("JSON")
    };
    let mut manifest = of(&place.out());
    manifest["wall"] = of(&whole)["wall"].take();
    std::fs::write(place.out().join("manifest.json"), manifest.to_string()).expect("a file");
    for format in FORMATS {
        let shown = |folder: &Path| {
            let name = folder.with_file_name("run-to-show");
            std::fs::rename(folder, &name).expect("moved");
            let report = folder.with_file_name("report");
            let written = format!("{format}={}", text(&report));
            tapecheck(&["show", &text(&name), "--format", &written]).ended_with(0);
            std::fs::rename(&name, folder).expect("moved back");
            std::fs::read(report).expect("a report")
        };
        assert!(shown(&whole) == shown(&place.out()), "{format} differs");
    }
    let ran = tapecheck(&["diff", &text(&whole), &text(&place.out())]).ended_with(0);
    assert!(!ran.out.contains("worse"), "nothing changed:\n{}", ran.out);
}

#[test]
fn parts_that_do_not_belong_together_are_refused_and_named() {
    let place = Place::with_good_recording();
    place.recording("more.jsonl", recording(0..8, 200));
    let recordings = place.recordings();
    let parts = run_parts(&place, &recordings, 3);
    let other = run_parts(&place, &recordings, 2);
    let refused = |parts: &[&PathBuf], about: &str| {
        let parts: Vec<PathBuf> = parts.iter().map(|part| (*part).clone()).collect();
        merge(&parts, &place.out(), &[]).ended_with(2).complaining(about);
        assert!(!place.out().exists(), "nothing is written");
    };
    refused(&[&parts[0]], "missing of 3 parts: 2, 3");
    refused(&[&parts[0], &parts[1], &parts[1], &parts[2]], "part 2/3 is given twice");
    refused(&[&parts[0], &other[1]], "they are of different runs");
    merge(std::slice::from_ref(&recordings), &place.out(), &[])
        .ended_with(3)
        .complaining("is not a tapecheck run");
    let ran = tapecheck(&["show", &text(&parts[1])]).ended_with(2);
    ran.complaining("is part 2 of 3 of a run").complaining("tapecheck merge");
    let whole = place.path("whole");
    tapecheck(&["run", &text(&recordings), "--out", &text(&whole), "--quiet"]).ended_with(0);
    refused(&[&whole], "is not a part of a run");
    let guide = place.path("guide");
    let arguments = ["run", &text(&recordings), "--part", "2/2", "--rulebook", "guide"];
    tapecheck(&[&arguments[..], &["--out", &text(&guide), "-q"]].concat()).ended_with(0);
    refused(&[&other[0], &guide], "were made with different rulebooks");
    place.recording("new.jsonl", recording(0..2, 20));
    run_part(&recordings, 2, 2, &other[1]);
    refused(&[&other[0], &other[1]], "the recordings changed between");
    let manifest = parts[0].join("manifest.json");
    let written = std::fs::read_to_string(&manifest).expect("a file");
    std::fs::write(&manifest, written.replace("run/10", "run/9")).expect("a file");
    merge(&parts, &place.out(), &[]).ended_with(3).complaining(" --part 1/3 --out ");
    std::fs::write(&manifest, written).expect("a file");
    let counted = parts[1].join("part.json");
    let damaged = std::fs::read_to_string(&counted).expect("a file") + " ";
    std::fs::write(&counted, damaged).expect("a file");
    let ran = merge(&parts, &place.out(), &[]).ended_with(3);
    ran.complaining("part.json is damaged: its hash is not the one in manifest.json");
    assert_eq!(place.leftovers().iter().filter(|name| name.starts_with('.')).count(), 0);
}

#[test]
fn a_part_is_asked_for_with_a_place_of_its_own() {
    let place = Place::with_good_recording();
    let recordings = text(&place.recordings());
    let run = |more: &[&str]| tapecheck(&[&["run", &*recordings][..], more].concat());
    run(&["--part", "1/2"]).ended_with(2).complaining("--out");
    run(&["--part", "3/2", "--out", "x"]).ended_with(2).complaining("such as 1/8");
    let out = text(&place.out());
    tapecheck(&["run", "-", "--part", "1/2", "--out", &out])
        .ended_with(2)
        .complaining("standard input");
    // More parts than files: the empty ones are parts too.
    run(&["--part", "2/9", "--out", &out]).ended_with(0);
    assert_eq!(place.json("manifest.json")["comparable"]["part"]["number"], 2);
    let within = merge(&[place.out()], &place.out(), &[]);
    within.ended_with(2).complaining("which the run would replace");
}

/// Runs the only part with a journal, while the call with this id ends the process.
fn run_poisoned(place: &Place, id: &str) -> Option<i32> {
    let mut command = place.command();
    command.args(["--part", "1/1", "--quiet", "--journal"]).arg(place.path("journal"));
    command.env("TAPECHECK_POISON", format!("abort={id}")).stderr(std::process::Stdio::null());
    command.status().expect("the program starts").code()
}

#[test]
fn a_record_that_ends_the_process_is_passed_over_in_the_third_attempt() {
    let place = Place::with_good_recording();
    place.recording("more.jsonl", recording(0..9, 20));
    for attempt in 1..3 {
        assert_eq!(run_poisoned(&place, "e-4"), None, "attempt {attempt} is ended by a signal");
        assert!(!place.out().exists(), "attempt {attempt} leaves nothing in its place");
    }
    assert_eq!(run_poisoned(&place, "e-4"), Some(0), "the third attempt passes over the record");
    let lost = place.unreadable();
    let [lost] = &lost[..] else { panic!("one line is unreadable: {lost:?}") };
    assert_eq!((&*lost.file, &*lost.line, &*lost.reason), ("more.jsonl", "5", "internal_error"));
    assert_eq!(lost.detail, "it ended tapecheck in two attempts");
    let summary = place.json("summary.json");
    assert_eq!(summary["counts"]["exchanges"], 11, "all other calls are there");
    assert_eq!(summary["counts"]["lines"], 12, "and every line is accounted for");
}

#[test]
fn the_files_that_a_part_reads_are_listed_and_nothing_is_written() {
    let place = Place::new();
    let recordings = place.recordings();
    place.recording("a/calls.jsonl", recording(0..20, 200));
    place.recording("a/calls.scenarios.jsonl", "{\"id\":\"x\",\"scenario\":\"edge_case\"}\n");
    place.recording("a/tools.json", "{\"tools\":[]}");
    // Only its content shows whether the folder is a run.
    place.recording("run/manifest.json", "not copied yet");
    place.recording("s/tool-results/x.txt", "a reply");
    place.recording("z/calls.jsonl", recording(20..40, 200));
    let listed = |part: &str| -> Vec<String> {
        let out = text(&place.path("part"));
        let arguments = ["run", &text(&recordings), "--part", part, "--out", &out, "--dry-run"];
        let lines = tapecheck(&arguments).ended_with(0).out;
        let paths = lines.lines().map(|line| serde_json::from_str::<String>(line).expect("JSON"));
        let below = paths.map(|path| {
            let path = Path::new(&path).strip_prefix(&recordings).expect("it is below");
            path.display().to_string()
        });
        below.collect()
    };
    let everyone = ["run/manifest.json", "s/tool-results/x.txt"];
    let of_first = ["a/calls.jsonl", "a/calls.scenarios.jsonl", "a/tools.json"];
    assert_eq!(listed("1/2"), [&of_first[..], &everyone].concat());
    assert_eq!(listed("2/2"), [&everyone[..], &["z/calls.jsonl"]].concat());
    assert!(!place.path("part").exists());
}
