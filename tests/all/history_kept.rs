//! Histories over years: what should not count is taken out, and what is odd is said.

use crate::frame::{Cell, Frame};
use crate::harness::{Place, finish, good, lines, program, tapecheck};
use crate::history::{exchanges, files, growing, history, list, night, notes, text};
use serde_json::Value;
use std::fs;
use std::process::{Child, Stdio};
use std::time::Duration;
use tapecheck::internals::recording::Day;
use tapecheck::internals::store::{Cells, Column, ColumnKind, Encoder, PlainColumn, TableReader};
use tapecheck::internals::trend::history::{Naming, Store};

fn day(text: &str) -> Day {
    text.parse().expect("a day")
}

/// The names of the runs, in their order.
fn ids(list: &Value) -> Vec<String> {
    let runs = list["runs"].as_array().expect("runs").iter();
    runs.map(|run| run["run"].as_str().expect("a name").to_owned()).collect()
}

fn remove(place: &Place, more: &[&str]) -> crate::harness::Ran {
    let dir = history(place);
    let mut command = program();
    command.args(["trend", text(&dir)]);
    for word in more {
        match *word {
            "--dry-run" => command.arg(word),
            unwanted => command.arg(format!("--forget={unwanted}")),
        };
    }
    finish(&mut command)
}

#[test]
fn nights_to_come_are_taken_with_a_word() {
    let place = Place::with_good_recording();
    night(&place, "2999-04-05").ended_with(0).complaining("2999-04-05 is in the future");
    place.run(&[]).ended_with(0);
    let (run, dir) = (place.out(), history(&place));
    // A run of a machine whose clock is wrong.
    let manifest = run.join("manifest.json");
    let mut told: Value =
        serde_json::from_slice(&fs::read(&manifest).expect("a file")).expect("JSON");
    told["wall"]["started_at"] = "2999-06-07T00:00:00Z".into();
    fs::write(&manifest, told.to_string()).expect("writable");
    let add = ["trend", text(&dir), "--add", text(&run)];
    let added = tapecheck(&add);
    added.ended_with(0).complaining("2999-06-07 is in the future").complaining("--forget");
    assert_eq!(exchanges(&list(&place)), [3, 3]);
}

#[test]
fn a_night_that_was_to_come_is_named_and_can_be_put_right() {
    let place = growing(&["2026-11-19"]);
    let store = Store::open(&history(&place)).expect("a history");
    let naming = Naming { night: Some(day("2062-04-05")), ..Naming::default() };
    store.add(&place.out(), &naming).expect("added");
    let listed = list(&place);
    let said = notes(&listed).into_iter().find(|note| note.contains("is for 2062-04-05"));
    assert!(said.expect("a note").contains("(1 run like this)"), "{listed}");
    remove(&place, &["2062-04-05"]).ended_with(0);
    night(&place, "2026-11-20").ended_with(0);
    let listed = list(&place);
    assert_eq!((exchanges(&listed), notes(&listed).len()), (vec![1, 1], 0), "{listed}");
}

#[test]
fn runs_are_taken_out_by_night_or_by_name_and_can_be_added_again() {
    let place = growing(&["2026-11-18", "2026-11-19", "2026-11-20"]);
    let before = files(&place);
    let first = ids(&list(&place)).remove(0);
    let ran = remove(&place, &["2026-11-20", &first, "--dry-run"]).ended_with(0);
    let said: Vec<&str> = ran.out.lines().collect();
    assert_eq!(said.len(), 2, "{}", ran.out);
    assert!(said[0].contains("would be removed from"), "{}", ran.out);
    assert!(said[0].contains(&format!("run {first} of 2026-11-18")), "{}", ran.out);
    assert!(said[1].contains("of 2026-11-20"), "{}", ran.out);
    assert_eq!(files(&place), before, "nothing was done");
    let ran = remove(&place, &["2026-11-20", &first]).ended_with(0);
    assert_eq!(ran.out, said.join("\n").replace("would be removed", "removed") + "\n");
    assert_eq!(exchanges(&list(&place)), [2]);
    let added = night(&place, "2026-11-20").ended_with(0);
    assert!(added.err.contains("added to "), "{}", added.err);
    let listed = list(&place);
    assert_eq!(exchanges(&listed), [2, 3]);
    assert!(notes(&listed).is_empty(), "{listed}");
}

#[test]
fn what_is_not_there_or_not_ours_is_not_removed() {
    let place = growing(&["2026-11-18", "2026-11-19"]);
    let before = files(&place);
    let unknown = remove(&place, &["2026-11-18", "2026-11-30"]).ended_with(2);
    unknown.complaining("has no run or night 2026-11-30").complaining("--list");
    remove(&place, &["run-of-mine"]).ended_with(2).complaining("has no run or night run-of-mine");
    remove(&place, &["2026-11-31"]).ended_with(2).complaining("expected a day");
    assert_eq!(files(&place), before);
    tapecheck(&["trend", text(&place.recordings()), "--forget", "2026-11-18"])
        .ended_with(2)
        .complaining("is not a tapecheck history");
    let away = place.root().join("away");
    tapecheck(&["trend", text(&away), "--forget", "2026-11-18"])
        .ended_with(2)
        .complaining("does not exist");
    assert!(!away.exists());
}

