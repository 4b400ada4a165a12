//! Recorded text and counts, made fit to be read by people.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Recorded text made harmless: control and direction-changing characters are spelled out.
pub fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        // Almost all of almost every text is harmless as it stands.
        let plain = rest.bytes().position(|byte| !matches!(byte, b' '..=b'~'));
        let (plain, other) = rest.split_at(plain.unwrap_or(rest.len()));
        out.push_str(plain);
        let mut characters = other.chars();
        match characters.next() {
            None => return out,
            Some('\n') => out.push('⏎'),
            Some('\t') => out.push(' '),
            Some(c) if is_steering(c) => _ = write!(out, "\\u{{{:x}}}", u32::from(c)),
            Some(c) => out.push(c),
        }
        rest = characters.as_str();
    }
}

/// So many bytes are looked at together.
const STEP: usize = 64;

/// Whether a text is of the printable characters of ASCII alone.
pub fn is_printable(text: &str) -> bool {
    // A step at a time has no branch inside.
    text.as_bytes().chunks(STEP).all(|bytes| {
        bytes.iter().fold(0, |most, byte| byte.wrapping_sub(b' ').max(most)) <= b'~' - b' '
    })
}

/// Whether a character acts on the terminal, or reorders or hides the text around it.
pub fn is_steering(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{fffe}'..='\u{ffff}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// A text of JSON in which such characters are escaped. It says the same.
pub fn harmless_json(json: &str) -> String {
    escaped(json, is_steering)
}

/// Lines in which nothing acts on whoever shows them, also of JSON, which says the same.
pub fn harmless_lines(text: &str) -> Cow<'_, str> {
    Lines::default().harmless(text)
}

/// Lines of a stream, which may be cut anywhere. Nothing in them acts on a terminal, nor on a CI runner that
/// reads commands from its log: `::` at the beginning of a line, `##[` and `##vso[` anywhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lines {
    /// Whether `::` stays: the program writes such commands itself.
    has_own_commands: bool,
    /// What the line is so far: 0 for blanks alone, 1 for a colon behind them, 2 for anything else.
    begun: u8,
    /// How many characters of `##vso` it ends with.
    sign: u8,
}

impl Lines {
    pub fn with_own_commands() -> Self {
        Self { has_own_commands: true, ..Self::default() }
    }

    pub fn harmless<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let before = *self;
        if !self.has_acting(text) {
            return Cow::Borrowed(text);
        }
        *self = before;
        Cow::Owned(escaped(text, |c| self.acts(c)))
    }

    fn has_acting(&mut self, mut rest: &str) -> bool {
        loop {
            if self.begun == 2 && self.sign == 0 {
                // Nothing that is printable acts here but after a number sign.
                let is_plain = |byte| matches!(byte, b' '..=b'~') && byte != b'#';
                // A step at a time has no branch inside.
                let steps = rest.as_bytes().chunks_exact(STEP);
                let is_step =
                    |step: &&[u8]| step.iter().fold(true, |all, byte| all & is_plain(*byte));
                rest = &rest[steps.take_while(is_step).count() * STEP..];
                let plain = rest.bytes().position(|byte| !is_plain(byte));
                rest = &rest[plain.unwrap_or(rest.len())..];
            }
            let mut characters = rest.chars();
            match characters.next() {
                None => return false,
                Some(c) if self.acts(c) => return true,
                Some(_) => rest = characters.as_str(),
            }
        }
    }

    fn acts(&mut self, c: char) -> bool {
        let is_command = match c {
            ':' => self.begun == 1 && !self.has_own_commands,
            '[' => matches!(self.sign, 2 | 5),
            _ => false,
        };
        self.begun = match (c, self.begun) {
            ('\n', _) => 0,
            (c, 0) if c.is_whitespace() => 0,
            (':', 0) => 1,
            _ => 2,
        };
        self.sign = match (c, self.sign) {
            ('#', 1 | 2) => 2,
            ('v' | 'V', 2) | ('s' | 'S', 3) | ('o' | 'O', 4) => self.sign + 1,
            ('#', _) => 1,
            _ => 0,
        };
        is_command || is_steering(c) && c != '\n' && c != '\t'
    }
}

