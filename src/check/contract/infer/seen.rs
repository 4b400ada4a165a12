//! What was seen in one place of the arguments or responses of a tool.

use super::{LONGEST_NAME, MOST_NAMES};
use regex::{Regex, RegexBuilder};
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// How deep values are looked into.
pub(super) const DEEPEST: usize = 6;
/// How many different texts make a list of allowed values at most.
const MOST_WORDS: usize = 8;
/// How often texts must have been seen, together and each, for a list of allowed values.
const SUPPORT: u64 = 20;
const SUPPORT_EACH: u64 = 3;
/// Longest text that is a word.
const LONGEST_WORD: usize = 40;
/// How many places, in all tools together, are kept apart.
const MOST_PLACES: usize = 50_000;
/// How many patterns are compared with texts, the longest of each in bytes, and the memory of a pattern.
const MOST_PATTERNS: usize = 1_000;
const LONGEST_PATTERN: usize = 1_000;
const LONGEST_MATCHED: usize = 10_000;
const PATTERN_BYTES: usize = 16 << 10;
/// Longest list of allowed values that is carried over.
const MOST_ALLOWED: usize = 1_000;

/// What may still be kept, in all tools together.
pub(super) struct Room {
    places: usize,
    patterns: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { places: MOST_PLACES, patterns: MOST_PATTERNS }
    }
}

/// Least and most of what was seen.
#[derive(Clone, Copy)]
pub(super) struct Span<T> {
    pub(super) least: T,
    pub(super) most: T,
}

/// What was seen in one place.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) count: u64,
    pub(super) kinds: BTreeMap<&'static str, u64>,
    pub(super) numbers: Option<Span<f64>>,
    pub(super) lengths: Option<Span<u64>>,
    pub(super) elements: Option<Span<u64>>,
    /// How many values are listed by the definition, and how many texts have its pattern.
    pub(super) listed: u64,
    pub(super) matched: u64,
    pattern: OnceCell<Option<Regex>>,
    /// The different texts with how often each was seen; `None` once there are too many.
    words: Option<BTreeMap<String, u64>>,
    has_too_many_words: bool,
    pub(super) members: BTreeMap<String, Seen>,
    /// Whether it had members that are not kept.
    pub(super) is_cut: bool,
    pub(super) items: Option<Box<Seen>>,
}

impl Seen {
    pub(super) fn see(
        &mut self,
        value: &Value,
        schema: Option<&Value>,
        depth: usize,
        room: &mut Room,
    ) {
        self.count += 1;
        *self.kinds.entry(kind_of(value)).or_default() += 1;
        let is_listed = schema
            .and_then(allowed_by)
            .is_some_and(|allowed| allowed.iter().any(|known| same(known, value)));
        self.listed += u64::from(is_listed);
        match value {
            Value::Number(number) => {
                if let Some(number) = number.as_f64() {
                    widen(&mut self.numbers, number);
                }
            }
            Value::String(text) => self.see_text(text, schema, room),
            Value::Array(elements) => {
                widen(&mut self.elements, elements.len() as u64);
                if depth < DEEPEST {
                    let schema = schema.and_then(|schema| schema.get("items"));
                    let items = self.items.get_or_insert_default();
                    for element in elements {
                        items.see(element, schema, depth + 1, room);
                    }
                }
            }
            Value::Object(members) if depth < DEEPEST => {
                let properties = schema.and_then(|schema| schema.get("properties"));
                for (name, inner) in members {
                    let Some(member) = self.member(name, room) else { continue };
                    let schema = properties.and_then(|properties| properties.get(name));
                    member.see(inner, schema, depth + 1, room);
                }
            }
            Value::Null | Value::Bool(_) | Value::Object(_) => {}
        }
    }

    /// What was seen of a member, unless it is one too many.
    fn member(&mut self, name: &str, room: &mut Room) -> Option<&mut Self> {
        if !self.members.contains_key(name) {
            let is_full = room.places == 0 || self.members.len() >= MOST_NAMES;
            if is_full || name.len() > LONGEST_NAME {
                self.is_cut = true;
                return None;
            }
            room.places -= 1;
        }
        Some(self.members.entry(name.to_owned()).or_default())
    }

    fn see_text(&mut self, text: &str, schema: Option<&Value>, room: &mut Room) {
        let length = text.chars().count();
        widen(&mut self.lengths, length as u64);
        if let Some(source) = schema.and_then(pattern_of)
            && text.len() <= LONGEST_MATCHED
        {
            let pattern = self.pattern.get_or_init(|| {
                room.patterns = room.patterns.checked_sub(1)?;
                RegexBuilder::new(source).size_limit(PATTERN_BYTES).build().ok()
            });
            let is_matched = pattern.as_ref().is_some_and(|pattern| pattern.is_match(text));
            self.matched += u64::from(is_matched);
        }
        if self.has_too_many_words {
            return;
        }
        let words = self.words.get_or_insert_default();
        if length <= LONGEST_WORD {
            *words.entry(text.to_owned()).or_default() += 1;
        }
        if length > LONGEST_WORD || words.len() > MOST_WORDS {
            self.has_too_many_words = true;
            self.words = None;
        }
    }

    /// How often it was of a type.
    pub(super) fn of_kind(&self, kind: &str) -> u64 {
        self.kinds.get(kind).copied().unwrap_or(0)
    }

    /// The texts, where they look like a list of allowed values.
    pub(super) fn words(&self) -> Option<&BTreeMap<String, u64>> {
        let only_texts = self.of_kind("string") == self.count && self.count >= SUPPORT;
        self.words.as_ref().filter(|words| {
            only_texts && words.len() > 1 && words.values().all(|n| *n >= SUPPORT_EACH)
        })
    }
}

fn widen<T: PartialOrd + Copy>(span: &mut Option<Span<T>>, value: T) {
    let span = span.get_or_insert(Span { least: value, most: value });
    if value < span.least {
        span.least = value;
    }
    if value > span.most {
        span.most = value;
    }
}

/// The values that a schema lists.
pub(super) fn allowed_by(schema: &Value) -> Option<&[Value]> {
    let allowed = match (schema.get("enum"), schema.get("const")) {
        (Some(list), _) => list.as_array()?.as_slice(),
        (None, Some(value)) => std::slice::from_ref(value),
        (None, None) => return None,
    };
    (1..=MOST_ALLOWED).contains(&allowed.len()).then_some(allowed)
}

/// The pattern of a schema, unless it is one that nobody writes.
pub(super) fn pattern_of(schema: &Value) -> Option<&str> {
    let pattern = schema.get("pattern")?.as_str()?;
    (pattern.len() <= LONGEST_PATTERN).then_some(pattern)
}

fn same(known: &Value, value: &Value) -> bool {
    match (known, value) {
        (Value::Number(known), Value::Number(value)) => known.as_f64() == value.as_f64(),
        _ => known == value,
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_f64().is_none_or(|n| n.fract() == 0.0) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
