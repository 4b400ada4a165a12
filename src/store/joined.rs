//! Tables of a run put together from those of its parts, one behind the other.

use super::encode::VerdictTables;
use super::error::ReportError;
use super::files::VerdictWriter;
use super::folder::{FolderError, RunFolder, create_file};
use super::reader::TableReader;
use super::table::{Table, TableFormat};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// The tables that have a row per call, issue, unreadable line or recording.
pub struct JoinedTables {
    rows: VerdictWriter,
    lines: [JoinedLines; 2],
}

impl JoinedTables {
    pub fn create(folder: &RunFolder, tables: &VerdictTables) -> Result<Self, ReportError> {
        let lines = |table| JoinedLines::create(folder, table);
        Ok(Self {
            rows: VerdictWriter::create(folder, tables)?,
            lines: [lines(Table::Unreadable)?, lines(Table::Recordings)?],
        })
    }

    /// Appends the rows of the next part. They stay compressed as they are.
    pub fn append(&mut self, part: &Path) -> Result<(), ReportError> {
        let mut verdicts = TableReader::open(part, Table::Verdicts)?;
        let mut issues = TableReader::open(part, Table::Issues)?;
        self.rows.append_from(&mut verdicts, &mut issues)?;
        self.lines.iter_mut().try_for_each(|lines| lines.append(part))
    }

    pub fn finish(self) -> Result<(), ReportError> {
        self.rows.finish()?;
        Ok(self.lines.into_iter().try_for_each(JoinedLines::finish)?)
    }
}

/// A CSV file whose rows stand in this order in those of the parts.
struct JoinedLines {
    name: String,
    path: PathBuf,
    out: BufWriter<File>,
    header: Vec<u8>,
}

impl JoinedLines {
    fn create(folder: &RunFolder, table: Table) -> Result<Self, ReportError> {
        let name = table.file_name(TableFormat::Csv);
        let path = folder.path(&name);
        let columns = table.columns();
        let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
        let header = (names.join(",") + "\n").into_bytes();
        let mut out = create_file(&path)?;
        out.write_all(&header).map_err(|source| FolderError::io(&path, source))?;
        Ok(Self { name, path, out, header })
    }

    fn append(&mut self, part: &Path) -> Result<(), ReportError> {
        let from = part.join(&self.name);
        let failed = |source| FolderError::Unread { path: from.clone(), source };
        let mut rows = BufReader::new(File::open(&from).map_err(failed)?);
        let mut header = Vec::new();
        rows.read_until(b'\n', &mut header).map_err(failed)?;
        if header != self.header {
            let reason = "its first line is not the header of the table".to_owned();
            return Err(ReportError::Damaged { path: from, reason });
        }
        io::copy(&mut rows, &mut self.out).map_err(|source| FolderError::io(&self.path, source))?;
        Ok(())
    }

    fn finish(mut self) -> Result<(), FolderError> {
        self.out.flush().map_err(|source| FolderError::io(&self.path, source))
    }
}
