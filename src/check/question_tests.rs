//! "Business logic?", asked of every reply where the rulebook says so.

use super::schema::Schemas;
use super::{Judge, VerdictLine, judged_text};
use crate::corpus::{Bounds, read_exchange};
use crate::rulebook::Rulebook;
use serde_json::{Value, json};

/// A success whose first text is an error's in all but name, and whose second one is none.
const SUCCESS: &str = r#"{"tool":"get_user","input":{},"response":{"content":[{"type":"text","text":"User not found"},{"type":"text","text":"all is well"}]}}"#;

fn rulebook(more: &str) -> Rulebook {
    let text = format!("name = \"x\"\nextends = \"guide\"\n[errors]\nquestion = \"all\"\n{more}");
    Rulebook::from_toml(&text, "x").unwrap_or_else(|error| panic!("{error}"))
}

fn judged(rulebook: &Rulebook, exchange: &str) -> Value {
    let schemas = Schemas::new(rulebook.schema.clone());
    let read = read_exchange(exchange, &Bounds::default()).expect("a call");
    let verdict = Judge::new(rulebook, &schemas).judge(&read);
    serde_json::to_value(VerdictLine::new(&read, &verdict, rulebook)).expect("plain data")
}

#[test]
fn a_success_is_asked_as_an_error_is_and_of_the_same_text() {
    let rulebook = rulebook("");
    let success = judged(&rulebook, SUCCESS);
    let error = SUCCESS.replace("\"response\":{", "\"response\":{\"isError\":true,");
    let error = judged(&rulebook, &error);
    for member in ["business_logic", "score", "threshold", "decision", "signals", "hits"] {
        assert_eq!(success[member], error[member], "{member}");
    }
    assert_eq!(success["business_logic"], true);
    assert_eq!((&success["is_error"], &error["is_error"]), (&json!(false), &json!(true)));
    let read = read_exchange(SUCCESS, &Bounds::default()).expect("a call");
    assert_eq!(judged_text(&read, &rulebook), "User not found", "hits are places in this text");
}

#[test]
fn looking_for_hidden_failures_does_not_silence_the_question() {
    let rulebook = rulebook(
        "[signals.says_failed]\ncontains = [\"not found\"]\n[hidden_failure]\nif = \"says_failed\"\n",
    );
    let verdict = judged(&rulebook, SUCCESS);
    assert_eq!(verdict["hidden_failure"], true);
    assert_eq!(verdict["business_logic"], true);
    assert_eq!(verdict["signals"]["says_failed"], true);
    assert_eq!(verdict["signals"]["business_pattern"], true);
}
