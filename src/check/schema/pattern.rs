//! `pattern` and `multipleOf` the way JavaScript evaluates them.
//!
//! Both become private keywords, because the full validator's own versions differ: its patterns
//! are Unicode patterns, and its divisions are exact in decimals.

use super::budget;
use jsonschema::{Keyword, ValidationError};
use serde_json::Value;
use std::fmt::Write as _;

/// The private keyword that holds a JavaScript pattern.
pub(super) const PATTERN_KEYWORD: &str = "x-tapecheck-pattern";
/// The private keyword that holds a divisor.
pub(super) const MULTIPLE_KEYWORD: &str = "x-tapecheck-multiple-of";

/// How often a pattern that needs backtracking may step back on one string.
const BACKTRACKS: usize = 100_000;
/// How large a compiled pattern may be, in bytes.
const PATTERN_SIZE: usize = 1 << 20;

/// JavaScript's white space, as the inside of a character class.
const SPACE: &str = r"\t\n\x0B\x0C\r \u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}";

/// A compiled JavaScript pattern.
pub(super) enum Pattern {
    /// Evaluated in time linear in the string.
    Linear(regex::Regex),
    /// With look-around or back-references.
    Backtracking(fancy_regex::Regex),
}

impl Pattern {
    /// Compiles a pattern; `None`: JavaScript or the engines would not take it.
    pub(super) fn new(pattern: &str) -> Option<Self> {
        if has_end_anchor(pattern) {
            return None;
        }
        let translated = translate(&as_units(pattern))?;
        let linear = regex::RegexBuilder::new(&translated).size_limit(PATTERN_SIZE).build();
        if let Ok(linear) = linear {
            return Some(Self::Linear(linear));
        }
        fancy_regex::RegexBuilder::new(&translated)
            .backtrack_limit(BACKTRACKS)
            .delegate_size_limit(PATTERN_SIZE)
            .build()
            .ok()
            .map(Self::Backtracking)
    }

    fn is_match(&self, text: &str) -> bool {
        let units = as_units(text);
        match self {
            Self::Linear(regex) => regex.is_match(&units),
            Self::Backtracking(regex) => regex.is_match(&*units).unwrap_or_else(|_| {
                budget::give_up("a pattern needs too much backtracking");
                false
            }),
        }
    }
}

impl<'i> Keyword<'i> for Pattern {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            Ok(())
        } else {
            Err(ValidationError::custom("the string does not match the pattern"))
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        instance.as_str().is_none_or(|text| self.is_match(text))
    }
}

/// A divisor, applied to doubles.
pub(super) struct MultipleOf(pub(super) f64);

impl<'i> Keyword<'i> for MultipleOf {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            Ok(())
        } else {
            Err(ValidationError::custom(format!("the number is no multiple of {}", self.0)))
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        instance.as_f64().is_none_or(|number| {
            let quotient = number / self.0;
            quotient.fract() == 0.0 && quotient.is_finite()
        })
    }
}

/// The text as JavaScript sees it, one character for each UTF-16 unit: surrogates are stood in for
/// by characters for private use, which patterns and replies hardly ever contain.
fn as_units(text: &str) -> std::borrow::Cow<'_, str> {
    if text.chars().all(|c| c.len_utf16() == 1) {
        return text.into();
    }
    let stand_in = |unit: u16| match unit {
        0xd800..=0xdfff => char::from_u32(u32::from(unit) + 0x0800),
        plain => char::from_u32(plain.into()),
    };
    text.encode_utf16().filter_map(stand_in).collect::<String>().into()
}

/// Whether the pattern holds `\\Z`, another language's anchor, which the common validator refuses.
fn has_end_anchor(pattern: &str) -> bool {
    pattern.match_indices(r"\Z").any(|(at, _)| at > 0 && pattern.as_bytes()[at - 1] != b'\\')
}

/// Rewrites a JavaScript pattern (without flags) for the Rust engines; `None` where it is no
/// pattern in JavaScript either, as far as that shows here.
fn translate(pattern: &str) -> Option<String> {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let mut used = first.len_utf8();
        match first {
            '\\' => used = translate_escape(rest, Place::Outside, &mut out)?,
            '[' => used = translate_class(rest, &mut out)?,
            '.' => out.push_str(r"[^\n\r\u{2028}\u{2029}]"),
            '^' => out.push_str(r"\A"),
            '$' => out.push_str(r"\z"),
            '{' if !is_quantifier(rest) => out.push_str(r"\{"),
            '}' => out.push('}'),
            ']' => out.push_str(r"\]"),
            '(' if rest.starts_with("(?") && !is_group(rest) => return None,
            other => out.push(other),
        }
        rest = &rest[used..];
    }
    // A closing brace without its quantifier is an ordinary character to both engines.
    Some(out)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    InClass,
}

