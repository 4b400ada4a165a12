//! A JSON Schema with words: a value that is held against it gives issues.
//!
//! A schema may say, in `x-messages` beside its keywords, how the violation of each is worded, and
//! at its root, in `x-advice`, what should be so without having to be:
//!
//! ```json
//! {
//!   "properties": {
//!     "name": {"type": "string", "x-messages": {"type": {
//!       "message": "The name must be a text", "suggestion": "Put the name in quotes"
//!     }}}
//!   },
//!   "x-advice": {"an age": {
//!     "if": {"required": ["name"]}, "then": {"required": ["age"]},
//!     "type": "missing_field", "location": "/age", "message": "A name should come with an age"
//!   }}
//! }
//! ```
//!
//! A value that fits an advice's `if` but not its `then` gets a warning. Whatever has no words of its
//! own gets those of `words.toml`.

mod bounded;
mod compile;
mod words;

pub use bounded::{MAX_DEPTH, bounded_value};

use crate::verdict::{Issue, IssueType, Severity};
use jsonschema::Validator;
use serde_json::Value;
pub use words::filled;
use words::{Violation, WORDS, Wording};

/// How many violations of one value are listed.
const LISTED: usize = 100;
/// A value of more parts than this is told its first violation only: the validator gathers all of
/// them before it hands out any, and a hostile value can have millions.
const GATHERED_PARTS: usize = 20_000;

/// A schema ready to be held against values.
#[derive(Debug)]
pub struct Shape {
    noun: &'static str,
    schema: Value,
    validator: Validator,
    advice: Vec<Advice>,
}

/// Something that should be so.
#[derive(Debug)]
struct Advice {
    applies: Validator,
    wanted: Validator,
    kind: IssueType,
    location: Option<String>,
    words: Wording,
}

/// Something wrong with a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeMistake {
    /// JSON pointer to the place in the schema.
    pub pointer: String,
    pub message: String,
}

impl Shape {
    /// Compiles a schema, or says everything that is wrong with it. The noun is what messages call
    /// the values held against it.
    pub fn compile(schema: Value, noun: &'static str) -> Result<Self, Vec<ShapeMistake>> {
        let (validator, advice) = compile::compile(&schema)?;
        Ok(Self { noun, schema, validator, advice })
    }

    /// What is wrong with a value, and what should be otherwise.
    ///
    /// Only so many violations are listed, and of a very large value only the first.
    pub fn check(&self, value: &Value) -> Vec<Issue> {
        let mut issues: Vec<Issue> = if has_more_parts(value, GATHERED_PARTS) {
            let first = self.validator.validate(value).err();
            first.iter().map(|error| self.violation(error)).collect()
        } else {
            let all = self.validator.iter_errors(value).take(LISTED);
            all.map(|error| self.violation(&error)).collect()
        };
        let heeded =
            |advice: &&Advice| advice.applies.is_valid(value) && !advice.wanted.is_valid(value);
        issues.extend(self.advice.iter().filter(heeded).map(|advice| Issue {
            location: advice.location.clone(),
            suggestion: advice.words.suggestion.clone(),
            ..Issue::new(Severity::Warning, advice.kind, &*advice.words.message)
        }));
        issues
    }

    fn violation(&self, error: &jsonschema::ValidationError<'_>) -> Issue {
        WORDS.issue(&Violation { error, schema: &self.schema, noun: self.noun })
    }
}

/// Whether a value consists of more parts than this, looking at no more of them.
fn has_more_parts(value: &Value, bound: usize) -> bool {
    let mut left = bound;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        // One more than is left is enough to know, and bounds the memory of what is still open.
        let before = open.len();
        match value {
            Value::Array(elements) => open.extend(elements.iter().take(left + 1)),
            Value::Object(members) => open.extend(members.values().take(left + 1)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        let Some(rest) = left.checked_sub(open.len() - before) else { return true };
        left = rest;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::check::tests::in_words;
    use serde_json::json;

    fn shape(schema: Value) -> Shape {
        Shape::compile(schema, "thing").expect("a usable schema")
    }

    #[test]
    fn schemas_with_words_say_what_their_cases_list() {
        cases::check("tests/cases/worded-schemas.txt", |case| {
            let (values, schema) = case.questions(&["value"]);
            let json = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
            let answers: Vec<String> = match Shape::compile(json(&schema), "thing") {
                Ok(shape) => {
                    let found =
                        |value: &&str| in_words(&shape.check(&json(&value["value ".len()..])));
                    values.iter().map(found).collect()
                }
                Err(mistakes) => {
                    mistakes.iter().map(|it| format!("{}: {}", it.pointer, it.message)).collect()
                }
            };
            answers.join("\n")
        });
    }

    #[test]
    fn a_very_large_value_is_told_its_first_violation_only() {
        let shape = shape(json!({"items": {"type": "string"}}));
        let found = |count: usize| shape.check(&Value::from(vec![1; count])).len();
        assert_eq!([50, 5_000, GATHERED_PARTS + 1].map(found), [50, LISTED, 1]);
    }

    #[test]
    fn messages_stay_short_whatever_the_value_is() {
        let schema =
            json!({"additionalProperties": {"type": "object", "additionalProperties": false}});
        let long = "x".repeat(100_000);
        let value = json!({ long.clone(): { long: 1 } });
        for issue in shape(schema).check(&value) {
            let texts = [Some(issue.message), issue.location, issue.suggestion];
            assert!(texts.iter().flatten().all(|text| text.chars().count() <= Issue::LONGEST));
        }
    }
}
