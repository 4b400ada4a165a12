//! What is said of calls, as cases list it.

use super::contract::Contract;
use super::judge::parameter_keys;
use super::payload::payload;
use super::schema::Schemas;
use super::{CHECKS, Checks, Judge, Tasks, VerdictLine, evidence, judged_text, tasks_of};
use crate::cases;
use crate::corpus::{Bounds, read_exchange};
use crate::recording::Exchange;
use crate::rulebook::{Rulebook, builtin_names};
use crate::verdict::{Category, CheckKind, Issue, Verdict};
use indexmap::IndexMap;

/// A line for each issue.
pub(super) fn in_words(issues: &[Issue]) -> String {
    let line = |issue: &Issue| {
        let place = issue.location.as_deref().unwrap_or("-");
        let suggestion = issue.suggestion.as_deref().map_or(String::new(), |it| format!(" ({it})"));
        let (severity, side) = (issue.severity.name(), issue.side.name());
        let (kind, category) = (issue.kind.name(), &Category::of(issue.kind).label);
        let message = &issue.message;
        format!("{place} {kind} ({category}) of {side}, {severity}: {message}{suggestion}")
    };
    let lines: Vec<String> = issues.iter().map(line).collect();
    if lines.is_empty() { "nothing".to_owned() } else { lines.join("\n") }
}

pub(super) fn read(line: &str) -> Exchange<'_> {
    read_exchange(line, &Bounds::default()).unwrap_or_else(|error| panic!("{line}: {error}"))
}

pub(super) fn judged(exchange: &Exchange<'_>, rulebook: &Rulebook, checks: Checks) -> Verdict {
    let schemas = Schemas::new(rulebook.schema.clone());
    Judge::new(rulebook, &schemas).with_checks(checks).judge(exchange)
}

/// Some members of a verdict, each as `NAME JSON`.
fn members(line: &str, rulebook: &Rulebook, names: &str) -> String {
    let exchange = read(line);
    let verdict = judged(&exchange, rulebook, Checks::of_rulebook(rulebook));
    let line = VerdictLine::new(&exchange, &verdict, rulebook);
    let line = serde_json::to_value(line).expect("plain data");
    let shown = names.split(' ').map(|name| format!("{name} {}", line[name]));
    shown.collect::<Vec<_>>().join("\n")
}

fn named_tasks(line: &str) -> String {
    let Tasks { about, named, .. } = tasks_of(&read(line), &[]);
    let named = named.into_iter().map(|task| {
        let said = task.name.iter().chain(&task.status).map(String::as_str).collect::<Vec<_>>();
        format!("{} ({})", task.id, said.join(", "))
    });
    format!("about {about:?}: {}", named.collect::<Vec<_>>().join(", "))
}

#[test]
fn calls_are_judged_as_their_cases_list() {
    cases::check("tests/cases/verdicts.txt", |case| {
        let (questions, more) = case.questions(&["show", "line", "text", "payload", "tasks"]);
        let rulebook = format!("name = \"x\"\nextends = \"guide\"\n{more}");
        let rulebook =
            Rulebook::from_toml(&rulebook, "x").unwrap_or_else(|error| panic!("{error}"));
        let mut names = "";
        let answers = questions.iter().filter_map(|question| {
            let (word, text) = question.split_once(' ').expect("a word and more");
            Some(match word {
                "show" => {
                    names = text;
                    return None;
                }
                "line" => members(text, &rulebook, names),
                "text" => judged_text(&read(text), &rulebook, false).into_owned(),
                "tasks" => named_tasks(text),
                _ => {
                    let line = format!(r#"{{"tool":"t","input":{{}},"response":{text}}}"#);
                    let found = payload(&read(&line)).with_value(|it| it.text().trim().to_owned());
                    found.unwrap_or_else(|| "nothing".to_owned())
                }
            })
        });
        answers.collect::<Vec<_>>().join("\n")
    });
}

/// What a rulebook and a contract say of a recorded line, and why.
fn under_contract(rulebook: &str, contract: &str, line: &str) -> String {
    let rulebook = Rulebook::builtin(rulebook).expect("built in");
    let mut checks = Checks::of_rulebook(&rulebook);
    checks.add_contract(Contract::from_toml(contract, "users.toml").expect("good"));
    let exchange = read(line);
    let verdict = judged(&exchange, &rulebook, checks);
    let came_to =
        |kind: CheckKind| format!("{} {:?}", kind.name(), verdict.checks.0[kind as usize]);
    let conclusion = verdict.conclusion;
    format!(
        "{}, {} {}, {}; {}, {}\n{}\n{}",
        conclusion.judgement.outcome.name(),
        conclusion.judgement.class.name(),
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
                let answer = under_contract(rulebook, &contract, &line["line ".len()..]);
                answers.entry(answer).or_default().push(rulebook);
            }
        }
        let answers =
            answers.iter().map(|(answer, names)| format!("{}: {answer}", names.join(", ")));
        answers.collect::<Vec<_>>().join("\n")
    });
}

#[test]
fn names_of_arguments_and_ids_of_tasks_are_bounded() {
    let many: Vec<String> = (0..1_000).map(|n| format!(r#""{n}{}": 1"#, "é".repeat(n))).collect();
    let line = format!(r#"{{"tool":"t","input":{{{}}},"response":{{}}}}"#, many.join(","));
    let kept = parameter_keys(&read(&line)).expect("names");
    assert_eq!(kept.len(), 100);
    assert!(kept.iter().all(|name| name.len() <= 131), "{kept:?}");
    assert!(kept[99].ends_with("é…"), "{}", kept[99]);
    let line = format!(r#"{{"tool":"t","input":{{"task_id":"x{}"}}}}"#, "é".repeat(1_000));
    let about = tasks_of(&read(&line), &[]).about.expect("an id");
    assert_eq!(about.len(), 255, "cut between characters");
}

#[test]
fn the_table_names_each_check_once_and_says_what_it_is_about() {
    assert_eq!(CHECKS.each_ref().map(|check| check.kind), CheckKind::ALL);
    assert!(CHECKS.iter().all(|check| check.about.ends_with('.')));
}
