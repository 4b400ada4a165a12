//! `JUnit` XML: a suite for each server, a case for each tool. A tool fails where exchanges of it have
//! issues of severity `error`.

use super::super::PageError;
use super::super::headline::{STEPS, found_instead};
use super::super::night::Failing;
use super::super::rest::{WHERE_FILES, WHERE_LINES};
use super::Told;
use super::issues::{self, Issue};
use crate::verdict::{Severity, counted, grouped};
use crate::view::escape::{terminal as plain, xml};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// So many tools have a case of their own, those that fail first.
const MOST: usize = 5_000;
/// So many issues of a tool are told.
const FEW: usize = 5;

/// A case: a tool, or the sessions of a server.
#[derive(Debug, Default)]
struct Case {
    exchanges: Failing,
    /// Issues of severity `error`, of exchanges and of sessions.
    issues: u64,
    /// Those of sessions.
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
            let errors = format!("{} of {}", grouped(count), counted(out_of, "exchange"));
            parts.push(format!("{errors} with issues of severity error"));
        }
        if self.of_sessions > 0 {
            let issues = counted(self.of_sessions, "issue");
            parts.push(format!("{issues} of severity error about sessions as a whole"));
        }
        parts.join("; ")
    }
}

pub(super) fn junit(told: &Told<'_>) -> Result<String, PageError> {
    let mut cases: BTreeMap<(String, String), Case> = BTreeMap::new();
    for (name, exchanges) in &told.night.failing {
        cases.insert(name.clone(), Case { exchanges: *exchanges, ..Case::default() });
    }
    issues::each(told.folder, |issue| {
        if issue.severity == Severity::Error.name() {
            let case = cases.entry((issue.server.to_owned(), issue.tool.to_owned())).or_default();
            case.issues += 1;
            case.of_sessions += u64::from(issue.key.is_empty());
            if case.lines.len() < FEW {
                case.lines.push(line(told, &issue));
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
    Ok(document(told, &shown, &left_out))
}

fn document(
    told: &Told<'_>,
    shown: &BTreeMap<&str, Vec<(&str, &Case)>>,
    left_out: &[&Case],
) -> String {
    let mut suites: Vec<Suite> = shown.iter().map(|(name, it)| of_server(told, name, it)).collect();
    suites.insert(0, of_run(told, left_out));
    let tests: u64 = suites.iter().map(|suite| suite.tests).sum();
    let failures: u64 = suites.iter().map(|suite| suite.failures).sum();
    let skipped: u64 = suites.iter().map(|suite| suite.skipped).sum();
    let counts = counts(tests, failures, skipped);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"tapecheck\" {counts}>");
    for suite in suites {
        let counts = self::counts(suite.tests, suite.failures, suite.skipped);
        let _ = writeln!(out, "  <testsuite name=\"{}\" {counts}>", suite.name);
        out.push_str(&suite.cases);
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// A suite as XML.
struct Suite {
    name: String,
    tests: u64,
    failures: u64,
    skipped: u64,
    cases: String,
}

/// Times are left at 0, so that equal runs are equal files.
fn counts(tests: u64, failures: u64, skipped: u64) -> String {
    format!(
        "tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"0\""
    )
}

fn of_server(told: &Told<'_>, name: &str, cases: &[(&str, &Case)]) -> Suite {
    let name = shown(told, name, "(no server)");
    let mut suite = Suite { name, tests: 0, failures: 0, skipped: 0, cases: String::new() };
    for (tool, case) in cases {
        let tool = shown(told, tool, "(sessions)");
        suite.tests += 1;
        suite.failures += u64::from(case.fails());
        let mut lines = case.lines.iter().map(|line| xml(line)).collect::<Vec<_>>();
        let more = case.issues.saturating_sub(lines.len() as u64);
        if more > 0 {
            lines.push(format!("and {} more", grouped(more)));
        }
        let failure = case.fails().then(|| (xml(&case.summary()), lines.join("\n")));
        write_case(&mut suite.cases, (&suite.name, &tool), failure);
    }
    suite
}

/// What is about no server: whether all was judged, and whether all is here.
fn of_run(told: &Told<'_>, left_out: &[&Case]) -> Suite {
    let name = "tapecheck".to_owned();
    let mut suite = Suite { name, tests: 1, failures: 0, skipped: 0, cases: String::new() };
    let total = |name: &str| {
        let found = told.night.totals.iter().find(|(known, _)| *known == name);
        found.map_or(0, |(_, count)| *count)
    };
    let (lines, files) = (total("rejects"), total("rejected_files"));
    let (mut words, mut details) = (Vec::new(), Vec::new());
    if total("exchanges") == 0 {
        words.push(super::NOTHING.to_owned());
        for found in found_instead(&told.page, &told.showing) {
            let words = format!("found instead: {}", found.words);
            details.push(found.line(words, str::to_owned));
        }
        details.extend(STEPS.map(str::to_owned));
    }
    details.extend((lines > 0).then(|| WHERE_LINES.to_owned()));
    details.extend((files > 0).then(|| WHERE_FILES.to_owned()));
    if lines + files > 0 {
        let (lines, files) = (counted(lines, "line"), counted(files, "file"));
        words.push(format!("{lines} and {files} could not be judged"));
    }
    let details: Vec<String> = details.iter().map(|line| xml(&plain(line))).collect();
    let failure = (!words.is_empty()).then(|| (words.join("; "), details.join("\n")));
    suite.failures += u64::from(failure.is_some());
    write_case(&mut suite.cases, (&suite.name, "all was judged"), failure);
    if !left_out.is_empty() {
        suite.tests += 1;
        let failing = left_out.iter().filter(|case| case.fails()).count() as u64;
        let words = format!("{} not listed", counted(left_out.len() as u64, "more tool"));
        if failing > 0 {
            suite.failures += 1;
            let failure = (format!("{words}, {} of them fail", grouped(failing)), String::new());
            write_case(&mut suite.cases, (&suite.name, "tools without a case"), Some(failure));
        } else {
            suite.skipped += 1;
            let _ = writeln!(
                suite.cases,
                "    <testcase classname=\"tapecheck\" name=\"tools without a case\" time=\"0\">\
                 <skipped message=\"{words}, none of them fails\"/></testcase>"
            );
        }
    }
    suite
}

/// Message and lines of a failure are XML already.
fn write_case(out: &mut String, (class, name): (&str, &str), failure: Option<(String, String)>) {
    let _ = write!(out, "    <testcase classname=\"{class}\" name=\"{name}\" time=\"0\"");
    let _ = match failure {
        None => writeln!(out, "/>"),
        Some((message, lines)) => writeln!(
            out,
            ">\n      <failure message=\"{message}\" type=\"issues\">{message}\n{lines}</failure>\n    \
             </testcase>"
        ),
    };
}

/// A recorded name as XML.
fn shown(told: &Told<'_>, name: &str, unnamed: &str) -> String {
    let name = if name.is_empty() { unnamed } else { name };
    xml(&plain(told.showing.name(name).as_ref()))
}

fn line(told: &Told<'_>, issue: &Issue<'_>) -> String {
    let showing = &told.showing;
    let [file, kind] = [issue.file, issue.kind].map(|name| showing.name(name));
    let words = showing.message(issue.message);
    plain(&format!("{}:{} {}: {}", file.as_ref(), issue.line, kind.as_ref(), words.as_ref()))
}
