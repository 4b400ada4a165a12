//! The two JavaScript habits that recorded verdicts depend on: truthiness and `JSON.stringify`.

use super::spelling::write_escaped;
use super::{Kind, Raw, RawStr};

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
