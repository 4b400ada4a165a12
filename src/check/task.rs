//! The task that an exchange is about.

use super::payload::payload;
use crate::json::{Kind, Raw};
use crate::recording::Exchange;
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// How much of a recorded id is kept.
const MAX_TASK_ID: usize = 256;

/// What does not mention this names no task.
static WORD: LazyLock<[Finder<'static>; 1]> = LazyLock::new(|| [Finder::new("task")]);

/// The id of the task that a call or its reply names: `task_id`, `taskId` or `task.id`.
pub fn task_of(exchange: &Exchange<'_>) -> Option<String> {
    let input = exchange.input.as_ref().map(|input| input.raw());
    let of_input = input.filter(|input| WORD[0].find(input.text().as_bytes()).is_some());
    of_input.and_then(named).or_else(|| {
        let payload = payload(exchange);
        if payload.mentions(&*WORD) { payload.with_value(named).flatten() } else { None }
    })
}

fn named(value: Raw<'_>) -> Option<String> {
    let direct = ["task_id", "taskId"].into_iter().filter_map(|name| value.member(name));
    let nested = value.member("task").and_then(|task| task.member("id"));
    direct.chain(nested).find_map(id)
}

/// A text that is not empty, or a number as it was written.
fn id(value: Raw<'_>) -> Option<String> {
    let text = match value.kind() {
        Kind::String => value.as_str()?.decode().into_owned(),
        Kind::Number => value.text().to_owned(),
        Kind::Null | Kind::Bool | Kind::Array | Kind::Object => return None,
    };
    (!text.is_empty()).then(|| text[..text.floor_char_boundary(MAX_TASK_ID)].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan_document;

    fn found(text: &str) -> Option<String> {
        named(scan_document(text, 64).expect("well-formed"))
    }

    #[test]
    fn tasks_are_named_in_three_ways() {
        assert_eq!(found(r#"{"task_id": "task-1"}"#).as_deref(), Some("task-1"));
        assert_eq!(found(r#"{"taskId": 7}"#).as_deref(), Some("7"));
        assert_eq!(found(r#"{"task": {"id": "a"}, "task_id": ""}"#).as_deref(), Some("a"));
        for none in [r#"{"task": "a"}"#, r#"{"task_id": null}"#, r#"["task_id"]"#, "7", "{}"] {
            assert_eq!(found(none), None, "{none}");
        }
        let long = found(&format!(r#"{{"task_id": "x{}"}}"#, "é".repeat(1_000)));
        assert_eq!(long.expect("an id").len(), 255, "cut between characters");
    }
}
