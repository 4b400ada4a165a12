//! Holds a recorded report against itself: flags, counts, issues, categories, summary, tasks.

use super::model::ValidationStatus;
use super::recorded::{Part, Recorded};
use super::summary::{Counts, read_summary};
use super::tasks::{Listed, Tasks, tally};
use super::untruth::{Findings, Tally, Untruth, quoted};
use crate::check::judge_result::RecordedIssue;
use crate::json::{Kind, Raw};
use crate::verdict::{Category, Issue, Severity};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// How much of a recorded summary is decoded.
const SUMMARY: usize = 4_000;
/// The largest count that a double holds exactly.
const MAX_COUNT: f64 = 9_007_199_254_740_991.0;

/// Holds a recorded response against what it says of itself. What it leaves out where nothing was
/// found is no fault; what it cannot be read by is one.
pub fn check(response: Raw<'_>) -> Vec<Issue> {
    read(response).0
}

/// The same, and the issues that it lists (in one place, else at its tasks), each with its category where that is known.
pub fn read(response: Raw<'_>) -> (Vec<Issue>, Vec<(RecordedIssue, Option<&'static Category>)>) {
    let recorded = Recorded::new(response);
    let mut findings = Findings::default();
    let listed = Listed::read(recorded.issues, &mut findings);
    let tasks = Tasks::read(recorded.tasks, &mut findings);
    let claims = Claims::read(&recorded, &mut findings);
    let found = Found::of(&claims, listed.as_ref(), tasks.as_ref());

    claims.check_counts(listed.as_ref(), &mut findings);
    claims.check_flags(&found, &mut findings);
    claims.check_status(&found, &mut findings);
    claims.check_categories(listed.as_ref(), &mut findings);
    claims.check_summary(&found, &mut findings);
    if let Some(tasks) = &tasks {
        tasks.check_against(listed.as_ref(), &mut findings);
    }
    if claims.say_errors(&found) {
        let is_listed = listed.is_some() || tasks.as_ref().is_some_and(Tasks::list_issues);
        if !is_listed {
            findings.add(recorded.issues.at, &Untruth::NoIssues);
        }
        if claims.filename == Reference::Absent {
            findings.add(recorded.reference.at, &Untruth::NoReport);
        }
    } else if claims.filename == Reference::Present
        && (found.errors, found.warnings) == (Some(0), Some(0))
    {
        findings.add(recorded.reference.at, &Untruth::IdleReport);
    }
    let reported = match (&listed, &tasks) {
        (Some(listed), _) => listed.issues(),
        (None, Some(tasks)) => tasks.issues(),
        (None, None) => Vec::new(),
    };
    (findings.into_issues(), reported)
}

#[derive(Clone, Debug)]
struct Claim<T> {
    at: &'static str,
    stated: Option<T>,
}

/// Whether the text of the report is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reference {
    Absent,
    Present,
}

/// What a report says of its issues without listing them.
struct Claims<'a> {
    flag: Claim<bool>,
    status: Claim<ValidationStatus>,
    has_errors: Claim<bool>,
    has_warnings: Claim<bool>,
    errors: Claim<u64>,
    warnings: Claim<u64>,
    categories: Claim<Vec<Cow<'a, str>>>,
    summary: Claim<Counts>,
    filename: Reference,
}

/// How many errors and warnings there are by the best witness: the counts, else the lists.
struct Found {
    errors: Option<u64>,
    warnings: Option<u64>,
}

impl Found {
    fn of(claims: &Claims<'_>, listed: Option<&Listed<'_>>, tasks: Option<&Tasks<'_>>) -> Self {
        let of = |grade: Severity, claim: &Claim<u64>| {
            let by_list = || listed.and_then(|listed| listed.count(grade));
            let by_tasks = || {
                let tasks = tasks.filter(|tasks| listed.is_none() && tasks.list_issues());
                tasks.and_then(|tasks| tasks.count(grade))
            };
            claim.stated.or_else(by_list).or_else(by_tasks)
        };
        Self {
            errors: of(Severity::Error, &claims.errors),
            warnings: of(Severity::Warning, &claims.warnings),
        }
    }
}

