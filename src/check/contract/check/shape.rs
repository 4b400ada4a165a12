//! Types, ranges and lengths: where a value is not what its description says, and how that is worded.

use super::super::model::{Contract, Format, JsonType, Kind, Others, Spec};
use super::super::wording::fill;
use super::MOST_ISSUES;
use crate::check::schema::with_article;
use crate::expression::{Pattern, is_iso8601};
use crate::json::{escaped_step, unescaped_step};
use crate::verdict::{Issue, IssueType};
use serde_json::{Map, Value};
use std::cmp::Ordering;
use std::fmt::Write as _;

/// How many steps all patterns together may take in one value: some tenths of a second at worst.
const PATTERN_STEPS: u64 = 1 << 25;
/// How many texts are told that show how a server works inside: the rest are more of the same.
const MOST_EXPOSED: usize = 50;

/// Holds a value against its description, which is only as deep as the contract's file; `sent` are the texts that a
/// response may show.
pub(super) fn check(
    contract: &Contract,
    is_response: bool,
    spec: &Spec,
    value: &Value,
    sent: &[&str],
) -> Vec<Issue> {
    let (pointer, issues) = (String::new(), Vec::new());
    let mut walk =
        Walk { contract, is_response, root: value, pointer, issues, steps_left: PATTERN_STEPS };
    walk.value(spec, value);
    let mut issues = walk.issues;
    let mut room = MOST_EXPOSED;
    texts(spec, value, &mut String::new(), &mut |pointer, text| {
        if let Some(what) = contract.security.exposed(text, sent) {
            let location = Some(pointer.to_owned());
            issues.push(Issue { location, ..contract.exposes(&what) });
            room -= 1;
        }
        room > 0
    });
    issues
}

struct Walk<'w> {
    contract: &'w Contract,
    is_response: bool,
    root: &'w Value,
    pointer: String,
    issues: Vec<Issue>,
    /// How many steps patterns may still take.
    steps_left: u64,
}

impl Walk<'_> {
    fn is_full(&self) -> bool {
        self.issues.len() >= MOST_ISSUES
    }

    fn tell(&mut self, kind: Kind, spec: &Spec) {
        if !self.is_full() {
            let path = path_of(&self.pointer, self.root);
            let issue = worded(self.contract, self.is_response, kind, spec, &path);
            self.issues.push(Issue { location: Some(self.pointer.clone()), ..issue });
        }
    }

    /// Goes a step down, and back up after it.
    fn within(&mut self, step: &str, inner: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        push(&mut self.pointer, step);
        inner(self);
        self.pointer.truncate(length);
    }

    fn value(&mut self, spec: &Spec, value: &Value) {
        if !spec.types.is_empty() && !spec.types.iter().any(|kind| kind.fits(value)) {
            return self.tell(Kind::InvalidType, spec);
        }
        if let Some(allowed) = &spec.allowed
            && !allowed.iter().any(|known| same(known, value))
        {
            return self.tell(Kind::NotListed, spec);
        }
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => {
                if number.as_f64().is_some_and(|number| spec.range.side(number).is_ne()) {
                    self.tell(Kind::OutOfRange, spec);
                }
            }
            Value::String(text) => self.text(spec, text),
            Value::Array(elements) => self.list(spec, elements),
            Value::Object(members) => self.object(spec, members),
        }
    }

    fn text(&mut self, spec: &Spec, text: &str) {
        match spec.length.side(text.chars().count() as f64) {
            Ordering::Less => return self.tell(Kind::TooShort, spec),
            Ordering::Greater => return self.tell(Kind::TooLong, spec),
            Ordering::Equal => {}
        }
        if spec.pattern.as_ref().is_some_and(|pattern| !self.matches(pattern, text)) {
            self.tell(Kind::WrongPattern, spec);
        }
        if spec.format == Some(Format::DateTime) && !is_iso8601(text) {
            self.tell(Kind::WrongFormat, spec);
        }
    }

    /// A text that would take too long does not match: sending more must not get around a pattern.
    fn matches(&mut self, pattern: &Pattern, text: &str) -> bool {
        let left = self.steps_left.checked_sub(pattern.steps(text));
        self.steps_left = left.unwrap_or(self.steps_left);
        left.is_some() && pattern.is_match(text)
    }

    fn list(&mut self, spec: &Spec, elements: &[Value]) {
        match spec.elements.side(elements.len() as f64) {
            Ordering::Less => self.tell(Kind::TooFew, spec),
            Ordering::Greater => self.tell(Kind::TooMany, spec),
            Ordering::Equal => {}
        }
        let Some(items) = &spec.items else { return };
        for (at, element) in elements.iter().enumerate() {
            if self.is_full() {
                return;
            }
            self.within(&at.to_string(), |walk| walk.value(items, element));
        }
    }

    fn object(&mut self, spec: &Spec, members: &Map<String, Value>) {
        for property in &spec.properties {
            if self.is_full() {
                return;
            }
            let (name, inner) = (&property.name, &property.spec);
            let counts_as_absent = property.is_required
                && !inner.types.is_empty()
                && !inner.types.contains(&JsonType::Null);
            match members.get(name) {
                Some(value) if !(value.is_null() && counts_as_absent) => {
                    self.within(name, |walk| walk.value(inner, value));
                }
                None if !property.is_required => {}
                _ => self.within(name, |walk| walk.tell(Kind::Missing, inner)),
            }
        }
        if spec.others == Others::Refuse {
            for name in members.keys().filter(|name| spec.property(name).is_none()) {
                self.within(name, |walk| walk.tell(Kind::Unexpected, spec));
            }
        }
    }
}

