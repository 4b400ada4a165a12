//! The fields of a schema at every level, with bounds on how many are looked at.

use crate::json::{Kind, Raw, escaped_step, unescaped_step};
use std::collections::VecDeque;

/// Schemas of one root that are looked at.
const MAX_SCHEMAS: usize = 5_000;
/// How deep below the root fields are looked for. Each level is read again, so this bounds the cost.
const MAX_DEPTH: usize = 24;
/// How many references are followed from one field to a description.
const MAX_REFERENCES: usize = 4;

/// A property of a schema.
#[derive(Clone, Debug)]
pub(super) struct Field<'a> {
    /// JSON pointer within the tool's definition.
    pub(super) at: String,
    /// The names of the properties that lead to it, joined by dots; array items add nothing.
    pub(super) path: String,
    pub(super) schema: Raw<'a>,
    /// Whether it, or what it refers to, has a description.
    pub(super) is_described: bool,
    /// How many properties enclose it.
    pub(super) level: usize,
    /// How many keywords lead to it.
    depth: usize,
}

/// How a keyword holds the schemas below it.
#[derive(Clone, Copy)]
enum Holds {
    /// As its value.
    One,
    /// As elements.
    List,
    /// As members whose names are no fields.
    Named,
    /// As members whose names are fields.
    Fields,
}

/// The keywords below which fields are looked for.
const KEYWORDS: [(&str, Holds); 12] = [
    ("properties", Holds::Fields),
    ("items", Holds::One),
    ("prefixItems", Holds::List),
    ("additionalProperties", Holds::One),
    ("patternProperties", Holds::Named),
    ("allOf", Holds::List),
    ("anyOf", Holds::List),
    ("oneOf", Holds::List),
    ("then", Holds::One),
    ("else", Holds::One),
    ("$defs", Holds::Named),
    ("definitions", Holds::Named),
];

/// The fields of a schema, outer ones first.
pub(super) fn fields<'a>(root: Raw<'a>, at: &str) -> Vec<Field<'a>> {
    let mut found = Vec::new();
    let mut seen = 0;
    let (at, path) = (at.to_owned(), String::new());
    let mut waiting =
        VecDeque::from([Field { schema: root, at, path, level: 0, depth: 0, is_described: false }]);
    while let Some(visit) = waiting.pop_front().filter(|_| seen < MAX_SCHEMAS) {
        seen += 1;
        if visit.depth >= MAX_DEPTH {
            continue;
        }
        for (key, value) in visit.schema.members().unwrap_or_default() {
            let Some((keyword, holds)) = KEYWORDS.iter().find(|(keyword, _)| key.is(keyword))
            else {
                continue;
            };
            for (name, schema) in below(*holds, value) {
                let inner = within(&visit, keyword, name.as_deref(), schema);
                if !matches!(holds, Holds::Fields) {
                    waiting.push_back(inner);
                    continue;
                }
                let name = name.unwrap_or_default();
                let dot = if visit.path.is_empty() { "" } else { "." };
                let path = format!("{}{dot}{name}", visit.path);
                waiting.push_back(Field {
                    path: path.clone(),
                    level: visit.level + 1,
                    ..inner.clone()
                });
                let is_described = is_described(schema, root);
                found.push(Field { path, is_described, ..inner });
            }
            waiting.truncate(MAX_SCHEMAS - seen);
        }
    }
    found.truncate(MAX_SCHEMAS);
    found
}

/// The schemas that a keyword holds, with their names in it.
fn below(holds: Holds, value: Raw<'_>) -> Vec<(Option<String>, Raw<'_>)> {
    match holds {
        Holds::One => {
            let object = Some(value).filter(|value| value.kind() == Kind::Object);
            object.map(|schema| (None, schema)).into_iter().collect()
        }
        Holds::List => {
            let elements = value.elements().unwrap_or_default().into_iter().enumerate();
            elements.map(|(at, schema)| (Some(at.to_string()), schema)).collect()
        }
        Holds::Named | Holds::Fields => {
            let members = value.members().unwrap_or_default().into_iter();
            members.map(|(name, schema)| (Some(name.decode().into_owned()), schema)).collect()
        }
    }
}

