//! Texts of baselines, there and back, and what is wrong with those that were tampered with.

use super::error::Wrong;
use super::model::{Baseline, Version, told};
use super::read_text::read;
use super::text::PREAMBLE;
use crate::check::CheckFiles;
use crate::corpus::{Bounds, Input};
use crate::rulebook::Rulebook;
use crate::run::{Emit, Observer, RunPlan, run};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

fn judged(collection: &str) -> Baseline {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(collection);
    let rulebook = Arc::new(Rulebook::builtin("guide").expect("built in"));
    let plan = RunPlan {
        inputs: vec![Input::Path(folder)],
        checks: CheckFiles::default(),
        bounds: Bounds::default(),
        threads: 2,
        emit: Emit::Tables,
    };
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path().join("run");
    run(&plan, &rulebook, &folder, &Unwatched).expect("readable");
    Baseline::of_run(&folder).expect("readable")
}

struct Unwatched;

impl Observer for Unwatched {
    fn begin(&self, _total: &dyn Fn() -> u64, _taken: Arc<AtomicU64>) {}
    fn end(&self) {}
}

fn again(text: &str) -> Baseline {
    read(text, "again").unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// What is said of whom, whatever the numbers.
fn lines(baseline: &Baseline) -> Vec<String> {
    let lines = (0..baseline.side.entries.len()).map(|at| baseline.line(at));
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines
}

#[test]
fn a_baseline_comes_back_from_its_text() {
    for collection in ["replies", "odd", "judge-results", "envelopes", "contracts"] {
        let baseline = judged(collection);
        let text = baseline.file_text();
        let back = again(&text);
        assert_eq!(back.file_text(), text, "{collection}");
        assert_eq!(back.side.key_digits, 12);
        assert_eq!(back.side.entries.len(), baseline.side.entries.len());
        let mut header = back.side.header;
        header.name.clone_from(&baseline.side.header.name);
        // Files are the run's affair: a baseline is about exchanges.
        assert_eq!(header, baseline.side.header);
    }
}

#[test]
fn lines_are_readable() {
    let text = judged("odd").text();
    let has =
        |line: &str| assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    has("not plainly fine 21");
    has("  business logic 4");
    has(
        "broken 0 | unknown/ 8d8619d650e0<6e1e324e5bf4 x6 | error empty_content | result ground empty_content",
    );
    has("fully_working 100 | unknown/listed_late | result");
    has("  ff541992148d<347451f33728");
}

#[test]
fn keys_get_as_many_digits_as_it_takes() {
    let mut baseline = judged("odd");
    let first = baseline.side.entries[0].key.0;
    baseline.side.entries[1].key.0 = first ^ (1 << 72);
    let text = baseline.text();
    assert!(text.contains("\nkey digits 16\n"), "{text}");
    assert_eq!(again(&text).side.key_digits, 16);
    baseline.side.entries[1].key.0 = first ^ 1;
    assert!(baseline.text().contains("\nkey digits 32\n"));
}

fn wrong(edit: impl Fn(&str) -> String) -> Wrong {
    let text = judged("replies").file_text();
    let edited = edit(&text);
    assert_ne!(edited, text, "the edit changes something");
    read(&edited, "edited").expect_err("it is wrong")
}

#[test]
fn what_was_tampered_with_is_refused() {
    let conflict = wrong(|text| text.replacen("\nexchanges", "\n<<<<<<< ours\nexchanges", 1));
    assert!(matches!(conflict, Wrong::Conflict { line: 14 }), "{conflict:?}");
    let none = wrong(|text| text.replacen("tapecheck-baseline/2\n", "", 1));
    assert!(matches!(none, Wrong::NoHeader), "{none:?}");
    let none = wrong(|_| PREAMBLE.to_owned());
    assert!(matches!(none, Wrong::NoHeader), "{none:?}");
    let future = wrong(|text| text.replacen("baseline/2", "baseline/12", 1));
    assert!(matches!(&future, Wrong::Future { version } if version == "12"), "{future:?}");
    let worse = wrong(|text| text.replacen("\nbroken 0 |", "\nterrible 0 |", 1));
    assert!(worse.to_string().contains("`terrible` means nothing here"), "{worse}");
    let better = wrong(|text| text.replacen("\nbroken 0 |", "\nfully_working 0 |", 1));
    assert!(
        matches!(&better, Wrong::Counts { name, .. } if name.contains("fully_working")),
        "{better}"
    );
    let lost = wrong(|text| {
        let line = text.lines().find(|line| line.starts_with("broken 0 |")).expect("a line");
        text.replacen(&format!("{line}\n"), "", 1)
    });
    assert!(
        matches!(&lost, Wrong::Counts { name, told: 76, found: 75 } if name == "not plainly fine"),
        "{lost}"
    );
    let many = wrong(|text| text.replacen(" | tool_error", " x99999999999 | tool_error", 1));
    assert!(many.to_string().contains("more exchanges than the 169"), "{many}");
    let cut = wrong(|text| text[..text.len() / 2].to_owned());
    assert!(matches!(cut, Wrong::Line { .. } | Wrong::Counts { .. }), "{cut:?}");
}

#[test]
fn every_cut_of_a_text_is_refused_and_nothing_panics() {
    let text = judged("odd").file_text();
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        assert!(read(&text[..end], "cut").is_err(), "cut at {end} of {}", text.len());
    }
}

