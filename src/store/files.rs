//! The files of a run folder's tables while they are being written.

use super::column::{Column, ColumnKind, Presence};
use super::csv::{Cell, CsvFile};
use super::encode::{EncodedRows, VerdictTables};
use super::error::ReportError;
use super::folder::{FolderError, RunFolder, create_file};
use super::parquet::{Cells, Encoder, ParquetFile};
use super::table::{Table, TableFormat};
use super::texts::DistinctColumn;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

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
    let file = encoder.start(create_file(&path)?)?;
    Ok(Named { path, file })
}

fn start_csv(folder: &Path, table: Table) -> Result<Csv, ReportError> {
    let path = folder.join(table.file_name(TableFormat::Csv));
    let file = CsvFile::start(create_file(&path)?, table.columns(&[]))
        .map_err(|source| FolderError::io(&path, source))?;
    Ok(Named { path, file })
}

/// Writes `verdicts.parquet` and `issues.parquet`, a row group at a time.
pub struct VerdictWriter {
    verdicts: Parquet,
    issues: Parquet,
}

impl VerdictWriter {
    /// Begins both files.
    pub fn create(folder: &RunFolder, tables: &VerdictTables) -> Result<Self, ReportError> {
        Ok(Self {
            verdicts: start_parquet(folder.building(), Table::Verdicts, tables.verdicts())?,
            issues: start_parquet(folder.building(), Table::Issues, tables.issues())?,
        })
    }

    /// Appends the next rows; rows must come in corpus order.
    pub fn append(&mut self, rows: &EncodedRows) -> Result<(), ReportError> {
        self.verdicts.try_do(|file| file.append(&rows.verdicts))?;
        self.issues.try_do(|file| file.append(&rows.issues))?;
        Ok(())
    }

    /// Ends both files.
    pub fn finish(self) -> Result<(), ReportError> {
        self.verdicts.end(ParquetFile::finish)?;
        self.issues.end(ParquetFile::finish)?;
        Ok(())
    }
}

/// An input line that could not be judged.
#[derive(Clone, Copy, Debug, Default)]
pub struct RejectRow<'a> {
    /// The file, as a path below the corpus.
    pub file: &'a str,
    /// The line, from 1; `None` where the whole file is meant.
    pub line: Option<u64>,
    /// Offset of the line's first byte.
    pub byte: Option<u64>,
    /// Why, in one word of a fixed list.
    pub reason: &'a str,
    /// Why, in more words.
    pub detail: Option<&'a str>,
    /// The beginning of the line; what exceeds 200 characters is cut off.
    pub head: Option<&'a str>,
}

/// Writes `rejects.csv`.
pub struct RejectsFile(Csv);

/// How many characters of a rejected line are shown.
const HEAD: usize = 200;

impl RejectsFile {
    /// Begins the file.
    pub fn create(folder: &RunFolder) -> Result<Self, ReportError> {
        start_csv(folder.building(), Table::Rejects).map(Self)
    }

    /// Appends a row.
    pub fn push(&mut self, row: &RejectRow<'_>) -> Result<(), ReportError> {
        let head = row
            .head
            .map(|head| head.char_indices().nth(HEAD).map_or(head, |(end, _)| &head[..end]));
        let cells = [
            row.file.into(),
            row.line.into(),
            row.byte.into(),
            row.reason.into(),
            row.detail.into(),
            head.into(),
        ];
        Ok(self.0.try_do(|file| file.push(&cells))?)
    }

    /// Ends the file.
    pub fn finish(self) -> Result<(), ReportError> {
        self.0.end(CsvFile::finish)?;
        Ok(())
    }
}

/// So many rows make a row group.
const GROUP_ROWS: usize = 1 << 14;

/// Writes a table as Parquet, and as CSV where it is written so, row by row.
pub struct TableFile {
    csv: Option<Csv>,
    parquet: Parquet,
    encoder: Encoder,
    columns: Vec<Column>,
    waiting: Vec<Waiting>,
    rows: usize,
}

impl TableFile {
    /// Begins the files.
    pub fn create(folder: &RunFolder, table: Table) -> Result<Self, ReportError> {
        Self::create_in(folder.building(), table)
    }

