use super::*;
use crate::compare::CauseKind;
use crate::compare::samples::judged;
use crate::recording::Key;
use crate::rulebook::Rulebook;
use crate::verdict::SchemaOutcome;
use std::sync::Arc;

fn extending(text: &str) -> Arc<Rulebook> {
    let text = format!("name = \"own\"\nextends = \"guide\"\n{text}");
    Arc::new(Rulebook::from_toml(&text, "own.toml").unwrap_or_else(|error| panic!("{error}")))
}

/// An error reply of a tool.
fn refused(tool: &str, text: &str) -> String {
    format!(
        r#"{{"tool":{{"name":"{tool}"}},"input":{{}},"response":{{"isError":true,"content":[{{"type":"text","text":"{text}"}}]}}}}"#
    )
}

/// A reply with structured content, under a schema that wants a `name`.
fn structured(content: &str) -> String {
    format!(
        r#"{{"tool":{{"name":"ping","outputSchema":{{"type":"object","required":["name"]}}}},"input":{{}},"response":{{"content":[{{"type":"text","text":"ok"}}],"structuredContent":{content}}}}}"#
    )
}

fn side(rulebook: &Arc<Rulebook>, line: &str) -> Side {
    judged(rulebook, &[line.to_owned()])
}

fn explain(before: &Side, after: &Side, matched: Matched) -> Explanation {
    explain_all(before, after, &[(0, 0, matched, 1)]).remove(0)
}

/// The words of the causes, after where they come from.
fn changed(explanation: &Explanation) -> String {
    let words: Vec<&str> = explanation.causes.iter().map(|cause| cause.change.as_str()).collect();
    format!("{}: {}", explanation.origin.name(), words.join(" + "))
}

#[test]
fn every_kind_of_edit_is_proved_and_told_in_its_words() {
    let not_found = refused("ping", "User not found");
    let status = refused("delete_user", "HTTP 503: gone");
    let cases = [
        (
            "[lists.business_patterns]\nremove = [\"not found\"]\n",
            &not_found,
            "pattern 'not found' no longer matches",
        ),
        ("[lists.business_patterns]\nadd = [\"gone\"]\n", &status, "pattern 'gone' now matches"),
        ("[factors.http_status]\nweight = 3\n", &status, "weight of http_status 1 -> 3"),
        (
            "[[decide]]\nname = \"validation tool\"\nthreshold = 0.9\n",
            &status,
            "threshold of \"validation tool\" 0.2 -> 0.9",
        ),
        (
            "[[decide]]\nname = \"otherwise\"\nthreshold = 0.3\n",
            &not_found,
            "threshold of \"otherwise\" 0.5 -> 0.3",
        ),
        (
            "[remove]\ndecide = [\"validation tool\"]\n",
            &status,
            "decision line \"validation tool\" is gone",
        ),
        ("[score]\ndenominator = 2\n", &not_found, "denominator of the score 6 -> 2"),
        (
            "[signals.http_status]\nregex = '\\b4\\d\\d\\b'\n",
            &status,
            "regex of http_status '\\b[45]\\d\\d\\b' -> '\\b4\\d\\d\\b'",
        ),
        ("[errors]\npolicy = \"judged\"\n", &not_found, "errors.policy responded -> judged"),
        (
            "[endings.responded]\nclass = \"error\"\n",
            &not_found,
            "class of ending responded fully_working -> error",
        ),
        ("[[error_kinds]]\nname = \"any\"\n", &not_found, "error kind \"any\" is new"),
        ("[signals.own]\ncontains = [\"user\"]\n", &not_found, "signal own is new"),
    ];
    let guide = Arc::new(Rulebook::builtin("guide").expect("built in"));
    for (text, line, wanted) in cases {
        let [before, after] = [side(&guide, line), side(&extending(text), line)];
        let explanation = explain(&before, &after, Matched::Exchange);
        assert_eq!(changed(&explanation), format!("rulebook: {wanted}"), "{text}");
        assert_eq!(explanation.proof, Proof::Proved, "{text}");
    }
}

#[test]
fn it_takes_both_where_one_alone_does_not_do() {
    let text = "[lists.business_patterns]\nadd = [\"gone\", \"away\"]\n";
    let line = refused("ping", "it is gone and far away");
    let guide = Arc::new(Rulebook::builtin("guide").expect("built in"));
    let [before, after] = [side(&guide, &line), side(&extending(text), &line)];
    let explanation = explain(&before, &after, Matched::Exchange);
    let wanted = "rulebook: pattern 'gone' now matches + pattern 'away' now matches";
    assert_eq!(changed(&explanation), wanted);
}

