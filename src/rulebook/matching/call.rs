//! What the caller sent, in a form in which a reply's quotations are found.

use super::fold::{folds_to_ascii, foreign, offset};
use super::text_search::is_in;
use crate::json::{Scanner, decode_string, start_in};
use crate::rulebook::QuotedFrom;
use crate::verdict::ByteSpan;
use memchr::{memchr, memchr_iter, memchr3_iter, memrchr};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

/// So many names and values of a call are compared with a reply.
const MOST_PARTS: usize = 1024;
/// So many bytes of them.
const MOST_BYTES: usize = 128 << 10;
/// So many bytes of a reply are searched for them.
const MOST_TEXT: usize = 4 << 10;
/// Words of a call of so many bytes are looked for in a reply before regexes are.
const MOST_COMPARED: usize = 1 << 10;
/// A shorter value says nothing where it stands inside of what a reply quotes, but as the last part of a path.
const SHORTEST_INSIDE: usize = 3;

/// The arguments of a call. They are read when something first asks for them.
pub(in crate::rulebook) struct Call<'a> {
    arguments: &'a str,
    parts: OnceCell<Parts<'a>>,
}

/// The names and values in the arguments.
#[derive(Default)]
struct Parts<'a> {
    of: SmallVec<[Part<'a>; 4]>,
    arguments: &'a str,
    bytes: usize,
    /// Whether there is more than is looked at.
    cut: bool,
}

struct Part<'a> {
    text: Plain<'a>,
    is_name: bool,
}

impl<'a> Call<'a> {
    /// A call with these arguments, which are JSON.
    pub(in crate::rulebook) fn new(arguments: &'a str) -> Self {
        Self { arguments, parts: OnceCell::new() }
    }

