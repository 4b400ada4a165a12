//! The TOML of a proposal.

use super::super::Contract;
use super::seen::{DEEPEST, Seen, Span, allowed_by, pattern_of};
use super::{LONGEST_NAME, MOST_NAMES, Names, Proposal, SeenTool};
use crate::verdict::counted;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The types of JSON.
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/// What of a schema is carried over, or is there for people only.
const CARRIED: [&str; 23] = [
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
    "properties",
    "required",
    "items",
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
];

/// What says in other words than `type` of which type a value is.
const OTHER_TYPES: [&str; 7] = ["enum", "const", "$ref", "anyOf", "oneOf", "allOf", "not"];

pub(super) fn contract(proposal: &Proposal, name: &str, server: Option<&str>) -> String {
    let Proposal { tools, left_out, .. } = proposal;
    let mut text = String::new();
    let (tools, unknown): (Vec<_>, Vec<_>) = tools.iter().partition(|(_, tool)| tool.exists());
    let calls: u64 = tools.iter().map(|(_, tool)| tool.calls).sum();
    let _ = writeln!(
        text,
        "# Proposed from {} of {}. Read it before you rely on it.",
        counted(calls, "call"),
        counted(tools.len() as u64, "tool")
    );
    if !left_out.kept.is_empty() {
        let reason = "at most 500 tools, with names of letters, digits and _ - . /";
        let _ = writeln!(text, "# Omitted: {}; {reason}", listed(left_out));
    }
    if !unknown.is_empty() {
        let mut names = Names::default();
        for (name, _) in &unknown {
            names.add(name);
        }
        let reason = "no server lists them, and none of their calls worked";
        let _ = writeln!(text, "# Omitted: {}; {reason}", listed(&names));
    }
    let _ = writeln!(text, "\nname = {}", quoted(name));
    if let Some(server) = server {
        let _ = writeln!(text, "servers = [{}]", quoted(server));
    }
    for (name, tool) in tools {
        write_tool(&mut text, &format!("tools.{}", quoted(name)), tool);
    }
    text
}

fn listed(names: &Names) -> String {
    let list: Vec<String> = names.kept.iter().map(|name| quoted(name)).collect();
    let more = if names.are_more { " and others" } else { "" };
    format!("{}{more}", list.join(", "))
}

fn write_tool(text: &mut String, key: &str, tool: &SeenTool) {
    let _ = write!(text, "\n# {}", counted(tool.calls, "call"));
    if tool.without_success > 0 {
        let count = tool.without_success;
        let _ = write!(text, "; ignored, because they did not work: {count}");
    }
    let _ = writeln!(text);
    if tool.servers.kept.len() > 1 {
        let servers = listed(&tool.servers);
        let _ = writeln!(text, "# from several servers: {servers}; see --server");
    }
    if tool.is_also_defined {
        let _ = writeln!(text, "# its definitions differ; the first is used");
    }
    if tool.unread > 0 {
        let _ = writeln!(text, "# {} of its objects could not be read", tool.unread);
    }
    let _ = writeln!(text, "[{key}]");
    let schema = |part: &str| tool.definition.as_ref().and_then(|tool| tool.get(part));
    let input = schema("inputSchema");
    if input.is_some() || tool.input.count > 0 {
        let key = format!("{key}.input");
        let _ = writeln!(text, "\n[{key}]");
        let place =
            Place { key, schema: input, depth: 0, required: Requiring::Members, of: Part::Input };
        write_object(text, &place, &tool.input);
    }
    let output = schema("outputSchema");
    if tool.no_object > 0 {
        let _ = writeln!(
            text,
            "# no output: {} without an object",
            counted(tool.no_object, "response")
        );
    } else if output.is_some() || tool.output.count > 0 {
        let key = format!("{key}.output");
        let _ = writeln!(text, "\n[{key}]");
        let required = if tool.plain > 0 {
            let replies = counted(tool.plain, "reply");
            let _ = writeln!(text, "# {replies} had no JSON, so no member is required");
            Requiring::Nothing
        } else {
            Requiring::Members
        };
        let place = Place { key, schema: output, depth: 0, required, of: Part::Output };
        write_object(text, &place, &tool.output);
    }
}

