//! Result tables in a folder that people name.

use super::csv::Cell;
use super::files::TableFile;
use super::folder::{FolderError, ReportError};
use super::table::Table;
use super::work_folder::WorkFolder;
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
