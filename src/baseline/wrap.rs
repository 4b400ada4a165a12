//! Long lines of a baseline over several short ones, for people and for version control.

use std::borrow::Cow;

/// No line is longer than so many characters where it can be broken.
const WIDTH: usize = 160;
/// Begins what continues the line above; no other line of ours begins like it.
const CONTINUED: &str = "    ";
/// Before each part of a verdict.
const BAR: &str = " | ";

/// A line over several: before a part of the verdict where there is one, else at a single space.
pub(super) fn wrapped(line: &str) -> Cow<'_, str> {
    if line.chars().count() <= WIDTH {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len() + 32);
    let (mut rest, mut room) = (line, WIDTH);
    loop {
        let end = rest.char_indices().nth(room).map_or(rest.len(), |(at, _)| at);
        let Some(at) = (end < rest.len()).then(|| break_in(rest, end)).flatten() else { break };
        out.push_str(&rest[..at]);
        out.push('\n');
        out.push_str(CONTINUED);
        (rest, room) = (&rest[at + 1..], WIDTH - CONTINUED.len());
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The space at which a line is broken: the last one that fits, or the first one.
fn break_in(line: &str, end: usize) -> Option<usize> {
    let is_single = |at: &usize| {
        let (before, after) = (&line[..*at], &line[*at + 1..]);
        !before.is_empty() && !after.is_empty() && !before.ends_with(' ') && !after.starts_with(' ')
    };
    let fitting = &line[..end];
    fitting
        .rmatch_indices(BAR)
        .map(|(at, _)| at)
        .chain(fitting.rmatch_indices(' ').map(|(at, _)| at))
        .chain(line[end..].match_indices(' ').map(|(at, _)| end + at))
        .find(is_single)
}

/// A text with its lines whole again.
pub(super) fn joined(text: &str) -> String {
    text.replace(&format!("\r\n{CONTINUED}"), " ").replace(&format!("\n{CONTINUED}"), " ")
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
        let [a, b] = ["a, ", "b "].map(|word| word.repeat(40));
        let line = format!("failed | shop/get | {} | {}", a.trim_end(), b.trim_end());
        let shown = wrapped(&line);
        assert!(shown.lines().all(|line| line.chars().count() <= WIDTH), "{shown}");
        assert!(shown.lines().nth(1).is_some_and(|line| line.starts_with("    | b b")), "{shown}");
        assert_eq!(line_in(&format!("{shown}\nnext\n"), 2), 3);
    }

    proptest! {
        #[test]
        fn whatever_is_written_reads_back(line in "[ab|,é ]{0,700}") {
            let line = line.trim_start();
            prop_assert_eq!(joined(&wrapped(line)), line);
        }
    }
}
