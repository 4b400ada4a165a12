//! Histories: runs leave their counts in them, each once, and whatever cannot be read is named.

use crate::harness::{Place, Ran, finish, good, lines, program, tapecheck};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tapecheck::history::{At, History, Measure};

/// Where a place's history is.
pub(crate) fn history(place: &Place) -> PathBuf {
    place.root().join("history")
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Judges the tapes of a place and adds the run to its history.
pub(crate) fn night(place: &Place, night: &str) -> Ran {
    let dir = history(place);
    place.run(&["--history", text(&dir), "--night", night])
}

/// A place whose history has these nights, each with one exchange more than the one before.
pub(crate) fn growing(nights: &[&str]) -> Place {
    let place = Place::new();
    let mut tape = Vec::new();
    for (number, day) in nights.iter().enumerate() {
        tape.push(good(&format!("good-{number}")));
        place.tape("good.jsonl", lines(&tape));
        night(&place, day).ended_with(0);
    }
    place
}

/// The partitions of a history, by name.
pub(crate) fn partitions(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(history(place)).expect("a history");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into())
        .collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

pub(crate) fn list(place: &Place) -> Value {
    let ran = tapecheck(&["history", "list", text(&history(place)), "--json"]).ended_with(0);
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
    let place = Place::with_good_tape();
    let first = night(&place, "2026-11-20").ended_with(0);
    assert!(first.err.starts_with("added to "), "{}", first.err);
    let again = night(&place, "2026-11-20").ended_with(0);
    assert!(again.err.starts_with("already in "), "{}", again.err);
    let (run, dir) = (place.out(), history(&place));
    let add = ["history", "add", text(&run), "--history", text(&dir)];
    let told = tapecheck(&[&add[..], &["--night", "2026-11-20"]].concat()).ended_with(0);
    assert!(told.out.starts_with("already in "), "{}", told.out);
    assert_eq!(partitions(&place).len(), 1);
    night(&place, "2026-11-21").ended_with(0);
    let named = ["--night", "2026-11-20", "--collection", "another"];
    tapecheck(&[&add[..], &named].concat()).ended_with(0);
    assert_eq!(exchanges(&list(&place)), [3, 3, 3], "other nights and collections are others");
}

#[test]
fn the_counts_are_those_of_the_run() {
    let place = Place::new();
    let failing = r#"{"id":"x","server":"maps","tool":"find","scenario":"odd","recorded_at":"2026-11-19T10:00:00Z","input":{},"response":{"isError":true,"content":[{"type":"text","text":"Traceback: boom"}]}}"#;
    place.tape("a.jsonl", lines(&[good("1"), good("2"), failing.to_owned()]));
    night(&place, "2026-11-20").ended_with(0);
    let read = History::open(&history(&place), &Measure::ALL).expect("a history");
    assert_eq!(read.runs.len(), 1);
    assert_eq!(read.runs[0].night.to_string(), "2026-11-20");
    let shown = |measure: Measure| -> Vec<(String, String, String, u32)> {
        let cells = read.cells(measure);
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
        shown(Measure::Class),
        [
            (String::new(), "get".to_owned(), class("1"), 2),
            ("2026-11-19".to_owned(), "find".to_owned(), class("x"), 1),
        ]
    );
    let answers = shown(Measure::Answer);
    assert_eq!(answers.len(), 2);
    assert_eq!((answers[0].2.as_str(), answers[0].3), ("not_asked", 2));
    let issues: Vec<String> = shown(Measure::IssueType)
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
    let facts = of("x")["facts"].as_object().expect("facts");
    let holding = facts.values().filter(|holds| **holds == Value::Bool(true)).count();
    assert_eq!(
        shown(Measure::Fact).iter().filter(|(_, tool, _, _)| tool == "find").count(),
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
fn runs_put_together_say_the_same() {
    let place = growing(&["2026-11-18", "2026-11-19", "2026-11-20"]);
    let dir = history(&place);
    let before = list(&place);
    let read = || History::open(&dir, &Measure::ALL).expect("a history");
    let cells = |history: &History| {
        let cells = history.cells(Measure::Class);
        (cells.run.clone(), cells.count.clone(), cells.values.clone())
    };
    let told = cells(&read());
    let ran = tapecheck(&["history", "compact", text(&dir)]).ended_with(0);
    assert!(
        ran.out
            .starts_with("3 runs in 3 folders put together into compacted-2026-11-18-2026-11-20-")
    );
    assert_eq!(partitions(&place).len(), 1);
    assert_eq!((list(&place), cells(&read())), (before, told));
    let again = tapecheck(&["history", "compact", text(&dir)]).ended_with(0);
    assert_eq!(again.out, "nothing to put together\n");
    let ran = night(&place, "2026-11-20").ended_with(0);
    assert!(ran.err.starts_with("already in "), "{}", ran.err);
    night(&place, "2026-11-21").ended_with(0);
    tapecheck(&["history", "compact", text(&dir)]).ended_with(0);
    assert_eq!(exchanges(&list(&place)), [1, 2, 3, 3]);
}

#[test]
fn a_compaction_that_was_killed_counts_nothing_twice() {
    let place = growing(&["2026-11-18", "2026-11-19"]);
    let dir = history(&place);
    let kept = place.root().join("kept");
    let copy = |from: &Path, to: &Path| {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder") {
            let entry = entry.expect("an entry");
            fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
        }
    };
    let run = partitions(&place).remove(0);
    copy(&dir.join(&run), &kept);
    tapecheck(&["history", "compact", text(&dir)]).ended_with(0);
    copy(&kept, &dir.join(&run));
    let listed = list(&place);
    assert_eq!(exchanges(&listed), [1, 2]);
    assert!(notes(&listed).iter().any(|note| note.contains("counts once")), "{listed}");
    tapecheck(&["history", "compact", text(&dir)]).ended_with(0);
    assert_eq!(partitions(&place).len(), 1);
    assert!(notes(&list(&place)).is_empty());
}

#[test]
fn what_is_torn_is_named_and_the_rest_is_read() {
    let nights = ["2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20"];
    let place = growing(&nights);
    let dir = history(&place);
    let names = partitions(&place);
    let file = |run: usize, table: &str| dir.join(&names[run]).join(table);
    let bytes = fs::read(file(0, "classes.parquet")).expect("a table");
    fs::write(file(0, "classes.parquet"), &bytes[..bytes.len() / 2]).expect("torn");
    fs::remove_file(file(1, "classes.parquet")).expect("lost");
    fs::write(file(2, "runs.parquet"), "PAR1 no more").expect("something else");
    fs::copy(file(4, "classes.parquet"), file(3, "classes.parquet")).expect("of another run");
    fs::write(dir.join("notes.txt"), "mine").expect("a file of somebody");
    let listed = list(&place);
    assert_eq!(exchanges(&listed), [5]);
    let notes = notes(&listed);
    let said = |run: usize, about: &str| {
        notes.iter().any(|note| note.contains(&names[run]) && note.contains(about))
    };
    assert!(said(0, "cannot read classes.parquet"), "{notes:#?}");
    assert!(said(1, "cannot read classes.parquet"), "{notes:#?}");
    assert!(said(2, "runs.parquet"), "{notes:#?}");
    assert!(said(3, "a run that runs.parquet does not know"), "{notes:#?}");
    assert!(notes.iter().any(|note| note.starts_with("notes.txt: passed over")), "{notes:#?}");
    // Nothing of it is lost by putting the rest together.
    let ran = tapecheck(&["history", "compact", text(&dir)]).ended_with(0);
    assert!(ran.err.contains("left as it is"), "{}", ran.err);
    assert_eq!(partitions(&place).len(), 6);
    // A run that is still at hand mends its partition.
    let ran = night(&place, "2026-11-20").ended_with(0).complaining("already in ");
    drop(ran);
    let last = dir.join(&names[4]);
    fs::remove_file(last.join("facts.parquet")).expect("lost");
    night(&place, "2026-11-20").ended_with(0).complaining("added anew");
    assert!(last.join("facts.parquet").exists());
}

#[test]
fn partitions_of_newer_versions_are_read_as_far_as_they_can_be() {
    use tapecheck::report::{Column, ColumnKind, Encoder, Presence, Table};
    let place = growing(&["2026-11-19", "2026-11-20"]);
    let dir = history(&place);
    let names = partitions(&place);
    // The same row, written by a version that knows one column more.
    let folder = dir.join(&names[0]);
    let rewrite = |format: &str, more: Option<&'static str>| {
        use tapecheck::report::{Cells, Distinct, TableReader};
        let mut reader = TableReader::open(&folder, Table::PastRuns).expect("readable");
        let mut columns = Table::PastRuns.columns(&[]);
        columns.extend(more.map(|name| Column {
            name: name.into(),
            kind: ColumnKind::Text,
            presence: Presence::Always,
            about: "New.".into(),
        }));
        let mut cells = Vec::new();
        for column in &columns {
            let of_text = |text: Option<&str>| {
                let mut distinct = Distinct::default();
                let row = text.map_or(u32::MAX, |text| distinct.index_of(text));
                Cells::Distinct { texts: distinct.texts().clone(), rows: vec![row] }
            };
            cells.push(match column.kind {
                _ if Some(&*column.name) == more => of_text(Some("new")),
                ColumnKind::Int => Cells::Ints(reader.ints(0, &column.name).expect("a column")),
                _ => of_text(reader.texts(0, &column.name).expect("a column").get(0)),
            });
        }
        let encoder = Encoder::new(&columns).expect("columns");
        let mut file = encoder.start(Vec::new()).expect("in memory");
        file.append(&encoder.encode(cells).expect("a row")).expect("in memory");
        let bytes = file.finish_with(&[("tapecheck", format)]).expect("in memory");
        fs::write(folder.join("runs.parquet"), bytes).expect("writable");
    };
    rewrite("tapecheck-history/1", Some("mood"));
    let listed = list(&place);
    assert_eq!(exchanges(&listed), [1, 2]);
    assert!(
        notes(&listed)[0].contains("1 column of a newer version passed over (mood)"),
        "{listed}"
    );
    let ran = tapecheck(&["history", "compact", text(&dir)]).ended_with(0);
    assert_eq!(ran.out, "nothing to put together\n", "what is not understood is not rewritten");
    rewrite("tapecheck-history/2", None);
    let listed = list(&place);
    assert_eq!(exchanges(&listed), [2]);
    assert!(notes(&listed)[0].contains("in the format tapecheck-history/2"), "{listed}");
}

#[test]
fn two_processes_may_add_to_one_history_at_once() {
    let place = Place::with_good_tape();
    place.run(&[]).ended_with(0);
    let (run, dir) = (place.out(), history(&place));
    let mut children: Vec<_> = (0..8)
        .map(|number| {
            let day = format!("2026-11-{:02}", 10 + number / 2);
            program()
                .args(["history", "add", text(&run), "--history", text(&dir), "--night", &day])
                .stdout(Stdio::piped())
                .spawn()
                .expect("the program starts")
        })
        .collect();
    for child in &mut children {
        assert_eq!(child.wait().expect("it ends").code(), Some(0));
    }
    assert_eq!(partitions(&place).len(), 4, "each night once");
    let listed = list(&place);
    assert_eq!(exchanges(&listed), [3; 4]);
    let hidden = fs::read_dir(&dir).expect("a history").flatten();
    assert_eq!(
        hidden.filter(|entry| entry.file_name().to_string_lossy().starts_with('.')).count(),
        0
    );
}

#[test]
fn a_clock_that_went_back_is_named() {
    let place = growing(&["2026-11-19", "2026-11-20"]);
    // The same corpus and two runs, of which the later one says that it began a year earlier.
    let manifest = place.out().join("manifest.json");
    let mut told: Value =
        serde_json::from_slice(&fs::read(&manifest).expect("a file")).expect("JSON");
    told["wall"]["started_at"] = "2001-01-01T00:00:00Z".into();
    fs::write(&manifest, told.to_string()).expect("writable");
    let (run, dir) = (place.out(), history(&place));
    let add = ["history", "add", text(&run), "--history", text(&dir)];
    tapecheck(&add).ended_with(0);
    let listed = list(&place);
    assert_eq!(listed["runs"][0]["night"], "2001-01-01");
    let notes = notes(&listed);
    assert!(notes.iter().any(|note| note.contains("a clock that went back")), "{notes:?}");
}

#[test]
fn places_that_cannot_hold_a_history_are_refused_before_anything_runs() {
    let place = Place::with_good_tape();
    let (tapes, out) = (place.tapes(), place.out());
    let refused = |dir: &Path, about: &str| {
        place.run(&["--history", text(dir)]).ended_with(2).complaining(about);
        assert!(!out.exists(), "nothing ran");
    };
    refused(&tapes.join("history"), "it would be read as part of the corpus");
    refused(&tapes, "it would be read as part of the corpus");
    refused(&out.join("history"), "the run that is written there would replace it");
    refused(&out, "would replace it");
    refused(place.root(), "lies in the history");
    let mine = place.root().join("mine");
    fs::create_dir(&mine).expect("a folder");
    fs::write(mine.join("thesis.txt"), "years of work").expect("a file");
    refused(&mine, "is not a history of tapecheck");
    for wrong in
        [&["--night", "2026-02-30"][..], &["--collection", " "], &["--night", "2026-11-20"]]
    {
        let dir = history(&place);
        let history = ["--history", text(&dir)];
        let arguments = if wrong == ["--night", "2026-11-20"] { &[][..] } else { &history };
        place.run(&[arguments, wrong].concat()).ended_with(2);
    }
    tapecheck(&["history", "list", text(&mine)]).ended_with(2).complaining("not a history");
    tapecheck(&["history", "list", text(&mine.join("no"))]).ended_with(2).complaining("not exist");
    tapecheck(&["history", "add", text(&mine), "--history", text(&history(&place))])
        .ended_with(2)
        .complaining("is not a run of tapecheck");
}

#[test]
fn a_finished_run_is_not_added_to_a_history_in_its_corpus() {
    let place = Place::with_good_tape();
    place.run(&[]).ended_with(0);
    let (run, dir) = (place.out(), place.tapes().join("history"));
    tapecheck(&["history", "add", text(&run), "--history", text(&dir)])
        .ended_with(2)
        .complaining("it would be read as part of the corpus");
    assert!(!dir.exists());
}

#[test]
fn a_file_that_is_no_tape_makes_no_other_run() {
    let place = Place::with_good_tape();
    night(&place, "2026-11-20").ended_with(0);
    fs::write(place.tapes().join("picture.png"), [0x89, b'P', b'N', b'G', 0, 1, 2])
        .expect("a file");
    let ran = night(&place, "2026-11-20");
    assert!(ran.err.contains("already in "), "{}", ran.err);
    assert_eq!(partitions(&place).len(), 1);
}

#[test]
fn an_empty_history_is_a_history() {
    let place = Place::new();
    fs::create_dir(history(&place)).expect("a folder");
    let ran = tapecheck(&["history", "list", text(&history(&place))]).ended_with(0);
    assert!(ran.out.ends_with("holds no runs yet\n"), "{}", ran.out);
    place.run(&["--history", text(&history(&place))]).ended_with(3);
    assert!(partitions(&place).is_empty(), "a run without exchanges is not added");
}

#[test]
fn tables_of_many_rows_read_back() {
    use tapecheck::report::{Cell, Table, TableFile, TableReader};
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut file = TableFile::create_in(folder.path(), Table::PastClasses).expect("writable");
    let rows = 140_000_u64;
    for row in 0..rows {
        let mut cells: [Cell<'_>; 8] = [const { Cell::Empty }; 8];
        for (at, cell) in cells.iter_mut().enumerate() {
            *cell = match at {
                5 => Cell::Empty,
                7 => row.into(),
                _ => "same".into(),
            };
        }
        file.push(&cells).expect("room");
    }
    file.finish().expect("whole");
    let mut reader = TableReader::open(folder.path(), Table::PastClasses).expect("readable");
    let counts: Vec<i64> = (0..reader.groups())
        .flat_map(|group| reader.ints(group, "count").expect("whole"))
        .collect();
    assert!(counts.iter().copied().eq(0..i64::try_from(rows).expect("few")));
}

/// What `DuckDB` and polars make of a history, as it stands.
const QUERIES: &str = r#"
import sys
try:
    import duckdb, polars
except ImportError as error:
    print(f"absent: {error}")
    sys.exit()
store = sys.argv[1]
sql = f"""
    select r.night, sum(c.count)::bigint
    from read_parquet('{store}/*/classes.parquet') c
    join read_parquet('{store}/*/runs.parquet') r using (run)
    group by r.night order by r.night
"""
print(duckdb.sql(sql).fetchall())
classes = polars.scan_parquet(f"{store}/*/classes.parquet")
nights = classes.group_by("night").agg(polars.col("count").sum()).sort("night")
print(nights.collect().rows())
for table in ["runs", "classes", "answers", "issue_types", "error_kinds", "facts"]:
    rows = duckdb.sql(f"select count(*) from read_parquet('{store}/*/{table}.parquet')").fetchall()[0][0]
    assert rows == polars.scan_parquet(f"{store}/*/{table}.parquet").collect().height, table
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
    let dir = history(&place);
    let answer = "[('2026-11-19', 1), ('2026-11-20', 2)]";
    for _ in ["as added", "put together"] {
        match asked(&dir) {
            Err(why) => return crate::harness::skipped(&why),
            Ok(said) => assert_eq!(said, format!("{answer}\n{answer}\n")),
        }
        tapecheck(&["history", "compact", text(&dir)]).ended_with(0);
    }
}

#[cfg(unix)]
#[test]
fn links_in_a_history_lead_nowhere() {
    let place = growing(&["2026-11-20"]);
    let dir = history(&place);
    let name = partitions(&place).remove(0);
    let outside = place.root().join("outside");
    fs::rename(dir.join(&name), &outside).expect("moved");
    fs::create_dir(dir.join(&name)).expect("a folder");
    for entry in fs::read_dir(&outside).expect("a folder").flatten() {
        let link = dir.join(&name).join(entry.file_name());
        std::os::unix::fs::symlink(entry.path(), link).expect("a link");
    }
    let listed = list(&place);
    assert!(exchanges(&listed).is_empty());
    assert!(notes(&listed)[0].contains("is not a file"), "{listed}");
}
