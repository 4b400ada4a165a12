//! A run folder read back for comparing.

use crate::harness::Place;
use crate::support::Judged;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use tapecheck::internals::compare::{Matched, match_sides, read_run};
use tapecheck::internals::rulebook::builtin_names;

#[test]
fn a_side_says_of_every_exchange_what_its_verdict_says() {
    for rulebook in builtin_names() {
        let judged = Judged::corpus(rulebook);
        let side = read_run(judged.folder()).expect("a run");
        assert_eq!(side.entries.len(), judged.verdicts.len());
        assert_eq!(side.header.rulebook.name, *rulebook);
        let digest = &side.rulebook.as_ref().expect("it is kept").digest;
        assert_eq!(*digest, side.header.rulebook.digest);
        let summary = &judged.finished.summary;
        assert_eq!(side.header.overall_confidence, Some(summary.overall_confidence));
        for (entry, verdict) in side.entries.iter().zip(&judged.verdicts) {
            let said = &side.verdicts[entry.verdict as usize];
            let key = verdict["key"].as_str().expect("a key");
            assert_eq!(entry.key.to_string(), key);
            assert_eq!(side.names.get(entry.server), verdict["server"], "{key}");
            assert_eq!(side.names.get(entry.tool), verdict["tool"], "{key}");
            assert_eq!(said.class.name(), verdict["classification"], "{key}");
            assert_eq!(Some(said.confidence), verdict["confidence_percent"].as_f64(), "{key}");
            assert_eq!(said.is_valid, verdict["is_valid"], "{key}");
            assert_eq!(said.business_logic, verdict["business_logic"].as_bool(), "{key}");
            assert_eq!(said.score, verdict["score"].as_f64(), "{key}");
            let decided_by = verdict.get("decided_by").and_then(|line| line.as_str());
            assert_eq!(said.decided_by.as_deref(), decided_by, "{key}");
            let signals = verdict["signals"].as_object().expect("signals");
            let holding =
                signals.iter().filter(|(_, holds)| **holds == true).map(|(signal, _)| signal);
            assert_eq!(said.signals, holding.cloned().collect::<Vec<_>>(), "{key}");
            let issues = verdict["issues"].as_array().expect("issues").iter();
            let name = |issue: &serde_json::Value| {
                let text = |member: &str| issue[member].as_str().expect("a text").to_owned();
                format!("{} {}", text("severity"), text("type"))
            };
            let mut issues: Vec<String> = issues.map(name).collect();
            issues.sort();
            assert_eq!(said.issues, issues, "{key}");
            let hits = verdict["hits"].as_array().expect("hits");
            let patterns: HashSet<String> = hits
                .iter()
                .map(|hit| hit["pattern"].as_str().expect("a text").to_owned())
                .collect();
            let named = &said.hits;
            assert_eq!(named.is_empty(), patterns.is_empty(), "{key}");
            assert!(named.iter().all(|name| patterns.iter().any(|text| name.contains(text))));
        }
    }
}

#[test]
fn a_run_matches_itself_and_another_rulebooks_exchange_by_exchange() {
    let sides = ["guide", "inspector"]
        .map(|rulebook| read_run(Judged::corpus(rulebook).folder()).expect("a run"));
    for other in &sides {
        let matching = match_sides(&sides[0], other);
        let count = u32::try_from(sides[0].entries.len()).expect("few");
        let expected: Vec<_> = (0..count).map(|at| (at, at, Matched::Exchange)).collect();
        assert_eq!(matching.pairs, expected);
        assert!(matching.only_a.is_empty() && matching.only_b.is_empty());
    }
    let ids = |side: usize| -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for entry in &sides[side].entries {
            *counts
                .entry(format!("{:?}", sides[side].verdicts[entry.verdict as usize].class))
                .or_default() += 1;
        }
        counts
    };
    assert_ne!(ids(0), ids(1), "the rulebooks do not agree");
}

/// A finished run of three exchanges.
fn small_run() -> (Place, PathBuf) {
    let place = Place::with_good_recording();
    place.run(&["--rulebook", "guide"]).ended_with(0);
    let out = place.out();
    (place, out)
}

/// Something done to a run folder.
type Damage<'d> = &'d dyn Fn(&PathBuf);

#[test]
fn whatever_is_wrong_with_a_run_is_said_with_its_place() {
    let complaint = |damage: Damage<'_>| {
        let (_place, out) = small_run();
        damage(&out);
        read_run(&out).expect_err("damaged").to_string()
    };
    let remove = |name: &'static str| {
        move |out: &PathBuf| std::fs::remove_file(out.join(name)).expect("it was there")
    };
    let edit = |name: &'static str, from: &'static str, to: &'static str| {
        move |out: &PathBuf| {
            let text = std::fs::read_to_string(out.join(name)).expect("a text");
            assert!(text.contains(from));
            std::fs::write(out.join(name), text.replacen(from, to, 1)).expect("writable");
        }
    };
    let cut = |name: &'static str| {
        move |out: &PathBuf| {
            let bytes = std::fs::read(out.join(name)).expect("a file");
            std::fs::write(out.join(name), &bytes[..bytes.len() / 2]).expect("writable");
        }
    };
    let cases: [(Damage<'_>, &str); 7] = [
        (&|out| std::fs::remove_dir_all(out).expect("it was there"), "does not exist"),
        (&remove("manifest.json"), "is not a tapecheck run"),
        (
            &edit("manifest.json", "tapecheck-run/10", "tapecheck-run/9"),
            "of format tapecheck-run/9",
        ),
        (&edit("manifest.json", "\"exchanges\": 3", "\"exchanges\": 4"), "counts 4 calls"),
        (&remove("rulebook.toml"), "an earlier version of tapecheck wrote the run; run again"),
        (&edit("rulebook.toml", "0.", "0.0"), "is not the run's rulebook"),
        (&cut("verdicts.parquet"), "verdicts.parquet"),
    ];
    for (damage, expected) in cases {
        let said = complaint(damage);
        assert!(said.contains(expected), "{said}");
    }
}
