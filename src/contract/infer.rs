//! A contract proposed from tool definitions and observed traffic.
//!
//! What every call showed becomes the contract; what only some showed becomes a comment. Bounds that
//! traffic merely happened to keep are comments too: the next call may well lie beyond them.

use crate::json::{Kind, Raw, scan_document, to_value};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// How deep values are looked into.
const DEEPEST: usize = 6;
/// How deep arguments and responses may be nested to be looked at.
const DEEPEST_VALUE: usize = 64;
/// How many tools, and how many members of an object, are kept.
const MOST_NAMES: usize = 500;
/// How many different texts make a list of allowed values at most.
const MOST_WORDS: usize = 5;
/// How often they must have been seen, each, for a list of allowed values.
const SUPPORT: u64 = 5;
/// Longest text that is a word.
const LONGEST_WORD: usize = 40;
/// How many places, in all tools together, are kept apart.
const MOST_PLACES: usize = 50_000;
/// How many bytes of definitions are looked at.
const MOST_DEFINITIONS: usize = 16 << 20;
/// Longest name of a member that is kept, in bytes.
const LONGEST_NAME: usize = 1_000;
/// How many elements of one list are looked at.
const MOST_ELEMENTS: usize = 200;

/// One observed call.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The tool's definition, as `tools/list` gave it.
    pub definition: Option<&'a str>,
    /// The arguments.
    pub input: Option<Raw<'a>>,
    /// The response object, where the call succeeded.
    pub output: Option<Raw<'a>>,
}

/// Proposes a contract, as TOML with the support of each line in a comment.
pub fn infer<'a>(name: &str, calls: impl IntoIterator<Item = Observed<'a>>) -> String {
    let mut proposal = Proposal::default();
    calls.into_iter().for_each(|call| proposal.see(&call));
    proposal.text(name)
}

/// A contract in the making: what was seen so far, in bounded memory.
#[derive(Default)]
pub struct Proposal {
    tools: BTreeMap<String, SeenTool>,
    /// How many places are kept apart.
    places: usize,
    /// How many bytes the definitions took that are kept.
    definitions: usize,
}

impl Proposal {
    /// Takes in an observed call.
    pub fn see(&mut self, call: &Observed<'_>) {
        let Some(tool) = self.tool(call.tool) else { return };
        tool.calls += 1;
        if let Some(definition) = call.definition {
            self.define(call.tool, definition);
        }
        let mut room = MOST_PLACES - self.places;
        let Some(tool) = self.tools.get_mut(call.tool) else { return };
        if let Some(value) = call.input.and_then(shallow) {
            tool.input.see(&value, 0, &mut room);
        }
        if let Some(value) = call.output.and_then(shallow) {
            tool.output.see(&value, 0, &mut room);
        }
        self.places = MOST_PLACES - room;
    }

    /// Takes in a tool that is defined, whether it is called or not.
    pub fn define(&mut self, name: &str, definition: &str) {
        let bytes = self.definitions + definition.len();
        let Some(tool) = self.tool(name) else { return };
        if tool.definition.is_none() && bytes <= MOST_DEFINITIONS {
            tool.definition = object_of(definition);
            self.definitions = bytes;
        }
    }

    /// How many tools were seen.
    #[must_use]
    pub fn tools(&self) -> usize {
        self.tools.len()
    }

    /// The contract, as TOML with the support of each line in a comment.
    #[must_use]
    pub fn text(&self, name: &str) -> String {
        write_contract(name, &self.tools)
    }

    /// The tool of a name that a contract can have, unless there are too many.
    fn tool(&mut self, name: &str) -> Option<&mut SeenTool> {
        let is_new = !self.tools.contains_key(name);
        if is_new && (!is_name(name) || self.tools.len() >= MOST_NAMES) {
            return None;
        }
        Some(self.tools.entry(name.to_owned()).or_default())
    }
}