/// An exchange of a day.
fn dated(id: &str, day: &str) -> String {
    good(id).replacen('{', &format!(r#"{{"recorded_at":"{day}T10:00:00Z","#), 1)
}

#[test]
fn exchanges_that_a_day_of_a_collection_passes_over_are_told() {
    let place = Place::new();
    let recording = |name: &str, day: &str| {
        let of_day = |number: u32| dated(&format!("{name}-{number}"), "2026-11-19");
        place.recording("of-the-day.jsonl", lines(&[of_day(1), of_day(2)]));
        night(&place, day).ended_with(0);
    };
    recording("morning", "2026-11-20");
    assert!(notes(&list(&place)).is_empty());
    recording("evening", "2026-11-21");
    let listed = list(&place);
    assert!(notes(&listed)[0].starts_with("2 calls of 1 run are not counted"), "{listed}");
    assert!(notes(&listed)[0].contains("different collection names"));
    let trend = tapecheck(&["trend", text(&history(&place)), "--format=json"]).ended_with(0);
    assert!(trend.out.contains("2 calls of 1 run are not counted"), "{}", trend.out);
    // The same recordings classified by another rulebook are the same exchanges.
    place.run(&[
        "--history",
        text(&history(&place)),
        "--night",
        "2026-11-22",
        "--rulebook",
        "calibrated",
    ]);
    let listed = list(&place);
    assert!(notes(&listed)[0].starts_with("2 calls of 1 run are"), "{listed}");
}

#[test]
fn row_groups_of_any_length_read_back() {
    const ROWS: u32 = 300_001;
    let columns = [
        ("int", ColumnKind::Int),
        ("few", ColumnKind::Int),
        ("text", ColumnKind::Text),
        ("flag", ColumnKind::Bool),
        ("float", ColumnKind::Float),
    ]
    .map(|(name, kind)| Column { name, kind, may_be_empty: kind != ColumnKind::Int });
    let mut texts = PlainColumn::default();
    (0..ROWS).for_each(|row| texts.push(Some(&format!("text {row}"))));
    let encoder = Encoder::new(&columns).expect("plain columns");
    let ints = || (0..i64::from(ROWS)).map(|row| row * 3).collect::<Vec<i64>>();
    let group = encoder.encode(vec![
        Cells::Ints(ints()),
        Cells::DistinctNumbers {
            values: (0..7).collect(),
            rows: (0..ROWS).map(|row| row % 7).collect(),
        },
        Cells::Texts(texts),
        Cells::Flags((0..ROWS).map(|row| (row % 3 > 0).then_some(row % 2 > 0)).collect()),
        Cells::Floats((0..ROWS).map(|row| Some(f64::from(row))).collect()),
    ]);
    let mut file = encoder.start(Vec::new());
    file.append(&group.expect("one page a column")).expect("in memory");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("verdicts.parquet");
    fs::write(&path, file.finish().expect("in memory")).expect("writable");
    let mut ours = TableReader::open_file(&path).expect("a table");
    assert!(ours.ints(0, "int").expect("ours reads it") == ints());
    let table = Frame::read(&path);
    let are = |name, ints: Vec<i64>| {
        table.column(name).cells.iter().eq(&ints.into_iter().map(Cell::Int).collect::<Vec<_>>())
    };
    assert!(are("int", ints()));
    assert!(are("few", (0..i64::from(ROWS)).map(|row| row % 7).collect()));
    assert_eq!(table.text("text", ROWS as usize - 1), "text 300000");
}

#[test]
fn processes_that_are_killed_at_any_moment_tear_nothing_and_count_nothing_twice() {
    let place = Place::with_good_recording();
    place.run(&[]).ended_with(0);
    let (run, dir) = (place.out(), history(&place));
    let nights: Vec<String> = (10..16).map(|day| format!("2026-11-{day}")).collect();
    let start = |arguments: &[&str]| -> Child {
        program()
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts")
    };
    let add = |night: &str| start(&["trend", text(&dir), "--add", text(&run), "--night", night]);
    let kill = |mut child: Child, after: u64| {
        std::thread::sleep(Duration::from_millis(after));
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
    };
    add(&nights[0]).wait().expect("it ends");
    for round in 0..24_u64 {
        let after = 5 + round * 7 % 90;
        let night = &nights[usize::try_from(round % 6).expect("few")];
        let (one, other) = (add(night), add(night));
        let third = match round % 2 {
            0 => start(&["trend", text(&dir), "--forget", "2026-11-10"]),
            _ => add(&nights[0]),
        };
        kill(one, after);
        kill(third, after / 2);
        drop(other.wait_with_output());
        let listed = list(&place);
        assert_eq!(notes(&listed), [""; 0], "after round {round}");
        let mut names = ids(&listed);
        names.sort();
        names.dedup();
        assert_eq!(names.len(), ids(&listed).len(), "{listed}");
    }
    for night in &nights {
        assert!(add(night).wait().expect("it ends").success());
    }
    let listed = list(&place);
    assert_eq!(exchanges(&listed), [3; 6]);
    assert!(notes(&listed).is_empty(), "{listed}");
}
