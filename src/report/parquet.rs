//! Parquet files, written one row group at a time.
//!
//! Columns are encoded and compressed by whichever thread has them ([`Encoder::encode`] changes
//! nothing), and the finished row groups are appended in order. Nothing here starts threads of its
//! own, so the bytes depend on the rows and on how they were cut into row groups, and on nothing
//! else.

use super::chunk::{CellEncoding, EncodedColumns, Packing, RawColumn};
use super::column::{Column, ColumnKind, Presence};
use super::pages::{Dictionary, Flag, PagedColumn};
use super::texts::Texts;
use polars::error::{PolarsError, PolarsResult};
use polars_arrow::array::PrimitiveArray;
use polars_arrow::datatypes::{ArrowDataType, ArrowSchema, Field};
use polars_parquet::parquet::schema::Repetition;
use polars_parquet::write::{
    CompressionOptions, Encoding, FileWriter, KeyValue, Page, ParquetType, SchemaDescriptor,
    StatisticsOptions, Version, WriteOptions, array_to_columns, to_parquet_schema,
};
use polars_parquet_format::thrift::protocol::TCompactOutputProtocol;
use polars_parquet_format::{FileMetaData, RowGroup, Type};
use std::io::{self, Write};

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
    pub fn encode(&self, cells: impl IntoIterator<Item = Cells>) -> PolarsResult<EncodedColumns> {
        let mut columns = EncodedColumns::default();
        let mut types = self.parquet.fields().iter();
        for cells in cells {
            if columns.notes.is_empty() {
                columns.rows = cells.len();
            }
            debug_assert_eq!(cells.len(), columns.rows, "columns of one row group are alike");
            let parquet_type = types.next().expect("a column for each list of cells");
            let nullable = parquet_type.get_field_info().repetition == Repetition::Optional;
            columns.push(&raw_column(cells, parquet_type, nullable)?)?;
        }
        assert!(types.next().is_none(), "a table has cells for each of its columns");
        Ok(columns)
    }

    /// Begins a file with this table's columns.
    pub fn start<W: Write>(&self, mut out: W) -> PolarsResult<ParquetFile<W>> {
        // An empty file says everything about a full one but its row groups.
        let mut empty = FileWriter::try_new(Vec::new(), self.schema.clone(), OPTIONS)?;
        empty.end(None)?;
        let (_, footer) = empty.into_inner_and_metadata();
        let columns = self.parquet.columns().iter().map(|column| {
            let (of_type, _) = column.descriptor.primitive_type.physical_type.into();
            (column.descriptor.primitive_type.field_info.name.to_string(), of_type)
        });
        let columns = columns.collect();
        out.write_all(MAGIC)?;
        Ok(ParquetFile { footer, columns, offset: MAGIC.len() as u64, out })
    }
}

/// What a Parquet file begins and ends with.
const MAGIC: &[u8; 4] = b"PAR1";

/// A Parquet file that is being written.
pub struct ParquetFile<W: Write> {
    footer: FileMetaData,
    columns: Vec<(String, Type)>,
    offset: u64,
    out: W,
}

impl<W: Write> ParquetFile<W> {
    /// Appends a row group.
    pub fn append(&mut self, group: &EncodedColumns) -> io::Result<()> {
        let rows = group.rows;
        if rows == 0 {
            return Ok(());
        }
        self.out.write_all(&group.bytes)?;
        let start = self.offset;
        let mut columns = Vec::with_capacity(self.columns.len());
        let mut unpacked = 0;
        for (note, (name, of_type)) in group.notes.iter().zip(&self.columns) {
            columns.push(note.at(self.offset, (name, *of_type), rows));
            self.offset += note.length;
            unpacked += note.unpacked;
        }
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        self.footer.row_groups.push(RowGroup {
            columns,
            total_byte_size: number(unpacked),
            num_rows: number(rows as u64),
            sorting_columns: None,
            file_offset: Some(number(start)),
            total_compressed_size: Some(number(self.offset - start)),
            ordinal: i16::try_from(self.footer.row_groups.len()).ok(),
        });
        self.footer.num_rows += number(rows as u64);
        Ok(())
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
        if !texts.is_empty() {
            self.footer.key_value_metadata = Some(texts.iter().map(text).collect());
        }
        let mut footer = Vec::new();
        self.footer
            .write_to_out_protocol(&mut TCompactOutputProtocol::new(&mut footer))
            .map_err(io::Error::other)?;
        let length = u32::try_from(footer.len()).map_err(io::Error::other)?;
        footer.extend_from_slice(&length.to_le_bytes());
        footer.extend_from_slice(MAGIC);
        self.out.write_all(&footer)?;
        self.out.flush()?;
        Ok(self.out)
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
    // A column chunk of ours has one page. By default this crate begins another one after 131,072 rows.
    data_page_size: Some(usize::MAX),
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
fn raw_column(cells: Cells, parquet_type: &ParquetType, nullable: bool) -> PolarsResult<RawColumn> {
    let column = PagedColumn { nullable, packing: Packing::Plain };
    let cells = match cells {
        Cells::Distinct { texts, rows } => {
            let packing = if texts.bytes() < LARGE { Packing::Plain } else { Packing::Zstd };
            return Ok(PagedColumn { packing, ..column }.numbers(&Dictionary::Texts(&texts), &rows));
        }
        Cells::DistinctInts { values, rows } => {
            return Ok(column.numbers(&Dictionary::Ints(&values), &rows));
        }
        Cells::DistinctFloats { values, rows } => {
            return Ok(column.numbers(&Dictionary::Floats(&values), &rows));
        }
        Cells::Flags(cells) => return Ok(column.flags(&cells)),
        Cells::Texts { texts, present } => return Ok(column.texts(&texts, present.as_deref())),
        Cells::Floats(cells) => {
            return Ok(PagedColumn { packing: Packing::Zstd, ..column }.floats(&cells));
        }
        Cells::Ints(cells) => cells,
    };
    let array = PrimitiveArray::<i64>::from_vec(cells).boxed();
    let pages =
        array_to_columns(array, parquet_type.clone(), OPTIONS, &[Encoding::DeltaBinaryPacked])?;
    let data = only_page(pages.into_iter().flatten())?;
    Ok(RawColumn { dictionary: None, data, encoding: CellEncoding::Delta, packing: Packing::Zstd })
}

/// The one page that a column has. Several one behind the other would be written without a word and
/// not read back, as each begins anew with a head of its own.
fn only_page(pages: impl Iterator<Item = PolarsResult<Page>>) -> PolarsResult<Vec<u8>> {
    let mut only = None;
    for page in pages {
        if let Page::Data(mut page) = page?
            && only.replace(std::mem::take(page.buffer_mut())).is_some()
        {
            return Err(PolarsError::ComputeError("a row group has too many rows".into()));
        }
    }
    Ok(only.unwrap_or_default())
}
