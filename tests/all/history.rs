//! Histories: runs leave their counts in them, each once, and whatever cannot be read is named.

use crate::frame::Frame;
use crate::harness::{Place, Ran, finish, good, lines, names_in, program, tapecheck};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tapecheck::internals::count::{Count, Dimension, GroupRef};
use tapecheck::internals::store::write_cube;
use tapecheck::internals::trend::history::{At, History};

/// Where a place's history is.
pub(crate) fn history(place: &Place) -> PathBuf {
    place.root().join("history")
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Judges the recordings of a place and adds the run to its history.
pub(crate) fn night(place: &Place, night: &str) -> Ran {
    let dir = history(place);
    place.run(&["--history", text(&dir), "--night", night])
}

/// A place whose history has these nights, each with one exchange more than the one before.
pub(crate) fn growing(nights: &[&str]) -> Place {
    let place = Place::new();
    let mut recording = Vec::new();
    for (number, day) in nights.iter().enumerate() {
        recording.push(good(&format!("good-{number}")));
        place.recording("good.jsonl", lines(&recording));
        night(&place, day).ended_with(0);
    }
    place
}

/// The files of a history, by name.
pub(crate) fn files(place: &Place) -> Vec<String> {
    let mut names = names_in(&history(place));
    names.retain(|name| !name.starts_with('.'));
    names
}

pub(crate) fn list(place: &Place) -> Value {
    let ran = tapecheck(&["trend", text(&history(place)), "--list", "--format=json"]).ended_with(0);
    ran.json()
}

/// The exchanges of the runs that can be read, in their order.
pub(crate) fn exchanges(list: &Value) -> Vec<u64> {
    let runs = list["runs"].as_array().expect("runs").iter();
    runs.map(|run| run["exchanges"].as_u64().expect("a number")).collect()
}

pub(crate) fn notes(list: &Value) -> Vec<&str> {
    list["notes"].as_array().expect("notes").iter().filter_map(Value::as_str).collect()
}

#[test]
fn a_run_is_added_once_however_often_it_is_told() {
    let place = Place::with_good_recording();
    let first = night(&place, "2026-11-20").ended_with(0);
    assert!(first.err.contains("\nadded to "), "{}", first.err);
    let again = night(&place, "2026-11-20").ended_with(0);
    assert!(again.err.contains("\nalready in "), "{}", again.err);
    let (run, dir) = (place.out(), history(&place));
    let add = ["trend", text(&dir), "--add", text(&run)];
    let told = tapecheck(&[&add[..], &["--night", "2026-11-20"]].concat()).ended_with(0);
    assert!(told.out.starts_with("already in "), "{}", told.out);
    assert_eq!(files(&place).len(), 1);
    night(&place, "2026-11-21").ended_with(0);
    let named = ["--night", "2026-11-20", "--config=collection=another"];
    tapecheck(&[&add[..], &named].concat()).ended_with(0);
    assert_eq!(exchanges(&list(&place)), [3, 3, 3], "other nights and collections are others");
}

#[test]
fn the_counts_are_those_of_the_run() {
    let place = Place::new();
    let failing = r#"{"id":"x","server":"maps","tool":"find","scenario":"odd","recorded_at":"2026-11-19T10:00:00Z","input":{},"response":{"isError":true,"content":[{"type":"text","text":"Traceback: boom"}]}}"#;
    place.recording("a.jsonl", lines(&[good("1"), good("2"), failing.to_owned()]));
    night(&place, "2026-11-20").ended_with(0);
    let read = History::open(&history(&place), &Dimension::ALL).expect("a history");
    assert_eq!(read.runs.len(), 1);
    assert_eq!(read.runs[0].night.to_string(), "2026-11-20");
    let shown = |dimension: Dimension| -> Vec<(String, String, String, u32)> {
        let cells = read.cells(dimension);
        let cell = |at: usize| {
            let stratum = read.strata[cells.stratum[at] as usize];
            let day = cells.day[at].map_or_else(String::new, |day| day.to_string());
            let value = cells.values[cells.value[at] as usize].clone();
            (day, read.names.get(stratum.tool).to_owned(), value, cells.count[at])
        };
        (0..cells.count.len()).map(cell).collect()
    };
    let verdicts = place.verdicts();
    let of = |id: &str| verdicts.iter().find(|verdict| verdict["id"] == id).expect("judged");
    let class = |id: &str| of(id)["classification"].as_str().expect("a class").to_owned();
    assert_eq!(
        shown(Dimension::Class),
        [
            (String::new(), "get".to_owned(), class("1"), 2),
            ("2026-11-19".to_owned(), "find".to_owned(), class("x"), 1),
        ]
    );
    let answers = shown(Dimension::Answer);
    assert_eq!(answers.len(), 2);
    assert_eq!((answers[0].2.as_str(), answers[0].3), ("not_asked", 2));
    let issues: Vec<String> = shown(Dimension::IssueType)
        .into_iter()
        .filter(|(_, tool, _, _)| tool == "find")
        .map(|(_, _, issue, _)| issue)
        .collect();
    let mut wanted: Vec<String> = of("x")["issues"]
        .as_array()
        .expect("issues")
        .iter()
        .map(|issue| {
            format!(
                "{} {}",
                issue["severity"].as_str().expect("text"),
                issue["type"].as_str().expect("text")
            )
        })
        .collect();
    wanted.sort();
    wanted.dedup();
    assert_eq!(issues, wanted);
    let signals = of("x")["signals"].as_object().expect("signals");
    let holding = signals.values().filter(|holds| **holds == Value::Bool(true)).count();
    assert_eq!(
        shown(Dimension::Signal).iter().filter(|(_, tool, _, _)| tool == "find").count(),
        holding
    );
    let nights = read.nights(At::Recorded);
    let days: Vec<String> = nights.days.iter().map(ToString::to_string).collect();
    assert_eq!(
        days,
        ["2026-11-19", "2026-11-20"],
        "what has no day stands at the night of the run"
    );
}

#[test]
fn two_processes_may_add_to_one_history_at_once() {
    let place = Place::with_good_recording();
    place.run(&[]).ended_with(0);
    let (run, dir) = (place.out(), history(&place));
    let mut children: Vec<_> = (0..8)
        .map(|number| {
            let day = format!("2026-11-{:02}", 10 + number / 2);
            program()
                .args(["trend", text(&dir), "--add", text(&run), "--night", &day])
                .stdout(Stdio::piped())
                .spawn()
                .expect("the program starts")
        })
        .collect();
    for child in &mut children {
        assert_eq!(child.wait().expect("it ends").code(), Some(0));
    }
    assert_eq!(files(&place).len(), 4, "each night once");
    let listed = list(&place);
    assert_eq!(exchanges(&listed), [3; 4]);
    assert!(!names_in(&dir).iter().any(|name| name.starts_with('.')));
}

#[test]
fn places_that_cannot_hold_a_history_are_refused_before_anything_runs() {
    let place = Place::with_good_recording();
    let (recordings, out) = (place.recordings(), place.out());
    let refused = |dir: &Path, about: &str| {
        place.run(&["--history", text(dir)]).ended_with(2).complaining(about);
        assert!(!out.exists(), "nothing ran");
    };
    refused(&recordings.join("history"), "it would be read as a recording");
    refused(&recordings, "it would be read as a recording");
    refused(&out.join("history"), "the run would replace it");
    refused(&out, "would replace it");
    refused(place.root(), "is inside the history");
    let mine = place.root().join("mine");
    fs::create_dir(&mine).expect("a folder");
    fs::write(mine.join("thesis.txt"), "years of work").expect("a file");
    refused(&mine, "is not a tapecheck history");
    for wrong in [&["--night", "2026-02-30"][..], &["--config=collection= "]] {
        let dir = history(&place);
        let history = ["--history", text(&dir)];
        let arguments = &history[..];
        place.run(&[arguments, wrong].concat()).ended_with(2);
    }
    tapecheck(&["trend", text(&mine), "--list"])
        .ended_with(2)
        .complaining("not a tapecheck history");
    tapecheck(&["trend", text(&mine.join("no")), "--list"]).ended_with(2).complaining("not exist");
    tapecheck(&["trend", text(&history(&place)), "--add", text(&mine)])
        .ended_with(2)
        .complaining("is not a tapecheck run");
}

#[test]
fn a_finished_run_is_not_added_to_a_history_in_its_corpus() {
    let place = Place::with_good_recording();
    place.run(&[]).ended_with(0);
    let (run, dir) = (place.out(), place.recordings().join("history"));
    tapecheck(&["trend", text(&dir), "--add", text(&run)])
        .ended_with(2)
        .complaining("it would be read as a recording");
    assert!(!dir.exists());
}

#[test]
fn a_file_that_is_no_recording_makes_no_other_run() {
    let place = Place::with_good_recording();
    night(&place, "2026-11-20").ended_with(0);
    fs::write(place.recordings().join("picture.png"), [0x89, b'P', b'N', b'G', 0, 1, 2])
        .expect("a file");
    let ran = night(&place, "2026-11-20");
    assert!(ran.err.contains("already in "), "{}", ran.err);
    assert_eq!(files(&place).len(), 1);
}

#[test]
fn an_empty_history_is_a_history() {
    let place = Place::new();
    fs::create_dir(history(&place)).expect("a folder");
    let ran = tapecheck(&["trend", text(&history(&place)), "--list"]).ended_with(0);
    assert!(ran.out.ends_with("has no runs yet\n"), "{}", ran.out);
    place.run(&["--history", text(&history(&place))]).ended_with(3);
    assert!(files(&place).is_empty(), "a run without calls is not added");
}

/// What `DuckDB` and polars make of a history, as it is.
const QUERIES: &str = r#"
import sys
try:
    import duckdb, polars
except ImportError as error:
    print(f"absent: {error}")
    sys.exit()
store = sys.argv[1]
sql = f"select night, sum(n)::bigint from '{store}/*.parquet' where dimension = 'class' group by night order by night"
print(duckdb.sql(sql).fetchall())
classes = polars.scan_parquet(f"{store}/*.parquet").filter(dimension="class")
print(classes.group_by("night").agg(polars.col("n").sum()).sort("night").collect().rows())
"#;

/// What `DuckDB` and polars say of a history; why they cannot be asked where that is so.
pub(crate) fn asked(dir: &Path) -> Result<String, String> {
    let python = std::env::var_os("TAPECHECK_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = std::process::Command::new(&python);
    if command.args(["-c", QUERIES, text(dir)]).output().is_err() {
        return Err("python3 is absent".to_owned());
    }
    let said = finish(&mut command).ended_with(0).out;
    match said.strip_prefix("absent: ") {
        Some(absent) => Err(format!(
            "TAPECHECK_PYTHON names no python with duckdb and polars (absent: {})",
            absent.trim()
        )),
        None => Ok(said),
    }
}

#[test]
fn duckdb_and_polars_read_histories_as_they_are() {
    let place = growing(&["2026-11-19", "2026-11-20"]);
    let answer = "[('2026-11-19', 1), ('2026-11-20', 2)]";
    match asked(&history(&place)) {
        Err(why) => crate::harness::skipped(&why),
        Ok(said) => assert_eq!(said, format!("{answer}\n{answer}\n")),
    }
}

#[test]
fn columns_are_those_that_the_document_describes() {
    let place = growing(&["2026-11-20"]);
    let table = Frame::read(&history(&place).join(&files(&place)[0]));
    let found: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
    let wanted = tapecheck::internals::store::Table::PastCounts.columns();
    assert_eq!(found, wanted.iter().map(|column| column.name).collect::<Vec<_>>());
    let run = &list(&place)["runs"][0];
    for name in ["run", "night", "collection", "version"] {
        assert_eq!(Some(&*table.text(name, 0)), run[name].as_str(), "{name}");
    }
    assert_eq!(table.text("rulebook", 0), "calibrated");
}

#[cfg(unix)]
#[test]
fn links_in_a_history_lead_nowhere() {
    let place = growing(&["2026-11-19", "2026-11-20"]);
    let path = history(&place).join(&files(&place)[0]);
    let outside = place.root().join("outside.parquet");
    fs::rename(&path, &outside).expect("moved");
    std::os::unix::fs::symlink(&outside, &path).expect("a link");
    let listed = list(&place);
    assert_eq!(exchanges(&listed), [2]);
    assert!(notes(&listed)[0].contains("not part of a history"), "{listed}");
    let dir = history(&place);
    tapecheck(&["trend", text(&dir), "--forget", "2026-11-19"]).ended_with(2);
    assert!(outside.exists() && fs::symlink_metadata(&path).is_ok(), "a link is not removed");
}

/// Writes a file of a history that says of itself what is asked for.
fn write_file(path: &Path, format: &str, change: impl FnOnce(&mut Value), counts: &[Count<'_>]) {
    let mut run = serde_json::json!({
        "run": "0123456789ab", "night": "2026-11-21", "started_at": "2026-11-21T03:00:00Z",
        "seconds": 1.0, "collection": "recordings", "corpus_digest": "c", "checks": null,
        "rulebook": { "name": "guide", "digest": "d" }, "version": "0.1.0",
        "exchanges": 7, "unreadable": 0,
    });
    change(&mut run);
    let about = [("tapecheck", format.to_owned()), ("tapecheck_run", run.to_string())]
        .map(|(name, it)| (name.to_owned(), it));
    let file = fs::File::create(path).expect("writable");
    let group = GroupRef { day: "", server: "maps", tool: "find", scenario: None };
    write_cube(file, &[], [(group, counts.to_vec())], about.to_vec()).expect("written");
}

fn counts(n: i64) -> [Count<'static>; 5] {
    let values = [
        (Dimension::Class, "broken"),
        (Dimension::Outcome, "failed"),
        (Dimension::Standing, "broken"),
        (Dimension::Reply, "no_reply"),
        (Dimension::Answer, "not_asked"),
    ];
    values.map(|(dimension, value)| Count { dimension, value, n })
}

const FORMAT: &str = "tapecheck-history/4";

#[test]
fn what_is_damaged_is_named_and_the_rest_is_read() {
    let nights = ["2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19"];
    let place = growing(&nights);
    let dir = history(&place);
    let names = files(&place);
    let bytes = fs::read(dir.join(&names[0])).expect("a file");
    fs::write(dir.join(&names[0]), &bytes[..bytes.len() / 2]).expect("torn");
    let mut damaged = fs::read(dir.join(&names[1])).expect("a file");
    let middle = damaged.len() / 3;
    damaged[4..middle].fill(0xa5);
    fs::write(dir.join(&names[1]), damaged).expect("damaged");
    fs::write(dir.join(&names[2]), "PAR1 no more").expect("something else");
    fs::write(dir.join("notes.txt"), "mine").expect("a file of somebody");
    let own = |name: &str| dir.join(format!("2026-11-21--tapes--{name}.parquet"));
    write_file(&own("whole"), FORMAT, |_| {}, &counts(7));
    write_file(&own("copied"), FORMAT, |_| {}, &counts(7));
    let other = |run: &mut Value| run["run"] = "other".into();
    write_file(&own("fewer"), FORMAT, other, &counts(6));
    write_file(&own("more"), FORMAT, other, &counts(8));
    write_file(&own("negative"), FORMAT, other, &counts(-7));
    write_file(&own("earlier"), "tapecheck-history/3", other, &counts(7));
    write_file(&own("foreign"), "somebody", other, &counts(7));
    write_file(&own("odd"), FORMAT, |run| run["night"] = "no day".into(), &counts(7));
    let listed = list(&place);
    assert_eq!(exchanges(&listed), [4, 7], "{listed:#}");
    let said = |name: &str, about: &str| {
        let is_it = |note: &&str| note.contains(name) && note.contains(about);
        assert!(notes(&listed).iter().any(is_it), "{name} {about}: {listed:#}");
    };
    for name in &names[..3] {
        said(name, "ignored");
    }
    said("notes.txt", "not part of a history");
    said("fewer", "it has 7 calls, but its counts of class add up to 6");
    said("more", "it has unknown counts");
    said("negative", "it has unknown counts");
    said("earlier", "another version wrote it, in the format tapecheck-history/3");
    said("foreign", "it is not a tapecheck file");
    said("odd", "it does not describe a run");
    said("1 file", "a copy of a run");
    let trend = tapecheck(&["trend", text(&dir), "--format=json"]).ended_with(0).out;
    let trend: Value = serde_json::from_str(&trend).expect("JSON");
    assert_eq!(trend["nights"].as_array().map(Vec::len), Some(3), "the rest is shown");
    let failing = tapecheck(&["trend", text(&dir), "--fail-on", "worse"]);
    failing.ended_with(3).complaining(" files of ").complaining("cannot be read");
    // A run that is still at hand mends its file.
    night(&place, "2026-11-19").ended_with(0).complaining("already in ");
    fs::write(dir.join(&names[3]), "PAR1 no more").expect("something else");
    night(&place, "2026-11-19").ended_with(0).complaining("added again");
    night(&place, "2026-11-19").ended_with(0).complaining("already in ");
    // What cannot be read is removed by what its name tells.
    let ran = tapecheck(&["trend", text(&dir), "--forget", "2026-11-16", "--forget", &names[1]])
        .ended_with(0);
    assert_eq!(ran.out.matches("which cannot be read").count(), 1, "{}", ran.out);
    assert!(!dir.join(&names[0]).exists() && !dir.join(&names[1]).exists());
}

#[test]
fn a_file_of_another_format_is_not_replaced() {
    let place = growing(&["2026-11-20"]);
    let path = history(&place).join(&files(&place)[0]);
    write_file(&path, "tapecheck-history/3", |_| {}, &counts(7));
    let before = fs::read(&path).expect("a file");
    night(&place, "2026-11-20").ended_with(3).complaining("is left as it is");
    assert!(fs::read(&path).expect("a file") == before);
}
