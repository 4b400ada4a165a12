//! What a value must be, in the words of JSON Schema.
//!
//! Types and schema files are described once and used often. Each is read once, so its mistakes are told once; and what
//! they describe together, once they stand where they are used, is bounded.

use super::super::model::{Internals, JsonType, Others, Property, Spec};
use super::super::wording::check_places;
use crate::expression::Pattern;
use crate::rulebook::problem::{Mark, Problems, did_you_mean};
use crate::rulebook::source::{Entry, Node, Section, Value, read_within, texts_of, word};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use xxhash_rust::xxh3::xxh3_128;

const LONGEST_SCHEMA: u64 = 1 << 20;
/// How many names a misspelt one is compared with.
const SUGGESTED_FROM: usize = 200;
/// How deep types may refer to types, and values may be nested.
const DEEPEST: usize = 32;
/// The largest length or number of elements: what a double still holds exactly.
pub(super) const MOST: f64 = 9e15;

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

/// How many values a contract may describe.
const MOST_VALUES: usize = 20_000;
/// So many bytes of texts count as a value.
const TEXT: usize = 256;
/// A pattern counts as so many values: it takes time to compile.
const PATTERN: usize = 40;

/// The places that messages of a field may fill in.
const PLACES: [&str; 6] = ["parameter", "field", "expected_type", "expected", "min", "max"];

#[derive(Clone, Default)]
struct Described {
    spec: Spec,
    is_required: bool,
    /// How many levels lie below it, those of the types that it uses included.
    height: usize,
}

/// What is known of a description that may be used in many places.
#[derive(Clone)]
enum State {
    Begun,
    Wrong,
    Known(Rc<Described>),
}

/// Reads values' descriptions, which may refer to shared types and to schema files.
pub(super) struct Specs<'a> {
    types: BTreeMap<&'a str, &'a Entry>,
    /// Where the schema files are that it may name.
    folder: Option<&'a Path>,
    /// Types and files by what they are: "type `x`".
    shared: RefCell<BTreeMap<String, State>>,
    /// Those that were met, compiled: one that is used again costs nothing.
    patterns: RefCell<BTreeMap<String, Result<Pattern, String>>>,
    /// How many are described so far.
    values: Cell<usize>,
    /// Sum of the hashes of schema files.
    hash: Cell<u128>,
}

impl<'a> Specs<'a> {
    pub(super) fn new(types: &'a [Entry], folder: Option<&'a Path>) -> Self {
        let types = types.iter().map(|entry| (entry.key.as_str(), entry)).collect();
        let (shared, patterns, values, hash) = Default::default();
        Self { types, folder, shared, patterns, values, hash }
    }

    /// Reads every type, so that the mistakes of those are told, too, that nothing uses.
    pub(super) fn read_types(&self, problems: &Problems) {
        for (name, entry) in &self.types {
            self.learn(&format!("type `{name}`"), || self.describe(&entry.node, 1, problems));
        }
    }

    /// Reads a type or file, unless it was read before.
    fn learn(&self, what: &str, read: impl FnOnce() -> Option<Described>) {
        if !self.shared.borrow().contains_key(what) {
            self.shared.borrow_mut().insert(what.to_owned(), State::Begun);
            let state = read().map_or(State::Wrong, |described| State::Known(Rc::new(described)));
            self.shared.borrow_mut().insert(what.to_owned(), state);
        }
    }

    /// A type or file, to be put in where it is used.
    fn shared(
        &self,
        what: &str,
        mark: Mark,
        problems: &Problems,
        read: impl FnOnce() -> Option<Described>,
    ) -> Option<Described> {
        self.learn(what, read);
        let state = self.shared.borrow().get(what).cloned();
        match state? {
            State::Known(described) => {
                let fits = self.charge(size(&described.spec), mark, problems);
                fits.then(|| Described::clone(&described))
            }
            State::Begun => {
                problems.error(mark, format!("the {what} contains itself"));
                None
            }
            State::Wrong => None,
        }
    }

    /// Counts values; false where there are too many of them, which is told once.
    fn charge(&self, values: usize, mark: Mark, problems: &Problems) -> bool {
        let before = self.values.get();
        let after = before.saturating_add(values);
        self.values.set(after);
        if before <= MOST_VALUES && after > MOST_VALUES {
            let message = format!(
                "with its types expanded, this contract describes more than {MOST_VALUES} values"
            );
            problems.error(mark, message);
        }
        after <= MOST_VALUES
    }

    /// A hash of the schema files that were read; empty where there was none.
    pub(super) fn digest(&self) -> String {
        match self.hash.get() {
            0 => String::new(),
            hash => format!("{hash:032x}"),
        }
    }

    /// A description of an object: its type need not be said.
    pub(super) fn object(&self, entry: &Entry, problems: &Problems) -> Option<Spec> {
        let described = self.describe(&entry.node, 0, problems)?;
        let mut spec = described.spec;
        if spec.types.is_empty() {
            spec.types.push(JsonType::Object);
            only_texts_show(&spec, entry.key_mark, problems);
        }
        Some(spec)
    }

