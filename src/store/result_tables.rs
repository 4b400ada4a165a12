//! Result tables in a folder that people name.

use super::csv::Cell;
use super::files::TableFile;
use super::folder::{FolderError, ReportError};
use super::table::{Column, ColumnKind, Table};
use super::work_folder::WorkFolder;
use crate::recording::Key;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fs;
use std::path::{Path, PathBuf};

/// The tables of one result. Each file takes the place of an earlier one only when all of them are whole.
pub(crate) struct ResultTables {
    folder: PathBuf,
    building: WorkFolder,
    written: Vec<Table>,
}

impl ResultTables {
    pub(crate) fn begin(folder: &Path) -> Result<Self, FolderError> {
        fs::create_dir_all(folder).map_err(|source| FolderError::io(folder, source))?;
        let building = WorkFolder::begin(folder)?;
        Ok(Self { folder: folder.to_owned(), building, written: Vec::new() })
    }

    pub(crate) fn write<'c>(
        &mut self,
        table: Table,
        rows: impl IntoIterator<Item = Vec<Cell<'c>>>,
    ) -> Result<(), ReportError> {
        let mut file = TableFile::create_in(self.building.path(), table)?;
        for row in rows {
            file.push(&row)?;
        }
        self.written.push(table);
        file.finish()
    }

    /// Writes rows whose members are called as the columns are. What is within a member has its name in front
    /// (`from_class`), and a share is followed by its interval (`recall`, `recall_low`, `recall_high`).
    pub(crate) fn write_rows<R: Serialize>(
        &mut self,
        table: Table,
        rows: impl IntoIterator<Item = R>,
    ) -> Result<(), ReportError> {
        let columns = table.columns();
        let rows = rows.into_iter().map(|row| {
            let mut members = Map::new();
            flatten("", serde_json::to_value(row).unwrap_or_default(), &mut members);
            columns.iter().map(|column| cell(column, members.remove(column.name))).collect()
        });
        self.write(table, rows)
    }

    /// Moves the files to their places. What an earlier call left there of other tables of such results
    /// is about something else, and goes.
    pub(crate) fn finish(self, all: &[Table]) -> Result<(), FolderError> {
        for table in all {
            for name in table.formats().iter().map(|format| table.file_name(*format)) {
                let place = self.folder.join(&name);
                let moved = if self.written.contains(table) {
                    fs::rename(self.building.path().join(&name), &place)
                } else if place.exists() {
                    fs::remove_file(&place)
                } else {
                    Ok(())
                };
                moved.map_err(|source| FolderError::io(&place, source))?;
            }
        }
        Ok(())
    }
}

fn flatten(name: &str, value: Value, members: &mut Map<String, Value>) {
    let Value::Object(mut object) = value else {
        members.insert(name.to_owned(), value);
        return;
    };
    if let Some(interval) = object.remove("interval") {
        for end in ["low", "high"] {
            members.insert(format!("{name}_{end}"), interval.get(end).cloned().unwrap_or_default());
        }
        members.insert(name.to_owned(), object.remove("share").unwrap_or_default());
        return;
    }
    for (member, value) in object {
        let name = if name.is_empty() { member } else { format!("{name}_{member}") };
        flatten(&name, value, members);
    }
}

fn cell(column: &Column, value: Option<Value>) -> Cell<'static> {
    let value = value.unwrap_or_default();
    match (column.kind, value) {
        (_, Value::Null) => Cell::Empty,
        (ColumnKind::Int, value) => value.as_u64().into(),
        (ColumnKind::Float, value) => value.as_f64().into(),
        (ColumnKind::Bool, value) => value.as_bool().into(),
        (ColumnKind::Key, value) => {
            value.as_str().and_then(Key::parse).map_or(Cell::Empty, Cell::Key)
        }
        (ColumnKind::Text | ColumnKind::Time, Value::String(text)) => text.into(),
        (ColumnKind::Text | ColumnKind::Time, value) => value.to_string().into(),
    }
}
