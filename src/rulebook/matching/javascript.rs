//! Regexes written as for JavaScript (no `u` flag), run in linear time.

use regex::{Regex, RegexBuilder};

/// How a rulebook's regex is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rulebook) enum Dialect {
    /// As JavaScript reads it: `\b`, `\w` and `\d` know ASCII only, `\s` is JavaScript's.
    JsAscii,
    /// As the `regex` crate reads it.
    Rust,
}

/// JavaScript's white space, to stand inside a class.
const SPACE: &str = r"\t\n\x0B\x0C\r \u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}";

/// Bound on a compiled regex; ordinary ones take a few kilobytes.
const SIZE_LIMIT: usize = 4 << 20;

/// A rulebook's regex as the engine reads it.
pub(super) fn translated(text: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::JsAscii => as_javascript(text),
        Dialect::Rust => text.to_owned(),
    }
}

/// Compiles a translated regex; the error is the reason in one line.
pub(super) fn compile(translated: &str) -> Result<Regex, String> {
    match RegexBuilder::new(translated).size_limit(SIZE_LIMIT).build() {
        Ok(regex) => Ok(regex),
        Err(regex::Error::CompiledTooBig(_)) => Err("the regex is too big".to_owned()),
        Err(error) => {
            let shown = error.to_string();
            let reason = shown.lines().last().unwrap_or_default();
            Err(reason.trim_start_matches("error: ").to_owned())
        }
    }
}

/// A regex of JavaScript as the engine reads it.
pub(crate) fn as_javascript(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        match character {
            '\\' => escape(rest.next(), &mut out),
            '[' => class(&mut rest, &mut out),
            '.' => out.push_str(r"[^\n\r\u{2028}\u{2029}]"),
            // JavaScript reads a brace that counts nothing as itself.
            '{' if !counts(rest.as_str()) => out.push_str(r"\{"),
            other => out.push(other),
        }
    }
    out
}

/// Whether what follows an opening brace makes it a repetition.
fn counts(rest: &str) -> bool {
    let Some((inside, _)) = rest.split_once('}') else { return false };
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    !least.is_empty() && digits(least) && digits(most)
}

fn escape(character: Option<char>, out: &mut String) {
    match character {
        Some('b') => out.push_str(r"(?-u:\b)"),
        Some('B') => out.push_str(r"(?-u:\B)"),
        Some('d') => out.push_str("[0-9]"),
        Some('D') => out.push_str("[^0-9]"),
        Some('w') => out.push_str("[0-9A-Za-z_]"),
        Some('W') => out.push_str("[^0-9A-Za-z_]"),
        Some('s') => bracket("", SPACE, out),
        Some('S') => bracket("^", SPACE, out),
        Some('0') => out.push_str(r"\x00"),
        Some(other) => {
            out.push('\\');
            out.push(other);
        }
        None => out.push('\\'),
    }
}

fn bracket(sign: &str, members: &str, out: &mut String) {
    out.push('[');
    out.push_str(sign);
    out.push_str(members);
    out.push(']');
}

/// Translates a class whose opening bracket was just read.
fn class(rest: &mut std::str::Chars<'_>, out: &mut String) {
    let negated = rest.as_str().starts_with('^');
    if negated {
        rest.next();
    }
    if rest.as_str().starts_with(']') {
        rest.next();
        // `[^]` is any character at all and `[]` none.
        out.push_str(if negated { r"(?s:.)" } else { r"[^\s\S]" });
        return;
    }
    out.push_str(if negated { "[^" } else { "[" });
    while let Some(character) = rest.next() {
        match character {
            ']' => {
                out.push(']');
                return;
            }
            '\\' => class_escape(rest.next(), out),
            // These mean something to the engine, but not to JavaScript.
            '[' | '&' | '~' => {
                out.push('\\');
                out.push(character);
            }
            '-' if rest.as_str().starts_with('-') => out.push_str(r"\-"),
            other => out.push(other),
        }
    }
}

fn class_escape(character: Option<char>, out: &mut String) {
    match character {
        Some('b') => out.push_str(r"\x08"),
        Some('d') => out.push_str("0-9"),
        Some('w') => out.push_str("0-9A-Za-z_"),
        Some('s') => out.push_str(SPACE),
        other => escape(other, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(regex: &str, text: &str) -> bool {
        compile(&as_javascript(regex)).expect("a good regex").is_match(text)
    }

    #[test]
    fn boundaries_and_digits_are_ascii() {
        let id = r#"\bid["\s:]+\d+"#;
        assert!(matches(id, "éid: 5") && matches(id, "東id:5") && matches(id, "id\" : 12"));
        assert!(!matches(id, "_id: 5") && !matches(id, "userid: 5") && !matches(id, "id: ٥"));
        assert!(matches(r"\w\W\D\S", "a_é!x9".trim_start_matches('a')) || matches(r"\W", "é"));
    }

    #[test]
    fn white_space_is_javascripts() {
        assert!(matches(r"a\sb", "a\u{feff}b") && matches(r"a[\s]b", "a\u{a0}b"));
        assert!(!matches(r"a\sb", "a\u{85}b") && matches(r"a\Sb", "a\u{85}b"));
    }

    #[test]
    fn brackets_braces_and_dots_are_javascripts() {
        assert!(matches("[[]x", "[x") && matches("[&&]", "&") && !matches("[a&&b]", "x"));
        assert!(
            matches("^{a}$", "{a}") && matches("^a{2,3}$", "aaa") && matches("^a{,3}$", "a{,3}")
        );
        assert!(!matches("^.$", "\u{2028}") && matches("^[^]$", "\n") && !matches("[]", "x"));
        assert!(matches(r"[\b]", "\u{8}") && matches(r"\0", "\0") && matches(r"\/", "/"));
        assert!(matches(r"\Ba", "ba") && matches(r"[^\d]", "x") && !matches(r"[^\d]", "5"));
    }

    #[test]
    fn what_needs_backtracking_is_refused_in_one_line() {
        for regex in [r"(a)\1", "(?=a)b", "(?<!a)b", "(a", "((a{1000}){1000}){1000}"] {
            let error = compile(&as_javascript(regex)).expect_err("not linear");
            assert!(!error.is_empty() && !error.contains('\n'), "{error}");
        }
    }
}
