//! Each kind of rule on hand-made comparisons: what passes, fails, is skipped, is waived.

use super::sample::{Pair, Scene, failed, fine, pair, refused, scene, times};
use super::{NotComparable, Outcome, Policy};
use crate::compare::{UnreadableFiles, compare};
use crate::labels::Label;
use crate::rulebook::Rulebook;
use crate::store::NamedVerdict;
use proptest::prelude::*;
use std::sync::Arc;

/// A hundred exchanges of two servers, three of which now fail.
fn three_regressed() -> Scene {
    let mut pairs = times(60, &pair("github", fine(), fine()));
    pairs.extend(times(37, &pair("files", refused(), refused())));
    pairs.extend(times(2, &pair("files", refused(), failed())));
    pairs.push(Pair { cause: "verbs/cannot", ..pair("github", refused(), failed()) });
    scene(&pairs)
}

pub(super) fn waiver(rule: &str, narrowed: &str, until: &str) -> String {
    format!("\n[[waivers]]\nrule = \"{rule}\"\n{narrowed}\nreason = \"known\"\nuntil = {until}\n")
}

#[test]
fn flips_are_counted_by_what_the_rule_names() {
    let scene = three_regressed();
    for (rule, count) in [
        ("most = 9", 3.0),
        ("most = 9\nkind = \"regressed\"", 3.0),
        ("most = 9\nkind = [\"fixed\", \"changed\"]", 0.0),
        ("most = 9\nkind = [\"fixed\", \"any\"]", 3.0),
        ("most = 9\norigin = \"reply\"", 0.0),
        ("most = 9\norigin = [\"reply\", \"rulebook\"]", 3.0),
        ("most = 9\ncause = \"business_patterns/*\"", 2.0),
        ("most = 9\ncause = [\"*cannot\", \"nothing\"]", 1.0),
    ] {
        let verdict = scene.first(&format!("[flips]\n{rule}"));
        assert_eq!((verdict.value, verdict.outcome), (Some(count), Outcome::Pass), "{rule}");
    }
}

#[test]
fn too_many_flips_fail_with_their_groups_and_where_to_look() {
    let verdict = three_regressed().first("[flips]\nmost = 2\n");
    assert_eq!(verdict.outcome, Outcome::Fail);
    assert_eq!(verdict.measured, "3 calls (3 regressed)");
    assert_eq!(verdict.allowed, "at most 2");
    assert!(verdict.next.as_ref().is_some_and(|next| next.contains("tapecheck diff")));
    let found: Vec<(&str, u64)> =
        verdict.findings.iter().map(|it| (it.text.as_str(), it.exchanges)).collect();
    assert_eq!(
        found,
        [
            (
                "get ×2: refused -> failed · regressed, rulebook changed: pattern 'business_patterns/not found' no longer matches",
                2
            ),
            (
                "get: refused -> failed · regressed, rulebook changed: pattern 'verbs/cannot' no longer matches",
                1
            ),
        ]
    );
    let place = &verdict.findings[0].examples[0];
    assert_eq!((place.file.as_str(), place.line), ("a/recording.jsonl", Some(98)));
    assert_eq!((place.server.as_str(), place.tool.as_str()), ("files", "get"));
    assert_eq!(three_regressed().first("[flips]\nmost = 3").outcome, Outcome::Pass);
}

