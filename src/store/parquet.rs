//! Tables as Parquet files, a row group at a time.
//!
//! Any thread may encode and compress a row group, and finished ones are appended in order. The bytes of a
//! file depend on its rows and on where row groups end, and on nothing else.

use super::hybrid;
use super::parquet_file::ParquetFile;
use super::table::{Column, ColumnKind};
use super::texts::{NONE, PlainColumn, TextColumn, Texts};
use crate::recording::{Key, Moment};
use polars_arrow::array::PrimitiveArray;
use polars_arrow::datatypes::{ArrowDataType, ArrowSchema, Field, TimeUnit};
use polars_error::{PolarsError, PolarsResult};
use polars_parquet::parquet::CowBuffer;
use polars_parquet::parquet::metadata::Descriptor;
use polars_parquet::parquet::page::{DataPage, DataPageHeader, DataPageHeaderV1, DictPage, Page};
use polars_parquet::parquet::schema::Repetition;
use polars_parquet::write::{
    CompressedPage, CompressionOptions, Encoding, ParquetType, SchemaDescriptor, StatisticsOptions,
    Version, WriteOptions, ZstdLevel, array_to_columns, compress, to_parquet_schema,
};
use std::borrow::Cow;
use std::io::Write;

/// The cells of one column.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "each kind says what it holds")]
pub enum Cells {
    /// Texts that recur.
    Distinct(TextColumn),
    /// Texts that hardly recur.
    Texts(PlainColumn),
    Flags(Vec<Option<bool>>),
    /// Whole numbers that hardly recur.
    Ints(Vec<i64>),
    /// Numbers of eight bytes that recur: an index for each row, `u32::MAX` where the cell is empty.
    DistinctNumbers {
        values: Vec<u64>,
        rows: Vec<u32>,
    },
    /// Floating-point numbers that hardly recur.
    Floats(Vec<Option<f64>>),
    Keys(Vec<Option<Key>>),
    Times(Vec<Option<Moment>>),
}

