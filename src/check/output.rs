//! Holds a reply against its tool's output schema.

use super::payload::MAX_DEPTH;
use super::schema::CompiledSchema;
use crate::json::{Kind, scan_document};
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
                Some(schema.check_nothing(SchemaOutcome::Uncompilable, reason))
            }
        };
    }
    if let Some(structured) = result.structured {
        return Some(schema.check(structured));
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
        return Some(schema.check(json));
    }
    let missing = "Tool has output schema but response contains no valid JSON";
    Some(schema.check_nothing(SchemaOutcome::NoJson, missing))
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
