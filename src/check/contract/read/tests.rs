//! What reading a contract refuses, and that it ends.

use crate::check::contract::{Contract, ContractError, OutputContext};
use crate::json::scan_document;
use std::fmt::Write as _;

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

/// What a contract says of a response, as `pointer message`.
fn found(contract: &Contract, output: &str) -> Vec<String> {
    let output = scan_document(output, 100).expect("well-formed");
    let context = OutputContext { input: None, output, original: None };
    let issues = contract.check_output("t", context);
    issues
        .iter()
        .map(|issue| format!("{} {}", issue.location.as_deref().unwrap_or("-"), issue.message))
        .collect()
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
fn mistakes_of_types_are_told_once_whether_they_are_used_or_not() {
    let text = r#"name = "x"
[types.used]
type = "strnig"
[types.unused]
minimum = 3
maximum = 2
[tools.t.input.properties]
a = { use = "used" }
b = { use = "used" }
"#;
    assert_eq!(
        mistakes(text),
        [
            "3 `strnig` is not one of null, boolean, integer, number, string, array, object",
            "5 `minimum` is above `maximum`, so nothing matches",
        ]
    );
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
fn empty_lists_and_names_are_refused() {
    let text =
        "name = \"x\"\nservers = [\"a\", \" \"]\n[tools.t.input.properties]\na = { type = [] }\n";
    assert_eq!(
        mistakes(text),
        ["2 expected the name of a server", "4 `type` needs at least one type"]
    );
    for named in ["todo=", "todo=a,,b", "todo= ,b"] {
        let refused = Contract::load(named).expect_err(named).to_string();
        assert!(refused.contains("leaves the name of a server empty"), "{refused}");
    }
}

#[test]
fn nothing_is_a_value_of_schema_files() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("mine.toml");
    let schema = r#"{"properties": {"a": {"enum": [null, 1]}, "b": {"const": null}}}"#;
    std::fs::write(place.path().join("s.json"), schema).expect("written");
    std::fs::write(&path, "name = \"x\"\n[tools.t]\noutput = { schema = \"s.json\" }\n")
        .expect("written");
    let contract = Contract::load(path.to_str().expect("a name")).expect("in order");
    assert_eq!(found(&contract, r#"{"a": null, "b": null}"#), [""; 0]);
    assert_eq!(found(&contract, r#"{"a": "null", "b": "null"}"#).len(), 2);

    std::fs::write(place.path().join("s.json"), r#"{"schema": "s.json"}"#).expect("written");
    let error = Contract::load(path.to_str().expect("a name")).expect_err("without an end");
    assert!(error.to_string().contains("the schema file `s.json` contains itself"), "{error}");
}

#[test]
fn internals_are_found_wherever_their_text_is() {
    let text = r#"name = "x"
[tools.t.output.properties]
list = { type = "array", items = { properties = { why = { internals = "forbidden" } } } }
words = { type = "array", items = { type = "string", internals = "forbidden" } }
"#;
    let contract = Contract::from_toml(text, "x").expect("in order");
    let output = r#"{"list": [{"why": "fine"}, {"why": "panic: at main.go:3"}],
        "words": ["SELECT id FROM tasks"], "why": "SELECT id FROM tasks"}"#;
    let issues = found(&contract, output);
    assert_eq!(issues.len(), 2, "{issues:?}");
    assert!(
        issues[0].starts_with("/list/1/why ") && issues[1].starts_with("/words/0 "),
        "{issues:?}"
    );
    let many = vec!["\"panic: x\""; 1000].join(",");
    assert!(found(&contract, &format!(r#"{{"words": [{many}]}}"#)).len() <= 50);

    let text = "name = \"x\"\n[tools.t.output]\ninternals = \"forbidden\"\n[tools.t.output.properties]\na = { type = \"integer\", internals = \"forbidden\" }\n";
    let issues = mistakes(text);
    assert_eq!(issues.len(), 2, "{issues:?}");
    assert!(issues.iter().all(|issue| issue.contains("`internals` is for texts")), "{issues:?}");
}

#[test]
fn patterns_are_bounded_by_what_they_cost() {
    let contract = |pattern: &str| {
        format!("name = \"x\"\n[tools.t.output.properties]\na = {{ pattern = '{pattern}' }}\n")
    };
    let issues = mistakes(&contract("[ab]*a[ab]{600}[ab]{600}c"));
    assert!(issues[0].starts_with("3 this pattern cannot be used: "), "{issues:?}");
    let read = |pattern: &str| Contract::from_toml(&contract(pattern), "x").expect("in order");
    let text = "ab".repeat(100_000);
    let response = format!(r#"{{"a": "{text}c"}}"#);
    assert_eq!(found(&read("[ab]*a[ab]{600}c"), &response).len(), 1, "it is not looked for");
    assert_eq!(found(&read("^[ab]+c$"), &response), [""; 0]);
}

#[test]
fn paths_that_lead_nowhere_are_refused() {
    let text = "name = \"x\"\n[tools.t]\nrules = [{ rule = \"true\", message = \"m\", fieldPath = \"a[x]\" }]\n";
    assert!(mistakes(text)[0].starts_with("3 this is not a path to a field"));
}
