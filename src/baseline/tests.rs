//! Texts of baselines, there and back, and what is wrong with those that were tampered with.

use super::Wrong;
use super::file::read_text;
use super::model::{Baseline, Note};
use crate::compare::read_run;
use crate::corpus::Input;
use crate::redact::Redactor;
use crate::rulebook::Rulebook;
use crate::run::{RunPlan, run};
use std::path::Path;
use std::sync::Arc;

fn judged(collection: &str) -> Baseline {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(collection);
    let rulebook = Arc::new(Rulebook::builtin("guide").expect("built in"));
    let plan = RunPlan {
        inputs: vec![Input::Path(folder)],
        redactor: Redactor::none(),
        ..RunPlan::default()
    };
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path().join("run");
    run(&plan, &rulebook, &folder, &()).expect("readable");
    Baseline::of_run(&folder, read_run(&folder).expect("readable")).expect("readable")
}

fn again(text: &str) -> Baseline {
    read_text(text, Path::new("again")).unwrap_or_else(|wrong| panic!("{wrong}"))
}

#[test]
fn a_baseline_comes_back_from_its_text() {
    for collection in ["replies", "odd", "judge-results", "envelopes", "contracts"] {
        let baseline = judged(collection);
        let back = again(&baseline.file_text());
        assert_eq!(back.file_text(), baseline.file_text(), "{collection}");
        assert_eq!(back.side.key_digits, 12);
        assert_eq!(back.side.entries.len(), baseline.side.entries.len());
        let mut header = back.side.header;
        header.name.clone_from(&baseline.side.header.name);
        // What is masked changes no verdict, and baselines do not say it.
        header.redaction.clone_from(&baseline.side.header.redaction);
        // Files are the run's affair: a baseline is about exchanges.
        assert_eq!(header, baseline.side.header);
    }
}

#[test]
fn what_insta_adds_to_its_own_lines_changes_nothing() {
    let text = judged("odd").file_text();
    let with_more = text.replacen("---\n", "---\nassertion_line: 7\n", 1);
    assert_eq!(again(&with_more).file_text(), text);
    let edited = with_more.replacen("{\"server\"", "{\"servant\"", 1);
    let line = edited.lines().take_while(|line| !line.contains("servant")).count() + 1;
    let wrong = read_text(&edited, Path::new("edited")).expect_err("it is wrong");
    assert!(matches!(wrong, Wrong::Line { line: told, .. } if told == line), "{wrong:?}");
}

#[test]
fn lines_are_readable() {
    let mut baseline = judged("odd");
    // Whatever ids and replies hold, they come back and act on nobody who shows them.
    let odd = ["a | b x2 [1] ", "ends with \\", "\u{202e}\u{1b}[2J\n", "{\"verdict\":"];
    for (note, text) in baseline.notes.iter_mut().zip(odd.iter().cycle()) {
        *note = Note { id: Some((*text).into()), text: Some((*text).into()) };
    }
    let baseline = Baseline::new(baseline.side, baseline.notes);
    let text = baseline.file_text();
    insta::assert_snapshot!(text.lines().skip(3).take(30).collect::<Vec<_>>().join("\n"));
    let worked = text.lines().filter(|line| line.contains(r#""outcome":"worked","verdict""#));
    assert!(worked.map(str::len).max().expect("calls that worked") <= 250);
    let back = again(&text);
    assert_eq!(back.file_text(), text);
    let ids =
        |baseline: &Baseline| baseline.notes.iter().map(|note| note.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&back), ids(&baseline));
}

#[test]
fn keys_get_as_many_digits_as_it_takes() {
    let mut baseline = judged("odd");
    let first = baseline.side.entries[0].key.0;
    baseline.side.entries[1].key.0 = first ^ (1 << 72);
    let text = baseline.file_text();
    assert!(text.contains("\"key_digits\": 16,"), "{text}");
    assert_eq!(again(&text).side.key_digits, 16);
    baseline.side.entries[1].key.0 = first ^ 1;
    assert!(baseline.file_text().contains("\"key_digits\": 32,"));
}

/// A text in which the first of these is replaced by the second.
fn wrong(from: &str, to: &str) -> Wrong {
    let text = judged("replies").file_text();
    let edited = text.replacen(from, to, 1);
    assert_ne!(edited, text, "{from} is not in\n{text}");
    read_text(&edited, Path::new("edited")).expect_err("it is wrong")
}

#[test]
fn what_was_tampered_with_is_refused() {
    let text = judged("replies").file_text();
    // Of several that have one verdict, the first line.
    let worked =
        text.split_inclusive('\n').find(|line| line.contains("\"outcome\":\"worked\",\"verdict\""));
    let worked = worked.expect("a call that worked");
    let refused = text.lines().find(|line| line.contains("refused") && line.contains("because"));
    let refused = refused.expect("a refusal");
    let many = refused.replacen(",\"because\"", ",\"times\":99999999999,\"because\"", 1);
    let verdict = text.split_inclusive('\n').find(|line| line.starts_with("{\"verdict\""));
    let verdict = verdict.expect("a verdict");
    let conflict = wrong("  \"calls\"", "<<<<<<< ours\n  \"calls\"");
    assert!(matches!(conflict, Wrong::Conflict { line: 22 }), "{conflict:?}");
    for (from, to, because) in [
        ("tapecheck_baseline", "taper", "not a tapecheck baseline"),
        ("---\n", "", "not a tapecheck baseline"),
        ("baseline\": 7", "baseline\": 13", "its format is 13, this program reads 7"),
        (
            "\"classification\":\"broken\"",
            "\"classification\":\"terrible\"",
            "unknown variant `terrible`",
        ),
        (
            "\"classification\":\"broken\"",
            "\"classification\":\"fully_working\"",
            "counts 118 of `fully_working`",
        ),
        (worked, "", "counts 169 calls, but there are 168"),
        (refused, &many, "more calls than the 169"),
        ("{\"verdict\":\"", "{\"verdict\":\"0", "no call has the verdict"),
        (verdict, "", " is missing"),
        ("\"key\":\"", "\"key\":\"x", " is not a key of 12 digits"),
    ] {
        let wrong = wrong(from, to).to_string();
        assert!(wrong.contains(because), "{from} -> {to}: {wrong}");
    }
    let older = "---\nsource: tapecheck snapshot\n---\ntapecheck-baseline/6\ndigest 5\n";
    let older = read_text(older, Path::new("older")).expect_err("it is older");
    assert!(matches!(&older, Wrong::Format { found } if found == "6"), "{older:?}");
}

#[test]
fn every_cut_of_a_text_is_refused_and_nothing_panics() {
    let text = judged("odd").file_text();
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        let read = read_text(&text[..end], Path::new("cut"));
        assert!(read.is_err(), "cut at {end} of {}", text.len());
    }
}