    fn parts(&self) -> &Parts<'a> {
        self.parts.get_or_init(|| {
            let mut parts = Parts { arguments: self.arguments, ..Parts::default() };
            parts.add(self.arguments);
            parts
        })
    }

    pub(super) fn has_blanks(&self) -> bool {
        let is_whole = |byte: u8| byte.is_ascii_graphic() && byte != b'\\';
        let is_whole = self.arguments.bytes().fold(true, |all, byte| all & is_whole(byte));
        !is_whole && self.parts().of.iter().any(|part| part.text.text().contains(' '))
    }

    /// Whether a text may quote the call: it has one of its words or signs. Where that takes long to tell, it may.
    pub(super) fn may_be_quoted_in(&self, text: &str, from: QuotedFrom) -> bool {
        let parts = self.parts();
        if parts.cut || parts.bytes > MOST_COMPARED || text.len() > MOST_TEXT {
            return true;
        }
        let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let is_sign = |byte: &u8| {
            byte.is_ascii() && !is_of_word(byte) && !is_around_quotation(char::from(*byte))
        };
        let has = |byte| memchr(byte, text.as_bytes()).is_some();
        let has_sign = |sign: &u8| has(*sign) || *sign == b'/' && has(b'\\');
        let is_ascii = text.is_ascii();
        let has_one = |part: &Part<'_>| {
            let plain = part.text.text().as_bytes();
            let mut words = plain.split(|it| !is_of_word(it)).filter(|word| !word.is_empty());
            words.any(|word| is_in(text.as_bytes(), beginning(word)))
                || plain.iter().filter(|it| is_sign(it)).any(has_sign)
                || !is_ascii && !plain.is_ascii()
        };
        !is_ascii && folds_to_ascii(text) || parts.from(from).any(has_one)
    }

    pub(super) fn place_of(&self, quoted: &str, from: QuotedFrom) -> Option<ByteSpan> {
        let quoted = Plain::of_text(quoted);
        let quoted = quoted.text().trim_matches(is_around_quotation);
        if quoted.is_empty() {
            return None;
        }
        self.parts().from(from).find_map(|part| part.place_of(quoted))
    }

    pub(super) fn lacks(&self, quoted: &str) -> bool {
        !self.parts().cut && self.place_of(quoted, QuotedFrom::Call).is_none()
    }

    /// A text without the words that it has from the call: in the tool's name, and in what it quotes of the
    /// values, letters become `x`. `None` where it has none of them.
    pub(in crate::rulebook) fn own_words(&self, text: &str, tool: &str) -> Option<String> {
        let bytes = text.as_bytes();
        let is_word = |at: Option<usize>| {
            let byte = at.and_then(|at| bytes.get(at));
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        };
        let is_compound = tool.contains(|it: char| !it.is_ascii_lowercase());
        let mut end = 0;
        let starts = places(bytes, tool.as_bytes()).filter(|start| {
            let is_next = *start >= end;
            end = if is_next { start + tool.len() } else { end };
            is_next
        });
        let names = starts.map(|start| start..start + tool.len());
        let names = names.filter(|name| {
            let before = &text[..name.start];
            let is_named =
                is_compound || before.ends_with(['\'', '"', '`']) || before.ends_with("tool ");
            let is_free = !is_word(name.start.checked_sub(1)) && !is_word(Some(name.end));
            is_named && is_free && name.len() < text.len()
        });
        let mut borrowed: Vec<Range<usize>> = names.collect();
        let searched = &text[..text.floor_char_boundary(MOST_TEXT)];
        let quotes = memchr3_iter(b'\'', b'"', b'`', searched.as_bytes());
        let opening = quotes.filter(|at| !is_word(at.checked_sub(1)) && is_word(Some(at + 1)));
        for at in opening {
            let (start, rest) = (at + 1, &searched.as_bytes()[at + 1..]);
            let mut ends = memchr_iter(bytes[at], rest).map(|length| start + length);
            // A sign in the middle of a word ends nothing: 'it's not there'.
            let Some(end) = ends.find(|end| !is_word(Some(end + 1))) else { continue };
            // The name of a member is the reply's own.
            let is_member = text[..at].trim_end().ends_with(['{', ','])
                && text[end + 1..].trim_start().starts_with(':');
            if !is_member && self.place_of(&text[start..end], QuotedFrom::Values).is_some() {
                borrowed.push(start..end);
            }
        }
        (!borrowed.is_empty()).then(|| {
            let mut own = bytes.to_vec();
            for range in borrowed {
                let letters = own[range].iter_mut().filter(|byte| byte.is_ascii_alphabetic());
                letters.for_each(|letter| *letter = b'x');
            }
            String::from_utf8(own).unwrap_or_default()
        })
    }

    /// The first quoted part of at least so many characters: where in the text, and in the call.
    pub(super) fn quoted_in(
        &self,
        reply: &Quoting<'_>,
        from: QuotedFrom,
        least: usize,
    ) -> Option<(ByteSpan, ByteSpan)> {
        let is_long = |part: &str| part.chars().nth(least.saturating_sub(1)).is_some();
        self.parts().from(from).find_map(|part| {
            let whole = part.text.text().trim_matches(is_around_quotation);
            let name = memrchr(b'/', whole.as_bytes()).filter(|_| !part.is_name);
            let name = name.map(|at| &whole[at + 1..]);
            let spelled = [Some(whole), name].into_iter().flatten();
            let mut spelled = spelled.filter(|it| is_long(it) && reply.may_hold(it));
            let there = spelled.find_map(|spelled| {
                find_free(reply.plain.text(), spelled).map(|found| reply.plain.place(found))
            })?;
            Some((there, part.text.place(0..part.text.text().len())))
        })
    }
}