    /// Reads one description, so many levels and types below where it began.
    fn describe(&self, node: &Node, level: usize, problems: &Problems) -> Option<Described> {
        if !self.charge(1, node.mark, problems) || !is_shallow(level, node.mark, problems) {
            return None;
        }
        let mut section = Section::open(node, problems)?;
        let used = self.used(&mut section, level);
        let schema = self.schema(&mut section, level);
        let mut described = schema.or(used).unwrap_or_default();
        self.own(&mut section, &mut described, level);
        described.is_required = self.is_required(&mut section, &mut described.spec);
        for annotation in ANNOTATIONS.into_iter().chain(["about"]) {
            section.take(annotation);
        }
        section.finish();
        Some(described)
    }

    /// The shared type that `use` names.
    fn used(&self, section: &mut Section<'_>, level: usize) -> Option<Described> {
        let name = section.text("use")?;
        let mark = section.mark_of("use");
        let Some(shared) = self.types.get(name) else {
            let help = did_you_mean(name, self.types.keys().copied().take(SUGGESTED_FROM));
            section.problems.error_with_help(mark, format!("unknown type `{name}`"), help);
            return None;
        };
        let read = || self.describe(&shared.node, level + 1, section.problems);
        let described = self.shared(&format!("type `{name}`"), mark, section.problems, read);
        below(described?, level, mark, section.problems)
    }

    /// The schema that `schema` holds or names.
    fn schema(&self, section: &mut Section<'_>, level: usize) -> Option<Described> {
        let node = section.take("schema")?;
        let described = match node.text() {
            Some(name) => {
                let what = format!("schema file `{name}`");
                self.shared(&what, node.mark, section.problems, || {
                    let schema = self.schema_file(name, node.mark, section.problems)?;
                    self.describe(&schema, level + 1, section.problems)
                })
            }
            None if node.entries().is_some() => self.describe(node, level + 1, section.problems),
            None => {
                let message = format!("expected a schema or its file, not {}", node.kind());
                section.problems.error(node.mark, message);
                None
            }
        };
        below(described?, level, node.mark, section.problems)
    }

    fn schema_file(&self, name: &str, mark: Mark, problems: &Problems) -> Option<Node> {
        let Some(folder) = self.folder else {
            problems.error(mark, "schema files can only be named by contracts that are files");
            return None;
        };
        let read =
            read_within(&folder.join(name), LONGEST_SCHEMA).map_err(|error| error.to_string());
        let size = read.as_ref().map_or(0, |text| text.len() / TEXT);
        if !self.charge(size, mark, problems) {
            return None;
        }
        let parsed = read.and_then(|text| {
            self.hash.set(self.hash.get().wrapping_add(xxh3_128(text.as_bytes())));
            serde_json::from_str(&text).map_err(|error| format!("it is not JSON: {error}"))
        });
        match parsed {
            Ok(value) => Some(Node::from_json(&value, mark)),
            Err(reason) => {
                problems.error(mark, format!("cannot use the schema file {name}: {reason}"));
                None
            }
        }
    }

    /// Lays what a description says itself over what it refers to.
    fn own(
        &self,
        section: &mut Section<'_>,
        Described { spec, height, .. }: &mut Described,
        level: usize,
    ) {
        if let Some(node) = section.take("type") {
            let words = texts_of(node, section.problems);
            if node.elements().is_some_and(<[Node]>::is_empty) {
                section.problems.error(node.mark, "`type` needs at least one type");
            }
            spec.types = words
                .into_iter()
                .filter_map(|(name, mark)| word(name, mark, section.problems))
                .collect();
        }
        if let Some(text) = section.text("expected") {
            spec.expected = Some(text.to_owned());
        }
        for (bounds, [least, most], counts) in [
            (&mut spec.range, ["minimum", "maximum"], false),
            (&mut spec.length, ["minLength", "maxLength"], true),
            (&mut spec.elements, ["minItems", "maxItems"], true),
        ] {
            let mut read = |key| {
                if counts {
                    section.whole(key, MOST).map(|number| number as f64)
                } else {
                    section.number(key)
                }
            };
            bounds.least = read(least).or(bounds.least);
            bounds.most = read(most).or(bounds.most);
            if bounds.least.zip(bounds.most).is_some_and(|(least, most)| least > most) {
                let message = format!("`{least}` is above `{most}`, so nothing matches");
                section.error_at(least, message);
            }
        }
        if let Some(value) = section.take("const") {
            spec.allowed = Some(vec![value.to_json()]);
        }
        if section.take("enum").is_some() {
            let values = section.list("enum");
            if values.is_empty() {
                section.error_at("enum", "`enum` needs at least one value");
            }
            spec.allowed = Some(values.iter().map(Node::to_json).collect());
        }
        if let Some(source) = section.text("pattern") {
            spec.pattern = self.pattern(source, section);
        }
        spec.format = section.word("format").or(spec.format);
        if let Some(word) = section.word::<Internals>("internals") {
            spec.hides_internals = word == Internals::Forbidden;
            only_texts_show(spec, section.mark_of("internals"), section.problems);
        }
        match section.take("additionalProperties").map(|node| (&node.value, node.mark)) {
            Some((Value::Flag(false), _)) => spec.others = Others::Refuse,
            Some((Value::Flag(true), _)) => spec.others = Others::Keep,
            Some((_, mark)) => section.problems.error(mark, "expected true or false"),
            None => {}
        }
        if let Some(word) = section.word("others") {
            spec.others = word;
        }
        if let Some(items) = section.take("items")
            && let Some(read) = self.describe(items, level + 1, section.problems)
        {
            *height = (*height).max(read.height + 1);
            spec.items = Some(Box::new(read.spec));
        }
        for entry in section.named("properties") {
            let Some(read) = self.describe(&entry.node, level + 1, section.problems) else {
                continue;
            };
            *height = (*height).max(read.height + 1);
            let (name, is_required) = (entry.key.clone(), read.is_required);
            let property = Property { name, is_required, spec: read.spec };
            match spec.properties.iter_mut().find(|old| old.name == property.name) {
                Some(old) => *old = property,
                None => spec.properties.push(property),
            }
        }
        for entry in section.named("messages") {
            message(entry, spec, section.problems);
        }
    }