/// What a contract accepts as the name of a tool.
fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    (1..=128).contains(&name.len()) && name.chars().all(is_plain)
}

fn shallow(raw: Raw<'_>) -> Option<Value> {
    let raw = scan_document(raw.text(), DEEPEST_VALUE).ok()?;
    (raw.kind() == Kind::Object).then(|| to_value(raw))
}

fn object_of(text: &str) -> Option<Value> {
    scan_document(text, DEEPEST_VALUE).ok().map(to_value)
}

#[derive(Default)]
struct SeenTool {
    calls: u64,
    definition: Option<Value>,
    input: Seen,
    output: Seen,
}

/// What was seen in one place.
#[derive(Default)]
struct Seen {
    count: u64,
    kinds: BTreeMap<&'static str, u64>,
    least: Option<f64>,
    most: Option<f64>,
    shortest: Option<usize>,
    longest: Option<usize>,
    /// The different texts with how often each was seen; `None` once there are too many.
    words: Option<BTreeMap<String, u64>>,
    too_many_words: bool,
    members: BTreeMap<String, Seen>,
    items: Option<Box<Seen>>,
}

impl Seen {
    fn see(&mut self, value: &Value, depth: usize, room: &mut usize) {
        self.count += 1;
        *self.kinds.entry(kind_of(value)).or_default() += 1;
        match value {
            Value::Number(number) => {
                if let Some(number) = number.as_f64() {
                    self.least = Some(self.least.map_or(number, |least| least.min(number)));
                    self.most = Some(self.most.map_or(number, |most| most.max(number)));
                }
            }
            Value::String(text) => self.see_text(text),
            Value::Array(elements) if depth < DEEPEST => {
                let items = self.items.get_or_insert_default();
                for element in elements.iter().take(MOST_ELEMENTS) {
                    items.see(element, depth + 1, room);
                }
            }
            Value::Object(members) if depth < DEEPEST => {
                for (name, inner) in members {
                    if !self.members.contains_key(name) {
                        let is_full = *room == 0 || self.members.len() >= MOST_NAMES;
                        if is_full || name.len() > LONGEST_NAME {
                            continue;
                        }
                        *room -= 1;
                    }
                    let member = self.members.entry(name.clone()).or_default();
                    member.see(inner, depth + 1, room);
                }
            }
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {}
        }
    }

    fn see_text(&mut self, text: &str) {
        let length = text.chars().count();
        self.shortest = Some(self.shortest.map_or(length, |shortest| shortest.min(length)));
        self.longest = Some(self.longest.map_or(length, |longest| longest.max(length)));
        if self.too_many_words {
            return;
        }
        let words = self.words.get_or_insert_default();
        if length <= LONGEST_WORD {
            *words.entry(text.to_owned()).or_default() += 1;
        }
        if length > LONGEST_WORD || words.len() > MOST_WORDS {
            self.too_many_words = true;
            self.words = None;
        }
    }

