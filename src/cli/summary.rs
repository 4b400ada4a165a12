//! A finished run, on the terminal or as JSON.

use super::terminal::{bar, counted, cut, grouped, harmless};
use crate::recording::ReplyKind;
use crate::run::{Finished, Left};
use crate::store::Summary;
use std::fmt::Write as _;
use std::path::Path;

/// Width of the bars.
const BAR: usize = 30;
/// Lines of a list before the rest is only counted.
const MOST: usize = 8;

/// The summary as people read it.
pub(super) fn as_text(finished: &Finished, rulebook: &str, out: &Path) -> String {
    let mut text = String::new();
    let Finished { summary, seconds, folder, .. } = finished;
    let counts = &summary.counts;
    let _ = writeln!(
        text,
        "{} from {} judged under {rulebook} in {seconds:.1} s",
        counted(counts.exchanges, "exchange"),
        counted(counts.tapes, "tape"),
    );
    let _ = writeln!(
        text,
        "{} lines = {} exchanges + {} other traffic + {} rejects",
        grouped(counts.lines),
        grouped(counts.exchanges),
        grouped(counts.other_traffic),
        grouped(counts.rejects),
    );
    text.push('\n');
    for (class, count) in &summary.classes {
        row(&mut text, class, *count, counts.exchanges);
    }
    text.push('\n');
    for (reply, count) in &summary.replies {
        // Most corpora hold tool calls only.
        if reply == ReplyKind::Document.name() && *count == 0 {
            continue;
        }
        row(&mut text, reply, *count, counts.exchanges);
    }
    let asked = summary.business_logic + summary.tool_failure;
    if asked > 0 {
        let _ = writeln!(
            text,
            "\nof {}: {} business logic, {}",
            counted(asked, "error"),
            grouped(summary.business_logic),
            counted(summary.tool_failure, "tool failure"),
        );
    }
    if summary.hidden_failure > 0 {
        let _ = writeln!(
            text,
            "{} replies claim success and say they failed",
            grouped(summary.hidden_failure)
        );
    }
    let issues: Vec<String> = summary
        .issues
        .iter()
        .map(|(severity, count)| format!("{} {severity}", grouped(*count)))
        .collect();
    let _ = writeln!(
        text,
        "\noverall confidence {:.1} · issues: {}",
        summary.overall_confidence,
        issues.join(", "),
    );
    verdicts(&mut text, summary);
    list(
        &mut text,
        "rejected lines",
        summary.rejects.iter().map(|(reason, count)| (reason.clone(), *count)),
    );
    list(
        &mut text,
        "files not read to their end",
        summary.rejected_files.iter().map(|(reason, count)| (reason.clone(), *count)),
    );
    odd_files(&mut text, finished);
    let common = summary
        .top_issues
        .iter()
        .take(MOST)
        .map(|line| (format!("{} {}", line.severity, harmless(&line.kind)), line.count));
    list(&mut text, "most common issues", common);
    if !summary.top_tools.is_empty() {
        let _ = writeln!(text, "\nmost called tools");
        for tool in summary.top_tools.iter().take(MOST) {
            let name = format!("{} / {}", harmless(&tool.server), harmless(&tool.tool));
            let _ = writeln!(
                text,
                "  {:<44} {:>9}  {:<18} {:>5.1}",
                cut(&name, 44),
                grouped(tool.calls),
                tool.status,
                tool.overall_confidence,
            );
        }
    }
    if summary.counts.counted_as_other > 0 {
        let exchanges = counted(summary.counts.counted_as_other, "exchange");
        let _ = writeln!(
            text,
            "\n{exchanges} of more servers, tools, scenarios and days than are counted separately are under (other) in tables"
        );
    }
    let _ = match folder {
        Left::Run => writeln!(text, "\nwritten to {}", out.display()),
        Left::EarlierRun => writeln!(text, "\nnothing written: {} stays as it was", out.display()),
    };
    text
}

/// What to make of the verdicts and the sessions.
fn verdicts(text: &mut String, summary: &Summary) {
    if summary.counts.exchanges == 0 {
        return;
    }
    let named = |counts: &[(String, u64)]| {
        let parts = counts.iter().filter(|(_, count)| *count > 0);
        let parts = parts.map(|(name, count)| format!("{name} {}", grouped(*count)));
        parts.collect::<Vec<_>>().join(", ")
    };
    let _ = writeln!(
        text,
        "blocking issues {} · security issues {} · needs review {}",
        grouped(summary.blocking_issues),
        grouped(summary.security_issues),
        grouped(summary.needs_review),
    );
    let _ = writeln!(text, "decisions: {}", named(&summary.decisions));
    let _ = writeln!(text, "readings: {}", named(&summary.interpretations));
    let rungs = summary.retry_ladder.iter().map(|rung| match rung.share {
        None => format!("{} –", rung.quality),
        Some(share) => format!("{} {:.1} %", rung.quality, share * 100.0),
    });
    let rungs = rungs.collect::<Vec<_>>().join(", ");
    let _ = writeln!(text, "valid ones accepted at quality: {rungs}");
    let sessions = &summary.sessions;
    let report = summary.validation["errorReport"]["filename"].as_str();
    let report = report.map_or(String::new(), |name| format!(" · tapecheck error-report {name}"));
    let _ = writeln!(
        text,
        "sessions: {} of {} with errors{report}",
        grouped(sessions.failing),
        grouped(sessions.total),
    );
    if sessions.other_errors + sessions.other_warnings > 0 {
        let _ = writeln!(
            text,
            "further sessions, which are counted together: {}, {}",
            counted(sessions.other_errors, "error"),
            counted(sessions.other_warnings, "warning"),
        );
    }
}

fn row(text: &mut String, name: &str, count: u64, total: u64) {
    let share = if total == 0 { 0.0 } else { count as f64 / total as f64 };
    let _ = writeln!(
        text,
        "  {name:<18} {:>11} {:>6.1} %  {}",
        grouped(count),
        share * 100.0,
        bar(share, BAR)
    );
}

fn list(text: &mut String, title: &str, entries: impl Iterator<Item = (String, u64)>) {
    let parts: Vec<String> =
        entries.map(|(name, count)| format!("{name} {}", grouped(count))).collect();
    if !parts.is_empty() {
        let _ = writeln!(text, "{title}: {}", parts.join(", "));
    }
}

fn odd_files(text: &mut String, finished: &Finished) {
    let others = finished.totals.other_files.iter();
    list(text, "files that are no tapes", others.map(|(kind, count)| ((*kind).to_owned(), *count)));
    let suspicious: Vec<_> =
        finished.totals.notes.iter().filter(|note| note.kind.is_suspicious()).collect();
    for note in suspicious.iter().take(MOST) {
        let _ = writeln!(text, "  {}: {}", harmless(&note.file), note.detail);
    }
    if suspicious.len() > MOST {
        let _ = writeln!(text, "  … and {} more in summary.json", suspicious.len() - MOST);
    }
}

/// The summary as one JSON object: the content of `summary.json`.
pub(super) fn as_json(finished: &Finished) -> String {
    let mut text =
        serde_json::to_string_pretty(&finished.summary).expect("a summary is plain data");
    text.push('\n');
    text
}
