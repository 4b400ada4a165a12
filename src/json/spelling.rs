//! One spelling for each value, so that a hash does not depend on who serialized it; and trees, for the few places that
//! need one.

use super::string::decode_escape;
use super::{Kind, Raw, RawStr};
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
        control if control < ' ' => _ = write!(out, "\\u{:04x}", u32::from(control)),
        plain => out.push(plain),
    }
}

/// Whether JavaScript's `if (value)` would take the branch.
pub fn is_js_truthy(raw: Raw<'_>) -> bool {
    match raw.kind() {
        Kind::Null => false,
        Kind::Bool => raw.text() == "true",
        Kind::Number => number(raw) != 0.0,
        Kind::String => raw.text().len() > 2,
        Kind::Array | Kind::Object => true,
    }
}

/// The text that `JSON.stringify(JSON.parse(text))` gives in JavaScript: numbers printed as
/// doubles, integer-like keys first in numeric order, the last of equal keys in the first's place.
pub fn js_stringify(raw: Raw<'_>) -> String {
    let mut out = String::with_capacity(raw.text().len());
    stringify(raw, &mut out);
    out
}

fn number(raw: Raw<'_>) -> f64 {
    raw.text().parse().unwrap_or(f64::NAN)
}

fn stringify(raw: Raw<'_>, out: &mut String) {
    match raw.kind() {
        Kind::Null | Kind::Bool => out.push_str(raw.text()),
        Kind::Number => {
            let number = number(raw);
            if number.is_finite() {
                // JavaScript prints negative zero as 0.
                out.push_str(ryu_js::Buffer::new().format(number + 0.0));
            } else {
                out.push_str("null");
            }
        }
        Kind::String => {
            if let Some(string) = raw.as_str() {
                stringify_string(string, out);
            }
        }
        Kind::Array => {
            out.push('[');
            for (at, element) in raw.elements().unwrap_or_default().into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                stringify(element, out);
            }
            out.push(']');
        }
        Kind::Object => stringify_object(raw, out),
    }
}

fn stringify_object(raw: Raw<'_>, out: &mut String) {
    let mut members: Vec<(std::borrow::Cow<'_, str>, RawStr<'_>, Raw<'_>)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for (key, value) in raw.members().unwrap_or_default() {
        let name = key.decode();
        if let Some(&place) = places.get(&name) {
            let earlier: &mut (_, _, Raw<'_>) = &mut members[place];
            earlier.2 = value;
        } else {
            places.insert(name.clone(), members.len());
            members.push((name, key, value));
        }
    }
    members.sort_by_key(|(name, _, _)| array_index(name).map_or((1, 0), |index| (0, index)));
    out.push('{');
    for (at, (_, key, value)) in members.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        stringify_string(key, out);
        out.push(':');
        stringify(value, out);
    }
    out.push('}');
}

/// The number a key stands for where JavaScript would order it as an array index.
fn array_index(key: &str) -> Option<u32> {
    let canonical =
        key == "0" || (!key.starts_with('0') && key.bytes().all(|b| b.is_ascii_digit()));
    canonical.then(|| key.parse().ok()).flatten().filter(|index| *index != u32::MAX)
}

fn stringify_string(string: RawStr<'_>, out: &mut String) {
    out.push('"');
    for character in string.decode().chars() {
        write_escaped(character, out);
    }
    out.push('"');
}
