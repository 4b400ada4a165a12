//! What a reply consists of, and what its tool's output schema says of it.

use super::payload::MAX_DEPTH;
use super::schema::CompiledSchema;
use crate::json::{Kind, scan_document};
use crate::recording::{Block, CallResult, Field};
use crate::rulebook::{
    BlockPolicy, BlockShape, JsonNull, MetadataRule, SchemaRule, UncompilableSchema,
};
use crate::verdict::{OutputSchemaValidation, ResponseMetadata, SchemaOutcome};
use hashbrown::HashSet;
use smallvec::SmallVec;
use std::borrow::Cow;

/// The blocks that count: none where the rulebook demands known shapes and one block has none.
pub(super) fn counting_blocks<'r, 'a>(
    result: &'r CallResult<'a>,
    rule: &MetadataRule,
) -> &'r [Block<'a>] {
    let blocks = result.content.blocks();
    match &rule.block_policy {
        BlockPolicy::PerBlock => blocks,
        BlockPolicy::AllOrNothing(shapes) => {
            let known = |block: &Block<'_>| shapes.iter().any(|shape| fits(block, shape));
            if blocks.iter().all(known) { blocks } else { &[] }
        }
    }
}

/// Counts and types of the blocks. The output schema's part is added by whoever checks it.
pub(super) fn metadata(
    result: &CallResult<'_>,
    blocks: &[Block<'_>],
    rule: &MetadataRule,
) -> ResponseMetadata {
    let mut content_types: SmallVec<[Cow<'static, str>; 2]> = SmallVec::new();
    let mut many = HashSet::new();
    let mut counts = SmallVec::from_elem(0, rule.counted.len());
    for kind in blocks.iter().filter_map(|block| block.kind.text()) {
        let kind = kind.decode();
        for (count, counted) in counts.iter_mut().zip(&rule.counted) {
            if counted.types.iter().any(|counted| *counted == kind) {
                *count += 1;
            }
        }
        if !rule.distinct_types || is_new(&kind, &content_types, &mut many) {
            content_types.push(known_type(kind));
        }
    }
    ResponseMetadata {
        content_types,
        counts,
        has_structured_content: result.structured.is_some(),
        has_meta: result.has_meta,
        output_schema: None,
    }
}

/// Almost all blocks have a type of the specification, which needs no memory of its own.
fn known_type(kind: Cow<'_, str>) -> Cow<'static, str> {
    match Block::TYPES.into_iter().find(|known| *known == kind) {
        Some(known) => Cow::Borrowed(known),
        None => Cow::Owned(kind.into_owned()),
    }
}

/// Types that are looked through one by one; beyond, a set is quicker.
const FEW: usize = 16;

/// Whether a type is not listed yet, in a time that a hostile reply cannot drive up: `many` are those that are listed,
/// where they are many.
fn is_new(kind: &str, listed: &[Cow<'static, str>], many: &mut HashSet<String>) -> bool {
    if listed.len() < FEW {
        return !listed.iter().any(|known| known == kind);
    }
    if many.is_empty() {
        many.extend(listed.iter().map(|known| known.clone().into_owned()));
    }
    many.insert(kind.to_owned())
}

fn fits(block: &Block<'_>, shape: &BlockShape) -> bool {
    let Some(kind) = block.kind.text() else { return false };
    let is_string = |name: &String| matches!(block.field(name), Field::Text(_));
    let is_no_other = |name: &String| !matches!(block.field(name), Field::Other(_));
    (shape.types.is_empty() || shape.types.iter().any(|known| kind.is(known)))
        && shape.required.iter().all(is_string)
        && shape.optional.iter().all(is_no_other)
}

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
    for text in blocks.iter().filter(|block| block.is_text()).filter_map(|block| block.text.text())
    {
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

/// Most texts are prose, which the first character betrays.
fn may_be_json(text: &str) -> bool {
    text.bytes().find(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).is_some_and(|byte| {
        matches!(byte, b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')
    })
}
