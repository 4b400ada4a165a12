//! What a reply consists of.

use crate::recording::{Block, CallResult, Field};
use crate::rulebook::{BlockPolicy, BlockShape, MetadataRule};
use crate::verdict::ResponseMetadata;
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
    let mut seen = Seen::default();
    let mut counts = SmallVec::from_elem(0, rule.counted.len());
    for kind in blocks.iter().filter_map(|block| block.kind.text()) {
        let kind = kind.decode();
        for (count, counted) in counts.iter_mut().zip(&rule.counted) {
            if counted.types.iter().any(|counted| *counted == kind) {
                *count += 1;
            }
        }
        if !rule.distinct_types || seen.is_new(&kind, &content_types) {
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

/// Knows which types have been seen, in a time that a hostile reply cannot drive up.
#[derive(Default)]
struct Seen {
    many: HashSet<String>,
}

impl Seen {
    fn is_new(&mut self, kind: &str, listed: &[Cow<'static, str>]) -> bool {
        if listed.len() < FEW {
            return !listed.iter().any(|known| known == kind);
        }
        if self.many.is_empty() {
            self.many.extend(listed.iter().map(|known| known.clone().into_owned()));
        }
        self.many.insert(kind.to_owned())
    }
}

fn fits(block: &Block<'_>, shape: &BlockShape) -> bool {
    let Some(kind) = block.kind.text() else { return false };
    let is_string = |name: &String| matches!(block.field(name), Field::Text(_));
    let is_no_other = |name: &String| !matches!(block.field(name), Field::Other(_));
    (shape.types.is_empty() || shape.types.iter().any(|known| kind.is(known)))
        && shape.required.iter().all(is_string)
        && shape.optional.iter().all(is_no_other)
}
