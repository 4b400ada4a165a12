//! From a schema to its program.

use super::scalar::{Literal, NumberRules, StringRules, bound};
use super::{ArrayRules, KindSet, Member, Node, ObjectRules, Program, Rules};
use crate::json::Kind;
use hashbrown::{HashMap, HashSet};
use jsonschema::Draft;
use serde_json::{Map, Value};

/// From how many members on they are looked up by hash.
const HASHED_MEMBERS: usize = 13;
/// How many steps of indirection are followed to find out which kinds a branch can accept.
const INDIRECTIONS: usize = 6;

/// Keywords that assert something about one kind of value which the program does not check.
const UNCHECKED: [(&str, KindSet); 15] = [
    ("$dynamicRef", KindSet::ALL),
    ("$recursiveRef", KindSet::ALL),
    ("not", KindSet::ALL),
    ("if", KindSet::ALL),
    ("multipleOf", KindSet::of(Kind::Number)),
    ("pattern", KindSet::of(Kind::String)),
    (super::super::budget::PATTERN_KEYWORD, KindSet::of(Kind::String)),
    ("contains", KindSet::of(Kind::Array)),
    ("unevaluatedItems", KindSet::of(Kind::Array)),
    ("patternProperties", KindSet::of(Kind::Object)),
    ("propertyNames", KindSet::of(Kind::Object)),
    ("dependencies", KindSet::of(Kind::Object)),
    ("dependentRequired", KindSet::of(Kind::Object)),
    ("dependentSchemas", KindSet::of(Kind::Object)),
    ("unevaluatedProperties", KindSet::of(Kind::Object)),
];

impl Program {
    /// The program of a schema that the full validator has already accepted as a schema.
    pub(in super::super) fn new(schema: &Value, draft: Draft, asserts_formats: bool) -> Self {
        let mut builder = Builder {
            root: schema,
            draft,
            asserts_formats,
            is_one: !has_inner(schema, &["$id", "id"]),
            nodes: Vec::new(),
            places: HashMap::new(),
        };
        let root = if has_inner(schema, &["$schema"]) {
            builder.push(Node::Unsure)
        } else {
            builder.node(schema)
        };
        let kinds = vec![KindSet::ALL; builder.nodes.len()];
        let mut program = Self { nodes: builder.nodes, kinds, root };
        for _ in 0..INDIRECTIONS {
            program.kinds = program.nodes.iter().map(|node| program.possible_kinds(node)).collect();
        }
        program
    }
}

struct Builder<'s> {
    root: &'s Value,
    draft: Draft,
    asserts_formats: bool,
    /// Whether a `$ref` that is a pointer leads into it: no schema inside has an identity of its own.
    is_one: bool,
    nodes: Vec<Node>,
    /// Nodes by the address of their schema, so that references share them and may be circular.
    places: HashMap<*const Value, usize>,
}

impl<'s> Builder<'s> {
    fn push(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn node(&mut self, schema: &'s Value) -> usize {
        if let Some(known) = self.places.get(&std::ptr::from_ref(schema)) {
            return *known;
        }
        let place = self.push(Node::Unsure);
        self.places.insert(std::ptr::from_ref(schema), place);
        self.nodes[place] = match schema {
            Value::Bool(true) => Node::Any,
            Value::Object(keywords) => self.keywords(keywords),
            _ => Node::Unsure,
        };
        place
    }

    fn keywords(&mut self, keywords: &'s Map<String, Value>) -> Node {
        let ignores_siblings = matches!(self.draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7);
        let mut parts = Vec::new();
        if let Some(reference) = keywords.get("$ref") {
            let target = self.reference(reference);
            if ignores_siblings {
                return target;
            }
            parts.push(target);
        }
        for (keyword, wrap) in
            [("allOf", Node::All as fn(_) -> _), ("anyOf", Node::AnyOf), ("oneOf", Node::AnyOf)]
        {
            match keywords.get(keyword) {
                None => {}
                Some(Value::Array(branches))
                    if keyword != "oneOf" || self.exclude_each_other(branches) =>
                {
                    let branches = branches.iter().map(|branch| self.node(branch)).collect();
                    parts.push(wrap(branches));
                }
                Some(_) => return Node::Unsure,
            }
        }
        if let Some(rules) = self.rules(keywords) {
            parts.push(Node::Rules(Box::new(rules)));
        }
        match parts.len() {
            0 => Node::Any,
            1 => parts.remove(0),
            _ => Node::All(parts.into_iter().map(|part| self.push(part)).collect()),
        }
    }

    /// Whether no value fits two of these: they differ in their type, or in the fixed text of a member that all demand.
    fn exclude_each_other(&self, branches: &'s [Value]) -> bool {
        let target = |branch: &'s Value| match branch.get("$ref") {
            Some(reference) => self.target(reference).filter(|it| it.get("$ref").is_none()),
            None => Some(branch),
        };
        let Some(branches) = branches.iter().map(target).collect::<Option<Vec<_>>>() else {
            return false;
        };
        let differ = |told: &dyn Fn(&'s Value) -> Option<&'s str>| {
            let mut known = HashSet::new();
            branches.iter().all(|branch| told(branch).is_some_and(|it| known.insert(it)))
        };
        let kind = |branch: &'s Value| match branch.get("type")?.as_str()? {
            "integer" => Some("number"),
            other => Some(other),
        };
        let members = branches.first().and_then(|branch| branch.get("properties")?.as_object());
        let by_member = members.into_iter().flat_map(Map::keys).any(|name| {
            differ(&|branch| {
                let is_demanded = branch.get("required")?.as_array()?.iter().any(|it| it == name);
                let fixed = branch.get("properties")?.get(name)?.get("const")?.as_str();
                fixed.filter(|_| is_demanded && kind(branch) == Some("object"))
            })
        });
        differ(&kind) || (by_member && self.draft != Draft::Draft4)
    }