#[test]
fn waivers_take_exchanges_out_of_the_count_until_they_end() {
    let scene = three_regressed();
    let policy = |narrowed: &str, until: &str| {
        format!("[flips]\nmost = 0\n{}", waiver("flips", narrowed, until))
    };
    // Some, but not all.
    let report = scene.report(&policy("server = \"files\"", "2026-12-31"));
    assert_eq!(report.rules[0].outcome, Outcome::Fail);
    assert_eq!(report.rules[0].measured, "1 call (1 regressed), 2 waived");
    assert_eq!(report.rules[1].outcome, Outcome::Pass, "the waiver is in use");
    // All of them, up to and including the last day.
    for narrowed in ["tool = \"g?t\"", "cause = \"*\"", "", "group = \"0000000*\"\nserver = \"*\""]
    {
        let report = scene.report(&policy(narrowed, "2026-11-21"));
        assert_eq!(report.rules[0].outcome, Outcome::Waived, "{narrowed}");
        assert!(report.rules[0].notes[0].starts_with("waived until 2026-11-21 by line 4"));
        assert!(report.passed);
    }
    // A day later it no longer holds, and says so.
    let report = scene.report(&policy("", "2026-11-20"));
    assert_eq!(report.rules[0].outcome, Outcome::Fail);
    assert!(
        report.rules[0].notes[0].contains("ended on 2026-11-20"),
        "{:?}",
        report.rules[0].notes
    );
    let report = scene.report(&policy("server = \"files\"", "2026-11-20"));
    assert_eq!(report.rules[0].measured, "3 calls (3 regressed)");
    assert!(report.rules[0].notes[0].contains("2 calls (server files) count again"));
    assert_eq!(report.rules[1].outcome, Outcome::Pass);
    assert!(report.rules[1].notes[0].contains("ended on 2026-11-20 and matched nothing"));
}

#[test]
fn a_waiver_that_matches_nothing_is_a_finding() {
    let scene = three_regressed();
    let policy =
        format!("[flips]\nmost = 9\n{}", waiver("flips", "server = \"none\"", "2027-01-01"));
    let report = scene.report(&policy);
    assert!(!report.passed);
    let last = report.rules.last().expect("the line about waivers");
    assert_eq!((last.name.as_str(), last.outcome), ("waivers", Outcome::Fail));
    assert_eq!(last.findings[0].text, "line 4 matches nothing: `flips`, server none");
    let report = scene.report(&format!("unmatched_waivers = \"warn\"\n{policy}"));
    assert!(report.passed);
    assert_eq!(report.rules[1].findings.len(), 1, "it is said all the same");
    // One about the whole rule matches when the rule fails, and only then.
    let whole =
        |most: u32| format!("[flips]\nmost = {most}\n{}", waiver("flips", "", "2027-01-01"));
    assert!(scene.report(&whole(0)).passed);
    assert!(!scene.report(&whole(3)).passed);
}

#[test]
fn a_change_by_several_causes_is_waived_only_where_all_of_them_are() {
    let mut scene = three_regressed();
    let causes = scene.comparison.groups[1].explanation.causes.clone();
    scene.comparison.groups[0].explanation.causes.extend(causes);
    let policy = |cause: &str| {
        let narrowed = format!("cause = \"{cause}\"");
        format!(
            "unmatched_waivers = \"warn\"\n[flips]\nmost = 1\n{}",
            waiver("flips", &narrowed, "2027-01-01")
        )
    };
    assert_eq!(scene.first(&policy("business_patterns/*")).measured, "3 calls (3 regressed)");
    assert_eq!(scene.first(&policy("*")).outcome, Outcome::Waived);
}

#[test]
fn issue_types_that_were_nowhere_before_are_found() {
    let with = |issues: &[&str]| NamedVerdict {
        issues: issues.iter().map(|issue| (*issue).to_owned()).collect(),
        ..fine()
    };
    let pairs = [
        pair("a", with(&["warning empty_content"]), with(&["error empty_content"])),
        pair("a", fine(), with(&["error no_reply", "error no_reply"])),
        pair("b", fine(), with(&["info style_issue"])),
        Pair { before: None, ..pair("c", fine(), with(&["error security_issue"])) },
        Pair { after: None, ..pair("c", with(&["error optimization"]), fine()) },
    ];
    let scene = scene(&pairs);
    let policy = |more: &str| format!("intersect = true\n[new_issue_types]\n{more}");
    let verdict = scene.first(&policy(""));
    assert_eq!((verdict.outcome, verdict.value), (Outcome::Fail, Some(2.0)));
    assert_eq!(verdict.findings[0].text, "new issue type `no_reply` · 1 call");
    assert_eq!(scene.first(&policy("exchanges = \"all\"")).value, Some(3.0));
    let verdict = scene.first(&policy("except = [\"no_*\", \"style_issue\"]"));
    assert_eq!(
        (verdict.outcome, verdict.allowed.as_str()),
        (Outcome::Pass, "only no_*, style_issue")
    );
    let waived = waiver("new_issue_types", "issue_type = \"*\"\nserver = \"?\"", "2027-01-01");
    let verdict = scene.first(&policy(&waived));
    assert_eq!(verdict.outcome, Outcome::Waived);
    assert_eq!(verdict.measured, "0 new types, 2 types waived in 2 calls");
}

