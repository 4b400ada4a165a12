//! Holds tool definitions against advice on how tools should tell their users about errors.

mod advice;
mod fields;

pub use advice::Whose;

use crate::json::{Kind, Raw, scan_document};
use crate::recording::Tool;
use crate::verdict::{Issue, Severity};
use advice::{ADVICE, Advice, Priority};
use fields::{Field, fields};
use std::fmt::Write as _;

/// Places at which one piece of advice is given; beyond, they are only counted.
const MAX_PLACES: usize = 20;
/// How much of a text is looked through for words.
const LOOKED_THROUGH: usize = 20_000;
const MAX_EXAMPLES: usize = 50;

/// What one piece of advice finds in a definition.
#[derive(Clone, Debug)]
pub struct Given {
    /// The piece of advice.
    pub id: &'static str,
    pub whose: Whose,
    pub issue: Issue,
}

/// Compares a tool's definition with the advice. Of a tool without one, nothing can be said.
pub fn lint(tool: &Tool) -> Vec<Given> {
    let Some(text) = &tool.definition else { return Vec::new() };
    // The definition is a piece of a recording that was read, so its nesting is bounded already.
    let Ok(raw) = scan_document(text, usize::MAX) else { return Vec::new() };
    let definition = Definition::new(raw);
    ADVICE.iter().flat_map(|advice| given(advice, &definition)).collect()
}

pub fn advice_ids() -> impl Iterator<Item = &'static str> {
    ADVICE.iter().map(|advice| advice.id)
}

fn given(advice: &Advice, definition: &Definition<'_>) -> Vec<Given> {
    let places = (advice.applies)(definition);
    let unlisted = places.len().saturating_sub(MAX_PLACES);
    let listed = places.into_iter().take(MAX_PLACES);
    let listed = listed.map(|(at, subject)| (advice.message.replace("{}", &subject), Some(at)));
    let more =
        (unlisted > 0).then(|| (format!("The same applies at {unlisted} more places."), None));
    let given = listed.chain(more).map(|(message, location)| Given {
        id: advice.id,
        whose: advice.whose,
        issue: Issue {
            severity: advice.severity(),
            kind: advice.kind,
            side: advice.kind.side(),
            message,
            location,
            suggestion: Some(advice.suggestion.to_owned()),
        },
    });
    given.collect()
}

impl Advice {
    /// What must or should be done is a warning, what is nice to have is worth knowing.
    fn severity(&self) -> Severity {
        match self.priority {
            Priority::Must | Priority::Should => Severity::Warning,
            Priority::Nice => Severity::Info,
        }
    }
}

/// A tool's definition, taken apart.
struct Definition<'a> {
    raw: Raw<'a>,
    /// `None` where it is missing or blank.
    description: Option<String>,
    /// The schemas, where they are objects.
    input: Option<Raw<'a>>,
    output: Option<Raw<'a>>,
    inputs: Vec<Field<'a>>,
    outputs: Vec<Field<'a>>,
}

impl<'a> Definition<'a> {
    fn new(raw: Raw<'a>) -> Self {
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
    fn output_at(&self, path: &str) -> Option<&Field<'a>> {
        self.outputs.iter().find(|field| field.path == path)
    }

    /// Examples of use: beside the schemas, or in the input schema as JSON Schema has them.
    fn examples(&self) -> Vec<Raw<'a>> {
        let holders = [Some(self.raw), self.raw.member("_meta"), self.input];
        let lists = holders.into_iter().flatten().filter_map(|holder| holder.member("examples"));
        lists.filter_map(Raw::elements).flatten().take(MAX_EXAMPLES).collect()
    }

    /// The programs among the examples.
    fn example_programs(&self) -> Vec<String> {
        let examples = self.examples().into_iter();
        let texts = examples.filter_map(|example| example.member("code").and_then(Raw::as_str));
        texts.map(|text| text.decode_up_to(LOOKED_THROUGH).into_owned()).collect()
    }
}

/// `docs/tool-advice.md`, written from the table.
pub fn advice_document() -> String {
    let mut text = String::from(INTRODUCTION);
    for advice in &ADVICE {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | `{}` | {} | {} |",
            advice.id,
            advice.whose.name(),
            advice.priority.name(),
            advice.severity().name(),
            advice.kind.name(),
            advice.message.replace("`{}`", "…"),
            advice.suggestion,
        );
    }
    text
}

const INTRODUCTION: &str = "# Advice on tool definitions

What `tapecheck check RECORDINGS` looks for in tool definitions, written from the table in the code; house style
only with `--verbose`. What must
or should be done is a warning; what is nice to have is an info. One piece of advice is given at up to 20
places of a definition. Fields are looked for at every level of a schema: below `properties`, `items`,
`prefixItems`, `additionalProperties`, `patternProperties`, `allOf`, `anyOf`, `oneOf`, `then`, `else`,
`$defs` and `definitions`, down to 24 levels and 5,000 schemas. A field counts as described where it, or
what it refers to within its schema, has a description or a title.

A tool is looked at once for each definition it has. Definitions come from call lines, from lists of
tools in recordings, from answers to `tools/list`, and from files that are tool lists; at most 10,000 of them
and 64 MiB of text are kept. Tools that are called but defined nowhere are counted, and named with
`--format json`.

| advice | whose | importance | severity | issue type | what is wrong | what to do |
|---|---|---|---|---|---|---|
";

#[cfg(test)]
mod tests;
