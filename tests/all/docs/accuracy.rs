//! The figures of `docs/accuracy.md`, as `tapecheck stats` says them.

use super::{document, part_is_current};
use crate::figures::{beside, bundled, figures, mistakes, unread};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;
use tapecheck::internals::rulebook::{Rulebook, builtin_names};
use tapecheck::internals::verdict::harmless;

/// The figures of each row.
const FIGURES: [&str; 3] =
    ["balanced_accuracy", "hidden_failure_precision", "hidden_failure_recall"];
/// Servers that are named for each set.
const WORST: usize = 8;
/// Mistakes that are shown for each set.
const SHOWN: usize = 40;
/// Characters that are shown of a text.
const EXCERPT: usize = 140;

/// Characters that tell one digest of a rulebook from another.
pub(super) const DIGEST: usize = 12;

/// A figure with its interval.
pub(super) fn figure(headline: &Value, name: &str) -> String {
    let estimate = &headline[name];
    let number = |value: &Value| value.as_f64().map(|it| format!("{it:.3}"));
    let interval = &estimate["interval"];
    match (number(&estimate["value"]), number(&interval["low"]), number(&interval["high"])) {
        (Some(value), Some(low), Some(high)) => format!("**{value}** ({low}–{high})"),
        (Some(value), ..) => format!("**{value}**"),
        _ => "none found".to_owned(),
    }
}

/// The figures of a row.
fn row(measured: &Value) -> [String; 3] {
    FIGURES.map(|name| figure(&measured["headline"], name))
}