#[test]
fn each_exchange_counts_where_the_requests_match_and_shares_do_elsewhere() {
    use Outcome::{Fail, Pass, Skipped};
    let outcomes = |scene: &Scene| {
        let report = scene.report("[worse]\n[shares]\n[absent]\n[unreadable]\n[stricter]");
        report.rules.iter().map(|rule| rule.outcome).collect::<Vec<_>>()
    };
    let same = scene(&times(20, &pair("a", fine(), fine())));
    assert_eq!(outcomes(&same), [Pass, Skipped, Pass, Pass, Pass]);
    let mut pairs = times(19, &pair("a", fine(), fine()));
    pairs.push(pair("a", fine(), failed()));
    assert_eq!(outcomes(&scene(&pairs)), [Fail, Skipped, Pass, Pass, Pass]);
    pairs[19].after = None;
    assert_eq!(outcomes(&scene(&pairs)), [Pass, Skipped, Fail, Pass, Pass]);
    // The same with requests that nobody made before.
    let others = |server: &str, count: usize, verdict: [NamedVerdict; 2]| {
        let [before, after] = verdict;
        let earlier = Pair { after: None, ..pair(server, before, fine()) };
        let later = Pair { before: None, ..pair(server, fine(), after) };
        [times(count, &earlier), times(count, &later)].concat()
    };
    let mut pairs = others("a", 60, [fine(), fine()]);
    assert_eq!(outcomes(&scene(&pairs)), [Skipped, Pass, Pass, Pass, Pass]);
    pairs.extend(others("b", 8, [fine(), failed()]));
    let scene_of_b = scene(&pairs);
    assert_eq!(outcomes(&scene_of_b), [Skipped, Fail, Pass, Pass, Pass]);
    let found = scene_of_b.first("[shares]").findings;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].text, "server `b`: 8 of 8 invalid or failed, 0 of 8 before (p 7.8e-5)");
    assert_eq!(found[0].exchanges, 8);
    for (more, outcome) in [
        ("significance = 0", Fail),
        ("rise_significance = 0", Fail),
        ("significance = 0\nrise_significance = 0", Pass),
        ("significance = 0\nleast_calls = 9", Pass),
    ] {
        assert_eq!(scene_of_b.first(&format!("[shares]\n{more}")).outcome, outcome, "{more}");
    }
    for (narrowed, outcome) in [
        ("server = \"b\"", Outcome::Waived),
        ("tool = \"get\"", Outcome::Waived),
        ("server = \"a\"", Fail),
    ] {
        let waived = waiver("shares", narrowed, "2027-01-01");
        assert_eq!(scene_of_b.first(&format!("[shares]\n{waived}")).outcome, outcome, "{narrowed}");
    }
}

#[test]
fn what_is_no_longer_called_is_absent_where_chance_does_not_explain_it() {
    let alone = |server: &str| {
        let earlier = Pair { after: None, ..pair(server, fine(), fine()) };
        [earlier, Pair { before: None, ..pair(server, fine(), fine()) }]
    };
    let with = |gone: usize, moved: bool| {
        let [earlier, later] = alone("steady");
        let mut pairs = [times(50, &earlier), times(50, &later)].concat();
        pairs.extend(times(gone, &alone("gone")[0]));
        pairs.extend(times(if moved { gone } else { 0 }, &alone("elsewhere")[1]));
        scene(&pairs)
    };
    assert_eq!(with(5, true).first("[absent]").outcome, Outcome::Pass);
    let scene = with(20, true);
    let found = scene.first("[absent]");
    assert_eq!((found.outcome, found.value), (Outcome::Fail, Some(1.0)));
    assert!(
        found.findings[0].text.starts_with("server `gone`: 20 completed calls before, none now"),
        "{:?}",
        found.findings
    );
    assert_eq!(scene.first("[absent]\nsignificance = 1e-9").outcome, Outcome::Pass);
    let waived = waiver("absent", "server = \"gone\"", "2027-01-01");
    assert_eq!(scene.first(&format!("[absent]\n{waived}")).outcome, Outcome::Waived);
}

