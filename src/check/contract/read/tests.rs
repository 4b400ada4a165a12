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

/// How many issues a contract finds in a response.
fn found(contract: &Contract, output: &str) -> usize {
    let output = scan_document(output, 100).expect("well-formed");
    contract.check_output("t", OutputContext { input: None, output, original: None }).len()
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
    let contract = Contract::from_toml(text, "x").expect("in order");
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
    let contract = |pattern: &str| {
        format!("name = \"x\"\n[tools.t.output.properties]\na = {{ pattern = '{pattern}' }}\n")
    };
    let issues = mistakes(&contract("[ab]*a[ab]{600}[ab]{600}c"));
    assert!(issues[0].starts_with("3 this pattern cannot be used: "), "{issues:?}");
    let read = |pattern: &str| Contract::from_toml(&contract(pattern), "x").expect("in order");
    let text = "ab".repeat(100_000);
    let response = format!(r#"{{"a": "{text}c"}}"#);
    assert_eq!(found(&read("[ab]*a[ab]{600}c"), &response), 1, "it is not looked for");
    assert_eq!(found(&read("^[ab]+c$"), &response), 0);
}
