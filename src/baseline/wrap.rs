//! Long lines of a baseline over several short ones, for people and for version control.
//!
//! A line is broken at a space, or else within a word, which a backslash at the end of the line marks.

use std::borrow::Cow;

/// The most characters of a line, apart from a backslash at its end.
pub(super) const WIDTH: usize = 120;
/// Begins what continues the line above; no other line of ours begins like it.
const CONTINUED: &str = "    ";
/// Before the end of a line that breaks a word.
const BROKEN: char = '\\';
/// Before each part of a verdict.
const BAR: &str = " | ";

/// A line over several: before a part of the verdict where there is one, else at a single space, else anywhere.
pub(super) fn wrapped(line: &str) -> Cow<'_, str> {
    if line.chars().count() <= WIDTH {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len() + 32);
    let (mut rest, mut room) = (line, WIDTH);
    while let Some((end, _)) = rest.char_indices().nth(room) {
        let after = if let Some(at) = space_in(rest, end) {
            out.push_str(&rest[..at]);
            &rest[at + 1..]
        } else {
            out.push_str(&rest[..end]);
            out.push(BROKEN);
            &rest[end..]
        };
        out.push('\n');
        out.push_str(CONTINUED);
        (rest, room) = (after, WIDTH - CONTINUED.len());
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The last space before `end` at which a line can be broken.
fn space_in(line: &str, end: usize) -> Option<usize> {
    let is_single = |at: &usize| {
        let (before, after) = (&line[..*at], &line[*at + 1..]);
        !before.is_empty() && !after.is_empty() && !before.ends_with(' ') && !after.starts_with(' ')
    };
    let found = |what| line[..end].rmatch_indices(what).map(|(at, _)| at).find(is_single);
    found(BAR).or_else(|| found(" "))
}

/// A text with its lines whole again.
pub(super) fn joined(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.replace(&format!("{BROKEN}\n{CONTINUED}"), "").replace(&format!("\n{CONTINUED}"), " ")
}

/// The line of the text, from 1, at which this line of the joined text begins.
pub(super) fn line_in(text: &str, joined: usize) -> usize {
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.starts_with(CONTINUED));
    lines.map(|(_, number)| number).nth(joined.saturating_sub(1)).unwrap_or(joined)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_line_is_broken_before_its_parts() {
        let [a, b] = ["a, ", "b "].map(|word| word.repeat(20));
        let line = format!("failed | shop/get | {} | {}", a.trim_end(), b.trim_end());
        let shown = wrapped(&line);
        assert!(shown.lines().all(|line| line.chars().count() <= WIDTH), "{shown}");
        assert!(shown.lines().nth(1).is_some_and(|line| line.starts_with("    | b b")), "{shown}");
        assert_eq!(line_in(&format!("{shown}\nnext\n"), 2), 3);
    }

    proptest! {
        #[test]
        fn whatever_is_written_reads_back(line in "[ab|,é ]{0,700}|[ab]{0,400}[a ]{0,300}") {
            let line = line.trim_start();
            let shown = wrapped(line);
            prop_assert!(shown.lines().all(|line| line.chars().count() <= WIDTH + 1));
            prop_assert_eq!(joined(&shown), line);
        }
    }
}
