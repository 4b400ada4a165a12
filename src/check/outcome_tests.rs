//! What became of a call under a contract: whose issues say so, and whose do not.

use super::schema::Schemas;
use super::tests::in_words;
use super::{Checks, Judge, evidence};
use crate::cases;
use crate::check::contract::Contract;
use crate::corpus::{Bounds, read_exchange};
use crate::rulebook::{Rulebook, builtin_names};
use crate::verdict::CheckKind;
use indexmap::IndexMap;

/// What a rulebook and a contract say of a recorded line, and why.
fn judged(rulebook: &str, contract: &str, line: &str) -> String {
    let rulebook = Rulebook::builtin(rulebook).expect("built in");
    let schemas = Schemas::new(rulebook.schema.clone());
    let mut checks = Checks::of_rulebook(&rulebook);
    checks.add_contract(Contract::from_toml(contract, "users.toml").expect("good"));
    let exchange = read_exchange(line, &Bounds::default()).expect("a call");
    let verdict = Judge::new(&rulebook, &schemas).with_checks(checks).judge(&exchange);
    let came_to =
        |kind: CheckKind| format!("{} {:?}", kind.name(), verdict.checks.0[kind as usize]);
    let conclusion = verdict.conclusion;
    format!(
        "{}, {} {}, {}; {}, {}\n{}\n{}",
        conclusion.outcome.name(),
        conclusion.classification.name(),
        conclusion.confidence,
        verdict.ground.name(),
        came_to(CheckKind::Contract),
        came_to(CheckKind::Facts),
        in_words(&verdict.issues),
        evidence(&exchange, &verdict, &rulebook).join("\n"),
    )
}

#[test]
fn calls_under_a_contract_come_to_what_their_cases_list() {
    cases::check("tests/cases/outcomes.txt", |case| {
        let (lines, contract) = case.questions(&["line"]);
        let mut answers = IndexMap::<String, Vec<&str>>::new();
        for line in lines {
            for rulebook in builtin_names() {
                let answer = judged(rulebook, &contract, &line["line ".len()..]);
                answers.entry(answer).or_default().push(rulebook);
            }
        }
        let answers =
            answers.iter().map(|(answer, names)| format!("{}: {answer}", names.join(", ")));
        answers.collect::<Vec<_>>().join("\n")
    });
}
