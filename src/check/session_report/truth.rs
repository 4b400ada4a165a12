//! Holds a recorded report against itself: flags, counts, issues, categories, summary, tasks.

use super::model::ValidationStatus;
use super::recorded::{Part, Recorded, last};
use super::text::{Counts, counted, read_summary};
use crate::check::judge_result::RecordedIssue;
use crate::check::payload::id_of;
use crate::json::{Kind, Raw, RawStr};
use crate::verdict::{Category, Issue, IssueType, Severity, cut};
use std::array::from_fn;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Display;

/// How much of a recorded text a message quotes, in characters.
const QUOTED: usize = 60;
const MAX_FINDINGS: usize = 50;
/// How much of a recorded summary is decoded.
const SUMMARY: usize = 4_000;
/// The largest count that a double holds exactly.
const MAX_COUNT: f64 = 9_007_199_254_740_991.0;
/// What reports count. Infos are what some recorders add.
const GRADES: [Severity; 2] = [Severity::Error, Severity::Warning];

/// Holds a recorded response against what it says of itself. What it leaves out where nothing was
/// found is no fault; what it cannot be read by is one.
pub fn check(response: Raw<'_>) -> Vec<Issue> {
    read(response).0
}

/// The same, and the issues that it lists (in one place, else at its tasks), each with its category where that
/// is known.
pub fn read(response: Raw<'_>) -> (Vec<Issue>, Vec<(RecordedIssue, Option<&'static Category>)>) {
    let mut findings = Findings::default();
    let claims = Claims::read(&Recorded::new(response), &mut findings);
    claims.check(&mut findings);
    let lists: Vec<&List<'_>> = match &claims.list {
        Some(list) => vec![list],
        None => claims.at_tasks().collect(),
    };
    (findings.into_issues(), lists.into_iter().flat_map(List::recorded).collect())
}

/// What was found wrong with one response, up to a bound.
#[derive(Default)]
struct Findings {
    issues: Vec<Issue>,
    unlisted: usize,
}

/// How bad something is, and of which type. What misleads nobody about how much was found is odd; not telling is not lying.
type Fault = (Severity, IssueType);
const MALFORMED: Fault = (Severity::Error, IssueType::MalformedReport);
const UNTRUE: Fault = (Severity::Error, IssueType::ReportUntruthful);
const ODD: Fault = (Severity::Warning, IssueType::ReportUntruthful);
const MISSING: Fault = (Severity::Warning, IssueType::ReportMissing);
const DANGLING: Fault = (Severity::Error, IssueType::DanglingTask);
const DUPLICATE: Fault = (Severity::Error, IssueType::DuplicateTask);

impl Findings {
    fn add(&mut self, (severity, kind): Fault, at: &str, message: impl Into<String>) {
        if self.issues.len() >= MAX_FINDINGS {
            self.unlisted += 1;
            return;
        }
        self.issues.push(Issue {
            location: Some(at.to_owned()),
            suggestion: Some(kind.suggestion().to_owned()),
            ..Issue::new(severity, kind, message)
        });
    }

    fn malformed(&mut self, at: &str, found: &str, wanted: &str) {
        self.add(MALFORMED, at, format!("{at} is {found} instead of {wanted}."));
    }

    /// Holds what a part states against what the rest of the report comes to, where both are known.
    fn hold<T: PartialEq + Display>(&mut self, at: &str, stated: Option<T>, truth: Option<T>) {
        if let (Some(stated), Some(truth)) = (stated, truth)
            && stated != truth
        {
            let message = format!("{at} says {stated}; by the rest of the report it is {truth}.");
            self.add(UNTRUE, at, message);
        }
    }

    fn into_issues(mut self) -> Vec<Issue> {
        if self.unlisted > 0 {
            let message = format!("{} more contradictions are not listed.", self.unlisted);
            let kind = IssueType::ReportUntruthful;
            let suggestion = Some("Correct those that are listed first.".to_owned());
            let issue = Issue { suggestion, ..Issue::new(Severity::Info, kind, message) };
            self.issues.push(issue);
        }
        self.issues
    }
}

