//! Definitions at the bounds of what is looked at; the others are files in `tests/seeds/tools`.

use super::*;
use std::fs;

fn tool(definition: impl Into<String>) -> Tool {
    Tool { definition: Some(definition.into()), ..Tool::named("t") }
}

#[test]
fn without_a_definition_nothing_is_said() {
    assert!(lint(&Tool::named("get")).is_empty());
    assert!(lint(&tool("not json")).is_empty());
}

#[test]
fn advice_for_very_many_fields_is_cut() {
    let fields: Vec<String> = (0..900).map(|at| format!("\"f{at}\":{{}}")).collect();
    let given =
        lint(&tool(format!("{{\"inputSchema\":{{\"properties\":{{{}}}}}}}", fields.join(","))));
    let about: Vec<&Issue> =
        given.iter().filter(|given| given.id == "input-fields").map(|given| &given.issue).collect();
    assert_eq!(about.len(), MAX_PLACES + 1);
    assert_eq!(about[MAX_PLACES].message, "The same applies at 880 more places.");
}

#[test]
fn hostile_definitions_are_looked_at_within_bounds() {
    let name = "x".repeat(1_000_000);
    let long = format!("{{\"outputSchema\":{{\"properties\":{{\"{name}\":{{}}}}}}}}");
    let deep = "{\"outputSchema\":".repeat(4_000) + "1" + &"}".repeat(4_000);
    let control = "{\"description\":\"\\u001b[2J\\ud800\",\"name\":\"\\u0000\"}".to_owned();
    for definition in [long, deep, control, "{\"description\":\"a\",\"description\":3}".to_owned()]
    {
        for issue in lint(&tool(definition)).into_iter().map(|given| given.issue) {
            assert!((10..=500).contains(&issue.message.len()), "{}", issue.message.len());
            assert!(issue.location.is_none_or(|at| at.len() <= 500));
        }
    }
}

#[test]
fn the_document_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/tool-advice.md");
    if std::env::var_os("TAPECHECK_WRITE_DOCS").is_some() {
        fs::write(path, advice_document()).expect("writable");
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == advice_document(),
        "docs/tool-advice.md is out of date; run the tests with TAPECHECK_WRITE_DOCS=1 to write it"
    );
}
