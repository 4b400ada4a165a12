//! Regexes written as for JavaScript (no `u` flag), run in linear time.

use super::lazy::SIZE_LIMIT;
use super::narrow::{self, BLANKS, LINE_ENDS};
use regex::RegexBuilder;
use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Dialect {
    /// As JavaScript reads it: `\b`, `\w` and `\d` know ASCII only, `\s` is JavaScript's.
    JsAscii,
    /// As the `regex` crate reads it.
    Rust,
}

/// What stands in classes for characters that not every regex tells apart.
struct Alphabet {
    /// White space beyond ASCII.
    blanks: &'static str,
    line_ends: &'static str,
}

const WHOLE: Alphabet = Alphabet {
    blanks: r"\u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}",
    line_ends: r"\u{2028}\u{2029}",
};
const NARROW: Alphabet = Alphabet { blanks: BLANKS, line_ends: LINE_ENDS };

/// A rulebook's regex as the engine reads it.
pub(super) fn translated(text: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::JsAscii => as_javascript(text),
        Dialect::Rust => text.to_owned(),
    }
}

/// The same for texts of which each character is one byte. `None` where it may tell characters beyond ASCII apart.
pub(super) fn narrowed(text: &str, dialect: Dialect) -> Option<String> {
    match dialect {
        Dialect::JsAscii => narrow_javascript(text),
        Dialect::Rust => narrow::narrowed(text),
    }
}

fn narrow_javascript(text: &str) -> Option<String> {
    let is_escape = |next: Option<char>| {
        next.is_some_and(|next| "bBdDwWsSnrtfv0".contains(next) || next.is_ascii_punctuation())
    };
    let mut escapes = text.split('\\').skip(1);
    // Two backslashes are one that stands for itself.
    let knows_escapes = loop {
        match escapes.next() {
            None => break true,
            Some("") => _ = escapes.next(),
            Some(rest) if is_escape(rest.chars().next()) => {}
            Some(_) => break false,
        }
    };
    let has_flags = text.match_indices("(?").any(|(at, _)| !text[at + 2..].starts_with([':', '<']));
    (text.is_ascii() && knows_escapes && !has_flags).then(|| NARROW.translate(text))
}

/// Whether a translated regex is one; the error is the reason in one line.
pub(super) fn check(translated: &str) -> Result<(), String> {
    match RegexBuilder::new(translated).size_limit(SIZE_LIMIT).build() {
        Ok(_) => Ok(()),
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
    WHOLE.translate(text)
}

/// Whether what follows an opening brace makes it a repetition.
fn counts(rest: &str) -> bool {
    let Some((inside, _)) = rest.split_once('}') else { return false };
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    !least.is_empty() && digits(least) && digits(most)
}

/// JavaScript's white space in ASCII, to stand inside a class.
const ASCII_BLANKS: &str = r"\t\n\x0B\x0C\r ";

impl Alphabet {
    fn translate(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 16);
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            match character {
                '\\' => self.escape(rest.next(), &mut out),
                '[' => self.class(&mut rest, &mut out),
                '.' => out.extend([r"[^\n\r", self.line_ends, "]"]),
                // JavaScript reads a brace that counts nothing as itself.
                '{' if !counts(rest.as_str()) => out.push_str(r"\{"),
                other => out.push(other),
            }
        }
        out
    }

    fn escape(&self, character: Option<char>, out: &mut String) {
        match character {
            Some('b') => out.push_str(r"(?-u:\b)"),
            Some('B') => out.push_str(r"(?-u:\B)"),
            Some('d') => out.push_str("[0-9]"),
            Some('D') => out.push_str("[^0-9]"),
            Some('w') => out.push_str("[0-9A-Za-z_]"),
            Some('W') => out.push_str("[^0-9A-Za-z_]"),
            Some('s') => out.extend(["[", ASCII_BLANKS, self.blanks, "]"]),
            Some('S') => out.extend(["[^", ASCII_BLANKS, self.blanks, "]"]),
            Some('0') => out.push_str(r"\x00"),
            Some(sign @ ('<' | '>')) => out.push(sign),
            Some(other) => {
                out.push('\\');
                out.push(other);
            }
            None => out.push('\\'),
        }
    }

    /// Translates a class whose opening bracket was just read.
    fn class(&self, rest: &mut std::str::Chars<'_>, out: &mut String) {
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
                '\\' => self.class_escape(rest.next(), out),
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

    fn class_escape(&self, character: Option<char>, out: &mut String) {
        match character {
            Some('b') => out.push_str(r"\x08"),
            Some('d') => out.push_str("0-9"),
            Some('w') => out.push_str("0-9A-Za-z_"),
            Some('s') => out.extend([ASCII_BLANKS, self.blanks]),
            other => self.escape(other, out),
        }
    }
}