    fn target(&self, reference: &Value) -> Option<&'s Value> {
        let pointer = reference.as_str()?.strip_prefix('#').filter(|_| self.is_one)?;
        let is_plain = (pointer.is_empty() || pointer.starts_with('/')) && !pointer.contains('%');
        self.root.pointer(pointer).filter(|_| is_plain)
    }

    fn reference(&mut self, reference: &Value) -> Node {
        self.target(reference).map_or(Node::Unsure, |schema| Node::Same(self.node(schema)))
    }

    /// The assertions of a schema object; `None` where it has none.
    fn rules(&mut self, keywords: &'s Map<String, Value>) -> Option<Rules> {
        let mut rules = Rules::default();
        if let Some(types) = keywords.get("type") {
            rules.read_types(types);
        }
        for (keyword, kinds) in UNCHECKED {
            if keywords.get(keyword).is_some_and(|value| !is_idle(keyword, value)) {
                rules.kinds = rules.kinds.without(kinds);
            }
        }
        let asserts_content = matches!(self.draft, Draft::Draft6 | Draft::Draft7);
        let asserted = [
            ("format", self.asserts_formats),
            ("contentMediaType", asserts_content),
            ("contentEncoding", asserts_content),
        ];
        if asserted.iter().any(|(keyword, asserts)| *asserts && keywords.contains_key(*keyword)) {
            rules.doubt(Kind::String);
        }
        rules.read_literals(keywords, self.draft);
        rules.read_number(keywords, self.draft);
        rules.read_string(keywords);
        self.read_array(keywords, &mut rules);
        self.read_object(keywords, &mut rules);
        (rules != Rules::default()).then_some(rules)
    }

    fn read_array(&mut self, keywords: &'s Map<String, Value>, rules: &mut Rules) {
        let newest = matches!(self.draft, Draft::Draft202012 | Draft::Unknown);
        let (Some(least), Some(most)) =
            (size(keywords.get("minItems"), 0), size(keywords.get("maxItems"), u64::MAX))
        else {
            return rules.doubt(Kind::Array);
        };
        if keywords.get("uniqueItems").is_some_and(|flag| flag != &Value::Bool(false)) {
            return rules.doubt(Kind::Array);
        }
        let (prefix, rest): (&[Value], _) =
            match (keywords.get("prefixItems"), keywords.get("items")) {
                (None, None) => (&[], None),
                (None, Some(items @ (Value::Object(_) | Value::Bool(_)))) => (&[], Some(items)),
                (
                    Some(Value::Array(prefix)),
                    items @ (None | Some(Value::Object(_) | Value::Bool(_))),
                ) if newest => (prefix.as_slice(), items),
                (None, Some(Value::Array(prefix))) if !newest => {
                    (prefix.as_slice(), keywords.get("additionalItems"))
                }
                _ => return rules.doubt(Kind::Array),
            };
        let asserts = least > 0 || most < u64::MAX || !prefix.is_empty() || rest.is_some();
        if asserts {
            let prefix = prefix.iter().map(|item| self.node(item)).collect();
            let rest = rest.map(|items| self.node(items));
            rules.array = Some(ArrayRules { prefix, rest, least, most });
        }
    }

    fn read_object(&mut self, keywords: &'s Map<String, Value>, rules: &mut Rules) {
        let (Some(least), Some(most)) =
            (size(keywords.get("minProperties"), 0), size(keywords.get("maxProperties"), u64::MAX))
        else {
            return rules.doubt(Kind::Object);
        };
        let rest = keywords.get("additionalProperties").map(|schema| self.node(schema));
        let mut members: Vec<Member> = Vec::new();
        match keywords.get("properties") {
            None => {}
            Some(Value::Object(properties)) => {
                for (name, schema) in properties {
                    members
                        .push(Member { name: name.as_str().into(), node: Some(self.node(schema)) });
                }
            }
            Some(_) => return rules.doubt(Kind::Object),
        }
        let mut required = 0_u64;
        let names = match keywords.get("required") {
            None => &[],
            Some(Value::Array(names)) => names.as_slice(),
            Some(_) => return rules.doubt(Kind::Object),
        };
        let mut places: HashMap<Box<str>, usize> = members
            .iter()
            .enumerate()
            .map(|(place, member)| (member.name.clone(), place))
            .collect();
        for name in names {
            let Some(name) = name.as_str() else {
                return rules.doubt(Kind::Object);
            };
            let place = *places.entry(name.into()).or_insert_with(|| {
                members.push(Member { name: name.into(), node: rest });
                members.len() - 1
            });
            if place >= 64 {
                return rules.doubt(Kind::Object);
            }
            required |= 1 << place;
        }
        if !members.is_empty() || rest.is_some() || least > 0 || most < u64::MAX {
            let places = (members.len() >= HASHED_MEMBERS).then_some(places);
            let members = members.into_boxed_slice();
            rules.object = Some(ObjectRules { members, places, required, rest, least, most });
        }
    }
}

