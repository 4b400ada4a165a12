//! Types, ranges and lengths: where a value is not what its description says.

use super::super::model::{Beyond, Format, Internals, JsonType, Kind, Others, Presence, Spec};
use crate::expression::{Pattern, is_iso8601};
use serde_json::{Map, Value};

/// How many steps all patterns together may take in one value: some tenths of a second at worst.
const PATTERN_STEPS: u64 = 1 << 25;
/// How many texts are told that show how a server works inside: the rest are more of the same.
const MOST_EXPOSED: usize = 50;

/// A place where a value is not what its description says.
pub(super) struct Finding<'a> {
    pub(super) kind: Kind,
    pub(super) spec: &'a Spec,
    /// JSON pointer.
    pub(super) pointer: &'a str,
    /// The same as people write it: `tasks[3].id`.
    pub(super) path: &'a str,
}

/// Takes a finding; false ends the walk.
type Found<'f> = dyn FnMut(Finding<'_>) -> bool + 'f;

/// Walks a value along its description, which is only as deep as the contract's file.
pub(super) fn walk(spec: &Spec, value: &Value, found: &mut Found<'_>) {
    let (pointer, path) = (String::new(), String::new());
    Walk { pointer, path, found, goes_on: true, steps_left: PATTERN_STEPS }.value(spec, value);
}

struct Walk<'f, 'w> {
    pointer: String,
    path: String,
    found: &'w mut Found<'f>,
    goes_on: bool,
    /// How many steps patterns may still take.
    steps_left: u64,
}

impl Walk<'_, '_> {
    fn tell(&mut self, kind: Kind, spec: &Spec) {
        let finding = Finding { kind, spec, pointer: &self.pointer, path: &self.path };
        self.goes_on = self.goes_on && (self.found)(finding);
    }

    /// Goes a step down, and back up after it.
    fn within(&mut self, step: &Step<'_>, inner: impl FnOnce(&mut Self)) {
        let lengths = (self.pointer.len(), self.path.len());
        step.push(&mut self.pointer, &mut self.path);
        inner(self);
        self.pointer.truncate(lengths.0);
        self.path.truncate(lengths.1);
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
                if number.as_f64().is_some_and(|number| spec.range.beyond(&number).is_some()) {
                    self.tell(Kind::OutOfRange, spec);
                }
            }
            Value::String(text) => self.text(spec, text),
            Value::Array(elements) => self.list(spec, elements),
            Value::Object(members) => self.object(spec, members),
        }
    }

    fn text(&mut self, spec: &Spec, text: &str) {
        let length = text.chars().count() as u64;
        match spec.length.beyond(&length) {
            Some(Beyond::Below) => return self.tell(Kind::TooShort, spec),
            Some(Beyond::Above) => return self.tell(Kind::TooLong, spec),
            None => {}
        }
        if spec.pattern.as_ref().is_some_and(|pattern| !self.matches(pattern, text)) {
            self.tell(Kind::WrongPattern, spec);
        }
        match spec.format {
            Some(Format::DateTime) if !is_iso8601(text) => self.tell(Kind::WrongFormat, spec),
            Some(Format::DateTime) | None => {}
        }
    }

    /// A text that would take too long does not match: sending more must not get around a pattern.
    fn matches(&mut self, pattern: &Pattern, text: &str) -> bool {
        let left = self.steps_left.checked_sub(pattern.steps(text));
        self.steps_left = left.unwrap_or(self.steps_left);
        left.is_some() && pattern.is_match(text)
    }

    fn list(&mut self, spec: &Spec, elements: &[Value]) {
        match spec.elements.beyond(&(elements.len() as u64)) {
            Some(Beyond::Below) => self.tell(Kind::TooFew, spec),
            Some(Beyond::Above) => self.tell(Kind::TooMany, spec),
            None => {}
        }
        let Some(items) = &spec.items else { return };
        for (at, element) in elements.iter().enumerate() {
            if !self.goes_on {
                return;
            }
            self.within(&Step::Element(at), |walk| walk.value(items, element));
        }
    }

    fn object(&mut self, spec: &Spec, members: &Map<String, Value>) {
        for property in &spec.properties {
            if !self.goes_on {
                return;
            }
            self.within(&Step::Member(&property.name), |walk| match members.get(&property.name) {
                Some(Value::Null)
                    if property.presence == Presence::Required
                        && !property.spec.types.is_empty()
                        && !property.spec.types.contains(&JsonType::Null) =>
                {
                    walk.tell(Kind::Missing, &property.spec);
                }
                Some(value) => walk.value(&property.spec, value),
                None if property.presence == Presence::Required => {
                    walk.tell(Kind::Missing, &property.spec);
                }
                None => {}
            });
        }
        if spec.others == Others::Refuse {
            for name in members.keys() {
                if self.goes_on && !spec.properties.iter().any(|known| known.name == *name) {
                    self.within(&Step::Member(name), |walk| walk.tell(Kind::Unexpected, spec));
                }
            }
        }
    }
}

pub(super) enum Step<'a> {
    Member(&'a str),
    Element(usize),
}

impl Step<'_> {
    pub(super) fn push(&self, pointer: &mut String, path: &mut String) {
        pointer.push('/');
        match self {
            Self::Member(name) => {
                let name = shortened(name);
                pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
            }
            Self::Element(at) => {
                let at = at.to_string();
                pointer.push_str(&at);
                path.push('[');
                path.push_str(&at);
                path.push(']');
            }
        }
    }
}

/// Names in recordings may be of any length.
fn shortened(name: &str) -> &str {
    &name[..name.floor_char_boundary(100)]
}

/// The texts of a value that show how the server works inside and must not, with their JSON pointers
/// and what they show.
pub(super) fn texts(
    shown: &dyn Fn(&str) -> Option<String>,
    spec: &Spec,
    value: &Value,
    seen: &mut dyn FnMut(&str, &str),
) {
    let (pointer, path) = (String::new(), String::new());
    Exposed { shown, pointer, path, seen, room: MOST_EXPOSED }.value(spec, value);
}

struct Exposed<'s> {
    shown: &'s dyn Fn(&str) -> Option<String>,
    pointer: String,
    path: String,
    seen: &'s mut dyn FnMut(&str, &str),
    /// How many may still be told.
    room: usize,
}

impl Exposed<'_> {
    fn value(&mut self, spec: &Spec, value: &Value) {
        match value {
            Value::String(text) if spec.internals == Internals::Forbidden => {
                if self.room > 0
                    && let Some(what) = (self.shown)(text)
                {
                    self.room -= 1;
                    (self.seen)(&self.pointer, &what);
                }
            }
            Value::Array(elements) => {
                for (at, element) in elements.iter().enumerate() {
                    let Some(items) = spec.items.as_deref().filter(|_| self.room > 0) else {
                        return;
                    };
                    self.within(&Step::Element(at), (items, element));
                }
            }
            Value::Object(members) => {
                for property in &spec.properties {
                    if let Some(inner) = members.get(&property.name) {
                        self.within(&Step::Member(&property.name), (&property.spec, inner));
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn within(&mut self, step: &Step<'_>, (spec, value): (&Spec, &Value)) {
        let lengths = (self.pointer.len(), self.path.len());
        step.push(&mut self.pointer, &mut self.path);
        self.value(spec, value);
        self.pointer.truncate(lengths.0);
        self.path.truncate(lengths.1);
    }
}

/// Equal as JSON Schema has it: `1` and `1.0` are one number.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        _ => one == other,
    }
}
