//! Markdown: the night in one screen, for a pull request or the summary of a job.

use super::super::headline::{STEPS, found_instead};
use super::super::night::{Changes, Night, Row, Since};
use super::super::words::{percent, share};
use super::Told;
use crate::compare::show::{MOST_BYTES, as_markdown};
use crate::verdict::{counted, cut, grouped};
use crate::view::escape::markdown as escaped;
use std::fmt::Write as _;

/// So many rows of a list are shown.
const FEW: usize = 8;
/// So many characters of a name are shown.
const NAME: usize = 80;
/// So many characters of a sentence are shown.
const SENTENCE: usize = 300;

/// The night, within what a comment may have. What is left out is counted.
pub(super) fn markdown(told: &Told<'_>) -> String {
    let night = &told.night;
    let comparable = &told.page.run.manifest.comparable;
    let mut out = format!("## tapecheck: {}\n", ours(&night.headline));
    if !night.rest.is_empty() {
        let _ = writeln!(out, "\n{}", ours(&night.rest.join(" ")));
    }
    alarms(&mut out, night);
    let short: String = comparable.rulebook.digest.chars().take(12).collect();
    let _ = writeln!(
        out,
        "\nRulebook {} {}; {} on {}; {}.",
        code(&comparable.rulebook.name),
        code(&short),
        counted(total(night, "lines"), "line"),
        counted(total(night, "tapes"), "tape"),
        not_judged(night)
    );
    if total(night, "exchanges") == 0 {
        instead(&mut out, told);
    }
    let counted: Vec<&Row> = night.classes.iter().filter(|row| row.count > 0).collect();
    table(&mut out, "class", "exchanges", &counted);
    let failures: Vec<&Row> = night.answers.iter().filter(|row| row.count > 0).collect();
    table(&mut out, "failure", "exchanges", &failures);
    few(&mut out, ("kind of error", "failures"), &night.error_kinds.iter().collect::<Vec<_>>());
    let in_trouble = |rows: &[Row]| rows.iter().filter(|row| row.count > 0).cloned().collect();
    let [servers, tools]: [Vec<Row>; 2] = [in_trouble(&night.servers), in_trouble(&night.tools)];
    if night.servers.len() > 1 {
        few(&mut out, ("worst server", "in trouble"), &servers.iter().collect::<Vec<_>>());
    }
    few(&mut out, ("worst tool", "in trouble"), &tools.iter().collect::<Vec<_>>());
    if !servers.is_empty() {
        out.push_str("\nIn trouble is what is below fully working, failed, or hides a failure.\n");
    }
    issue_types(&mut out, night);
    changes(&mut out, night);
    out
}

fn total(night: &Night, name: &str) -> u64 {
    night.totals.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| *count)
}

fn not_judged(night: &Night) -> String {
    let (lines, files) = (total(night, "rejects"), total(night, "rejected_files"));
    if total(night, "exchanges") == 0 && lines + files == 0 {
        return format!("**{}**", super::NOTHING);
    }
    if lines + files == 0 {
        return "all was judged".to_owned();
    }
    format!("**{} and {} could not be judged**", counted(lines, "line"), counted(files, "file"))
}

/// What there was instead of exchanges, and what to do.
fn instead(out: &mut String, told: &Told<'_>) {
    out.push_str("\nWhat was found instead:\n\n");
    for found in found_instead(&told.page, &told.showing) {
        let _ = writeln!(out, "- {}", found.line(escaped(&found.words), code));
    }
    out.push_str("\nWhat to do:\n\n");
    for step in STEPS {
        let _ = writeln!(out, "1. {}", ours(step));
    }
}

/// The program's own words, in which nothing but these could be taken for markup.
fn ours(text: &str) -> String {
    text.replace('<', "&lt;").replace('>', "&gt;")
}

/// Recorded text as code: hosts make neither mentions nor links of what stands in code.
fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(&cut(text, NAME)))
}

/// What a run is held against: what it is, and its name.
fn called(since: &Since) -> String {
    format!("{}{}", since.what.article(), code(&since.name))
}

