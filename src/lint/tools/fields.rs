//! The fields of a schema at every level, with bounds on how many are looked at.

use crate::json::{Kind, Raw};
use std::collections::VecDeque;

/// Schemas of one root that are looked at.
const MAX_SCHEMAS: usize = 5_000;
/// How deep below the root fields are looked for. Each level is read again, so this bounds the cost.
const MAX_DEPTH: usize = 24;
/// How many references are followed from one field to a description.
const MAX_REFERENCES: usize = 4;

/// A property of a schema.
#[derive(Debug)]
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
}

struct Visit<'a> {
    schema: Raw<'a>,
    at: String,
    path: String,
    level: usize,
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
    let mut waiting = VecDeque::from([Visit {
        schema: root,
        at: at.to_owned(),
        path: String::new(),
        level: 0,
        depth: 0,
    }]);
    while let Some(visit) = waiting.pop_front() {
        seen += 1;
        if seen > MAX_SCHEMAS {
            break;
        }
        if visit.depth >= MAX_DEPTH {
            continue;
        }
        for (key, value) in visit.schema.members().unwrap_or_default() {
            let Some((keyword, holds)) = KEYWORDS.iter().find(|(keyword, _)| key.is(keyword))
            else {
                continue;
            };
            below(&visit, keyword, *holds, value, |inner| {
                if matches!(holds, Holds::Fields) {
                    found.push(Field {
                        at: inner.at.clone(),
                        path: inner.path.clone(),
                        schema: inner.schema,
                        is_described: is_described(inner.schema, root),
                        level: inner.level - 1,
                    });
                }
                if waiting.len() + seen < MAX_SCHEMAS {
                    waiting.push_back(inner);
                }
            });
        }
    }
    found.truncate(MAX_SCHEMAS);
    found
}

/// Calls `each` for every schema that a keyword holds.
fn below<'a>(
    from: &Visit<'a>,
    keyword: &str,
    holds: Holds,
    value: Raw<'a>,
    mut each: impl FnMut(Visit<'a>),
) {
    let inner = |schema, name: Option<&str>| {
        let mut at = format!("{}/{keyword}", from.at);
        if let Some(name) = name {
            at.push('/');
            at.push_str(&name.replace('~', "~0").replace('/', "~1"));
        }
        Visit { schema, at, path: from.path.clone(), level: from.level, depth: from.depth + 1 }
    };
    match holds {
        Holds::One => {
            if value.kind() == Kind::Object {
                each(inner(value, None));
            }
        }
        Holds::List => {
            for (at, schema) in value.elements().unwrap_or_default().into_iter().enumerate() {
                each(inner(schema, Some(&at.to_string())));
            }
        }
        Holds::Named => {
            for (name, schema) in value.members().unwrap_or_default() {
                each(inner(schema, Some(&name.decode())));
            }
        }
        Holds::Fields => {
            for (name, schema) in value.members().unwrap_or_default() {
                let name = name.decode();
                let mut visit = inner(schema, Some(&name));
                if !visit.path.is_empty() {
                    visit.path.push('.');
                }
                visit.path.push_str(&name);
                visit.level += 1;
                each(visit);
            }
        }
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
        .try_fold(root, |schema, part| schema.member(&part.replace("~1", "/").replace("~0", "~")))
}

/// Whether a member is a text with something in it.
pub(super) fn has_text(holder: Raw<'_>, name: &str) -> bool {
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
