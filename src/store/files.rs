//! The files of a run folder's tables while they are being written.

use super::csv::{Cell, CsvFile};
use super::encode::{EncodedRows, VerdictTables};
use super::folder::{FolderError, ReportError, RunFolder, create_file};
use super::gathered::ColumnCells;
use super::parquet::Encoder;
use super::parquet_file::ParquetFile;
use super::reader::TableReader;
use super::specs::{RECORDINGS, UNREADABLE};
use super::table::{Column, Table, TableFormat};
use crate::program::Tally;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_128;

/// A file of the run, whose name goes into errors.
struct Named<T> {
    path: PathBuf,
    file: T,
}

impl<T> Named<T> {
    fn try_do<R>(&mut self, act: impl FnOnce(&mut T) -> io::Result<R>) -> Result<R, FolderError> {
        act(&mut self.file).map_err(|source| FolderError::io(&self.path, source))
    }

    fn end<R>(self, act: impl FnOnce(T) -> io::Result<R>) -> Result<R, FolderError> {
        act(self.file).map_err(|source| FolderError::io(&self.path, source))
    }
}

type Parquet = Named<ParquetFile<BufWriter<File>>>;
type Csv = Named<CsvFile<BufWriter<File>>>;

fn start_parquet(folder: &Path, table: Table, encoder: &Encoder) -> Result<Parquet, ReportError> {
    let path = folder.join(table.file_name(TableFormat::Parquet));
    let file = encoder.start(create_file(&path)?);
    Ok(Named { path, file })
}

fn start_csv(folder: &Path, table: Table) -> Result<Csv, ReportError> {
    let path = folder.join(table.file_name(TableFormat::Csv));
    let file = CsvFile::start(create_file(&path)?, table.columns())
        .map_err(|source| FolderError::io(&path, source))?;
    Ok(Named { path, file })
}

/// Writes `verdicts.parquet` and `issues.parquet`, a row group at a time.
pub struct VerdictWriter(Vec<(Table, Parquet)>);

impl VerdictWriter {
    pub fn create(folder: &RunFolder, tables: &VerdictTables) -> Result<Self, ReportError> {
        let files = VerdictTables::ALL.into_iter().zip(tables.encoders());
        let files = files
            .map(|(table, encoder)| Ok((table, start_parquet(folder.building(), table, encoder)?)));
        Ok(Self(files.collect::<Result<_, ReportError>>()?))
    }

    /// Appends the next rows; rows must come in corpus order.
    pub fn append(&mut self, rows: &EncodedRows) -> Result<(), ReportError> {
        for ((_, to), group) in self.0.iter_mut().zip(rows) {
            to.try_do(|file| file.append(group))?;
        }
        Ok(())
    }

    /// Appends the rows of another folder. They stay as they are.
    fn append_from(&mut self, folder: &Path) -> Result<(), ReportError> {
        for (table, to) in &mut self.0 {
            let mut from = TableReader::open(folder, *table)?;
            for group in 0..from.groups() {
                let rows = from.row_group(group, &to.file.columns())?;
                to.try_do(|file| file.append(&rows))?;
            }
        }
        Ok(())
    }

    pub fn finish(self) -> Result<(), ReportError> {
        self.0.into_iter().try_for_each(|(_, file)| Ok(file.end(ParquetFile::finish).map(drop)?))
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct UnreadableRow<'a> {
    /// The file, as a path below the corpus.
    pub file: &'a str,
    /// The line, from 1; `None` where the whole file is meant.
    pub line: Option<u64>,
    /// Offset of the line's first byte.
    pub byte: Option<u64>,
    /// Why, in one word of a fixed list.
    pub reason: &'a str,
    pub detail: Option<&'a str>,
    /// The beginning of the line; what exceeds 200 characters is cut off.
    pub head: Option<&'a str>,
}

impl<'a> UnreadableRow<'a> {
    pub(super) fn beginning(&self) -> Option<&'a str> {
        let end = |head: &str| head.char_indices().nth(HEAD).map_or(head.len(), |(end, _)| end);
        self.head.map(|head| &head[..end(head)])
    }
}

#[derive(Clone, Copy, Debug)]
pub struct RecordingRow<'a> {
    /// The file, as a path below the corpus.
    pub file: &'a str,
    pub format: &'a str,
    pub evidence: Option<&'a str>,
    pub not_applied: Option<&'a str>,
    pub calls: u64,
    /// Replies of which the result inside was judged.
    pub unwrapped: u64,
    pub tally: Tally,
}

const HEAD: usize = 200;

const GROUP_ROWS: usize = 1 << 14;

/// Writes a table row by row, in each of its formats.
pub struct TableFile {
    csv: Option<Csv>,
    parquet: Option<(Parquet, Encoder)>,
    columns: &'static [Column],
    waiting: Vec<ColumnCells>,
    rows: usize,
}

impl TableFile {
    pub fn create(folder: &RunFolder, table: Table) -> Result<Self, ReportError> {
        Self::create_in(folder.building(), table)
    }

