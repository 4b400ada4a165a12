//! A comparison as Markdown for a comment on a pull request: bounded, and safe whatever was recorded.

use super::marked::{When, Window, pieces, texts, window};
use super::words::{
    RATE_HEADS, cause_words, differences, kinds, more_rates, overlap_words, rate_rows,
    rejected_files_words, short, size,
};
use crate::compare::{Answer, Comparison, Example, Excerpt, Group, Header, Matrix};
use crate::verdict::{Classification, counted, cut, grouped};
use crate::view::escape::markdown_code as escaped;
use std::fmt::Write as _;

/// What a comment may have; hosts take a little more.
pub const MOST_BYTES: usize = 60_000;
/// Kept free for what is said about the rest.
const CLOSING: usize = 1_000;
/// So many characters of a recorded name are shown.
const NAME: usize = 80;
/// So many characters of a line about an exchange are shown.
const LINE: usize = 200;

/// The comparison within so many bytes. What does not fit is counted. `command` is what gave it, so
/// that it can say how to see more.
#[must_use]
pub fn as_markdown(comparison: &Comparison, most_bytes: usize, command: &str) -> String {
    let mut text = head(comparison);
    let room = most_bytes.saturating_sub(CLOSING);
    // Examples may fill two thirds of the room; what is left is for naming as many groups as possible.
    let room_for_examples = room / 3 * 2;
    let (mut bare, mut shown) = (0_usize, 0);
    for group in &comparison.groups {
        let (headline, examples) = (headline(group), examples(group));
        let with_examples = text.len() + headline.len() + examples.len() <= room_for_examples;
        if !with_examples && text.len() + headline.len() > room {
            break;
        }
        text += &headline;
        if with_examples {
            text += &examples;
        } else {
            bare += 1;
        }
        shown += 1;
    }
    if !comparison.groups.is_empty() {
        let rest = &comparison.groups[shown..];
        closing(&mut text, bare, rest);
        let _ = writeln!(
            text,
            "\nAll exchanges of a group: {}",
            code(&cut(&format!("{command} --group ID"), LINE))
        );
    }
    text
}

fn closing(text: &mut String, bare: usize, rest: &[Group]) {
    let mut left_out = Vec::new();
    if bare > 0 {
        left_out.push(format!("the examples of {}", counted(bare as u64, "group")));
    }
    if !rest.is_empty() {
        let exchanges = rest.iter().map(|group| group.exchanges).sum();
        left_out.push(format!(
            "{} with {}",
            counted(rest.len() as u64, "group"),
            counted(exchanges, "exchange")
        ));
    }
    if !left_out.is_empty() {
        let _ = writeln!(text, "\nLeft out for want of room: {}.", left_out.join(", and "));
    }
}

fn head(comparison: &Comparison) -> String {
    let mut text = format!("### tapecheck: {}\n\n", kinds(comparison).join(", "));
    for (word, header) in [("Before", &comparison.before), ("After", &comparison.after)] {
        side(&mut text, word, header);
    }
    let differences = differences(&comparison.before, &comparison.after);
    if !differences.is_empty() {
        let parts: Vec<String> = differences.iter().map(|part| code(&cut(part, LINE))).collect();
        let _ = writeln!(text, "- Different: {}", parts.join("; "));
    }
    let _ = writeln!(text, "- {}", overlap_words(&comparison.overlap));
    if comparison.groups.is_empty() {
        return text;
    }
    matrix(&mut text, &comparison.classes, Classification::name);
    if comparison.answers.moved() > 0 {
        matrix(&mut text, &comparison.answers, Answer::words);
    }
    rates(&mut text, comparison);
    text
}

fn side(text: &mut String, word: &str, header: &Header) {
    let Header { name, corpus_digest, rulebook, version, .. } = header;
    let _ = write!(
        text,
        "- {word}: {}, rulebook {} {}, exchanges {}",
        code(&cut(name, NAME)),
        code(&cut(&rulebook.name, NAME)),
        code(short(&rulebook.digest)),
        code(short(corpus_digest)),
    );
    let _ = match version {
        Some(version) => writeln!(text, ", tapecheck {}", code(&cut(version, NAME))),
        None => writeln!(text),
    };
    if let Some(words) = rejected_files_words(header) {
        let _ = writeln!(text, "  - {}", code(&cut(&words, LINE)));
    }
}

fn matrix<T: Ord + Copy>(text: &mut String, matrix: &Matrix<T>, name: impl Fn(T) -> &'static str) {
    let (rows, columns) = matrix.values();
    text.push_str("\n| before |");
    for column in &columns {
        let _ = write!(text, " to `{}` |", name(*column));
    }
    let _ = writeln!(text, "\n|---|{}", "--:|".repeat(columns.len()));
    for row in rows {
        let _ = write!(text, "| `{}` |", name(row));
        for column in &columns {
            let count = matrix.get(row, *column);
            let _ = match (count, row == *column) {
                (0, _) => write!(text, " |"),
                (count, true) => write!(text, " {} |", grouped(count)),
                (count, false) => write!(text, " **{}** |", grouped(count)),
            };
        }
        text.push('\n');
    }
}

fn rates(text: &mut String, comparison: &Comparison) {
    let (rows, more) = rate_rows(&comparison.rates);
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n| {} |\n|---|--:|--:|---|---|", RATE_HEADS.join(" | "));
    for row in rows {
        let name = code(&cut(&row.name, NAME));
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {} |",
            row.before,
            row.after,
            row.change,
            row.p.replace('<', "&lt;")
        );
    }
    if more > 0 {
        let _ = writeln!(text, "\n{}", more_rates(more));
    }
}

fn headline(group: &Group) -> String {
    let causes: Vec<String> =
        cause_words(group).iter().map(|cause| code(&cut(cause, LINE))).collect();
    let size: Vec<String> = size(group).iter().map(|part| escaped(&cut(part, LINE))).collect();
    format!(
        "\n**{}** {} · {} · {}\n",
        group.kind.name(),
        causes.join(" and "),
        size.join(" · "),
        code(&group.id),
    )
}

fn examples(group: &Group) -> String {
    let mut text = String::from("\n");
    for example in &group.examples {
        let Example { key, server, tool, file, line, lines, excerpts: _ } = example;
        let who = format!("{} / {}", cut(server, NAME), cut(tool, NAME));
        let place = if *line > 0 { format!("{}:{line} ", cut(file, NAME)) } else { String::new() };
        let _ = writeln!(text, "- {} {}", code(&who), code(&format!("{place}{key}")));
        for (word, said) in ["before", "after"].iter().zip(lines) {
            let _ = writeln!(text, "  - {word}: {}", code(&cut(said, LINE)));
        }
        for (when, shown) in texts(example, &group.explanation.causes) {
            let word = match when {
                When::Always => "text",
                When::Before => "text before",
                When::After => "text after",
            };
            excerpt(&mut text, word, &shown);
        }
    }
    text
}

fn excerpt(text: &mut String, word: &str, excerpt: &Excerpt) {
    let pieces = pieces(excerpt);
    let Window { pieces, cut_before, cut_after } = window(&pieces, LINE);
    let [before, after] = [cut_before, cut_after].map(|cut| if cut { "…" } else { "" });
    let _ = write!(text, "  - {word}: <code>{before}");
    for piece in pieces {
        let piece_text = escaped(piece.text);
        let (begin, end) = if piece.marked { ("<b>", "</b>") } else { ("", "") };
        let _ = write!(text, "{begin}{piece_text}{end}");
    }
    let _ = writeln!(text, "{after}</code>");
}

/// Recorded text as code: hosts make neither mentions nor links of what stands in code.
fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}
