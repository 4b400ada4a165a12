//! From raw text to a tree, for the few places that need one.

use super::Raw;
use super::string::decode_escape;
use serde::Deserialize as _;
use serde_json::Value;
use std::fmt::Write as _;

/// The value as a tree, read the way JavaScript reads JSON: numbers too large for a double become
/// the largest one, surrogates without a partner become U+FFFD, the last of equal keys counts.
pub fn to_value(raw: Raw<'_>) -> Value {
    parse(raw.text()).or_else(|| parse(&tolerable(raw.text()))).unwrap_or(Value::Null)
}

fn parse(text: &str) -> Option<Value> {
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    Value::deserialize(&mut reader).ok()
}

/// Rewrites what JavaScript accepts and a strict reader refuses.
fn tolerable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.as_bytes().first() {
        match first {
            b'"' => {
                out.push('"');
                rest = &rest[1..];
                while let Some(at) = memchr::memchr2(b'"', b'\\', rest.as_bytes()) {
                    out.push_str(&rest[..at]);
                    rest = &rest[at..];
                    if rest.starts_with('"') {
                        break;
                    }
                    let (decoded, used) = decode_escape(rest);
                    write_escaped(decoded, &mut out);
                    rest = &rest[used..];
                }
                out.push('"');
                rest = rest.get(1..).unwrap_or_default();
            }
            b'-' | b'0'..=b'9' => {
                let end = rest
                    .find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'))
                    .unwrap_or(rest.len());
                match rest[..end].parse::<f64>() {
                    Ok(number) if number.is_infinite() => {
                        let _ = write!(out, "{:e}", f64::MAX.copysign(number));
                    }
                    _ => out.push_str(&rest[..end]),
                }
                rest = &rest[end..];
            }
            _ => {
                let end = rest[1..]
                    .find(|c: char| matches!(c, '"' | '-' | '0'..='9'))
                    .map_or(rest.len(), |at| at + 1);
                out.push_str(&rest[..end]);
                rest = &rest[end..];
            }
        }
    }
    out
}

/// Appends one character as it stands in a canonical JSON string.
pub fn write_escaped(character: char, out: &mut String) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        control if control < ' ' => {
            let _ = write!(out, "\\u{:04x}", u32::from(control));
        }
        plain => out.push(plain),
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan_document;
    use super::*;

    fn value(text: &str) -> Value {
        to_value(scan_document(text, 10_000).expect("well-formed"))
    }

    #[test]
    fn what_only_javascript_accepts_is_read_too() {
        assert_eq!(value("[1e400,-1e400]"), serde_json::json!([f64::MAX, f64::MIN]));
        assert_eq!(value(r#"{"a":"\ud83d!"}"#), serde_json::json!({"a": "\u{fffd}!"}));
        assert_eq!(value(r#"["1e400",1e400]"#), serde_json::json!(["1e400", f64::MAX]));
    }

    #[test]
    fn the_last_of_equal_keys_counts() {
        assert_eq!(value(r#"{"a":1,"a":2}"#), serde_json::json!({"a": 2}));
    }
}
