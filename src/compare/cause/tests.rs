use super::*;
use crate::cases;
use crate::compare::CauseKind;
use crate::compare::testing::judged;
use crate::recording::Key;
use crate::rulebook::Rulebook;
use std::sync::Arc;

/// Changes what a side says, apart from the call and the rulebook.
fn change(side: &mut Side, what: &str, value: &str) {
    let verdict = &mut side.verdicts[0];
    match what {
        "hit" => verdict.hits = vec![value.to_owned()],
        "issue" => verdict.issues.push(value.to_owned()),
        "schema" => {
            let schema = verdict.schema.as_mut().expect("a schema");
            schema.key = Some(Key(value.parse().expect("a number")));
        }
        "checks" => side.header.checks = Some(value.to_owned()),
        _ => side.rulebook = None,
    }
}

fn in_words(explanation: &Explanation) -> String {
    let Explanation { origin, causes, proof } = explanation;
    let proof = match proof {
        Proof::Observed(why) => format!("observed, since {why}"),
        proof => proof.name().to_owned(),
    };
    let cause = |it: &Cause| format!("{} ({} {})", it.change, it.kind.name(), it.name);
    let causes: Vec<String> = causes.iter().map(cause).collect();
    format!("{} ({proof}): {}", origin.name(), causes.join(" + "))
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
                    let matched = Matched::of_name(rest);
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
