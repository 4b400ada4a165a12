//! The same text as those read it who undo how it was written: a secret may be escaped in JSON within
//! JSON, encoded for an address, a name in a JSON pointer, in full-width letters or partly bold, or have
//! characters in it that nobody sees.

use crate::verdict::is_steering;
use std::ops::Range;
use wide::u8x16;

/// So often what was written twice is undone.
const DEEPEST: usize = 5;

/// A text, and where each of its bytes came from.
#[derive(Debug)]
pub(super) struct View {
    pub(super) text: String,
    from: Vec<Range<usize>>,
}

/// What is at the beginning of a text: what it means and how many bytes say so.
enum Unit {
    Is(char, usize),
    /// Nothing that anybody sees.
    Hidden(usize),
}

impl View {
    /// `None` where the text says it plainly.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut view = undone(text)?;
        for _ in 1..DEEPEST {
            let Some(next) = undone(&view.text) else { break };
            let from = next.from.iter().map(|part| view.range(part.clone())).collect();
            view = Self { text: next.text, from };
        }
        Some(view)
    }

    /// Where a part of it stands in the text that it was made of.
    pub(super) fn range(&self, part: Range<usize>) -> Range<usize> {
        let start = self.from.get(part.start).map_or(0, |from| from.start);
        let last = part.end.checked_sub(1).and_then(|last| self.from.get(last));
        start..last.map_or(start, |from| from.end).max(start)
    }
}

fn undone(text: &str) -> Option<View> {
    let means_otherwise = |at: usize| match unit(text, at) {
        // Signs of full width are usual in Chinese; letters and digits are not.
        Some(Unit::Is(character, length)) => {
            length != character.len_utf8()
                && (character.is_ascii_alphanumeric() || text.as_bytes()[at] != 0xef)
        }
        Some(Unit::Hidden(_)) => true,
        None => false,
    };
    specials(text.as_bytes()).find(|at| means_otherwise(*at))?;
    let mut view = View { text: String::with_capacity(text.len()), from: Vec::new() };
    let mut at = 0;
    while let Some(unit) = unit(text, at) {
        let (Unit::Is(_, length) | Unit::Hidden(length)) = unit;
        if let Unit::Is(character, length) = unit {
            view.text.push(character);
            view.from.extend(std::iter::repeat_n(at..at + length, character.len_utf8()));
        }
        at += length;
    }
    Some(view)
}

/// The places of what may be special. Most texts have none, which is told of so many bytes at once.
fn specials(text: &[u8]) -> impl Iterator<Item = usize> {
    const AT_ONCE: usize = 16;
    let (parts, rest) = text.as_chunks::<AT_ONCE>();
    let mut last = [b' '; AT_ONCE];
    last[..rest.len()].copy_from_slice(rest);
    let (mut parts, mut start, mut left) = (parts.iter().copied().chain([last]), 0, 0);
    std::iter::from_fn(move || {
        while left == 0 {
            left = special(parts.next()?.into());
            start += AT_ONCE;
        }
        let at = start - AT_ONCE + left.trailing_zeros() as usize;
        left &= left - 1;
        Some(at)
    })
}

/// A bit for each byte with which a character begins that may be special.
fn special(bytes: u8x16) -> u32 {
    let is = |byte| bytes.simd_eq(u8x16::splat(byte));
    let is_control = bytes.min(u8x16::splat(0x1f)).simd_eq(bytes);
    let is_sign = is(b'\\') | is(b'%') | is(b'&') | is(b'*') | is(b'<');
    let is_beyond = bytes.max(u8x16::splat(b'~')).simd_eq(bytes);
    let found = (is_control | is_sign | is_beyond).to_bitmask();
    if found == 0 {
        return 0;
    }
    let is_blank = is(b'\n') | is(b'\r') | is(b'\t');
    let is_first = is(0xc2) | is(0xd8) | is(0xe1) | is(0xe2) | is(0xef) | is(0xf3);
    let is_foreign = bytes.max(u8x16::splat(0x80)).simd_eq(bytes);
    found & !(is_blank | is_foreign & !is_first).to_bitmask()
}

fn is_hidden(character: char) -> bool {
    is_steering(character) && !matches!(character, '\n' | '\r' | '\t')
}

fn unit(whole: &str, at: usize) -> Option<Unit> {
    let text = &whole[at..];
    let first = text.chars().next()?;
    let length = first.len_utf8();
    let unit = match first {
        '\\' => escaped(text),
        '%' => hex(text.get(1..3)).map(|character| Unit::Is(character, 3)),
        '&' => entity(text),
        '~' => pointed(text),
        '*' | '<' => bold(text, whole.as_bytes()[..at].last()),
        '\u{ff01}'..='\u{ff5e}' => {
            char::from_u32(u32::from(first) - 0xfee0).map(|plain| Unit::Is(plain, length))
        }
        '\u{1b}' => Some(Unit::Hidden(colour(text))),
        c if is_hidden(c) => Some(Unit::Hidden(length)),
        _ => None,
    };
    Some(unit.unwrap_or(Unit::Is(first, length)))
}

/// A character of ASCII that is not a control character, by its number.
fn hex(digits: Option<&str>) -> Option<char> {
    let digits = digits.filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    let code = u32::from_str_radix(digits, 16).ok()?;
    char::from_u32(code).filter(|c| matches!(c, ' '..='~'))
}

