//! Which arguments a call had, without their values: what may stand in a log.

use crate::json::Scanner;
use crate::recording::{Exchange, ExchangeKind};

/// How many names are kept, and how many bytes of each.
const MOST: usize = 100;
const LONGEST: usize = 128;

/// The names of the arguments of a call, at most the first 100; `None` where they are no object.
pub(super) fn parameter_keys(exchange: &Exchange<'_>) -> Option<Vec<String>> {
    let input = exchange.input.as_ref().filter(|_| exchange.kind == ExchangeKind::ToolCall)?;
    let mut names = Vec::new();
    let object = Scanner::trusted(input.raw().text()).object(|inner, name| {
        if names.len() < MOST {
            names.push(match name.decode_up_to(2 * LONGEST) {
                long if long.len() > LONGEST => {
                    format!("{}…", &long[..long.floor_char_boundary(LONGEST)])
                }
                name => name.into_owned(),
            });
        }
        inner.value().map(drop)
    });
    object.is_ok().then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Bounds, read_exchange};

    fn keys(line: &str) -> Option<Vec<String>> {
        parameter_keys(&read_exchange(line, &Bounds::default()).expect("a call"))
    }

    #[test]
    fn names_are_kept_in_order_and_bounded() {
        let call = |input: &str| format!(r#"{{"tool":"t","input":{input},"response":{{}}}}"#);
        let two = keys(&call(r#"{"user_id": 7, "title": {"a": 1}}"#));
        assert_eq!(two, Some(vec!["user_id".to_owned(), "title".to_owned()]));
        assert_eq!(keys(&call("{}")), Some(Vec::new()));
        assert_eq!(keys(&call("[1]")), None);
        assert_eq!(keys(r#"{"query": "a"}"#), None, "an envelope has no arguments");
        let many: Vec<String> =
            (0..1_000).map(|n| format!(r#""{n}{}": 1"#, "é".repeat(n))).collect();
        let kept = keys(&call(&format!("{{{}}}", many.join(",")))).expect("names");
        assert_eq!(kept.len(), 100);
        assert!(kept.iter().all(|name| name.len() <= 131), "{kept:?}");
        assert!(kept[99].ends_with("é…"), "{}", kept[99]);
    }
}
