//! Colour on terminals: a line takes the colour of its first word, where that says how something ended.

use std::borrow::Cow;
use std::io::IsTerminal;

const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";

/// First words of lines, without signs around them, and their colours.
const WORDS: [(&str, &str); 18] = [
    ("worked", GREEN),
    ("refused", YELLOW),
    ("invalid", RED),
    ("failed", RED),
    ("error", RED),
    ("FAIL", RED),
    ("undecided", YELLOW),
    ("warning", YELLOW),
    ("note", YELLOW),
    ("pass", GREEN),
    ("clean", GREEN),
    ("created", GREEN),
    ("differs", YELLOW),
    ("missing", YELLOW),
    ("regressed", RED),
    ("stricter", RED),
    ("fixed", GREEN),
    ("next", GREEN),
];

/// A text as a stream shows it: with colours where people look and did not refuse them.
pub(super) fn painted<'t>(text: &'t str, stream: &impl IsTerminal) -> Cow<'t, str> {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if refused || is_dumb || !stream.is_terminal() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split_inclusive('\n').map(line).collect())
}

fn line(line: &str) -> Cow<'_, str> {
    let start = line.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(line.len());
    let (before, rest) = line.split_at(start);
    // Words further in are words of a sentence.
    if !before.chars().all(|c| matches!(c, ' ' | '-' | '[' | ']')) {
        return Cow::Borrowed(line);
    }
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    match WORDS.iter().find(|(known, _)| *known == word) {
        Some((_, colour)) => Cow::Owned(format!("{before}\u{1b}[{colour}m{word}\u{1b}[0m{after}")),
        None => Cow::Borrowed(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_takes_the_colour_of_its_first_word_alone() {
        assert_eq!(line("  failed  98\n"), "  \u{1b}[31mfailed\u{1b}[0m  98\n");
        assert_eq!(line("  - FAIL worse: 2\n"), "  - \u{1b}[31mFAIL\u{1b}[0m worse: 2\n");
        for plain in ["what failed\n", "failed_calls\n", "7 of 7  failed\n", "\n", "⟦error⟧"] {
            assert_eq!(line(plain), plain);
        }
    }
}
