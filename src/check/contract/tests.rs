//! What contracts accept as a file, and what they say of calls beyond the built-in one.

use super::*;
use crate::json::{Raw, scan_document};
use crate::verdict::{Category, IssueType, Severity, Side};

fn raw(text: &str) -> Raw<'_> {
    scan_document(text, 512).expect("well-formed")
}

fn contract(text: &str) -> Contract {
    Contract::from_toml(text, "mine.toml").unwrap_or_else(|error| panic!("{error}"))
}

/// The mistakes of a contract, as `line:column message`.
fn mistakes(text: &str) -> Vec<String> {
    match Contract::from_toml(text, "mine.toml") {
        Err(ContractError::Invalid(problems)) => problems
            .iter()
            .map(|problem| format!("{}:{} {}", problem.line, problem.column, problem.message))
            .collect(),
        other => panic!("expected mistakes, got {other:?}"),
    }
}

#[test]
fn all_mistakes_of_a_contract_are_told_at_once_with_their_places() {
    let text = r#"name = "x"
tolls = 1
[errors.MISING_PARAMETER]
message = "gone"
[errors.INVALID_TYPE]
message = "{parametr} is wrong"
[security]
injection = "strickt"
[types.a]
use = "b"
[types.b]
use = "a"
[tools.add.input.properties]
id = { type = "intger", minimum = 3, maximum = 2 }
word = { pattern = "(", use = "a", messages = { to_long = "x" } }
[[tools.add.rules]]
rule = "has(input.id) &&& true"
message = "Something is wrong"
[[tools.add.rules]]
rule = '''
  inptu.id > 0'''
code = "UNKNOWN_TOOOL"
["tools"."bad name"]
"#;
    let expected = [
        "2:1 unknown key `tolls`",
        "3:9 unknown error code `MISING_PARAMETER`",
        "6:11 nothing fills in `{parametr}` here",
        "8:13 unknown injection list `strickt`",
        "12:7 the type `a` contains itself",
        "14:15 `intger` is not one of null, boolean, integer, number, string, array, object",
        "14:35 `minimum` is above `maximum`, so nothing matches",
        "15:20 this pattern cannot be used: error: unclosed group",
        "15:49 `to_long` is not one of missing, invalid_type, out_of_range, too_short, too_long, too_few, too_many, not_listed, wrong_pattern, wrong_format, unexpected",
        "17:25 this is not CEL",
        "19:1 `message` is missing here: what the rule asks for",
        "21:3 unknown variable `inptu`; known here are input, output, original",
        "22:8 unknown issue type `UNKNOWN_TOOOL`",
        "23:10 a tool's name consists of",
    ];
    let found = mistakes(text);
    let listing = found.join("\n");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}\nis not\n{expected}\n{listing}");
    }
    assert_eq!(found.len(), expected.len(), "{listing}");
}

#[test]
fn a_contract_needs_a_name_and_a_tool() {
    let found = mistakes("about = \"nothing\"");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(mistakes("name = ").first().is_some_and(|text| text.contains("this is not TOML")));
}

