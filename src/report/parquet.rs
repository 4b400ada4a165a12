//! Parquet files, written one row group at a time.
//!
//! Columns are encoded and compressed by whichever thread has them ([`Encoder::encode`] changes
//! nothing), and the finished row groups are appended in order. Nothing here starts threads of its
//! own, so the bytes depend on the rows and on how they were cut into row groups, and on nothing
//! else.

use super::column::{Column, ColumnKind, Presence};
use super::pages::{Dictionary, Flag, PagedColumn};
use super::texts::Texts;
use polars::error::{PolarsError, PolarsResult};
use polars_arrow::array::PrimitiveArray;
use polars_arrow::datatypes::{ArrowDataType, ArrowSchema, Field};
use polars_parquet::write::{
    CompressedPage, CompressionOptions, DynIter, DynStreamingIterator, Encoding, FileWriter,
    KeyValue, ParquetType, SchemaDescriptor, StatisticsOptions, Version, WriteOptions, ZstdLevel,
    array_to_columns, compress, fallible_streaming_iterator, to_parquet_schema,
};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The cells of one column.
#[derive(Debug)]
pub enum Cells {
    /// Texts of which most occur often: indices into the distinct ones.
    Distinct {
        /// The distinct texts.
        texts: Texts,
        /// One index per row; `u32::MAX` stands for an empty cell.
        rows: Vec<u32>,
    },
    /// One text per row that differs from most others. Where `presence` says so, a cell is empty.
    Texts {
        /// The texts; empty cells hold an empty one.
        texts: Texts,
        /// Which rows have a value; `None`: all of them.
        present: Option<Vec<bool>>,
    },
    /// True or false.
    Flags(Vec<Flag>),
    /// Whole numbers.
    Ints(Vec<i64>),
    /// Whole numbers of which most occur often.
    DistinctInts {
        /// The distinct numbers.
        values: Vec<i64>,
        /// One index per row; `u32::MAX` stands for an empty cell.
        rows: Vec<u32>,
    },
    /// Floating-point numbers.
    Floats(Vec<Option<f64>>),
    /// Floating-point numbers of which most occur often.
    DistinctFloats {
        /// The distinct numbers.
        values: Vec<f64>,
        /// One index per row; `u32::MAX` stands for an empty cell.
        rows: Vec<u32>,
    },
}

impl Cells {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Distinct { rows, .. }
            | Self::DistinctInts { rows, .. }
            | Self::DistinctFloats { rows, .. } => rows.len(),
            Self::Texts { texts, .. } => texts.len(),
            Self::Flags(cells) => cells.len(),
            Self::Ints(cells) => cells.len(),
            Self::Floats(cells) => cells.len(),
        }
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A row group, encoded and compressed.
pub struct EncodedRowGroup {
    rows: usize,
    columns: Vec<Vec<CompressedPage>>,
}

impl EncodedRowGroup {
    /// How many rows it holds.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }
}

/// Turns columns of one table into row groups.
pub struct Encoder {
    schema: ArrowSchema,
    parquet: SchemaDescriptor,
}

impl Encoder {
    /// An encoder for a table of these columns.
    pub fn new(columns: &[Column]) -> PolarsResult<Self> {
        let schema: ArrowSchema = columns
            .iter()
            .map(|column| {
                let nullable = column.presence == Presence::Sometimes;
                Field::new(column.name.as_ref().into(), data_type(column.kind), nullable)
            })
            .map(|field| (field.name.clone(), field))
            .collect();
        let parquet = to_parquet_schema(&schema)?;
        Ok(Self { schema, parquet })
    }

    /// Encodes and compresses one row group; the cells stand in the order of the columns.
    ///
    /// # Panics
    ///
    /// If there are not as many as there are columns.
    pub fn encode(&self, cells: Vec<Cells>) -> PolarsResult<EncodedRowGroup> {
        assert_eq!(cells.len(), self.schema.len(), "a table has cells for each of its columns");
        let rows = cells.first().map_or(0, Cells::len);
        let columns = cells
            .into_iter()
            .zip(self.parquet.fields().iter().zip(self.schema.iter_values()))
            .map(|(cells, (parquet_type, field))| pages(cells, parquet_type, field.is_nullable))
            .collect::<PolarsResult<Vec<_>>>()?;
        Ok(EncodedRowGroup { rows, columns })
    }

    /// Begins a file with this table's columns.
    pub fn start<W: Write>(&self, out: W) -> PolarsResult<ParquetFile<W>> {
        let pipe = Pipe::default();
        let writer = FileWriter::try_new(pipe.clone(), self.schema.clone(), OPTIONS)?;
        Ok(ParquetFile { writer, pipe, out })
    }
}

