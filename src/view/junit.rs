//! `JUnit` XML. Times are 0, so that equal results are equal files.

use super::escape;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

pub(crate) struct Suite {
    pub(crate) name: String,
    pub(crate) cases: Vec<Case>,
}

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) ending: Ending,
    /// What is to be said in one line; nothing where it is empty.
    pub(crate) message: String,
    /// Lines below it.
    pub(crate) details: Vec<String>,
}

#[derive(Clone, Copy)]
pub(crate) enum Ending {
    Passed,
    Skipped,
    Failed { of: &'static str },
    NotTried { of: &'static str },
}

pub(crate) fn text(name: &str, suites: impl IntoIterator<Item = Suite>) -> String {
    let mut report = Report::new(name);
    report.set_time(Duration::ZERO);
    for Suite { name, cases } in suites {
        let name = shown(&name);
        let mut suite = TestSuite::new(&name);
        suite.set_time(Duration::ZERO);
        for case in cases {
            suite.add_test_case(of_case(&name, &case));
        }
        report.add_test_suite(suite);
    }
    // Nothing in it can fail to be written.
    report.to_string().unwrap_or_default()
}

fn of_case(suite: &str, case: &Case) -> TestCase {
    let message = shown(&case.message);
    let lines = std::iter::once(&case.message).chain(&case.details).map(|line| shown(line));
    let lines = lines.collect::<Vec<_>>().join("\n");
    let refused = |kind, of| {
        let mut status = TestCaseStatus::non_success(kind);
        status.set_message(&message).set_type(of).set_description(&lines);
        status
    };
    let status = match case.ending {
        Ending::Passed => TestCaseStatus::success(),
        Ending::Failed { of } => refused(NonSuccessKind::Failure, of),
        Ending::NotTried { of } => refused(NonSuccessKind::Error, of),
        Ending::Skipped => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(&message);
            status
        }
    };
    let mut one = TestCase::new(shown(&case.name), status);
    one.set_classname(suite).set_time(Duration::ZERO);
    if matches!(case.ending, Ending::Passed) && !message.is_empty() {
        one.set_system_out(lines);
    }
    one
}

/// What XML cannot hold becomes U+FFFD; the crate escapes what would be markup.
fn shown(text: &str) -> String {
    escape::terminal(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