    pub fn create_in(folder: &Path, table: Table) -> Result<Self, ReportError> {
        let columns = table.columns();
        let mut file = Self { csv: None, parquet: None, waiting: Vec::new(), columns, rows: 0 };
        for format in table.formats() {
            match format {
                TableFormat::Csv => file.csv = Some(start_csv(folder, table)?),
                TableFormat::Parquet => {
                    let encoder = Encoder::new(file.columns)?;
                    file.parquet = Some((start_parquet(folder, table, &encoder)?, encoder));
                    file.waiting =
                        file.columns.iter().map(|column| ColumnCells::of(column.kind)).collect();
                }
            }
        }
        Ok(file)
    }

    /// Appends a row, whose cells stand in the order of the columns.
    pub fn push(&mut self, row: &[Cell<'_>]) -> Result<(), ReportError> {
        debug_assert!(
            row.len() == self.columns.len()
                && row.iter().zip(self.columns).all(|(cell, column)| cell.fits(column)),
            "the cells of a row fit its columns"
        );
        if let Some(csv) = &mut self.csv {
            csv.try_do(|file| file.push(row))?;
        }
        for (column, cell) in self.waiting.iter_mut().zip(row) {
            column.push(cell);
        }
        self.rows += 1;
        if self.rows == GROUP_ROWS { self.flush() } else { Ok(()) }
    }

    pub(super) fn push_row<'c>(
        &mut self,
        cells: impl Iterator<Item = Cell<'c>>,
    ) -> Result<(), ReportError> {
        self.push(&cells.collect::<Vec<_>>())
    }

    pub fn push_unreadable(&mut self, row: &UnreadableRow<'_>) -> Result<(), ReportError> {
        self.push_row(UNREADABLE.iter().map(|(_, cell)| cell(row)))
    }

    pub fn push_recording(&mut self, row: &RecordingRow<'_>) -> Result<(), ReportError> {
        self.push_row(RECORDINGS.iter().map(|(_, cell)| cell(row)))
    }

    /// Appends the rows of the CSV file of another folder, as they are.
    pub(super) fn append_csv(&mut self, folder: &Path) -> Result<(), ReportError> {
        let Some(file) = &mut self.csv else { return Ok(()) };
        let path = folder.join(file.path.file_name().unwrap_or_default());
        let failed = |source| FolderError::Unread { path: path.clone(), source };
        let mut rows = csv::Reader::from_reader(File::open(&path).map_err(failed)?);
        let damaged = |reason| ReportError::Damaged { path: path.clone(), reason };
        let header = rows.headers().map_err(|error| damaged(error.to_string()))?;
        if !header.iter().eq(self.columns.iter().map(|column| column.name)) {
            return Err(damaged("its first line is not the header of the table".to_owned()));
        }
        for row in rows.byte_records() {
            let row = row.map_err(|error| damaged(error.to_string()))?;
            file.try_do(|file| file.copy(&row))?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), ReportError> {
        self.rows = 0;
        let Some((parquet, encoder)) = &mut self.parquet else { return Ok(()) };
        let empty = self.columns.iter().map(|column| ColumnCells::of(column.kind)).collect();
        let full = std::mem::replace(&mut self.waiting, empty);
        let group = encoder.encode(full.into_iter().map(ColumnCells::into_cells))?;
        Ok(parquet.try_do(|file| file.append(&group))?)
    }

    pub fn finish(mut self) -> Result<(), ReportError> {
        self.flush()?;
        if let Some(csv) = self.csv {
            csv.end(CsvFile::finish)?;
        }
        if let Some((parquet, _)) = self.parquet {
            parquet.end(ParquetFile::finish)?;
        }
        Ok(())
    }
}

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

    /// Appends the rows of the next part.
    pub fn append(&mut self, part: &Path) -> Result<(), ReportError> {
        self.rows.append_from(part)?;
        self.lines.iter_mut().try_for_each(|lines| lines.append_csv(part))
    }

    pub fn finish(self) -> Result<(), ReportError> {
        self.rows.finish()?;
        self.lines.into_iter().try_for_each(TableFile::finish)
    }
}

/// The file of what a part counted.
const COUNTED: &str = "part.json";

/// Which part of a run a folder holds, and of what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartOf {
    /// From 1.
    pub number: u32,
    pub of: u32,
    /// A hash of the names and sizes of all files of the recordings.
    pub files: String,
    /// A hash of `part.json`.
    pub counted: String,
}

/// Writes what a part counted and returns its hash.
pub fn write_counted(folder: &RunFolder, counted: &impl Serialize) -> Result<String, FolderError> {
    let path = folder.path(COUNTED);
    let text = serde_json::to_vec(counted).map_err(|error| FolderError::io(&path, error.into()))?;
    fs::write(&path, &text).map_err(|source| FolderError::io(&path, source))?;
    Ok(hash(&text))
}

/// Reads what a part counted, which has to be what its manifest speaks of.
pub fn read_counted<T: DeserializeOwned>(folder: &Path, part: &PartOf) -> Result<T, ReportError> {
    let path = folder.join(COUNTED);
    let text =
        fs::read(&path).map_err(|source| FolderError::Unread { path: path.clone(), source })?;
    let damaged = |reason: String| ReportError::Damaged { path: path.clone(), reason };
    if hash(&text) != part.counted {
        return Err(damaged("its hash is not the one in manifest.json".to_owned()));
    }
    serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))
}

fn hash(text: &[u8]) -> String {
    format!("{:032x}", xxh3_128(text))
}
