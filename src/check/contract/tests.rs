//! What contracts accept as a file, and what they say of calls beyond the built-in one.

use super::*;
use crate::cases;
use crate::check::tests::{in_words, read};
use crate::check::{Checks, session_issues};
use crate::recording::{EndedSession, SessionEvent, SessionNews, Started, Tool};
use crate::verdict::{IssueType, Severity};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;

fn raw(text: &str) -> Raw<'_> {
    scan_document(text, 512).expect("well-formed")
}

fn contract(text: &str) -> Contract {
    Contract::from_toml(text, "mine.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn answer(contract: &Arc<Contract>, question: &str) -> String {
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
            issues_under(contract, &read(line)).expect("its tool")
        }
        "error" => {
            contract.check_error_text(&question["error ".len()..], None).into_iter().collect()
        }
        "ended" | "relisted" => return of_session(contract, question),
        "kept" => {
            let checked = contract.check_input(tool, raw(rest));
            return checked.sanitized.map_or_else(|| "nothing".to_owned(), |it| it.to_string());
        }
        _ => return if contract.applies_to(tool, rest) { "yes" } else { "no" }.to_owned(),
    };
    in_words(&issues)
}

/// What is said of a session that ended, or of two lists of tools of one.
fn of_session(contract: &Arc<Contract>, question: &str) -> String {
    let (word, texts) = question.split_once(' ').expect("a word and JSON");
    let mut texts = serde_json::Deserializer::from_str(texts).into_iter::<Value>();
    let mut next = || texts.next().map(|text| text.expect("JSON")).unwrap_or_default();
    let what = if word == "relisted" {
        let mut tools = || {
            let tool = |tool: &Value| {
                let name = tool["name"].as_str().expect("a name");
                Arc::new(Tool { definition: Some(tool.to_string()), ..Tool::named(name) })
            };
            next().as_array().expect("tools").iter().map(tool).collect()
        };
        SessionNews::Relisted { before: tools(), after: tools() }
    } else {
        let ended = next();
        let names = |of: &str| serde_json::from_value(ended[of].clone()).expect("names");
        let is_initialized = ended["initialized"] == true;
        SessionNews::Ended(EndedSession {
            start: if is_initialized { Started::Initialized } else { Started::NotInitialized },
            listed: names("listed"),
            called: names("called").unwrap_or_default(),
        })
    };
    let (server, session, place) = Default::default();
    let mut checks = Checks::default();
    checks.add_contract(Arc::clone(contract));
    let event = SessionEvent { server, session, place, recorded_at: None, what };
    let found = session_issues(&checks, &event);
    let found = found.into_iter().map(|it| format!("{} {}", it.tool, in_words(&[it.issue])));
    found.collect::<Vec<_>>().join("\n")
}

