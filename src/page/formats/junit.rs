//! `JUnit` XML: a suite for each server, a case for each tool. A tool fails where exchanges of it failed,
//! are invalid, or have issues of severity `error`.

use super::super::PageError;
use super::super::headline::{STEPS, found_instead};
use super::super::night::Failing;
use super::super::rest::{WHERE_FILES, WHERE_LINES};
use super::Report;
use super::issues::{self, Issue};
use crate::verdict::{Severity, counted, grouped};
use crate::view::junit::{Case as Shown, Ending, Suite, text};
use std::collections::BTreeMap;

/// So many tools have a case of their own, those that fail first.
const MOST: usize = 5_000;
/// So many issues of a tool are told.
const FEW: usize = 5;

/// A case: a tool, or the sessions of a server.
#[derive(Debug, Default)]
struct Case {
    exchanges: Failing,
    /// All that makes it fail, of exchanges and of sessions.
    issues: u64,
    of_sessions: u64,
    /// The first few.
    lines: Vec<String>,
}

impl Case {
    fn fails(&self) -> bool {
        self.issues > 0
    }

    fn summary(&self) -> String {
        let Failing { count, out_of } = self.exchanges;
        let mut parts = Vec::new();
        if count > 0 {
            let errors = format!("{} of {}", grouped(count), counted(out_of, "call"));
            parts.push(format!("{errors} failed, invalid or with issues of severity error"));
        }
        if self.of_sessions > 0 {
            let issues = counted(self.of_sessions, "issue");
            parts.push(format!("{issues} of severity error about sessions as a whole"));
        }
        parts.join("; ")
    }
}

pub(super) fn junit(report: &Report<'_>) -> Result<String, PageError> {
    let mut cases: BTreeMap<(String, String), Case> = BTreeMap::new();
    for (name, exchanges) in &report.night.failing {
        cases.insert(name.clone(), Case { exchanges: *exchanges, ..Case::default() });
    }
    issues::each(report.folder, &report.page.run.rulebook, |issue| {
        if issue.severity == Severity::Error.name() {
            let case = cases.entry((issue.server.to_owned(), issue.tool.to_owned())).or_default();
            case.issues += 1;
            case.of_sessions += u64::from(issue.key.is_empty());
            if case.lines.len() < FEW {
                case.lines.push(line(report, &issue));
            }
        }
    })?;
    let mut order: Vec<&(String, String)> = cases.keys().collect();
    order.sort_by_key(|name| !cases[*name].fails());
    let mut shown: BTreeMap<&str, Vec<(&str, &Case)>> = BTreeMap::new();
    for name in order.iter().take(MOST) {
        shown.entry(&name.0).or_default().push((&name.1, &cases[*name]));
    }
    for of_server in shown.values_mut() {
        of_server.sort_by_key(|(tool, _)| *tool);
    }
    let left_out: Vec<&Case> = order.iter().skip(MOST).map(|name| &cases[*name]).collect();
    Ok(document(report, &shown, &left_out))
}

fn document(
    report: &Report<'_>,
    shown: &BTreeMap<&str, Vec<(&str, &Case)>>,
    left_out: &[&Case],
) -> String {
    let servers = shown.iter().map(|(name, cases)| of_server(report, name, cases));
    text("tapecheck", std::iter::once(of_run(report, left_out)).chain(servers))
}

fn of_server(report: &Report<'_>, name: &str, cases: &[(&str, &Case)]) -> Suite {
    let cases = cases.iter().map(|(tool, case)| {
        let mut details = case.lines.clone();
        let more = case.issues.saturating_sub(details.len() as u64);
        details.extend((more > 0).then(|| format!("and {} more", grouped(more))));
        let ending = if case.fails() { Ending::Failed { of: "issues" } } else { Ending::Passed };
        let name = recorded(report, tool, "(sessions)");
        Shown { name, ending, message: case.summary(), details }
    });
    Suite { name: recorded(report, name, "(no server)"), cases: cases.collect() }
}

/// What is about no server: whether all was judged, and whether all is here.
fn of_run(report: &Report<'_>, left_out: &[&Case]) -> Suite {
    let total = |name: &str| report.night.total(name);
    let (lines, files) = (total("unreadable"), total("unreadable_files"));
    let (mut words, mut details) = (Vec::new(), Vec::new());
    if total("exchanges") == 0 {
        words.push(super::NOTHING.to_owned());
        for found in found_instead(&report.page, &report.showing) {
            details.push(format!("found: {}", found.line().plain()));
        }
        details.extend(STEPS.map(str::to_owned));
    }
    details.extend((lines > 0).then(|| WHERE_LINES.to_owned()));
    details.extend((files > 0).then(|| WHERE_FILES.to_owned()));
    if lines + files > 0 {
        let (lines, files) = (counted(lines, "line"), counted(files, "file"));
        words.push(format!("{lines} and {files} could not be read"));
    }
    let ended = |fails: bool, otherwise| {
        if fails { Ending::Failed { of: "issues" } } else { otherwise }
    };
    let ending = ended(!words.is_empty(), Ending::Passed);
    let name = "everything was read".to_owned();
    let mut cases = vec![Shown { name, ending, message: words.join("; "), details }];
    if !left_out.is_empty() {
        let failing = left_out.iter().filter(|case| case.fails()).count() as u64;
        let not_listed = counted(left_out.len() as u64, "more tool");
        let which = if failing == 0 {
            "none of them fails".to_owned()
        } else {
            format!("{} of them fail", grouped(failing))
        };
        cases.push(Shown {
            name: "tools without a case".to_owned(),
            ending: ended(failing > 0, Ending::Skipped),
            message: format!("{not_listed} not listed, {which}"),
            details: Vec::new(),
        });
    }
    Suite { name: "tapecheck".to_owned(), cases }
}

fn recorded(report: &Report<'_>, name: &str, unnamed: &str) -> String {
    report.showing.name(if name.is_empty() { unnamed } else { name }).as_ref().to_owned()
}

fn line(report: &Report<'_>, issue: &Issue<'_>) -> String {
    let showing = &report.showing;
    let [file, kind] = [issue.file, issue.kind].map(|name| showing.name(name));
    let words = showing.message(issue.message);
    format!("{}:{} {}: {}", file.as_ref(), issue.line, kind.as_ref(), words.as_ref())
}
