//! What a value must be, in the words of JSON Schema.

use super::super::model::{
    Bounds, Format, Internals, JsonType, Kind, Others, Presence, Property, Spec,
};
use super::super::wording::check_places;
use super::read_text;
use crate::rulebook::problem::{Mark, Problems, did_you_mean};
use crate::rulebook::source::{Entry, Node, Reach, Section, Value, texts_of, word_among};
use regex::{Regex, RegexBuilder};
use std::cell::Cell;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_128;

/// Longest schema file, in bytes.
const LONGEST_SCHEMA: u64 = 1 << 20;
/// How much memory a compiled pattern may take, in bytes.
const PATTERN_BYTES: usize = 1 << 20;
/// How deep types may refer to types, and values may be nested.
const DEEPEST: usize = 32;

/// What JSON Schema writes for people only.
const ANNOTATIONS: [&str; 9] = [
    "$schema",
    "$id",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
];

/// The places that messages of a field may fill in.
const PLACES: [&str; 6] = ["parameter", "field", "expected_type", "expected", "min", "max"];

/// Reads values' descriptions, which may refer to shared types and to schema files.
pub(super) struct Specs<'a> {
    types: &'a [Entry],
    /// Where the schema files are that it may name.
    folder: Option<(&'a Path, Reach<'a>)>,
    /// Sum of the hashes of schema files.
    hash: Cell<u128>,
}

/// What a place of the contract describes.
struct Described {
    spec: Spec,
    presence: Presence,
}

impl<'a> Specs<'a> {
    pub(super) fn new(types: &'a [Entry], folder: Option<(&'a Path, Reach<'a>)>) -> Self {
        Self { types, folder, hash: Cell::new(0) }
    }

    /// A hash of the schema files that were read; empty where there was none.
    pub(super) fn digest(&self) -> String {
        match self.hash.get() {
            0 => String::new(),
            hash => format!("{hash:032x}"),
        }
    }

    /// A description of an object: its type need not be said.
    pub(super) fn object(&self, entry: &Entry, problems: &mut Problems) -> Option<Spec> {
        let described = self.describe(&entry.node, &mut Vec::new(), problems)?;
        let mut spec = described.spec;
        if spec.types.is_empty() {
            spec.types.push(JsonType::Object);
        }
        Some(spec)
    }

    /// Reads one description; `above` are the types and levels that led here.
    fn describe(
        &self,
        node: &Node,
        above: &mut Vec<String>,
        problems: &mut Problems,
    ) -> Option<Described> {
        if above.len() > DEEPEST {
            problems.error(node.mark, format!("this is nested deeper than {DEEPEST} levels"));
            return None;
        }
        let mut section = Section::open(node, problems)?;
        let mut spec = self.shared(&mut section, above, problems).unwrap_or_default();
        if let Some(schema) = self.schema_file(&mut section, problems) {
            spec = self.describe(&schema, above, problems).map(|read| read.spec)?;
        }
        above.push(String::new());
        self.own(&mut section, &mut spec, above, problems);
        above.pop();
        let presence = presence(&mut section, &mut spec, problems);
        for annotation in ANNOTATIONS.into_iter().chain(["about"]) {
            section.take(annotation);
        }
        section.finish(problems);
        Some(Described { spec, presence })
    }

    /// The shared type that `use` names.
    fn shared(
        &self,
        section: &mut Section<'_>,
        above: &mut Vec<String>,
        problems: &mut Problems,
    ) -> Option<Spec> {
        let name = section.text("use", problems)?;
        let mark = section.mark_of("use");
        let Some(shared) = self.types.iter().find(|entry| entry.key == name) else {
            let known = self.types.iter().map(|entry| entry.key.as_str());
            let help = did_you_mean(name, known);
            problems.error_with_help(mark, format!("there is no type `{name}`"), help);
            return None;
        };
        if above.iter().any(|seen| seen == name) {
            problems.error(mark, format!("the type `{name}` contains itself"));
            return None;
        }
        above.push(name.to_owned());
        let described = self.describe(&shared.node, above, problems);
        above.pop();
        described.map(|described| described.spec)
    }

