//! Words in base64 and hex and the texts that they are of: what is written like that is read by whoever
//! wants to.

use crate::rulebook::{Kind, LETTERS, long_runs};
use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::ops::Range;

/// The shortest word that is decoded: of shorter ones no text is sure to be meant.
const SHORTEST: usize = 12;
/// So many bytes of a word are decoded.
const LONGEST: usize = 1 << 14;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const BASIC: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
const OF_ADDRESSES: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

/// Words that are a text in base64 or hex, and the text. Nearly all others decode to what nobody reads.
pub(super) fn words(text: &str) -> Vec<(Range<usize>, String)> {
    let (mut words, bytes) = (Vec::new(), text.as_bytes());
    // Behind a word there may be two characters more.
    for run in long_runs(bytes, SHORTEST - 2, &WORD) {
        let within = |part: Range<usize>| run.start + part.start..run.start + part.end;
        let whole = of_base64(text, run.clone());
        // If not, it may be words with signs between them, as in a path: base64 of plain text hardly has one.
        if whole.is_none() || run.len() > LONGEST {
            let parts = long_runs(&bytes[run.clone()], SHORTEST - 2, &LETTER);
            let parts = parts.filter(|part| part.len() < run.len());
            words.extend(parts.filter_map(|part| of_base64(text, within(part))));
        }
        words.extend(whole);
        let digits = long_runs(&bytes[run.clone()], 2 * SHORTEST, &HEX);
        words.extend(digits.filter_map(|part| of_hex(text, within(part))));
    }
    words
}

fn of_hex(text: &str, range: Range<usize>) -> Option<(Range<usize>, String)> {
    let digits = &text.as_bytes()[range.clone()];
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let pairs = digits[..digits.len().min(LONGEST)].as_chunks::<2>().0.iter();
    let byte = |[high, low]: &[u8; 2]| Some(digit(*high)? << 4 | digit(*low)?);
    let plain = text_of(pairs.map(byte).collect::<Option<_>>()?)?;
    is_readable(&plain).then_some((range, plain))
}

/// The text that a word is in base64, with the signs that fill it up, where it is one that people read.
fn of_base64(text: &str, range: Range<usize>) -> Option<(Range<usize>, String)> {
    let filled = text[range.end..].bytes().take(2).take_while(|byte| *byte == b'=').count();
    let range = range.start..range.end + filled;
    if range.len() < SHORTEST || !may_begin_text(text.as_bytes()[range.start]) {
        return None;
    }
    let word = text[range.clone()].trim_end_matches('=');
    let whole = word.len().min(LONGEST);
    // A cut may have left one character too many, of which there is no byte.
    let word = &word[..if whole % 4 == 1 { whole - 1 } else { whole }];
    let engine = if word.contains(['-', '_']) { OF_ADDRESSES } else { BASIC };
    let mut beginning = [0; 9];
    let length = engine.decode_slice(&word[..word.len().min(12) / 4 * 4], &mut beginning).ok()?;
    let begins_like_text = match std::str::from_utf8(&beginning[..length]) {
        Ok(text) => is_readable(text),
        Err(error) => error.error_len().is_none(),
    };
    if !begins_like_text {
        return None;
    }
    let plain = text_of(engine.decode(word).ok()?)?;
    is_readable(&plain).then_some((range, plain))
}

fn may_begin_text(first: u8) -> bool {
    !matches!(first, b'A' | b'B' | b'E'..=b'H' | b'g'..=b'v' | b'+' | b'-' | b'/' | b'_')
}

fn is_readable(plain: &str) -> bool {
    !plain.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
}

/// The text that bytes are, but for a character at their end of which some are missing: there was a cut.
fn text_of(mut bytes: Vec<u8>) -> Option<String> {
    if let Err(error) = std::str::from_utf8(&bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
    String::from_utf8(bytes).ok()
}

static WORD: Kind = Kind::of(LETTERS).and(b"+/_-");
static LETTER: Kind = Kind::of(LETTERS);
static HEX: Kind = Kind::of(b"0123456789abcdefABCDEF");

/// Whether a text is a name and a password, as they are sent.
pub(super) fn is_login(plain: &str) -> bool {
    let Some((name, password)) = plain.trim_end().split_once(':') else { return false };
    let is_name = |c: char| c.is_alphanumeric() || "._@+-".contains(c);
    (1..=100).contains(&name.len())
        && name.chars().all(is_name)
        && password.len() >= 3
        && !password.starts_with("//")
        && password.chars().all(|c| c.is_ascii_graphic() && c != '"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_begin_a_text_never_does() {
        let bytes = (0..=u8::MAX).filter(|byte| WORD.has(*byte) && !may_begin_text(*byte));
        for (first, second) in
            bytes.flat_map(|first| [(first, b'A'), (first, b'Q'), (first, b'g'), (first, b'8')])
        {
            for engine in [BASIC, OF_ADDRESSES] {
                let Ok(plain) = engine.decode([first, second, b'A', b'A']) else { continue };
                let text = text_of(vec![plain[0], b' ']);
                assert!(text.is_none_or(|text| !is_readable(&text)), "{}", char::from(first));
            }
        }
    }

    #[test]
    fn texts_are_told_from_other_words() {
        let found = |text: &str| words(text).into_iter().map(|word| word.1).collect::<Vec<_>>();
        assert_eq!(found("sent YWRtaW46aHVudGVyMg== again"), ["admin:hunter2"]);
        assert_eq!(found("_auth=YWRtaW46aHVudGVyMg"), ["admin:hunter2"]);
        assert_eq!(found("GET /api/v1/YWRtaW46aHVudGVyMg==/items"), ["admin:hunter2"]);
        assert_eq!(found("file-YWRtaW46aHVudGVyMg_x"), ["admin:hunter2"]);
        assert_eq!(found("0x61646d696e3a68756e74657232"), ["admin:hunter2"]);
        // Where the whole is a text, its parts are none: deep in each other they would double at each level.
        let deep = (0..18).fold("VVVVVVVVVVVV".to_owned(), |word, _| {
            let blanks = " ".repeat(2 - word.len() % 3);
            BASIC.encode(word + &blanks + "?")
        });
        assert_eq!(found(&deep).len(), 1);
        for text in [
            "authentication_of_the_gateway",
            "3f9ac2d41b7e8a90c1d2e3f405162738495a6b7c",
            "0191f2a4-5b6c-7d8e-9f01-23456789abcd",
            "internationalization/localization",
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
        for left in 0..4 {
            let plain = format!("{}token=hunter2 {}", "a".repeat(left), "ü".repeat(LONGEST));
            let word = BASIC.encode(plain);
            assert!(found(&word).concat().contains("token=hunter2"), "{left} before the cut");
        }
        for (plain, expected) in [
            ("admin:hunter2", true),
            ("a.b@example.com:p:w!x", true),
            ("https://example.com", false),
            ("{\"a\":\"b\"}", false),
            ("time: 12:30", false),
        ] {
            assert_eq!(is_login(plain), expected, "{plain}");
        }
    }
}
