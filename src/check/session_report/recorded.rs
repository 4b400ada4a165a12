//! Recorded responses that carry a validation report, in either of the documented layouts.

use crate::json::{Kind, Raw};

/// How many tasks are looked at to recognise a response by its tasks.
const TASKS_LOOKED_AT: usize = 20;

/// A part of a recorded report: where it stands (or would stand) and its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    /// JSON pointer.
    pub(super) at: &'static str,
    /// The value; `null` counts as absent.
    pub(super) value: Option<Raw<'a>>,
}

/// The parts of a recorded report, wherever its layout keeps them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorded<'a> {
    pub(super) flag: Part<'a>,
    pub(super) status: Part<'a>,
    pub(super) has_errors: Part<'a>,
    pub(super) has_warnings: Part<'a>,
    pub(super) error_count: Part<'a>,
    pub(super) warning_count: Part<'a>,
    pub(super) categories: Part<'a>,
    pub(super) summary_text: Part<'a>,
    pub(super) issues: Part<'a>,
    pub(super) tasks: Part<'a>,
    /// What refers to the text of the report: an object with a file name, or the name itself.
    pub(super) reference: Part<'a>,
    pub(super) filename: Part<'a>,
    pub(super) url: Part<'a>,
}

/// The members that make a summary one of these reports'.
const SUMMARY_MEMBERS: [&str; 5] =
    ["hasErrors", "hasWarnings", "errorCount", "warningCount", "summaryText"];
/// The members of which one must stand beside `hasErrors` in a `validation` group.
const GROUP_MEMBERS: [&str; 4] = ["errorCount", "warningCount", "issues", "reportFilename"];

/// Whether a JSON value is a response that carries a validation report.
///
/// It does if it has a summary with one of its members, the flag `hasValidationErrors`, a
/// `validationStatus` or an array of `integrityIssues` beside another part, tasks with
/// `validationErrors`, or the nested group `validation`. A session itself, flat or as the group `session`,
/// is the report of a session without errors.
pub fn recognise(response: Raw<'_>) -> bool {
    // Nearly all replies are something else, and are told apart without being taken apart.
    let text = response.text().as_bytes();
    let may_be = ["alidation", "integrityIssues", "\"tasks\""]
        .iter()
        .any(|word| memchr::memmem::find(text, word.as_bytes()).is_some());
    if !may_be || response.kind() != Kind::Object {
        return false;
    }
    let Some(members) = response.members() else { return false };
    let has = |name: &str, kind: Kind| {
        members.iter().any(|(key, value)| value.kind() == kind && key.is(name))
    };
    let member = |name: &str| members.iter().rev().find(|(key, _)| key.is(name)).map(|(_, it)| *it);
    let group_has = |group: &str, names: &[&str]| {
        let inner = member(group).and_then(Raw::members).unwrap_or_default();
        names.iter().any(|name| inner.iter().any(|(key, _)| key.is(name)))
    };
    let parts = [
        has("validationStatus", Kind::String),
        has("integrityIssues", Kind::Array),
        has("errorReport", Kind::Object),
    ];
    has("hasValidationErrors", Kind::Bool)
        || group_has("validationSummary", &SUMMARY_MEMBERS)
        || parts.into_iter().filter(|part| *part).count() > 1
        || (group_has("validation", &["hasErrors"]) && group_has("validation", &GROUP_MEMBERS))
        || member("tasks").is_some_and(tasks_have_errors)
        || is_session(response)
        || member("session").is_some_and(is_session)
}

/// The core of a session: its id, its text and its tasks.
fn is_session(value: Raw<'_>) -> bool {
    let is = |name: &str, kind: Kind| value.member(name).is_some_and(|it| it.kind() == kind);
    (is("id", Kind::String) || is("id", Kind::Number))
        && is("content", Kind::String)
        && is("tasks", Kind::Array)
}

fn tasks_have_errors(tasks: Raw<'_>) -> bool {
    tasks
        .elements()
        .unwrap_or_default()
        .into_iter()
        .take(TASKS_LOOKED_AT)
        .any(|task| task.member("validationErrors").is_some_and(|it| it.kind() == Kind::Array))
}