/// A Parquet file that is being written.
pub struct ParquetFile<W: Write> {
    writer: FileWriter<Pipe>,
    pipe: Pipe,
    out: W,
}

impl<W: Write> ParquetFile<W> {
    /// Appends a row group.
    pub fn append(&mut self, group: &EncodedRowGroup) -> io::Result<()> {
        if group.rows == 0 {
            return Ok(());
        }
        let columns = group.columns.iter().map(|pages| {
            let pages = pages.iter().map(PolarsResult::Ok);
            Ok::<_, PolarsError>(DynStreamingIterator::new(fallible_streaming_iterator::convert(
                pages,
            )))
        });
        self.writer.write(group.rows as u64, DynIter::new(columns)).map_err(io::Error::other)?;
        self.pipe.drain_to(&mut self.out)
    }

    /// Ends the file and hands back what it was written to.
    pub fn finish(self) -> io::Result<W> {
        self.finish_with(&[])
    }

    /// Ends the file with texts that stand in it under names, beside its columns.
    pub fn finish_with(mut self, texts: &[(&str, &str)]) -> io::Result<W> {
        let text = |(name, text): &(&str, &str)| KeyValue {
            key: (*name).to_owned(),
            value: Some((*text).to_owned()),
        };
        let texts: Vec<KeyValue> = texts.iter().map(text).collect();
        self.writer.end((!texts.is_empty()).then_some(texts)).map_err(io::Error::other)?;
        self.pipe.drain_to(&mut self.out)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Holds bytes between the encoder and the file, so that a failed write comes back as the system's
/// own error and not as words about one.
#[derive(Clone, Default)]
struct Pipe(Arc<Mutex<Vec<u8>>>);

impl Pipe {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn drain_to(&self, out: &mut impl Write) -> io::Result<()> {
        let mut bytes = self.bytes();
        out.write_all(&bytes)?;
        bytes.clear();
        Ok(())
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Statistics are left out: corpus order sorts no column, so they could never skip a row group.
const OPTIONS: WriteOptions = WriteOptions {
    statistics: StatisticsOptions {
        min_value: false,
        max_value: false,
        distinct_count: false,
        null_count: false,
        binary_statistics_truncate_length: None,
    },
    version: Version::V1,
    compression: CompressionOptions::Uncompressed,
    data_page_size: None,
};

fn data_type(kind: ColumnKind) -> ArrowDataType {
    match kind {
        ColumnKind::Text => ArrowDataType::LargeUtf8,
        ColumnKind::Bool => ArrowDataType::Boolean,
        ColumnKind::Int => ArrowDataType::Int64,
        ColumnKind::Float => ArrowDataType::Float64,
    }
}

/// Dictionaries of this many bytes and more are worth compressing.
const LARGE: usize = 16 << 10;

/// The pages of one column.
fn pages(
    cells: Cells,
    parquet_type: &ParquetType,
    nullable: bool,
) -> PolarsResult<Vec<CompressedPage>> {
    let zstd = CompressionOptions::Zstd(Some(ZstdLevel::try_new(1)?));
    let column =
        PagedColumn { parquet_type, nullable, compression: CompressionOptions::Uncompressed };
    let cells = match cells {
        Cells::Distinct { texts, rows } => {
            let compression = if texts.bytes() < LARGE { column.compression } else { zstd };
            return PagedColumn { compression, ..column }
                .numbers(&Dictionary::Texts(&texts), &rows);
        }
        Cells::DistinctInts { values, rows } => {
            return column.numbers(&Dictionary::Ints(&values), &rows);
        }
        Cells::DistinctFloats { values, rows } => {
            return column.numbers(&Dictionary::Floats(&values), &rows);
        }
        Cells::Flags(cells) => return column.flags(&cells),
        Cells::Texts { texts, present } => return column.texts(&texts, present.as_deref()),
        Cells::Floats(cells) => {
            return PagedColumn { compression: zstd, ..column }.floats(&cells);
        }
        Cells::Ints(cells) => cells,
    };
    let array = PrimitiveArray::<i64>::from_vec(cells).boxed();
    let options = WriteOptions { compression: zstd, ..OPTIONS };
    array_to_columns(array, parquet_type.clone(), options, &[Encoding::DeltaBinaryPacked])?
        .into_iter()
        .flatten()
        .map(|page| Ok(compress(page?, Vec::new(), zstd)?))
        .collect()
}