    /// The schema that `schema` holds or names.
    fn schema_file(&self, section: &mut Section<'_>, problems: &mut Problems) -> Option<Node> {
        let node = section.take("schema")?;
        let Some(name) = node.text() else {
            if node.entries().is_some() {
                return Some(node.clone());
            }
            problems.error(
                node.mark,
                format!("a schema or its file must stand here, not {}", node.kind()),
            );
            return None;
        };
        let Some((folder, reach)) = self.folder else {
            problems.error(node.mark, "schema files can only be named by contracts that are files");
            return None;
        };
        let read = reach
            .resolve(folder, name)
            .and_then(|path| read_text(&path, LONGEST_SCHEMA).map_err(|error| error.to_string()));
        let parsed = read.and_then(|text| {
            self.hash.set(self.hash.get().wrapping_add(xxh3_128(text.as_bytes())));
            serde_json::from_str(&text).map_err(|error| format!("it is not JSON: {error}"))
        });
        match parsed {
            Ok(value) => Some(json_node(&value, node.mark)),
            Err(reason) => {
                problems.error(node.mark, format!("cannot use the schema file {name}: {reason}"));
                None
            }
        }
    }

    /// Lays what a description says itself over what it refers to.
    fn own(
        &self,
        section: &mut Section<'_>,
        spec: &mut Spec,
        above: &mut Vec<String>,
        problems: &mut Problems,
    ) {
        if let Some(node) = section.take("type") {
            spec.types = texts_of(node, problems)
                .into_iter()
                .filter_map(|(word, mark)| word_among(word, mark, &JsonType::WORDS, problems))
                .collect();
        }
        if let Some(text) = section.text("expected", problems) {
            spec.expected = Some(text.to_owned());
        }
        lay(&mut spec.range.least, section.number("minimum", problems));
        lay(&mut spec.range.most, section.number("maximum", problems));
        lay(&mut spec.length.least, whole(section, "minLength", problems));
        lay(&mut spec.length.most, whole(section, "maxLength", problems));
        lay(&mut spec.elements.least, whole(section, "minItems", problems));
        lay(&mut spec.elements.most, whole(section, "maxItems", problems));
        in_order(&spec.range, section, ("minimum", "maximum"), problems);
        in_order(&spec.length, section, ("minLength", "maxLength"), problems);
        in_order(&spec.elements, section, ("minItems", "maxItems"), problems);
        if let Some(value) = section.take("const") {
            spec.allowed = Some(vec![value.to_json()]);
        }
        if section.take("enum").is_some() {
            let values = section.list("enum", problems);
            if values.is_empty() {
                problems.error(section.mark_of("enum"), "`enum` needs at least one value");
            }
            spec.allowed = Some(values.iter().map(Node::to_json).collect());
        }
        if let Some(source) = section.text("pattern", problems) {
            spec.pattern = pattern(source, section.mark_of("pattern"), problems);
        }
        lay(&mut spec.format, section.word("format", &Format::WORDS, problems));
        if let Some(word) = section.word("internals", &Internals::WORDS, problems) {
            spec.internals = word;
        }
        match section.take("additionalProperties").map(|node| (&node.value, node.mark)) {
            Some((Value::Flag(false), _)) => spec.others = Others::Refuse,
            Some((Value::Flag(true), _)) => spec.others = Others::Keep,
            Some((_, mark)) => problems.error(mark, "true or false must stand here"),
            None => {}
        }
        if let Some(word) = section.word("others", &Others::WORDS, problems) {
            spec.others = word;
        }
        if let Some(items) = section.take("items") {
            spec.items = self.describe(items, above, problems).map(|read| Box::new(read.spec));
        }
        for entry in section.named("properties", problems) {
            let Some(read) = self.describe(&entry.node, above, problems) else { continue };
            let property =
                Property { name: entry.key.clone(), presence: read.presence, spec: read.spec };
            match spec.properties.iter_mut().find(|old| old.name == property.name) {
                Some(old) => *old = property,
                None => spec.properties.push(property),
            }
        }
        for entry in section.named("messages", problems) {
            message(entry, spec, problems);
        }
    }
}