#[test]
fn contracts_say_what_their_cases_list() {
    cases::check("tests/cases/contracts.txt", |case| {
        let words = ["input", "output", "error", "applies", "line", "kept", "ended", "relisted"];
        let (questions, text) = case.questions(&words);
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
            Ok(contract) => {
                let contract = Arc::new(contract);
                questions.iter().map(|question| answer(&contract, question)).collect()
            }
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
        assert_eq!(contract.name, name);
        assert!(!contract.about.is_empty());
    }
    let digest = |name| Contract::load(name).expect("built in").digest;
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
fn every_code_has_a_message_of_its_own() {
    for (kind, code, _) in wording::CODES {
        let wordings = wording::Wordings::default();
        assert!(!wordings.template(kind, "message").is_empty(), "{code} in defaults.toml");
        assert_eq!(code, kind.name().to_uppercase(), "codes are the types in capitals");
    }
    assert_eq!(code(IssueType::HiddenFailure), None);
}

#[test]
fn changes_of_many_tools_are_told_within_a_bound() {
    let tools: Vec<Value> = (0..1_000).map(|at| json!({ "name": format!("t{at:04}") })).collect();
    let contract = Arc::new(contract("name = \"x\"\n[tools.t]"));
    let found = of_session(&contract, &format!("relisted {} []", Value::from(tools)));
    assert_eq!(found.lines().count(), 100);
}

/// The mistakes of a contract, as `line message`.
fn mistakes(text: &str) -> Vec<String> {
    match Contract::from_toml(text, "mine.toml") {
        Err(ContractError::Invalid(problems)) => {
            problems.iter().map(|problem| format!("{} {}", problem.line, problem.message)).collect()
        }
        Err(other) => panic!("{other}"),
        Ok(_) => Vec::new(),
    }
}

/// How many issues a contract finds in a response.
fn found(contract: &Contract, output: &str) -> usize {
    let context = OutputContext { input: None, output: raw(output), original: None };
    contract.check_output("t", context).len()
}

#[test]
fn types_that_double_at_each_step_are_refused_once() {
    let mut text =
        "name = \"x\"\n[tools.t.input]\nuse = \"t25\"\n[types]\nt0 = { type = \"string\" }\n"
            .to_owned();
    for at in 1..=25 {
        let below = at - 1;
        writeln!(
            text,
            "t{at} = {{ properties = {{ a = {{ use = \"t{below}\" }}, b = {{ use = \"t{below}\" }} }} }}"
        )
        .expect("a line");
    }
    let found = mistakes(&text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("describes more than 20000 values"), "{found:?}");

    let list = (0..2000).map(|n: u32| format!("\"{n:0>100}\"")).collect::<Vec<_>>().join(", ");
    let uses: String =
        (0..500).fold(String::new(), |uses, at| uses + &format!("p{at} = {{ use = \"e\" }}\n"));
    let text =
        format!("name = \"x\"\n[types.e]\nenum = [{list}]\n[tools.t.input.properties]\n{uses}");
    assert!(mistakes(&text)[0].contains("describes more than 20000 values"));
}

#[test]
fn types_within_types_are_as_deep_as_values_may_be() {
    let chain = |names: &[usize]| {
        let types = names.iter().fold(String::new(), |types, at| {
            types + &format!("[types.t{at:0>2}]\nuse = \"t{:0>2}\"\n", at + 1)
        });
        format!("name = \"x\"\n[tools.t]\n{types}[types.t{:0>2}]\n", names.len())
    };
    let names: Vec<usize> = (0..20).collect();
    assert_eq!(mistakes(&chain(&names)), [""; 0]);
    let names: Vec<usize> = (0..40).collect();
    assert!(mistakes(&chain(&names))[0].contains("nested deeper than 32 levels"));
}

#[test]
fn internals_in_many_texts_are_listed_within_a_bound() {
    let text = "name = \"x\"\n[tools.t.output.properties]\nwords = { type = \"array\", items = { type = \"string\", internals = \"forbidden\" } }\n";
    let contract = contract(text);
    let many = vec!["\"panic: x\""; 1000].join(",");
    assert_eq!(found(&contract, &format!(r#"{{"words": [{many}]}}"#)), 50);
}

#[test]
fn a_pattern_that_many_fields_have_counts_once() {
    let fields = (0..2_000).map(|at| format!("f{at} = {{ pattern = '^[0-9a-f]+$' }}\n"));
    let fields: String = fields.collect();
    assert_eq!(mistakes(&format!("name = \"x\"\n[tools.t.input.properties]\n{fields}")), [""; 0]);
}

#[test]
fn patterns_are_bounded_by_what_they_cost() {
    let with = |pattern: &str| {
        format!("name = \"x\"\n[tools.t.output.properties]\na = {{ pattern = '{pattern}' }}\n")
    };
    let issues = mistakes(&with("[ab]*a[ab]{600}[ab]{600}c"));
    assert!(issues[0].starts_with("3 this pattern cannot be used: "), "{issues:?}");
    let read = |pattern: &str| contract(&with(pattern));
    let text = "ab".repeat(100_000);
    let response = format!(r#"{{"a": "{text}c"}}"#);
    assert_eq!(found(&read("[ab]*a[ab]{600}c"), &response), 1, "it is not looked for");
    assert_eq!(found(&read("^[ab]+c$"), &response), 0);
}
