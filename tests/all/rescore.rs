//! Verdicts told again from what was observed are those that judging the recordings again gives.

use crate::causes::{SNIPPETS, builtin, exchanges, extending, side};
use std::sync::Arc;
use tapecheck::internals::compare::{NeedsRecording, Rescorer, Side};
use tapecheck::internals::rulebook::Rulebook;

/// How many exchanges can be told, after holding what is told against what is judged.
fn told(before: &Side, rulebook: &Arc<Rulebook>, about: &str) -> usize {
    let judged = side(&exchanges(), rulebook);
    let rescorer = Rescorer::new(before, rulebook).expect("the side keeps what hit");
    let again = rescorer.side();
    let mut told = 0;
    for ((entry, after), truth) in again.entries.iter().zip(&before.entries).zip(&judged.entries) {
        assert_eq!(entry, after, "calls stay what they are");
        if rescorer.needs_recording(entry.verdict).is_some() {
            continue;
        }
        told += 1;
        let after = &again.verdicts[entry.verdict as usize];
        let truth = &judged.verdicts[truth.verdict as usize];
        assert_eq!(after.judgement(), truth.judgement(), "{about}: {after:?}\n{truth:?}");
        let judgement = rescorer.judgement(entry.verdict, rulebook);
        assert_eq!(judgement, Some(truth.judgement()), "{about}");
        // Where patterns are new, those that do not matter are not known to hit.
        let is_known = truth.hits == after.hits;
        assert!(!is_known || after.says_the_same_as(truth), "{about}: {after:?}\n{truth:?}");
    }
    told
}

#[test]
fn what_is_told_of_other_values_is_what_judging_gives() {
    let exchanges = exchanges();
    let before = side(&exchanges, &builtin("guide"));
    let mut whole = 0;
    for snippet in SNIPPETS {
        let rulebook = extending("guide", snippet).expect("good");
        let told = told(&before, &rulebook, snippet);
        whole += usize::from(told == exchanges.len());
    }
    assert!(whole >= 16, "only {whole} changes can be told of all calls");
}

#[test]
fn the_same_rulebook_says_the_same() {
    for name in tapecheck::internals::rulebook::builtin_names() {
        let exchanges = exchanges();
        let before = side(&exchanges, &builtin(name));
        assert_eq!(told(&before, &builtin(name), name), exchanges.len(), "{name}");
    }
}

#[test]
fn where_every_reply_is_asked_other_weights_are_told() {
    let exchanges = exchanges();
    let all = "[errors]\nquestion = \"all\"\n";
    let before = side(&exchanges, &extending("guide", all).expect("good"));
    for edits in ["", "[factors.business_pattern]\nweight = 9\n", "[score]\nclamp = true\n"] {
        let rulebook = extending("guide", &format!("{all}{edits}")).expect("good");
        assert_eq!(told(&before, &rulebook, edits), exchanges.len(), "{edits}");
    }
}

#[test]
fn other_rulebooks_are_told_as_far_as_they_can_be() {
    let exchanges = exchanges();
    for (from, to) in [
        ("guide", "inspector"),
        ("inspector", "guide"),
        ("guide", "calibrated"),
        ("calibrated", "guide"),
    ] {
        let before = side(&exchanges, &builtin(from));
        let told = told(&before, &builtin(to), &format!("{from} -> {to}"));
        assert!(told < exchanges.len(), "{from} -> {to}: nobody looked for all of it");
    }
}

#[test]
fn what_takes_the_recordings_is_told_as_that() {
    let exchanges = exchanges();
    let before = side(&exchanges, &builtin("guide"));
    let why = |snippet: &str| {
        let rulebook = extending("guide", snippet).expect("good");
        let rescorer = Rescorer::new(&before, &rulebook).expect("the side keeps what hit");
        let numbers = 0..u32::try_from(before.verdicts.len()).expect("few");
        let mut found: Vec<NeedsRecording> =
            numbers.filter_map(|said| rescorer.needs_recording(said).cloned()).collect();
        found.dedup();
        found
    };
    let new = why("[lists.business_patterns]\nadd = [\"teapot\"]\n");
    assert!(
        !new.is_empty() && new.iter().all(|it| matches!(it, NeedsRecording::Patterns(_))),
        "{new:?}"
    );
    // Whoever looked for `not found` knows where a longer text cannot be.
    let longer = why("[lists.business_patterns]\nadd = [\"page not found anywhere\"]\n");
    assert!(longer.is_empty(), "{longer:?}");
    let text = why("[text]\nsource = \"all_text\"\n");
    assert!(text.contains(&NeedsRecording::Text), "{text:?}");
    let schema = why("[schema]\ndialect = \"draft7\"\n");
    assert!(schema.contains(&NeedsRecording::Schema), "{schema:?}");
    let weights = why("[factors.http_status]\nweight = 9\n");
    assert!(weights.is_empty(), "{weights:?}");
}
