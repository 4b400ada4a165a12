//! Reads the texts of labelled exchanges from the recordings again.

use super::reply::{LabelledReply, Replies};
use crate::check::{input_text, judged_text};
use crate::compare::Side;
use crate::corpus::{Bounds, CorpusReader};
use crate::measure::accuracy::Item;
use crate::recording::{Key, Reply};
use crate::redact::Redactor;
use crate::rulebook::Rulebook;
use crate::run::{DriveError, Located, for_each_exchange};
use crate::verdict::Ground;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// So much of a text is kept: all of it, but for giants, so that what is measured is what runs say.
const MOST_TEXT: usize = 1 << 20;

/// Texts could not be had.
#[derive(Debug, thiserror::Error)]
pub enum GatherError {
    /// Threads or blocks failed.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// The recordings are not those that were judged.
    #[error(
        "{missing} of {labelled} labelled calls are no longer in the recordings: they changed \
         since they were classified"
    )]
    Gone {
        /// How many are not found.
        missing: usize,
        /// How many have a label.
        labelled: usize,
    },
}

/// Reads the texts of a side's labelled exchanges. Their secrets are masked: phrases of them come into rulebooks.
pub fn gather(
    reader: CorpusReader,
    bounds: &Bounds,
    side: &Side,
    items: &[Item],
    rulebook: &Rulebook,
    redactor: &Redactor,
) -> Result<Replies, GatherError> {
    let mut wanted: BTreeMap<Key, Vec<&Item>> = BTreeMap::new();
    for item in items {
        wanted.entry(side.entries[item.entry as usize].key).or_default().push(item);
    }
    let mut found: BTreeMap<u32, LabelledReply> = BTreeMap::new();
    for_each_exchange(reader, bounds, |located| {
        for item in wanted.get(&located.keys.exchange).into_iter().flatten() {
            let entry = &side.entries[item.entry as usize];
            let place = (side.names.get(entry.file), u64::from(entry.line));
            // Of equal exchanges, the one that stands where the labelled one did comes before others.
            let is_wanted = place == (located.file_as_recorded(), located.place().line)
                || !found.contains_key(&item.entry);
            if is_wanted {
                let ground = side.verdicts[item.verdict as usize].ground;
                found.insert(item.entry, reply(located, item, ground, rulebook, redactor));
            }
        }
        ControlFlow::<()>::Continue(())
    })?;
    if found.len() < items.len() {
        let (missing, labelled) = (items.len() - found.len(), items.len());
        return Err(GatherError::Gone { missing, labelled });
    }
    Ok(numbered(side, found.into_values().collect()))
}

fn reply(
    located: &Located<'_>,
    item: &Item,
    ground: Ground,
    rulebook: &Rulebook,
    redactor: &Redactor,
) -> LabelledReply {
    let mask = |text: &str| redactor.mask(text).into_owned();
    let exchange = located.as_recorded();
    let text = judged_text(exchange, rulebook);
    let code = match &exchange.reply {
        Reply::Error(error) => mask(&error.code),
        Reply::Result(_) | Reply::Document(_) | Reply::None => String::new(),
    };
    let cut = |text: &str| mask(&text[..text.floor_char_boundary(MOST_TEXT)]);
    LabelledReply {
        label: item.label,
        server: item.server,
        key: located.keys.exchange,
        file: mask(located.file_as_recorded()),
        line: exchange.place.line,
        ground,
        text: cut(&text),
        tool: mask(&exchange.tool.name),
        input: cut(input_text(exchange)),
        scenario: mask(exchange.scenario.as_deref().unwrap_or_default()),
        code,
    }
}

/// Numbers servers by their names, so that nothing depends on the corpus's order.
fn numbered(side: &Side, mut all: Vec<LabelledReply>) -> Replies {
    let mut names: BTreeMap<&str, u32> = BTreeMap::new();
    for reply in &all {
        names.insert(side.names.get(reply.server), 0);
    }
    for (number, place) in (0..).zip(names.values_mut()) {
        *place = number;
    }
    for reply in &mut all {
        reply.server = names[side.names.get(reply.server)];
    }
    Replies { all, servers: names.into_keys().map(str::to_owned).collect() }
}
