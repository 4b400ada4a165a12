//! Rulebooks that are wrong in many places, and what digests tell apart.

use super::{Rulebook, builtin_source};

#[test]
fn a_signal_too_many_is_an_error() {
    let signals: Vec<String> =
        (0..129).map(|n| format!("[signals.f{n}]\ncontains = [\"x\"]\n")).collect();
    let text = format!("name = \"x\"\nextends = \"guide\"\n{}", signals.concat());
    let error = Rulebook::from_toml(&text, "mine.toml").expect_err("too many").to_string();
    assert!(error.contains("at most 128 signals"), "{error}");
}

#[test]
fn hostile_text_is_an_error_and_never_a_panic() {
    let guide = builtin_source("guide").expect("built in");
    for at in (0..guide.len()).step_by(997).filter(|at| guide.is_char_boundary(*at)) {
        if let Ok(rulebook) = Rulebook::from_toml(&guide[..at], "cut") {
            assert!(rulebook.examples.len() < guide.matches("[[examples]]").count());
        }
    }
    let deep =
        format!("name = \"x\"\nextends = \"guide\"\n[signals.f]\nnot = {}", "[".repeat(5000));
    assert!(Rulebook::from_toml(&deep, "deep").is_err());
    let deep = "{ not = ".repeat(2000) + "\"a\"" + &" }".repeat(2000);
    assert!(Rulebook::from_toml(&format!("[signals]\na = {deep}"), "deep").is_err());
    assert!(Rulebook::from_toml("\u{feff}\0", "bytes").is_err());
}

#[test]
fn digests_tell_definitions_apart() {
    let digest = |signal: &str| {
        let text = format!("name = \"x\"\nextends = \"guide\"\n[signals.f]\n{signal}\n");
        Rulebook::from_toml(&text, "x").expect("good").digest
    };
    let digests = [
        "all = [{ contains = [\"a\", \"b\"] }, { contains = [\"c\"] }]",
        "all = [{ contains = [\"a\"] }, { contains = [\"b\", \"c\"] }]",
        "any = [{ contains = [\"a\"] }, { contains = [\"b\", \"c\"] }]",
        "contains = [\"a\", \"b\", \"c\"]",
        "contains = [\"a\", \"b\", \"c\"]\nmatch = \"word\"",
        "contains = [\"a\", \"b\", \"c\"]\nin = \"input\"",
        "equals = [\"a\"]",
        "regex = '\\d'",
        "regex = '\\d'\ncase = \"exact\"",
        "regex = '\\d'\ndialect = \"rust\"",
        "regex = '\\d'\nneeds = [\"id\"]",
    ]
    .map(digest);
    let distinct: std::collections::HashSet<&String> = digests.iter().collect();
    assert_eq!(distinct.len(), digests.len());
}

#[test]
fn the_digest_is_of_the_content_alone() {
    let guide = Rulebook::builtin("guide").expect("built in");
    let digest = |text: &str| Rulebook::from_toml(text, "x").expect("good").digest;
    let source = builtin_source("guide").expect("built in");
    assert_eq!(digest(&source.replace("# ", "#   ").replace(" = ", "   = ")), guide.digest);
    assert_eq!(guide.with_settings(&[]).expect("good").digest, guide.digest);
}
