//! What the caller sent, in a form in which a reply's quotations are found.

use super::fold::offset;
use crate::json::{Kind, Raw, decode_string, scan_document};
use crate::rulebook::QuotedFrom;
use crate::verdict::Place;
use std::cell::OnceCell;
use std::ops::Range;

/// So many names and values of a call are compared with a reply.
const MOST_PARTS: usize = 1024;
/// So many bytes of them.
const MOST_BYTES: usize = 128 << 10;
/// So many bytes of a reply are searched for them.
const MOST_TEXT: usize = 4 << 10;
/// Deeper arguments are not looked into.
const DEEPEST: usize = 128;
/// A shorter value says nothing where it stands inside of what a reply quotes.
const SHORTEST_INSIDE: usize = 3;

/// The arguments of a call. They are read when something first asks for them.
pub(in crate::rulebook) struct Call<'a> {
    arguments: &'a str,
    parts: OnceCell<Parts<'a>>,
}

/// The names and values in the arguments.
#[derive(Default)]
struct Parts<'a> {
    of: Vec<Part<'a>>,
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
    /// A call with these arguments; what is not a JSON object holds nothing.
    pub(in crate::rulebook) fn new(arguments: &'a str) -> Self {
        Self { arguments, parts: OnceCell::new() }
    }

    fn parts(&self) -> &Parts<'a> {
        self.parts.get_or_init(|| {
            let mut parts = Parts { arguments: self.arguments, ..Parts::default() };
            if let Ok(raw) = scan_document(self.arguments, DEEPEST)
                && raw.kind() == Kind::Object
            {
                parts.add(raw);
            }
            parts
        })
    }

    /// Where the call holds what a reply quotes.
    pub(super) fn place_of(&self, quoted: &str, from: QuotedFrom) -> Option<Place> {
        let quoted = Plain::of_text(quoted);
        let quoted = quoted.text.trim_matches(is_around_quotation);
        if quoted.is_empty() {
            return None;
        }
        self.parts().from(from).find_map(|part| part.place_of(quoted))
    }

    /// Whether nothing of the call holds what a reply quotes.
    pub(super) fn lacks(&self, quoted: &str) -> bool {
        !self.parts().cut && self.place_of(quoted, QuotedFrom::Call).is_none()
    }

    /// The first part of at least so many characters that a text quotes: where in the text, and where in
    /// the call.
    pub(super) fn quoted_in(
        &self,
        text: &str,
        from: QuotedFrom,
        least: usize,
    ) -> Option<(Place, Place)> {
        let is_long = |part: &str| part.chars().nth(least.saturating_sub(1)).is_some();
        let mut parts = self.parts().from(from).filter(|part| is_long(&part.text.text)).peekable();
        parts.peek()?;
        let text = Plain::of_text(&text[..text.floor_char_boundary(MOST_TEXT)]);
        parts.find_map(|part| {
            let whole = part.text.text.trim_matches(is_around_quotation);
            let name = whole.rsplit('/').next().filter(|_| !part.is_name);
            let mut spelled = [Some(whole), name].into_iter().flatten().filter(|it| is_long(it));
            let found = spelled.find_map(|spelled| find_free(&text.text, spelled))?;
            Some((text.place(found), part.text.place(0..part.text.text.len())))
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

    fn add(&mut self, value: Raw<'a>) {
        match value.kind() {
            Kind::Object => {
                for (name, value) in value.members().unwrap_or_default() {
                    self.part(name.escaped_text(), true);
                    self.add(value);
                }
            }
            Kind::Array => {
                for element in value.elements().unwrap_or_default() {
                    self.add(element);
                }
            }
            Kind::String => {
                if let Some(text) = value.as_str() {
                    self.part(text.escaped_text(), false);
                }
            }
            Kind::Number => self.part(value.text(), false),
            Kind::Bool | Kind::Null => {}
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
        let start = escaped.as_ptr().addr() - self.arguments.as_ptr().addr();
        let taken = &escaped[..escaped.floor_char_boundary(room)];
        self.bytes += taken.len();
        let text = Plain::new(Source { text: taken, is_escaped: true, start });
        self.of.push(Part { text, is_name });
    }
}

impl Part<'_> {
    /// Where it holds what is quoted; all of it where it is a piece of that, as a name is of a path.
    fn place_of(&self, quoted: &str) -> Option<Place> {
        let own = self.text.text.trim_matches(is_around_quotation);
        let own = own.trim_start_matches(['~', '.', '/']);
        if let Some(found) = find_free(&self.text.text, quoted) {
            return Some(self.text.place(found));
        }
        let is_inside = !self.is_name
            && own.len() >= SHORTEST_INSIDE
            && own.len() < quoted.len()
            && !quoted.contains(' ')
            && find_free(quoted, own).is_some();
        is_inside.then(|| self.text.place(0..self.text.text.len()))
    }
}

/// A text without what differs between two ways to write the same: case, kinds of quotes, separators of
/// paths, white space.
struct Plain<'a> {
    text: String,
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

impl Source<'_> {
    fn for_each(self, mut visit: impl FnMut(char, usize)) {
        if self.is_escaped {
            decode_string(self.text, visit);
        } else {
            self.text.char_indices().for_each(|(at, character)| visit(character, at));
        }
    }
}

impl<'a> Plain<'a> {
    fn new(source: Source<'a>) -> Self {
        let mut text = String::with_capacity(source.text.len());
        source.for_each(|character, _| push_plain(&mut text, character));
        Self { text, source }
    }

    fn of_text(text: &'a str) -> Self {
        Self::new(Source { text, is_escaped: false, start: 0 })
    }

    /// Where this piece stands in the whole.
    fn place(&self, found: Range<usize>) -> Place {
        let Source { text, start, .. } = self.source;
        let mut places = [text.len(); 2];
        let mut made = String::with_capacity(self.text.len());
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
        Place { start, end }
    }
}

fn push_plain(text: &mut String, character: char) {
    if character.is_ascii() {
        return push_one(text, character.to_ascii_lowercase());
    }
    for character in character.to_lowercase() {
        push_one(text, character);
    }
}

fn push_one(text: &mut String, character: char) {
    let character = match character {
        '"' | '`' | '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}' => '\'',
        '\\' => '/',
        other if other.is_whitespace() => ' ',
        other => other,
    };
    if !(matches!(character, '/' | ' ') && text.ends_with(character)) {
        text.push(character);
    }
}

/// What may stand around a quotation and is not part of it.
fn is_around_quotation(character: char) -> bool {
    matches!(character, '\'' | ' ' | '.' | ',' | ':' | ';')
}

/// The first place of a text where no word goes on before or after it.
fn find_free(haystack: &str, needle: &str) -> Option<Range<usize>> {
    let binds = |character: &char| character.is_ascii_alphanumeric() || *character == '_';
    let opens = needle.chars().next().is_some_and(|first| binds(&first));
    let closes = needle.chars().next_back().is_some_and(|last| binds(&last));
    let mut places = memchr::memmem::find_iter(haystack.as_bytes(), needle.as_bytes());
    let start = places.find(|start| {
        let before = haystack[..*start].chars().next_back();
        let after = haystack[start + needle.len()..].chars().next();
        !(opens && before.as_ref().is_some_and(binds)
            || closes && after.as_ref().is_some_and(binds))
    })?;
    (!needle.is_empty()).then(|| start..start + needle.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARGUMENTS: &str = r#"{"path":"C:\\data\\Ghost.txt","code":"x = \"one\"\nprint(total_sum)","limit":500,"deep":[{"mode":"fast"}]}"#;

    fn quoted(quoted: &str, from: QuotedFrom) -> Option<&'static str> {
        let place = Call::new(ARGUMENTS).place_of(quoted, from)?;
        Some(&ARGUMENTS[place.start as usize..place.end as usize])
    }

    #[test]
    fn a_quotation_is_found_whatever_its_case_quotes_and_separators() {
        let values = |text| quoted(text, QuotedFrom::Values);
        assert_eq!(values("c:/DATA/ghost.txt"), Some(r"C:\\data\\Ghost.txt"));
        assert_eq!(values("`Ghost.txt`."), Some("Ghost.txt"));
        assert_eq!(values("x = 'one' print"), Some(r#"x = \"one\"\nprint"#));
        assert_eq!(values("500"), Some("500"));
        assert_eq!(values("/srv/fast/lane"), Some("fast"), "a value inside of what is quoted");
        assert_eq!(values("the fast lane"), None, "a sentence is not made of a value");
        let home = Call::new(r#"{"path":"~/.ssh/id"}"#);
        assert!(home.place_of("/home/ann/.ssh/id", QuotedFrom::Values).is_some());
    }

    #[test]
    fn a_piece_of_a_word_or_something_else_is_no_quotation() {
        let values = |text| quoted(text, QuotedFrom::Values);
        assert_eq!(values("ghost.tx"), None);
        assert_eq!(values("sum"), None);
        assert_eq!(values("50"), None);
        assert_eq!(values("''"), None);
        assert_eq!(values("limit"), None, "a name is no value");
        assert_eq!(quoted("limit", QuotedFrom::Names), Some("limit"));
        assert_eq!(quoted("mode", QuotedFrom::Call), Some("mode"));
    }

    #[test]
    fn what_the_call_does_not_mention_comes_from_nothing() {
        let is_of_nothing = |arguments: &str, quoted: &str| Call::new(arguments).lacks(quoted);
        assert!(is_of_nothing(ARGUMENTS, "ffmpeg"));
        assert!(is_of_nothing("", "ffmpeg"));
        assert!(!is_of_nothing(ARGUMENTS, "total_sum"));
        let long = format!(r#"{{"code":"{} ffmpeg"}}"#, "x ".repeat(MOST_BYTES));
        assert!(!is_of_nothing(&long, "ffmpeg"), "not all of the call was looked at");
    }

    #[test]
    fn a_reply_quotes_a_value_of_some_length() {
        let call = Call::new(ARGUMENTS);
        let text = "No file “ghost.TXT” in mode fast";
        let (there, sent) = call.quoted_in(text, QuotedFrom::Values, 5).expect("quoted");
        assert_eq!(&text[there.start as usize..there.end as usize], "ghost.TXT");
        assert_eq!(&ARGUMENTS[sent.start as usize..sent.end as usize], r"C:\\data\\Ghost.txt");
        assert_eq!(call.quoted_in("mode fast", QuotedFrom::Values, 5), None);
        assert_eq!(call.quoted_in("nothing of it", QuotedFrom::Call, 4), None);
    }

    proptest::proptest! {
        #[test]
        fn no_call_and_no_text_do_harm(arguments in ".{0,60}", inner in ".{0,20}", text in ".{0,40}") {
            let quoted = serde_json::to_string(&inner).expect("a text");
            for arguments in [arguments, format!("{{{quoted}: [{quoted}, 1e5, {{}}]}}")] {
                let call = Call::new(&arguments);
                for from in [QuotedFrom::Values, QuotedFrom::Call, QuotedFrom::Nothing] {
                    if let Some(place) = call.place_of(&text, from) {
                        proptest::prop_assert!(arguments.get(place.start as usize..place.end as usize).is_some());
                    }
                    if let Some((there, sent)) = call.quoted_in(&format!("{text} {inner}"), from, 2) {
                        proptest::prop_assert!(there.start <= there.end);
                        proptest::prop_assert!(arguments.get(sent.start as usize..sent.end as usize).is_some());
                    }
                }
            }
        }
    }
}
