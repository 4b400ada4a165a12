//! Schemas of envelopes from files that extend the built-in ones or stand in their place.

use super::{Direction, Envelopes};
use crate::check::worded_schema::{MAX_DEPTH, Shape};
use crate::json::{Raw, scan_document, to_value};
use crate::rulebook::Problem;
use crate::rulebook::problem::{Mark, Problems};
use serde_json::{Map, Value};
use std::fmt;

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvelopeError(pub Vec<Problem>);

impl std::error::Error for EnvelopeError {}

impl fmt::Display for EnvelopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.len();
        let plural = if count == 1 { "" } else { "s" };
        write!(f, "the schemas of envelopes have {count} error{plural}")?;
        self.0.iter().try_for_each(|problem| write!(f, "\n\n{problem}"))
    }
}

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
    let mistakes = match Shape::compile(schema, direction.noun()) {
        Ok(shape) => return Some(shape),
        Err(mistakes) => mistakes,
    };
    for mistake in mistakes {
        let mut mark = place(written.text, raw, &mistake.pointer);
        mark.file = number;
        problems.error(mark, format!("{} (at `{}`)", mistake.message, mistake.pointer));
    }
    None
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
        let step = step.replace("~1", "/").replace("~0", "~");
        let inner = match found.elements() {
            Some(elements) => step.parse().ok().and_then(|at: usize| elements.get(at).copied()),
            None => found.member(&step),
        };
        let Some(inner) = inner else { break };
        found = inner;
    }
    let start = found.text().as_ptr().addr() - text.as_ptr().addr();
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
    let Some(members) = target.as_object_mut() else { return };
    for (name, change) in changes {
        if change.is_null() {
            members.shift_remove(&name);
        } else {
            merge_patch(members.entry(name).or_insert(Value::Null), change);
        }
    }
}