impl<'a> Recorded<'a> {
    pub(super) fn new(response: Raw<'a>) -> Self {
        // Responses can be large: each group is taken apart once.
        let root = response.members().unwrap_or_default();
        let group = |name: &str| {
            let found = root.iter().rev().find(|(key, _)| key.is(name));
            found.and_then(|(_, value)| value.members()).unwrap_or_default()
        };
        let groups = ["validationSummary", "validation", "session", "errorReport"]
            .map(|name| (name, group(name)));
        let at = |pointer: &'static str| -> Option<Raw<'a>> {
            let path = pointer.strip_prefix('/')?;
            let (members, name) = match path.split_once('/') {
                None => (&root, path),
                Some((group, name)) => (&groups.iter().find(|(known, _)| *known == group)?.1, name),
            };
            let found = members.iter().rev().find(|(key, _)| key.is(name));
            found.map(|(_, value)| *value).filter(|value| value.kind() != Kind::Null)
        };
        let is_nested = at("/validation").is_some_and(|group| group.kind() == Kind::Object);
        // Flat, then nested in the groups `session` and `validation`. The first place that holds something counts;
        // where none does, that of the response's own layout is named.
        let part = |flat: &'static str, nested: &'static str| {
            let (own, other) = if is_nested { (nested, flat) } else { (flat, nested) };
            let found = |pointer| at(pointer).map(|value| Part { at: pointer, value: Some(value) });
            found(own).or_else(|| found(other)).unwrap_or(Part { at: own, value: None })
        };
        Self {
            flag: part("/hasValidationErrors", "/validation/hasValidationErrors"),
            status: part("/validationStatus", "/validation/validationStatus"),
            has_errors: part("/validationSummary/hasErrors", "/validation/hasErrors"),
            has_warnings: part("/validationSummary/hasWarnings", "/validation/hasWarnings"),
            error_count: part("/validationSummary/errorCount", "/validation/errorCount"),
            warning_count: part("/validationSummary/warningCount", "/validation/warningCount"),
            categories: part("/validationSummary/categories", "/validation/categories"),
            summary_text: part("/validationSummary/summaryText", "/validation/summaryText"),
            issues: part("/integrityIssues", "/validation/issues"),
            tasks: part("/tasks", "/session/tasks"),
            reference: part("/errorReport", "/validation/reportFilename"),
            filename: part("/errorReport/filename", "/validation/reportFilename"),
            url: part("/errorReport/url", "/validation/reportUrl"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan_document;

    fn is_one(text: &str) -> bool {
        recognise(scan_document(text, 64).expect("well-formed"))
    }

    #[test]
    fn responses_with_a_report_are_recognised() {
        for text in [
            r#"{"validationSummary":{"hasErrors":false}}"#,
            r#"{"content":"fine","hasValidationErrors":false}"#,
            r#"{"validationStatus":"success","integrityIssues":[]}"#,
            r#"{"integrityIssues":[],"errorReport":{"filename":"x"}}"#,
            r#"{"tasks":[{"id":"a"},{"id":"b","validationErrors":[]}]}"#,
            r#"{"session":{"id":"s"},"validation":{"hasErrors":true,"issues":[]}}"#,
        ] {
            assert!(is_one(text), "{text}");
        }
    }

    #[test]
    fn others_are_not() {
        for text in [
            "[]",
            "7",
            r#""hasValidationErrors""#,
            r#"{"content":"hasValidationErrors"}"#,
            r#"{"hasValidationErrors":"yes"}"#,
            r#"{"validationStatus":"pending"}"#,
            r#"{"validationSummary":{"passed":7}}"#,
            r#"{"validationSummary":"all fine"}"#,
            r#"{"validation":{"required":true}}"#,
            r#"{"integrityIssues":[]}"#,
            r#"{"tasks":[{"id":"a"}],"about":"validation"}"#,
        ] {
            assert!(!is_one(text), "{text}");
        }
    }

    #[test]
    fn parts_are_found_in_both_layouts() {
        let text = r#"{"validation":{"hasErrors":true,"errorCount":null},"session":{"tasks":[]},
            "hasValidationErrors":true}"#;
        let found = Recorded::new(scan_document(text, 64).expect("well-formed"));
        let part = |part: Part<'_>| (part.at, part.value.map(|it| it.text().to_owned()));
        assert_eq!(part(found.has_errors), ("/validation/hasErrors", Some("true".to_owned())));
        assert_eq!(part(found.error_count), ("/validation/errorCount", None));
        assert_eq!(part(found.tasks), ("/session/tasks", Some("[]".to_owned())));
        assert_eq!(part(found.flag), ("/hasValidationErrors", Some("true".to_owned())));
        assert_eq!(part(found.status), ("/validation/validationStatus", None));
    }
}
