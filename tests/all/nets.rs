//! Nets: one hash per column of every table of a run, for whole collections under each rulebook.
//!
//! `tests/nets/COLLECTION.RULEBOOK.txt` has a line per column: its name, the hash of its values in
//! row order, and the number of rows. A change that is meant shows there as one line; any other
//! change fails here. Values are hashed, not bytes: another way of writing a file changes nothing.

use crate::frame::{Cell, Frame};
use crate::harness::{finish, names_in, program};
use crate::support::{contract_of, corpus, home};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tapecheck::internals::rulebook::builtin_names;
use tapecheck::internals::store::error_report;
use tapecheck::internals::verdict::is_steering;
use xxhash_rust::xxh3::xxh3_64;

/// Set, nets are written instead of compared.
const WRITE: &str = "TAPECHECK_WRITE_NETS";

/// The collections of the corpus that have nets, largest last.
const COLLECTIONS: [&str; 8] = [
    "session-reports",
    "judge-results",
    "envelopes",
    "contracts",
    "replies",
    "recorded",
    "unseen",
    "field",
];

/// The values of each column, in row order, as JSON.
type Columns = BTreeMap<String, Vec<String>>;

#[test]
fn session_reports() {
    collection("session-reports");
}

#[test]
fn judge_results() {
    collection("judge-results");
}

#[test]
fn envelopes() {
    collection("envelopes");
}

#[test]
fn contracts() {
    collection("contracts");
}

#[test]
fn replies() {
    collection("replies");
}

#[test]
fn recorded() {
    collection("recorded");
}

#[test]
fn unseen() {
    collection("unseen");
}

#[test]
fn field() {
    collection("field");
}

/// Equal exchanges under two output schemas, in two sessions and two scenarios: equal keys, whose
/// verdicts differ.
#[test]
fn repeats() {
    let folder = repeats_folder();
    for rulebook in builtin_names() {
        compare("repeats", rulebook, &folder.join("recordings"), OsStr::new(rulebook));
    }
    let rulebook = folder.join("by-scenario.toml");
    compare("repeats", "by-scenario", &folder.join("recordings"), rulebook.as_os_str());
}

#[test]
fn equal_keys_of_the_repeats_have_different_verdicts() {
    let folder = repeats_folder();
    let out = tempfile::tempdir().expect("a temporary folder");
    judge(&folder.join("recordings"), folder.join("by-scenario.toml").as_os_str(), out.path());
    let mut verdicts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let text = std::fs::read_to_string(out.path().join("run/verdicts.jsonl")).expect("verdicts");
    for line in text.lines() {
        let mut verdict: Value = serde_json::from_str(line).expect("JSON");
        let key = verdict["key"].as_str().expect("a key").to_owned();
        let members = verdict.as_object_mut().expect("an object");
        for told_apart_by in ["key", "id", "scenario", "file", "line"] {
            members.remove(told_apart_by);
        }
        verdicts.entry(key).or_default().insert(verdict.to_string());
    }
    let differing = verdicts.values().filter(|verdicts| verdicts.len() > 1).count();
    assert_eq!((verdicts.len(), differing), (6, 4), "keys, and those with several verdicts");
}

#[test]
fn every_net_belongs_to_a_collection_and_a_rulebook() {
    let mut expected = BTreeSet::from(["repeats.by-scenario.txt".to_owned()]);
    for collection in COLLECTIONS.iter().chain(&["repeats"]) {
        expected.extend(builtin_names().iter().map(|rulebook| net_name(collection, rulebook)));
    }
    if std::env::var_os(WRITE).is_some() {
        return;
    }
    let found = names_in(&home().join("tests/nets"));
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
}

fn repeats_folder() -> PathBuf {
    home().join("tests/repeats")
}

fn net_name(collection: &str, rulebook: &str) -> String {
    format!("{collection}.{rulebook}.txt")
}

#[track_caller]
fn collection(name: &str) {
    assert!(COLLECTIONS.contains(&name), "{name} is listed");
    for rulebook in builtin_names() {
        compare(name, rulebook, &corpus().join(name), OsStr::new(rulebook));
    }
}

fn judge(recordings: &Path, rulebook: &OsStr, out: &Path) {
    let mut command = program();
    command.arg("run").arg(recordings).arg("--rulebook").arg(rulebook);
    command.args(contract_of(recordings));
    command.arg("--out").arg(out.join("run")).args([
        "--stdout",
        "jsonl",
        "--config=output.page=false",
        "--quiet",
    ]);
    let ran = finish(&mut command).ended_with(0);
    std::fs::write(out.join("run/verdicts.jsonl"), ran.out).expect("a file");
}

