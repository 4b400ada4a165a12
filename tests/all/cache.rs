//! The cache: it saves work and never changes a result.

use crate::determinism::{assert_same, folder, tape};
use crate::harness::{Place, finish, lines, program, zstd};
use crate::support::corpus;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

type Files = BTreeMap<String, Vec<u8>>;

/// Where a place's cache is.
fn cache(place: &Place) -> PathBuf {
    place.root().join(".tapecheck-cache")
}

/// The kept files, sorted.
fn kept(place: &Place) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(cache(place)) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let is_kept = |path: &PathBuf| {
        path.extension().is_some_and(|ending| ending == "stretch" || ending == "beginning")
    };
    let mut paths: Vec<_> = paths.filter(is_kept).collect();
    paths.sort();
    paths
}

/// The command that judges tapes into a place.
fn judging(tapes: &Path, place: &Place, more: &[&str]) -> Command {
    let mut command = program();
    command.arg("run").arg(tapes).arg("--out").arg(place.out()).args(more);
    command
}

/// Judges tapes: the files of the run, and how many exchanges came from the cache.
#[track_caller]
fn judge(tapes: &Path, place: &Place, more: &[&str]) -> (Files, Option<u64>) {
    finish(&mut judging(tapes, place, more)).ended_with(0);
    (folder(place), place.json("manifest.json")["wall"]["reused"].as_u64())
}

/// Files that changed just now may change again unseen, so they are not kept.
fn settle() {
    std::thread::sleep(Duration::from_millis(2_200));
}

/// What the replies of some tapes are held against.
const FACTS: &str =
    "[[facts]]\nsubject = \"/id=1\"\nfield = \"/score\"\nvalue = 7.5\nsource = \"NVD\"\n";

/// Tapes for several segments, with rejects, sessions, other files and settings among them.
fn varied() -> Place {
    let place = Place::new();
    for number in 0..12 {
        let mut text = tape(number * 300..number * 300 + 350, 3_000);
        text.push_str("no JSON\n");
        place.tape(&format!("part-{}/t{number:02}.jsonl", number / 4), text);
    }
    place.tape("part-1/packed.jsonl.zst", zstd(tape(0..60, 900).as_bytes()));
    place.tape("part-2/notes.txt", "nothing");
    place.tape("part-2/checks.toml", "facts = \"facts.toml\"\n");
    place.tape("part-2/facts.toml", FACTS);
    place
}

fn exchanges(files: &Files) -> u64 {
    let manifest: serde_json::Value =
        serde_json::from_slice(&files["manifest.json"]).expect("an object");
    manifest["comparable"]["counts"]["exchanges"].as_u64().expect("a number")
}

#[test]
fn the_bundled_corpus_comes_from_the_cache_to_the_byte() {
    let place = Place::new();
    for rulebook in ["guide", "inspector"] {
        let with =
            |more: &[&str]| judge(&corpus(), &place, &[&["--rulebook", rulebook], more].concat());
        let (anew, none) = with(&["--no-cache"]);
        assert_eq!(none, None);
        let (first, reused) = with(&["-j", "2"]);
        assert_eq!(reused, Some(0), "nothing was kept under {rulebook} yet");
        assert_same(&anew, &first, "a run that keeps");
        for threads in ["1", "3"] {
            let (again, reused) = with(&["-j", threads]);
            assert_eq!(reused, Some(exchanges(&anew)), "all is kept");
            assert_same(&anew, &again, "a run from the cache");
        }
    }
}

