//! The text of an error report: everything that is known of a session's issues, for people.

use super::{IntegrityIssue, SessionReport};
use crate::verdict::{Category, IssueType, Severity, harmless};
use std::fmt::Write as _;

/// A session with errors, as the report of the whole run names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingSession {
    pub file: String,
    pub session: String,
    pub report: String,
}

/// What is known of a listed issue beside what the report holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IssueDetails {
    /// Server and tool.
    pub tool: String,
    /// The names of the call's arguments, as JSON.
    pub parameter_keys: Option<String>,
    /// Recording and line.
    pub recorded: String,
    pub location: Option<String>,
    /// What to do about it, where its type does not say so.
    pub suggestion: Option<String>,
    /// The beginning of the reply, where it is kept.
    pub reply: Option<String>,
}

/// So many sessions with errors are named in the report of the whole run.
const MOST_FAILING: usize = 250;

impl SessionReport {
    /// The text that belongs under the name in `errorReport`. Nothing recorded acts in it: control
    /// and direction-changing characters are spelled out.
    pub fn text(&self, session: &str, last: &str, details: &[IssueDetails]) -> String {
        self.text_about(&format!("session {}", harmless(session)), last, details)
    }

    /// The same for all sessions of a run together, with the reports of those that failed.
    pub fn text_of_run(
        &self,
        last: &str,
        details: &[IssueDetails],
        failing: &[FailingSession],
    ) -> String {
        let mut out = self.text_about("the whole run", last, details);
        if !failing.is_empty() {
            out += "\nSessions with errors\n";
        }
        for FailingSession { file, session, report } in failing.iter().take(MOST_FAILING) {
            let _ = writeln!(out, "  {report}  {} in {}", harmless(session), harmless(file));
        }
        if failing.len() > MOST_FAILING {
            let more = failing.len() - MOST_FAILING;
            let _ = writeln!(out, "  and {more} more: sessions.jsonl lists all");
        }
        out
    }

    fn text_about(&self, subject: &str, last: &str, details: &[IssueDetails]) -> String {
        let summary = &self.validation_summary;
        let last = if last.is_empty() { "not recorded" } else { last };
        let mut out = format!(
            "Error report of {subject}\n\nlast call      {last}\nstatus         {}\nsummary        {}\n",
            self.validation_status.name(),
            summary.summary_text
        );
        if !summary.categories.is_empty() {
            let _ = writeln!(out, "categories     {}", summary.categories.join(", "));
        }
        self.section(&mut out, Severity::Error, "Errors, which must be fixed", details);
        self.section(&mut out, Severity::Warning, "Warnings, which should be looked at", details);
        if !self.tasks.is_empty() {
            out += "\nBy task\n";
        }
        for task in &self.tasks {
            let known: Vec<&str> =
                task.name.iter().chain(&task.status).map(String::as_str).collect();
            let known =
                if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) };
            let named = harmless(&(task.id.clone() + &known));
            let [errors, warnings] = [Severity::Error, Severity::Warning].map(|severity| {
                let issues = task.validation_errors.iter();
                counted(issues.filter(|it| it.severity == severity).count() as u64, severity)
            });
            let _ = writeln!(out, "  {named}: {errors}, {warnings}");
        }
        replies(&mut out, details);
        if details.iter().any(|details| !details.recorded.is_empty()) {
            out += "\n`tapecheck explain FILE:LINE` shows the call, the reply and the reasoning.\n";
        }
        let all = summary.error_count + summary.warning_count;
        let unlisted = all - self.integrity_issues.len() as u64;
        if unlisted > 0 {
            let _ = writeln!(out, "\n{unlisted} more were counted and are not listed here.");
        }
        out
    }

    fn section(&self, out: &mut String, of: Severity, heading: &str, details: &[IssueDetails]) {
        let mut details = details.iter();
        let issues = self.integrity_issues.iter().map(|issue| (issue, details.next()));
        for (number, (issue, details)) in (1..).zip(issues.filter(|(it, _)| it.severity == of)) {
            if number == 1 {
                let _ = writeln!(out, "\n{heading}");
            }
            describe(out, number, issue, details.unwrap_or(&IssueDetails::default()));
        }
    }
}

/// The replies that issues are about, each once.
fn replies(out: &mut String, details: &[IssueDetails]) {
    let mut replies: Vec<(&str, &str)> =
        details.iter().filter_map(|it| Some((&*it.recorded, it.reply.as_deref()?))).collect();
    replies.dedup();
    if !replies.is_empty() {
        *out += "\nReplies; secrets are masked, long ones are cut\n";
    }
    for (recorded, reply) in replies {
        let _ = writeln!(out, "\n  {}", harmless(recorded));
        for line in reply.lines() {
            let _ = writeln!(out, "      {}", harmless(line));
        }
    }
}

