//! Policies as people write them, and what comes of them: in cases, and what holds of any.

use super::testing::{Scene, scene};
use super::{GateReport, NotComparable, Policy, PolicyError, RULES};
use crate::cases;
use proptest::prelude::*;

fn in_words(report: &GateReport) -> String {
    let passed = if report.passed { "passed" } else { "did not pass" };
    let mut lines = vec![format!("{}, {passed}", report.state.name())];
    for rule in &report.rules {
        let number = |name, number: Option<f64>| number.map(|number| format!(", {name} {number}"));
        let numbers = [number("found", rule.value), number("limit", rule.limit)];
        let numbers: String = numbers.into_iter().flatten().collect();
        let held = [&rule.measured, &rule.allowed].map(String::as_str).join("; allowed: ");
        lines.push(format!("{} {}{numbers}: {held}", rule.name, rule.outcome.name()));
        let said = [("because", &rule.skipped_because), ("next", &rule.next)];
        let said = said.into_iter().filter_map(|(name, it)| Some((name, it.as_ref()?)));
        let notes = rule.notes.iter().map(|note| ("note", note));
        lines.extend(said.chain(notes).map(|(name, text)| format!("  {name}: {text}")));
        for finding in &rule.findings {
            let places = finding.examples.iter().map(|it| {
                let line = it.line.map_or(String::new(), |line| format!(":{line}"));
                format!(" {}/{} at {}{line}", it.server, it.tool, it.file)
            });
            let places: String = places.collect();
            lines.push(format!("  {} x {}\n   {places}", finding.exchanges, finding.text));
        }
        let left_out = rule.left_out;
        if left_out.findings > 0 {
            let (findings, calls) = (left_out.findings, left_out.exchanges);
            lines.push(format!("  {findings} more findings in {calls} calls"));
        }
    }
    lines.join("\n")
}

#[test]
fn rules_come_out_as_their_cases_list() {
    cases::check("tests/cases/gate.txt", |case| {
        let is_policy = |line: &&str| line.starts_with('[') || line.contains(" = ");
        let of_scene = case.text.lines().take_while(|line| !is_policy(line)).count();
        let lines: Vec<&str> = case.text.lines().collect();
        let (calls, policy) = lines.split_at(of_scene);
        match scene(&calls.join("\n")).report(&policy.join("\n")) {
            Ok(report) => in_words(&report),
            Err(error @ NotComparable(_)) => error.to_string(),
        }
    });
}

fn policy_in_words(policy: &Policy) -> String {
    let rules = policy.rules.iter().map(|rule| {
        let line = rule.line.map_or_else(|| "of the default".to_owned(), |line| line.to_string());
        format!("{line}: {}, {:?}\n", rule.name, rule.limit)
    });
    let waivers = policy.waivers.iter().map(|it| {
        let (line, rule, until, reason) = (it.line, &it.rule, it.until, &it.reason);
        format!("{line}: {rule} waived until {until}: {reason}\n")
    });
    let labels = if policy.asks_for_labels(true) { "asks for labels\n" } else { "" };
    rules.chain(waivers).collect::<String>() + labels
}

#[test]
fn policies_are_what_their_cases_list() {
    cases::check("tests/cases/policies.txt", |case| {
        match Policy::from_toml(&case.text, "gate.toml") {
            Ok(policy) => policy_in_words(&policy),
            Err(PolicyError::Invalid(problems)) => {
                problems.iter().map(|problem| problem.in_words() + "\n").collect()
            }
            Err(error) => error.to_string(),
        }
    });
}

#[test]
fn names_of_causes_are_neither_empty_nor_too_long() {
    let long = "?".repeat(1_000_000);
    for (name, message) in
        [("", "expected a name"), (&long, "expected a name that is not too long")]
    {
        let text = format!("[flips]\nmost = 1\ncause = [\"a\", \"{name}\"]");
        let Err(PolicyError::Invalid(found)) = Policy::from_toml(&text, "gate.toml") else {
            panic!("{message} is an error")
        };
        assert_eq!(found.iter().map(|it| &*it.message).collect::<Vec<_>>(), [message]);
    }
}

#[test]
fn the_default_policy_spells_out_what_its_rules_take_for_granted() {
    let limits = |policy: &Policy| {
        let rules = policy.rules.iter();
        (policy.least_matched, rules.map(|rule| format!("{:?}", rule.limit)).collect::<Vec<_>>())
    };
    let bare = "default = false\n[worse]\n[shares]\n[operator]\n[slower]\n[absent]\n[unreadable]\n[stricter]\n";
    let bare = Policy::from_toml(bare, "gate.toml").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(limits(&bare), limits(&Policy::builtin().expect("built in")));
}

#[test]
fn the_table_of_rules_names_exactly_the_keys_that_are_read() {
    for kind in RULES {
        let text = format!("intersect = true\n[{}]\nzzzzzzzzzzzz = 1", kind.name);
        let Err(PolicyError::Invalid(found)) = Policy::from_toml(&text, "gate.toml") else {
            panic!("{text} is in order")
        };
        let found = found.iter().find(|it| it.message.contains("zzzzzzzzzzzz"));
        let help = found.and_then(|it| it.help.as_deref()).expect("an unknown key");
        let known = help.split("known keys: ").nth(1).expect("the keys");
        let mut known: Vec<&str> = known.split(", ").collect();
        known.sort_unstable();
        let mut documented: Vec<&str> = kind.keys.iter().map(|(key, _)| *key).collect();
        documented.push("name");
        documented.sort_unstable();
        assert_eq!(known, documented, "{}", kind.name);
    }
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
        calls in prop::collection::vec(
            (prop_oneof![Just("worked"), Just("refused"), Just("failed+error_tool_failure")], "[ab]"), 0..30),
        policy in any_policy(),
    ) {
        let lines = calls.iter().map(|(said, server)| format!("1 {server} {said} -> {said};"));
        let Scene { before, .. } = scene(&lines.collect::<String>());
        let report = Scene::of(before.clone(), before).report(&policy).expect("the same calls");
        prop_assert!(report.passed, "{}", super::json(&report));
    }
}
