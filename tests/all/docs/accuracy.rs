//! The figures of `docs/accuracy.md`, as `tapecheck stats` says them.

use super::part_is_current;
use crate::figures::{beside, bundled, figures, mistakes};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;
use tapecheck::compare::show::escaped;
use tapecheck::rulebook::builtin_names;

/// The figures of each row.
const FIGURES: [&str; 3] =
    ["balanced_accuracy", "hidden_failure_precision", "hidden_failure_recall"];
/// Servers that are named for each set.
const WORST: usize = 8;
/// Mistakes that are shown for each set.
const SHOWN: usize = 40;
/// Characters that are shown of a text.
const EXCERPT: usize = 140;

/// A figure with its interval.
fn figure(headline: &Value, name: &str) -> String {
    let estimate = &headline[name];
    let number = |value: &Value| value.as_f64().map(|it| format!("{it:.3}"));
    let interval = &estimate["interval"];
    match (number(&estimate["value"]), number(&interval[0]), number(&interval[1])) {
        (Some(value), Some(low), Some(high)) => format!("**{value}** ({low}–{high})"),
        (Some(value), ..) => format!("**{value}**"),
        _ => "none found".to_owned(),
    }
}

/// A row of each rulebook, as it is and leaving each server out.
fn headlines(sets: &[(&str, PathBuf)]) -> String {
    let mut text = String::from(
        "| labels | rulebook | errors: balanced accuracy | hidden failures: precision | hidden failures: recall |\n\
         |---|---|---|---|---|\n",
    );
    for (name, folder) in sets {
        for rulebook in builtin_names() {
            let all = figures(folder, rulebook);
            for (how, part) in
                [("", &all["truth"]), (", each server left out", &all["leave_one_server_out"])]
            {
                let figures = FIGURES.map(|name| figure(&part["headline"], name)).join(" | ");
                let _ = writeln!(text, "| `{name}`{how} | `{rulebook}` | {figures} |");
            }
        }
    }
    text
}

/// How many labels there are, the worst servers, and the mistakes with their texts.
fn remains(name: &str, all: &Value) -> String {
    let labels = &all["truth"]["labels"];
    let servers = all["servers"].as_array().expect("servers");
    let count = |server: &Value, member: &str| server[member].as_u64().unwrap_or_default();
    let labelled = servers.iter().filter(|server| count(server, "labels") > 0).count();
    let mut text = format!("\n### `{name}`: {labels} labels, {labelled} servers\n");
    let mut worst: Vec<&Value> =
        servers.iter().filter(|server| count(server, "wrong") > 0).collect();
    worst.sort_by_key(|server| {
        (std::cmp::Reverse(count(server, "wrong")), server["name"].as_str().map(str::to_owned))
    });
    let shown: Vec<String> = worst
        .iter()
        .take(WORST)
        .map(|server| {
            let name = cell(server["name"].as_str().unwrap_or_default());
            format!("{name} ({} of {})", count(server, "wrong"), count(server, "labels"))
        })
        .collect();
    let mistakes = mistakes(all);
    if mistakes.is_empty() {
        text.push_str("\nNo mistakes.\n");
        return text;
    }
    let _ = writeln!(
        text,
        "\n{} mistakes, at {} servers. Most at: {}.\n",
        mistakes.len(),
        worst.len(),
        shown.join(", ")
    );
    text.push_str("| where | it is | `calibrated` says | text |\n|---|---|---|---|\n");
    for [place, label, answer, said] in mistakes.iter().take(SHOWN) {
        let _ = writeln!(text, "| {place} | {label} | {answer} | {} |", cell(said));
    }
    if mistakes.len() > SHOWN {
        let _ = writeln!(text, "\n{} more are left out here.", mistakes.len() - SHOWN);
    }
    text
}

/// A recorded text as the cell of a table: one line, cut, and nothing but text.
fn cell(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let excerpt: String = line.chars().take(EXCERPT).collect();
    let more = if excerpt.len() < line.len() { "…" } else { "" };
    escaped(&excerpt) + more
}

/// Holds the part of the document about these sets.
fn is_current(marks: (&str, &str), sets: &[(&str, PathBuf)]) {
    let mut part = headlines(sets);
    for (name, folder) in sets {
        part.push_str(&remains(name, &figures(folder, "calibrated")));
    }
    part_is_current("docs/accuracy.md", marks, part.trim_end());
}

#[test]
fn the_figures_of_the_bundled_recordings_are_those_of_stats() {
    let marks =
        ("<!-- bundled figures, written by a test -->", "<!-- end of the bundled figures -->");
    is_current(marks, &bundled());
}

#[test]
fn the_figures_of_the_recordings_beside_the_package_are_those_of_stats() {
    let marks =
        ("<!-- shared figures, written by a test -->", "<!-- end of the shared figures -->");
    let Some(set) = beside() else { return };
    is_current(marks, &[set]);
}

#[test]
fn recorded_texts_cannot_become_markup() {
    assert_eq!(cell("a |\n*b* <i>"), "a &#124; &#42;b&#42; &#60;i&#62;");
    assert_eq!(cell("see https://x.y"), "see https&#58;//x&#46;y");
    assert!(cell(&"x".repeat(200)).ends_with("x…"));
}