#[test]
fn another_reply_is_told_from_another_rulebook() {
    let guide = Arc::new(Rulebook::builtin("guide").expect("built in"));
    let before = side(&guide, &refused("delete_user", "User not found"));
    let after = side(&guide, &refused("delete_user", "User vanished"));
    let explanation = explain(&before, &after, Matched::Request);
    assert_eq!(changed(&explanation), "reply: pattern 'not found' no longer matches");
    assert_eq!(explanation.causes[0].name, "business_patterns/not found");

    let fine = side(&guide, &structured(r#"{"name":"x"}"#));
    let silent =
        side(&guide, r#"{"tool":{"name":"ping"},"input":{},"response":{"isError":false}}"#);
    let explanation = explain(&fine, &silent, Matched::Request);
    assert_eq!(changed(&explanation), "reply: the reply is now no_content, it was content");
}

#[test]
fn a_schema_that_is_not_met_is_told_by_its_keyword() {
    let guide = Arc::new(Rulebook::builtin("guide").expect("built in"));
    let before = side(&guide, &structured(r#"{"name":"x"}"#));
    let mut after = side(&guide, &structured("{}"));
    let schema = after.verdicts[0].schema.as_ref().expect("a schema");
    assert_eq!(schema.outcome, SchemaOutcome::Invalid);
    let explanation = explain(&before, &after, Matched::Request);
    let wanted = "keyword `required` of the output schema is no longer met";
    assert_eq!(changed(&explanation), format!("reply: {wanted}"));
    assert_eq!(explanation.causes[0].kind, CauseKind::SchemaKeyword);

    let mut other = before.clone();
    for (side, key) in [(&mut other, 1), (&mut after, 2)] {
        side.verdicts[0].schema.as_mut().expect("a schema").key = Some(Key(key));
    }
    let explanation = explain(&other, &after, Matched::Exchange);
    assert_eq!(changed(&explanation), format!("schema: {wanted}"));
}

#[test]
fn issues_of_checks_are_blamed_on_the_checks_where_these_changed() {
    let guide = Arc::new(Rulebook::builtin("guide").expect("built in"));
    let before = side(&guide, &structured(r#"{"name":"x"}"#));
    let mut after = before.clone();
    after.verdicts[0].issues.push("error invalid_response".to_owned());
    let explanation = explain(&before, &after, Matched::Exchange);
    assert_eq!(changed(&explanation), "program: issue invalid_response appeared");
    after.header.checks = Some("other".to_owned());
    let explanation = explain(&before, &after, Matched::Exchange);
    assert_eq!(changed(&explanation), "checks: issue invalid_response appeared");
}

#[test]
fn without_rulebooks_or_hits_what_differs_is_told_and_that_nothing_is_proved() {
    let line = refused("ping", "User not found");
    let guide = Arc::new(Rulebook::builtin("guide").expect("built in"));
    let own = extending("[lists.business_patterns]\nremove = [\"not found\"]\n");
    let [before, mut after] = [side(&guide, &line), side(&own, &line)];
    let wanted = "rulebook: signal business_pattern is now off + signal textual_evidence is now off + decided by \"nothing in the text\", not \"otherwise\"";
    after.verdicts[0].hits = vec!["no/such".to_owned()];
    let explanation = explain(&before, &after, Matched::Exchange);
    assert_eq!(changed(&explanation), wanted);
    assert_eq!(explanation.proof, Proof::Observed(NO_HITS.to_owned()));
    after.rulebook = None;
    let explanation = explain(&before, &after, Matched::Exchange);
    assert_eq!(changed(&explanation), wanted);
    assert_eq!(explanation.proof, Proof::Observed(NO_RULEBOOKS.to_owned()));
}

#[test]
fn of_equally_small_sets_the_one_that_serves_most_is_told() {
    let explanation = |name: &str| Explanation {
        origin: Origin::Rulebook,
        causes: vec![Cause {
            kind: CauseKind::Weight,
            name: name.to_owned(),
            change: String::new(),
        }],
        proof: Proof::Proved,
    };
    let distinct = ["a", "b", "c"].map(explanation).into_iter().collect();
    let choices = [vec![0, 1], vec![1], vec![0, 2], vec![2]];
    assert_eq!(fewest(&choices, &[1, 5, 1, 1], &distinct), [1, 1, 2, 2]);
}
