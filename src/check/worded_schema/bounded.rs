//! Recorded text as a tree of bounded depth.

use crate::json::{Raw, scan_document, to_value};
use serde_json::Value;

/// How deep a tree may be before what is deeper is left out, so that its walkers may recurse.
pub const MAX_DEPTH: usize = 128;

/// The value as a tree; lists and objects below [`MAX_DEPTH`] levels are left empty, and whether any were.
pub fn bounded_value(raw: Raw<'_>) -> (Value, bool) {
    match without_depths(raw.text()) {
        None => (to_value(raw), false),
        Some(shallow) => (scan_document(&shallow, MAX_DEPTH).map_or(Value::Null, to_value), true),
    }
}

/// The text without what is inside the deepest lists and objects; `None` if nothing is that deep.
fn without_depths(text: &str) -> Option<String> {
    if text.len() / 2 <= MAX_DEPTH {
        return None;
    }
    let mut kept = String::new();
    let mut from = 0;
    let mut depth = 0_usize;
    let mut rest = 0..text.len();
    let bytes = text.as_bytes();
    while let Some(at) = rest.next() {
        match bytes[at] {
            b'"' => rest = end_of_string(bytes, at)..text.len(),
            b'{' | b'[' => {
                depth += 1;
                if depth == MAX_DEPTH {
                    kept.push_str(&text[from..=at]);
                }
            }
            b'}' | b']' => {
                if depth == MAX_DEPTH {
                    from = at;
                }
                depth -= 1;
            }
            _ => {}
        }
    }
    if kept.is_empty() {
        return None;
    }
    kept.push_str(&text[from..]);
    Some(kept)
}

/// The byte after a string that opens at `open`.
fn end_of_string(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at.min(bytes.len())..]) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounded(text: &str) -> (Value, bool) {
        bounded_value(scan_document(text, 1_000_000).expect("well-formed"))
    }

    fn depth(value: &Value) -> usize {
        match value {
            Value::Array(elements) => 1 + elements.iter().map(depth).max().unwrap_or(0),
            Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    #[test]
    fn an_ordinary_value_is_kept_whole() {
        let text = format!(r#"{{"a": [1, "{}\"]"], "b": {{}}}}"#, "[".repeat(500));
        let (value, is_cut) = bounded(&text);
        assert!(!is_cut, "nothing is deep here");
        assert_eq!(value["a"][0], 1);
    }

    #[test]
    fn what_is_too_deep_is_left_empty_and_the_rest_kept() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let text = format!(
            r#"{{"first": {}, "second": {}, "last": "]]"}}"#,
            deep(100_000),
            deep(200).replace("[]", r#"["\\\"[",1]"#)
        );
        let (value, is_cut) = bounded(&text);
        assert!(is_cut, "it is too deep");
        assert_eq!((depth(&value), &value["last"]), (MAX_DEPTH, &Value::from("]]")));
        assert_eq!(depth(&value["second"]), MAX_DEPTH - 1);
    }

    #[test]
    fn the_greatest_depth_is_still_whole() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(!bounded(&deep(MAX_DEPTH - 1)).1);
        assert_eq!(depth(&bounded(&deep(MAX_DEPTH)).0), MAX_DEPTH);
        assert!(bounded(&deep(MAX_DEPTH + 1)).1);
    }
}
