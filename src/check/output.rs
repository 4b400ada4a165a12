//! Holds a reply against its tool's output schema.

use super::payload::MAX_DEPTH;
use super::schema::{CompiledSchema, SchemaCheck};
use crate::json::{Kind, Raw, scan_document};
use crate::recording::{Block, CallResult};
use crate::rulebook::{JsonNull, SchemaRule, UncompilableSchema};
use crate::verdict::{OutputSchemaValidation, SchemaOutcome};

/// What the tool's output schema says of a reply; `None` where the tool counts as having none.
pub(super) fn check_output(
    schema: &CompiledSchema,
    result: &CallResult<'_>,
    blocks: &[Block<'_>],
    rule: &SchemaRule,
) -> Option<OutputSchemaValidation> {
    if let Some(reason) = schema.unusable() {
        return match rule.uncompilable {
            UncompilableSchema::AsIfAbsent => None,
            UncompilableSchema::Reported => {
                Some(validation(schema, SchemaOutcome::Uncompilable, reason))
            }
        };
    }
    if let Some(structured) = result.structured {
        return Some(outcome(schema, structured));
    }
    for text in blocks.iter().filter(|block| is_text(block)).filter_map(|block| block.text.text()) {
        let text = text.decode();
        let Some(json) = may_be_json(&text).then(|| scan_document(&text, MAX_DEPTH).ok()).flatten()
        else {
            continue;
        };
        if json.kind() == Kind::Null && rule.json_null == JsonNull::StopsSearch {
            break;
        }
        return Some(outcome(schema, json));
    }
    let missing = "Tool has output schema but response contains no valid JSON";
    Some(validation(schema, SchemaOutcome::NoJson, missing))
}

fn is_text(block: &Block<'_>) -> bool {
    block.kind.text().is_some_and(|kind| kind.is("text"))
}

/// Most texts are prose, which the first character betrays.
fn may_be_json(text: &str) -> bool {
    text.bytes().find(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).is_some_and(|byte| {
        matches!(byte, b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')
    })
}

fn outcome(schema: &CompiledSchema, value: Raw<'_>) -> OutputSchemaValidation {
    let key = schema.key();
    match schema.check(value) {
        SchemaCheck::Valid => OutputSchemaValidation {
            outcome: SchemaOutcome::Valid,
            error: None,
            pointer: None,
            keyword: None,
            key,
        },
        SchemaCheck::Invalid { message, pointer, keyword } => OutputSchemaValidation {
            outcome: SchemaOutcome::Invalid,
            error: Some(message),
            pointer: Some(pointer),
            keyword,
            key,
        },
        SchemaCheck::Undecided { reason } => validation(schema, SchemaOutcome::Undecided, &reason),
    }
}

fn validation(
    schema: &CompiledSchema,
    outcome: SchemaOutcome,
    error: &str,
) -> OutputSchemaValidation {
    OutputSchemaValidation {
        outcome,
        error: Some(error.to_owned()),
        pointer: None,
        keyword: None,
        key: schema.key(),
    }
}