/// Adds a step to a JSON pointer. Names in recordings may be of any length.
pub(super) fn push(pointer: &mut String, step: &str) {
    let step = &step[..step.floor_char_boundary(100)];
    pointer.push('/');
    pointer.push_str(&escaped_step(step));
}

/// A pointer into a value as people write it: `tasks[3].id`.
pub(super) fn path_of(pointer: &str, root: &Value) -> String {
    let mut path = String::new();
    let mut around = Some(root);
    for step in pointer.split('/').skip(1) {
        // Below a name that was cut nothing is found.
        let is_place = || !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
        if around.map_or_else(is_place, Value::is_array) {
            let _ = write!(path, "[{step}]");
        } else {
            path += if path.is_empty() { "" } else { "." };
            path += &unescaped_step(step);
        }
        around = around.and_then(|value| value.pointer(&format!("/{step}")));
    }
    path
}

/// Shows the texts that must not show how the server works inside, with their JSON pointers, until `look` says that it
/// has seen enough.
fn texts(
    spec: &Spec,
    value: &Value,
    pointer: &mut String,
    look: &mut dyn FnMut(&str, &str) -> bool,
) -> bool {
    if let Value::String(text) = value {
        return !spec.hides_internals || look(pointer, text);
    }
    let mut inner = |step: &str, spec: &Spec, value: &Value| {
        let length = pointer.len();
        push(pointer, step);
        let goes_on = texts(spec, value, pointer, look);
        pointer.truncate(length);
        goes_on
    };
    match (value, &spec.items) {
        (Value::Array(elements), Some(items)) => {
            let mut elements = elements.iter().enumerate();
            elements.all(|(at, element)| inner(&at.to_string(), items, element))
        }
        (Value::Object(members), _) => spec.properties.iter().all(|property| {
            let value = members.get(&property.name);
            value.is_none_or(|value| inner(&property.name, &property.spec, value))
        }),
        _ => true,
    }
}

/// Equal as JSON Schema has it: `1` and `1.0` are one number.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        _ => one == other,
    }
}

/// Words a mistake: as its field is worded in the contract, else as its code is.
fn worded(contract: &Contract, is_response: bool, mistake: Kind, spec: &Spec, path: &str) -> Issue {
    let kind = if is_response { mistake.in_response() } else { mistake.in_parameter() };
    let (least, most) = limits(mistake, spec);
    let name = match (is_response, path) {
        (false, "") => "The set of arguments",
        (true, "") => "response",
        (_, path) => path,
    };
    let places = [
        ("parameter", name),
        ("field", name),
        ("expected", &*expected(spec)),
        ("expected_type", &*expected_type(mistake, spec)),
        ("min", least.as_deref().unwrap_or_default()),
        ("max", most.as_deref().unwrap_or_default()),
    ];
    let is_list = matches!(mistake, Kind::TooFew | Kind::TooMany);
    let variant =
        match (kind, &least, &most) {
            (IssueType::ResponseType, ..) if path.is_empty() => "whole",
            _ if mistake == Kind::Unexpected => "unexpected",
            (IssueType::RangeConstraint | IssueType::LengthConstraint, Some(_), None) => {
                if is_list { "elements_at_least" } else { "at_least" }
            }
            (IssueType::RangeConstraint, None, Some(_)) => "at_most",
            (IssueType::LengthConstraint, ..) if is_list => "elements",
            _ => "message",
        };
    let own = spec.messages.iter().find(|(known, _)| *known == mistake);
    match own {
        Some((_, message)) => contract.wordings.worded(kind, &fill(message, &places)),
        None => contract.wordings.issue(kind, variant, &places),
    }
}

/// The bounds that a value does not keep, in words.
fn limits(mistake: Kind, spec: &Spec) -> (Option<String>, Option<String>) {
    let (bounds, least) = match mistake {
        Kind::OutOfRange => (spec.range, None),
        // A length has a least value even where nobody wrote it.
        Kind::TooShort | Kind::TooLong => (spec.length, Some(0.0)),
        Kind::TooFew | Kind::TooMany => (spec.elements, Some(0.0)),
        _ => return (None, None),
    };
    let text = |bound: Option<f64>| bound.map(|bound| bound.to_string());
    (text(bounds.least.or(least)), text(bounds.most))
}

/// What should stand there, without an article.
fn expected(spec: &Spec) -> String {
    let names: Vec<&str> = spec.types.iter().map(|kind| kind.name()).collect();
    match (&spec.expected, &spec.allowed, spec.format) {
        (Some(expected), ..) => expected.clone(),
        (_, Some(allowed), _) => listed(allowed),
        (.., Some(Format::DateTime)) => "ISO 8601 timestamp".to_owned(),
        _ if names.is_empty() => "any value".to_owned(),
        _ => names.join(" or "),
    }
}

/// What should stand there, with an article.
fn expected_type(mistake: Kind, spec: &Spec) -> String {
    match mistake {
        Kind::NotListed => spec.allowed.as_deref().map_or_else(String::new, listed),
        Kind::WrongPattern => {
            let pattern = spec.pattern.as_ref().map_or("", |pattern| pattern.as_str());
            format!("a string that matches {pattern}")
        }
        Kind::WrongFormat => format!("an {}", expected(spec)),
        _ => {
            let names = spec.types.iter().map(|kind| with_article(kind.name()));
            let names: Vec<String> = names.collect();
            names.join(" or ")
        }
    }
}

fn listed(allowed: &[serde_json::Value]) -> String {
    let shown: Vec<String> = allowed.iter().take(20).map(ToString::to_string).collect();
    match shown.as_slice() {
        [only] => only.clone(),
        shown => format!("one of {}", shown.join(", ")),
    }
}
