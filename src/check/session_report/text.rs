//! The text of an error report: everything that is known of a session's issues, for people.

use super::{IntegrityIssue, SessionReport};
use crate::verdict::{IssueType, Severity, harmless};
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
            let _ = writeln!(out, "\nSessions with errors");
        }
        for FailingSession { file, session, report } in failing.iter().take(MOST_FAILING) {
            let _ = writeln!(out, "  {report}  {} in {}", harmless(session), harmless(file));
        }
        if failing.len() > MOST_FAILING {
            let more = counted(failing.len() - MOST_FAILING, "more session");
            let _ = writeln!(out, "  {more}: sessions.jsonl lists all");
        }
        out
    }

    fn text_about(&self, subject: &str, last: &str, details: &[IssueDetails]) -> String {
        let mut out = String::new();
        let summary = &self.validation_summary;
        let last = if last.is_empty() { "not recorded" } else { last };
        let _ = writeln!(out, "Error report of {subject}");
        let _ = writeln!(out);
        let _ = writeln!(out, "last call      {last}");
        let _ = writeln!(out, "status         {}", self.validation_status.name());
        let _ = writeln!(out, "summary        {}", summary.summary_text);
        if !summary.categories.is_empty() {
            let _ = writeln!(out, "categories     {}", summary.categories.join(", "));
        }
        for severity in [Severity::Error, Severity::Warning] {
            self.section(&mut out, severity, details);
        }
        if !self.tasks.is_empty() {
            let _ = writeln!(out, "\nBy task");
            for task in &self.tasks {
                let issues = &task.validation_errors;
                let errors =
                    issues.iter().filter(|issue| issue.severity == Severity::Error).count();
                let warnings = issues.len() - errors;
                let _ = writeln!(
                    out,
                    "  {}: {}, {}",
                    harmless(&task.words()),
                    counted(errors, "error"),
                    counted(warnings, "warning")
                );
            }
        }
        replies(&mut out, details);
        if details.iter().any(|details| !details.recorded.is_empty()) {
            let _ = writeln!(
                out,
                "\n`tapecheck explain FILE:LINE` shows the call, the reply and the reasoning."
            );
        }
        let unlisted =
            summary.error_count + summary.warning_count - self.integrity_issues.len() as u64;
        if unlisted > 0 {
            let _ = writeln!(out, "\n{unlisted} more were counted and are not listed here.");
        }
        out
    }

    fn section(&self, out: &mut String, severity: Severity, details: &[IssueDetails]) {
        let mut details = details.iter();
        let issues = self.integrity_issues.iter().map(|issue| (issue, details.next()));
        let issues = issues.filter(|(issue, _)| issue.severity == severity);
        for (number, (issue, details)) in (1..).zip(issues) {
            if number == 1 {
                let heading = match severity {
                    Severity::Error => "Errors, which must be fixed",
                    Severity::Warning | Severity::Info => "Warnings, which should be looked at",
                };
                let _ = writeln!(out, "\n{heading}");
            }
            describe(out, number, issue, details.unwrap_or(&IssueDetails::default()));
        }
    }
}

/// The replies that issues are about, each once.
fn replies(out: &mut String, details: &[IssueDetails]) {
    let mut last = None;
    for IssueDetails { recorded, reply, .. } in details {
        let Some(reply) = reply else { continue };
        if last.is_none() {
            let _ = writeln!(out, "\nReplies; secrets are masked, long ones are cut");
        }
        if last.replace((recorded, reply)) == Some((recorded, reply)) {
            continue;
        }
        let _ = writeln!(out, "\n  {}", harmless(recorded));
        for line in reply.lines() {
            let _ = writeln!(out, "      {}", harmless(line));
        }
    }
}

fn describe(out: &mut String, number: usize, issue: &IntegrityIssue, details: &IssueDetails) {
    let IssueDetails { tool, parameter_keys, recorded, location, suggestion, .. } = details;
    let kind = IssueType::named(&issue.rule).unwrap_or(IssueType::UnlistedIssue);
    let _ = writeln!(out, "\n{number:>4}. {}", harmless(&issue.message));
    let _ = writeln!(out, "      type      {} ({})", issue.type_label, issue.category);
    let _ = writeln!(out, "      rule      {}", harmless(&issue.rule));
    let rest = [
        ("tool", Some(tool)),
        ("arguments", parameter_keys.as_ref()),
        ("recording", Some(recorded)),
        ("task", issue.task_id.as_ref()),
        ("place", location.as_ref()),
    ];
    for (name, text) in rest {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            let _ = writeln!(out, "      {name:<10}{}", harmless(text));
        }
    }
    let own = suggestion.as_deref().filter(|suggestion| !suggestion.is_empty());
    let next = own.unwrap_or_else(|| kind.suggestion());
    let _ = writeln!(out, "      {:<10}{}", "next", harmless(next));
}

fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}