#[test]
fn equal_replies_under_other_rules_are_judged_by_their_labels() {
    let mut scene = scene(
        &[times(20, &pair("a", fine(), fine())), times(2, &pair("a", refused(), failed()))]
            .concat(),
    );
    let worse_and_stricter = |scene: &Scene| {
        let report = scene.report("[worse]\n[stricter]");
        [report.rules[0].value, report.rules[1].value]
    };
    assert_eq!(worse_and_stricter(&scene), [Some(2.0), Some(0.0)]);
    scene.after.header.rulebook.digest = "0ddba11".to_owned();
    scene.comparison = compare(&scene.before, &scene.after);
    assert_eq!(worse_and_stricter(&scene), [Some(0.0), Some(2.0)]);
    scene.labels.of.insert(20, Label::ToolFailure);
    assert_eq!(worse_and_stricter(&scene), [Some(0.0), Some(1.0)]);
    scene.labels.of.insert(21, Label::BusinessLogic);
    assert_eq!(worse_and_stricter(&scene), [Some(0.0), Some(1.0)], "it was right before");
    scene.labels.of.insert(21, Label::HiddenFailure);
    assert_eq!(worse_and_stricter(&scene), [Some(0.0), Some(1.0)], "it is wrong as before");
    scene.labels.of.insert(21, Label::ToolFailure);
    assert_eq!(worse_and_stricter(&scene), [Some(0.0), Some(0.0)]);
}

#[test]
fn a_server_that_broke_is_found_among_however_many() {
    let scene_of = |lost: usize, of: usize| {
        let mut pairs: Vec<Pair> = (1..30)
            .flat_map(|at| times(10, &pair(&format!("steady {at}"), fine(), fine())))
            .collect();
        pairs.extend(times(lost, &pair("down", fine(), failed())));
        pairs.extend(times(of - lost, &pair("down", fine(), fine())));
        scene(&pairs)
    };
    let policy = |more: &str| format!("[shares]\ntraffic = \"any\"\n{more}");
    let verdict = scene_of(10, 10).first(&policy(""));
    assert_eq!(verdict.outcome, Outcome::Fail);
    assert!(verdict.measured.starts_with("1 of 30 servers"), "{}", verdict.measured);
    assert_eq!(verdict.findings[0].exchanges, 10);
    // Not for a flip or two, unless that is asked for.
    assert_eq!(scene_of(4, 10).first(&policy("")).outcome, Outcome::Pass);
    assert_eq!(scene_of(5, 26).first(&policy("")).outcome, Outcome::Pass);
    let more = "rise_points = 30\nrise_significance = 0.05";
    assert_eq!(scene_of(4, 10).first(&policy(more)).outcome, Outcome::Fail);
}

#[test]
fn what_sides_tell_of_themselves_is_held_against_limits() {
    let mut scene = three_regressed();
    for (rule, outcome) in [
        ("[unreadable_lines]", Outcome::Pass),
        ("[unreadable_lines]\nmost = 1", Outcome::Fail),
        ("[unreadable_lines]\nmost = 2", Outcome::Pass),
    ] {
        assert_eq!(scene.first(rule).outcome, outcome, "{rule}");
    }
    scene.after.header.unreadable = Some(5);
    for (rule, outcome, measured) in [
        ("[unreadable_lines]", Outcome::Fail, "2 -> 5 unreadable lines"),
        ("[unreadable_lines]\nmost_growth = 3", Outcome::Pass, "2 -> 5 unreadable lines"),
        ("[unreadable_lines]\nmost_growth = 3\nmost = 4", Outcome::Fail, "2 -> 5 unreadable lines"),
    ] {
        let verdict = scene.first(rule);
        assert_eq!((verdict.outcome, verdict.measured.as_str()), (outcome, measured), "{rule}");
    }
}

