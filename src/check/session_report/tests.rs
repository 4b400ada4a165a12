//! What reports say of sessions, that they are truthful, and what their files are called.

use super::*;
use crate::cases::{self, Case};
use crate::json::scan_document;
use crate::recording::Moment;
use crate::verdict::{Issue, IssueType, SessionIssue, Severity};

/// A text in quotes, and the moment behind it.
fn quoted(text: &str) -> (String, Option<Moment>) {
    let (text, time) = text.rsplit_once('"').expect("a text in quotes");
    let moment = time.trim().parse().map(Moment).ok().or_else(|| Moment::parse(time.trim()));
    (serde_json::from_str(&format!("{text}\"")).expect("a text in quotes"), moment)
}

/// The names that reports of one run are given, whether texts are such names, and whether values are reports.
fn names(questions: &[&str]) -> Vec<String> {
    let mut names = ReportNames::default();
    let answer = |question: &&str| {
        let (word, text) = question.split_once(' ').expect("a word and a text");
        let yes_or_no = |it: bool| if it { "yes" } else { "no" }.to_owned();
        if word == "recognise" {
            return yes_or_no(recognise(scan_document(text, 64).expect("well-formed")));
        }
        let (name, last) = quoted(text);
        if word == "is" {
            return yes_or_no(is_report_name(&name));
        }
        let name = names.give(&SessionName { name: &name, last });
        assert!(is_report_name(&name), "{name}");
        name
    };
    questions.iter().map(answer).collect()
}

/// The issue of a line `SEVERITY TYPE TASK PLACE: MESSAGE (SUGGESTION)`, and its task.
fn found(line: &str) -> (Issue, Option<&str>) {
    let (what, message) = line.split_once(": ").expect("a message");
    let (message, suggestion) = message.split_once(" (").unwrap_or((message, ""));
    let mut words = what.split(' ');
    let [severity, kind] = [(); 2].map(|()| words.next().unwrap_or_default());
    let severity = Severity::of_name(severity).expect(line);
    let message = quoted(&format!("\"{message}\"")).0;
    let mut issue = Issue::new(severity, IssueType::named(kind).expect(line), message);
    issue.suggestion = suggestion.strip_suffix(')').map(str::to_owned);
    let (places, tasks): (Vec<&str>, Vec<&str>) = words.partition(|word| word.starts_with('/'));
    issue.location = places.first().map(|&place| place.to_owned());
    (issue, tasks.first().copied())
}

/// A report as JSON, which must be truthful.
fn json(report: &SessionReport) -> String {
    let text = serde_json::to_string_pretty(report).expect("serialises");
    let raw = scan_document(&text, 64).expect("well-formed");
    assert!(recognise(raw), "{text:.300}");
    assert_eq!(check(raw), [], "{text:.300}");
    text
}

/// The report of a session as `report` in JSON or as `text`.
fn report(case: &Case) -> String {
    let (session, lines) = case.questions(&["report", "text"]);
    let (form, session) = session[0].split_once(' ').expect("a session");
    let (name, last) = quoted(session);
    let session = SessionName { name: &name, last };
    let (counted, lines): (Vec<_>, Vec<_>) =
        lines.lines().partition(|line| line.starts_with("counted "));
    let issues: Vec<(Issue, Option<&str>)> = lines.into_iter().map(found).collect();
    let first = issues.iter().map(|(issue, task)| (issue, *task));
    let names = &mut ReportNames::default();
    let first: Vec<SessionIssue<'_>> = first.map(SessionIssue::from).collect();
    let mut all = count(&first);
    if let Some(words) = counted.first().map(|line| line.split(' ')) {
        let mut numbers = words.clone().filter_map(|word| word.parse().ok());
        [all.errors, all.warnings] = [(); 2].map(|()| numbers.next().expect("errors, warnings"));
        all.kinds = words.filter_map(IssueType::named).collect();
    }
    let report = SessionReport::of(&session, all, first, names);
    let json = json(&report);
    if form == "report" {
        return json;
    }
    let details = issues.iter().map(|(issue, _)| IssueDetails {
        location: issue.location.clone(),
        suggestion: issue.suggestion.clone(),
        ..IssueDetails::default()
    });
    let last = last.map(Moment::rfc3339).unwrap_or_default();
    let text = report.text(&name, &last, &details.collect::<Vec<_>>());
    assert!(text.ends_with('\n'), "the last line ends: {text:?}");
    text
}

#[test]
fn reports_and_their_names_are_as_their_cases_list() {
    cases::check("tests/cases/session-reports.txt", |case| {
        let (questions, _) = case.questions(&["name", "is", "recognise"]);
        if questions.is_empty() { report(case) } else { names(&questions).join("\n") }
    });
}

fn count(issues: &[SessionIssue<'_>]) -> CountedIssues {
    let of = |severity| issues.iter().filter(|it| it.severity == severity).count() as u64;
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    CountedIssues { errors, warnings, ..CountedIssues::default() }
}

fn report_of(issues: &[(Issue, Option<&str>)]) -> SessionReport {
    let session = SessionName { name: "night", last: None };
    let issues: Vec<_> = issues.iter().map(|(issue, task)| (issue, *task).into()).collect();
    SessionReport::of(&session, count(&issues), issues, &mut ReportNames::default())
}

#[test]
fn every_kind_of_issue_is_told_truthfully_and_has_a_suggestion() {
    let mut every = Vec::new();
    for (at, kind) in IssueType::ALL.iter().enumerate() {
        let report = report_of(&[(Issue::new(Severity::Error, *kind, "Something is wrong"), None)]);
        let next = format!("\n      next      {}\n", kind.suggestion());
        assert!(report.text("night", "", &[]).contains(&next), "{}", kind.name());
        let task = ["a", "b", "\u{1b}c"].get(at % 4).copied();
        every.push((Issue::new(Severity::ALL[at % 3], *kind, "Something is wrong"), task));
    }
    json(&report_of(&every));
}

#[test]
fn what_is_not_listed_is_counted() {
    let some = [
        "error schema_violation task-1: Title is missing",
        "info tool_failure task-9: Merely worth knowing",
        "warning dangling_task: There is no task-7",
        "error tool_failure task-1: The tool failed",
    ];
    let many: Vec<_> = some.into_iter().map(found).cycle().take(13_337).collect();
    let report = report_of(&many);
    json(&report);
    assert_eq!(report.validation_summary.error_count, 6_669);
    let text = report.text("night", "", &[]);
    assert!(text.ends_with("\n3 more were counted and are not listed here.\n"));
}

#[test]
fn contradictions_of_one_report_are_bounded() {
    let tasks = vec![r#"{"id":"a","validationErrors":[]}"#; 71].join(",");
    let found = check(scan_document(&format!(r#"{{"tasks":[{tasks}]}}"#), 64).expect("JSON"));
    assert_eq!(found.len(), 51);
    assert_eq!(found[50].message, "20 more contradictions are not listed.");
}