    /// Begins the files in a folder of any kind.
    pub fn create_in(folder: &Path, table: Table) -> Result<Self, ReportError> {
        let columns = table.columns(&[]);
        let encoder = Encoder::new(&columns)?;
        let has_csv = table.formats().contains(&TableFormat::Csv);
        Ok(Self {
            csv: has_csv.then(|| start_csv(folder, table)).transpose()?,
            parquet: start_parquet(folder, table, &encoder)?,
            encoder,
            waiting: columns.iter().map(Waiting::of).collect(),
            columns,
            rows: 0,
        })
    }

    /// Appends a row, whose cells stand in the order of the columns.
    pub fn push(&mut self, row: &[Cell<'_>]) -> Result<(), ReportError> {
        if let Some(csv) = &mut self.csv {
            csv.try_do(|file| file.push(row))?;
        }
        for (column, cell) in self.waiting.iter_mut().zip(row) {
            column.push(cell);
        }
        self.rows += 1;
        if self.rows == GROUP_ROWS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), ReportError> {
        self.rows = 0;
        let empty = self.columns.iter().map(Waiting::of).collect();
        let full = std::mem::replace(&mut self.waiting, empty);
        let group = self.encoder.encode(full.into_iter().map(Waiting::into_cells))?;
        Ok(self.parquet.try_do(|file| file.append(&group))?)
    }

    /// Ends the files.
    pub fn finish(mut self) -> Result<(), ReportError> {
        self.flush()?;
        if let Some(csv) = self.csv {
            csv.end(CsvFile::finish)?;
        }
        self.parquet.end(ParquetFile::finish)?;
        Ok(())
    }
}

/// Cells of one column that wait for their row group to be full.
enum Waiting {
    Texts(DistinctColumn),
    Flags(Vec<Option<bool>>),
    Ints(Vec<i64>),
    IntsOrNone(Vec<Option<i64>>),
    Floats(Vec<Option<f64>>),
}

impl Waiting {
    fn of(column: &Column) -> Self {
        match (column.kind, column.presence) {
            (ColumnKind::Text, _) => Self::Texts(DistinctColumn::default()),
            (ColumnKind::Bool, _) => Self::Flags(Vec::new()),
            (ColumnKind::Int, Presence::Always) => Self::Ints(Vec::new()),
            (ColumnKind::Int, Presence::Sometimes) => Self::IntsOrNone(Vec::new()),
            (ColumnKind::Float, _) => Self::Floats(Vec::new()),
        }
    }

    fn push(&mut self, cell: &Cell<'_>) {
        match self {
            Self::Texts(column) => column.push(match cell {
                Cell::Text(text) => Some(text),
                Cell::Empty | Cell::Bool(_) | Cell::Int(_) | Cell::Float(_) => None,
            }),
            Self::Flags(cells) => cells.push(match cell {
                Cell::Bool(value) => Some(*value),
                Cell::Empty | Cell::Text(_) | Cell::Int(_) | Cell::Float(_) => None,
            }),
            Self::Ints(cells) => cells.push(whole(cell).unwrap_or(0)),
            Self::IntsOrNone(cells) => cells.push(whole(cell)),
            Self::Floats(cells) => cells.push(match cell {
                Cell::Float(number) => Some(*number),
                Cell::Empty | Cell::Text(_) | Cell::Bool(_) | Cell::Int(_) => None,
            }),
        }
    }

    fn into_cells(self) -> Cells {
        match self {
            Self::Texts(column) => column.into_cells(),
            Self::Flags(cells) => Cells::Flags(cells),
            Self::Ints(cells) => Cells::Ints(cells),
            Self::IntsOrNone(cells) => distinct(&cells),
            Self::Floats(cells) => Cells::Floats(cells),
        }
    }
}

fn whole(cell: &Cell<'_>) -> Option<i64> {
    match cell {
        Cell::Int(number) => Some(i64::try_from(*number).unwrap_or(i64::MAX)),
        Cell::Empty | Cell::Text(_) | Cell::Bool(_) | Cell::Float(_) => None,
    }
}

fn distinct(cells: &[Option<i64>]) -> Cells {
    let mut values: Vec<i64> = cells.iter().flatten().copied().collect();
    values.sort_unstable();
    values.dedup();
    let place = |cell: &Option<i64>| {
        let place = cell.and_then(|cell| values.binary_search(&cell).ok());
        place.and_then(|place| u32::try_from(place).ok()).unwrap_or(u32::MAX)
    };
    let rows = cells.iter().map(place).collect();
    Cells::DistinctInts { values, rows }
}