impl<'a> Part<Raw<'a>> {
    /// Reads the part; one that is there and cannot be read is malformed.
    fn read<T>(
        self,
        wanted: &str,
        findings: &mut Findings,
        read: impl FnOnce(Raw<'a>) -> Option<T>,
    ) -> Part<T> {
        let value = self.value.and_then(read);
        if let (Some(raw), None) = (self.value, &value) {
            findings.malformed(self.at, &shape(raw), wanted);
        }
        Part { at: self.at, value }
    }
}

/// What a report says of its issues, and those that it lists.
struct Claims<'a> {
    list: Option<List<'a>>,
    tasks: Part<Vec<Task<'a>>>,
    categories: Part<Vec<Cow<'a, str>>>,
    summary: Part<Counts>,
    flag: Part<bool>,
    status: Part<ValidationStatus>,
    /// Whether there are errors and warnings.
    has: [Part<bool>; 2],
    counts: [Part<u64>; 2],
    issues_at: &'static str,
    report_at: &'static str,
    names_report: bool,
}

impl<'a> Claims<'a> {
    fn read(recorded: &Recorded<'a>, findings: &mut Findings) -> Self {
        let issues = recorded.part("/integrityIssues", "/validation/issues");
        let list = issues.value.and_then(|value| List::read(value, issues.at.to_owned(), findings));
        let tasks = recorded.part("/tasks", "/session/tasks");
        let tasks = tasks.read("an array of tasks", findings, Raw::elements);
        let read = tasks.value.map(|elements| read_tasks(elements, tasks.at, findings));
        let tasks = Part { at: tasks.at, value: read };
        let categories = recorded
            .part("/validationSummary/categories", "/validation/categories")
            .read("an array of strings", findings, |value| {
                value.elements()?.into_iter().map(|it| it.as_str().map(RawStr::decode)).collect()
            });
        let summary = recorded
            .part("/validationSummary/summaryText", "/validation/summaryText")
            .read("a string", findings, Raw::as_str);
        let text = summary.value.map(|text| text.decode_up_to(SUMMARY));
        let mut flag = |flat, nested| {
            let is_flag = |value: Raw<'_>| value.kind() == Kind::Bool;
            let read = |value: Raw<'_>| is_flag(value).then(|| value.text() == "true");
            recorded.part(flat, nested).read("true or false", findings, read)
        };
        let (flag, has) = (
            flag("/hasValidationErrors", "/validation/hasValidationErrors"),
            [
                flag("/validationSummary/hasErrors", "/validation/hasErrors"),
                flag("/validationSummary/hasWarnings", "/validation/hasWarnings"),
            ],
        );
        let mut count = |flat, nested| {
            recorded.part(flat, nested).read("a whole number from 0", findings, whole_number)
        };
        let counts = [
            count("/validationSummary/errorCount", "/validation/errorCount"),
            count("/validationSummary/warningCount", "/validation/warningCount"),
        ];
        let words = ValidationStatus::ALL.map(ValidationStatus::name).join(", ");
        let status = recorded.part("/validationStatus", "/validation/validationStatus").read(
            &format!("one of {words}"),
            findings,
            |value| {
                let word = value.as_str()?;
                ValidationStatus::ALL.into_iter().find(|status| word.is(status.name()))
            },
        );
        Self {
            list,
            tasks,
            categories,
            summary: Part { at: summary.at, value: text.and_then(|text| read_summary(&text)) },
            flag,
            status,
            has,
            counts,
            issues_at: issues.at,
            report_at: recorded.part("/errorReport", "/validation/reportFilename").at,
            names_report: names_report(recorded, findings),
        }
    }