impl<'a> Parts<'a> {
    fn from(&self, from: QuotedFrom) -> impl Iterator<Item = &Part<'a>> {
        self.of.iter().filter(move |part| match from {
            QuotedFrom::Values => !part.is_name,
            QuotedFrom::Names => part.is_name,
            QuotedFrom::Call | QuotedFrom::Nothing => true,
        })
    }

    fn add(&mut self, json: &'a str) {
        let bytes = json.as_bytes();
        let mut start = 0;
        while let Some(byte) = bytes.get(start) {
            match byte {
                b'"' => {
                    // What is no JSON holds nothing from here on.
                    let Ok(text) = Scanner::trusted(&json[start..]).string() else { return };
                    let text = text.escaped_text();
                    start += text.len() + 1;
                    let next =
                        bytes[start..].iter().skip(1).find(|byte| !byte.is_ascii_whitespace());
                    self.part(text, next == Some(&b':'));
                }
                b'-' | b'0'..=b'9' => {
                    let is_of_number =
                        |byte: &&u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                    let end = start + bytes[start..].iter().take_while(is_of_number).count();
                    self.part(&json[start..end], false);
                    start = end - 1;
                }
                _ => {}
            }
            start += 1;
        }
    }

    /// `escaped` is a piece of the arguments.
    fn part(&mut self, escaped: &'a str, is_name: bool) {
        let room = MOST_BYTES - self.bytes;
        if self.of.len() == MOST_PARTS || escaped.len() > room {
            self.cut = true;
        }
        if self.of.len() == MOST_PARTS || room == 0 {
            return;
        }
        let start = start_in(self.arguments, escaped);
        let taken = &escaped[..escaped.floor_char_boundary(room)];
        self.bytes += taken.len();
        let source = Source { text: taken, is_escaped: true, start };
        self.of.push(Part { text: Plain { source, text: OnceCell::new() }, is_name });
    }
}

impl Part<'_> {
    /// Where it holds what is quoted; all of it where it is a piece of that, as a name is of a path.
    fn place_of(&self, quoted: &str) -> Option<ByteSpan> {
        let own = self.text.text().trim_matches(is_around_quotation);
        // What names a root, such as a drive or a scheme, is not how a program spells the path.
        let own = own.split_once(":/").map_or(own, |(_, path)| path);
        let own = own.trim_start_matches(['~', '.', '/']);
        if let Some(found) = find_free(self.text.text(), quoted) {
            return Some(self.text.place(found));
        }
        let is_last = quoted.strip_suffix(own).is_some_and(|before| before.ends_with('/'));
        let is_inside = !self.is_name
            && !own.is_empty()
            && own.len() < quoted.len()
            && !quoted.contains(' ')
            && (is_last || own.len() >= SHORTEST_INSIDE && find_free(quoted, own).is_some());
        is_inside.then(|| self.text.place(0..self.text.text().len()))
    }
}

/// A text without differences of writing: case, kinds of quotes, separators of paths, white space.
struct Plain<'a> {
    /// Made when something first asks for it: names of arguments are hardly looked for.
    text: OnceCell<Cow<'a, str>>,
    source: Source<'a>,
}

/// A piece of what was recorded.
#[derive(Clone, Copy)]
struct Source<'a> {
    text: &'a str,
    /// Whether it stands between the quotes of a JSON string.
    is_escaped: bool,
    /// Where it begins in the whole.
    start: usize,
}

impl<'a> Source<'a> {
    fn for_each(self, mut visit: impl FnMut(char, usize)) {
        if self.is_escaped {
            decode_string(self.text, visit);
        } else {
            self.text.char_indices().for_each(|(at, character)| visit(character, at));
        }
    }

    fn plain(self) -> Cow<'a, str> {
        let written = self.text.as_bytes();
        let kinds = written.iter().fold(0, |kinds, byte| kinds | BYTES[usize::from(*byte)].1);
        if kinds & (FOREIGN | CHANGES) == 0 && (kinds & RECURS == 0 || !recurs(written)) {
            return self.text.into();
        }
        let mut text = Vec::with_capacity(written.len());
        if self.is_escaped && self.text.contains('\\') {
            self.for_each(|character, _| push_plain(&mut text, character));
        } else {
            let (mut done, plainly) = (0, |byte: &u8| BYTES[usize::from(*byte)].0);
            for (at, foreign) in foreign(self.text) {
                text.extend(written[done..at].iter().map(plainly));
                push_plain(&mut text, foreign);
                done = at + foreign.len_utf8();
            }
            text.extend(written[done..].iter().map(plainly));
        }
        if kinds & (RECURS | FOREIGN) != 0 && recurs(&text) {
            text.dedup_by(|next, byte| next == byte && may_recur(*byte));
        }
        String::from_utf8(text).unwrap_or_default().into()
    }
}

impl<'a> Plain<'a> {
    fn of_text(text: &'a str) -> Self {
        Self { text: OnceCell::new(), source: Source { text, is_escaped: false, start: 0 } }
    }

    fn text(&self) -> &str {
        self.text.get_or_init(|| self.source.plain())
    }

