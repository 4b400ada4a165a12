//! Reads the texts of labelled exchanges from the recordings again.

use super::reply::{LabelledReply, Replies};
use crate::accuracy::Item;
use crate::check::{input_text, judged_text};
use crate::compare::Side;
use crate::corpus::{Bounds, CorpusReader};
use crate::rulebook::Rulebook;
use crate::run::{DriveError, Located, for_each_exchange};
use crate::tape::{Key, KeyName, Reply};
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
        "{missing} of {labelled} labelled exchanges are not in the recordings any more: these are not the \
         recordings that were judged"
    )]
    Gone {
        /// How many are not found.
        missing: usize,
        /// How many have a label.
        labelled: usize,
    },
}

/// Reads the texts of a side's labelled exchanges.
pub fn gather(
    reader: CorpusReader,
    bounds: &Bounds,
    (side, items): (&Side, &[Item]),
    rulebook: &Rulebook,
) -> Result<Replies, GatherError> {
    let mut wanted: BTreeMap<Key, BTreeMap<u32, &Item>> = BTreeMap::new();
    for item in items {
        let entry = &side.entries[item.entry as usize];
        wanted.entry(entry.key).or_default().insert(entry.before, item);
    }
    let mut seen: BTreeMap<Key, u32> = BTreeMap::new();
    let mut found: Vec<(u32, LabelledReply)> = Vec::with_capacity(items.len());
    for_each_exchange(reader, bounds, |located| {
        let key = located.keys.exchange;
        if let Some(by_turn) = wanted.get(&key) {
            let turn = seen.entry(key).or_default();
            if let Some(item) = by_turn.get(turn)
                && let Some(ground) = side.said[item.said as usize].ground
            {
                let name = KeyName { key, before: *turn };
                let known = Known { item, name, ground };
                found.push((item.entry, reply(located, &known, rulebook)));
            }
            *turn += 1;
        }
        ControlFlow::<()>::Continue(())
    })?;
    if found.len() < items.len() {
        let (missing, labelled) = (items.len() - found.len(), items.len());
        return Err(GatherError::Gone { missing, labelled });
    }
    found.sort_by_key(|(entry, _)| *entry);
    Ok(numbered(side, found.into_iter().map(|(_, reply)| reply).collect()))
}

/// What is known of a labelled exchange before its text is read.
struct Known<'a> {
    item: &'a Item,
    name: KeyName,
    ground: Ground,
}

fn reply(located: &Located<'_>, known: &Known<'_>, rulebook: &Rulebook) -> LabelledReply {
    let exchange = located.exchange;
    let text = judged_text(exchange, rulebook);
    let code = match &exchange.reply {
        Reply::Error(error) => error.code.to_string(),
        Reply::Result(_) | Reply::Document(_) | Reply::None => String::new(),
    };
    let cut = |text: &str| text[..text.floor_char_boundary(MOST_TEXT)].to_owned();
    LabelledReply {
        label: known.item.label,
        server: known.item.server,
        key: known.name,
        file: located.file.to_owned(),
        line: exchange.place.line,
        ground: known.ground,
        text: cut(&text),
        tool: exchange.tool.name.clone(),
        input: cut(input_text(exchange)),
        scenario: exchange.scenario.as_deref().unwrap_or_default().to_owned(),
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
