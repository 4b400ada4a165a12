//! Holds tool definitions against advice on how tools should tell their users about errors.

mod advice;
mod fields;

pub use advice::Whose;

use crate::json::{Kind, Raw, scan_document};
use crate::recording::Tool;
use crate::verdict::{Issue, Severity};
use advice::{Advice, Priority, all, applies};
use fields::{Field, fields};

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
    all().iter().flat_map(|advice| given(advice, &definition)).collect()
}

pub fn advice_ids() -> impl Iterator<Item = &'static str> {
    all().iter().map(|advice| &*advice.id)
}

fn given(advice: &'static Advice, definition: &Definition<'_>) -> Vec<Given> {
    let places = applies(&advice.id, definition);
    let unlisted = places.len().saturating_sub(MAX_PLACES);
    let listed = places.into_iter().take(MAX_PLACES);
    let listed = listed.map(|(at, subject)| (advice.message.replace("{}", &subject), Some(at)));
    let more =
        (unlisted > 0).then(|| (format!("The same applies at {unlisted} more places."), None));
    let given = listed.chain(more).map(|(message, location)| Given {
        id: &advice.id,
        whose: advice.whose,
        issue: Issue {
            location,
            suggestion: Some(advice.suggestion.clone()),
            ..Issue::new(advice.severity(), advice.kind, message)
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

/// Definitions at the bounds of what is looked at; the others are files in `tests/seeds/tools`.
#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn tool(definition: impl Into<String>) -> Tool {
        Tool { definition: Some(definition.into()), ..Tool::named("t") }
    }

    #[test]
    fn without_a_definition_nothing_is_said() {
        assert!(lint(&Tool::named("get")).is_empty());
        assert!(lint(&tool("not json")).is_empty());
    }

    #[test]
    fn advice_for_very_many_fields_is_cut() {
        let fields: Vec<String> = (0..900).map(|at| format!("\"f{at}\":{{}}")).collect();
        let given =
            lint(&tool(format!("{{\"inputSchema\":{{\"properties\":{{{}}}}}}}", fields.join(","))));
        let about: Vec<&Issue> = given
            .iter()
            .filter(|given| given.id == "input-fields")
            .map(|given| &given.issue)
            .collect();
        assert_eq!(about.len(), MAX_PLACES + 1);
        assert_eq!(about[MAX_PLACES].message, "The same applies at 880 more places.");
    }

    #[test]
    fn hostile_definitions_are_looked_at_within_bounds() {
        let name = "x".repeat(1_000_000);
        let long = format!("{{\"outputSchema\":{{\"properties\":{{\"{name}\":{{}}}}}}}}");
        let deep = "{\"outputSchema\":".repeat(4_000) + "1" + &"}".repeat(4_000);
        let control = "{\"description\":\"\\u001b[2J\\ud800\",\"name\":\"\\u0000\"}".to_owned();
        for definition in
            [long, deep, control, "{\"description\":\"a\",\"description\":3}".to_owned()]
        {
            for issue in lint(&tool(definition)).into_iter().map(|given| given.issue) {
                assert!((10..=500).contains(&issue.message.len()), "{}", issue.message.len());
                assert!(issue.location.is_none_or(|at| at.len() <= 500));
            }
        }
    }

    #[test]
    fn the_document_has_all_advice() {
        const RULE: &str = "|---|---|---|---|---|---|---|\n";
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/tool-advice.md");
        let found = fs::read_to_string(path).expect("a document");
        let (before, _) = found.split_once(RULE).expect("a table at its end");
        let rows = all().iter().map(|it| {
            let (whose, priority, severity) = (it.whose.name(), it.priority.name(), it.severity());
            let (id, kind, severity) = (&it.id, it.kind.name(), severity.name());
            let (message, suggestion) = (it.message.replace("`{}`", "…"), &it.suggestion);
            format!(
                "| `{id}` | {whose} | {priority} | {severity} | `{kind}` | {message} | {suggestion} |\n"
            )
        });
        let current = [before, RULE].concat() + &rows.collect::<String>();
        if std::env::var_os("TAPECHECK_WRITE_DOCS").is_some() {
            fs::write(path, &current).expect("writable");
        } else {
            assert!(
                found == current,
                "docs/tool-advice.md is out of date: TAPECHECK_WRITE_DOCS=1 writes it"
            );
        }
    }
}
