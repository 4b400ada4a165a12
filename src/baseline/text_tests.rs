//! Texts of baselines, there and back, and what is wrong with those that were tampered with.

use super::error::Wrong;
use super::model::Baseline;
use super::read_text::read;
use super::text::PREAMBLE;
use super::wrap::WIDTH;
use crate::check::CheckFiles;
use crate::corpus::{Bounds, Input};
use crate::redact::Redactor;
use crate::rulebook::Rulebook;
use crate::run::{Observer, RunPlan, run};
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
        lines: None,
        redactor: Redactor::none(),
        keeps_texts: false,
        part: None,
        journal: None,
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

fn file_text(baseline: &Baseline) -> String {
    PREAMBLE.to_owned() + &baseline.text()
}

#[test]
fn a_baseline_comes_back_from_its_text() {
    for collection in ["replies", "odd", "judge-results", "envelopes", "contracts"] {
        let baseline = judged(collection);
        let text = file_text(&baseline);
        let back = again(&text);
        assert_eq!(file_text(&back), text, "{collection}");
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
fn lines_are_readable() {
    let text = judged("odd").text();
    let has =
        |line: &str| assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    has("  business logic 4");
    has("# unknown/listed_late");
    has("  worked 7f91c9e5 ff541992148d<347451f33728");
}

#[test]
fn ids_and_replies_come_back_whatever_they_hold() {
    let mut baseline = judged("odd");
    let long = "a".repeat(300);
    for (note, text) in
        baseline.notes.iter_mut().zip(["a | b x2 [1] ", "ends with \\", &long].iter().cycle())
    {
        *note = super::model::Note { id: Some((*text).into()), text: Some((*text).into()) };
    }
    let baseline = Baseline::new(baseline.side, baseline.notes);
    let text = file_text(&baseline);
    assert!(text.lines().all(|line| line.chars().count() <= WIDTH + 1), "{text}");
    let back = again(&text);
    assert_eq!(file_text(&back), text);
    let ids =
        |baseline: &Baseline| baseline.notes.iter().map(|note| note.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&back), ids(&baseline));
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
    let text = file_text(&judged("replies"));
    let edited = edit(&text);
    assert_ne!(edited, text, "the edit changes something");
    read(&edited, "edited").expect_err("it is wrong")
}

#[test]
fn what_was_tampered_with_is_refused() {
    let conflict = wrong(|text| text.replacen("\nexchanges", "\n<<<<<<< ours\nexchanges", 1));
    assert!(matches!(conflict, Wrong::Conflict { line: 14 }), "{conflict:?}");
    let none = wrong(|text| text.replacen("tapecheck-baseline/6\n", "", 1));
    assert!(matches!(none, Wrong::NoHeader), "{none:?}");
    let none = wrong(|_| PREAMBLE.to_owned());
    assert!(matches!(none, Wrong::NoHeader), "{none:?}");
    for grammar in ["4", "13"] {
        let other = wrong(|text| text.replacen("baseline/6", &format!("baseline/{grammar}"), 1));
        assert!(matches!(&other, Wrong::Grammar { found } if found == grammar), "{other:?}");
    }
    let worse = wrong(|text| text.replacen(" invalid broken 0 |", " invalid terrible 0 |", 1));
    assert!(worse.to_string().contains("`terrible` is unexpected here"), "{worse}");
    let better =
        wrong(|text| text.replacen(" invalid broken 0 |", " invalid fully_working 0 |", 1));
    assert!(
        matches!(&better, Wrong::Counts { name, .. } if name.contains("fully_working")),
        "{better}"
    );
    let first = |text: &str, beginning: &str| -> String {
        let is_single = |line: &&str| line.starts_with(beginning) && !line.contains("] x");
        let line = text.lines().find(is_single).expect("a line");
        format!("{line}\n")
    };
    let lost = wrong(|text| text.replacen(&first(text, "  worked "), "", 1));
    assert!(
        matches!(&lost, Wrong::Counts { name, stated: 169, found: 168 } if name == "exchanges"),
        "{lost}"
    );
    let many = wrong(|text| {
        let line = first(text, "  refused ");
        text.replacen(&line, &line.replacen(" | ", " x99999999999 | ", 1), 1)
    });
    assert!(many.to_string().contains("more calls than the 169"), "{many}");
    let renamed = wrong(|text| {
        let (calls, verdicts) = text.split_once("\nverdicts\n").expect("verdicts");
        format!("{calls}\nverdicts\n0{}", &verdicts[1..])
    });
    assert!(renamed.to_string().contains("no call has the verdict"), "{renamed}");
    let unknown = wrong(|text| {
        let (calls, verdicts) = text.split_once("\nverdicts\n").expect("verdicts");
        let (_, others) = verdicts.split_once('\n').expect("several");
        format!("{calls}\nverdicts\n{others}")
    });
    assert!(unknown.to_string().contains(" is missing"), "{unknown}");
    let cut = wrong(|text| text[..text.len() / 2].to_owned());
    assert!(matches!(cut, Wrong::Line { .. } | Wrong::Counts { .. }), "{cut:?}");
}

#[test]
fn every_cut_of_a_text_is_refused_and_nothing_panics() {
    let text = file_text(&judged("odd"));
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        assert!(read(&text[..end], "cut").is_err(), "cut at {end} of {}", text.len());
    }
}