impl Cells {
    /// One of a list of names for each row.
    pub(super) fn named<'n>(names: impl IntoIterator<Item = &'n str>, rows: Vec<u32>) -> Self {
        let mut texts = Texts::default();
        names.into_iter().for_each(|name| texts.push(name));
        Self::Distinct(TextColumn { texts, rows })
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Distinct(TextColumn { rows, .. }) | Self::DistinctNumbers { rows, .. } => {
                rows.len()
            }
            Self::Texts(texts) => texts.len(),
            Self::Flags(cells) => cells.len(),
            Self::Ints(cells) => cells.len(),
            Self::Floats(cells) => cells.len(),
            Self::Keys(cells) => cells.len(),
            Self::Times(cells) => cells.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Columns of one row group, encoded and compressed.
pub struct RowGroup {
    rows: usize,
    pub(super) columns: Vec<Vec<CompressedPage>>,
}

impl RowGroup {
    pub(super) fn of(rows: usize, columns: Vec<Vec<CompressedPage>>) -> Self {
        Self { rows, columns }
    }

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
    pub fn new(columns: &[Column]) -> PolarsResult<Self> {
        let field = |column: &Column| {
            Field::new(column.name.into(), data_type(column.kind), column.may_be_empty)
        };
        let fields = columns.iter().map(field);
        let schema: ArrowSchema = fields.map(|field| (field.name.clone(), field)).collect();
        let parquet = to_parquet_schema(&schema)?;
        Ok(Self { schema, parquet })
    }

    /// Encodes a row group; the cells stand in the order of the columns.
    ///
    /// # Panics
    ///
    /// If there are not as many as there are columns.
    pub fn encode(&self, cells: impl IntoIterator<Item = Cells>) -> PolarsResult<RowGroup> {
        let mut group = RowGroup { rows: 0, columns: Vec::with_capacity(self.schema.len()) };
        for cells in cells {
            let column = &self.parquet.fields()[group.columns.len()];
            debug_assert!(group.columns.is_empty() || group.rows == cells.len(), "equally long");
            group.rows = cells.len();
            group.columns.push(pages(cells, column)?);
        }
        assert_eq!(group.columns.len(), self.schema.len(), "cells for each of the columns");
        Ok(group)
    }

    pub fn start<W: Write>(&self, out: W) -> ParquetFile<W> {
        ParquetFile::start(out, self.schema.clone())
    }
}

/// Statistics are left out: corpus order sorts no column, so they could never skip a row group.
pub(super) const OPTIONS: WriteOptions = WriteOptions {
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

/// How long the levels of a page are stands before them in so many bytes.
const LENGTH: usize = 4;

/// Pages of this many bytes and more are worth compressing.
const LARGE: usize = 16 << 10;

fn compression_of(bytes: usize) -> PolarsResult<CompressionOptions> {
    Ok(match bytes {
        LARGE.. => CompressionOptions::Zstd(Some(ZstdLevel::try_new(1)?)),
        _ => CompressionOptions::Uncompressed,
    })
}

pub(super) fn data_type(kind: ColumnKind) -> ArrowDataType {
    match kind {
        ColumnKind::Text => ArrowDataType::Utf8View,
        ColumnKind::Bool => ArrowDataType::Boolean,
        ColumnKind::Int => ArrowDataType::Int64,
        ColumnKind::Float => ArrowDataType::Float64,
        ColumnKind::Key => ArrowDataType::FixedSizeBinary(size_of::<Key>()),
        ColumnKind::Time => ArrowDataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
    }
}

fn pages(cells: Cells, column: &ParquetType) -> PolarsResult<Vec<CompressedPage>> {
    let plain = CompressionOptions::Uncompressed;
    let zstd = compression_of(LARGE)?;
    let (present, values, encoding, compression): (Vec<bool>, Vec<u8>, _, _) = match cells {
        Cells::Distinct(TextColumn { texts, rows }) => {
            let mut values = Vec::with_capacity(texts.bytes());
            texts.iter().for_each(|text| push_text(text, &mut values));
            return numbered((values, texts.len()), &rows, column);
        }
        Cells::DistinctNumbers { values, rows } => {
            let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            return numbered((bytes, values.len()), &rows, column);
        }
        Cells::Texts(texts) => return in_full(&texts, column),
        Cells::Flags(cells) => {
            let known: Vec<bool> = cells.iter().copied().flatten().collect();
            let byte =
                |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
            let bytes = known.chunks(u8::BITS as usize).map(byte).collect();
            (cells.iter().map(Option::is_some).collect(), bytes, Encoding::Plain, plain)
        }
        Cells::Ints(cells) => return differences(PrimitiveArray::from_vec(cells), column),
        Cells::Floats(cells) => {
            let (present, bytes) = in_bytes(&cells, |number| number.to_le_bytes());
            (present, bytes, Encoding::Plain, zstd)
        }
        Cells::Keys(cells) => {
            let (present, bytes) = in_bytes(&cells, |Key(key)| key.to_be_bytes());
            (present, bytes, Encoding::Plain, plain)
        }
        Cells::Times(cells) => {
            let cells = cells.into_iter().map(|cell| cell.map(|Moment(at)| at));
            return differences(cells.collect(), column);
        }
    };
    Ok(vec![page_of(column, encoding, &present, &values, compression)?])
}

/// Pages of numbers that mostly grow, as the differences between them: nothing is left to compress.
fn differences(
    numbers: PrimitiveArray<i64>,
    column: &ParquetType,
) -> PolarsResult<Vec<CompressedPage>> {
    let encoding = [Encoding::DeltaBinaryPacked];
    let columns = array_to_columns(numbers.boxed(), column.clone(), OPTIONS, &encoding)?;
    let plain = CompressionOptions::Uncompressed;
    columns.into_iter().flatten().map(|page| Ok(compress(page?, Vec::new(), plain)?)).collect()
}

/// A page of what cells hold, of which some may be empty.
fn page_of(
    column: &ParquetType,
    encoding: Encoding,
    present: &[bool],
    values: &[u8],
    compression: CompressionOptions,
) -> PolarsResult<CompressedPage> {
    let rows = present.len();
    let of_rows = present.contains(&false).then(|| present.iter().copied());
    let mut bytes = levels(column, rows, of_rows);
    bytes.extend_from_slice(values);
    Ok(compress(data_page(column, encoding, rows, bytes)?, Vec::new(), compression)?)
}

/// Which cells hold something, and that as bytes.
fn in_bytes<T, const N: usize>(
    cells: &[Option<T>],
    bytes_of: impl Fn(&T) -> [u8; N],
) -> (Vec<bool>, Vec<u8>) {
    let mut bytes = Vec::with_capacity(cells.len() * N);
    cells.iter().flatten().for_each(|cell| bytes.extend_from_slice(&bytes_of(cell)));
    (cells.iter().map(Option::is_some).collect(), bytes)
}

/// About so many bytes of texts stand in a page: all of a row group would be kept three times at once.
const PAGE: usize = 1 << 19;

/// Pages of texts, one after the other.
fn in_full(texts: &PlainColumn, column: &ParquetType) -> PolarsResult<Vec<CompressedPage>> {
    let compression = compression_of(texts.bytes())?;
    let (mut pages, mut begun) = (Vec::new(), 0);
    while begun < texts.len() || pages.is_empty() {
        let (mut values, mut row) = (Vec::new(), begun);
        while row < texts.len() && values.len() < PAGE {
            if let Some(text) = texts.get(row) {
                push_text(text, &mut values);
            }
            row += 1;
        }
        let present = &texts.present[begun..row];
        pages.push(page_of(column, Encoding::Plain, present, &values, compression)?);
        begun = row;
    }
    Ok(pages)
}

fn push_text(text: &str, to: &mut Vec<u8>) {
    to.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
    to.extend_from_slice(text.as_bytes());
}

/// What a page says of which cells are empty, where they may be; `present` says it where one is.
fn levels(
    column: &ParquetType,
    rows: usize,
    present: Option<impl Iterator<Item = bool>>,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    if column.get_field_info().repetition == Repetition::Optional {
        bytes.extend_from_slice(&[0; LENGTH]);
        match present {
            Some(present) => {
                hybrid::write(&present.map(u32::from).collect::<Vec<u32>>(), 1, &mut bytes);
            }
            None => hybrid::repeat(1, rows, 1, &mut bytes),
        }
        let length = u32::try_from(bytes.len() - LENGTH).unwrap_or(u32::MAX);
        bytes[..LENGTH].copy_from_slice(&length.to_le_bytes());
    } else {
        debug_assert!(present.is_none(), "no cell of this column is empty");
    }
    bytes
}

fn data_page(
    column: &ParquetType,
    encoding: Encoding,
    rows: usize,
    bytes: Vec<u8>,
) -> PolarsResult<Page> {
    let ParquetType::PrimitiveType(of_column) = column else {
        return Err(PolarsError::ComputeError("columns hold no columns".into()));
    };
    let header = DataPageHeader::V1(DataPageHeaderV1 {
        num_values: i32::try_from(rows).unwrap_or(i32::MAX),
        encoding: encoding.into(),
        definition_level_encoding: Encoding::Rle.into(),
        repetition_level_encoding: Encoding::Rle.into(),
        statistics: None,
    });
    let descriptor =
        Descriptor { primitive_type: of_column.clone(), max_def_level: 0, max_rep_level: 0 };
    Ok(Page::Data(DataPage::new(header, CowBuffer::Owned(bytes), descriptor, rows)))
}

/// A page of distinct values, and one of their numbers for each row, of which [`NONE`] is no value.
fn numbered(
    (values, count): (Vec<u8>, usize),
    rows: &[u32],
    column: &ParquetType,
) -> PolarsResult<Vec<CompressedPage>> {
    let has_empty = rows.contains(&NONE);
    let present = has_empty.then(|| rows.iter().map(|row| *row != NONE));
    let mut bytes = levels(column, rows.len(), present);
    let present: Cow<'_, [u32]> = if has_empty {
        rows.iter().copied().filter(|row| *row != NONE).collect()
    } else {
        rows.into()
    };
    let width = hybrid::width_of(present.iter().copied().max().unwrap_or(0));
    bytes.extend_from_slice(&width.to_le_bytes()[..1]);
    hybrid::write(&present, width, &mut bytes);
    let compression = compression_of(values.len().max(bytes.len()))?;
    let pages = [
        Page::Dict(DictPage::new(CowBuffer::Owned(values), count, false)),
        data_page(column, Encoding::RleDictionary, rows.len(), bytes)?,
    ];
    pages.into_iter().map(|page| Ok(compress(page, Vec::new(), compression)?)).collect()
}
