//! Regexes written as for JavaScript (no `u` flag), run in linear time; and texts of which each character is one byte, for
//! regexes that need not tell most characters apart.

use super::fold::foreign;
use super::lazy::SIZE_LIMIT;
use regex::RegexBuilder;
use serde::Deserialize;
use std::ops::Range;

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
/// As [`Narrow`] has them.
const NARROW: Alphabet = Alphabet { blanks: r"\x81\x82\x84", line_ends: r"\x82" };

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
        Dialect::Rust => narrow_rust(text),
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

/// A text of which each character is one byte: beyond ASCII white space is one of a few, and whatever else there is
/// another.
pub(super) struct Narrow {
    pub(super) bytes: Vec<u8>,
    /// Behind each character beyond ASCII: the place here, and the place in the text.
    behind: Vec<(usize, usize)>,
}

/// White space to Rust.
const RUST_BLANKS: &str = r"\t-\r\x20\x81\x82\x83";

impl Narrow {
    pub(super) fn of(text: &str) -> Self {
        let (mut bytes, mut behind, mut done) = (Vec::with_capacity(text.len()), Vec::new(), 0);
        for (at, character) in foreign(text) {
            bytes.extend_from_slice(&text.as_bytes()[done..at]);
            bytes.push(narrow(character));
            done = at + character.len_utf8();
            behind.push((bytes.len(), done));
        }
        bytes.extend_from_slice(&text.as_bytes()[done..]);
        Self { bytes, behind }
    }

    /// Where in the text it is what stands here in its form.
    pub(super) fn place(&self, place: Range<usize>) -> Range<usize> {
        let wide = |at: usize| {
            let before = self.behind.partition_point(|(here, _)| *here <= at).checked_sub(1);
            before.map_or(at, |before| self.behind[before].1 + at - self.behind[before].0)
        };
        wide(place.start)..wide(place.end)
    }

    /// Where the place of a text is in its form.
    pub(super) fn narrow_place(&self, place: &Range<usize>) -> Range<usize> {
        let narrow = |at: usize| {
            let before = self.behind.partition_point(|(_, there)| *there <= at).checked_sub(1);
            before.map_or(at, |before| self.behind[before].0 + at - self.behind[before].1)
        };
        narrow(place.start)..narrow(place.end)
    }
}

fn narrow(character: char) -> u8 {
    match character {
        '\u{2028}' | '\u{2029}' => 0x82,
        '\u{85}' => 0x83,
        '\u{feff}' => 0x84,
        blank if blank.is_whitespace() => 0x81,
        _ => 0x80,
    }
}

/// How groups begin that mean the same to both.
const GROUPS: [&str; 9] =
    [r"(?-u:\b)", "(?:", "(?P<", "(?<", "(?i)", "(?x)", "(?ix)", "(?i:", "(?-i:"];

/// A regex as Rust reads it for such texts. `None` where it may tell characters beyond ASCII apart.
fn narrow_rust(text: &str) -> Option<String> {
    let is_commented = text.contains("(?x)") || text.contains("(?ix)");
    if !text.is_ascii() || is_commented && text.contains('#') {
        return None;
    }
    let (mut out, mut rest, mut classes) = (String::with_capacity(text.len() + 32), text, 0_u32);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\\' => {
                let escaped = rest[1..].chars().next()?;
                match escaped {
                    's' | 'S' => {
                        let negation = if escaped == 'S' { "^" } else { "" };
                        out.extend(["[", negation, RUST_BLANKS, "]"]);
                        rest = &rest[2..];
                        continue;
                    }
                    'x' if rest[2..].starts_with(|digit| matches!(digit, '0'..='7')) => 4,
                    'n' | 'r' | 't' | 'A' | 'z' => 2,
                    '<' | '>' => return None,
                    sign if sign.is_ascii_punctuation() => 2,
                    _ => return None,
                }
            }
            '[' => {
                classes += 1;
                let members = rest[1..].strip_prefix('^').unwrap_or(&rest[1..]);
                if members.starts_with(']') {
                    return None;
                }
                1
            }
            ']' => {
                classes = classes.saturating_sub(1);
                1
            }
            '(' if classes == 0 && rest.starts_with("(?") => {
                GROUPS.iter().find(|group| rest.starts_with(**group))?.len()
            }
            _ => 1,
        };
        out.push_str(rest.get(..length)?);
        rest = &rest[length..];
    }
    Some(out)
}