    /// Where this piece stands in the whole.
    fn place(&self, found: Range<usize>) -> ByteSpan {
        let Source { text, start, .. } = self.source;
        let mut places = [text.len(); 2];
        let mut made = Vec::with_capacity(self.text().len());
        self.source.for_each(|character, at| {
            let before = made.len();
            push_plain(&mut made, character);
            for (place, wanted) in places.iter_mut().zip([found.start, found.end]) {
                if (before..made.len()).contains(&wanted) {
                    *place = at;
                }
            }
        });
        let [start, end] = places.map(|place| offset(start + place));
        ByteSpan { start, end }
    }
}

/// Whether a byte becomes another, whether several in a row become one, and whether it is none of ASCII.
const CHANGES: u8 = 1;
const RECURS: u8 = 2;
const FOREIGN: u8 = 4;

/// What each byte becomes, and what is to be known of it.
const BYTES: [(u8, u8); 256] = {
    let mut bytes = [(0, 0); 256];
    let mut byte = u8::MAX;
    loop {
        let plain = plain(byte);
        let changes = if plain == byte { 0 } else { CHANGES };
        let recurs = if may_recur(plain) { RECURS } else { 0 };
        let foreign = if byte.is_ascii() { 0 } else { FOREIGN };
        bytes[byte as usize] = (plain, changes | recurs | foreign);
        if byte == 0 {
            break bytes;
        }
        byte -= 1;
    }
};

const fn plain(byte: u8) -> u8 {
    match byte {
        b'"' | b'`' => b'\'',
        b'\\' => b'/',
        b'\t'..=b'\r' => b' ',
        _ => byte.to_ascii_lowercase(),
    }
}