fn lay<T>(old: &mut Option<T>, new: Option<T>) {
    if new.is_some() {
        *old = new;
    }
}

/// `required`: true or false of the value itself, or a list of its members, as JSON Schema has it.
fn presence(section: &mut Section<'_>, spec: &mut Spec, problems: &mut Problems) -> Presence {
    let Some(node) = section.take("required") else { return Presence::Optional };
    match &node.value {
        Value::Flag(true) => Presence::Required,
        Value::Flag(false) => Presence::Optional,
        _ => {
            for (name, mark) in texts_of(node, problems) {
                let named = spec.properties.iter_mut().find(|property| property.name == name);
                if let Some(property) = named {
                    property.presence = Presence::Required;
                    continue;
                }
                let known = spec.properties.iter().map(|property| property.name.as_str());
                let help = did_you_mean(name, known);
                let message = format!("there is no property `{name}` to require");
                problems.error_with_help(mark, message, help);
            }
            Presence::Optional
        }
    }
}

fn message(entry: &Entry, spec: &mut Spec, problems: &mut Problems) {
    let words = Kind::TABLE.map(|(kind, word, _)| (kind, word));
    let Some(kind) = word_among(&entry.key, entry.key_mark, &words, problems) else { return };
    let Some(text) = entry.node.text() else {
        let message = format!("a text must stand here, not {}", entry.node.kind());
        problems.error(entry.node.mark, message);
        return;
    };
    check_places(text, &PLACES, entry.node.mark, problems);
    match spec.messages.iter_mut().find(|(known, _)| *known == kind) {
        Some(old) => text.clone_into(&mut old.1),
        None => spec.messages.push((kind, text.to_owned())),
    }
}

fn in_order<T: PartialOrd>(
    bounds: &Bounds<T>,
    section: &Section<'_>,
    keys: (&str, &str),
    problems: &mut Problems,
) {
    if let (Some(least), Some(most)) = (&bounds.least, &bounds.most)
        && least > most
    {
        let message = format!("`{}` is above `{}`, so nothing fits", keys.0, keys.1);
        problems.error(section.mark_of(keys.0), message);
    }
}

/// A whole number from 0.
pub(super) fn whole(
    section: &mut Section<'_>,
    key: &'static str,
    problems: &mut Problems,
) -> Option<u64> {
    let number = section.number_within(key, 0.0..=9e15, problems)?;
    if number.fract() != 0.0 {
        problems.error(section.mark_of(key), format!("`{key}` must be a whole number"));
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, and within the bounds above"
    )]
    Some(number as u64)
}

fn pattern(source: &str, mark: Mark, problems: &mut Problems) -> Option<Regex> {
    match RegexBuilder::new(source).size_limit(PATTERN_BYTES).build() {
        Ok(regex) => Some(regex),
        Err(error) => {
            let error = error.to_string();
            let reason = error.lines().last().unwrap_or_default();
            problems.error(mark, format!("this pattern cannot be used: {reason}"));
            None
        }
    }
}

/// JSON as a contract's value; all of it stands where its file is named.
fn json_node(value: &serde_json::Value, mark: Mark) -> Node {
    let value = match value {
        serde_json::Value::Null => Value::Text("null".to_owned()),
        serde_json::Value::Bool(flag) => Value::Flag(*flag),
        serde_json::Value::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
        serde_json::Value::String(text) => Value::Text(text.clone()),
        serde_json::Value::Array(elements) => {
            Value::List(elements.iter().map(|element| json_node(element, mark)).collect())
        }
        serde_json::Value::Object(members) => Value::Table(
            members
                .iter()
                .map(|(key, inner)| Entry {
                    key: key.clone(),
                    key_mark: mark,
                    node: json_node(inner, mark),
                })
                .collect(),
        ),
    };
    Node { mark, value }
}
