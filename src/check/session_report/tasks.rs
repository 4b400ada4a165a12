//! The issues and tasks that a recorded report lists, and whether they agree.

use super::recorded::Part;
use super::truth::shape;
use super::untruth::{Findings, Tally, Untruth, quoted};
use crate::check::judge_result::RecordedIssue;
use crate::json::{Kind, Raw};
use crate::verdict::{Category, IssueType, Severity};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Infos are what some recorders add and no report counts.
pub(super) fn tally(severity: Severity, count: u64) -> Tally {
    match severity {
        Severity::Error => Tally::Errors(count),
        Severity::Warning => Tally::Warnings(count),
        Severity::Info => Tally::Issues(count),
    }
}

/// One listed issue.
#[derive(Debug)]
struct Mark<'a> {
    /// `None` where it cannot be read.
    grade: Option<Severity>,
    category: Option<Cow<'a, str>>,
    message: Cow<'a, str>,
    rule: Option<Cow<'a, str>>,
    task: Option<Cow<'a, str>>,
}

impl Mark<'_> {
    /// What it tells; none where it does not say how bad that is. Its type is its rule, else its category.
    fn issue(&self, location: String) -> Option<(RecordedIssue, Option<&'static Category>)> {
        let unlisted = IssueType::UnlistedIssue.name();
        let kind = self.rule.as_deref().or(self.category.as_deref()).unwrap_or(unlisted).to_owned();
        let issue = RecordedIssue {
            severity: self.grade?,
            kind,
            message: self.message.clone().into_owned(),
            location: Some(location),
            suggestion: None,
        };
        Some((issue, self.category.as_deref().and_then(Category::named)))
    }
}

/// The issues that a report lists.
pub(super) struct Listed<'a> {
    at: &'static str,
    marks: Vec<Mark<'a>>,
}

impl<'a> Listed<'a> {
    /// Reads `integrityIssues`; `None` where there are none to read.
    pub(super) fn read(part: Part<'a>, findings: &mut Findings) -> Option<Self> {
        let marks = marks(part.value?, part.at, findings)?;
        Some(Self { at: part.at, marks })
    }

    pub(super) fn len(&self) -> usize {
        self.marks.len()
    }

    /// How many there are; `None` where one cannot be read.
    pub(super) fn count(&self, grade: Severity) -> Option<u64> {
        count(self.marks.iter(), grade)
    }

    pub(super) fn issues(&self) -> Vec<(RecordedIssue, Option<&'static Category>)> {
        let marks = self.marks.iter().enumerate();
        marks.filter_map(|(at, mark)| mark.issue(format!("{}/{at}", self.at))).collect()
    }

    /// The pointer to a member of a listed issue.
    pub(super) fn place(&self, issue: usize, member: &str) -> String {
        format!("{}/{issue}/{member}", self.at)
    }

    /// The types of the issues, each with the first issue that has it.
    pub(super) fn categories(&self) -> BTreeMap<&str, usize> {
        let mut found = BTreeMap::new();
        for (at, mark) in self.marks.iter().enumerate() {
            if let Some(category) = &mark.category {
                found.entry(&**category).or_insert(at);
            }
        }
        found
    }
}

pub(super) struct Tasks<'a> {
    at: &'static str,
    tasks: Vec<Task<'a>>,
}

struct Task<'a> {
    id: Option<Cow<'a, str>>,
    /// Its `validationErrors`, where it has any such member.
    marks: Option<Vec<Mark<'a>>>,
}

