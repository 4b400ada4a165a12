//! What contracts accept as a file, and what they say of calls beyond the built-in one.

use super::*;
use crate::cases;
use crate::check::tests::in_words;
use crate::corpus::{Bounds, read_exchange};
use crate::json::{Raw, scan_document};
use crate::rulebook::Problem;
use crate::verdict::{Issue, IssueType, Severity};

fn raw(text: &str) -> Raw<'_> {
    scan_document(text, 512).expect("well-formed")
}

fn contract(text: &str) -> Contract {
    Contract::from_toml(text, "mine.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn answer(contract: &Contract, question: &str) -> String {
    let mut words = question.splitn(3, ' ');
    let [kind, tool, rest] = [(); 3].map(|()| words.next().unwrap_or_default());
    let issues: Vec<Issue> = match kind {
        "input" => contract.check_input(tool, raw(rest)).issues,
        "output" => {
            let original = Some(raw(r#"{"status": "done"}"#));
            let context = OutputContext { input: None, output: raw(rest), original };
            contract.check_output(tool, context)
        }
        "line" => {
            let line = &question["line ".len()..];
            let exchange = read_exchange(line, &Bounds::default()).expect("a call");
            issues_under(contract, &exchange).expect("its tool")
        }
        "error" => {
            contract.check_error_text(&question["error ".len()..], None).into_iter().collect()
        }
        _ => return if contract.applies_to(tool, rest) { "yes" } else { "no" }.to_owned(),
    };
    in_words(&issues)
}

#[test]
fn contracts_say_what_their_cases_list() {
    cases::check("tests/cases/contracts.txt", |case| {
        let (questions, text) = case.questions(&["input", "output", "error", "applies", "line"]);
        let (text, files) = text.split_once("\n--- ").unwrap_or((&text, ""));
        let text = text.to_owned() + "\n";
        let folder = tempfile::tempdir().expect("a folder");
        for (name, content) in files.split("\n--- ").filter_map(|file| file.split_once('\n')) {
            std::fs::write(folder.path().join(name), content).expect("written");
        }
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, &text).expect("written");
        let contract = match text.strip_prefix("contract ") {
            Some(name) => Contract::load(name.trim()),
            None if files.is_empty() => Contract::from_toml(&text, "mine.toml"),
            None => Contract::load(&path.display().to_string()),
        };
        let answers: Vec<String> = match contract {
            Ok(contract) => questions.iter().map(|question| answer(&contract, question)).collect(),
            Err(ContractError::Invalid(problems)) => {
                problems.iter().map(Problem::in_words).collect()
            }
            Err(error) => vec![error.to_string()],
        };
        answers.join("\n").replace(&folder.path().display().to_string(), "FOLDER")
    });
}

#[test]
fn built_in_contracts_are_in_order() {
    for name in contract_names() {
        let contract = Contract::load(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(contract.name(), name);
        assert!(!contract.about().is_empty());
    }
    let digest = |name| Contract::load(name).expect("built in").digest().to_owned();
    assert_ne!(digest("todo"), digest("todo=ours"), "of the same with servers");
}

#[test]
fn rules_at_fault_are_issues_of_the_rules() {
    let contract = contract(
        r#"name = "x"
[tools.add]
rules = [
  { rule = "input.a + 1 > 0", message = "a must be positive" },
  { rule = "input.b", message = "b must be true" },
  { rule = "input.list.all(x, input.list.all(y, input.list.all(z, x + y + z >= 0)))", message = "sums" },
]
"#,
    );
    let numbers: Vec<String> = (0..2000).map(|n: u32| n.to_string()).collect();
    let arguments = format!(r#"{{"a": {}, "c": 3, "list": [{}]}}"#, i64::MAX, numbers.join(","));
    let issues = contract.check_input("add", raw(&arguments)).issues;
    for (issue, why) in issues.iter().zip(["overflows", "the missing field `b`", "costs more"]) {
        assert_eq!((issue.kind, issue.severity), (IssueType::ContractRule, Severity::Error));
        assert_eq!(issue.message, "Validation failed. Please try again.");
        let next = issue.suggestion.as_deref().unwrap_or_default();
        assert!(next.contains(why), "{next}");
    }
    assert_eq!(issues.len(), 3);
}

#[test]
fn hostile_arguments_are_looked_at_within_bounds() {
    let contract = Contract::load("todo").expect("built in");
    let deep = format!("{}1{}", "[".repeat(400), "]".repeat(400));
    let issues = contract.check_input("add_task", raw(&deep)).issues;
    assert_eq!(issues.len(), 1);
    assert!(issues[0].message.contains("nested deeper"));
    let context = OutputContext { input: None, output: raw(&deep), original: None };
    assert_eq!(contract.check_output("add_task", context).len(), 1);

    let tasks = vec!["{}"; 50_000].join(",");
    let output = format!(r#"{{"success": true, "tasks": [{tasks}], "count": 50000}}"#);
    let context = OutputContext { input: None, output: raw(&output), original: None };
    assert_eq!(contract.check_output("list_tasks", context).len(), 50);

    let odd = format!(
        r#"{{"user_id": 1, "title": "x", "user_id": "2", "n": 1e400, "{}": "\u0000", "a/b~c": "a --"}}"#,
        "k".repeat(10_000)
    );
    let issues = contract.check_input("add_task", raw(&odd)).issues;
    let found: Vec<&str> = issues.iter().map(|issue| issue.message.as_str()).collect();
    assert_eq!(
        found,
        [
            "user_id must be an integer",
            "String exceeds maximum length of 2000",
            "String contains invalid null bytes",
            "Invalid input detected",
        ]
    );
    assert_eq!(issues[3].location.as_deref(), Some("/a~1b~0c"));
    let name = "x".repeat(5000);
    let issue = contract.check_tool_name(&name).expect("unknown");
    assert_eq!(issue.message.chars().count(), 500);
}

#[test]
fn codes_are_the_types_in_capitals() {
    assert_eq!(code(IssueType::MissingParameter), Some("MISSING_PARAMETER"));
    assert_eq!(code(IssueType::HiddenFailure), None);
}

#[test]
fn what_a_caller_sent_is_no_internal() {
    let contract =
        contract("name = \"shop\"\n[security.internals]\ncontains = [\"shopd-\"]\n[tools.set]");
    let input = raw(r#"{"host":"Shopd-3"}"#);
    assert!(contract.check_error_text("host shopd-3 is down", Some(input)).is_none());
}

#[test]
fn large_numbers_are_handed_on_as_they_were_written() {
    let contract = contract(
        "name = \"x\"\n[tools.add.input]\nothers = \"drop\"\n[tools.add.input.properties]\nn = {}",
    );
    let checked = contract.check_input("add", raw(r#"{"n": 9007199254740993, "dropped": 1e400}"#));
    let sanitized = checked.sanitized.expect("a valid call").to_string();
    assert_eq!(sanitized, r#"{"n":9007199254740993}"#);
}
