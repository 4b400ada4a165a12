//! A sweep as a table.

use super::{Point, Sweep};
use crate::labels::Label;
use crate::store::{Cell, ReportError, ResultTables, Table};
use crate::verdict::Answer;
use std::path::Path;

pub fn write_sweep(folder: &Path, sweep: &Sweep) -> Result<(), ReportError> {
    let mut tables = ResultTables::begin(folder)?;
    tables.write(Table::Sweep, sweep.points.iter().map(|point| row(sweep, point)))?;
    Ok(tables.finish(&[Table::Sweep])?)
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
    row.extend(Answer::LISTED.map(|answer| Cell::from(point.answers[answer as usize])));
    row.push(point.flips.into());
    row
}
