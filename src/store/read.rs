//! Reading a run's tables back, as data frames.

use super::column::{Column, ColumnKind};
use super::error::ReportError;
use super::table::{Table, TableFormat};
use polars::prelude::{DataFrame, DataType, ParquetReader, SerReader as _};
use std::fs::File;
use std::path::Path;

/// Reads a table of a run folder and holds its columns against the column list. Columns beside
/// those, such as the facts of whichever rulebook judged, are welcome.
pub fn read_table(folder: &Path, table: Table) -> Result<DataFrame, ReportError> {
    let path = folder.join(table.file_name(TableFormat::Parquet));
    let frame = File::open(&path)
        .map_err(Into::into)
        .and_then(|file| ParquetReader::new(file).finish())
        .map_err(|source| ReportError::Read { path: path.clone(), source })?;
    match table.columns(&[]).iter().find(|column| !holds(&frame, column)) {
        None => Ok(frame),
        Some(odd) => Err(ReportError::Columns { path, column: odd.name.to_string() }),
    }
}

fn holds(frame: &DataFrame, column: &Column) -> bool {
    let expected = match column.kind {
        ColumnKind::Text => DataType::String,
        ColumnKind::Bool => DataType::Boolean,
        ColumnKind::Int => DataType::Int64,
        ColumnKind::Float => DataType::Float64,
    };
    frame.column(&column.name).is_ok_and(|found| *found.dtype() == expected)
}