const FIRST: &str = "---\nsource: tests/all/snapshots.rs\n---\ntapecheck-baseline/1\ncorpus c7\nrulebook guide 83\nexchanges 10\n  fully_working 8\n  broken 2\n  business logic 1\nnot plainly fine 3\ngarden/ [24] 476647349591 result broken 0 | error malformed_result\ngarden/no such [-] 72b130b0ba17 protocol_error fully_working 66.6667 | business logic 0.3333 of 0.5 by mcp code | mcp_code textual_evidence\nunknown/ [a b] 8d8619d650e0 no_reply broken 0 | error no_reply\n";

#[test]
fn the_first_version_stays_readable() {
    let baseline = again(FIRST);
    assert_eq!(
        (baseline.version, baseline.unlisted, baseline.exchanges()),
        (Version::First, 7, 10)
    );
    assert_eq!(
        lines(&baseline)[2],
        "fully_working 66.6667, business logic | garden/no such 72b130b0ba17 | protocol_error ground \
         unknown | score 0.3333 of 0.5 by mcp code | facts mcp_code textual_evidence | hits unknown"
    );
    assert_eq!(baseline.id(2), Some("a b"));
    let wrong = read(&FIRST.replace("plainly fine 3", "plainly fine 4"), "").expect_err("wrong");
    assert!(matches!(wrong, Wrong::Counts { told: 4, found: 3, .. }), "{wrong:?}");
    let wrong =
        read(&FIRST.replace(" broken 0 | error m", " broken | error m"), "").expect_err("wrong");
    assert!(wrong.to_string().contains("line 12"), "{wrong}");
}

#[test]
fn both_versions_tell_the_same_where_the_first_told_anything() {
    let baseline = judged("replies");
    let mut said = baseline.side.said[0].clone();
    (said.error_kind, said.facts) = (Some("timeout".to_owned()), vec!["a".to_owned()]);
    (said.confidence, said.hidden_failure) = (200.0 / 3.0, Some(false));
    let mut read_back = said.clone();
    (read_back.error_kind, read_back.facts) = (None, vec!["timeout".to_owned(), "a".to_owned()]);
    (read_back.confidence, read_back.hidden_failure, read_back.ground) = (66.6667, None, None);
    assert_eq!(told(&said, Version::First), told(&read_back, Version::First));
    assert_ne!(told(&said, Version::Second), told(&read_back, Version::Second));
}
