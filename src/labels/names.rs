//! What the exchanges of a run are called, as labels call them.

use super::{LabelError, plain_id};
use crate::compare::Side;
use crate::recording::Key;
use crate::store::{Table, TableReader};
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExchangeName {
    pub key: Key,
    pub file: String,
    pub id: Option<String>,
}

/// The names of some exchanges of a run, by their places in [`Side::entries`].
pub fn names_of(
    folder: &Path,
    side: &Side,
    entries: impl IntoIterator<Item = u32>,
) -> Result<BTreeMap<u32, ExchangeName>, LabelError> {
    let mut names: BTreeMap<u32, ExchangeName> = BTreeMap::new();
    for at in entries {
        if let Some(entry) = side.entries.get(at as usize) {
            let file = side.names.get(entry.file).to_owned();
            names.insert(at, ExchangeName { key: entry.key, file, id: None });
        }
    }
    let mut table = TableReader::open(folder, Table::Verdicts)?;
    let mut begin = 0;
    for group in 0..table.groups() {
        let rows = u32::try_from(table.rows(group)).unwrap_or(u32::MAX);
        let end = begin + rows;
        if names.range(begin..end).next().is_some() {
            let ids = table.texts(group, "id")?;
            for (at, name) in names.range_mut(begin..end) {
                name.id = ids.get((at - begin) as usize).map(|id| plain_id(id).to_owned());
            }
        }
        begin = end;
    }
    Ok(names)
}