fn escaped(text: &str, mut acts: impl FnMut(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if acts(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(character);
        }
    }
    out
}

/// A text cut to a number of characters, with an ellipsis where something is missing.
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().nth(width).is_none() {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(std::iter::once('…')).collect()
}

const SAID: usize = 120;

/// The line of a reply that says what happened, and not where; several lines without one are joined.
pub fn said(text: &str) -> Option<String> {
    let says = |line: &&str| {
        !line.starts_with([' ', '\t'])
            && !line.trim_end().ends_with("Traceback (most recent call last):")
            && line.chars().any(char::is_alphanumeric)
    };
    let joined = || text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut lines = text.lines().filter(says).map(str::trim_end);
    let line = lines.next().map_or_else(joined, |line| match line.trim_start_matches('#') {
        // A heading says what it is about, and the line below it what happened.
        heading if heading.len() < line.len() && heading.starts_with(' ') => {
            let below = lines.next().map(|below| format!(": {below}")).unwrap_or_default();
            heading.trim().to_owned() + &below
        }
        _ => line.to_owned(),
    });
    (!line.is_empty()).then(|| cut(&line, SAID))
}

/// A number with its thousands set apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number of things, in the singular where there is one.
pub fn counted(count: u64, thing: &str) -> String {
    let count_shown = grouped(count);
    match thing.strip_suffix("ply") {
        _ if count == 1 || thing.ends_with("series") => format!("{count_shown} {thing}"),
        Some(stem) => format!("{count_shown} {stem}plies"),
        None => format!("{count_shown} {thing}s"),
    }
}

/// Nouns that templates write after a count.
const COUNTED: [&str; 3] = ["character", "element", "member"];

/// Adds a count that a template takes, and after a count of one the template's noun in the singular. Returns
/// what is left of the template.
pub fn push_count<'t>(text: &mut String, count: &str, template: &'t str) -> &'t str {
    text.push_str(count);
    if count != "1" {
        return template;
    }
    let singular = |noun: &str| {
        let rest = template.strip_prefix(' ')?.strip_prefix(noun)?.strip_prefix('s')?;
        (!rest.starts_with(char::is_alphanumeric)).then_some(rest)
    };
    let found = COUNTED.iter().find_map(|noun| Some((noun, singular(noun)?)));
    let Some((noun, rest)) = found else { return template };
    text.push(' ');
    text.push_str(noun);
    rest
}

/// A word of a command line, quoted where a shell would take it for more than that.
pub fn typed(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", harmless(word).replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_character_is_made_harmless_by_itself(text in "[ab~\u{7f}é\n\t\u{1b}\u{202e}不]{0,30}") {
            let one_by_one: String = text.chars().map(|c| harmless(&c.to_string())).collect();
            prop_assert_eq!(harmless(&text), one_by_one);
            prop_assert!(!harmless(&text).chars().any(is_steering));
        }
    }

    #[test]
    fn json_says_the_same_without_steering() {
        let value = serde_json::json!({"a\u{202e}": "\u{e0001}\u{9b}配\n"});
        let text = harmless_json(&value.to_string());
        assert!(!text.chars().any(is_steering), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON"), value);
    }

    #[test]
    fn counts_and_long_texts() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(12), "12");
        assert_eq!(counted(1, "server"), "1 server");
        assert_eq!(counted(1_000, "server"), "1,000 servers");
        assert_eq!(counted(37, "more series"), "37 more series");
        for (count, template, filled) in [
            ("1", " characters long", "1 character long"),
            ("1", " and 5 characters", "1 and 5 characters"),
            ("11", " elements", "11 elements"),
            ("1", " charactersets", "1 charactersets"),
        ] {
            let mut text = String::new();
            let rest = push_count(&mut text, count, template).to_owned();
            assert_eq!(text + &rest, filled);
        }
        assert_eq!(cut("abcdef", 4), "abc…");
    }

    #[test]
    fn recorded_text_cannot_steer_the_terminal() {
        assert_eq!(harmless("a\u{1b}[31mb\nc\u{202e}d"), "a\\u{1b}[31mb⏎c\\u{202e}d");
    }
}