#[test]
fn built_in_contracts_are_in_order() {
    for name in contract_names() {
        let contract = Contract::load(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(contract.name(), name);
        assert!(!contract.about().is_empty());
    }
    assert!(matches!(Contract::load("tood"), Err(ContractError::Unknown { .. })));
}

#[test]
fn a_contract_applies_by_server_or_by_tool() {
    let by_tool = contract("name = \"x\"\n[tools.add]");
    assert!(by_tool.applies_to("any", "add") && !by_tool.applies_to("any", "sub"));
    let by_server = contract("name = \"x\"\nservers = [\"s\"]\n[tools.add]");
    assert!(by_server.applies_to("s", "sub") && !by_server.applies_to("t", "add"));
}

#[test]
fn schemas_may_be_files_beside_the_contract() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    let schema = r#"{"$schema": "x", "type": "object", "title": "Add", "required": ["n"],
        "properties": {"n": {"type": ["integer", "null"], "enum": [1, 2]}}, "additionalProperties": false}"#;
    std::fs::write(folder.path().join("add.json"), schema).expect("written");
    std::fs::write(folder.path().join("bad.json"), "{").expect("written");
    let text = "name = \"x\"\n[tools.add]\ninput = { schema = \"add.json\" }\n";
    std::fs::write(&path, text).expect("written");
    let name = path.to_str().expect("a name");
    let contract = Contract::load(name).unwrap_or_else(|error| panic!("{error}"));
    let found = |arguments: &str| -> Vec<String> {
        let check = contract.check_input("add", raw(arguments));
        check.issues.into_iter().map(|issue| issue.message).collect()
    };
    assert_eq!(found(r#"{"n": 2.0}"#), [""; 0]);
    assert_eq!(found("{}"), ["n is required"]);
    assert_eq!(
        found(r#"{"n": 3, "m": 1}"#),
        ["n must be one of 1, 2", "m is no parameter of this tool"]
    );
    std::fs::write(&path, text.replace("add.json", "bad.json")).expect("written");
    let error = Contract::load(name).expect_err("no JSON").to_string();
    assert!(
        error.contains("cannot use the schema file bad.json") && error.contains(":3:"),
        "{error}"
    );
    let error = Contract::from_toml(text, "text").expect_err("no folder").to_string();
    assert!(error.contains("can only be named by contracts that are files"), "{error}");
}

#[test]
fn a_contract_adds_types_and_categories_of_issues() {
    let contract = contract(
        r#"name = "shop"
[categories.pricing]
label = "Pricing Error"
[issue_types.stale_price]
about = "The price is older than a day."
category = "pricing"
[tools.set]
rules = [
  { rule = "output.age < 1", message = "The price is stale", code = "stale_price" },
  { rule = "size(output.result) <= 3", message = "The result is too long", code = "TASK_RESULT_MAX_LENGTH" },
  { rule = "output.status != original.status", message = "Invalid status transition" },
  { rule = "input.a > 9", message = "a must be above 9", code = "TOO_SMALL" },
]
"#,
    );
    let mut found = contract.check_input("set", raw(r#"{"a": 1}"#)).issues;
    let output = raw(r#"{"age": 2, "result": "long", "status": "done"}"#);
    let original = Some(raw(r#"{"status": "done"}"#));
    found.extend(contract.check_output("set", OutputContext { input: None, output, original }));
    let found: Vec<_> = found
        .iter()
        .map(|issue| (issue.kind.name(), issue.side, Category::of(issue.kind).label.as_str()))
        .collect();
    let expected = [
        ("TOO_SMALL", Side::Caller, "Field Validation Error"),
        ("stale_price", Side::Reply, "Pricing Error"),
        ("TASK_RESULT_MAX_LENGTH", Side::Reply, "Field Validation Error"),
        ("invalid_transition", Side::Reply, "Task State Error"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_contract_has_its_own_attacks_and_internals() {
    let text = r#"name = "shop"
[security.attacks]
contains = ["sudo"]
patterns = [{ name = "a price of nothing", regex = '(?i)price\s*=\s*0' }]
yes = ["PRICE = 0"]
no = ["price = 10"]
[security.internals]
contains = ["shopd-"]
[tools.set]
"#;
    let contract = contract(text);
    let message = |arguments| {
        let issues = contract.check_input("set", raw(arguments)).issues;
        issues.first().and_then(|issue| issue.suggestion.clone()).unwrap_or_default()
    };
    assert!(message(r#"{"a": "use SUDO"}"#).contains("`SUDO`"));
    assert!(message(r#"{"a": "price=0"}"#).contains("a price of nothing"));
    assert_eq!(message(r#"{"a": "drop the select"}"#), "");
    assert!(contract.check_error_text("host shopd-3 is down", None).is_some());
    assert!(contract.check_error_text("goroutine 1 [running]:", None).is_some());
    assert!(contract.check_error_text("no such article", None).is_none());
    let input = raw(r#"{"host":"Shopd-3"}"#);
    assert!(contract.check_error_text("host shopd-3 is down", Some(input)).is_none());
    let wrong = text.replace("price = 10", "price = 0").replace("yes = [", "yes = [\"cheap\", ");
    assert_eq!(
        mistakes(&wrong),
        ["5:8 the list does not match this example", "6:7 the list matches this example"]
    );
    let wrong = text.replace("(?i)", "(");
    let found = mistakes(&wrong).join("\n");
    assert!(found.contains("these patterns cannot be used"), "{found}");
}

#[test]
fn wrong_types_and_categories_of_issues_name_their_place() {
    let text = r#"name = "x"
[categories.parse]
label = "Mine"
[categories.pricing]
words = "prices"
[issue_types.no_reply]
about = "Mine"
[issue_types.late]
category = "pricin"
[tools.t]
"#;
    let found = mistakes(text).join("\n");
    for expected in [
        "2:13 `parse` is built in",
        "4:13 `label` is missing here",
        "6:14 `no_reply` is built in",
        "8:14 `about` is missing here",
        "9:12 unknown category `pricin`",
    ] {
        assert!(found.contains(expected), "{expected} is not in\n{found}");
    }
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
  { rule = "input.c < 3", message = "c must be small", messageExpression = "'c is ' + string(input.c)", severity = "warning", fieldPath = ".c" },
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
    assert_eq!(issues.len(), 4);
    let found = issues.last().expect("c");
    assert_eq!(
        (found.message.as_str(), found.severity),
        ("The contract says: c is 3", Severity::Warning)
    );
    assert_eq!(found.location.as_deref(), Some("/c"));
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
fn a_contract_words_codes_its_own_way() {
    let contract = contract(
        r#"name = "x"
[errors.MISSING_PARAMETER]
message = "where is {parameter}?"
severity = "warning"
suggestion = "give {parameter}"
[tools.add.input.properties]
n = { type = "integer", required = true, maximum = 3 }
list = { type = "array", minItems = 1, items = { type = "integer" } }
"#,
    );
    let check = contract.check_input("add", raw(r#"{"list": []}"#));
    assert_eq!(check.issues[0].message, "where is n?");
    assert_eq!(check.issues[0].severity, Severity::Warning);
    assert_eq!(check.issues[0].suggestion.as_deref(), Some("give n"));
    assert_eq!(check.issues[1].message, "list must have at least 1 element");
    let check = contract.check_input("add", raw(r#"{"n": 4}"#));
    assert_eq!(check.issues[0].message, "n must be at most 3");
}

#[test]
fn a_builtin_contract_may_be_given_its_servers() {
    let plain = Contract::load("todo").expect("built in");
    assert!(plain.applies_to("anybody", "add_task") && !plain.applies_to("anybody", "archive"));
    let ours = Contract::load("todo=ours, theirs").expect("built in");
    assert!(ours.applies_to("ours", "archive") && ours.applies_to("theirs", "add_task"));
    assert!(!ours.applies_to("anybody", "add_task"));
    assert_ne!(plain.digest(), ours.digest());
    assert!(Contract::load("tado=ours").is_err());
}