    /// The texts, where they look like a list of allowed values.
    fn allowed(&self) -> Option<&BTreeMap<String, u64>> {
        let only_texts = self.kinds.len() == 1 && self.kinds.contains_key("string");
        self.words.as_ref().filter(|words| only_texts && words.values().all(|n| *n >= SUPPORT))
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

fn write_contract(name: &str, tools: &BTreeMap<String, SeenTool>) -> String {
    let mut text = String::new();
    let calls: u64 = tools.values().map(|tool| tool.calls).sum();
    let _ = writeln!(
        text,
        "# Proposed from {calls} calls of {} tools. Read it before you rely on it.",
        tools.len()
    );
    let _ = writeln!(text, "\nname = {}", quoted(name));
    for (tool, seen) in tools {
        let key = format!("tools.{}", quoted(tool));
        let _ = writeln!(text, "\n# {} calls", seen.calls);
        let _ = writeln!(text, "[{key}]");
        let schema = |part: &str| seen.definition.as_ref().and_then(|tool| tool.get(part));
        for (part, member, observed) in
            [("input", "inputSchema", &seen.input), ("output", "outputSchema", &seen.output)]
        {
            let place = Place { key: format!("{key}.{part}"), schema: schema(member) };
            write_object(&mut text, &place, observed);
        }
    }
    text
}

/// A table of the contract, and what the tool's definition says of it.
struct Place<'a> {
    key: String,
    schema: Option<&'a Value>,
}

fn write_object(text: &mut String, place: &Place<'_>, seen: &Seen) {
    let defined =
        place.schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    let names: BTreeSet<&str> = defined
        .into_iter()
        .flat_map(|defined| defined.keys().map(String::as_str))
        .chain(seen.members.keys().map(String::as_str))
        .collect();
    let required: Vec<&str> = place
        .schema
        .and_then(|schema| schema.get("required")?.as_array())
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let unseen = Seen::default();
    let objects = seen.kinds.get("object").copied().unwrap_or(0);
    for name in names {
        let property = seen.members.get(name).unwrap_or(&unseen);
        let inner = Place {
            key: format!("{}.properties.{}", place.key, quoted(name)),
            schema: defined.and_then(|defined| defined.get(name)),
        };
        let _ = writeln!(text, "\n[{}]", inner.key);
        let nulls = property.kinds.get("null").copied().unwrap_or(0);
        let always = objects > 0 && property.count == objects;
        // A required member that was missing once would refuse what the server took.
        if (required.contains(&name) && (objects == 0 || always)) || (always && nulls == 0) {
            let said = if required.contains(&name) { ", and the definition says so" } else { "" };
            let _ = writeln!(text, "required = true # in {} of {objects}{said}", property.count);
        } else {
            let _ = writeln!(text, "# in {} of {objects}", property.count);
        }
        write_value(text, &inner, property);
    }
}

fn write_value(text: &mut String, place: &Place<'_>, seen: &Seen) {
    write_types(text, place.schema, seen);
    write_bounds(text, seen);
    if let Some(words) = seen.allowed() {
        let list: Vec<String> = words.keys().map(|word| quoted(word)).collect();
        let support: Vec<String> = words.values().map(u64::to_string).collect();
        let _ = writeln!(text, "enum = [{}] # seen {} times", list.join(", "), support.join(", "));
    }
    if seen.kinds.contains_key("object") && seen.kinds.len() <= 2 {
        write_object(text, place, seen);
    }
    if let Some(items) = &seen.items
        && items.count > 0
    {
        let key = format!("{}.items", place.key);
        let _ = writeln!(text, "\n[{key}]");
        let schema = place.schema.and_then(|schema| schema.get("items"));
        write_value(text, &Place { key, schema }, items);
    }
}

/// The types that were seen, with those that the definition allows besides.
fn write_types(text: &mut String, schema: Option<&Value>, seen: &Seen) {
    let known = ["null", "boolean", "integer", "number", "string", "array", "object"];
    let defined: Vec<&str> = match schema.and_then(|schema| schema.get("type")) {
        Some(Value::String(kind)) => vec![kind.as_str()],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let mut kinds: BTreeSet<&str> = seen.kinds.keys().copied().collect();
    kinds.extend(defined.into_iter().filter(|kind| known.contains(kind)));
    if kinds.contains("number") {
        kinds.remove("integer");
    }
    if kinds.is_empty() {
        return;
    }
    let list: Vec<String> = kinds.iter().map(|kind| quoted(kind)).collect();
    let support: Vec<String> = seen.kinds.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
    let support = if support.is_empty() { "never seen".to_owned() } else { support.join(", ") };
    match list.as_slice() {
        [only] => _ = writeln!(text, "type = {only} # {support}"),
        several => _ = writeln!(text, "type = [{}] # {support}", several.join(", ")),
    }
}

fn write_bounds(text: &mut String, seen: &Seen) {
    if let (Some(least), Some(most)) = (seen.least, seen.most) {
        let support = format!("seen {least} to {most}");
        // Counts and ids start at 0 or 1; any other bound is what happened to be seen.
        if [0.0, 1.0].contains(&least) && seen.count >= SUPPORT {
            let _ = writeln!(text, "minimum = {least} # {support}");
            let _ = writeln!(text, "# maximum = {most}");
        } else {
            let _ = writeln!(text, "# minimum = {least}, maximum = {most} # {support}");
        }
    }
    if let (Some(shortest), Some(longest)) = (seen.shortest, seen.longest) {
        if shortest > 0 && seen.count >= SUPPORT {
            let _ = writeln!(text, "minLength = 1 # seen {shortest} to {longest} characters");
        } else {
            let _ = writeln!(text, "# minLength = {shortest}, maxLength = {longest}");
        }
    }
}

/// A TOML text on one line.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if control.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(control));
            }
            plain => quoted.push(plain),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::super::{Contract, OutputContext};
    use super::*;