impl<'a> Claims<'a> {
    fn read(recorded: &Recorded<'a>, findings: &mut Findings) -> Self {
        let categories = match strings(recorded.categories, findings) {
            Some(found) => Claim { at: recorded.categories.at, stated: Some(found) },
            None => Claim { at: recorded.categories.at, stated: None },
        };
        let text = string(recorded.summary_text, findings);
        let stated = text.and_then(|text| read_summary(&text.decode_up_to(SUMMARY)));
        Self {
            flag: boolean(recorded.flag, findings),
            status: status(recorded.status, findings),
            has_errors: boolean(recorded.has_errors, findings),
            has_warnings: boolean(recorded.has_warnings, findings),
            errors: count(recorded.error_count, findings),
            warnings: count(recorded.warning_count, findings),
            categories,
            summary: Claim { at: recorded.summary_text.at, stated },
            filename: reference(recorded, findings),
        }
    }

    /// Whether anything in the report says that there are errors.
    fn say_errors(&self, found: &Found) -> bool {
        found.errors.is_some_and(|errors| errors > 0)
            || self.has_errors.stated == Some(true)
            || self.flag.stated == Some(true)
            || matches!(
                self.status.stated,
                Some(ValidationStatus::Errors | ValidationStatus::ErrorsAndWarnings)
            )
    }

    fn check_counts(&self, listed: Option<&Listed<'_>>, findings: &mut Findings) {
        let Some(listed) = listed else { return };
        let is_part = self.says_part_is_listed(listed);
        for (claim, grade) in [(&self.errors, Severity::Error), (&self.warnings, Severity::Warning)]
        {
            let (Some(stated), Some(counted)) = (claim.stated, listed.count(grade)) else {
                continue;
            };
            if stated != counted && !(is_part && stated > counted) {
                let name = last_of(claim.at);
                findings
                    .add(claim.at, &Untruth::Count { name, stated, found: tally(grade, counted) });
            }
        }
    }

    /// Whether the summary says itself that only these issues are listed, of more.
    fn says_part_is_listed(&self, listed: &Listed<'_>) -> bool {
        let stated = self.summary.stated.and_then(|stated| stated.listed);
        stated == Some(listed.len() as u64)
    }

    fn check_flags(&self, found: &Found, findings: &mut Findings) {
        let mut hold = |claim: &Claim<bool>, found: Option<Tally>| {
            let (Some(stated), Some(found)) = (claim.stated, found) else { return };
            let (Tally::Errors(count) | Tally::Warnings(count) | Tally::Issues(count)) = found;
            if stated != (count > 0) {
                findings.add(claim.at, &Untruth::Flag { name: last_of(claim.at), stated, found });
            }
        };
        hold(&self.has_errors, found.errors.map(Tally::Errors));
        hold(&self.has_warnings, found.warnings.map(Tally::Warnings));
        match (self.flag.stated, self.has_errors.stated) {
            (Some(stated), Some(found)) if stated != found => {
                findings.add(self.flag.at, &Untruth::FlagAgainstFlag { stated, found });
            }
            (Some(_), Some(_)) => {}
            _ => hold(&self.flag, found.errors.map(Tally::Errors)),
        }
    }

    fn check_status(&self, found: &Found, findings: &mut Findings) {
        let Some(stated) = self.status.stated else { return };
        let (says_errors, says_warnings) = match stated {
            ValidationStatus::Success => (false, false),
            ValidationStatus::Errors => (true, false),
            ValidationStatus::Warnings => (false, true),
            ValidationStatus::ErrorsAndWarnings => (true, true),
        };
        let known = |count: Option<u64>, flag: &Claim<bool>| count.map(|it| it > 0).or(flag.stated);
        let errors = known(found.errors, &self.has_errors).or(self.flag.stated);
        let warnings = known(found.warnings, &self.has_warnings);
        // What nobody else says of is believed.
        let errors = errors.unwrap_or(says_errors);
        let warnings = warnings.unwrap_or(says_warnings);
        if (errors, warnings) != (says_errors, says_warnings) {
            let found = ValidationStatus::of(u64::from(errors), u64::from(warnings)).name();
            findings.add(self.status.at, &Untruth::Status { stated: stated.name(), found });
        }
    }

    fn check_categories(&self, listed: Option<&Listed<'_>>, findings: &mut Findings) {
        let Some(stated) = &self.categories.stated else { return };
        let mut seen = BTreeSet::new();
        for (at, name) in stated.iter().enumerate() {
            if !seen.insert(&**name) {
                let place = format!("{}/{at}", self.categories.at);
                findings.add(place, &Untruth::RepeatedCategory(quoted(name)));
            }
        }
        let Some(listed) = listed else { return };
        let types = listed.categories();
        if !self.says_part_is_listed(listed) {
            for (at, name) in stated.iter().enumerate() {
                if seen.remove(&**name) && !types.contains_key(&**name) {
                    let place = format!("{}/{at}", self.categories.at);
                    findings.add(place, &Untruth::IdleCategory(quoted(name)));
                }
            }
        }
        let stated: BTreeSet<&str> = stated.iter().map(|name| &**name).collect();
        for (name, at) in types.iter().filter(|(name, _)| !stated.contains(*name)) {
            findings.add(listed.place(*at, "type"), &Untruth::UnlistedType(quoted(name)));
        }
    }

