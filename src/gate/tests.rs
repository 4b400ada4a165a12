//! What comes of policies, in cases, and what holds of any.

use super::sample::{Scene, scene};
use super::{GateReport, NotComparable};
use crate::cases;
use proptest::prelude::*;

fn in_words(report: &GateReport) -> String {
    let passed = if report.passed { "passed" } else { "did not pass" };
    let mut lines = vec![if report.says_nothing() { "says nothing" } else { passed }.to_owned()];
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