/// Judges a collection and compares its columns with the net that is kept, or keeps a new one.
#[track_caller]
fn compare(collection: &str, name: &str, recordings: &Path, rulebook: &OsStr) {
    let out = tempfile::tempdir().expect("a temporary folder");
    judge(recordings, rulebook, out.path());
    let columns = columns(&out.path().join("run"));
    let net: BTreeMap<&str, String> =
        columns.iter().map(|(name, values)| (name.as_str(), summary(name, values))).collect();
    let file = format!("tests/nets/{}", net_name(collection, name));
    if std::env::var_os(WRITE).is_some() {
        let lines: Vec<String> =
            net.iter().map(|(name, summary)| format!("{name}  {summary}")).collect();
        std::fs::create_dir_all(home().join("tests/nets")).expect("a folder");
        std::fs::write(home().join(&file), lines.join("\n") + "\n").expect("a net is written");
        keep_values(collection, name, &columns);
        return;
    }
    let kept = std::fs::read_to_string(home().join(&file)).unwrap_or_default();
    let kept: BTreeMap<&str, &str> =
        kept.lines().map(|line| line.split_once("  ").expect("a name and a value")).collect();
    let names: BTreeSet<&str> = kept.keys().chain(net.keys()).copied().collect();
    let mut differences = String::new();
    for column in names {
        let (was, is) = (kept.get(column).copied(), net.get(column).map(String::as_str));
        if was != is {
            let _ = writeln!(
                differences,
                "  {column}: was {}, is {}",
                was.unwrap_or("absent"),
                is.unwrap_or("absent")
            );
        }
    }
    if !differences.is_empty() {
        let values = keep_values(collection, name, &columns);
        panic!(
            "{collection} under {name} differs from {file} (hash, rows):\n{differences}\
             The values of each column are in {}; with {WRITE}=1 an unchanged checkout writes \
             its own there, to compare.\nIf the change is meant, name the columns in CHANGELOG.md \
             and rewrite the nets: {WRITE}=1 cargo test --test all -- nets",
            values.display()
        );
    }
}

/// Writes the values of each column for people to compare.
fn keep_values(collection: &str, name: &str, columns: &Columns) -> PathBuf {
    let folder = home().join("target/nets").join(format!("{collection}.{name}"));
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (column, values) in columns {
        let file = folder.join(column.replace('/', " "));
        std::fs::write(file, values.join("\n") + "\n").expect("values are written");
    }
    folder
}

/// What a net says of a column: a hash and the number of rows, or the one value of the summary.
fn summary(name: &str, values: &[String]) -> String {
    match values {
        [value] if name.starts_with("summary.") && value.len() <= 40 => value.clone(),
        _ => format!("{:016x}  {}", xxh3_64(values.join("\n").as_bytes()), values.len()),
    }
}

/// The columns of all tables of a run folder, called `TABLE.COLUMN`.
fn columns(run: &Path) -> Columns {
    let mut columns = Columns::new();
    let mut tables: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for name in names_in(run) {
        let (table, extension) = name.split_once('.').unwrap_or((&name, ""));
        tables.entry(table.to_owned()).or_default().insert(extension.to_owned());
    }
    for (table, extensions) in tables {
        let has = |extension: &str| extensions.contains(extension);
        let path = |extension: &str| run.join(format!("{table}.{extension}"));
        if has("parquet") {
            let read = parquet(&path("parquet"));
            add(&mut columns, &table, read.iter().map(|(name, values)| (name, json(values))));
            if has("csv") {
                assert_same(&table, &read, &csv(&path("csv")));
            }
        } else if has("csv") {
            let read = csv(&path("csv"));
            add(&mut columns, &table, read.iter().map(|(name, values)| (name, json(values))));
        }
        if has("jsonl") {
            let text = std::fs::read_to_string(path("jsonl")).expect("lines");
            let rows = text.lines().map(members).collect::<Vec<_>>();
            // The table of the same name has some of the same columns.
            let table = if has("parquet") { format!("{table}.jsonl") } else { table.clone() };
            let names: BTreeSet<&String> = rows.iter().flat_map(BTreeMap::keys).collect();
            let of_rows = |name: &String| {
                let absent = || "absent".to_owned();
                rows.iter().map(|row| row.get(name).cloned().unwrap_or_else(absent)).collect()
            };
            add(&mut columns, &table, names.into_iter().map(|name| (name, of_rows(name))));
        }
    }
    let text = std::fs::read_to_string(run.join("summary.json")).expect("a summary");
    for (name, value) in members(&text) {
        columns.insert(format!("summary.{name}"), vec![value]);
    }
    columns.insert("error-reports".to_owned(), error_reports(run));
    columns
}

