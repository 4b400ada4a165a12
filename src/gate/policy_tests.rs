//! Policies as people write them, and everything they get wrong told at its place.

use super::{Policy, PolicyError, RULES};
use crate::cases;

fn in_words(policy: &Policy) -> String {
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
            Ok(policy) => in_words(&policy),
            Err(PolicyError::Invalid(problems)) => {
                problems.iter().map(|problem| problem.in_words() + "\n").collect()
            }
            Err(error) => error.to_string(),
        }
    });
}

#[test]
fn the_default_policy_spells_out_what_its_rules_take_for_granted() {
    let limits = |policy: &Policy| {
        let rules = policy.rules.iter();
        (policy.least_matched, rules.map(|rule| format!("{:?}", rule.limit)).collect::<Vec<_>>())
    };
    let bare = "default = false\n[worse]\n[shares]\n[slower]\n[absent]\n[unreadable]\n[stricter]\n";
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
