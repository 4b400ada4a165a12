//! The figures of `docs/accuracy.md`, as `tapecheck stats` says them.

use super::part_is_current;
use crate::figures::{beside, bundled, figures, mistakes, unseen};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;
use tapecheck::internals::rulebook::builtin_names;
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
const DIGEST: usize = 12;

/// What came of the first time that `unseen` was judged, by a `calibrated` written before it was recorded.
struct Blind {
    digest: &'static str,
    /// Its digest since its signals and patterns got names, and since errors without a text are read from their
    /// structured content: neither changed a verdict on these servers.
    named: &'static str,
    figures: [&'static str; 3],
}

const BLIND: Blind = Blind {
    digest: "2fb6cf442dde29eced748af6f15dd46a",
    named: "4560b5c360e3057ea9d31de9e194f64d",
    figures: ["**0.971** (0.928–0.998)", "**1.000** (0.963–1.000)", "**0.917** (0.800–0.987)"],
};

/// Whether figures are shown too for servers that a rulebook is not told of.
#[derive(Clone, Copy)]
enum LeftOut {
    Shown,
    /// Where there is nothing that could be taken back.
    BesideThePoint,
}

/// A figure with its interval.
fn figure(headline: &Value, name: &str) -> String {
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

/// A row of each rulebook as it is, and one leaving each server out.
fn headlines(sets: &[(&str, PathBuf)], left_out: LeftOut) -> String {
    let mut text = String::from(
        "| labels | rulebook | errors: balanced accuracy | hidden failures: precision | hidden failures: recall |\n\
         |---|---|---|---|---|\n",
    );
    for (name, folder) in sets {
        for rulebook in builtin_names() {
            let all = figures(folder, rulebook);
            let mut rows = vec![("", &all["truth"])];
            match left_out {
                LeftOut::Shown => {
                    rows.push((", each server left out", &all["leave_one_server_out"]));
                }
                LeftOut::BesideThePoint => {}
            }
            for (how, measured) in rows {
                let figures = row(measured).join(" | ");
                let _ = writeln!(text, "| `{name}`{how} | `{rulebook}` | {figures} |");
            }
        }
    }
    text
}

/// Whether figures of `calibrated` over `unseen` are still those of a rulebook that could not know it.
fn standing(digest: &str, figures: &[String; 3]) -> String {
    let [digest, blind, named] =
        [digest, BLIND.digest, BLIND.named].map(|it| it.get(..DIGEST).unwrap_or(it));
    let [errors, precision, recall] = BLIND.figures;
    let was = format!(
        "errors, balanced accuracy {errors}; hidden failures, precision {precision} and recall {recall}"
    );
    match (digest == named, figures.each_ref().map(String::as_str) == BLIND.figures) {
        (true, true) => format!(
            "The figures of `calibrated` are blind: it decides as it did before the first of these servers was \
             recorded. Its digest was `{blind}` then and is `{digest}` since its signals and patterns got names and \
             errors without a text are read from `structuredContent`, neither of which changed a verdict here."
        ),
        (true, false) => format!(
            "**The figures of `calibrated` are not the blind ones.** It decides as it did before the first \
             of these servers was recorded, but the program or the recordings were changed since. \
             Blind, it came to: {was}."
        ),
        (false, _) => format!(
            "**The figures of `calibrated` are no longer blind.** They are those of digest `{digest}`, which \
             came after these servers were recorded. Blind were those of digest `{blind}`: {was}."
        ),
    }
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

/// Recorded text that Markdown takes for nothing but text, in a cell of a table: code, with what would end
/// the code or the cell written otherwise.
fn escaped(text: &str) -> String {
    let text = harmless(text).replace('|', "¦").replace('`', "'");
    if text.trim().is_empty() { String::new() } else { format!("`{}`", text.trim()) }
}

/// Holds the part of the document about these sets.
fn is_current(marks: (&str, &str), sets: &[(&str, PathBuf)]) {
    let mut part = headlines(sets, LeftOut::Shown);
    for (name, folder) in sets {
        part.push_str(&remains(name, &figures(folder, "calibrated")));
    }
    part_is_current("docs/accuracy.md", marks, part.trim_end());
}

#[test]
fn the_figures_of_servers_recorded_afterwards_are_those_of_stats() {
    let marks =
        ("<!-- unseen figures, written by a test -->", "<!-- end of the unseen figures -->");
    let set = unseen();
    let all = figures(&set.1, "calibrated");
    let digest = all["rulebook"]["digest"].as_str().expect("a digest");
    let mut part = headlines(std::slice::from_ref(&set), LeftOut::BesideThePoint);
    let _ = writeln!(part, "\n{}", standing(digest, &row(&all["truth"])));
    part.push_str(&remains(set.0, &all));
    part_is_current("docs/accuracy.md", marks, part.trim_end());
}

/// What each rulebook is for, the default first.
const PURPOSES: [(&str, &str); 3] = [
    ("calibrated", "the default: the verdict to trust"),
    ("guide", "the response validator guide to the letter"),
    ("inspector", "the shipped validator with its quirks, to compare with"),
];

#[test]
fn the_readme_says_what_each_rulebook_is_for_and_how_right_it_is() {
    let (_, folder) = unseen();
    let mut part = String::from(
        "| `--rulebook` | what it is for | errors: balanced accuracy | hidden failures: precision | hidden failures: recall |\n\
         |---|---|---|---|---|\n",
    );
    for ((name, purpose), builtin) in PURPOSES.iter().zip(builtin_names()) {
        assert_eq!(name, builtin, "every built-in rulebook is in the table");
        let [errors, precision, recall] = row(&figures(&folder, name)["truth"]);
        let _ = writeln!(part, "| `{name}` | {purpose} | {errors} | {precision} | {recall} |");
    }
    let marks = ("<!-- rulebooks, written by a test -->", "<!-- end of the rulebooks -->");
    part_is_current("README.md", marks, part.trim_end());
}

#[test]
fn figures_of_a_later_rulebook_are_not_called_blind() {
    let blind = BLIND.figures.map(str::to_owned);
    let better = ["**1.000**"; 3].map(str::to_owned);
    assert!(standing(BLIND.named, &blind).contains("`calibrated` are blind"));
    let later = standing("0123456789abcdef", &better);
    assert!(
        later.contains("no longer blind.** They are those of digest `0123456789ab`"),
        "{later}"
    );
    assert!(later.contains("`2fb6cf442dde`: errors, balanced accuracy **0.971**"), "{later}");
    assert!(standing("0123456789abcdef", &blind).contains("no longer blind"));
    assert!(standing(BLIND.named, &better).contains("not the blind ones"));
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