/// Whether members of an object can be required.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Requiring {
    Members,
    Nothing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Input,
    Output,
}

/// A table of the contract, and what the tool's definition says of it.
struct Place<'a> {
    key: String,
    schema: Option<&'a Value>,
    depth: usize,
    required: Requiring,
    of: Part,
}

impl<'a> Place<'a> {
    fn says(&self, word: &str) -> Option<&'a Value> {
        self.schema.and_then(|schema| schema.get(word))
    }

    fn inner(&self, step: &str, schema: Option<&'a Value>) -> Self {
        let key = format!("{}.{step}", self.key);
        Self { key, schema, depth: self.depth + 1, required: Requiring::Members, of: self.of }
    }
}

fn write_object(text: &mut String, place: &Place<'_>, seen: &Seen) {
    let defined = place.says("properties").and_then(Value::as_object);
    let all: BTreeSet<&str> = defined
        .into_iter()
        .flat_map(|defined| defined.keys().map(String::as_str))
        .chain(seen.members.keys().map(String::as_str))
        .collect();
    // A member that calls may have shown while it was not looked at is not described.
    let is_known = |name: &&str| {
        name.len() <= LONGEST_NAME && (!seen.is_cut || seen.members.contains_key(*name))
    };
    let names: Vec<&str> = all.iter().copied().filter(is_known).take(MOST_NAMES).collect();
    let is_cut = seen.is_cut || names.len() < all.len();
    if is_cut {
        let _ =
            writeln!(text, "# some members are left out: there are too many, or too long names");
    }
    if place.depth == 0 {
        write_uncarried(text, place);
    }
    if place.says("additionalProperties") == Some(&Value::Bool(false)) {
        let is_defined = |name: &String| defined.is_some_and(|defined| defined.contains_key(name));
        if !is_cut && seen.members.keys().all(is_defined) {
            let _ = writeln!(text, "additionalProperties = false # the definition says so");
        } else {
            let reason = "the definition says so, and yet others were seen or left out";
            let _ = writeln!(text, "# additionalProperties = false # {reason}");
        }
    }
    // Servers overlook arguments that they do not know, so that calls with made-up ones work, too.
    let is_made_up = |name: &&str| {
        place.of == Part::Input && defined.is_some_and(|defined| !defined.contains_key(*name))
    };
    let (made_up, names): (Vec<&str>, Vec<&str>) = names.into_iter().partition(is_made_up);
    if !made_up.is_empty() {
        let mut unlisted = Names::default();
        for name in &made_up {
            unlisted.add(name);
        }
        let _ = writeln!(text, "# not in the definition, but in calls: {}", listed(&unlisted));
    }
    for name in names {
        write_member(text, place, name, defined.and_then(|defined| defined.get(name)), seen);
    }
}

fn write_member(
    text: &mut String,
    place: &Place<'_>,
    name: &str,
    schema: Option<&Value>,
    seen: &Seen,
) {
    let required = place.says("required").and_then(Value::as_array);
    let is_required =
        required.is_some_and(|names| names.iter().any(|known| known.as_str() == Some(name)));
    let unseen = Seen::default();
    let member = seen.members.get(name).unwrap_or(&unseen);
    let inner = Place { schema, ..place.inner(&format!("properties.{}", quoted(name)), None) };
    let _ = writeln!(text, "\n[{}]", inner.key);
    let objects = seen.of_kind("object");
    let may_be_null = declared_types(&inner).is_some_and(|types| types.contains("null"));
    // A required member that was missing or null once would refuse what the server took or gave.
    let always = member.count == objects && member.of_kind("null") == 0 && !may_be_null;
    let can_be = always && place.required == Requiring::Members;
    let support = format!("in {} of {objects}", member.count);
    match (is_required, schema.is_some()) {
        (true, _) if can_be => {
            _ = writeln!(text, "required = true # {support}, and the definition says so");
        }
        (true, _) => _ = writeln!(text, "# {support}, though the definition requires it"),
        (false, false) if can_be && objects > 0 => {
            _ = writeln!(text, "required = true # {support}");
        }
        (false, true) if objects > 0 && always => {
            _ = writeln!(text, "# {support}, though the definition does not require it");
        }
        (false, _) => _ = writeln!(text, "# {support}"),
    }
    write_value(text, &inner, member);
}

