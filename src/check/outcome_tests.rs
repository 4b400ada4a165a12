//! What became of a call under a contract: whose issues say so, and whose do not.

use super::schema::Schemas;
use super::{Checks, Judge};
use crate::check::contract::Contract;
use crate::corpus::{Bounds, read_exchange};
use crate::rulebook::{Rulebook, builtin_names};
use crate::verdict::{CheckKind, CheckResult, NotApplied, Outcome, Side, Verdict};

const CONTRACT: &str = "name = \"users\"\n\
    [tools.delete_user.input.properties]\nid = { type = \"string\", required = true }\n\
    [tools.delete_user.output.properties]\nname = { type = \"string\", required = true }\n";

fn judged(rulebook: &str, input: &str, is_error: bool, text: &str) -> Verdict {
    let rulebook = Rulebook::builtin(rulebook).expect("built in");
    let schemas = Schemas::new(rulebook.schema.clone());
    let mut checks = Checks::of_rulebook(&rulebook);
    checks.add_contract(Contract::from_toml(CONTRACT, "users.toml").expect("good"));
    let text = serde_json::to_string(text).expect("plain data");
    let line = format!(
        r#"{{"tool":"delete_user","input":{input},"response":{{"isError":{is_error},"content":[{{"type":"text","text":{text}}}]}}}}"#
    );
    let exchange = read_exchange(&line, &Bounds::default()).expect("a call");
    Judge::new(&rulebook, &schemas).with_checks(checks).judge(&exchange)
}

#[test]
fn only_what_is_wrong_with_the_reply_moves_the_outcome() {
    let (good, bad) = (r#"{"id":"7"}"#, "{}");
    let (named, nameless) = (r#"{"name":"x"}"#, r#"{"nam":"x"}"#);
    for rulebook in builtin_names() {
        for (input, is_error, text, outcome, side) in [
            (good, false, named, Outcome::Worked, None),
            (bad, false, named, Outcome::Worked, Some(Side::Caller)),
            (good, false, nameless, Outcome::Invalid, Some(Side::Reply)),
            (bad, true, "User not found", Outcome::Refused, Some(Side::Caller)),
        ] {
            let verdict = judged(rulebook, input, is_error, text);
            assert_eq!(verdict.conclusion.outcome, outcome, "{rulebook}: {text}");
            let of_contract = verdict.issues.iter().skip(verdict.conclusion.raised().count());
            let sides: Vec<Side> = of_contract.map(|issue| issue.side).collect();
            assert_eq!(sides, Vec::from_iter(side), "{rulebook}: {input} {text}");
            let expected = if side.is_some() { CheckResult::Failed } else { CheckResult::Passed };
            assert_eq!(verdict.checks.0[CheckKind::Contract as usize], expected);
            let facts = verdict.checks.0[CheckKind::Facts as usize];
            assert_eq!(facts, CheckResult::NotApplied(NotApplied::NothingGiven));
        }
    }
}

#[test]
fn a_failure_is_one_whether_or_not_the_rulebook_counts_it_against_the_tool() {
    for rulebook in ["guide", "calibrated"] {
        let verdict = judged(rulebook, "{}", true, "it crashed");
        assert_eq!(verdict.conclusion.outcome, Outcome::Failed, "{rulebook}");
    }
}
