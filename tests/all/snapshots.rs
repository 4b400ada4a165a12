//! The accepted verdicts: every collection of the corpus under every built-in rulebook.
//!
//! A changed verdict fails here; `tapecheck review --list` shows what changed, and
//! `tapecheck review` or `cargo insta review` takes it or leaves it.

use crate::harness::{Ran, finish, paths_in, program};
use crate::support::{contract_of, corpus, home};
use insta::{Settings, assert_snapshot};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use tapecheck::internals::baseline::{peek, places, read, rulebook_file};
use tapecheck::internals::rulebook::builtin_names;

/// The folders directly below `folder`, sorted.
fn folders(folder: &Path) -> Vec<PathBuf> {
    paths_in(folder).into_iter().filter(|path| path.is_dir()).collect()
}

/// The collections that have no accepted verdicts, because they are there to measure with.
const TO_MEASURE_WITH: [&str; 10] = [
    "field",
    "unseen",
    "learn",
    "check",
    "sealed",
    "ordinary",
    "ordinary-sealed",
    "fresh",
    "mixed",
    "mixed-sealed",
];

/// The collections that have accepted verdicts.
fn collections() -> Vec<PathBuf> {
    let mut folders = folders(&corpus());
    folders.retain(|folder| !TO_MEASURE_WITH.iter().any(|name| folder.ends_with(name)));
    folders
}

fn snapshots() -> PathBuf {
    home().join("snapshots")
}

fn snapshot(verb: &str, snapshots: &Path, corpus: &[PathBuf]) -> Ran {
    finish(
        program()
            .args(["review", verb, "--baseline"])
            .arg(snapshots)
            .args(corpus)
            .args(corpus.first().map_or(&[][..], |collection| contract_of(collection)))
            .args(builtin_names().iter().flat_map(|name| ["--rulebook", name])),
    )
}

#[test]
fn verdicts_are_as_accepted() {
    let (held, others): (Vec<_>, Vec<_>) =
        collections().into_iter().partition(|collection| !contract_of(collection).is_empty());
    for collections in [held, others] {
        let checked = snapshot("--list", &snapshots(), &collections);
        assert_eq!(checked.code, Some(0), "{}{}", checked.out, checked.err);
        let clean = checked.out.lines().filter(|line| line.starts_with("clean ")).count();
        assert_eq!(clean, collections.len() * builtin_names().len(), "{}", checked.out);
        assert!(!checked.out.contains("moved"), "headers are out of date:\n{}", checked.out);
    }
}

#[test]
fn every_baseline_belongs_to_a_collection_and_a_rulebook() {
    let collections: BTreeSet<PathBuf> = collections().into_iter().collect();
    let found = places(&snapshots()).expect("a folder");
    assert_eq!(found.len(), collections.len() * builtin_names().len());
    for place in found {
        assert!(collections.contains(&corpus().join(&place.collection)), "{}", place.collection);
        assert!(builtin_names().contains(&place.rulebook.as_str()), "{}", place.rulebook);
    }
}

#[test]
fn rulebooks_are_kept_with_what_they_judged() {
    let mut kept = BTreeSet::new();
    for place in places(&snapshots()).expect("a folder") {
        let rulebook = peek(&place.accepted()).expect("a baseline").rulebook;
        let (name, digest) = (&rulebook.name, &rulebook.digest);
        kept.insert(rulebook_file(&snapshots(), name, digest));
        let rulebook = read(&place.accepted()).expect("a baseline").side.rulebook;
        assert_eq!(&rulebook.expect("it is kept").digest, digest);
    }
    let files = paths_in(&snapshots().join("rulebooks"));
    assert_eq!(files, kept.into_iter().collect::<Vec<_>>());
}

/// What `insta` makes of a text under the name of an accepted baseline.
fn with_insta(folder: &Path, name: &str, text: &str) -> bool {
    let mut settings = Settings::clone_current();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let compare = || assert_snapshot!(name, text);
    catch_unwind(AssertUnwindSafe(|| settings.bind(compare))).is_ok()
}

#[test]
fn baselines_in_text_are_snapshots_of_insta() {
    for place in places(&snapshots()).expect("a folder") {
        let path = place.accepted();
        let folder = path.parent().expect("a folder");
        let text = read(&path).expect("a baseline").text();
        assert!(with_insta(folder, &place.rulebook, &text), "{}", path.display());
    }
}

#[test]
fn what_waits_for_a_review_can_be_taken_by_insta() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let snapshots_folder = place.path().join("snapshots");
    let recordings = place.path().join("odd");
    std::fs::create_dir(&recordings).expect("a folder");
    let recording =
        |text: &str| std::fs::write(recordings.join("one.jsonl"), text).expect("a recording");
    recording(
        "{\"tool\":\"get\",\"input\":{},\"response\":{\"content\":[{\"type\":\"text\",\"text\":\"fine\"}]}}\n",
    );
    snapshot("--all", &snapshots_folder, std::slice::from_ref(&recordings)).ended_with(0);
    recording("{\"tool\":\"get\",\"input\":{},\"response\":{\"content\":[]}}\n");
    snapshot("--list", &snapshots_folder, std::slice::from_ref(&recordings)).ended_with(1);
    let folder = snapshots_folder.join("odd");
    let pending = read(&folder.join("guide.snap.new")).expect("a baseline").text();
    let line = r#"{"server":"unknown","tool":"get","outcome":"invalid","#;
    assert!(pending.contains(line), "{pending}");
    // What insta does when its user accepts.
    std::fs::rename(folder.join("guide.snap.new"), folder.join("guide.snap")).expect("moved");
    assert!(with_insta(&folder, "guide", &pending));
    let ran = snapshot("--list", &snapshots_folder, &[recordings]);
    assert!(ran.out.contains("guide.snap: 1 call\n"), "{}", ran.out);
}

#[test]
fn renaming_and_reordering_recordings_changes_no_snapshot() {
    let collection = corpus().join("replies");
    let place = tempfile::tempdir().expect("a temporary folder");
    let renamed = place.path().join("replies");
    std::fs::create_dir(&renamed).expect("a folder");
    let recordings = paths_in(&collection);
    assert!(recordings.len() > 2, "there is an order to change");
    for (number, recording) in recordings.iter().rev().enumerate() {
        std::fs::copy(recording, renamed.join(format!("{number}.jsonl"))).expect("a copy");
    }
    let created = place.path().join("snapshots");
    snapshot("--all", &created, &[renamed]).ended_with(0);
    for rulebook in builtin_names() {
        let text = |folder: &Path| {
            let path = folder.join("replies").join(format!("{rulebook}.snap"));
            let text = std::fs::read_to_string(path).expect("a baseline");
            // Where the recordings lie is told beside the verdicts, and has its part in the digest.
            let beside = ["  \"collection\"", "  \"digest\""];
            let lines =
                text.lines().filter(|line| !beside.iter().any(|word| line.starts_with(word)));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(text(&created), text(&snapshots()), "{rulebook}");
    }
}
