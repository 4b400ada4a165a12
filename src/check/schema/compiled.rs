//! One schema, ready to be held against values.

use super::SchemaCheck;
use crate::json::{self, Raw};
use crate::rulebook::SchemaRule;

/// A schema after compilation: a checker, or the reason why there is none.
#[derive(Debug)]
pub struct CompiledSchema {
    checker: Result<jsonschema::Validator, String>,
}

impl CompiledSchema {
    /// Compiles a schema's JSON text.
    #[must_use]
    pub fn compile(schema_text: &str, _rule: &SchemaRule) -> Self {
        let checker = json::scan_document(schema_text, 128)
            .map_err(|error| format!("the schema is not JSON: {error}"))
            .and_then(|raw| {
                jsonschema::options()
                    .offline()
                    .build(&json::to_value(raw))
                    .map_err(|error| error.to_string())
            });
        Self { checker }
    }

    /// Why the schema cannot be used, if it cannot.
    #[must_use]
    pub fn unusable(&self) -> Option<&str> {
        self.checker.as_ref().err().map(String::as_str)
    }

    /// Holds a value against the schema.
    #[must_use]
    pub fn check(&self, instance: Raw<'_>) -> SchemaCheck {
        let validator = match &self.checker {
            Ok(validator) => validator,
            Err(reason) => return SchemaCheck::Undecided { reason: reason.clone() },
        };
        match validator.validate(&json::to_value(instance)) {
            Ok(()) => SchemaCheck::Valid,
            Err(error) => SchemaCheck::Invalid {
                message: error.to_string(),
                pointer: error.instance_path().to_string(),
            },
        }
    }
}
