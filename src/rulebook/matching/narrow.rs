//! Texts of which each character is one byte, for regexes that need not tell most characters apart.

use super::fold::foreign;
use std::ops::Range;

/// A text of which each character is one byte: beyond ASCII white space is one of a few, and whatever else there is
/// another.
pub(super) struct Narrow {
    pub(super) bytes: Vec<u8>,
    /// Behind each character beyond ASCII: the place here, and the place in the text.
    behind: Vec<(usize, usize)>,
}

/// Those that end lines to JavaScript, as a class of a regex has them.
pub(super) const LINE_ENDS: &str = r"\x82";
/// White space beyond ASCII to JavaScript.
pub(super) const BLANKS: &str = r"\x81\x82\x84";
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
pub(super) fn narrowed(text: &str) -> Option<String> {
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
