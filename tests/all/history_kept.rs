//! Histories over years: what should not count is taken out, and what is odd is said.

use crate::harness::{Place, good, lines, program, tapecheck};
use crate::history::{asked, exchanges, growing, history, list, night, notes, partitions, text};
use polars::prelude::{ParquetReader, SerReader as _};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;
use tapecheck::history::{History, Measure, Naming, Store};
use tapecheck::report::{
    Cell, Cells, Column, ColumnKind, Encoder, Presence, Table, TableFile, TableReader, Texts,
};
use tapecheck::tape::Day;

fn day(text: &str) -> Day {
    Day::parse(text).expect("a day")
}

/// The names of the runs, in their order.
fn ids(list: &Value) -> Vec<String> {
    let runs = list["runs"].as_array().expect("runs").iter();
    runs.map(|run| run["run"].as_str().expect("a name").to_owned()).collect()
}

fn remove(place: &Place, more: &[&str]) -> crate::harness::Ran {
    let dir = history(place);
    tapecheck(&[&["history", "remove", text(&dir)], more].concat())
}

#[test]
fn nights_to_come_are_taken_with_a_word() {
    let place = Place::with_good_tape();
    night(&place, "2999-04-05").ended_with(0).complaining("2999-04-05 is still to come");
    place.run(&[]).ended_with(0);
    let (run, dir) = (place.out(), history(&place));
    // A run of a machine whose clock is wrong.
    let manifest = run.join("manifest.json");
    let mut told: Value =
        serde_json::from_slice(&fs::read(&manifest).expect("a file")).expect("JSON");
    told["wall"]["started_at"] = "2999-06-07T00:00:00Z".into();
    fs::write(&manifest, told.to_string()).expect("writable");
    let add = ["history", "add", text(&run), "--history", text(&dir)];
    let added = tapecheck(&add);
    added.ended_with(0).complaining("2999-06-07 is still to come").complaining("history remove");
    assert_eq!(exchanges(&list(&place)), [3, 3]);
}

#[test]
fn a_night_that_was_to_come_is_named_and_can_be_put_right() {
    let place = growing(&["2026-11-19"]);
    let store = Store::open(&history(&place)).expect("a history");
    let naming = Naming { night: Some(day("2062-04-05")), ..Naming::default() };
    store.add(&place.out(), &naming).expect("added");
    let listed = list(&place);
    let said = notes(&listed).into_iter().find(|note| note.contains("speaks for 2062-04-05"));
    assert!(said.expect("a note").contains("(1 run like this)"), "{listed}");
    remove(&place, &["2062-04-05"]).ended_with(0);
    night(&place, "2026-11-20").ended_with(0);
    let listed = list(&place);
    assert_eq!((exchanges(&listed), notes(&listed).len()), (vec![1, 1], 0), "{listed}");
}

