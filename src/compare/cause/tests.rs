use super::*;
use crate::cases;
use crate::compare::CauseKind;
use crate::compare::samples::judged;
use crate::recording::Key;
use crate::rulebook::Rulebook;
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
fn edits_are_proved_and_told_in_words() {
    let guide = Arc::new(Rulebook::builtin("guide").expect("built in"));
    cases::check("tests/cases/causes.txt", |case| {
        let (calls, text) = case.questions(&["error"]);
        let (tool, reply) = calls[0]["error ".len()..].split_once(' ').expect("a tool and a text");
        let line = refused(tool, reply);
        let [before, after] = [side(&guide, &line), side(&extending(&text), &line)];
        let explanation = explain(&before, &after, Matched::Exchange);
        assert_eq!(explanation.proof, Proof::Proved, "{text}");
        changed(&explanation)
    });
}

#[test]
fn causes_are_found_as_their_cases_list() {
    let guide = Arc::new(Rulebook::builtin("guide").expect("built in"));
    cases::check("tests/cases/causes.txt", |case| {
        let (questions, edits) = case.questions(&["call", "after", "said", "why"]);
        let text = format!("name = \"own\"\nextends = \"guide\"\n{edits}");
        let own = match &*edits {
            "" => Arc::clone(&guide),
            _ => Arc::new(Rulebook::from_toml(&text, "own.toml").expect("a rulebook")),
        };
        let (mut sides, mut answers) = (Vec::new(), Vec::new());
        for question in questions {
            let (word, rest) = question.split_once(' ').expect("a word and what it says");
            match (word, &mut sides[..]) {
                ("call", []) => {
                    sides = [&guide, &own].map(|book| judged(book, &[rest.to_owned()])).into();
                }
                ("call", [_, after]) => *after = judged(&own, &[rest.to_owned()]),
                ("after", [_, after]) => {
                    let (what, value) = rest.split_once(' ').expect("a word and a value");
                    change(after, what, value);
                }
                ("said", [_, after]) => answers.push(after.verdicts[0].line()),
                (_, [before, after]) => {
                    let matched = Matched::ALL.into_iter().find(|it| it.name() == rest);
                    let question = (0, 0, matched.expect("exchange or request"), 1);
                    answers.push(in_words(&explain_all(before, after, &[question])[0]));
                }
                _ => panic!("{question}"),
            }
        }
        answers.join("\n")
    });
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
