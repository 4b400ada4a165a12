//! Rules that count outcomes.

use super::Outcome;
use super::sample::{Scene, failed, fine, pair, refused, scene, times};
use super::tests::waiver;
use crate::store::NamedVerdict;

#[test]
fn shares_are_looked_at_where_requests_match_if_that_is_asked_for() {
    let mut pairs = times(30, &pair("steady", fine(), fine()));
    pairs.extend(times(14, &pair("down", fine(), fine())));
    pairs.extend(times(16, &pair("down", refused(), failed())));
    pairs.push(pair("small", fine(), failed()));
    let scene = scene(&pairs);
    let policy = |more: &str| format!("[shares]\ntraffic = \"any\"\n{more}");
    assert_eq!(scene.first("[shares]").outcome, Outcome::Skipped);
    let verdict = scene.first(&policy(""));
    assert_eq!(verdict.outcome, Outcome::Fail);
    assert_eq!(verdict.measured, "1 of 3 servers and tools worse");
    let found = &verdict.findings[0].text;
    assert!(found.starts_with("server `down`: 16 of 30 invalid or failed, 0 of 30"), "{found}");
    let strict = "significance = 1e-9\nrise_points = 60";
    assert_eq!(scene.first(&policy(strict)).outcome, Outcome::Pass);
    let waived = waiver("shares", "server = \"down\"", "2027-01-01");
    assert_eq!(scene.first(&policy(&waived)).outcome, Outcome::Waived);
}

#[test]
fn a_server_that_suddenly_refuses_everything_is_found_and_a_few_refusals_are_not() {
    let turned = |refused_now: usize| {
        let calls = |answer: NamedVerdict, count| times(count, &pair("shop", fine(), answer));
        let mut scene =
            scene(&[calls(refused(), refused_now), calls(fine(), 30 - refused_now)].concat());
        for entry in &mut scene.after.entries {
            entry.request.0 += 1000;
        }
        scene
    };
    let verdict = turned(30).first("[shares]");
    assert_eq!(verdict.outcome, Outcome::Fail);
    let found = &verdict.findings[0].text;
    assert!(
        found.starts_with("server `shop`: 30 of 30 refused, invalid or failed, 0 of"),
        "{found}"
    );
    assert_eq!(turned(5).first("[shares]").outcome, Outcome::Pass);
    let mut expected = turned(30);
    expected.after.entries.iter_mut().for_each(|entry| entry.is_error_case = true);
    assert_eq!(expected.first("[shares]").outcome, Outcome::Pass, "callers wanted the errors");
}

/// Calls of a server that worked, and as many that nobody knows the outcome of, with other requests or
/// the same.
fn timed_out(unknown_now: usize, same_requests: bool) -> Scene {
    let unknown = || NamedVerdict { outcome: crate::verdict::Outcome::Unknown, ..fine() };
    let mut pairs = times(60, &pair("steady", fine(), fine()));
    pairs.extend(times(unknown_now, &pair("slow", fine(), unknown())));
    pairs.extend(times(20 - unknown_now, &pair("slow", fine(), fine())));
    let mut scene = scene(&pairs);
    if !same_requests {
        scene.after.entries.iter_mut().for_each(|entry| entry.request.0 += 1000);
    }
    scene
}

#[test]
fn a_server_of_which_no_call_completes_is_absent_however_often_it_is_called() {
    for same_requests in [true, false] {
        let verdict = timed_out(20, same_requests).first("[absent]");
        assert_eq!(verdict.outcome, Outcome::Fail, "{same_requests}");
        let found = &verdict.findings[0].text;
        assert!(found.starts_with("server `slow`: 20 completed calls before, none now"), "{found}");
        assert_eq!(timed_out(12, same_requests).first("[absent]").outcome, Outcome::Pass);
        let waived = waiver("absent", "server = \"slow\"", "2027-01-01");
        let waived = timed_out(20, same_requests).first(&format!("[absent]\n{waived}"));
        assert_ne!(waived.outcome, Outcome::Fail, "{waived:?}");
    }
}

#[test]
fn shares_under_different_rules_say_nothing_of_servers() {
    let mut scene = scene(&times(60, &pair("shop", fine(), failed())));
    scene.after.entries.iter_mut().for_each(|entry| entry.request.0 += 1000);
    assert_eq!(scene.first("[shares]").outcome, Outcome::Fail);
    scene.after.header.rulebook.digest = "another".to_owned();
    let verdict = scene.first("[shares]");
    assert_eq!(verdict.outcome, Outcome::Undecided);
    insta::assert_snapshot!(verdict.skipped_because.expect("a reason"), @"the earlier side was classified with another rulebook or other checks: classify its recordings like the later ones, then compare again");
}
