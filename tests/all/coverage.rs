//! `docs/coverage.md`: every place and every test that it names exists.

use crate::support::{corpus, home, lines};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders of cases, as names of cases begin.
const CASES: [&str; 6] = ["envelope/", "judged/", "facts/", "contract/", "session/", "tools/"];
/// What the names of places in the project begin with.
const PLACES: [&str; 5] = ["src/", "tests/", "docs/", "corpus/", ".ci/"];

/// A row of the tables: its line, where something is implemented, and which tests show it.
struct Row {
    line: usize,
    places: Vec<String>,
    tests: Vec<String>,
}

/// The names in backticks of a cell.
fn names(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The rows with four cells, but for headers and the lines below them.
fn rows() -> Vec<Row> {
    let all = lines(&home().join("docs/coverage.md"));
    let rows = all.iter().enumerate().filter_map(|(at, text)| {
        // A bar inside a cell is escaped.
        let text = text.replace("\\|", "\u{0}");
        let inner = text.strip_prefix("| ")?.strip_suffix(" |")?;
        let cells: Vec<&str> = inner.split(" | ").collect();
        let [section, _, place, shown_by] = cells.as_slice() else { return None };
        let is_header = *section == "section";
        (!is_header).then(|| Row { line: at + 1, places: names(place), tests: names(shown_by) })
    });
    rows.collect()
}

/// The files below a folder with one of these endings.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
}

/// The names of all functions of the project.
fn functions() -> BTreeSet<String> {
    let function = regex::Regex::new(r"\bfn (\w+)").expect("a pattern");
    let mut sources = Vec::new();
    for folder in ["src", "tests"] {
        files(&home().join(folder), "rs", &mut sources);
    }
    let texts = sources.iter().map(|path| lines(path).join("\n"));
    texts
        .flat_map(|text| {
            let found: Vec<String> =
                function.captures_iter(&text).map(|found| found[1].to_owned()).collect();
            found
        })
        .collect()
}

/// The ids of the records of the corpus.
fn records() -> BTreeSet<String> {
    let mut recordings = Vec::new();
    for collection in ["guide", "replies"] {
        files(&corpus().join(collection), "jsonl", &mut recordings);
    }
    let texts = recordings.iter().flat_map(|path| lines(path));
    let values = texts.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
    values.filter_map(|record| record["id"].as_str().map(str::to_owned)).collect()
}

fn exists(name: &str) -> bool {
    home().join(name).exists()
}

#[test]
fn everything_that_the_table_names_exists() {
    let (functions, records) = (functions(), records());
    let is_known = |name: &str| {
        if PLACES.iter().any(|place| name.starts_with(place)) {
            exists(name)
        } else if CASES.iter().any(|folder| name.starts_with(folder)) {
            exists(&format!("tests/seeds/{name}.json"))
        } else if name.contains('/') {
            records.contains(name)
        } else {
            functions.contains(name)
        }
    };
    let rows = rows();
    let mut complaints = Vec::new();
    for row in &rows {
        let line = row.line;
        if row.tests.is_empty() {
            complaints.push(format!("docs/coverage.md:{line}: no test is named"));
        }
        let lost = row.tests.iter().filter(|name| !is_known(name));
        complaints.extend(lost.map(|name| format!("docs/coverage.md:{line}: no test {name}")));
        let is_place = |name: &&String| PLACES.iter().any(|place| name.starts_with(place));
        let lost = row.places.iter().filter(is_place).filter(|name| !exists(name));
        complaints.extend(lost.map(|name| format!("docs/coverage.md:{line}: no place {name}")));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(rows.len() > 700, "only {} rows were found; is the reader blind?", rows.len());
}

#[test]
fn every_case_stands_in_the_table() {
    let named: BTreeSet<String> = rows().into_iter().flat_map(|row| row.tests).collect();
    let mut cases = Vec::new();
    for folder in CASES {
        files(&home().join("tests/seeds").join(folder), "json", &mut cases);
    }
    let root = home().join("tests/seeds");
    let paths = cases.iter().map(|path| {
        let name = path.strip_prefix(&root).expect("below the cases").with_extension("");
        name.to_str().expect("UTF-8").to_owned()
    });
    let forgotten: Vec<String> = paths.filter(|name| !named.contains(name)).collect();
    assert!(forgotten.is_empty(), "docs/coverage.md names no rule that these show: {forgotten:?}");
}
