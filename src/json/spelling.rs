//! One spelling for each value, so that a hash does not depend on who serialized it; and trees, for the few places that
//! need one.

use super::Raw;
use super::string::decode_escape;
use serde::Deserialize as _;
use serde_json::Value;
use std::fmt::Write as _;

/// Appends the canonical form: no white space between tokens, only the escapes JSON demands.
/// The order of members and the spelling of numbers stay as recorded.
pub fn write_canonical(raw: Raw<'_>, out: &mut String) {
    if raw.is_canonical() {
        out.push_str(raw.text());
    } else {
        respell(raw.text(), out, push_without_space);
    }
}

/// The value as a tree, read the way JavaScript reads JSON: numbers too large for a double become
/// the largest one, surrogates without a partner become U+FFFD, the last of equal keys counts.
pub fn to_value(raw: Raw<'_>) -> Value {
    let tolerable = || {
        let mut out = String::with_capacity(raw.text().len());
        respell(raw.text(), &mut out, push_bounded);
        parse(&out)
    };
    parse(raw.text()).or_else(tolerable).unwrap_or(Value::Null)
}

fn parse(text: &str) -> Option<Value> {
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    Value::deserialize(&mut reader).ok()
}

/// Appends a text with the strings as JSON demands, and what stands between them as it is told.
fn respell(text: &str, out: &mut String, push_tokens: impl Fn(&str, &mut String)) {
    let mut rest = text;
    while let Some(open) = memchr::memchr(b'"', rest.as_bytes()) {
        push_tokens(&rest[..open], out);
        rest = write_string(&rest[open + 1..], out);
    }
    push_tokens(rest, out);
}

fn push_without_space(tokens: &str, out: &mut String) {
    // Tokens are ASCII.
    out.extend(tokens.bytes().filter(|byte| *byte > b' ').map(char::from));
}

/// With the largest double in place of numbers that are larger.
fn push_bounded(tokens: &str, out: &mut String) {
    let ends_number = |c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E');
    for token in tokens.split_inclusive(ends_number) {
        let number = token.trim_end_matches(ends_number);
        match number.parse::<f64>() {
            Ok(large) if large.is_infinite() => {
                let _ = write!(out, "{:e}", f64::MAX.copysign(large));
                out.push_str(&token[number.len()..]);
            }
            _ => out.push_str(token),
        }
    }
}

/// Writes the string whose opening quote was just passed and returns what follows its closing one.
fn write_string<'a>(mut rest: &'a str, out: &mut String) -> &'a str {
    out.push('"');
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        if rest.as_bytes()[at] == b'"' {
            out.push('"');
            return &rest[at + 1..];
        }
        let (decoded, used) = decode_escape(&rest[at..]);
        write_escaped(decoded, out);
        rest = &rest[at + used..];
    }
    rest
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
