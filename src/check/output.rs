//! Holds a reply against its tool's output schema.

use super::payload::MAX_DEPTH;
use super::schema::{CompiledSchema, SchemaCheck};
use crate::json::{Kind, scan_document};
use crate::rulebook::{JsonNull, SchemaRule, UncompilableSchema};
use crate::tape::{Block, CallResult};
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
            UncompilableSchema::Reported => Some(said(SchemaOutcome::Uncompilable, reason)),
        };
    }
    if let Some(structured) = result.structured {
        return Some(outcome(schema.check(structured)));
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
        return Some(outcome(schema.check(json)));
    }
    Some(said(SchemaOutcome::NoJson, "Tool has output schema but response contains no valid JSON"))
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

fn outcome(check: SchemaCheck) -> OutputSchemaValidation {
    match check {
        SchemaCheck::Valid => {
            OutputSchemaValidation { outcome: SchemaOutcome::Valid, error: None, pointer: None }
        }
        SchemaCheck::Invalid { message, pointer } => OutputSchemaValidation {
            outcome: SchemaOutcome::Invalid,
            error: Some(message),
            pointer: Some(pointer),
        },
        SchemaCheck::Undecided { reason } => said(SchemaOutcome::Undecided, &reason),
    }
}

fn said(outcome: SchemaOutcome, error: &str) -> OutputSchemaValidation {
    OutputSchemaValidation { outcome, error: Some(error.to_owned()), pointer: None }
}
