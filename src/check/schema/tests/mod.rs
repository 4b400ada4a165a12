//! What the module promises, tried as a whole.

mod behaviour;
mod quickness;
mod reference;

use crate::rulebook::{DialectRule, JsonNull, SchemaRule, UncompilableSchema, UnknownFormat};

/// Every dialect, unknown formats are annotations.
fn declared() -> SchemaRule {
    SchemaRule {
        dialect: DialectRule::Declared,
        assert_formats: None,
        unknown_format: UnknownFormat::Ignored,
        uncompilable: UncompilableSchema::Reported,
        json_null: JsonNull::IsValue,
        on_errors: false,
    }
}

/// The common JavaScript validator of draft 7.
fn javascript() -> SchemaRule {
    SchemaRule {
        dialect: DialectRule::Draft7Only,
        assert_formats: Some(true),
        unknown_format: UnknownFormat::RefusesSchema,
        uncompilable: UncompilableSchema::AsIfAbsent,
        json_null: JsonNull::StopsSearch,
        on_errors: true,
    }
}