    fn check_summary(&self, found: &Found, findings: &mut Findings) {
        let (Some(stated), Some(errors)) = (self.summary.stated, found.errors) else { return };
        // Without any other word on warnings, the summary's own is believed.
        let warnings = found.warnings.unwrap_or(stated.warnings);
        for (stated, found) in [
            (Tally::Errors(stated.errors), Tally::Errors(errors)),
            (Tally::Warnings(stated.warnings), Tally::Warnings(warnings)),
        ] {
            if stated != found {
                findings.add(self.summary.at, &Untruth::Summary { stated, found });
            }
        }
    }
}

/// The last part of a pointer.
fn last_of(pointer: &'static str) -> &'static str {
    pointer.rsplit_once('/').map_or(pointer, |(_, last)| last)
}

/// What kind of value something is, as messages say it.
pub(super) fn shape(value: Raw<'_>) -> String {
    let name = match value.kind() {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => return format!("the number {}", quoted(value.text())),
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    };
    name.to_owned()
}

fn misshapen(part: Part<'_>, wanted: &'static str, findings: &mut Findings) {
    if let Some(value) = part.value {
        let name = last_of(part.at);
        findings.add(part.at, &Untruth::Shape { name, found: shape(value), wanted });
    }
}

fn boolean(part: Part<'_>, findings: &mut Findings) -> Claim<bool> {
    let stated = part.value.filter(|value| value.kind() == Kind::Bool);
    if stated.is_none() {
        misshapen(part, "true or false", findings);
    }
    Claim { at: part.at, stated: stated.map(|value| value.text() == "true") }
}

fn count(part: Part<'_>, findings: &mut Findings) -> Claim<u64> {
    let number = part.value.filter(|value| value.kind() == Kind::Number);
    let number = number.and_then(|value| value.text().parse::<f64>().ok());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number in range"
    )]
    let stated = number
        .filter(|number| number.fract() == 0.0 && (0.0..=MAX_COUNT).contains(number))
        .map(|number| number as u64);
    if stated.is_none() {
        misshapen(part, "a whole number from 0", findings);
    }
    Claim { at: part.at, stated }
}

fn string<'a>(part: Part<'a>, findings: &mut Findings) -> Option<crate::json::RawStr<'a>> {
    let text = part.value.and_then(Raw::as_str);
    if text.is_none() {
        misshapen(part, "a string", findings);
    }
    text
}

fn strings<'a>(part: Part<'a>, findings: &mut Findings) -> Option<Vec<Cow<'a, str>>> {
    let elements = part.value.and_then(Raw::elements);
    let texts = elements.and_then(|elements| {
        elements.into_iter().map(|it| it.as_str().map(crate::json::RawStr::decode)).collect()
    });
    if texts.is_none() {
        misshapen(part, "an array of strings", findings);
    }
    texts
}

fn status(part: Part<'_>, findings: &mut Findings) -> Claim<ValidationStatus> {
    let text = string(part, findings).map(crate::json::RawStr::decode);
    let stated = text.as_deref().and_then(|text| {
        let known = ValidationStatus::ALL.into_iter().find(|status| status.name() == text);
        if known.is_none() {
            findings.add(part.at, &Untruth::UnknownStatus(quoted(text)));
        }
        known
    });
    Claim { at: part.at, stated }
}

fn reference(recorded: &Recorded<'_>, findings: &mut Findings) -> Reference {
    let Some(reference) = recorded.reference.value else { return Reference::Absent };
    if recorded.filename.value.is_none() {
        if reference.kind() != Kind::Object {
            misshapen(recorded.reference, "an object with a filename", findings);
        }
        return Reference::Absent;
    }
    if recorded.url.value.is_some() {
        string(recorded.url, findings);
    }
    if let Some(name) = string(recorded.filename, findings) {
        let name = name.decode();
        if name.contains(['/', '\\', '\0']) || matches!(&*name, "" | "." | "..") {
            findings.add(recorded.filename.at, &Untruth::NameIsPath(quoted(&name)));
        }
    }
    Reference::Present
}
