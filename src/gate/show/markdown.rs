//! Markdown: a table of the rules, and what was found below. Fit for a job's summary or a comment.

use super::super::report::{GateReport, Outcome, RuleVerdict};
use super::lines::{finding, left_out, place, summary};
use super::text::{conclusion, named};
use crate::compare::show::overlap_words;
use crate::verdict::{counted, grouped};
use crate::view::escape::{markdown_code as escaped, terminal as plain};
use std::fmt::Write as _;

/// Longest document, in bytes; comments may have 65,536 characters.
const LONGEST: usize = 60_000;
/// What is kept free for saying what was left out.
const SPARE: usize = 400;

/// The report as Markdown. What does not fit is counted.
#[must_use]
pub fn markdown(report: &GateReport) -> String {
    let mut out = format!("## {}\n\n", conclusion(report));
    for (word, side) in [("before", &report.before), ("after", &report.after)] {
        let _ = writeln!(out, "- {word}: {}", code(&named(side)));
    }
    let _ = writeln!(out, "- {}\n", overlap_words(&report.overlap));
    out.push_str("| outcome | rule | found | allowed |\n|---|---|---|---|\n");
    let rows: Vec<String> = report.rules.iter().map(row).collect();
    let left = append(&mut out, &rows);
    if left > 0 {
        let _ = writeln!(out, "\n{} not shown.", counted(left, "more rule"));
    }
    let told = report.rules.iter().filter(|rule| has_details(rule));
    let sections: Vec<String> = told.map(section).collect();
    let left = append(&mut out, &sections);
    if left > 0 {
        let details = counted(left, "more rule");
        let _ = writeln!(out, "\nThe details of {details} are not shown.");
    }
    out
}

/// Appends what fits, and returns how many pieces do not.
fn append(out: &mut String, pieces: &[String]) -> u64 {
    for (at, piece) in pieces.iter().enumerate() {
        if out.len() + piece.len() + SPARE > LONGEST {
            return (pieces.len() - at) as u64;
        }
        out.push_str(piece);
    }
    0
}

/// Recorded text as code: hosts make neither mentions nor links of what stands in code.
fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

/// Other text, in which nobody is mentioned either: an unseen space stands behind the signs.
fn quiet(text: &str) -> String {
    escaped(text).replace("&#64;", "&#64;\u{200b}").replace("&#35;", "&#35;\u{200b}")
}

fn row(rule: &RuleVerdict) -> String {
    let word = match rule.outcome {
        Outcome::Fail => "**fail**",
        Outcome::Undecided => "**undecided**",
        outcome => outcome.name(),
    };
    let found = rule.skipped_because.as_ref().unwrap_or(&rule.measured);
    let [name, found, allowed] = [&rule.name, found, &rule.allowed].map(|text| quiet(&plain(text)));
    format!("| {word} | {name} | {found} | {allowed} |\n")
}

fn has_details(rule: &RuleVerdict) -> bool {
    rule.outcome.is_refusal() || !rule.findings.is_empty() || !rule.notes.is_empty()
}

fn section(rule: &RuleVerdict) -> String {
    let mut out = format!("\n### {}\n\n{}\n\n", quiet(&plain(&rule.name)), quiet(&summary(rule)));
    for found in &rule.findings {
        let _ = writeln!(out, "- {}", code(&finding(found)));
        for example in &found.examples {
            let _ = writeln!(out, "  - {}", code(&place(example)));
        }
        if !found.examples.is_empty() && found.more() > 0 {
            let _ = writeln!(out, "  - and {} more", grouped(found.more()));
        }
    }
    if let Some(text) = left_out(rule.left_out) {
        let _ = writeln!(out, "- {text}");
    }
    for note in &rule.notes {
        let _ = writeln!(out, "- {}", quiet(&plain(note)));
    }
    if let Some(next) = &rule.next {
        // Commands stand between backticks, and paths that somebody chose in them.
        let parts = next.split('`').enumerate();
        let parts = parts.map(|(at, part)| if at % 2 == 1 { code(part) } else { quiet(part) });
        let _ = writeln!(out, "\nWhat to do: {}.", parts.collect::<String>());
    }
    out
}