#[test]
fn damaged_files_count_as_unreadable_where_both_sides_tell_of_them() {
    let mut scene = three_regressed();
    let damaged = |damaged: u64| Some(UnreadableFiles { damaged, ..UnreadableFiles::default() });
    scene.after.header.unreadable_files = damaged(1);
    let verdict = scene.first("[unreadable_lines]");
    assert_eq!(verdict.outcome, Outcome::Fail);
    assert_eq!(verdict.measured, "2 -> 3 unreadable lines, 1 damaged file of them");
    scene.before.header.unreadable_files = damaged(1);
    assert_eq!(scene.first("[unreadable_lines]").outcome, Outcome::Pass);
    scene.before.header.unreadable_files = None;
    let verdict = scene.first("[unreadable_lines]");
    assert_eq!(verdict.outcome, Outcome::Pass);
    assert_eq!(verdict.measured, "2 -> 2 unreadable lines, and 1 damaged file");
    let note =
        "whether 1 damaged file is more than before is unknown: the earlier side counts only lines";
    assert_eq!(verdict.notes, [note]);
    for most in ["most = 2", "most = 2\nmost_growth = 9"] {
        let verdict = scene.first(&format!("[unreadable_lines]\n{most}"));
        assert_eq!(verdict.outcome, Outcome::Fail, "how many there are now is known: {most}");
    }
    scene.after.header.unreadable_files = damaged(0);
    let nothing: [&str; 0] = [];
    assert_eq!(scene.first("[unreadable_lines]").notes, nothing, "none cannot be more than before");
    scene.after.header.unreadable_files = None;
    let note = "the later side counts only lines, so damaged files are unknown";
    assert_eq!(scene.first("[unreadable_lines]").notes, [note]);
}

#[test]
fn a_pattern_for_causes_that_fits_nothing_is_told() {
    let mut scene = three_regressed();
    let guide = Arc::new(Rulebook::builtin("guide").expect("built in"));
    (scene.before.rulebook, scene.after.rulebook) = (Some(guide.clone()), Some(guide));
    let notes = |cause: &str| scene.first(&format!("[flips]\nmost = 9\ncause = \"{cause}\"")).notes;
    for cause in
        ["business_patterns/*", "signals.*", "signals.business_pattern", "*.weight", "schema/*"]
    {
        assert_eq!(notes(cause), Vec::<String>::new(), "{cause}");
    }
    for cause in ["busines_patterns/*", "signals.busines_pattern", "signals.busines_*"] {
        let note = format!("`{cause}` matches no pattern, signal or setting of either rulebook");
        assert_eq!(notes(cause), [note]);
    }
}

#[test]
fn what_a_side_does_not_tell_is_skipped_and_said() {
    let mut scene = three_regressed();
    scene.before.header.unreadable = None;
    scene.labels = crate::labels::Labelled::cannot_tell("a baseline keeps no labels");
    for (rule, because) in [
        ("[unreadable_lines]", "the earlier side has no count of unreadable lines"),
        ("[labels]\nleast = 90\nmissing = \"skip\"", "a baseline keeps no labels"),
    ] {
        let report = scene.report(rule);
        assert_eq!(report.rules[0].outcome, Outcome::Skipped);
        assert_eq!(report.rules[0].skipped_because.as_deref(), Some(because));
        assert!(report.says_nothing(), "{rule}");
    }
    assert_eq!(
        scene.first("[unreadable_lines]\nmost = 2").outcome,
        Outcome::Pass,
        "no growth is asked for"
    );
    assert!(!scene.report("[flips]\nmost = 9\n[unreadable_lines]").says_nothing());
}

#[test]
fn agreement_with_labels_is_a_share_with_its_interval() {
    let mut scene = three_regressed();
    let none = scene.report("[labels]\nleast = 90");
    assert_eq!(none.rules[0].outcome, Outcome::Undecided, "there are none");
    assert!(!none.passed);
    let because = none.rules[0].skipped_because.as_deref().unwrap_or_default();
    assert!(because.contains("--labels FILE"), "{because}");
    let skip = "[labels]\nleast = 90\nmissing = \"skip\"";
    assert_eq!(scene.first(skip).outcome, Outcome::Skipped);
    scene.labels.of = (0..60).map(|at| (at, Label::Ok)).collect();
    scene.labels.of.extend((60..100).map(|at| (at, Label::BusinessLogic)));
    scene.labels.unmatched = 2;
    let verdict = scene.first("[labels]\nleast = 97");
    assert_eq!(verdict.outcome, Outcome::Pass);
    assert_eq!(verdict.measured, "97.00 % (97 of 100 labels, 95 % interval 91.55 to 98.97 %)");
    assert_eq!(
        verdict.notes,
        ["2 labels do not match exactly one call; see tapecheck label check"]
    );
    let verdict = scene.first("[labels]\nleast = 97.5");
    assert_eq!(verdict.outcome, Outcome::Fail);
    assert_eq!(
        verdict.findings[0].text,
        "labelled business_logic, classified tool_failure · 3 calls"
    );
    assert_eq!(scene.first("[labels]\nleast = 9\nleast_labels = 101").outcome, Outcome::Undecided);
}