    fn check(&self, findings: &mut Findings) {
        let lists_at_tasks = self.at_tasks().next().is_some();
        let by_list = |grade| match &self.list {
            Some(list) => count(&list.issues, grade),
            None if lists_at_tasks => self.count_at_tasks(grade),
            None => None,
        };
        // The best witness of how much there is are the counts, else the lists.
        let found: [Option<u64>; 2] =
            from_fn(|at| self.counts[at].value.or_else(|| by_list(GRADES[at])));
        let [errors, warnings] = found.map(|count| count.map(|count| count > 0));
        if let Some(list) = &self.list {
            self.check_counts(list, findings);
        }
        findings.hold(self.has[0].at, self.has[0].value, errors);
        findings.hold(self.has[1].at, self.has[1].value, warnings);
        findings.hold(self.flag.at, self.flag.value, self.has[0].value.or(errors));
        let stated = self.status.value;
        let says_errors = stated.is_some_and(|it| it.name().starts_with("errors"));
        if let Some(stated) = stated {
            // What nobody else says of is believed.
            let says_warnings = stated.name().ends_with("warnings");
            let errors = errors.or(self.has[0].value).or(self.flag.value).unwrap_or(says_errors);
            let warnings = warnings.or(self.has[1].value).unwrap_or(says_warnings);
            let truth = ValidationStatus::of(errors, warnings);
            findings.hold(self.status.at, Some(stated.name()), Some(truth.name()));
        }
        self.check_categories(findings);
        if let (Some(stated), Some(_)) = (self.summary.value, errors) {
            for (at, stated) in [stated.errors, stated.warnings].into_iter().enumerate() {
                let in_words = |count| counted(count, GRADES[at]);
                let (stated, truth) = (Some(in_words(stated)), found[at].map(in_words));
                findings.hold(self.summary.at, stated, truth);
            }
        }
        self.check_tasks(lists_at_tasks, findings);
        let says_so =
            says_errors || [&self.has[0], &self.flag].iter().any(|it| it.value == Some(true));
        if errors == Some(true) || says_so {
            if self.list.is_none() && !lists_at_tasks {
                findings.add(MISSING, self.issues_at, "There are errors, but no issue is listed.");
            }
            if !self.names_report {
                findings.add(
                    MISSING,
                    self.report_at,
                    "There are errors, but no error report is named.",
                );
            }
        } else if self.names_report && (errors, warnings) == (Some(false), Some(false)) {
            let message = "An error report is named, but there are neither errors nor warnings.";
            findings.add(ODD, self.report_at, message);
        }
    }

    fn check_counts(&self, list: &List<'_>, findings: &mut Findings) {
        for (claim, grade) in self.counts.iter().zip(GRADES) {
            let counted = count(&list.issues, grade);
            if !(self.is_part_listed() && claim.value > counted) {
                findings.hold(claim.at, claim.value, counted);
            }
        }
    }

    /// Whether the summary says itself that only these issues are listed, of more.
    fn is_part_listed(&self) -> bool {
        let listed = self.list.as_ref().map(|list| list.issues.len() as u64);
        listed.is_some() && self.summary.value.and_then(|stated| stated.listed) == listed
    }

    fn check_categories(&self, findings: &mut Findings) {
        let Some(stated) = &self.categories.value else { return };
        let mut types = BTreeMap::new();
        for (at, issue) in self.list.iter().flat_map(|list| list.issues.iter().enumerate()) {
            if let Some(category) = &issue.category {
                types.entry(&**category).or_insert(at);
            }
        }
        let may_be_idle = self.list.is_some() && !self.is_part_listed();
        let mut seen = HashSet::new();
        for (at, name) in stated.iter().enumerate() {
            let place = format!("{}/{at}", self.categories.at);
            if !seen.insert(&**name) {
                findings.add(
                    ODD,
                    &place,
                    format!("The category `{}` is listed twice.", quoted(name)),
                );
            } else if may_be_idle && !types.contains_key(&**name) {
                let name = quoted(name);
                findings.add(
                    UNTRUE,
                    &place,
                    format!("No issue is of the listed category `{name}`."),
                );
            }
        }
        for (name, at) in types.into_iter().filter(|(name, _)| !seen.contains(name)) {
            let message = format!(
                "An issue is of type `{}`, which the categories do not list.",
                quoted(name)
            );
            findings.add(UNTRUE, &format!("{}/{at}/type", self.issues_at), message);
        }
    }