#[test]
fn runs_are_taken_out_by_night_or_by_name_and_can_be_added_again() {
    let place = growing(&["2026-11-18", "2026-11-19", "2026-11-20"]);
    let before = partitions(&place);
    let first = ids(&list(&place)).remove(0);
    let ran = remove(&place, &["2026-11-20", &first, "--dry-run"]).ended_with(0);
    let said: Vec<&str> = ran.out.lines().collect();
    assert_eq!(said.len(), 2, "{}", ran.out);
    assert!(said[0].contains("would be removed from"), "{}", ran.out);
    assert!(said[0].contains(&format!("run {first} of 2026-11-18")), "{}", ran.out);
    assert!(said[1].contains("of 2026-11-20"), "{}", ran.out);
    assert_eq!(partitions(&place), before, "nothing was done");
    let ran = remove(&place, &["2026-11-20", &first]).ended_with(0);
    assert_eq!(ran.out, said.join("\n").replace("would be removed", "removed") + "\n");
    assert_eq!(exchanges(&list(&place)), [2]);
    let added = night(&place, "2026-11-20").ended_with(0);
    assert!(added.err.starts_with("added to "), "{}", added.err);
    let listed = list(&place);
    assert_eq!(exchanges(&listed), [2, 3]);
    assert!(notes(&listed).is_empty(), "the order in which runs were added is known: {listed}");
    let numbers: Vec<u64> = listed["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .map(|run| run["number"].as_u64().expect("a number"))
        .collect();
    assert_eq!(numbers, [1, 2]);
}

#[test]
fn runs_are_taken_out_of_those_that_were_put_together() {
    let place = growing(&["2026-11-18", "2026-11-19", "2026-11-20"]);
    let dir = history(&place);
    tapecheck(&["history", "compact", text(&dir)]).ended_with(0);
    let all = list(&place);
    let ran = remove(&place, &[&ids(&all)[1]]).ended_with(0);
    assert!(ran.out.contains("of 2026-11-19"), "{}", ran.out);
    assert_eq!(exchanges(&list(&place)), [1, 3]);
    let left = partitions(&place);
    assert!(left.len() == 1 && left[0].starts_with("compacted-2026-11-18-2026-11-20-"), "{left:?}");
    let read = History::open(&dir, &Measure::ALL).expect("a history");
    for measure in [Measure::Class, Measure::Answer] {
        assert_eq!(read.cells(measure).count.iter().sum::<u32>(), 4, "{measure:?}");
    }
    remove(&place, &["2026-11-18", "2026-11-20"]).ended_with(0);
    assert!(partitions(&place).is_empty());
    night(&place, "2026-11-20").ended_with(0);
    assert_eq!(exchanges(&list(&place)), [3]);
}

#[test]
fn a_removal_that_was_killed_is_finished_by_the_next() {
    let place = growing(&["2026-11-18", "2026-11-19"]);
    let dir = history(&place);
    tapecheck(&["history", "compact", text(&dir)]).ended_with(0);
    let old = partitions(&place).remove(0);
    let kept = place.root().join("kept");
    copy(&dir.join(&old), &kept);
    remove(&place, &["2026-11-18"]).ended_with(0);
    // As if it had been killed when the new folder stood there and the old one did too.
    copy(&kept, &dir.join(&old));
    assert_eq!(exchanges(&list(&place)), [1, 2]);
    remove(&place, &["2026-11-18"]).ended_with(0);
    assert_eq!(exchanges(&list(&place)), [2]);
    assert_eq!(partitions(&place).len(), 1);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}

#[test]
fn what_is_not_there_or_not_ours_is_not_removed() {
    let place = growing(&["2026-11-18", "2026-11-19"]);
    let dir = history(&place);
    let before = partitions(&place);
    let unknown = remove(&place, &["2026-11-18", "2026-11-30"]).ended_with(2);
    unknown.complaining("holds no run of the night 2026-11-30").complaining("history list");
    remove(&place, &["run-of-mine"]).ended_with(2).complaining("holds no run called run-of-mine");
    remove(&place, &["2026-11-31"]).ended_with(2).complaining("a day of the calendar");
    remove(&place, &[]).ended_with(2);
    let mine = dir.join(&before[0]).join("thesis.txt");
    fs::write(&mine, "years of work").expect("a file of somebody");
    remove(&place, &["2026-11-18", "2026-11-19"]).ended_with(3).complaining("it holds thesis.txt");
    let compacted = tapecheck(&["history", "compact", text(&dir)]).ended_with(0);
    compacted.complaining("left as it is: it holds thesis.txt");
    assert_eq!(partitions(&place), before);
    assert_eq!(fs::read_to_string(&mine).expect("still there"), "years of work");
    tapecheck(&["history", "remove", text(&place.tapes()), "2026-11-18"])
        .ended_with(2)
        .complaining("is not a history");
    let away = place.root().join("away");
    tapecheck(&["history", "remove", text(&away), "2026-11-18"])
        .ended_with(2)
        .complaining("does not exist");
    assert!(!away.exists());
}

#[cfg(unix)]
#[test]
fn links_are_not_removed() {
    let place = growing(&["2026-11-18", "2026-11-19"]);
    let dir = history(&place);
    let name = partitions(&place).remove(0);
    let outside = place.root().join("outside");
    fs::rename(dir.join(&name), &outside).expect("moved");
    std::os::unix::fs::symlink(&outside, dir.join(&name)).expect("a link");
    remove(&place, &["2026-11-18"]).ended_with(2);
    remove(&place, &[&name]).ended_with(2);
    assert_eq!(fs::read_dir(&outside).expect("still there").count(), 6);
}

/// An exchange of a day.
fn dated(id: &str, day: &str) -> String {
    good(id).replacen('{', &format!(r#"{{"recorded_at":"{day}T10:00:00Z","#), 1)
}

#[test]
fn two_tapes_of_one_day_with_as_many_exchanges_are_said_to_be_in_doubt() {
    let place = Place::new();
    let tape = |name: &str| {
        let of_day = |number: u32| dated(&format!("{name}-{number}"), "2026-11-19");
        place.tape("of-the-day.jsonl", lines(&[of_day(1), of_day(2)]));
        night(&place, "2026-11-20").ended_with(0);
    };
    tape("morning");
    assert!(notes(&list(&place)).is_empty());
    tape("evening");
    let listed = list(&place);
    let said: Vec<&str> = notes(&listed)
        .into_iter()
        .filter(|note| note.starts_with("2 exchanges of 1 older run do not count"))
        .collect();
    assert_eq!(said.len(), 1, "{listed}");
    assert!(said[0].contains("whether it judged the same tapes or others cannot be told"));
    assert!(said[0].contains("--collection"));
    let trend = tapecheck(&["trend", text(&history(&place)), "--json"]).ended_with(0);
    assert!(trend.out.contains(said[0]), "{}", trend.out);
    // The same tapes judged by another rulebook are in no doubt.
    place.run(&[
        "--history",
        text(&history(&place)),
        "--night",
        "2026-11-20",
        "--rulebook",
        "calibrated",
    ]);
    let listed = list(&place);
    assert!(notes(&listed)[0].starts_with("2 exchanges of 1 older run"), "{listed}");
}

#[test]
fn tables_that_no_view_needs_are_looked_at_too_and_all_of_them_are_named() {
    let place = growing(&["2026-11-18", "2026-11-19", "2026-11-20"]);
    let dir = history(&place);
    let names = partitions(&place);
    let file = |run: usize, table: &str| dir.join(&names[run]).join(table);
    fs::write(file(0, "facts.parquet"), "PAR1 no more").expect("torn");
    fs::remove_file(file(0, "answers.parquet")).expect("lost");
    fs::copy(file(1, "answers.parquet"), file(2, "answers.parquet")).expect("of another run");
    let listed = list(&place);
    assert_eq!(exchanges(&listed), [1, 2, 3], "they count where these tables are not needed");
    let said = |name: &str, about: &str| {
        assert!(
            notes(&listed).iter().any(|note| note.contains(name) && note.contains(about)),
            "{about}: {listed:#}"
        );
    };
    said(&names[0], "cannot read facts.parquet");
    said(&names[0], "cannot read answers.parquet");
    said(&names[2], "answers.parquet has a run that runs.parquet does not know");
    said("2 folders cannot be read as a whole", &format!("history remove {}", dir.display()));
    let trend = |by: &str| tapecheck(&["trend", text(&dir), "--by", by]).ended_with(0).out;
    assert!(trend("fact").contains("passed over"), "{}", trend("fact"));
    // The run that is still at hand mends its folder; the other is taken out.
    night(&place, "2026-11-20").ended_with(0).complaining("added anew");
    remove(&place, &["2026-11-18"]).ended_with(0);
    let listed = list(&place);
    assert_eq!((exchanges(&listed), notes(&listed).len()), (vec![2, 3], 0), "{listed}");
}

/// The trend of a history, as an object.
fn shown_by(dir: &Path, by: &str) -> Value {
    let ran = tapecheck(&["trend", text(dir), "--by", by, "--json"]).ended_with(0);
    serde_json::from_str(&ran.out).expect("one object")
}

#[test]
fn tables_that_do_not_add_up_are_passed_over_by_all_that_need_them() {
    let place = growing(&["2026-11-19", "2026-11-20"]);
    let dir = history(&place);
    let run = ids(&list(&place)).remove(1);
    let folder = dir.join(partitions(&place).remove(1));
    for (measure, by) in [(Measure::Answer, "answer"), (Measure::IssueType, "issue_type")] {
        let table = measure.place().0;
        let path = folder.join(format!("{}.parquet", table.name()));
        fs::remove_file(&path).expect("there");
        let mut file = TableFile::create_in(&folder, table).expect("writable");
        file.push(&[
            run.as_str().into(),
            "2026-11-20".into(),
            "2026-11-20".into(),
            "maps".into(),
            "find".into(),
            Cell::Empty,
            "tool_failure".into(),
            40_u64.into(),
        ])
        .expect("room");
        file.finish().expect("whole");
        let shown = shown_by(&dir, by);
        let said = notes(&shown).into_iter().find(|note| note.contains("speaks of 2 exchanges"));
        assert!(said.expect("a note").contains("has 40"), "{shown}");
        assert_eq!(shown["nights"].as_array().map(Vec::len), Some(1), "the other is shown");
        let listed = list(&place);
        let told = notes(&listed).into_iter().any(|note| {
            note.contains("has 40; what needs") && note.contains("passes the folder over")
        });
        assert!(told, "the list tells of all tables, by the same check: {listed}");
        let ran = tapecheck(&["history", "compact", text(&dir)]).ended_with(0);
        assert_eq!(ran.out, "nothing to put together\n", "damage is not spread");
        // The run is still there: adding it again mends it.
        night(&place, "2026-11-20").ended_with(0);
        assert_eq!(notes(&shown_by(&dir, by)), Vec::<String>::new());
    }
}

#[test]
fn a_copy_that_is_removed_is_not_told_to_be_the_run() {
    let place = growing(&["2026-11-18", "2026-11-19"]);
    let dir = history(&place);
    let old = partitions(&place).remove(0);
    let kept = place.root().join("kept");
    copy(&dir.join(&old), &kept);
    tapecheck(&["history", "compact", text(&dir)]).ended_with(0);
    copy(&kept, &dir.join(&old));
    let ran = remove(&place, &[&old]).ended_with(0);
    assert!(ran.out.contains("a copy of run"), "{}", ran.out);
    assert!(ran.out.contains("which stands in another folder too"), "{}", ran.out);
    assert_eq!(exchanges(&list(&place)), [1, 2]);
}

#[test]
fn what_was_put_together_and_is_torn_is_mended_run_by_run() {
    let place = growing(&["2026-11-19", "2026-11-20"]);
    let dir = history(&place);
    tapecheck(&["history", "compact", text(&dir)]).ended_with(0);
    let torn = partitions(&place).remove(0);
    fs::write(dir.join(&torn).join("facts.parquet"), "PAR1 no more").expect("torn");
    remove(&place, &["2026-11-20"]).ended_with(3).complaining("cannot read facts.parquet");
    night(&place, "2026-11-20").ended_with(0).complaining("added anew");
    night(&place, "2026-11-20").ended_with(0).complaining("already in");
    assert_eq!(exchanges(&list(&place)), [1, 2], "each counts once");
    // Not even its runs can be told.
    fs::write(dir.join(&torn).join("runs.parquet"), "PAR1 no more").expect("torn");
    let ran = remove(&place, &[&torn]).ended_with(0);
    assert!(ran.out.contains(&format!("the folder {torn}, which cannot be read")), "{}", ran.out);
    let listed = list(&place);
    assert_eq!((exchanges(&listed), notes(&listed).len()), (vec![2], 0), "{listed}");
}

/// Rows of the tables of a history that is put together from three folders.
const ROWS: u32 = 110_000;

/// A folder of a history, as the program would write it for a run with so many tools.
fn large_partition(dir: &Path, night: &str, number: u64) -> PathBuf {
    let id = format!("{number:012x}");
    let folder = dir.join(format!("run-{night}-{id}"));
    fs::create_dir_all(&folder).expect("a folder");
    let mut runs = TableFile::create_in(&folder, Table::PastRuns).expect("writable");
    let at = format!("{night}T03:00:00Z");
    runs.push(&[
        id.as_str().into(),
        number.into(),
        night.into(),
        at.as_str().into(),
        at.as_str().into(),
        "tapes".into(),
        id.as_str().into(),
        "guide".into(),
        "digest".into(),
        Cell::Empty,
        "0.1.0".into(),
        u64::from(ROWS).into(),
        0_u64.into(),
    ])
    .expect("room");
    runs.finish_with(&[("tapecheck", "tapecheck-history/1")]).expect("whole");
    for measure in Measure::ALL {
        let mut file = TableFile::create_in(&folder, measure.place().0).expect("writable");
        let (tools, of_each) = match measure {
            Measure::Class | Measure::Fact => (ROWS, 1),
            Measure::Answer | Measure::IssueType | Measure::ErrorKind => (1, ROWS),
        };
        for tool in 0..tools {
            file.push(&[
                id.as_str().into(),
                night.into(),
                night.into(),
                "maps".into(),
                format!("tool-{tool}").as_str().into(),
                Cell::Empty,
                "not_asked".into(),
                u64::from(of_each).into(),
            ])
            .expect("room");
        }
        file.finish().expect("whole");
    }
    folder
}

#[test]
fn very_many_rows_are_put_together_and_read_back_the_same() {
    let place = Place::new();
    let dir = history(&place);
    let nights = ["2026-11-18", "2026-11-19", "2026-11-20"];
    for (night, number) in nights.iter().zip(0..) {
        large_partition(&dir, night, number);
    }
    let told = || {
        let read = History::open(&dir, &Measure::ALL).expect("a history");
        assert!(read.notes.is_empty(), "{:?}", read.notes);
        Measure::ALL.map(|measure| {
            let cells = read.cells(measure);
            let tool =
                |stratum: &u32| read.names.get(read.strata[*stratum as usize].tool).to_owned();
            let tools: Vec<String> = cells.stratum.iter().map(tool).collect();
            (cells.run.clone(), cells.day.clone(), tools, cells.count.clone())
        })
    };
    let trend = || tapecheck(&["trend", text(&dir), "--json"]).ended_with(0).out;
    let before = (told(), trend());
    assert_eq!(before.0[0].0.len(), 3 * ROWS as usize);
    tapecheck(&["history", "compact", text(&dir)]).ended_with(0);
    assert_eq!(partitions(&place).len(), 1);
    assert!((told(), trend()) == before, "counts are others than before");
    match asked(&dir) {
        Err(why) => crate::harness::skipped(&why),
        Ok(said) => {
            let answer = nights.map(|night| format!("('{night}', {ROWS})")).join(", ");
            assert_eq!(said, format!("[{answer}]\n[{answer}]\n"));
        }
    }
    remove(&place, &["2026-11-19"]).ended_with(0);
    assert_eq!(exchanges(&list(&place)), [u64::from(ROWS); 2]);
}

#[test]
fn row_groups_of_any_length_read_back() {
    const ROWS: u32 = 300_001;
    let column = |name: &'static str, kind, presence| Column {
        name: name.into(),
        kind,
        presence,
        about: "A column.".into(),
    };
    let columns = [
        column("int", ColumnKind::Int, Presence::Always),
        column("few", ColumnKind::Int, Presence::Always),
        column("text", ColumnKind::Text, Presence::Sometimes),
        column("flag", ColumnKind::Bool, Presence::Sometimes),
        column("float", ColumnKind::Float, Presence::Sometimes),
    ];
    let mut texts = Texts::default();
    (0..ROWS).for_each(|row| texts.push(&format!("text {row}")));
    let encoder = Encoder::new(&columns).expect("plain columns");
    let ints = || (0..i64::from(ROWS)).map(|row| row * 3).collect::<Vec<i64>>();
    let group = encoder.encode(vec![
        Cells::Ints(ints()),
        Cells::DistinctInts {
            values: (0..7).collect(),
            rows: (0..ROWS).map(|row| row % 7).collect(),
        },
        Cells::Texts { texts, present: None },
        Cells::Flags((0..ROWS).map(|row| (row % 3 > 0).then_some(row % 2 > 0)).collect()),
        Cells::Floats((0..ROWS).map(|row| Some(f64::from(row))).collect()),
    ]);
    let mut file = encoder.start(Vec::new()).expect("in memory");
    file.append(&group.expect("one page a column")).expect("in memory");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("verdicts.parquet");
    fs::write(&path, file.finish().expect("in memory")).expect("writable");
    let mut ours = TableReader::open_file(&path).expect("a table");
    assert!(ours.ints(0, "int").expect("ours reads it") == ints());
    let table = ParquetReader::new(fs::File::open(&path).expect("a file")).finish();
    let table = table.expect("polars reads it");
    let read: Vec<Option<i64>> = table["int"].i64().expect("whole numbers").iter().collect();
    assert!(read.into_iter().flatten().eq(ints()));
    let few: Vec<Option<i64>> = table["few"].i64().expect("whole numbers").iter().collect();
    assert!(few.into_iter().flatten().eq((0..i64::from(ROWS)).map(|row| row % 7)));
    let last = table["text"].str().expect("texts").get(ROWS as usize - 1);
    assert_eq!(last, Some("text 300000"));
}

#[test]
fn processes_that_are_killed_at_any_moment_tear_nothing_and_count_nothing_twice() {
    let place = Place::with_good_tape();
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
    let add = |night: &str| {
        start(&["history", "add", text(&run), "--history", text(&dir), "--night", night])
    };
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
        let third = match round % 3 {
            0 => start(&["history", "compact", text(&dir)]),
            1 => start(&["history", "remove", text(&dir), "2026-11-10"]),
            _ => add(&nights[0]),
        };
        kill(one, after);
        kill(third, after / 2);
        drop(other.wait_with_output());
        let listed = list(&place);
        let torn = notes(&listed).into_iter().find(|note| !note.contains("counts once"));
        assert_eq!(torn, None, "after round {round}");
        let mut names = ids(&listed);
        names.sort();
        names.dedup();
        assert_eq!(names.len(), ids(&listed).len(), "{listed}");
    }
    for night in &nights {
        assert!(add(night).wait().expect("it ends").success());
    }
    tapecheck(&["history", "compact", text(&dir)]).ended_with(0);
    let listed = list(&place);
    assert_eq!(exchanges(&listed), [3; 6]);
    assert!(notes(&listed).is_empty(), "{listed}");
}
