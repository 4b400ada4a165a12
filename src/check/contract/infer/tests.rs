use super::super::{Contract, OutputContext};
use super::*;

fn raw(text: &str) -> Raw<'_> {
    scan_document(text, 200).expect("well-formed")
}

fn call<'a>(definition: &'a str, input: &'a str, outcome: Outcome<'a>) -> Observed<'a> {
    let definition = Some(definition).filter(|text| !text.is_empty());
    Observed { server: "s", tool: "t", definition, input: Some(raw(input)), outcome }
}

fn response(text: &str) -> Outcome<'_> {
    Outcome::Response(raw(text))
}

/// The proposal, which takes the successful calls it was made from.
fn proposed(calls: &[Observed<'_>]) -> (String, Contract) {
    let text = infer("seen", calls.iter().copied());
    let contract = Contract::from_toml(&text, "proposed.toml")
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    for call in calls.iter().filter(|call| is_name(call.tool)) {
        if matches!(call.outcome, Outcome::Failed) {
            continue;
        }
        let issues = contract.check_input(call.tool, call.input.unwrap_or(raw("{}"))).issues;
        assert_eq!(issues, [], "{:?}\n{text}", call.input.map(Raw::text));
        if let Outcome::Response(output) = call.outcome {
            let context = OutputContext { input: None, output, original: None };
            assert_eq!(contract.check_output(call.tool, context), [], "{}\n{text}", output.text());
        }
    }
    (text, contract)
}

fn holds(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|known| known == *line), "no line `{line}` in\n{text}");
    }
}

const BOUND: &str = r#"{"name": "t", "inputSchema": {"type": "object", "required": ["n"], "properties": {
    "n": {"type": "integer", "minimum": 1, "maximum": 10},
    "mode": {"type": "string", "enum": ["fast", "slow"]},
    "q": {"type": "string", "maxLength": 5, "pattern": "^a"},
    "l": {"type": "array", "maxItems": 2, "items": {"type": "integer", "maximum": 3}},
    "z": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, "additionalProperties": false}}"#;