fn add<'a>(
    columns: &mut Columns,
    table: &str,
    more: impl Iterator<Item = (&'a String, Vec<String>)>,
) {
    for (name, values) in more {
        columns.insert(format!("{table}.{name}"), values);
    }
}

/// The error reports of the run and its sessions, by name.
fn error_reports(run: &Path) -> Vec<String> {
    let read = |name: &str| std::fs::read_to_string(run.join(name)).expect("a file");
    let texts = [read("summary.json").replace('\n', ""), read("sessions.jsonl")].join("\n");
    let reports = texts.lines().map(|line| {
        let said: Value = serde_json::from_str(line).expect("JSON");
        let report = said.get("report").unwrap_or(&said["validation"]);
        report["errorReport"]["filename"].as_str().map(str::to_owned)
    });
    let names: BTreeSet<String> = reports.flatten().collect();
    let text = |name: String| error_report(run, &name).expect("a report") + &name;
    names.into_iter().map(text).collect()
}

fn cell_json(cell: &Cell) -> String {
    match cell {
        Cell::Empty => "null".to_owned(),
        Cell::Bool(value) => value.to_string(),
        Cell::Int(value) => value.to_string(),
        Cell::Float(value) => float(*value),
        Cell::Text(text) => Value::from(text.as_str()).to_string(),
    }
}

fn json(cells: &[Cell]) -> Vec<String> {
    cells.iter().map(cell_json).collect()
}

/// Twelve digits: the last ones of a sum depend on the order of its parts.
fn float(value: f64) -> String {
    format!("{value:.11e}")
}

/// The columns of a Parquet file.
fn parquet(path: &Path) -> BTreeMap<String, Vec<Cell>> {
    Frame::read(path).columns.into_iter().map(|column| (column.name, column.cells)).collect()
}

/// The columns of a CSV file, all of them texts.
fn csv(path: &Path) -> BTreeMap<String, Vec<Cell>> {
    let mut reader = csv::Reader::from_path(path).expect("a table");
    let header = reader.headers().expect("a header").clone();
    let mut columns: BTreeMap<String, Vec<Cell>> =
        header.iter().map(|name| (name.to_owned(), Vec::new())).collect();
    for row in reader.records() {
        for (name, text) in header.iter().zip(row.expect("a row").iter()) {
            columns.get_mut(name).expect("a column").push(Cell::Text(text.to_owned()));
        }
    }
    columns
}

/// Asserts that a table says the same in both of its formats.
#[track_caller]
fn assert_same(
    table: &str,
    parquet: &BTreeMap<String, Vec<Cell>>,
    csv: &BTreeMap<String, Vec<Cell>>,
) {
    let names = |columns: &BTreeMap<String, Vec<Cell>>| columns.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(parquet), names(csv), "columns of {table} in Parquet and CSV");
    for (name, cells) in parquet {
        assert_eq!(cells.len(), csv[name].len(), "rows of {table}.{name} in Parquet and CSV");
        for (row, (cell, text)) in cells.iter().zip(&csv[name]).enumerate() {
            let (cell, text) = (spelled_out(&cell.to_string()), text.to_string());
            let same = text == cell || text.strip_prefix('\'') == Some(&cell);
            assert!(same, "{table}.{name}, row {row}: {cell:?} in Parquet, {text:?} in CSV");
        }
    }
}

/// What acts on a terminal is spelled out in CSV.
fn spelled_out(text: &str) -> String {
    let spelled = |character: char| {
        let acts = is_steering(character) && !matches!(character, '\n' | '\r' | '\t');
        if acts { character.escape_unicode().to_string() } else { character.to_string() }
    };
    text.chars().map(spelled).collect()
}

/// The members of an object with those of objects inside, called `OUTER.INNER`.
fn members(text: &str) -> BTreeMap<String, String> {
    let mut members = BTreeMap::new();
    flatten("", &serde_json::from_str(text).expect("JSON"), &mut members);
    members
}

fn flatten(name: &str, value: &Value, members: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(inner) if !inner.is_empty() => {
            for (key, value) in inner {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                flatten(&name, value, members);
            }
        }
        Value::Number(number) if number.is_f64() => {
            members.insert(name.to_owned(), float(number.as_f64().expect("a float")));
        }
        value => drop(members.insert(name.to_owned(), value.to_string())),
    }
}
