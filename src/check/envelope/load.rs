//! Schemas of envelopes from files that extend the built-in ones or stand in their place.

use super::{Direction, Envelopes};
use crate::check::worded_schema::{MAX_DEPTH, Shape, ShapeMistake};
use crate::json::{Raw, scan_document, start_in, to_value, unescaped_step};
use crate::rulebook::Problem;
use crate::rulebook::problem::{Mark, Problems, listing};
use serde_json::{Map, Value};

/// Schemas are written by hand; anything longer is a mistake.
const LONGEST: usize = 1 << 20;

/// A schema of envelopes as somebody wrote it.
///
/// A file with a `$schema` at its root stands in the place of the built-in schema. Any other is a
/// JSON merge patch (RFC 7396) of it: its members are added or replaced, and what is `null` in the
/// patch is taken away.
#[derive(Clone, Copy, Debug)]
pub struct SchemaFile<'a> {
    /// What messages call the file.
    pub name: &'a str,
    pub text: &'a str,
}

/// Everything that is wrong with schemas of envelopes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", listing("the description of envelopes", .0))]
pub struct EnvelopeError(pub Vec<Problem>);

impl Envelopes {
    /// The built-in schemas with changes, or with others in their place; all mistakes of both files
    /// at once.
    pub fn load(
        request: Option<SchemaFile<'_>>,
        response: Option<SchemaFile<'_>>,
    ) -> Result<Self, EnvelopeError> {
        let mut problems = Problems::default();
        let request = shape(Direction::Request, request, &mut problems);
        let response = shape(Direction::Response, response, &mut problems);
        match (request, response) {
            (Some(request), Some(response)) => Ok(Self { request, response }),
            _ => Err(EnvelopeError(problems.into_errors())),
        }
    }
}

fn shape(
    direction: Direction,
    file: Option<SchemaFile<'_>>,
    problems: &mut Problems,
) -> Option<Shape> {
    let builtin = SchemaFile { name: direction.noun(), text: direction.schema() };
    let written = file.unwrap_or(builtin);
    let number = problems.add_file(written.name, written.text);
    let raw = read(written, number, problems)?;
    let mut schema = to_value(raw);
    if schema.get("$schema").is_none() {
        let mut whole = to_value(read(builtin, number, problems)?);
        merge_patch(&mut whole, schema);
        schema = whole;
    }
    let tell = |mistakes: Vec<ShapeMistake>| {
        for ShapeMistake { pointer, message } in mistakes {
            let mark = place(written.text, raw, &pointer);
            problems.error(Mark { file: number, ..mark }, format!("{message} (at `{pointer}`)"));
        }
    };
    Shape::compile(schema, direction.noun()).map_err(tell).ok()
}

fn read<'a>(file: SchemaFile<'a>, number: usize, problems: &Problems) -> Option<Raw<'a>> {
    if file.text.len() > LONGEST {
        problems.error(Mark { file: number, start: 0, end: 0 }, "the schema is longer than 1 MiB");
        return None;
    }
    match scan_document(file.text, MAX_DEPTH) {
        Ok(raw) => Some(raw),
        Err(error) => {
            let mark = Mark { file: number, start: error.at, end: error.at };
            problems.error(mark, format!("this is not JSON: {}", error.kind));
            None
        }
    }
}

/// Where a pointer leads in a file, or as far as it leads: a patch has only part of the schema.
fn place(text: &str, root: Raw<'_>, pointer: &str) -> Mark {
    let mut found = root;
    for step in pointer.split('/').skip(1) {
        let step = unescaped_step(step);
        let inner = match found.elements() {
            Some(elements) => step.parse().ok().and_then(|at: usize| elements.get(at).copied()),
            None => found.member(&step),
        };
        let Some(inner) = inner else { break };
        found = inner;
    }
    let start = start_in(text, found.text());
    Mark { file: 0, start, end: start + found.text().len() }
}

fn merge_patch(target: &mut Value, patch: Value) {
    let Value::Object(changes) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    for (name, change) in changes {
        if change.is_null() {
            target.as_object_mut().and_then(|members| members.shift_remove(&name));
        } else {
            merge_patch(&mut target[name], change);
        }
    }
}