#[test]
fn whatever_changes_in_a_corpus_is_judged_anew_and_nothing_else() {
    let place = varied();
    let tapes = place.tapes();
    settle();
    judge(&tapes, &place, &[]);
    let steps: [(&str, &dyn Fn()); 8] = [
        ("a new tape", &|| drop(place.tape("part-1/t04-new.jsonl", tape(10..60, 10)))),
        ("a longer tape", &|| drop(place.tape("part-0/t01.jsonl", tape(300..660, 3_000)))),
        ("a tape less", &|| std::fs::remove_file(tapes.join("part-2/t09.jsonl")).expect("there")),
        ("a repeat in front", &|| drop(place.tape("part-0/a.jsonl", tape(900..1_000, 3_000)))),
        ("a tool list", &|| drop(place.tape("part-1/tools.json", r#"[{"name":"get_1"}]"#))),
        ("scenarios", &|| {
            let line = r#"{"id":"e-900","scenario":"edge_case"}"#;
            place.tape("part-0/t03.scenarios.jsonl", lines(&[line]));
        }),
        ("other facts", &|| {
            drop(place.tape("part-2/facts.toml", FACTS.replace("7.5", "9.8")));
        }),
        ("no settings", &|| std::fs::remove_file(tapes.join("part-2/checks.toml")).expect("there")),
    ];
    for (what, change) in steps {
        change();
        let (at_once, _) = judge(&tapes, &place, &[]);
        settle();
        let (anew, _) = judge(&tapes, &place, &["--no-cache"]);
        let (from_cache, reused) = judge(&tapes, &place, &[]);
        assert_same(&anew, &at_once, &format!("{what}, at once"));
        assert_same(&anew, &from_cache, what);
        assert!(reused.is_some_and(|reused| reused > 0), "{what}: something is as before");
        let (again, reused) = judge(&tapes, &place, &[]);
        assert_same(&anew, &again, &format!("{what}, again"));
        assert_eq!(reused, Some(exchanges(&anew)), "{what}: all is kept now");
    }
}

#[test]
fn other_settings_and_bounds_are_not_mixed_up() {
    let place = varied();
    settle();
    judge(&place.tapes(), &place, &[]);
    for more in [["--rulebook", "inspector"], ["--max-line", "2000"], ["--max-ratio", "240"]] {
        let (_, reused) = judge(&place.tapes(), &place, &more);
        assert_eq!(reused, Some(0), "{more:?}");
        let (from_cache, reused) = judge(&place.tapes(), &place, &more);
        let (anew, _) = judge(&place.tapes(), &place, &[&more[..], &["--no-cache"]].concat());
        assert_same(&anew, &from_cache, more[0]);
        assert_eq!(reused, Some(exchanges(&anew)));
    }
}

/// Rulebooks that look for what another looks for, and make other things of it.
const WEIGHED_OTHERWISE: [(&str, &str); 8] = [
    ("guide", "[factors]\nmcp_code = { weight = 9 }\n"),
    (
        "guide",
        "[outcomes.business_logic]\nclass = \"partially_working\"\nconfidence = 55\n\
               issue = { severity = \"warning\", type = \"tool_failure\", message = \"It says: {error}\" }\n",
    ),
    ("guide", "[outcomes.ok]\nclass = \"fully_working\"\nconfidence = 90\n"),
    ("inspector", "[score]\nclamp = true\n"),
    ("inspector", "[factors]\nvalidation_tool = { weight = 0 }\nmcp_code = { weight = 30 }\n"),
    ("inspector", "[quality]\nerror = 0.5\n"),
    ("inspector", "[overall]\nempty = 7\n"),
    ("inspector", "[outcomes.failure]\nclass = \"broken\"\nconfidence = 12\n"),
];

#[test]
fn other_weights_are_applied_to_what_was_observed_earlier() {
    let mut changed = 0;
    for (base, edits) in WEIGHED_OTHERWISE {
        for part in ["guide", "recorded", "replies"] {
            let (place, tapes) = (Place::new(), corpus().join(part));
            let what = format!("{part} under {base} with {edits}");
            let rulebook = place.root().join("other.toml");
            let text = format!("name = \"other\"\nextends = \"{base}\"\n{edits}");
            std::fs::write(&rulebook, text).expect("a file");
            let other = ["--rulebook", rulebook.to_str().expect("UTF-8")];
            let (before, _) = judge(&tapes, &place, &["--rulebook", base]);
            let (anew, _) = judge(&tapes, &place, &[&other[..], &["--no-cache"]].concat());
            let (again, reused) = judge(&tapes, &place, &other);
            assert_same(&anew, &again, &what);
            let rescored = place.json("manifest.json")["wall"]["rescored"].as_u64();
            assert_eq!((reused, rescored), (Some(0), Some(exchanges(&anew))), "{what}");
            changed += u32::from(before["verdicts.parquet"] != again["verdicts.parquet"]);
            let (kept, reused) = judge(&tapes, &place, &other);
            assert_same(&anew, &kept, "once it is kept");
            assert_eq!(reused, rescored, "{what}");
        }
    }
    assert!(changed >= 10, "{changed} times verdicts change");
}

#[test]
fn where_every_reply_is_asked_other_weights_are_applied_too() {
    let all = "extends = \"guide\"\n[errors]\nquestion = \"all\"\n";
    for part in ["recorded", "replies"] {
        let (place, tapes) = (Place::new(), corpus().join(part));
        let written = |name: &str, edits: &str| {
            let path = place.root().join(format!("{name}.toml"));
            std::fs::write(&path, format!("name = \"{name}\"\n{all}{edits}")).expect("a file");
            path.to_str().expect("UTF-8").to_owned()
        };
        let first = written("first", "");
        let other = written(
            "other",
            "[factors]\nbusiness_pattern = { weight = 0.5 }\n[outcomes.ok]\nclass = \"fully_working\"\n\
             confidence = \"score\"\n",
        );
        let (before, _) = judge(&tapes, &place, &["--rulebook", &first]);
        let (anew, _) = judge(&tapes, &place, &["--rulebook", &other, "--no-cache"]);
        let (again, _) = judge(&tapes, &place, &["--rulebook", &other]);
        assert_same(&anew, &again, part);
        let rescored = place.json("manifest.json")["wall"]["rescored"].as_u64();
        assert_eq!(rescored, Some(exchanges(&anew)), "{part}");
        assert_ne!(before["verdicts.parquet"], again["verdicts.parquet"], "{part}");
    }
}

#[test]
fn weights_that_come_again_are_kept_for_the_whole_beginning() {
    let place = varied();
    let rulebook = place.root().join("other.toml");
    let text = "name = \"other\"\nextends = \"guide\"\n[factors]\nmcp_code = { weight = 9 }\n";
    std::fs::write(&rulebook, text).expect("a file");
    let other = ["--rulebook", rulebook.to_str().expect("UTF-8")];
    settle();
    judge(&place.tapes(), &place, &[]);
    let (anew, _) = judge(&place.tapes(), &place, &[&other[..], &["--no-cache"]].concat());
    for (time, beginnings) in [("the first time", 1), ("again", 2), ("once more", 2)] {
        let (files, reused) = judge(&place.tapes(), &place, &other);
        assert_same(&anew, &files, time);
        assert_eq!(kept_as(&place, "beginning").len(), beginnings, "{time}");
        let rescored = place.json("manifest.json")["wall"]["rescored"].as_u64();
        let both = reused.zip(rescored).map(|(reused, rescored)| reused + rescored);
        assert_eq!(both, Some(exchanges(&anew)), "{time} no tape is read");
        assert_eq!(rescored == Some(0), time == "once more");
    }
}

#[test]
fn what_is_looked_for_otherwise_is_read_again() {
    let place = Place::new();
    let rulebook = place.root().join("other.toml");
    let text = "name = \"other\"\nextends = \"guide\"\n[facts.test_data]\nabout = \"Quotes.\"\n\
                contains = [\"test\"]\n";
    std::fs::write(&rulebook, text).expect("a file");
    let other = ["--rulebook", rulebook.to_str().expect("UTF-8")];
    judge(&corpus(), &place, &[]);
    let (anew, _) = judge(&corpus(), &place, &[&other[..], &["--no-cache"]].concat());
    let (again, _) = judge(&corpus(), &place, &other);
    assert_same(&anew, &again, "another fact");
    assert_eq!(place.json("manifest.json")["wall"]["rescored"], 0);
}

#[test]
fn a_damaged_cache_is_as_good_as_none() {
    let place = Place::new();
    let (anew, _) = judge(&corpus(), &place, &[]);
    let files = kept(&place);
    assert!(!files.is_empty());
    let whole = std::fs::read(&files[0]).expect("kept");
    let mut altered = whole.clone();
    altered[whole.len() / 2] ^= 1;
    let other_version = [&whole[..whole.len() - 1], b"x"].concat();
    for damaged in [&altered[..], &whole[..whole.len() / 2], b"", b"<html>", &other_version] {
        for file in &files {
            std::fs::write(file, damaged).expect("ours");
        }
        let (again, reused) = judge(&corpus(), &place, &[]);
        assert_same(&anew, &again, "a damaged cache");
        assert_eq!(reused, Some(0));
        assert_eq!(kept(&place), files, "what is damaged is replaced");
    }
    let (again, reused) = judge(&corpus(), &place, &[]);
    assert_same(&anew, &again, "a mended cache");
    assert_eq!(reused, Some(exchanges(&anew)));
}

/// The kept files that end so.
fn kept_as(place: &Place, ending: &str) -> Vec<PathBuf> {
    let mut files = kept(place);
    files.retain(|path| path.extension().is_some_and(|found| found == ending));
    files
}

#[test]
fn the_beginning_of_a_corpus_is_kept_as_one() {
    let place = varied();
    let tapes = place.tapes();
    settle();
    let (anew, _) = judge(&tapes, &place, &[]);
    let [beginning] = &kept_as(&place, "beginning")[..] else { panic!("one beginning") };
    let forget = || {
        for stretch in kept_as(&place, "stretch") {
            std::fs::remove_file(stretch).expect("kept");
        }
    };
    forget();
    let (again, of_beginning) = judge(&tapes, &place, &["-j", "3"]);
    assert_same(&anew, &again, "begun with what was kept");
    let before_last = of_beginning.expect("counted");
    assert!(0 < before_last && before_last < exchanges(&anew), "{before_last}");
    forget();
    // Keys of the beginning occur again, and more of them than before.
    place.tape("part-3/t99.jsonl", tape(200..900, 3_000));
    settle();
    let (anew, _) = judge(&tapes, &place, &["--no-cache"]);
    for threads in ["1", "2"] {
        let (longer, reused) = judge(&tapes, &place, &["-j", threads]);
        assert_same(&anew, &longer, "a tape at the end");
        assert!(reused >= Some(before_last));
    }
    let whole = std::fs::read(beginning).expect("kept");
    for at in [0, whole.len() / 3, whole.len() / 2, whole.len() - 40, whole.len() - 1] {
        let mut altered = whole.clone();
        altered[at] ^= 1;
        forget();
        for damaged in [&altered[..], &whole[..at]] {
            std::fs::write(beginning, damaged).expect("ours");
            let (again, _) = judge(&tapes, &place, &[]);
            assert_same(&anew, &again, "a damaged beginning");
            let there = std::fs::read(beginning).ok();
            assert_ne!(there.as_deref(), Some(damaged), "what is damaged goes");
        }
    }
    place.tape("part-0/a.jsonl", tape(900..1_000, 3_000));
    let (anew, _) = judge(&tapes, &place, &["--no-cache"]);
    std::fs::write(beginning, whole).expect("ours");
    let (again, _) = judge(&tapes, &place, &[]);
    assert_same(&anew, &again, "a tape before all others");
}

#[test]
fn a_run_that_is_killed_leaves_a_cache_that_others_can_use() {
    let place = varied();
    settle();
    let (anew, _) = judge(&place.tapes(), &place, &["--no-cache"]);
    for wait in [5, 30, 80, 160] {
        let mut child = judging(&place.tapes(), &place, &["-q"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
        let (again, _) = judge(&place.tapes(), &place, &[]);
        assert_same(&anew, &again, "after a kill");
    }
}

#[test]
fn runs_can_share_a_cache() {
    let place = varied();
    settle();
    let (anew, _) = judge(&place.tapes(), &place, &["--no-cache"]);
    let others: Vec<Place> = (0..3).map(|_| Place::new()).collect();
    let shared = place.root().join("shared");
    let size = ["--cache", shared.to_str().expect("UTF-8"), "--cache-size", "3"];
    for _ in 0..2 {
        std::thread::scope(|scope| {
            for other in &others {
                scope.spawn(|| {
                    let (files, _) = judge(&place.tapes(), other, &size);
                    assert_same(&anew, &files, "a run with a shared cache");
                });
            }
        });
    }
    assert!(shared.join(".tapecheck-cache").is_dir());
}

#[test]
fn a_cache_stays_within_its_bound() {
    let place = varied();
    settle();
    let (anew, _) = judge(&place.tapes(), &place, &["--cache-size", "1"]);
    let size = || -> u64 {
        let sizes = kept(&place).into_iter().map(|file| file.metadata().expect("kept").len());
        sizes.sum()
    };
    assert!(size() <= 1 << 20, "{} bytes", size());
    let (again, _) = judge(&place.tapes(), &place, &["--cache-size", "0"]);
    assert_same(&anew, &again, "hardly any room");
    assert_eq!(size(), 0, "no room at all");
}

#[test]
fn nothing_is_kept_where_nobody_wants_it_and_a_cache_is_no_tape() {
    let place = varied();
    settle();
    let (anew, _) = judge(&place.tapes(), &place, &["--no-cache"]);
    assert!(!cache(&place).exists());
    place.run(&[]).ended_with(0);
    assert!(!cache(&place).exists(), "lines of JSON are made up from tapes");
    let inside = place.tapes().join("part-1");
    for _ in 0..2 {
        let (files, _) =
            judge(&place.tapes(), &place, &["--cache", inside.to_str().expect("UTF-8")]);
        assert_same(&anew, &files, "a cache within the corpus");
    }
}

#[test]
fn a_cache_that_cannot_be_used_is_told() {
    let place = Place::with_good_tape();
    let file = place.tape("good.jsonl.cache", "");
    let mut command = judging(&place.tapes(), &place, &["--cache"]);
    finish(command.arg(&file)).ended_with(3).complaining("--no-cache");
    let both = ["--no-cache", "--cache", "x"];
    finish(&mut judging(&place.tapes(), &place, &both)).ended_with(2);
}