fn write_value(text: &mut String, place: &Place<'_>, seen: &Seen) {
    write_types(text, place, seen);
    write_uncarried(text, place);
    write_allowed(text, place, seen);
    write_bounds(text, place, "minimum", "maximum", seen.numbers);
    write_bounds(text, place, "minLength", "maxLength", seen.lengths.map(Span::as_numbers));
    write_bounds(text, place, "minItems", "maxItems", seen.elements.map(Span::as_numbers));
    write_pattern(text, place, seen);
    let items = place.says("items").filter(|items| items.is_object());
    let has_items = items.is_some() || seen.items.as_ref().is_some_and(|items| items.count > 0);
    let has_members = place.says("properties").is_some_and(Value::is_object)
        || place.says("additionalProperties").is_some()
        || seen.of_kind("object") > 0;
    if place.depth >= DEEPEST {
        if has_items || has_members {
            let _ = writeln!(text, "# what lies deeper is left out");
        }
        return;
    }
    if has_members {
        write_object(text, place, seen);
    }
    if has_items {
        let inner = place.inner("items", items);
        let _ = writeln!(text, "\n[{}]", inner.key);
        let unseen = Seen::default();
        write_value(text, &inner, seen.items.as_deref().unwrap_or(&unseen));
    }
}

/// The types that the definition names.
fn declared_types<'a>(place: &Place<'a>) -> Option<BTreeSet<&'a str>> {
    let declared: BTreeSet<&str> = match place.says("type")? {
        Value::String(kind) => [kind.as_str()].into(),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    (!declared.is_empty() && declared.iter().all(|kind| TYPES.contains(kind))).then_some(declared)
}

/// The types that were seen, with those that the definition allows besides.
fn write_types(text: &mut String, place: &Place<'_>, seen: &Seen) {
    let declared = declared_types(place);
    let is_said_otherwise =
        declared.is_none() && OTHER_TYPES.iter().any(|word| place.says(word).is_some());
    let mut kinds: BTreeSet<&str> = seen.kinds.keys().copied().collect();
    kinds.extend(declared.into_iter().flatten());
    if kinds.contains("number") {
        kinds.remove("integer");
    }
    if kinds.is_empty() {
        return;
    }
    let list: Vec<String> = kinds.iter().map(|kind| quoted(kind)).collect();
    let support: Vec<String> = seen.kinds.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
    let support = if support.is_empty() { "never seen".to_owned() } else { support.join(", ") };
    let comment = if is_said_otherwise { "# " } else { "" };
    match list.as_slice() {
        [only] => _ = writeln!(text, "{comment}type = {only} # {support}"),
        several => _ = writeln!(text, "{comment}type = [{}] # {support}", several.join(", ")),
    }
}

/// What the definition says in words that contracts do not have.
fn write_uncarried(text: &mut String, place: &Place<'_>) {
    let Some(schema) = place.schema.and_then(Value::as_object) else { return };
    let is_carried = |word: &str, declared: &Value| {
        CARRIED.contains(&word) || (word == "additionalProperties" && declared.is_boolean())
    };
    let mut words = Names::default();
    for (word, _) in schema.iter().filter(|(word, declared)| !is_carried(word, declared)) {
        words.add(word);
    }
    if !words.kept.is_empty() {
        let _ = writeln!(text, "# not carried over from the definition: {}", listed(&words));
    }
}