fn escaped(text: &str) -> Option<Unit> {
    let braced = || {
        let end = text.get(..12).unwrap_or(text).find('}')?;
        let code = u32::from_str_radix(text.get(3..end)?, 16).ok()?;
        let character = char::from_u32(code)?;
        Some(if is_hidden(character) {
            Unit::Hidden(end + 1)
        } else {
            Unit::Is(character, end + 1)
        })
    };
    match text.as_bytes().get(1)? {
        byte @ (b'"' | b'\'' | b'\\' | b'/') => Some(Unit::Is(char::from(*byte), 2)),
        b'n' | b'r' => Some(Unit::Is('\n', 2)),
        b't' => Some(Unit::Is(' ', 2)),
        b'x' => hex(text.get(2..4)).map(|character| Unit::Is(character, 4)),
        b'u' if text.as_bytes().get(2) == Some(&b'{') => braced(),
        b'u' => {
            let code = u32::from_str_radix(text.get(2..6)?, 16).ok()?;
            let character = char::from_u32(code)?;
            Some(if is_hidden(character) { Unit::Hidden(6) } else { Unit::Is(character, 6) })
        }
        _ => None,
    }
}

/// What JSON pointers write for the characters that they need themselves.
fn pointed(text: &str) -> Option<Unit> {
    match text.as_bytes().get(1)? {
        b'0' => Some(Unit::Is('~', 2)),
        b'1' => Some(Unit::Is('/', 2)),
        _ => None,
    }
}

/// Markup that makes a part of a word bold.
fn bold(text: &str, before: Option<&u8>) -> Option<Unit> {
    const MARKS: [&str; 7] = ["**", "<b>", "</b>", "<em>", "</em>", "<strong>", "</strong>"];
    let mark = MARKS.iter().find(|mark| text.starts_with(**mark))?;
    let is_of_word = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    let after = text.as_bytes().get(mark.len());
    (is_of_word(before) && is_of_word(after)).then_some(Unit::Hidden(mark.len()))
}

fn entity(text: &str) -> Option<Unit> {
    const NAMED: [(&str, char); 5] =
        [("&amp;", '&'), ("&quot;", '"'), ("&apos;", '\''), ("&lt;", '<'), ("&gt;", '>')];
    if let Some((name, character)) = NAMED.iter().find(|(name, _)| text.starts_with(name)) {
        return Some(Unit::Is(*character, name.len()));
    }
    let end = text.get(..8).unwrap_or(text).find(';')?;
    let digits = text.get(2..end).filter(|_| text.starts_with("&#"))?;
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    let character = char::from_u32(code.ok()?).filter(|c| matches!(c, ' '..='~'))?;
    Some(Unit::Is(character, end + 1))
}

/// How long a sequence is that colours what stands after it.
fn colour(text: &str) -> usize {
    let Some(rest) = text.strip_prefix("\u{1b}[") else { return 1 };
    let arguments = rest.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b';')).count();
    let is_whole = rest.as_bytes().get(arguments).is_some_and(u8::is_ascii_alphabetic);
    if is_whole { 2 + arguments + 1 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_otherwise_is_undone_and_found_again() {
        for (text, plain) in [
            (r#"{\"a\":\"b\"}"#, r#"{"a":"b"}"#),
            (r#"{\\\"a\\\":\\\"b\\\"}"#, r#"{"a":"b"}"#),
            ("jane%40example.com", "jane@example.com"),
            ("%2541", "A"),
            ("gh\u{200b}p_\u{202e}x\u{1b}[31my", "ghp_xy"),
            (r"gh\u200bp_\u0041\u{200b}\x42", "ghp_AB"),
            ("a&amp;b&#64;c&#x40;", "a&b@c@"),
            ("/db:~1~1a~01~2", "/db://a/~2"),
            ("ｇｈｐ＿ａ１：**b**c d**e**_<b>f</b>g", "ghp_a1:**bc de_fg"),
        ] {
            assert_eq!(View::of(text).map(|view| view.text).as_deref(), Some(plain), "{text}");
        }
        assert!(View::of("100% of [a] & b, C: **a** <b>c</b>，：").is_none());
        let text = "é\u{200b} jane%2540example.com é";
        let view = View::of(text).expect("it differs");
        let at = view.text.find("jane").expect("it is there");
        let place = view.range(at..at + "jane@example.com".len());
        assert_eq!(&text[place], "jane%2540example.com");
    }

    #[test]
    fn whatever_is_hidden_begins_with_a_byte_that_says_so() {
        let hidden = ('\0'..=char::MAX).filter(|c| is_hidden(*c));
        for c in hidden {
            let first = c.encode_utf8(&mut [0; 4]).as_bytes()[0];
            assert_eq!(special(u8x16::splat(first)), 0xffff, "{c:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn places_stay_within_the_text(text in "[a%&~\\\\\"u{}0-9x;#é\u{200b}\u{1b}\\[m]{0,40}") {
            if let Some(view) = View::of(&text) {
                for (at, character) in view.text.char_indices() {
                    let place = view.range(at..at + character.len_utf8());
                    proptest::prop_assert!(text.get(place).is_some_and(|part| !part.is_empty()));
                }
            }
        }
    }
}
