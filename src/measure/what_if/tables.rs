//! A sweep as a table.

use super::{Point, Sweep};
use crate::compare::Answer;
use crate::labels::Label;
use crate::store::{Cell, FolderError, ReportError, Table, TableFile};
use std::fs;
use std::path::Path;

/// Writes the table `sweep` into a folder. Its files take the place of earlier ones only when both are
/// whole.
pub fn write_sweep(folder: &Path, sweep: &Sweep) -> Result<(), ReportError> {
    let failed = |source| FolderError::io(folder, source);
    fs::create_dir_all(folder).map_err(failed)?;
    let building =
        tempfile::Builder::new().prefix(".tapecheck-").tempdir_in(folder).map_err(failed)?;
    let mut table = TableFile::create_in(building.path(), Table::Sweep)?;
    for point in &sweep.points {
        table.push(&row(sweep, point))?;
    }
    table.finish()?;
    for format in Table::Sweep.formats() {
        let name = Table::Sweep.file_name(*format);
        let place = folder.join(&name);
        let moved = fs::rename(building.path().join(&name), &place);
        moved.map_err(|source| FolderError::io(&place, source))?;
    }
    Ok(())
}

fn row<'s>(sweep: &'s Sweep, point: &Point) -> Vec<Cell<'s>> {
    let share = |share: Option<f64>| share.map_or(Cell::Empty, Cell::from);
    let recall = |label| share(point.confusion.recall(label).value());
    let mut row = vec![
        sweep.path.as_str().into(),
        point.value.into(),
        Cell::Bool(point.is_now),
        share(point.confusion.balanced_accuracy()),
        recall(Label::BusinessLogic),
        recall(Label::ToolFailure),
        share(point.confusion.precision(Label::HiddenFailure).value()),
        recall(Label::HiddenFailure),
        point.confusion.items().into(),
    ];
    row.extend(Answer::ALL.map(|answer| Cell::from(point.answers[answer as usize])));
    row.push(point.flips.into());
    row
}