/// The allowed values: those of the definition, or words that were seen often enough.
fn write_allowed(text: &mut String, place: &Place<'_>, seen: &Seen) {
    if let Some(word) = ["enum", "const"].into_iter().find(|word| place.says(word).is_some()) {
        let allowed = place.schema.and_then(allowed_by).unwrap_or_default();
        let list: Option<Vec<String>> = allowed.iter().map(scalar).collect();
        match list.filter(|list| !list.is_empty()) {
            Some(list) => {
                let line = format!("enum = [{}]", list.join(", "));
                write_said(text, &line, seen.listed == seen.count);
            }
            None => _ = writeln!(text, "# {word} of the definition cannot be carried over"),
        }
        return;
    }
    let Some(words) = seen.words() else { return };
    let list: Vec<String> = words.keys().map(|word| quoted(word)).collect();
    let support: Vec<String> = words.values().map(u64::to_string).collect();
    // A definition that describes the value and lists nothing allows more.
    let comment = if place.schema.is_some() { "# " } else { "" };
    let (list, support) = (list.join(", "), support.join(", "));
    let _ = writeln!(text, "{comment}enum = [{list}] # seen {support} times");
}

/// A line of the definition, unless what was seen speaks against it.
fn write_said(text: &mut String, line: &str, is_kept: bool) {
    if is_kept {
        let _ = writeln!(text, "{line} # the definition says so");
    } else {
        let _ =
            writeln!(text, "# {line} # the definition says so; not all that was seen keeps to it");
    }
}

fn write_bounds(
    text: &mut String,
    place: &Place<'_>,
    least: &str,
    most: &str,
    seen: Option<Span<f64>>,
) {
    let bound = |word: &str| {
        let declared = place.says(word)?.as_f64()?;
        let is_count = declared.fract() == 0.0 && (0.0..=9e15).contains(&declared);
        (word == "minimum" || word == "maximum" || is_count).then_some(declared)
    };
    let declared = (bound(least), bound(most));
    let in_order = !matches!(declared, (Some(low), Some(high)) if low > high);
    if let Some(low) = declared.0 {
        let is_kept = in_order && seen.is_none_or(|seen| seen.least >= low);
        write_said(text, &format!("{least} = {}", number(low)), is_kept);
    }
    if let Some(high) = declared.1 {
        let is_kept = in_order && seen.is_none_or(|seen| seen.most <= high);
        write_said(text, &format!("{most} = {}", number(high)), is_kept);
    }
    // What merely happened to be seen: the next call may well lie beyond.
    if let Some(span) = seen {
        let (low, high) = (number(span.least), number(span.most));
        let _ = writeln!(text, "# {least} = {low}, {most} = {high} # seen");
    }
}

fn write_pattern(text: &mut String, place: &Place<'_>, seen: &Seen) {
    if place.says("pattern").is_none() {
        return;
    }
    let usable =
        place.schema.and_then(pattern_of).map(|source| format!("pattern = {}", quoted(source)));
    // Definitions may be written for engines that know more.
    let is_usable = |line: &String| {
        let probe = format!("name = \"probe\"\n[tools.t.input.properties.v]\n{line}");
        Contract::from_toml(&probe, "probe").is_ok()
    };
    match usable.filter(is_usable) {
        Some(line) => write_said(text, &line, seen.matched == seen.of_kind("string")),
        None => _ = writeln!(text, "# pattern of the definition cannot be carried over"),
    }
}

impl Span<u64> {
    #[expect(clippy::cast_precision_loss, reason = "lengths are far below 2^52")]
    fn as_numbers(self) -> Span<f64> {
        Span { least: self.least as f64, most: self.most as f64 }
    }
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        format!("{value:?}")
    }
}

/// A value of TOML, where it has the value.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(declared) => declared.as_f64().map(number),
        Value::String(text) => Some(quoted(text)),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
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
