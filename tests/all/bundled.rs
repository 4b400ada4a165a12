//! The bundled corpus as a whole: everything judged or rejected as expected, nothing lost.

use crate::harness::paths_in;
use crate::support::read_table;
use crate::support::{Judged, corpus, lines};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use tapecheck::internals::rulebook::{Rulebook, builtin_names};
use tapecheck::internals::store::Table;

/// The unreadable that `corpus/odd` is there for.
const EXPECTED: &str = "odd/expected-unreadable.csv";

/// File, line and reason of each reject of a run, as the rows of `EXPECTED`.
fn unreadable(judged: &Judged) -> Vec<String> {
    let mut reader =
        csv::Reader::from_path(judged.folder().join("unreadable.csv")).expect("a table");
    let header = reader.headers().expect("a header").clone();
    let column = |name| header.iter().position(|cell| cell == name).expect("a column");
    let columns = ["file", "line", "reason"].map(column);
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.map(|row| columns.map(|column| row[column].to_owned()).join(",")).collect()
}

/// Every file below a folder, as a path below the corpus.
fn files(folder: &Path, found: &mut BTreeSet<String>) {
    for path in paths_in(folder) {
        if path.is_dir() {
            files(&path, found);
        } else {
            let name = path.strip_prefix(corpus()).expect("below the folder of recordings");
            found.insert(name.to_str().expect("UTF-8").to_owned());
        }
    }
}

#[test]
fn the_corpus_is_judged_under_every_rulebook_and_only_the_odd_lines_are_rejected() {
    let mut expected = lines(&corpus().join(EXPECTED));
    assert_eq!(expected.remove(0), "file,line,reason");
    for rulebook in builtin_names() {
        let judged = Judged::corpus(rulebook);
        judged.assert_adds_up();
        assert_eq!(unreadable(judged), expected, "unreadable under {rulebook}, against {EXPECTED}");
        let elsewhere: Vec<_> = expected.iter().filter(|row| !row.starts_with("odd/")).collect();
        assert!(elsewhere.is_empty(), "only corpus/odd holds what is rejected: {elsewhere:?}");
    }
}

#[test]
fn every_file_of_the_corpus_is_a_recording_or_is_named() {
    let judged = Judged::corpus("guide");
    let frame = read_table(judged.folder(), Table::Verdicts);
    let recordings: BTreeSet<String> = frame.texts("file").into_iter().flatten().collect();
    let listed = std::fs::read_to_string(judged.folder().join("recordings.csv")).expect("a table");
    let listed = listed.lines().skip(1).filter_map(|row| row.split(',').next());
    let recordings: BTreeSet<String> = recordings
        .into_iter()
        .chain(listed.map(|file| file.trim_matches('"').to_owned()))
        .collect();
    let totals = &judged.finished.totals;
    let named = totals.notes.iter().map(|note| note.file.clone());
    let rejected = unreadable(judged);
    let rejected = rejected.iter().filter_map(|row| row.split(',').next()).map(str::to_owned);
    let accounted: BTreeSet<String> = recordings.into_iter().chain(named).chain(rejected).collect();
    let mut all = BTreeSet::new();
    files(&corpus(), &mut all);
    let lost: Vec<_> = all.difference(&accounted).collect();
    assert!(lost.is_empty(), "neither judged nor rejected nor named: {lost:?}");
}

#[test]
fn every_pattern_of_the_guide_hits_somewhere_in_the_corpus() {
    let guide = Rulebook::builtin("guide").expect("built in");
    let judged = Judged::corpus(&guide.name);
    let hits = judged.verdicts.iter().filter_map(|verdict| verdict["hits"].as_array()).flatten();
    let text = |hit: &Value, name: &str| hit[name].as_str().expect("a text").to_owned();
    let hit: BTreeSet<_> = hits.map(|hit| (text(hit, "list"), text(hit, "pattern"))).collect();
    let patterns = guide.patterns.iter();
    let all = patterns.map(|pattern| (pattern.list.clone(), pattern.name().to_owned()));
    let idle: BTreeSet<_> = all.filter(|pattern| !hit.contains(pattern)).collect();
    assert!(idle.is_empty(), "no call of the corpus shows what these do: {idle:?}");
}