/// Writes the escape at the start of `text` and returns its length.
fn translate_escape(text: &str, place: Place, out: &mut String) -> Option<usize> {
    let escaped = text[1..].chars().next()?;
    let used = 1 + escaped.len_utf8();
    let set = |inner: &str, negated: &str, out: &mut String| {
        // The engines nest classes, so a set may stand inside another one.
        let bare = place == Place::InClass && negated.is_empty();
        let (open, close) = if bare { ("", "") } else { ("[", "]") };
        out.extend([open, negated, inner, close]);
    };
    match escaped {
        'd' => set("0-9", "", out),
        'D' => set("0-9", "^", out),
        'w' => set("A-Za-z0-9_", "", out),
        'W' => set("A-Za-z0-9_", "^", out),
        's' => set(SPACE, "", out),
        'S' => set(SPACE, "^", out),
        'b' if place == Place::InClass => out.push_str(r"\x08"),
        'b' => out.push_str(r"(?-u:\b)"),
        'B' if place == Place::Outside => out.push_str(r"(?:(?!(?-u:\b)))"),
        'n' | 'r' | 't' | 'f' | 'v' => {
            out.push('\\');
            out.push(escaped);
        }
        '0' => out.push_str(r"\x00"),
        '1'..='9' if place == Place::Outside => {
            out.push('\\');
            out.push(escaped);
        }
        'c' => {
            let letter = text[used..].chars().next().filter(char::is_ascii_alphabetic)?;
            push_code(u32::from(letter) % 32, out);
            return Some(used + 1);
        }
        'x' | 'u' => return Some(translate_code(text, used, out)),
        'k' if text[used..].starts_with('<') => out.push_str(r"\k"),
        other => push_literal(other, out),
    }
    Some(used)
}

/// Writes `\xHH` or `\uHHHH`, which without its digits is just a letter.
fn translate_code(text: &str, used: usize, out: &mut String) -> usize {
    let digits = if text.as_bytes()[1] == b'x' { 2 } else { 4 };
    let code =
        text.get(used..used + digits).filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
    let Some(code) = code.and_then(|hex| u32::from_str_radix(hex, 16).ok()) else {
        push_literal(char::from(text.as_bytes()[1]), out);
        return used;
    };
    let code = if (0xd800..0xe000).contains(&code) { code + 0x0800 } else { code };
    push_code(code, out);
    used + digits
}

/// Writes a character by its number.
fn push_code(code: u32, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(out, r"\x{{{code:X}}}");
}

/// Writes the class at the start of `text` and returns its length.
fn translate_class(text: &str, out: &mut String) -> Option<usize> {
    let negated = text[1..].starts_with('^');
    let mut at = 1 + usize::from(negated);
    if text[at..].starts_with(']') {
        // JavaScript's empty class matches nothing, its complement everything.
        out.push_str(if negated { r"(?s:.)" } else { r"[^\x00-\x{10FFFF}]" });
        return Some(at + 1);
    }
    out.push_str(if negated { "[^" } else { "[" });
    loop {
        match text[at..].chars().next()? {
            ']' => {
                out.push(']');
                return Some(at + 1);
            }
            '\\' => at += translate_escape(&text[at..], Place::InClass, out)?,
            '-' => {
                // A dash at either end is a dash; elsewhere it spans a range in both notations.
                let ends = text[at + 1..].starts_with(']') || out.ends_with(['[', '^']);
                out.push_str(if ends { r"\-" } else { "-" });
                at += 1;
            }
            other => {
                push_literal(other, out);
                at += other.len_utf8();
            }
        }
    }
}

/// Writes a character that stands for itself.
fn push_literal(character: char, out: &mut String) {
    if character.is_ascii_punctuation() {
        out.push('\\');
    }
    out.push(character);
}

/// Whether the brace at the start opens a quantifier.
fn is_quantifier(text: &str) -> bool {
    let Some(inner) = text[1..].split_once('}').map(|(inner, _)| inner) else {
        return false;
    };
    let (least, most) = inner.split_once(',').unwrap_or((inner, "0"));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !least.is_empty() && digits(least) && digits(most)
}

/// Whether `(?` opens one of the groups that JavaScript has.
fn is_group(text: &str) -> bool {
    ["(?:", "(?=", "(?!", "(?<"].iter().any(|open| text.starts_with(open))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        Pattern::new(pattern).expect("a pattern").is_match(text)
    }

    #[test]
    fn escapes_are_ascii_and_dots_match_units() {
        assert!(matches(r"^\d+$", "42") && !matches(r"\d", "\u{665}"));
        assert!(matches(r"^\w$", "_") && !matches(r"^\w$", "é"));
        assert!(matches("^..$", "😀") && !matches("^.$", "😀"));
        assert!(matches(r"^\S*$", "a\u{85}") && !matches(r"\S", "\u{feff}"));
        assert!(matches(r"^[\s-]+$", " -") && matches(r"^[^\W]$", "a"));
    }

    #[test]
    fn loose_syntax_means_what_javascript_makes_of_it() {
        assert!(matches(r"\p{L}", "p{L}") && !matches(r"^\p{L}$", "a"));
        assert!(matches("a{,2}", "a{,2}") && !matches("a{,2}", "aa"));
        assert!(matches("[^]", "\n") && !matches("[]", "a"));
        assert!(matches(r"^a$", "a") && !matches("^a$", "a\n"));
        assert!(matches(r"[a&&b~~c]", "&"));
    }

    #[test]
    fn look_around_and_back_references_work_within_bounds() {
        assert!(matches("(?<=a)b", "ab") && matches(r"(a)\1", "aa") && !matches(r"(a)\1", "ab"));
        assert!(Pattern::new("(").is_none() && Pattern::new("(?i)a").is_none());
        let ((), gave_up) = budget::limited(10, || {
            let pattern = Pattern::new(r"^(a|a)*\1$").expect("a pattern");
            assert!(!pattern.is_match(&format!("{}b", "a".repeat(60))));
        });
        assert!(gave_up.is_some());
    }

    #[test]
    fn divisions_are_done_in_doubles() {
        let divides = |divisor, number: f64| MultipleOf(divisor).is_valid(&Value::from(number));
        assert!(!divides(0.1, 0.3) && !divides(0.01, 19.99) && divides(0.5, 2.5));
    }
}
