//! What became of a call under a contract: whose issues say so, and whose do not.

use super::schema::Schemas;
use super::{Checks, Judge, evidence};
use crate::check::contract::Contract;
use crate::corpus::{Bounds, read_exchange};
use crate::rulebook::{Rulebook, builtin_names};
use crate::verdict::{
    CheckKind, CheckResult, Classification, Ground, IssueType, NotApplied, Outcome, Severity, Side,
    Verdict,
};

const CONTRACT: &str = "name = \"users\"\n\
    [tools.delete_user.input.properties]\nid = { type = \"string\", required = true }\n\
    [tools.delete_user.output.properties]\nname = { type = \"string\", required = true }\n";

/// What a rulebook and a contract say of a response to a call of `delete_user`, and its evidence.
fn response(rulebook: &str, contract: &str, response: &str) -> (Verdict, Vec<String>) {
    let rulebook = Rulebook::builtin(rulebook).expect("built in");
    let schemas = Schemas::new(rulebook.schema.clone());
    let mut checks = Checks::of_rulebook(&rulebook);
    checks.add_contract(Contract::from_toml(contract, "users.toml").expect("good"));
    let line = format!(r#"{{"tool":"delete_user","input":{{"id":"7"}},"response":{response}}}"#);
    let exchange = read_exchange(&line, &Bounds::default()).expect("a call");
    let verdict = Judge::new(&rulebook, &schemas).with_checks(checks).judge(&exchange);
    let evidence = evidence(&exchange, &verdict, &rulebook);
    (verdict, evidence)
}

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

#[test]
fn malformed_content_is_an_issue_that_says_what_is_malformed() {
    for (content, message, location) in [
        ("[null]", "Element 0 of the reply's content is not an object", "/content/0"),
        (
            r#"[{"type":"text","text":"x"},{}]"#,
            "Element 1 of the reply's content has no type",
            "/content/1",
        ),
        (
            r#"[{"type":5}]"#,
            "Element 0 of the reply's content has a type that is not a string",
            "/content/0",
        ),
        (
            r#"[{"type":"text","text":5}]"#,
            "Element 0 of the reply's content has a text that is not a string",
            "/content/0",
        ),
        (r#"[{"type":"text"}]"#, "Element 0 of the reply's content has no text", "/content/0"),
    ] {
        for rulebook in builtin_names() {
            let reply = format!(r#"{{"content":{content}}}"#);
            let (verdict, _) = response(rulebook, "name = \"none\"\n[tools.other]\n", &reply);
            assert_eq!(verdict.conclusion.outcome, Outcome::Invalid, "{rulebook}: {content}");
            let issue = &verdict.issues[0];
            assert_eq!(
                (issue.kind, issue.severity),
                (IssueType::MalformedContent, Severity::Error)
            );
            assert_eq!(issue.message, message, "{rulebook}: {content}");
            assert_eq!(issue.location.as_deref(), Some(location), "{rulebook}: {content}");
        }
    }
}

#[test]
fn a_client_that_gave_up_waiting_has_no_reply_whatever_stands_in_its_place() {
    let error = r#"{"error":{"code":-32001,"message":"Request timed out"}}"#;
    for rulebook in builtin_names() {
        let (verdict, evidence) = response(rulebook, CONTRACT, error);
        let found = (verdict.conclusion.classification, verdict.conclusion.confidence);
        assert_eq!(found, (Classification::Broken, 0.0), "{rulebook}");
        assert_eq!(verdict.conclusion.outcome, Outcome::Unknown, "{rulebook}");
        assert!(evidence.is_empty(), "{rulebook}: {evidence:?}");
    }
}

#[test]
fn an_error_is_read_from_structured_content_where_no_text_is_there() {
    let contract = format!("{CONTRACT}[response]\nflag = \"ok\"\n");
    let failed = r#"{"ok":false,"error":"User not found"}"#;
    let of = |text: &str, is_error: bool| {
        let reply =
            format!(r#"{{"isError":{is_error},"content":[{text}],"structuredContent":{failed}}}"#);
        response("calibrated", &contract, &reply)
    };
    let (verdict, evidence) = of("", true);
    assert_eq!(verdict.conclusion.outcome, Outcome::Refused, "{:?}", verdict.issues);
    assert_eq!(evidence[1], format!("Error message: {failed}"));
    let (verdict, _) = of(r#"{"type":"text","text":"done"}"#, false);
    assert_eq!(verdict.conclusion.outcome, Outcome::Worked);
    let [issue] = &*verdict.issues else { panic!("{:?}", verdict.issues) };
    assert_eq!((issue.kind, issue.severity), (IssueType::HiddenFailure, Severity::Warning));
    assert_eq!(issue.message, "The response says `ok` is false, but the reply claims success");
    for silent in ["[]", "null", r#"[{"type":"text","text":""}]"#] {
        let reply = format!(r#"{{"isError":true,"content":{silent}}}"#);
        let (verdict, evidence) = response("calibrated", CONTRACT, &reply);
        assert_eq!(verdict.ground, Ground::SilentError, "{silent}");
        assert_eq!(evidence, ["Tool responded with error (without saying why)"], "{silent}");
    }
}