#[test]
fn sides_over_other_exchanges_are_compared_only_where_the_policy_says_so() {
    let mut pairs = times(3, &pair("a", fine(), fine()));
    pairs.push(Pair { before: None, ..pair("b", fine(), failed()) });
    pairs.push(Pair { after: None, ..pair("a", fine(), fine()) });
    let scene = scene(&pairs);
    let policy =
        Policy::from_toml("default = false\n[flips]\nmost = 0", "gate.toml").expect("a policy");
    let error = super::is_comparable(&policy, scene.comparison.overlap).expect_err("other sets");
    assert_eq!(error, NotComparable(scene.comparison.overlap));
    assert_eq!(
        error.to_string(),
        "the sides do not have the same calls: 3 calls in both; 1 only before, 1 only after"
    );
    assert!(scene.report("intersect = true\n[flips]\nmost = 0").passed);
}

#[test]
fn what_is_too_much_is_counted() {
    let pairs: Vec<Pair> = (0..25)
        .map(|at| Pair {
            cause: ["a/1", "b/22", "c/333"][at % 3],
            ..pair(
                &format!("server {at}"),
                NamedVerdict { confidence: at as f64, ..fine() },
                failed(),
            )
        })
        .collect();
    let mut scene = scene(&pairs);
    // As if each had a cause of its own.
    let one = scene.comparison.groups[0].clone();
    scene.comparison.groups = vec![one; 25];
    for (at, flip) in (0..).zip(&mut scene.comparison.flips) {
        flip.group = Some(at);
    }
    let verdict = scene.first("[flips]\nmost = 0");
    assert_eq!(verdict.findings.len(), 10);
    assert_eq!((verdict.left_out.findings, verdict.left_out.exchanges), (15, 15));
    let shown: u64 = verdict.findings.iter().map(|finding| finding.exchanges).sum();
    assert_eq!(shown + verdict.left_out.exchanges, 25);
}

fn any_said() -> impl Strategy<Value = NamedVerdict> {
    prop_oneof![Just(fine()), Just(refused()), Just(failed())]
}

/// A policy of limits between sides: whatever it says, nothing changed.
fn any_policy() -> impl Strategy<Value = String> {
    let counts = (0_u32..3, prop_oneof![Just("any"), Just("regressed"), Just("changed")]);
    (counts, 0_u32..2, 1_u32..4).prop_map(|((most, kind), points, least)| {
        format!(
            "[flips]\nmost = {most}\nkind = \"{kind}\"\n[new_issue_types]\n\
             [shares]\ntraffic = \"any\"\nleast_calls = {least}\nrise_points = {points}\nrise_significance = 0.5\n[unreadable_lines]\n"
        )
    })
}

proptest! {
    #[test]
    fn a_side_held_against_itself_passes_every_policy(
        verdict in prop::collection::vec((any_said(), "[ab]"), 0..30),
        policy in any_policy(),
    ) {
        let pairs: Vec<Pair> =
            verdict.into_iter().map(|(verdict, server)| pair(&server, verdict.clone(), verdict)).collect();
        let mut scene = scene(&pairs);
        let report = scene.report(&policy);
        prop_assert!(report.passed, "{}", super::json(&report));
        scene.after = scene.before.clone();
        scene.comparison = compare(&scene.before, &scene.after);
        let report = scene.report(&policy);
        prop_assert!(report.passed, "{}", super::json(&report));
    }
}
