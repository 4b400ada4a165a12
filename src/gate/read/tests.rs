//! Policies as people write them, and everything they get wrong told at its place.

use crate::gate::{Policy, PolicyError, RuleKind};

/// One of each, as the reference document shows them.
const EVERYTHING: &str = r#"
about = "Nightly runs of the recordings."
intersect = true
unmatched_waivers = "warn"

[[flips]]
most = 0
kind = "regressed"

[[flips]]
name = "not found"
most = 5
kind = ["changed", "fixed"]
origin = ["rulebook", "several"]
cause = "business_patterns/*"

[new_issue_types]
except = ["schema_*"]
exchanges = "all"

[shares]
traffic = "any"
least_calls = 20
significance = 0.02
rise_points = 50

[timeouts]
most = 2.5

[unreadable_lines]
most_growth = 0
most = 10

[labels]
least = 95
least_labels = 50
missing = "skip"

[[waivers]]
rule = "flips"
cause = "business_patterns/*"
server = "github"
reason = "The server was down for maintenance."
until = 2026-12-01

[[waivers]]
rule = "unreadable_lines"
reason = "The machine is shared this week."
until = "2026-11-30"
"#;

fn problems(text: &str) -> Vec<(usize, String)> {
    match Policy::from_toml(text, "gate.toml") {
        Err(PolicyError::Invalid(problems)) => problems
            .into_iter()
            .map(|problem| {
                let help = problem.help.map_or_else(String::new, |help| format!(" ({help})"));
                (problem.line, problem.message + &help)
            })
            .collect(),
        other => panic!("expected problems: {other:?}"),
    }
}

#[track_caller]
fn only_problem(text: &str) -> String {
    let mut found = problems(text);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0).1
}

#[test]
fn rules_and_waivers_of_all_kinds_are_read_in_the_order_of_the_file() {
    let policy =
        Policy::from_toml(EVERYTHING, "gate.toml").unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<&str> = policy.rules.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "flips",
            "not found",
            "new_issue_types",
            "shares",
            "timeouts",
            "unreadable_lines",
            "labels",
            "worse",
            "slower",
            "absent",
            "unreadable",
            "stricter",
        ],
        "those of the default policy that the file does not replace are last"
    );
    let lines: Vec<u64> = policy.rules.iter().filter_map(|rule| rule.line).collect();
    assert_eq!(lines.len(), 7);
    assert!(lines.is_sorted() && lines[0] == 6, "{lines:?}");
    assert_eq!(policy.waivers.len(), 2);
    assert_eq!(policy.waivers[0].until.to_string(), "2026-12-01");
    assert!(policy.asks_for_labels(true));
}

#[test]
fn every_mistake_is_told_at_once_with_its_line() {
    let text = r#"intersect = "yes"
unmatched_waiver = "warn"

[flips]
kind = "regresed"
mosst = 1

[[waivers]]
rule = "flipps"
server = "a"
until = "2026-02-30"
"#;
    let found = problems(text);
    let known_seconds: Vec<String> =
        found.iter().map(|(line, message)| format!("{line}: {message}")).collect();
    for expected in [
        "1: expected true or false",
        "2: unknown key `unmatched_waiver` (did you mean `unmatched_waivers`?)",
        "4: `most` is missing here",
        "5: `regresed` is not one of regressed, fixed, stricter, more_lenient, changed, any (did you mean `regressed`?)",
        "6: unknown key `mosst` (did you mean `most`?)",
        "8: `reason` is missing here",
        "11: expected a day, as YYYY-MM-DD",
    ] {
        assert!(
            known_seconds.iter().any(|line| line.starts_with(expected)),
            "{expected}: {known_seconds:#?}"
        );
    }
}

#[test]
fn a_policy_without_a_rule_is_none() {
    assert!(only_problem("default = false").contains("at least one rule: [worse], [shares]"));
    assert!(only_problem("default = false\nabout = \"x\"").contains("at least one rule"));
    assert!(
        only_problem("[flip]\nmost = 0").contains("did you mean `flips`?"),
        "one mistake, told once"
    );
    assert!(only_problem("= 1").starts_with("this is not TOML"));
}

#[test]
fn a_file_overrides_the_default_kind_by_kind() {
    let rules = |text: &str| {
        let policy = Policy::from_toml(text, "gate.toml").unwrap_or_else(|error| panic!("{error}"));
        let rules = policy.rules.iter().map(|rule| (rule.name.clone(), rule.line));
        rules.collect::<Vec<_>>()
    };
    let named = |text: &str| rules(text).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let builtin: Vec<_> =
        Policy::builtin().expect("built in").rules.iter().map(|rule| rule.name.clone()).collect();
    assert_eq!(builtin, ["worse", "shares", "slower", "absent", "unreadable", "stricter"]);
    assert_eq!(named("about = \"Only people read this.\""), builtin);
    assert!(rules("").iter().all(|(_, line)| line.is_none()));
    let text = "[flips]\nmost = 9\n[shares]\nsignificance = 0.5\n";
    let expected = ["flips", "shares", "worse", "slower", "absent", "unreadable", "stricter"];
    assert_eq!(named(text), expected);
    assert_eq!(rules(text)[..2], [("flips".to_owned(), Some(1)), ("shares".to_owned(), Some(3))]);
    let several = "[[absent]]\nname = \"a\"\n[[absent]]\nname = \"b\"\nsignificance = 0.1\n";
    assert_eq!(named(several), ["a", "b", "worse", "shares", "slower", "unreadable", "stricter"]);
    assert_eq!(named(&format!("default = false\n{text}")), ["flips", "shares"]);
    let taken = only_problem("[flips]\nname = \"worse\"\nmost = 1\n");
    assert!(taken.contains("the default policy has a rule `worse` of another kind"), "{taken}");
    let waiver =
        "[[waivers]]\nrule = \"absent\"\nserver = \"a\"\nreason = \"moved\"\nuntil = 2026-12-01\n";
    assert_eq!(named(waiver), builtin, "waivers may stand alone");
}