/// A schema below a keyword of another.
fn within<'a>(from: &Field<'a>, keyword: &str, name: Option<&str>, schema: Raw<'a>) -> Field<'a> {
    let mut at = format!("{}/{keyword}", from.at);
    if let Some(name) = name {
        at = format!("{at}/{}", escaped_step(name));
    }
    Field { schema, at, path: from.path.clone(), depth: from.depth + 1, ..from.clone() }
}

impl Field<'_> {
    /// The last name of its path.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit_once('.').map_or(&self.path, |(_, name)| name)
    }

    /// Whether its values are, or may be, of this type.
    pub(super) fn is_of_type(&self, name: &str) -> bool {
        let Some(found) = self.schema.member("type") else { return false };
        let is = |value: Raw<'_>| value.as_str().is_some_and(|text| text.is(name));
        is(found) || found.elements().unwrap_or_default().into_iter().any(is)
    }

    /// Whether its values are listed.
    pub(super) fn is_listed(&self) -> bool {
        self.schema.member("enum").is_some() || self.schema.member("const").is_some()
    }
}

/// Whether a schema, or one that it refers to within its root, has a description.
fn is_described<'a>(schema: Raw<'a>, root: Raw<'a>) -> bool {
    let mut schema = schema;
    for _ in 0..MAX_REFERENCES {
        if has_text(schema, "description") || has_text(schema, "title") {
            return true;
        }
        let reference = schema.member("$ref").and_then(Raw::as_str);
        let Some(target) = reference.and_then(|text| resolve(root, &text.decode())) else {
            return false;
        };
        schema = target;
    }
    false
}

fn resolve<'a>(root: Raw<'a>, reference: &str) -> Option<Raw<'a>> {
    let path = reference.strip_prefix("#/")?;
    path.split('/')
        .take(MAX_DEPTH)
        .try_fold(root, |schema, part| schema.member(&unescaped_step(part)))
}

/// Whether a member is a text with something in it.
fn has_text(holder: Raw<'_>, name: &str) -> bool {
    let text = holder.member(name).and_then(Raw::as_str);
    text.is_some_and(|text| !text.decode().trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan_document;

    fn paths(text: &str) -> Vec<(String, String, bool)> {
        let raw = scan_document(text, 100_000).expect("well-formed");
        let found = fields(raw, "/outputSchema");
        found.into_iter().map(|field| (field.path, field.at, field.is_described)).collect()
    }

    #[test]
    fn fields_of_every_level_are_found() {
        let text = r##"{"properties":{"a/b":{"description":"x"},"list":{"items":{"properties":{"id":{"$ref":"#/$defs/id"}}}}},
            "anyOf":[{"properties":{"c":{}}}],"$defs":{"id":{"type":"string","description":"An id"}}}"##;
        let expected = [
            ("a/b", "/outputSchema/properties/a~1b", true),
            ("list", "/outputSchema/properties/list", false),
            ("c", "/outputSchema/anyOf/0/properties/c", false),
            ("list.id", "/outputSchema/properties/list/items/properties/id", true),
        ];
        let expected =
            expected.map(|(path, at, described)| (path.to_owned(), at.to_owned(), described));
        assert_eq!(paths(text), expected);
    }

    #[test]
    fn hostile_schemas_cost_little() {
        let deep = r#"{"properties":{"a":"#.repeat(3_000) + "{}" + &"}}".repeat(3_000);
        assert!(paths(&deep).len() <= MAX_DEPTH);
        let many: Vec<String> = (0..20_000).map(|at| format!("\"f{at}\":{{}}")).collect();
        let wide = format!("{{\"properties\":{{{}}}}}", many.join(","));
        assert_eq!(paths(&wide).len(), MAX_SCHEMAS);
        let circle = r##"{"properties":{"a":{"$ref":"#/properties/a"},"b":{"$ref":"#"}}}"##;
        assert_eq!(paths(circle).len(), 2);
    }
}