    /// The lists of issues that tasks have.
    fn at_tasks(&self) -> impl Iterator<Item = &List<'a>> {
        self.tasks.value.iter().flatten().filter_map(|task| task.list.as_ref())
    }

    fn count_at_tasks(&self, grade: Severity) -> Option<u64> {
        count(self.at_tasks().flat_map(|list| &list.issues), grade)
    }

    fn check_tasks(&self, lists_at_tasks: bool, findings: &mut Findings) {
        let (Some(list), Some(tasks)) = (&self.list, &self.tasks.value) else { return };
        let ids: HashSet<&str> = tasks.iter().filter_map(|task| task.id.as_deref()).collect();
        let mut naming: HashMap<&str, Vec<&Listed<'_>>> = HashMap::new();
        for (at, issue) in list.issues.iter().enumerate() {
            let Some(task) = issue.task.as_deref() else { continue };
            if !ids.contains(task) {
                let place = format!("{}/{at}/taskId", list.at);
                let id = quoted(task);
                let message =
                    format!("An issue names the task `{id}`, which is not among the tasks.");
                findings.add(DANGLING, &place, message);
            }
            naming.entry(task).or_default().push(issue);
        }
        if !lists_at_tasks {
            return;
        }
        if naming.is_empty() {
            // There is only one thing to hold tasks against: all of them.
            for grade in GRADES {
                if let (Some(own), Some(all)) =
                    (self.count_at_tasks(grade), count(&list.issues, grade))
                    && own > all
                {
                    let (own, all) = (counted(own, grade), counted(all, grade));
                    let message =
                        format!("The tasks list {own} together, but the report has {all}.");
                    findings.add(UNTRUE, self.tasks.at, message);
                }
            }
            return;
        }
        for (at, task) in tasks.iter().enumerate() {
            let Some(id) = task.id.as_deref() else { continue };
            let own: Vec<&Listed<'_>> = task.list.iter().flat_map(|list| &list.issues).collect();
            let naming = naming.get(id).map_or(&[][..], Vec::as_slice);
            if let Some(message) = differ(id, &own, naming) {
                findings.add(UNTRUE, &format!("{}/{at}/validationErrors", self.tasks.at), message);
            }
        }
    }
}

/// How what a task lists differs from the issues that name it. Where one cannot be read, nothing is said.
fn differ(id: &str, own: &[&Listed<'_>], naming: &[&Listed<'_>]) -> Option<String> {
    let id = quoted(id);
    for grade in GRADES {
        let (own, naming) =
            (count(own.iter().copied(), grade)?, count(naming.iter().copied(), grade)?);
        if own != naming {
            let (own, naming) = (counted(own, grade), counted(naming, grade));
            return Some(format!("The task `{id}` lists {own}, but {naming} name it."));
        }
    }
    let rules = |issues: &[&Listed<'_>]| -> Option<Vec<String>> {
        let rules = issues.iter().map(|issue| issue.rule.as_deref().map(str::to_owned));
        let mut rules: Vec<String> = rules.collect::<Option<_>>()?;
        rules.sort_unstable();
        Some(rules)
    };
    (rules(own)? != rules(naming)?).then(|| {
        format!("The issues that the task `{id}` lists have other rules than those that name it.")
    })
}

/// The issues of a report or of a task.
struct List<'a> {
    at: String,
    issues: Vec<Listed<'a>>,
}

#[derive(Default)]
struct Listed<'a> {
    /// `None` where it cannot be read.
    severity: Option<Severity>,
    category: Option<Cow<'a, str>>,
    message: Cow<'a, str>,
    rule: Option<Cow<'a, str>>,
    task: Option<Cow<'a, str>>,
}

struct Task<'a> {
    id: Option<Cow<'a, str>>,
    /// Its `validationErrors`, where it has any such member.
    list: Option<List<'a>>,
}

/// How many are this bad; `None` where one cannot be read.
fn count<'m, 'a: 'm>(
    issues: impl IntoIterator<Item = &'m Listed<'a>>,
    grade: Severity,
) -> Option<u64> {
    issues.into_iter().map(|issue| Some(u64::from(issue.severity? == grade))).sum()
}

impl<'a> List<'a> {
    fn read(list: Raw<'a>, at: String, findings: &mut Findings) -> Option<Self> {
        let Some(elements) = list.elements() else {
            findings.malformed(&at, &shape(list), "an array of issues");
            return None;
        };
        let elements = elements.into_iter().enumerate();
        let issues = elements.map(|(n, it)| Listed::read(it, &format!("{at}/{n}"), findings));
        Some(Self { issues: issues.collect(), at })
    }

    /// The issues that say how bad they are. The type of one is its rule, else its category.
    fn recorded(&self) -> impl Iterator<Item = (RecordedIssue, Option<&'static Category>)> {
        self.issues.iter().enumerate().filter_map(|(at, issue)| {
            let kind = issue.rule.as_deref().or(issue.category.as_deref());
            let recorded = RecordedIssue {
                severity: issue.severity?,
                kind: kind.unwrap_or(IssueType::UnlistedIssue.name()).to_owned(),
                message: issue.message.clone().into_owned(),
                location: Some(format!("{}/{at}", self.at)),
                suggestion: None,
            };
            Some((recorded, issue.category.as_deref().and_then(Category::named)))
        })
    }
}

