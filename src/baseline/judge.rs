//! A collection judged now, to be held against what was accepted.

use super::model::{Baseline, Ids};
use crate::compare::{Side, SideError, read_run};
use crate::corpus::Input;
use crate::report::{FolderError, ReportError, Table, TableReader};
use crate::rulebook::Rulebook;
use crate::run::{Observer, RunError, RunPlan, run};
use std::path::Path;

/// Why a collection could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// It could not be judged.
    #[error(transparent)]
    Run(#[from] RunError),
    /// There is no temporary place to judge it in.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// What was judged could not be read again.
    #[error(transparent)]
    Side(#[from] SideError),
}

/// Judges a collection (a folder of tapes, or one tape), with the collection's settings: what its
/// baseline would be if all of it were accepted.
pub fn judge(
    plan: &RunPlan,
    rulebook: &Rulebook,
    observer: &dyn Observer,
) -> Result<Baseline, JudgeError> {
    let place = std::env::temp_dir();
    let folder = tempfile::Builder::new()
        .prefix("tapecheck-")
        .tempdir()
        .map_err(|source| FolderError::io(&place, source))?;
    let run_folder = folder.path().join("run");
    run(plan, rulebook, &run_folder, observer)?;
    let ids = read_ids(&run_folder).map_err(SideError::from)?;
    let mut side = read_run(&run_folder)?;
    // The folder is gone in a moment.
    let inputs = plan.inputs.iter().map(|input| match input {
        Input::Path(path) => path.to_string_lossy(),
        Input::Stdin => "-".into(),
    });
    side.header.name = inputs.collect::<Vec<_>>().join(", ");
    Ok(Baseline::of(side, ids))
}

/// What a finished run says, as a baseline in which all of it is accepted; and as a side, which tells
/// more: where exchanges stand and which patterns hit. [`Baseline::places`] leads from the one to the
/// other.
pub fn of_run(folder: &Path) -> Result<(Baseline, Side), SideError> {
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