    fn pattern(&self, source: &str, section: &Section<'_>) -> Option<Pattern> {
        let mark = section.mark_of("pattern");
        let mut patterns = self.patterns.borrow_mut();
        if !patterns.contains_key(source) {
            if !self.charge(PATTERN, mark, section.problems) {
                return None;
            }
            patterns.insert(source.to_owned(), Pattern::compile(source));
        }
        let found = |reason| format!("this pattern cannot be used: {reason}");
        patterns[source].clone().map_err(|why| section.problems.error(mark, found(why))).ok()
    }

    /// `required`: true or false of the value itself, or a list of its members, as JSON Schema has it.
    fn is_required(&self, section: &mut Section<'_>, spec: &mut Spec) -> bool {
        let Some(node) = section.take("required") else { return false };
        if let Value::Flag(flag) = &node.value {
            return *flag;
        }
        let required = texts_of(node, section.problems);
        if !self.charge(required.len(), node.mark, section.problems) {
            return false;
        }
        for (name, mark) in required {
            let named = spec.properties.iter_mut().find(|property| property.name == name);
            if let Some(property) = named {
                property.is_required = true;
                continue;
            }
            let known = spec.properties.iter().map(|property| property.name.as_str());
            let help = did_you_mean(name, known.take(SUGGESTED_FROM));
            let message = format!("unknown property `{name}` in `required`");
            section.problems.error_with_help(mark, message, help);
        }
        false
    }
}

/// Refuses what lies too deep.
fn is_shallow(level: usize, mark: Mark, problems: &Problems) -> bool {
    if level > DEEPEST {
        problems.error(mark, format!("this is nested deeper than {DEEPEST} levels"));
    }
    level <= DEEPEST
}

/// What is used at a level, which counts as a level itself.
fn below(mut used: Described, level: usize, mark: Mark, problems: &Problems) -> Option<Described> {
    used.height += 1;
    is_shallow(level + used.height, mark, problems).then_some(used)
}

/// Only texts can show how a server works inside.
fn only_texts_show(spec: &Spec, mark: Mark, problems: &Problems) {
    if spec.hides_internals && !spec.types.is_empty() && !spec.types.contains(&JsonType::String) {
        let message = "`internals` is for texts: put it at the texts within this value";
        problems.error(mark, message);
    }
}

fn message(entry: &Entry, spec: &mut Spec, problems: &Problems) {
    let Some(kind) = word(&entry.key, entry.key_mark, problems) else { return };
    let Some(text) = entry.node.text() else {
        let message = format!("expected a text, not {}", entry.node.kind());
        problems.error(entry.node.mark, message);
        return;
    };
    check_places(text, &PLACES, entry.node.mark, problems);
    match spec.messages.iter_mut().find(|(known, _)| *known == kind) {
        Some(old) => text.clone_into(&mut old.1),
        None => spec.messages.push((kind, text.to_owned())),
    }
}

/// How many values a description counts as. It is only as deep as descriptions may be.
fn size(spec: &Spec) -> usize {
    let allowed = spec.allowed.iter().flatten().map(|value| value.to_string().len() + 8);
    let messages = spec.messages.iter().map(|(_, text)| text.len() + 8);
    let names = spec.properties.iter().map(|property| property.name.len());
    let expected = spec.expected.as_ref().map_or(0, String::len);
    let bytes = allowed.chain(messages).chain(names).sum::<usize>() + expected;
    let items = spec.items.as_deref().map_or(0, size);
    let properties = spec.properties.iter().map(|property| size(&property.spec)).sum::<usize>();
    1 + bytes / TEXT + items + properties
}
