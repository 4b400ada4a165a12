//! A comparison as text for terminals.

use super::marked::{When, Window, pieces, texts, window};
use super::words::{
    RATE_HEADS, cause_words, differences, kinds, more_rates, overlap_words, rate_rows,
    rejected_files_words, short, size,
};
use crate::compare::{
    Answer, Cause, Comparison, Example, Excerpt, Flip, Group, Header, Matrix, Side,
};
use crate::verdict::{Classification, counted, cut, grouped, harmless};
use std::fmt::Write as _;

/// So many characters of a recorded name are shown.
const NAME: usize = 80;
/// So many characters of a line about an exchange are shown.
const LINE: usize = 240;

/// The comparison, with so many of its groups. `command` is what gave it, so that it can say how to
/// see more.
#[must_use]
pub fn as_text(comparison: &Comparison, groups: usize, command: &str) -> String {
    let mut text = String::new();
    side(&mut text, "before", &comparison.before);
    side(&mut text, "after", &comparison.after);
    let differences = differences(&comparison.before, &comparison.after);
    if !differences.is_empty() {
        let _ = writeln!(text, "differ  {}", harmless(&differences.join("; ")));
    }
    let _ = writeln!(text, "\n{}", overlap_words(&comparison.overlap));
    let _ = writeln!(text, "{}", kinds(comparison).join(" · "));
    if comparison.overlap.both() == 0 || comparison.groups.is_empty() {
        return text;
    }
    matrix(&mut text, &comparison.classes, Classification::name);
    if comparison.answers.moved() > 0 {
        matrix(&mut text, &comparison.answers, Answer::words);
    }
    rates(&mut text, comparison);
    for one in comparison.groups.iter().take(groups) {
        group(&mut text, one);
    }
    let rest = comparison.groups.iter().skip(groups);
    let (more, exchanges) = rest.fold((0, 0), |(more, sum), one| (more + 1, sum + one.exchanges));
    if more > 0 {
        let _ = writeln!(
            text,
            "\n… and {} with {}: {command} --top {}",
            counted(more, "group"),
            counted(exchanges, "exchange"),
            comparison.groups.len(),
        );
    }
    let _ = writeln!(text, "\nall exchanges of a group: {command} --group ID");
    text
}

fn side(text: &mut String, word: &str, header: &Header) {
    let Header { name, corpus_digest, rulebook, version, .. } = header;
    let _ = write!(
        text,
        "{word:<8}{} · rulebook {} {} · exchanges {}",
        cut(&harmless(name), NAME),
        cut(&harmless(&rulebook.name), NAME),
        short(&rulebook.digest),
        short(corpus_digest),
    );
    let _ = match version {
        Some(version) => writeln!(text, " · tapecheck {}", harmless(version)),
        None => writeln!(text),
    };
    if let Some(words) = rejected_files_words(header) {
        let _ = writeln!(text, "        {}", harmless(&words));
    }
}

/// Rows are values before, columns values after; those that do not occur are left out.
fn matrix<T: Ord + Copy>(text: &mut String, matrix: &Matrix<T>, name: impl Fn(T) -> &'static str) {
    let (rows, columns) = matrix.values();
    let first = rows.iter().map(|row| name(*row).len()).max().unwrap_or(0).max(6);
    let _ = write!(text, "\n{:<first$}", "before");
    for column in &columns {
        let _ = write!(text, "  {:>9}", format!("-> {}", name(*column)));
    }
    text.push('\n');
    for row in rows {
        let _ = write!(text, "{:<first$}", name(row));
        for column in &columns {
            let count = matrix.get(row, *column);
            let shown = if count == 0 { "·".to_owned() } else { grouped(count) };
            let width = name(*column).len().max(6) + 3;
            let _ = write!(text, "  {shown:>width$}");
        }
        text.push('\n');
    }
}

fn rates(text: &mut String, comparison: &Comparison) {
    let (rows, more) = rate_rows(&comparison.rates);
    if rows.is_empty() {
        return;
    }
    let names: Vec<String> = rows.iter().map(|row| cut(&harmless(&row.name), NAME)).collect();
    let first = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(5);
    let [share, before, after, change, p] = RATE_HEADS;
    let _ = writeln!(text, "\n{share:<first$}  {before:>8}  {after:>8}  {change:<24}  {p}");
    for (name, row) in names.iter().zip(rows) {
        let _ = writeln!(
            text,
            "{name:<first$}  {:>8}  {:>8}  {:<24}  {}",
            row.before, row.after, row.change, row.p
        );
    }
    if more > 0 {
        let _ = writeln!(text, "{}", more_rates(more));
    }
}

fn group(text: &mut String, group: &Group) {
    let causes: Vec<String> =
        cause_words(group).iter().map(|cause| cut(&harmless(cause), LINE)).collect();
    let _ = writeln!(
        text,
        "\n{:<10} {}  {}",
        group.kind.name(),
        group.id,
        causes.join("\n                     and ")
    );
    let _ = writeln!(
        text,
        "  {}",
        size(group).iter().map(|part| harmless(part)).collect::<Vec<_>>().join(" · ")
    );
    for shown in &group.examples {
        example(text, shown, &group.explanation.causes);
    }
}

fn example(text: &mut String, example: &Example, causes: &[Cause]) {
    let Example { key, server, tool, file, line, lines, excerpts: _ } = example;
    let name = |name: &str| cut(&harmless(name), NAME);
    let key = key.to_string();
    let place = if *line > 0 { format!("{}:{line} · ", name(file)) } else { String::new() };
    let _ = writeln!(text, "  - {} / {} · {place}{}", name(server), name(tool), short(&key));
    for (word, said) in ["before", "after"].iter().zip(lines) {
        let _ = writeln!(text, "      {word:<7} {}", cut(&harmless(said), LINE));
    }
    for (when, shown) in texts(example, causes) {
        let word = match when {
            When::Always => "text",
            When::Before => "text -",
            When::After => "text +",
        };
        excerpt(text, word, &shown);
    }
}

/// A text with its hits in brackets.
fn excerpt(text: &mut String, word: &str, excerpt: &Excerpt) {
    let pieces = pieces(excerpt);
    let Window { pieces, cut_before, cut_after } = window(&pieces, LINE);
    let shown: String = pieces
        .iter()
        .map(|piece| {
            let text = harmless(piece.text);
            if piece.marked { format!("⟦{text}⟧") } else { text }
        })
        .collect();
    let [before, after] = [cut_before, cut_after].map(|cut| if cut { "…" } else { "" });
    let _ = writeln!(text, "      {word:<7} {before}{shown}{after}");
}

/// An exchange that changed, as one line: where it stands, who answered, its key, what became of it.
#[must_use]
pub fn flip_line([before, after]: [&Side; 2], flip: &Flip) -> String {
    let said = |side: &Side, at: Option<u32>| {
        at.map(|at| side.said_of(side.entries[at as usize].said).standing())
    };
    let (from, to) = (said(before, flip.before), said(after, flip.after));
    let (side, at) = match (flip.after, flip.before) {
        (Some(at), _) => (after, at),
        (None, Some(at)) => (before, at),
        (None, None) => return String::new(),
    };
    let entry = &side.entries[at as usize];
    let name = |number: u32| cut(&harmless(side.names.get(number)), NAME);
    let became = match (from, to) {
        (Some(from), Some(to)) => super::transition(from, to),
        _ => flip.kind.name().to_owned(),
    };
    format!(
        "{}:{}  {}  {} / {}  {became}",
        name(entry.file),
        entry.line,
        entry.key_name(),
        name(entry.server),
        name(entry.tool),
    )
}
