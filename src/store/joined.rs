//! Tables of a run put together from those of its parts, one behind the other.

use super::encode::VerdictTables;
use super::error::ReportError;
use super::files::{TableFile, VerdictWriter};
use super::folder::RunFolder;
use super::reader::TableReader;
use super::table::Table;
use std::path::Path;

/// The tables that have a row per call, issue, unreadable line or recording.
pub struct JoinedTables {
    rows: VerdictWriter,
    lines: [TableFile; 2],
}

impl JoinedTables {
    pub fn create(folder: &RunFolder, tables: &VerdictTables) -> Result<Self, ReportError> {
        let lines = |table| TableFile::create(folder, table);
        Ok(Self {
            rows: VerdictWriter::create(folder, tables)?,
            lines: [lines(Table::Unreadable)?, lines(Table::Recordings)?],
        })
    }

    /// Appends the rows of the next part. They stay as they are.
    pub fn append(&mut self, part: &Path) -> Result<(), ReportError> {
        let mut verdicts = TableReader::open(part, Table::Verdicts)?;
        let mut issues = TableReader::open(part, Table::Issues)?;
        self.rows.append_from(&mut verdicts, &mut issues)?;
        self.lines.iter_mut().try_for_each(|lines| lines.append_csv(part))
    }

    pub fn finish(self) -> Result<(), ReportError> {
        self.rows.finish()?;
        self.lines.into_iter().try_for_each(TableFile::finish)
    }
}