impl Rules {
    fn doubt(&mut self, kind: Kind) {
        self.kinds = self.kinds.without(KindSet::of(kind));
    }

    fn read_types(&mut self, types: &Value) {
        let names: Vec<&Value> = match types {
            Value::Array(names) => names.iter().collect(),
            name => vec![name],
        };
        self.kinds = KindSet::NONE;
        let mut every_number = false;
        for name in names {
            let kind = match name.as_str() {
                Some("null") => Kind::Null,
                Some("boolean") => Kind::Bool,
                Some("integer") => Kind::Number,
                Some("number") => {
                    every_number = true;
                    Kind::Number
                }
                Some("string") => Kind::String,
                Some("array") => Kind::Array,
                Some("object") => Kind::Object,
                Some(_) | None => {
                    self.kinds = KindSet::NONE;
                    return;
                }
            };
            self.kinds = self.kinds.with(KindSet::of(kind));
        }
        self.only_integers = !every_number && self.kinds.has(Kind::Number);
    }

    fn read_literals(&mut self, keywords: &Map<String, Value>, draft: Draft) {
        match (keywords.get("const"), keywords.get("enum")) {
            (None, None) => {}
            (Some(fixed), None) if draft != Draft::Draft4 => {
                self.literals = Some(Box::new([Literal::new(fixed)]));
            }
            (None, Some(Value::Array(values))) => {
                self.literals = Some(values.iter().map(Literal::new).collect());
            }
            _ => self.kinds = KindSet::NONE,
        }
    }

    fn read_number(&mut self, keywords: &Map<String, Value>, draft: Draft) {
        let mut bounds = NumberRules::default();
        let mut known = true;
        for (keyword, slot) in [
            ("minimum", &mut bounds.least),
            ("maximum", &mut bounds.most),
            ("exclusiveMinimum", &mut bounds.above),
            ("exclusiveMaximum", &mut bounds.below),
        ] {
            if let Some(limit) = keywords.get(keyword) {
                *slot = bound(limit);
                known &= slot.is_some() && (draft != Draft::Draft4 || !keyword.starts_with("ex"));
            }
        }
        if !known {
            self.doubt(Kind::Number);
        } else if bounds != NumberRules::default() {
            self.number = Some(bounds);
        }
    }

    fn read_string(&mut self, keywords: &Map<String, Value>) {
        match (size(keywords.get("minLength"), 0), size(keywords.get("maxLength"), u64::MAX)) {
            (Some(0), Some(u64::MAX)) => {}
            (Some(least), Some(most)) => self.string = Some(StringRules { least, most }),
            _ => self.doubt(Kind::String),
        }
    }
}

fn size(value: Option<&Value>, absent: u64) -> Option<u64> {
    value.map_or(Some(absent), Value::as_u64)
}

/// Whether an unchecked keyword stands there in a form that asserts nothing.
fn is_idle(keyword: &str, value: &Value) -> bool {
    match (keyword, value) {
        ("propertyNames" | "unevaluatedItems" | "unevaluatedProperties", Value::Bool(flag)) => {
            *flag
        }
        ("propertyNames", Value::Object(names)) => {
            names.iter().all(|(keyword, value)| keyword == "type" && value == "string")
        }
        ("patternProperties", Value::Object(patterns)) => patterns.is_empty(),
        _ => false,
    }
}

/// Whether an object below the root has one of these keys with a string: an identity or a dialect
/// of its own changes where references lead. Data that looks like it counts too.
fn has_inner(root: &Value, keys: &[&str]) -> bool {
    let mut open: Vec<&Value> = children(root).collect();
    while let Some(value) = open.pop() {
        if keys.iter().any(|key| value.get(key).is_some_and(Value::is_string)) {
            return true;
        }
        open.extend(children(value));
    }
    false
}

fn children(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(elements) => Box::new(elements.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => Box::new(std::iter::empty()),
    }
}
