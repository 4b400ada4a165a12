//! A tool's definition as the advice looks at it.

use super::fields::{Field, fields};
use crate::json::{Kind, Raw};

/// How much of a text is looked through for words.
const LOOKED_THROUGH: usize = 20_000;
const MAX_EXAMPLES: usize = 50;

/// A tool's definition, taken apart.
pub(super) struct Definition<'a> {
    raw: Raw<'a>,
    /// Its description; `None` where it is missing or blank.
    pub(super) description: Option<String>,
    /// Its input schema, if it is an object.
    pub(super) input: Option<Raw<'a>>,
    /// Its output schema, if it is an object.
    pub(super) output: Option<Raw<'a>>,
    pub(super) inputs: Vec<Field<'a>>,
    pub(super) outputs: Vec<Field<'a>>,
}

impl<'a> Definition<'a> {
    pub(super) fn new(raw: Raw<'a>) -> Self {
        let schema = |name: &str| raw.member(name).filter(|it| it.kind() == Kind::Object);
        let (input, output) = (schema("inputSchema"), schema("outputSchema"));
        let description = raw.member("description").and_then(Raw::as_str);
        Self {
            raw,
            description: description
                .map(|text| text.decode_up_to(LOOKED_THROUGH).trim().to_owned())
                .filter(|text| !text.is_empty()),
            input,
            output,
            inputs: input.map(|schema| fields(schema, "/inputSchema")).unwrap_or_default(),
            outputs: output.map(|schema| fields(schema, "/outputSchema")).unwrap_or_default(),
        }
    }

    /// The output field at this path, wherever groups like `validation` put it.
    pub(super) fn output_at(&self, path: &str) -> Option<&Field<'a>> {
        self.outputs.iter().find(|field| field.path == path)
    }

    /// Examples of use: beside the schemas, or in the input schema as JSON Schema has them.
    pub(super) fn examples(&self) -> Vec<Raw<'a>> {
        let holders = [Some(self.raw), self.raw.member("_meta"), self.input];
        let lists = holders.into_iter().flatten().filter_map(|holder| holder.member("examples"));
        lists.filter_map(Raw::elements).flatten().take(MAX_EXAMPLES).collect()
    }

    /// The programs among the examples.
    pub(super) fn example_programs(&self) -> Vec<String> {
        let code = |example: &Raw<'a>| {
            let text = example.member("code").and_then(Raw::as_str)?;
            Some(text.decode_up_to(LOOKED_THROUGH).into_owned())
        };
        self.examples().iter().filter_map(code).collect()
    }
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
