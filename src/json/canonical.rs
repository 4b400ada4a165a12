//! One spelling for each value, so that a hash does not depend on who serialized it.

use super::Raw;
use super::string::decode_escape;
use super::value::write_escaped;

/// Appends the canonical form: no white space between tokens, only the escapes JSON demands.
/// The order of members and the spelling of numbers stay as recorded.
pub fn write_canonical(raw: Raw<'_>, out: &mut String) {
    if raw.is_canonical() {
        out.push_str(raw.text());
        return;
    }
    let mut rest = raw.text();
    while let Some(open) = memchr::memchr(b'"', rest.as_bytes()) {
        push_without_space(&rest[..open], out);
        rest = write_string(&rest[open + 1..], out);
    }
    push_without_space(rest, out);
}

fn push_without_space(tokens: &str, out: &mut String) {
    // Tokens are ASCII.
    out.extend(tokens.bytes().filter(|byte| *byte > b' ').map(char::from));
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

#[cfg(test)]
mod tests {
    use super::super::scan_document;
    use super::*;

    fn canonical(text: &str) -> String {
        let mut out = String::new();
        write_canonical(scan_document(text, 64).expect("well-formed"), &mut out);
        out
    }

    #[test]
    fn spelling_differences_vanish() {
        let compact = r#"{"a":["é / \n",1.0,true]}"#;
        assert_eq!(canonical(compact), compact);
        assert_eq!(canonical("{ \"a\" : [\n\"\\u00e9 \\/ \\u000a\", 1.0, true ] }"), compact);
    }

    #[test]
    fn the_canonical_form_of_a_canonical_form_is_itself() {
        for text in [r#" {"x" : "\ud83d\u0000\"" } "#, "[ ]", "\"\\u005c\"", "-0.0"] {
            let once = canonical(text);
            assert_eq!(canonical(&once), once);
            assert!(scan_document(&once, 64).expect("well-formed").is_canonical());
        }
    }
}