impl<'a> Tasks<'a> {
    /// Reads `tasks`; `None` where there are none to read.
    pub(super) fn read(part: Part<'a>, findings: &mut Findings) -> Option<Self> {
        let value = part.value?;
        let Some(elements) = value.elements() else {
            let wanted = "an array of tasks";
            findings.add(part.at, &Untruth::Shape { name: "tasks", found: shape(value), wanted });
            return None;
        };
        let mut tasks = Vec::with_capacity(elements.len());
        let mut ids = HashSet::new();
        for (at, element) in elements.into_iter().enumerate() {
            let place = format!("{}/{at}", part.at);
            let members = element.members().unwrap_or_default();
            let member = |name: &str| {
                members.iter().rev().find(|(key, _)| key.is(name)).map(|(_, value)| *value)
            };
            let id = member("id").and_then(id_of);
            if let Some(id) = &id
                && !ids.insert(id.clone())
            {
                findings.add(format!("{place}/id"), &Untruth::DuplicateTask(quoted(id)));
            }
            let marks = member("validationErrors")
                .filter(|value| value.kind() != Kind::Null)
                .and_then(|value| marks(value, &format!("{place}/validationErrors"), findings));
            tasks.push(Task { id, marks });
        }
        Some(Self { at: part.at, tasks })
    }

    pub(super) fn list_issues(&self) -> bool {
        self.tasks.iter().any(|task| task.marks.is_some())
    }

    pub(super) fn issues(&self) -> Vec<(RecordedIssue, Option<&'static Category>)> {
        let tasks = self.tasks.iter().enumerate();
        let marks = tasks.flat_map(|(task, it)| {
            let place = move |at| format!("{}/{task}/validationErrors/{at}", self.at);
            it.marks
                .iter()
                .flatten()
                .enumerate()
                .filter_map(move |(at, mark)| mark.issue(place(at)))
        });
        marks.collect()
    }

    /// How many there are in all tasks; `None` where one cannot be read.
    pub(super) fn count(&self, grade: Severity) -> Option<u64> {
        count(self.tasks.iter().filter_map(|task| task.marks.as_ref()).flatten(), grade)
    }

    pub(super) fn check_against(&self, listed: Option<&Listed<'a>>, findings: &mut Findings) {
        let Some(listed) = listed else { return };
        let ids: HashSet<&str> = self.tasks.iter().filter_map(|task| task.id.as_deref()).collect();
        let mut naming: HashMap<&str, Vec<&Mark<'a>>> = HashMap::new();
        for (at, mark) in listed.marks.iter().enumerate() {
            let Some(task) = mark.task.as_deref() else { continue };
            if !ids.contains(task) {
                findings.add(listed.place(at, "taskId"), &Untruth::DanglingTask(quoted(task)));
            }
            naming.entry(task).or_default().push(mark);
        }
        if !self.list_issues() {
            return;
        }
        if naming.is_empty() {
            self.check_together(listed, findings);
            return;
        }
        for (at, task) in self.tasks.iter().enumerate() {
            let Some(id) = task.id.as_deref() else { continue };
            let place = format!("{}/{at}/validationErrors", self.at);
            let naming = naming.get(id).map_or(&[][..], Vec::as_slice);
            let own = task.marks.as_deref().unwrap_or_default();
            compare(id, own, naming, place, findings);
        }
    }

    /// No issue names its task, so there is only one thing to hold tasks against: all of them.
    fn check_together(&self, listed: &Listed<'a>, findings: &mut Findings) {
        for grade in [Severity::Error, Severity::Warning] {
            if let (Some(own), Some(all)) = (self.count(grade), listed.count(grade))
                && own > all
            {
                let untruth =
                    Untruth::TasksTogether { stated: tally(grade, own), found: tally(grade, all) };
                findings.add(self.at, &untruth);
            }
        }
    }
}