fn named(row: &Row) -> String {
    let parts = [&row.name, &row.tool, &row.server].into_iter().filter(|part| !part.is_empty());
    let parts: Vec<String> = parts.map(|part| code(part)).collect();
    if parts.is_empty() { "(none)".to_owned() } else { parts.join(" of ") }
}

fn table(out: &mut String, what: &str, number: &str, rows: &[&Row]) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n| {what} | {number} | share |\n|---|--:|--:|");
    for row in rows {
        let of = if number == "in trouble" {
            format!(" of {}", grouped(row.out_of))
        } else {
            String::new()
        };
        let share = ours(&percent(share(row.count, row.out_of)));
        let _ = writeln!(out, "| {} | {}{of} | {share} |", named(row), grouped(row.count));
    }
}

fn few(out: &mut String, (what, number): (&str, &str), rows: &[&Row]) {
    table(out, what, number, &rows[..rows.len().min(FEW)]);
    if let Some(rest) = rows.get(FEW..).filter(|rest| !rest.is_empty()) {
        let count: u64 = rest.iter().map(|row| row.count).sum();
        let rows = grouped(rest.len() as u64);
        let _ =
            writeln!(out, "\nNot shown: {rows} more of these, with {} {number}.", grouped(count));
    }
}

fn issue_types(out: &mut String, night: &Night) {
    if night.issue_types.is_empty() {
        return;
    }
    let types = &night.issue_types;
    out.push_str("\n| issue type | severity | issues | servers |\n|---|---|--:|--:|\n");
    for issue in types.iter().take(FEW) {
        let new = if issue.is_new == Some(true) { " **new**" } else { "" };
        let _ = writeln!(
            out,
            "| {}{new} | {} | {} | {} |",
            code(&issue.kind),
            escaped(&issue.severity),
            grouped(issue.count),
            grouped(issue.servers)
        );
    }
    let rest = types.get(FEW..).unwrap_or_default();
    if !rest.is_empty() {
        let count = rest.iter().map(|issue| issue.count).sum();
        let types = counted(rest.len() as u64, "more type");
        let new = match rest.iter().filter(|issue| issue.is_new == Some(true)).count() {
            0 => String::new(),
            new => format!(", {new} of them new"),
        };
        let _ = writeln!(out, "\nNot shown: {types}{new}, with {}.", counted(count, "issue"));
    }
}

fn alarms(out: &mut String, night: &Night) {
    if night.alarms.is_empty() {
        return;
    }
    out.push_str("\n**Changed over the nights, and not back:**\n\n");
    for alarm in night.alarms.iter().take(FEW) {
        let sentence = escaped(&cut(&alarm.sentence, SENTENCE));
        let _ = writeln!(out, "- {}: {sentence}", escaped(&alarm.by));
    }
    let more = night.alarms.len().saturating_sub(FEW) as u64;
    if more > 0 {
        let _ = writeln!(out, "- and {}", counted(more, "more change"));
    }
}

fn changes(out: &mut String, night: &Night) {
    match &night.changes {
        Changes::Unasked => {}
        Changes::Nothing { since } => {
            let _ = writeln!(
                out,
                "\nNothing changed since {}: exchanges, rulebook, checks and program are the same.",
                called(since)
            );
        }
        Changes::Each { since, comparison } => {
            let _ = writeln!(out, "\nWhat changed since {}:\n", called(since));
            let room = MOST_BYTES.saturating_sub(out.len());
            let mut few = comparison.clone();
            let rest = few.groups.split_off(few.groups.len().min(FEW));
            out.push_str(&as_markdown(&few, room, "tapecheck diff BEFORE AFTER"));
            if !rest.is_empty() {
                let exchanges = rest.iter().map(|group| group.exchanges).sum();
                let groups = counted(rest.len() as u64, "more group");
                let _ = writeln!(
                    out,
                    "\nNot shown: {groups}, with {}.",
                    counted(exchanges, "exchange")
                );
            }
        }
    }
}
