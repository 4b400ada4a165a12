//! What a finished run says, taken for a baseline.

use super::model::{Baseline, Ids};
use crate::compare::{Side, SideError, read_run};
use crate::store::{ReportError, Table, TableReader};
use std::path::Path;

impl Baseline {
    /// What a finished run says, as a baseline in which all of it is accepted.
    pub fn of_run(folder: &Path) -> Result<Self, SideError> {
        let ids = read_ids(folder)?;
        Ok(Self::of(read_run(folder)?, ids))
    }
}

/// The same; and as a side, which tells more: where exchanges stand and which patterns hit.
/// [`Baseline::places`] leads from the one to the other.
pub fn both_of_run(folder: &Path) -> Result<(Baseline, Side), SideError> {
    let side = read_run(folder)?;
    let ids = read_ids(folder)?;
    Ok((Baseline::of(side.clone(), ids), side))
}

/// The recorded ids of a run's exchanges, in corpus order.
fn read_ids(folder: &Path) -> Result<Ids, ReportError> {
    let mut table = TableReader::open(folder, Table::Verdicts)?;
    let mut ids = Ids::new();
    for group in 0..table.groups() {
        let column = table.texts(group, "id")?;
        ids.extend((0..column.rows.len()).map(|row| column.get(row).map(Into::into)));
    }
    Ok(ids)
}
