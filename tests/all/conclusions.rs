//! What was observed of an exchange is enough to conclude again what the judge concluded.

use crate::causes::{Judged, builtin, extending};
use crate::support::corpus;
use std::ops::ControlFlow;
use std::sync::Arc;
use tapecheck::internals::check::schema::Schemas;
use tapecheck::internals::check::{CheckFiles, Checks, Judge};
use tapecheck::internals::compare::{Rescorer, Side};
use tapecheck::internals::corpus::{Bounds, CorpusReader, Input};
use tapecheck::internals::rulebook::{Rulebook, builtin_names};
use tapecheck::internals::run::for_each_exchange;
use tapecheck::internals::verdict::Outcome;

/// Questions are put to every reply, and two texts of each that claims success are judged.
const TWO_TEXTS: &str = "[errors]\nquestion = \"all\"\n[hidden_failure]\nif = \"business_pattern\"\n\
                         [text]\nsource = \"first_text_block\"\n";

/// How often each outcome came of the bundled recordings, and what was said of them.
fn judged(rulebook: &Arc<Rulebook>) -> ([usize; Outcome::ALL.len()], Side) {
    let mut counts = [0; Outcome::ALL.len()];
    let mut judged = Judged::by(rulebook);
    let schemas = Schemas::new(rulebook.schema.clone());
    let files = CheckFiles { contracts: vec!["todo".to_owned()], ..CheckFiles::default() };
    let checks = Checks::load(&files, &rulebook.criteria).expect("a built-in contract");
    let mut judge = Judge::new(rulebook, &schemas).with_checks(checks);
    let bounds = Bounds::default();
    let reader = CorpusReader::new(&[Input::Path(corpus())], bounds).expect("the corpus");
    let broken = for_each_exchange(reader, &bounds, |located| {
        let verdict = judge.judge(located.as_recorded());
        let again = rulebook.conclude(&verdict.observed());
        if again != verdict.conclusion {
            let (file, line) = (located.file_as_recorded(), located.place().line);
            return ControlFlow::Break(format!("{file}:{line}\n{again:?}\n{verdict:#?}"));
        }
        counts[verdict.conclusion.judgement.outcome as usize] += 1;
        judged.add(located.as_recorded(), &verdict);
        ControlFlow::Continue(())
    });
    let broken = broken.expect("a thread");
    assert_eq!(broken, None, "{}: {}", rulebook.name, broken.as_deref().unwrap_or_default());
    (counts, judged.side)
}

/// The outcomes of the calls of a recording, in their order.
fn outcomes_of(lines: &[&str]) -> Vec<&'static str> {
    outcomes_under("guide", lines)
}

fn outcomes_under(rulebook: &str, lines: &[&str]) -> Vec<&'static str> {
    let place = tempfile::tempdir().expect("a folder");
    let recording = place.path().join("wire.jsonl");
    std::fs::write(&recording, lines.join("\n")).expect("a recording");
    let rulebook = builtin(rulebook);
    let schemas = Schemas::new(rulebook.schema.clone());
    let mut judge = Judge::new(&rulebook, &schemas);
    let bounds = Bounds::default();
    let reader = CorpusReader::new(&[Input::Path(recording)], bounds).expect("a recording");
    let mut outcomes = Vec::new();
    let seen = for_each_exchange(reader, &bounds, |located| {
        outcomes.push(judge.judge(located.as_recorded()).conclusion.judgement.outcome.name());
        ControlFlow::<()>::Continue(())
    });
    seen.expect("a thread");
    outcomes
}

#[test]
fn a_call_that_waits_when_the_recording_ends_is_unknown_and_one_that_is_passed_over_failed() {
    let call = |id: u32| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"ping","arguments":{{}}}}}}"#
        )
    };
    let [first, second, third] = [1, 2, 3].map(call);
    let answer = r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"pong"}]}}"#;
    let outcomes = outcomes_of(&[&first, &second, answer, &third]);
    assert_eq!(outcomes, ["worked", "failed", "unknown"], "answered calls come first");
}

#[test]
fn content_blocks_that_no_protocol_has_make_a_reply_invalid_under_every_rulebook() {
    let with = |content: &str| {
        format!(r#"{{"tool":"get","input":{{}},"response":{{"content":{content}}}}}"#)
    };
    let malformed = [
        "[null]",
        "[7]",
        "[[]]",
        r#"["text"]"#,
        "[{}]",
        r#"[{"text":"done"}]"#,
        r#"[{"type":1,"text":"done"}]"#,
        r#"[{"type":"text"}]"#,
        r#"[{"type":"text","text":null}]"#,
        r#"[{"type":"text","text":{"a":1}}]"#,
        r#"[{"type":"t\u0065xt"}]"#,
        r#"[{"type":"text","text":"done"},null]"#,
    ];
    let fine = [
        r#"[{"type":"text","text":""}]"#,
        r#"[{"type":"text","text":" \n"}]"#,
        r#"[{"type":"hologram","frames":3}]"#,
        r#"[{"type":"image","data":"AA==","mimeType":"image/png"}]"#,
    ];
    for name in builtin_names() {
        for (contents, expected) in [(&malformed[..], "invalid"), (&fine[..], "worked")] {
            let lines: Vec<String> = contents.iter().map(|content| with(content)).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let outcomes = outcomes_under(name, &lines);
            let found: Vec<_> = contents.iter().zip(outcomes).collect();
            assert!(found.iter().all(|(_, outcome)| *outcome == expected), "{name}: {found:#?}");
        }
    }
    let broken_error = r#"{"tool":"get","input":{},"response":{"isError":true,"content":[null]}}"#;
    assert_eq!(outcomes_under("guide", &[broken_error]), ["failed"], "an error without a text");
}

#[test]
fn what_was_observed_is_enough_to_conclude_again() {
    for name in builtin_names() {
        let rulebook = builtin(name);
        let (counts, side) = judged(&rulebook);
        let [not_sent, _, rest @ ..] = counts;
        assert!(not_sent > 0, "{name}: recordings of hosts tell of refused calls");
        assert!(rest.iter().all(|count| *count > 20), "{name}: {counts:?}");
        let rescorer = Rescorer::new(&side, &rulebook).expect("the side keeps what hit");
        let again = rescorer.side();
        for (number, (said, before)) in (0_u32..).zip(again.verdicts.iter().zip(&side.verdicts)) {
            assert_eq!(rescorer.needs_recording(number), None, "{before:?}");
            assert!(said.says_the_same_as(before), "{said:?}\n{before:?}");
        }
    }
    judged(&extending("guide", TWO_TEXTS).expect("good"));
}
