//! Parquet files, written one row group at a time.
//!
//! Columns are encoded and compressed by whichever thread has them ([`Encoder::encode`] changes
//! nothing), and the finished row groups are appended in order. Nothing here starts threads of its
//! own, so the bytes depend on the rows and on how they were cut into row groups, and on nothing
//! else.

use super::column::{Column, ColumnKind, Presence};
use super::texts::{NONE, Texts};
use polars::error::{PolarsError, PolarsResult};
use polars_arrow::array::{Array, BooleanArray, DictionaryArray, PrimitiveArray, Utf8Array};
use polars_arrow::bitmap::Bitmap;
use polars_arrow::datatypes::{ArrowDataType, ArrowSchema, Field};
use polars_arrow::offset::OffsetsBuffer;
use polars_parquet::write::{
    CompressedPage, CompressionOptions, DynIter, DynStreamingIterator, Encoding, FileWriter,
    SchemaDescriptor, StatisticsOptions, Version, WriteOptions, ZstdLevel, array_to_columns,
    compress, fallible_streaming_iterator, to_parquet_schema,
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
    Bools(Vec<Option<bool>>),
    /// True or false, with a pattern of empty cells that several columns share.
    Flags {
        /// The values; those of empty cells do not matter.
        values: Bitmap,
        /// Which rows have a value.
        present: Bitmap,
    },
    /// Whole numbers.
    Ints(Vec<i64>),
    /// Floating-point numbers.
    Floats(Vec<Option<f64>>),
}

impl Cells {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Distinct { rows, .. } => rows.len(),
            Self::Texts { texts, .. } => texts.len(),
            Self::Bools(cells) => cells.len(),
            Self::Flags { values, .. } => values.len(),
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
            .zip(self.parquet.fields())
            .map(|(cells, parquet_type)| {
                let (array, encoding, compression) = to_array(cells)?;
                let options = WriteOptions { compression, ..OPTIONS };
                array_to_columns(array, parquet_type.clone(), options, &[encoding])?
                    .into_iter()
                    .flatten()
                    .map(|page| Ok(compress(page?, Vec::new(), compression)?))
                    .collect::<PolarsResult<Vec<_>>>()
            })
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
    pub fn finish(mut self) -> io::Result<W> {
        self.writer.end(None).map_err(io::Error::other)?;
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

type Encodable = (Box<dyn Array>, Encoding, CompressionOptions);

fn to_array(cells: Cells) -> PolarsResult<Encodable> {
    let small = CompressionOptions::Zstd(Some(ZstdLevel::try_new(1)?));
    Ok(match cells {
        Cells::Distinct { texts, rows } => {
            let validity = validity(rows.iter().map(|row| *row != NONE));
            let keys = if validity.is_some() {
                rows.into_iter().map(|row| if row == NONE { 0 } else { row }).collect()
            } else {
                rows
            };
            let mut texts = texts;
            if texts.is_empty() {
                // The empty cells need something to point to.
                texts.push("");
            }
            let keys = PrimitiveArray::<u32>::from_vec(keys).with_validity(validity);
            let array = DictionaryArray::try_from_keys(keys, text_array(texts, None)?, false)?;
            (array.boxed(), Encoding::RleDictionary, small)
        }
        Cells::Texts { texts, present } => {
            let validity = present.and_then(|present| validity(present.into_iter()));
            (text_array(texts, validity)?, Encoding::Plain, CompressionOptions::Uncompressed)
        }
        Cells::Bools(cells) => {
            let validity = validity(cells.iter().map(Option::is_some));
            let values: Bitmap = cells.iter().map(|cell| *cell == Some(true)).collect();
            let array = BooleanArray::try_new(ArrowDataType::Boolean, values, validity)?;
            (array.boxed(), Encoding::Plain, small)
        }
        Cells::Flags { values, present } => {
            let validity = (present.unset_bits() > 0).then_some(present);
            let array = BooleanArray::try_new(ArrowDataType::Boolean, values, validity)?;
            (array.boxed(), Encoding::Plain, small)
        }
        Cells::Ints(cells) => {
            (PrimitiveArray::<i64>::from_vec(cells).boxed(), Encoding::DeltaBinaryPacked, small)
        }
        Cells::Floats(cells) => {
            let validity = validity(cells.iter().map(Option::is_some));
            let values = cells.into_iter().map(Option::unwrap_or_default).collect();
            let array = PrimitiveArray::<f64>::from_vec(values).with_validity(validity);
            (array.boxed(), Encoding::Plain, small)
        }
    })
}

fn text_array(texts: Texts, validity: Option<Bitmap>) -> PolarsResult<Box<dyn Array>> {
    let (buffer, ends) = texts.into_parts();
    let ends: Vec<i64> =
        ends.into_iter().map(|end| i64::try_from(end).unwrap_or(i64::MAX)).collect();
    let offsets = OffsetsBuffer::try_from(ends)?;
    let bytes = buffer.into_bytes().into();
    Ok(Utf8Array::<i64>::try_new(ArrowDataType::LargeUtf8, offsets, bytes, validity)?.boxed())
}

/// Which cells are present, where any is missing.
fn validity(present: impl Iterator<Item = bool>) -> Option<Bitmap> {
    let present: Bitmap = present.collect();
    (present.unset_bits() > 0).then_some(present)
}