impl<'a> Listed<'a> {
    fn read(issue: Raw<'a>, at: &str, findings: &mut Findings) -> Self {
        let Some(members) = issue.members() else {
            findings.malformed(at, &shape(issue), "an object");
            return Self::default();
        };
        let member = |name| last(&members, name).filter(|value| value.kind() != Kind::Null);
        let place = |name| format!("{at}/{name}");
        let mut text = |name| {
            let value = member(name)?;
            if value.kind() != Kind::String {
                findings.malformed(&place(name), &shape(value), "a string");
            }
            value.as_str().map(RawStr::decode)
        };
        let severity = text("severity");
        let (category, label, rule) = (text("type"), text("typeLabel"), text("rule"));
        let message = text("message");
        let is_blank = message.as_ref().is_some_and(|it| it.trim().is_empty());
        if is_blank || member("message").is_none() {
            let wanted = "a sentence that says what is wrong";
            findings.malformed(&place("message"), "missing or blank", wanted);
        }
        let known = Severity::ALL.into_iter().find(|it| severity.as_deref() == Some(it.name()));
        let is_counted = known.is_some_and(|known| GRADES.contains(&known));
        if !is_counted && (severity.is_some() || member("severity").is_none()) {
            let found = member("severity").map_or_else(|| "missing".to_owned(), shape);
            findings.malformed(&place("severity"), &found, "error or warning");
        }
        if let (Some(of), Some(label)) = (&category, &label)
            && let Some(meant) = Category::all().iter().find(|known| known.label == **label)
            && meant.name != **of
        {
            let (of, label) = (quoted(of), quoted(label));
            let message =
                format!("An issue of type `{of}` has the label `{label}` of another type.");
            findings.add(ODD, &place("typeLabel"), message);
        }
        let task = member("taskId").and_then(id_of);
        Self { severity: known, category, message: message.unwrap_or_default(), rule, task }
    }
}

fn read_tasks<'a>(elements: Vec<Raw<'a>>, at: &str, findings: &mut Findings) -> Vec<Task<'a>> {
    let mut ids = HashSet::new();
    let tasks = elements.into_iter().enumerate().map(|(number, element)| {
        let members = element.members().unwrap_or_default();
        let id = last(&members, "id").and_then(id_of);
        if let Some(id) = &id
            && !ids.insert(id.clone())
        {
            let message = format!("The task id `{}` stands twice.", quoted(id));
            let place = format!("{at}/{number}/id");
            findings.add(DUPLICATE, &place, message);
        }
        let errors = last(&members, "validationErrors").filter(|it| it.kind() != Kind::Null);
        let place = format!("{at}/{number}/validationErrors");
        Task { id, list: errors.and_then(|errors| List::read(errors, place, findings)) }
    });
    tasks.collect()
}

/// Whether the text of the report is named.
fn names_report(recorded: &Recorded<'_>, findings: &mut Findings) -> bool {
    let filename = recorded.part("/errorReport/filename", "/validation/reportFilename");
    if filename.value.is_none() {
        let reference = recorded.part("/errorReport", "/validation/reportFilename");
        reference.read("an object with a filename", findings, Raw::members);
        return false;
    }
    let url = recorded.part("/errorReport/url", "/validation/reportUrl");
    url.read("a string", findings, Raw::as_str);
    filename.read("a name without a path", findings, |value| {
        let name = value.as_str()?.decode();
        let is_path = name.contains(['/', '\\', '\0']) || matches!(&*name, "" | "." | "..");
        (!is_path).then_some(())
    });
    true
}

/// What a value is, as messages say it.
fn shape(value: Raw<'_>) -> String {
    let name = match value.kind() {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => return format!("the number {}", quoted(value.text())),
        Kind::String => {
            let text = value.as_str().map(|text| text.decode_up_to(4 * QUOTED + 1));
            return format!("`{}`", quoted(&text.unwrap_or_default()));
        }
        Kind::Array => "an array",
        Kind::Object => "an object",
    };
    name.to_owned()
}

fn whole_number(value: Raw<'_>) -> Option<u64> {
    let number = value.text().parse::<f64>().ok().filter(|_| value.kind() == Kind::Number)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, in range")]
    (number.fract() == 0.0 && (0.0..=MAX_COUNT).contains(&number)).then_some(number as u64)
}

/// The beginning of a recorded text, as messages quote it.
fn quoted(text: &str) -> String {
    cut(text, QUOTED)
}