/// A row of each rulebook as it is, and one leaving each server out where that tells anything.
fn headlines(sets: &[(&str, PathBuf)], left_out: bool) -> String {
    let mut text = String::from(
        "| labels | rulebook | errors: balanced accuracy | hidden failures: precision | hidden failures: recall |\n\
         |---|---|---|---|---|\n",
    );
    for (name, folder) in sets {
        for rulebook in builtin_names() {
            let all = figures(folder, rulebook);
            let mut rows = vec![("", &all["truth"])];
            if left_out {
                rows.push((", each server left out", &all["leave_one_server_out"]));
            }
            for (how, measured) in rows {
                let figures = row(measured).join(" | ");
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
        "\nMistakes: {}, at servers: {}. Most at: {}.\n",
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

/// Recorded text that Markdown takes for nothing but text, in a cell of a table: code, with what would end
/// the code or the cell written otherwise.
fn escaped(text: &str) -> String {
    let text = harmless(text).replace('|', "¦").replace('`', "'");
    if text.trim().is_empty() { String::new() } else { format!("`{}`", text.trim()) }
}

/// Holds the part of the document about these sets.
fn is_current(marks: (&str, &str), sets: &[(&str, PathBuf)]) {
    let mut part = headlines(sets, true);
    for (name, folder) in sets {
        part.push_str(&remains(name, &figures(folder, "calibrated")));
    }
    part_is_current("docs/accuracy.md", marks, part.trim_end());
}

/// The figures of servers that nobody reads, without a text: of `calibrated` with the digest in the first line.
fn unread_figures(digest: &str) -> String {
    let mut text = format!("The figures of `calibrated` are those of digest `{digest}`.\n\n");
    text.push_str(&headlines(&unread(), false));
    let judged = unread().into_iter().map(|(name, folder)| (name, figures(&folder, "calibrated")));
    let judged: Vec<(&str, Value)> = judged.collect();
    text.push_str(
        "\n| labels | of servers | failures found | refusals found | hidden failures found | of successes right |\n\
         |---|---|---|---|---|---|\n",
    );
    for (name, all) in &judged {
        let servers = &all["truth"]["headline"]["servers"];
        let found = ["tool_failure", "business_logic", "hidden_failure", "ok"].map(|class| {
            let recall = &all["truth"]["classes"][class]["recall"];
            format!("{} of {}", recall["hits"], recall["of"])
        });
        let labels = &all["truth"]["labels"];
        let _ = writeln!(text, "| `{name}`, {labels} | {servers} | {} |", found.join(" | "));
    }
    text.push_str(
        "\n| labels | verdicts with a certainty | expected calibration error | of 0.9 and more | of them right |\n\
         |---|---|---|---|---|\n",
    );
    for (name, all) in &judged {
        let readings = all["truth"]["calibration"].as_array().expect("calibrations");
        let certainty =
            readings.iter().find(|it| it["reading"] == "certainty").expect("certainties");
        let counts = certainty["steps"].as_array().expect("steps").iter();
        let replies: u64 = counts.filter_map(|step| step["came_true"]["of"].as_u64()).sum();
        let sure = &certainty["sure"];
        let share =
            |hits: &Value, of: &Value| hits.as_f64().zip(of.as_f64()).map(|(hits, of)| hits / of);
        let right = serde_json::json!({ "it": {
            "value": share(&sure["right"]["hits"], &sure["right"]["of"]),
            "interval": sure["interval"],
        }});
        let error = certainty["expected_error"].as_f64().unwrap_or_default();
        let (of, right) = (&sure["right"]["of"], figure(&right, "it"));
        let _ = writeln!(text, "| `{name}` | {replies} | {error:.3} | {of} | {right} |");
    }
    text.push_str(
        "\n| precision of failures where | 1 % fail | 5 % fail | 20 % fail |\n|---|---|---|---|\n",
    );
    for (name, all) in &judged {
        for rates in all["truth"]["base_rates"].as_array().expect("base rates") {
            let among = match rates["among"].as_str() {
                Some("errors") => "errors",
                Some("successes") => "replies that claim success",
                _ => "all replies",
            };
            let precision = rates["precision_at"].as_array().expect("precisions").iter();
            let precision: Vec<String> = precision.map(|it| figure(it, "precision")).collect();
            let _ = writeln!(text, "| `{name}`, {among} | {} |", precision.join(" | "));
        }
    }
    text
}

/// Set to run `calibrated` on the servers that nobody reads, after its last change. Whoever does so looks at
/// their totals, so that they are not unread by the next change.
const RUN_SEALED: &str = "TAPECHECK_RUN_SEALED";
const UNREAD: (&str, &str) =
    ("<!-- unread figures, written by a test -->", "<!-- end of the unread figures -->");

/// A part of a document as it was last written.
pub(super) fn part_of(name: &str, (begin, end): (&str, &str)) -> String {
    let text = document(name).text;
    let part = text.split(begin).nth(1).and_then(|rest| rest.split(end).next());
    part.expect("the part between the marks").to_owned()
}

/// The part of the document about them, as it was last written.
fn unread_part() -> String {
    part_of("docs/accuracy.md", UNREAD)
}

pub(super) fn may_run_sealed() -> bool {
    std::env::var_os(RUN_SEALED).is_some()
}

#[test]
fn the_figures_of_unread_servers_are_those_of_the_rulebook_that_they_name() {
    let rulebook = Rulebook::builtin("calibrated").expect("built in");
    let digest = rulebook.digest.get(..DIGEST).expect("a long digest");
    let is_of_this = unread_part().contains(&format!("those of digest `{digest}`"));
    // Figures of another text stay as they were taken: a look after every change would make them learned.
    if is_of_this || may_run_sealed() {
        part_is_current("docs/accuracy.md", UNREAD, unread_figures(digest).trim_end());
    }
}

#[test]
fn the_readme_says_how_right_the_default_is() {
    let (set, _) = unread().swap_remove(0);
    let row = format!("| `{set}` | `calibrated` |");
    let measured = unread_part();
    let row = measured.lines().find_map(|line| line.strip_prefix(&row)).expect("measured");
    let part = format!(
        "| errors: balanced accuracy | hidden failures: precision | hidden failures: recall |\n\
         |---|---|---|\n|{row}"
    );
    let marks = ("<!-- accuracy, written by a test -->", "<!-- end of the accuracy -->");
    part_is_current("README.md", marks, &part);
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
    assert_eq!(cell("a |\n*b* `<i>`"), "`a ¦ *b* '<i>'`");
    assert_eq!(cell("see https://x.y"), "`see https://x.y`");
    assert!(cell(&"x".repeat(200)).ends_with("x`…"));
}
