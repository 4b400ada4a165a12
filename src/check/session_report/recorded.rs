//! Recorded responses that carry a validation report, in either of the documented layouts.

use crate::json::{Kind, Raw, RawStr};

/// How many tasks are looked at to recognise a response by its tasks.
const TASKS_LOOKED_AT: usize = 20;
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
    let members = if may_be { response.members() } else { None };
    let Some(members) = members else { return false };
    let has = |name: &str, kind: Kind| {
        members.iter().any(|(key, value)| value.kind() == kind && key.is(name))
    };
    let member = |name: &str| last(&members, name);
    let group_has = |group: &str, names: &[&str]| {
        let inner = member(group).and_then(Raw::members).unwrap_or_default();
        names.iter().any(|name| last(&inner, name).is_some())
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
    let tasks = tasks.elements().unwrap_or_default().into_iter().take(TASKS_LOOKED_AT);
    let mut errors = tasks.filter_map(|task| task.member("validationErrors"));
    errors.any(|it| it.kind() == Kind::Array)
}

pub(in crate::check) type Members<'a> = Vec<(RawStr<'a>, Raw<'a>)>;

/// The value of a member that may stand there twice.
pub(in crate::check) fn last<'a>(members: &Members<'a>, name: &str) -> Option<Raw<'a>> {
    members.iter().rev().find(|(key, _)| key.is(name)).map(|(_, value)| *value)
}

/// A part of a recorded report: the JSON pointer to where it stands, or would stand, and its value.
#[derive(Clone, Copy)]
pub(super) struct Part<T> {
    pub(super) at: &'static str,
    pub(super) value: Option<T>,
}

/// A recorded report whose groups are taken apart once: responses can be large.
pub(super) struct Recorded<'a> {
    root: Members<'a>,
    groups: [(&'static str, Members<'a>); 4],
    is_nested: bool,
}

impl<'a> Recorded<'a> {
    pub(super) fn new(response: Raw<'a>) -> Self {
        let root = response.members().unwrap_or_default();
        let groups = ["validationSummary", "validation", "session", "errorReport"]
            .map(|name| (name, last(&root, name).and_then(Raw::members).unwrap_or_default()));
        let is_nested = last(&root, "validation").is_some_and(|it| it.kind() == Kind::Object);
        Self { root, groups, is_nested }
    }

    /// A value that is not null.
    fn at(&self, pointer: &str) -> Option<Raw<'a>> {
        let path = pointer.strip_prefix('/')?;
        let (members, name) = match path.split_once('/') {
            None => (&self.root, path),
            Some((group, name)) => (&self.groups.iter().find(|it| it.0 == group)?.1, name),
        };
        last(members, name).filter(|value| value.kind() != Kind::Null)
    }

    /// A part by its places in a flat response and in the groups `session` and `validation`. The first that
    /// holds something counts; where none does, that of the response's own layout is named.
    pub(super) fn part(&self, flat: &'static str, nested: &'static str) -> Part<Raw<'a>> {
        let (own, other) = if self.is_nested { (nested, flat) } else { (flat, nested) };
        let found = |at| self.at(at).map(|value| Part { at, value: Some(value) });
        found(own).or_else(|| found(other)).unwrap_or(Part { at: own, value: None })
    }
}