#[test]
fn what_the_definition_says_is_carried_over() {
    let input = r#"{"n": 2, "mode": "fast", "q": "abc", "l": [1], "z": "text"}"#;
    let calls = vec![call(BOUND, input, Outcome::Plain); 25];
    let (text, contract) = proposed(&calls);
    holds(
        &text,
        &[
            "required = true # in 25 of 25, and the definition says so",
            "# in 25 of 25, though the definition does not require it",
            "minimum = 1 # the definition says so",
            "maximum = 10 # the definition says so",
            "# minimum = 2, maximum = 2 # seen",
            "enum = [\"fast\", \"slow\"] # the definition says so",
            "maxLength = 5 # the definition says so",
            "pattern = \"^a\" # the definition says so",
            "additionalProperties = false # the definition says so",
            "# not carried over from the definition: \"anyOf\"",
            "# type = \"string\" # string 25",
        ],
    );
    for (input, issues) in [
        (r#"{"n": 10, "mode": "slow", "q": "a", "z": null}"#, 0),
        (r#"{"n": 11, "mode": "middle", "q": "b", "l": [4]}"#, 4),
        (r#"{"n": 1, "q": "abcdef", "l": [1, 2, 3], "more": 1}"#, 3),
        ("{}", 1),
    ] {
        let found = contract.check_input("t", raw(input)).issues;
        assert_eq!(found.len(), issues, "{input}: {found:?}\n{text}");
    }
}

#[test]
fn what_successful_calls_contradict_becomes_a_comment() {
    let calls = [
        call(BOUND, r#"{"n": 11, "mode": "middle", "q": "b", "l": [4, 4, 4]}"#, Outcome::Plain),
        call(BOUND, r#"{"n": null, "more": true, "q": "abcdef"}"#, Outcome::Plain),
    ];
    let (text, _) = proposed(&calls);
    let seen = "# the definition says so; not all that was seen keeps to it";
    holds(
        &text,
        &[
            "minimum = 1 # the definition says so",
            &format!("# maximum = 10 {seen}"),
            &format!("# enum = [\"fast\", \"slow\"] {seen}"),
            &format!("# maxItems = 2 {seen}"),
            &format!("# pattern = \"^a\" {seen}"),
            "# in 2 of 2, though the definition requires it",
        ],
    );
    assert!(text.contains("# additionalProperties = false"), "{text}");
}

#[test]
fn a_definition_that_comes_late_or_cannot_be_used_refuses_nothing() {
    let odd = r#"{"inputSchema": {"properties": {
        "p": {"pattern": "(?=a)"}, "e": {"enum": [null, "a"]}, "m": {"minimum": 3, "maximum": 1},
        "r": {"minLength": 1.5, "enum": []}, "k": {"type": []}}}}"#;
    let input = r#"{"p": "x", "e": null, "m": 2, "r": "", "k": 1}"#;
    let (text, _) = proposed(&[call(odd, input, Outcome::Plain)]);
    holds(&text, &["# pattern of the definition cannot be carried over"]);
    let calls = [
        call("", r#"{"mode": "middle", "q": "b"}"#, Outcome::Plain),
        call(BOUND, r#"{"n": 1, "mode": "fast", "q": "a"}"#, Outcome::Plain),
    ];
    let (text, _) = proposed(&calls);
    assert!(text.contains("# enum = [\"fast\", \"slow\"]"), "{text}");
}

#[test]
fn failed_calls_are_counted_and_not_learned_from() {
    let calls = [
        call("", r#"{"n": 1}"#, response(r#"{"items": []}"#)),
        call("", r#"{"n": "one", "other": 1}"#, Outcome::Failed),
        call("", "{}", Outcome::Failed),
    ];
    let (text, contract) = proposed(&calls);
    holds(
        &text,
        &[
            "# 3 calls; ignored, because they did not work: 2",
            "required = true # in 1 of 1",
            "type = \"integer\" # integer 1",
        ],
    );
    assert!(!text.contains("other"), "{text}");
    assert_eq!(contract.check_input("t", raw(r#"{"n": "one"}"#)).issues.len(), 1);
}

#[test]
fn words_are_a_list_only_with_support_and_where_no_definition_says_otherwise() {
    let inputs = [r#"{"kind": "a", "always": "x"}"#, r#"{"kind": "b", "always": "x"}"#];
    let list = "enum = [\"a\", \"b\"] # seen 10, 10 times";
    let of = |definition, count: usize| -> String {
        let calls: Vec<_> =
            (0..count).map(|n| call(definition, inputs[n % 2], Outcome::Plain)).collect();
        proposed(&calls).0
    };
    holds(&of("", 20), &[list]);
    assert!(!of("", 20).contains("\"x\""));
    assert!(!of("", 18).contains("enum"));
    let plain = r#"{"inputSchema": {"properties": {"kind": {"type": "string"}}}}"#;
    holds(&of(plain, 20), &[&format!("# {list}")]);
}

#[test]
fn responses_of_all_kinds_are_taken() {
    let many = format!(r#"{{"items": [{}{{"b": 1}}]}}"#, r#"{"a": 1}, "#.repeat(300));
    let (text, _) = proposed(&[call("", "{}", response(&many))]);
    assert!(text.contains("# in 300 of 301"), "{text}");
    let object = r#"{"ok": true, "list": [{"x": 1.5}, {"x": 2, "y": null}]}"#;
    let (text, _) = proposed(&[call("", "{}", response(object)), call("", "{}", Outcome::Plain)]);
    holds(&text, &["# 1 reply had no JSON, so no member is required", "# in 1 of 1"]);
    let (text, _) = proposed(&[call("", "{}", response(object)), call("", "{}", response("[1]"))]);
    holds(&text, &["# no output: 1 response without an object"]);
    let deep = format!("{}1{}", r#"{"a":[{"b":"#.repeat(20), "}]}".repeat(20));
    proposed(&[call("", &deep, response(&deep))]);
}

#[test]
fn what_is_left_out_or_taken_together_is_said() {
    let plain = call("", "{}", Outcome::Plain);
    let (text, _) = proposed(&[
        Observed { tool: "bad\nname!", ..plain },
        plain,
        Observed { server: "other", definition: Some("{}"), ..plain },
        Observed { server: "other", definition: Some(BOUND), ..plain },
    ]);
    assert!(text.contains("# Omitted: \"bad\\u000Aname!\"; "), "{text}");
    holds(
        &text,
        &[
            "# from several servers: \"other\", \"s\"; see --server",
            "# its definitions differ; the first is used",
        ],
    );
    let wide: Vec<String> = (0..=MOST_NAMES).map(|n| format!("\"m{n}\": 1")).collect();
    let wide = format!("{{{}}}", wide.join(", "));
    let (text, _) = proposed(&[call("", &wide, Outcome::Plain)]);
    assert!(text.contains("# some members are left out"), "{text}");
}

#[test]
fn names_of_any_kind_are_quoted() {
    let input = r#"{"a.b \"c\"\n": 1, "": {"'": []}, "\u0001": null}"#;
    let odd = Observed { tool: "x-y.z/1", ..call("[1]", input, Outcome::Plain) };
    let (text, contract) = proposed(&[odd]);
    assert!(text.contains(r#"[tools."x-y.z/1".input.properties."a.b \"c\"\u000A"]"#), "{text}");
    assert_eq!(contract.tools().collect::<Vec<_>>(), ["x-y.z/1"]);
}

#[test]
fn a_proposal_for_one_server_names_it() {
    let mut proposal = Proposal::default();
    proposal.define("s", "t", BOUND);
    let text = proposal.text("mine", Some("s"));
    let contract = Contract::from_toml(&text, "proposed.toml").expect("a contract");
    assert_eq!((contract.name(), contract.servers()), ("mine", &["s".to_owned()][..]));
}