#[test]
fn the_default_policy_spells_out_what_its_rules_take_for_granted() {
    let limits = |policy: &Policy| {
        let rules = policy.rules.iter();
        (policy.least_matched, rules.map(|rule| rule.limit.clone()).collect::<Vec<_>>())
    };
    let bare = "default = false\n[worse]\n[shares]\n[slower]\n[absent]\n[unreadable]\n[stricter]\n";
    let bare = Policy::from_toml(bare, "gate.toml").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(limits(&bare), limits(&Policy::builtin().expect("built in")));
}

#[test]
fn rules_have_names_of_their_own() {
    let text = "[[flips]]\nmost = 0\n[[flips]]\nmost = 1\n";
    assert_eq!(
        only_problem(text),
        "the rule `flips` is defined twice (give each a `name` of its own)"
    );
    assert!(only_problem("[flips]\nmost = 0\nname = \"waivers\"").contains("choose another"));
    assert!(only_problem("[flips]\nmost = 0\nname = \"a\\nb\"").contains("one line"));
    assert!(only_problem("[flips]\nmost = 0\nname = \" \"").contains("some text"));
}

#[test]
fn limits_that_can_only_be_meant_otherwise_are_told() {
    let labels = only_problem("[labels]\nleast = 0.95");
    assert_eq!(labels, "`least` is in percent (did you mean 95 percent?)");
    assert!(only_problem("[timeouts]\nmost = 200").contains("between 0 and 100"));
    assert!(only_problem("[flips]\nmost = 1.5").contains("whole number"));
    let kind = only_problem("[flips]\nmost = 0\nkind = \"altered\"");
    assert!(kind.starts_with("`altered` is not one of regressed, fixed"), "{kind}");
}

#[test]
fn waivers_fit_the_rule_that_they_name() {
    let waiver = |more: &str| format!("[flips]\nmost = 0\n[unreadable_lines]\n[[waivers]]\n{more}");
    let full = "reason = \"known\"\nuntil = 2026-12-01\n";
    let unknown = only_problem(&waiver(&format!("rule = \"flip\"\n{full}")));
    assert_eq!(unknown, "unknown rule `flip` in a waiver (did you mean `flips`?)");
    let narrowed =
        only_problem(&waiver(&format!("rule = \"unreadable_lines\"\nserver = \"a\"\n{full}")));
    assert!(narrowed.contains("cannot be narrowed to a server (it can only be waived as a whole)"));
    let narrowed = only_problem(&waiver(&format!("rule = \"flips\"\nissue_type = \"a\"\n{full}")));
    assert!(narrowed.ends_with("(possible here: cause, server, tool, group)"), "{narrowed}");
    let found = problems(&waiver("rule = \"flips\"\n"));
    let messages: Vec<&str> = found.iter().map(|(_, message)| message.as_str()).collect();
    assert_eq!(messages, ["`reason` is missing here", "`until` is missing here"]);
    for until in ["2026-02-30", "\"soon\"", "2026-11-21T10:00:00Z", "7"] {
        let text = waiver(&format!("rule = \"flips\"\nreason = \"known\"\nuntil = {until}"));
        let known_seconds = only_problem(&text);
        assert!(
            known_seconds.contains("YYYY-MM-DD") || known_seconds.contains("not TOML"),
            "{until}: {known_seconds}"
        );
    }
}

#[test]
fn the_table_of_rules_names_exactly_the_keys_that_are_read() {
    for facts in RuleKind::TABLE.iter().filter(|facts| facts.kind != RuleKind::Waivers) {
        let text = format!("intersect = true\n[{}]\nzzzzzzzzzzzz = 1", facts.name);
        let found = problems(&text);
        let known_seconds = found.iter().find(|(_, message)| message.contains("zzzzzzzzzzzz"));
        let known_seconds = &known_seconds.expect("an unknown key").1;
        let known =
            known_seconds.split("known keys: ").nth(1).expect("the keys").trim_end_matches(')');
        let mut known: Vec<&str> = known.split(", ").collect();
        known.sort_unstable();
        let mut documented: Vec<&str> = facts.keys.iter().map(|(key, _)| *key).collect();
        documented.push("name");
        documented.sort_unstable();
        assert_eq!(known, documented, "{}", facts.name);
    }
}

#[test]
fn a_type_of_issue_that_does_not_exist_is_told() {
    let except = only_problem("[new_issue_types]\nexcept = [\"no_*\", \"no_replyy\"]");
    assert_eq!(except, "unknown issue type `no_replyy` (did you mean `no_reply`?)");
    assert_eq!(
        only_problem("[new_issue_types]\nexcept = \"nope_*\""),
        "unknown issue type `nope_*`"
    );
}
