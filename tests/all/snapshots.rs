//! The accepted verdicts: every collection of the corpus under every built-in rulebook.
//!
//! A changed verdict fails here; `cargo insta review` shows what changed and takes it or leaves it.

use crate::support::{corpus, home};
use insta::{Settings, assert_snapshot};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use tapecheck::baseline::baseline_text;
use tapecheck::corpus::Bounds;
use tapecheck::rulebook::{Rulebook, builtin_names};

/// The folders directly below `folder`, by name.
fn folders(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir());
    paths.map(|path| name_of(&path)).collect()
}

fn name_of(path: &Path) -> String {
    path.file_name().expect("a name").to_str().expect("UTF-8").to_owned()
}

fn snapshots() -> PathBuf {
    home().join("snapshots")
}

#[test]
fn verdicts_are_as_accepted() {
    let mut changed = Vec::new();
    for rulebook in builtin_names() {
        let rulebook = Rulebook::builtin(rulebook).expect("built in");
        for collection in folders(&corpus()) {
            let text = baseline_text(&corpus().join(&collection), &rulebook, &Bounds::default())
                .expect("a collection can be read");
            let mut settings = Settings::clone_current();
            settings.set_snapshot_path(snapshots().join(&collection));
            settings.set_prepend_module_to_snapshot(false);
            settings.set_omit_expression(true);
            let compare = || assert_snapshot!(rulebook.name.as_str(), text);
            // One changed collection must not hide the next one from the review.
            if catch_unwind(AssertUnwindSafe(|| settings.bind(compare))).is_err() {
                changed.push(format!("{collection}/{}", rulebook.name));
            }
        }
    }
    assert!(changed.is_empty(), "changed: {changed:?}; look at them with `cargo insta review`");
}

#[test]
fn every_snapshot_belongs_to_a_collection_and_a_rulebook() {
    let rulebooks: BTreeSet<String> =
        builtin_names().iter().map(|name| format!("{name}.snap")).collect();
    let collections = folders(&corpus());
    let mut stale = Vec::new();
    for folder in folders(&snapshots()) {
        for entry in std::fs::read_dir(snapshots().join(&folder)).expect("a folder") {
            let name = name_of(&entry.expect("an entry").path());
            // What waits for its review is no snapshot yet.
            let waits = name.ends_with(".snap.new") || name.ends_with(".pending-snap");
            let belongs = collections.contains(&folder) && rulebooks.contains(&name);
            if !waits && !belongs {
                stale.push(format!("snapshots/{folder}/{name}"));
            }
        }
    }
    assert!(stale.is_empty(), "no collection or no rulebook of that name: {stale:?}");
}

#[test]
fn renaming_and_reordering_tapes_changes_no_snapshot() {
    let collection = corpus().join("replies");
    let renamed = tempfile::tempdir().expect("a temporary folder");
    let entries = std::fs::read_dir(&collection).expect("a folder");
    let mut tapes: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    tapes.sort_unstable();
    assert!(tapes.len() > 2, "there is an order to change");
    for (number, tape) in tapes.iter().rev().enumerate() {
        let copy = renamed.path().join(format!("{number}.jsonl"));
        std::fs::copy(tape, copy).expect("a copy");
    }
    let rulebook = Rulebook::builtin("guide").expect("built in");
    let text =
        |folder: &Path| baseline_text(folder, &rulebook, &Bounds::default()).expect("readable");
    assert_eq!(text(renamed.path()), text(&collection));
}