fn push_plain(text: &mut Vec<u8>, character: char) {
    if let Some(byte) = u8::try_from(character).ok().filter(u8::is_ascii) {
        return push_once(text, plain(byte));
    }
    for character in character.to_lowercase() {
        match character {
            '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}' => text.push(b'\''),
            other if other.is_whitespace() => push_once(text, b' '),
            other => text.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// Separators and blanks: one stands for several in a row.
const fn may_recur(byte: u8) -> bool {
    matches!(byte, b'/' | b' ')
}

/// Whether one of them stands twice in a row.
fn recurs(text: &[u8]) -> bool {
    let pairs = text.iter().zip(text.get(1..).unwrap_or_default());
    pairs.fold(false, |found, (byte, next)| found | (byte == next) & may_recur(*byte))
}

fn push_once(text: &mut Vec<u8>, byte: u8) {
    if !(may_recur(byte) && text.last() == Some(&byte)) {
        text.push(byte);
    }
}

fn is_around_quotation(character: char) -> bool {
    matches!(character, '\'' | ' ' | '.' | ',' | ':' | ';')
}

/// The first place of a text where no word goes on before or after it.
fn find_free(haystack: &str, needle: &str) -> Option<Range<usize>> {
    let binds = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let opens = needle.bytes().next().is_some_and(|first| binds(&first));
    let closes = needle.bytes().next_back().is_some_and(|last| binds(&last));
    let bytes = haystack.as_bytes();
    let start = places(bytes, needle.as_bytes()).find(|start| {
        let before = start.checked_sub(1).map(|before| &bytes[before]);
        !(opens && before.is_some_and(binds)
            || closes && bytes.get(start + needle.len()).is_some_and(binds))
    })?;
    Some(start..start + needle.len())
}

/// A reply that may quote a call.
pub(super) struct Quoting<'t> {
    plain: Plain<'t>,
    /// Whether it has characters that are ASCII to whoever ignores case.
    folds: OnceCell<bool>,
}

impl<'t> Quoting<'t> {
    /// A reply as far as it is searched.
    pub(super) fn new(text: &'t str) -> Self {
        let text = &text[..text.floor_char_boundary(MOST_TEXT)];
        Self { plain: Plain::of_text(text), folds: OnceCell::new() }
    }

    /// Whether it may hold a text that is written plainly, told by the letters and digits with which that begins.
    fn may_hold(&self, plain: &str) -> bool {
        let text = self.plain.source.text;
        *self.folds.get_or_init(|| folds_to_ascii(text))
            || is_in(text.as_bytes(), beginning(plain.as_bytes()))
    }
}

/// So many letters tell most texts apart.
const ENOUGH: usize = 16;

/// The letters and digits with which a text begins that is written plainly.
fn beginning(plain: &[u8]) -> &[u8] {
    let bytes = plain.iter().take(ENOUGH);
    &plain[..bytes.take_while(|byte| byte.is_ascii_alphanumeric()).count()]
}

/// A longer text is looked for by a method that is worth preparing.
const WORTH_PREPARING: usize = 64;

/// Where a text stands in another; an empty one nowhere.
fn places(haystack: &[u8], needle: &[u8]) -> impl Iterator<Item = usize> {
    let is_long = needle.len() > WORTH_PREPARING && needle.len() <= haystack.len();
    let prepared = is_long.then(|| memchr::memmem::find_iter(haystack, needle));
    let first = needle.first().filter(|_| needle.len() <= WORTH_PREPARING);
    let starts = first.map(|first| memchr::memchr_iter(*first, haystack));
    let there = starts.into_iter().flatten().filter(|start| haystack[*start..].starts_with(needle));
    prepared.into_iter().flatten().chain(there)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_call_that_was_not_looked_at_to_its_end_nothing_is_missing() {
        let long = format!(r#"{{"code":"{} ffmpeg"}}"#, "x ".repeat(MOST_BYTES));
        assert!(!Call::new(&long).lacks("ffmpeg"));
    }

    proptest::proptest! {
        #[test]
        fn what_is_quoted_shares_a_word_with_the_call(value in "[aB1/\\\\é ._~|\t\u{a0}]{1,8}", text in "[Ab1/\\\\é ._~|]{1,8}") {
            let arguments = serde_json::json!({"v": value}).to_string();
            let call = Call::new(&arguments);
            proptest::prop_assert!(call.has_blanks() || !value.contains(char::is_whitespace));
            let reply = format!("x {text} x");
            for from in [QuotedFrom::Values, QuotedFrom::Names, QuotedFrom::Call] {
                let is_quoted = call.place_of(&text, from).is_some();
                proptest::prop_assert!(!is_quoted || call.may_be_quoted_in(&reply, from));
            }
        }

        #[test]
        fn what_stands_in_a_text_may_be_in_it(text in "[ab1K\u{212a}/\\\\ ._é-]{0,20}", part in "[ab1k/ ._-]{1,4}") {
            let stands = find_free(Plain::of_text(&text).text(), &part).is_some();
            proptest::prop_assert!(Quoting::new(&text).may_hold(&part) || !stands);
        }

        #[test]
        fn a_place_is_found_however_long_the_text_is(before in "[ab ]{0,9}", word in "[ab]{1,3}", often in 1_usize..40) {
            let needle = word.repeat(often);
            let haystack = format!("{before}{needle} {needle}");
            let naive: Vec<usize> = (0..haystack.len()).filter(|at| haystack[*at..].starts_with(&needle)).collect();
            let found: Vec<usize> = places(haystack.as_bytes(), needle.as_bytes()).collect();
            let shown: Vec<usize> = if needle.len() > WORTH_PREPARING { vec![naive[0]] } else { naive };
            proptest::prop_assert!(found.starts_with(&shown), "{:?} {:?}", found, shown);
        }

        #[test]
        fn no_call_and_no_text_do_harm(arguments in ".{0,60}", inner in ".{0,20}", text in ".{0,40}") {
            let quoted = serde_json::to_string(&inner).expect("a text");
            for arguments in [arguments, format!("{{{quoted}: [{quoted}, 1e5, {{}}]}}")] {
                let call = Call::new(&arguments);
                for from in [QuotedFrom::Values, QuotedFrom::Call, QuotedFrom::Nothing] {
                    if let Some(place) = call.place_of(&text, from) {
                        proptest::prop_assert!(arguments.get(place.start as usize..place.end as usize).is_some());
                    }
                    if let Some((there, sent)) = call.quoted_in(&Quoting::new(&format!("{text} {inner}")), from, 2) {
                        proptest::prop_assert!(there.start <= there.end);
                        proptest::prop_assert!(arguments.get(sent.start as usize..sent.end as usize).is_some());
                    }
                }
            }
        }
    }
}