fn describe(out: &mut String, number: usize, issue: &IntegrityIssue, details: &IssueDetails) {
    let kind = IssueType::named(&issue.rule).unwrap_or(IssueType::UnlistedIssue);
    let own = details.suggestion.as_deref().filter(|suggestion| !suggestion.is_empty());
    let _ = writeln!(out, "\n{number:>4}. {}", harmless(&issue.message));
    for (name, text) in [
        ("type", Some(&*format!("{} ({})", issue.type_label, issue.category))),
        ("rule", Some(&*issue.rule)),
        ("tool", Some(&*details.tool)),
        ("arguments", details.parameter_keys.as_deref()),
        ("recording", Some(&*details.recorded)),
        ("task", issue.task_id.as_deref()),
        ("place", details.location.as_deref()),
        ("next", Some(own.unwrap_or_else(|| kind.suggestion()))),
    ] {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            let _ = writeln!(out, "      {name:<10}{}", harmless(text));
        }
    }
}

const NOTHING: &str = "No errors or warnings found";
/// What stands behind the number of issues that are listed of more.
const LISTED: &str = " of them are listed";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) errors: u64,
    pub(super) warnings: u64,
    /// How many issues stand in the list, where it is shorter than the counts.
    pub(super) listed: Option<u64>,
}

/// `1 error` or `2 errors`.
pub(super) fn counted(count: u64, severity: Severity) -> String {
    format!("{count} {}{}", severity.name(), if count == 1 { "" } else { "s" })
}

/// Writes a summary: `Found 2 errors and 1 warning in schema validation and task integrity`.
pub(super) fn write_summary(counts: Counts, categories: &[&Category]) -> String {
    let found = [(counts.errors, Severity::Error), (counts.warnings, Severity::Warning)];
    let found = found.into_iter().filter(|(count, _)| *count > 0);
    let found: Vec<String> = found.map(|(count, severity)| counted(count, severity)).collect();
    if found.is_empty() {
        return NOTHING.to_owned();
    }
    let mut text = format!("Found {}", found.join(" and "));
    for (at, category) in categories.iter().enumerate() {
        text += match at {
            0 => " in ",
            at if at + 1 == categories.len() => " and ",
            _ => ", ",
        };
        text += &category.words;
    }
    if let Some(listed) = counts.listed {
        let _ = write!(text, "; {listed}{LISTED}");
    }
    text
}

/// Reads the numbers of a summary in the documented wording; others are believed whatever they say.
pub(super) fn read_summary(text: &str) -> Option<Counts> {
    let text = text.trim().trim_end_matches('.');
    let mut counts = Counts::default();
    if text == NOTHING {
        return Some(counts);
    }
    let found = text.strip_prefix("Found ")?;
    let (found, listed) = found.rsplit_once("; ").unwrap_or((found, ""));
    counts.listed = listed.strip_suffix(LISTED).and_then(|number| number.parse().ok());
    let found = found.split_once(" in ").map_or(found, |(found, _)| found);
    for counted in found.split(" and ") {
        let (number, what) = counted.split_once(' ')?;
        let number = number.parse().ok()?;
        match what {
            "error" | "errors" => counts.errors = number,
            "warning" | "warnings" => counts.warnings = number,
            _ => return None,
        }
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_worded_as_documented_and_read_back() {
        for (errors, warnings, listed, names, text) in [
            (
                2,
                1,
                None,
                "schema_validation task_integrity",
                "Found 2 errors and 1 warning in schema validation and task integrity",
            ),
            (
                1,
                0,
                None,
                "parse schema_validation json_recovery",
                "Found 1 error in parsing, schema validation and JSON recovery",
            ),
            (0, 3, None, "connection", "Found 3 warnings in connection"),
            (0, 0, None, "", "No errors or warnings found"),
            (12_000, 0, Some(10_000), "", "Found 12000 errors; 10000 of them are listed"),
        ] {
            let categories: Vec<_> = names.split(' ').filter_map(Category::named).collect();
            let counts = Counts { errors, warnings, listed };
            assert_eq!(write_summary(counts, &categories), text);
            assert_eq!(read_summary(text), Some(counts));
        }
        for text in ["2 errors", "Found 1,204 errors", "Found 2 critical errors", "All is well"] {
            assert_eq!(read_summary(text), None, "{text}");
        }
    }
}