/// Compares what a task lists with the issues that name it.
fn compare(
    id: &str,
    own: &[Mark<'_>],
    naming: &[&Mark<'_>],
    place: String,
    findings: &mut Findings,
) {
    for grade in [Severity::Error, Severity::Warning] {
        let counts = (count(own.iter(), grade), count(naming.iter().copied(), grade));
        let (Some(stated), Some(found)) = counts else { return };
        if stated != found {
            let (stated, found) = (tally(grade, stated), tally(grade, found));
            findings.add(place, &Untruth::TaskCount { id: quoted(id), stated, found });
            return;
        }
    }
    let rules = |rules: Vec<Option<&str>>| -> Option<Vec<String>> {
        let mut rules: Vec<String> =
            rules.into_iter().map(|it| it.map(str::to_owned)).collect::<Option<_>>()?;
        rules.sort_unstable();
        Some(rules)
    };
    let own = rules(own.iter().map(|mark| mark.rule.as_deref()).collect());
    let naming = rules(naming.iter().map(|mark| mark.rule.as_deref()).collect());
    // Where a rule is left out, nothing can be said.
    if let (Some(own), Some(naming)) = (own, naming)
        && own != naming
    {
        findings.add(place, &Untruth::TaskRules(quoted(id)));
    }
}

fn count<'m, 'a: 'm>(marks: impl Iterator<Item = &'m Mark<'a>>, grade: Severity) -> Option<u64> {
    let mut found = 0;
    for mark in marks {
        found += u64::from(mark.grade? == grade);
    }
    Some(found)
}

fn marks<'a>(list: Raw<'a>, at: &str, findings: &mut Findings) -> Option<Vec<Mark<'a>>> {
    let Some(elements) = list.elements() else {
        let untruth = Untruth::Shape {
            name: "The list of issues",
            found: shape(list),
            wanted: "an array of issues",
        };
        findings.add(at, &untruth);
        return None;
    };
    Some(elements.into_iter().enumerate().map(|(n, it)| mark(it, at, n, findings)).collect())
}

fn mark<'a>(issue: Raw<'a>, at: &str, number: usize, findings: &mut Findings) -> Mark<'a> {
    let Some(members) = issue.members() else {
        let untruth = Untruth::Shape { name: "An issue", found: shape(issue), wanted: "an object" };
        findings.add(format!("{at}/{number}"), &untruth);
        return Mark { grade: None, category: None, message: "".into(), rule: None, task: None };
    };
    let member = |name: &str| {
        let found = members.iter().rev().find(|(key, _)| key.is(name)).map(|(_, value)| *value);
        found.filter(|value| value.kind() != Kind::Null)
    };
    let mut text = |name: &'static str| {
        let value = member(name)?;
        let text = value.as_str();
        if text.is_none() {
            let untruth = Untruth::Shape { name, found: shape(value), wanted: "a string" };
            findings.add(format!("{at}/{number}/{name}"), &untruth);
        }
        text.map(crate::json::RawStr::decode)
    };
    let severity = text("severity");
    let (category, label, rule) = (text("type"), text("typeLabel"), text("rule"));
    let message = text("message").unwrap_or_default();
    let has_message = !message.trim().is_empty();
    if !has_message && member("message").is_none_or(|it| it.kind() == Kind::String) {
        let untruth = Untruth::Shape {
            name: "message",
            found: "missing or blank".to_owned(),
            wanted: "a sentence that says what is wrong",
        };
        findings.add(format!("{at}/{number}/message"), &untruth);
    }
    let grade = match severity.as_deref() {
        Some("error") => Some(Severity::Error),
        Some("warning") => Some(Severity::Warning),
        Some(other) => {
            let untruth = Untruth::UnknownSeverity(quoted(other));
            findings.add(format!("{at}/{number}/severity"), &untruth);
            (other == "info").then_some(Severity::Info)
        }
        None if member("severity").is_some() => None,
        None => {
            let untruth = Untruth::Shape {
                name: "severity",
                found: "missing".to_owned(),
                wanted: "error or warning",
            };
            findings.add(format!("{at}/{number}/severity"), &untruth);
            None
        }
    };
    if let (Some(of), Some(label)) = (&category, &label)
        && let Some(meant) = Category::all().iter().find(|known| known.label == **label)
        && meant.name != **of
    {
        let untruth = Untruth::WrongLabel { of: quoted(of), label: quoted(label) };
        findings.add(format!("{at}/{number}/typeLabel"), &untruth);
    }
    Mark { grade, category, message, rule, task: member("taskId").and_then(id_of) }
}

/// An id as text; recorders write numbers too.
fn id_of(value: Raw<'_>) -> Option<Cow<'_, str>> {
    match value.kind() {
        Kind::String => value.as_str().map(crate::json::RawStr::decode),
        Kind::Number => Some(Cow::Borrowed(value.text())),
        Kind::Null | Kind::Bool | Kind::Array | Kind::Object => None,
    }
}