    fn raw(text: &str) -> Raw<'_> {
        scan_document(text, 64).expect("well-formed")
    }

    fn proposed(calls: &[Observed<'_>]) -> (String, Contract) {
        let text = infer("seen", calls.iter().copied());
        let contract = Contract::from_toml(&text, "proposed.toml")
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        (text, contract)
    }

    #[test]
    fn a_proposal_takes_the_traffic_it_was_made_from() {
        let definition = r#"{"name": "add", "inputSchema": {"type": "object", "required": ["id"],
            "properties": {"id": {"type": "integer"}, "note": {"type": "string"}, "tag": {"type": ["string", "null"]}}}}"#;
        let inputs: Vec<String> = (1..=12)
            .map(|n| format!(r#"{{"id": {n}, "kind": "{}", "note": "n{n}"}}"#, ["a", "b"][n % 2]))
            .collect();
        let output = r#"{"ok": true, "list": [{"x": 1.5}, {"x": 2, "y": null}]}"#;
        let calls: Vec<Observed<'_>> = inputs
            .iter()
            .map(|input| Observed {
                tool: "add",
                definition: Some(definition),
                input: Some(raw(input)),
                output: Some(raw(output)),
            })
            .collect();
        let (text, contract) = proposed(&calls);
        for line in [
            "required = true # in 12 of 12, and the definition says so",
            "type = \"integer\" # integer 12",
            "minimum = 1 # seen 1 to 12",
            "enum = [\"a\", \"b\"] # seen 6, 6 times",
            "type = [\"null\", \"string\"] # never seen",
            "type = \"number\" # integer 12, number 12",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        for input in &inputs {
            assert_eq!(contract.check_input("add", raw(input)).issues, []);
        }
        let context = OutputContext { input: None, output: raw(output), original: None };
        assert_eq!(contract.check_output("add", context), []);
        let wrong = contract.check_input("add", raw(r#"{"id": 0, "kind": "c", "note": "x"}"#));
        assert_eq!(wrong.issues.len(), 2);
    }

    #[test]
    fn names_of_any_kind_are_quoted() {
        let input = r#"{"a.b \"c\"\n": 1, "": {"'": []}, "\u0001": null}"#;
        let call = Observed {
            tool: "x-y.z/1",
            definition: Some("[1]"),
            input: Some(raw(input)),
            output: None,
        };
        let odd = Observed { tool: "no name", ..call };
        let (text, contract) = proposed(&[call, odd]);
        assert!(text.contains(r#"[tools."x-y.z/1".input.properties."a.b \"c\"\u000A"]"#), "{text}");
        assert_eq!(contract.tools().collect::<Vec<_>>(), ["x-y.z/1"]);
        assert_eq!(contract.check_input("x-y.z/1", raw(input)).issues, []);
    }
}
