//! Columns of a finished table, a row group at a time.
//!
//! Columns are read one by one: who needs a few of a million rows reads no more.

use super::folder::ReportError;
use super::parquet::{RowGroup, data_type};
use super::table::{ColumnKind, Table, TableFormat};
use super::texts::{Distinct, NONE, TextColumn, Texts};
use crate::recording::Key;
use polars_arrow::array::{
    Array, BooleanArray, FixedSizeBinaryArray, PrimitiveArray, Utf8ViewArray,
};
use polars_arrow::datatypes::Field;
use polars_error::{PolarsError, PolarsResult};
use polars_parquet::parquet::encoding::hybrid_rle::HybridRleDecoder;
use polars_parquet::parquet::metadata::FileMetadata;
use polars_parquet::parquet::page::CompressedPage;
use polars_parquet::parquet::schema::Repetition;
use polars_parquet::read::{
    BasicDecompressor, ColumnChunkMetadata, PageReader, PhysicalType, RowGroupMetadata,
    column_iter_to_arrays, read_metadata,
};
use polars_parquet_format::PageHeader;
use polars_parquet_format::thrift::{self, protocol::TCompactInputProtocol};
use std::cell::Cell;
use std::fs::File;
use std::io::{Cursor, Read as _, Seek as _, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::sync::Once;

#[derive(Debug)]
pub struct TableReader {
    path: PathBuf,
    file: File,
    bytes: u64,
    metadata: FileMetadata,
}

impl TableReader {
    pub fn open(folder: &Path, table: Table) -> Result<Self, ReportError> {
        Self::open_file(&folder.join(table.file_name(TableFormat::Parquet)))
    }

    pub fn open_file(path: &Path) -> Result<Self, ReportError> {
        let path = path.to_owned();
        let failed = |source| ReportError::Read { path: path.clone(), source };
        let mut file = File::open(&path).map_err(|error| failed(error.into()))?;
        let bytes = file.metadata().map_err(|error| failed(error.into()))?.len();
        let metadata = unless_it_panics(|| read_metadata(&mut file)).map_err(failed)?;
        Ok(Self { path, file, bytes, metadata })
    }

    pub fn groups(&self) -> usize {
        self.metadata.row_groups.len()
    }

    pub fn rows(&self, group: usize) -> usize {
        self.metadata.row_groups.get(group).map_or(0, RowGroupMetadata::num_rows)
    }

    pub fn columns(&self) -> Vec<&str> {
        let columns = self.metadata.schema_descr.columns().iter();
        columns.filter_map(|column| column.path_in_schema.first()).map(|name| &**name).collect()
    }

    /// The text that stands in the file under a name, beside its columns.
    pub fn about(&self, name: &str) -> Option<&str> {
        let mut texts = self.metadata.key_value_metadata().iter().flatten();
        texts.find(|text| text.key == name)?.value.as_deref()
    }

    pub fn texts(&mut self, group: usize, column: &str) -> Result<TextColumn, ReportError> {
        let numbered = self.column(group, column, ColumnKind::Text, numbered)?;
        if let Some(numbered) = numbered {
            return Ok(numbered);
        }
        let mut distinct = Distinct::default();
        let arrays = self.arrays(group, column, ColumnKind::Text)?;
        let mut rows = Vec::with_capacity(self.rows(group));
        for array in arrays {
            let texts = self.typed::<Utf8ViewArray>(&*array, column)?;
            rows.extend(texts.iter().map(|text| distinct.index_of_option(text)));
        }
        Ok(TextColumn { texts: distinct.into_texts(), rows })
    }

    /// The texts in these rows of a column, in the order of the rows, which ascend.
    pub fn texts_in(
        &mut self,
        group: usize,
        column: &str,
        rows: &[usize],
    ) -> Result<Vec<Option<String>>, ReportError> {
        let mut texts = Vec::with_capacity(rows.len());
        let mut rows = rows.iter().copied().peekable();
        let mut before = 0;
        for array in self.arrays(group, column, ColumnKind::Text)? {
            let array = self.typed::<Utf8ViewArray>(&*array, column)?;
            while let Some(row) = rows.next_if(|row| *row < before + array.len()) {
                texts.push(array.get(row - before).map(str::to_owned));
            }
            before += array.len();
        }
        texts.resize(texts.len() + rows.count(), None);
        Ok(texts)
    }

    pub fn flags(&mut self, group: usize, column: &str) -> Result<Vec<Option<bool>>, ReportError> {
        self.cells(group, column, ColumnKind::Bool, |array: &BooleanArray, flags| {
            flags.extend(array.iter());
        })
    }

    /// A column of whole numbers; 0 where a cell is empty.
    pub fn ints(&mut self, group: usize, column: &str) -> Result<Vec<i64>, ReportError> {
        self.cells(group, column, ColumnKind::Int, |array: &PrimitiveArray<i64>, ints| {
            ints.extend(array.iter().map(|int| int.copied().unwrap_or_default()));
        })
    }

    pub fn floats(&mut self, group: usize, column: &str) -> Result<Vec<Option<f64>>, ReportError> {
        self.cells(group, column, ColumnKind::Float, |array: &PrimitiveArray<f64>, floats| {
            floats.extend(array.iter().map(Option::<&f64>::copied));
        })
    }

    pub fn keys(&mut self, group: usize, column: &str) -> Result<Vec<Option<Key>>, ReportError> {
        let key = |bytes: &[u8]| bytes.try_into().ok().map(u128::from_be_bytes).map(Key);
        self.cells(group, column, ColumnKind::Key, |array: &FixedSizeBinaryArray, keys| {
            keys.extend(array.iter().map(|bytes| bytes.and_then(key)));
        })
    }

    /// The rows of a column of content hashes with one that is wanted, in order.
    pub fn keys_where(
        &mut self,
        group: usize,
        column: &str,
        is_wanted: impl Fn(&Key) -> bool,
    ) -> Result<Vec<(usize, Key)>, ReportError> {
        let keys = self.keys(group, column)?.into_iter().enumerate();
        Ok(keys.filter_map(|(row, key)| Some((row, key.filter(&is_wanted)?))).collect())
    }

    /// The cells of a column, taken array by array.
    fn cells<A: 'static, T>(
        &mut self,
        group: usize,
        column: &str,
        kind: ColumnKind,
        take: impl Fn(&A, &mut Vec<T>),
    ) -> Result<Vec<T>, ReportError> {
        let arrays = self.arrays(group, column, kind)?;
        let mut cells = Vec::with_capacity(self.rows(group));
        for array in arrays {
            take(self.typed(&*array, column)?, &mut cells);
        }
        Ok(cells)
    }

    fn typed<'a, A: 'static>(
        &self,
        array: &'a dyn Array,
        column: &str,
    ) -> Result<&'a A, ReportError> {
        array.as_any().downcast_ref().ok_or_else(|| self.odd(column))
    }

    pub fn damaged(&self, reason: String) -> ReportError {
        ReportError::Damaged { path: self.path.clone(), reason }
    }

    fn odd(&self, column: &str) -> ReportError {
        ReportError::Columns { path: self.path.clone(), column: column.to_owned() }
    }

    /// A row group as it is: its columns, which have to be these in this order, stay compressed.
    pub(super) fn row_group(
        &mut self,
        group: usize,
        columns: &[String],
    ) -> Result<RowGroup, ReportError> {
        let names = self.columns();
        let differs = |at: &usize| columns.get(*at).map(String::as_str) != names.get(*at).copied();
        if let Some(at) = (0..columns.len().max(names.len())).find(differs) {
            let name = columns.get(at).map(String::as_str).or(names.get(at).copied());
            return Err(self.odd(name.unwrap_or_default()));
        }
        let failed = |source| ReportError::Read { path: self.path.clone(), source };
        let rows = self.rows(group);
        let Some(found) = self.metadata.row_groups.get(group) else {
            return Err(failed(torn("a row group is missing")));
        };
        let (file, bytes) = (&mut self.file, self.bytes);
        let pages = unless_it_panics(|| {
            let columns = found.parquet_columns().iter();
            columns.map(|column| compressed((&mut *file, bytes), column, rows)).collect()
        });
        Ok(RowGroup::of(rows, pages.map_err(failed)?))
    }

    /// A column, in one array or several, as long together as the file says.
    fn arrays(
        &mut self,
        group: usize,
        column: &str,
        kind: ColumnKind,
    ) -> Result<Vec<Box<dyn Array>>, ReportError> {
        self.column(group, column, kind, |pages, column, rows| {
            let of_type = &column.descriptor().descriptor.primitive_type;
            let field = Field::new(of_type.field_info.name.clone(), data_type(kind), true);
            let arrays = column_iter_to_arrays(vec![pages], vec![of_type], field, None)?.0;
            let is_whole = arrays.iter().map(|array| array.len()).sum::<usize>() == rows;
            is_whole.then_some(arrays).ok_or_else(shorter)
        })
    }

    /// What is read of the pages of a column, which are for so many rows.
    fn column<T>(
        &mut self,
        group: usize,
        column: &str,
        kind: ColumnKind,
        read: impl FnOnce(BasicDecompressor, &ColumnChunkMetadata, usize) -> PolarsResult<T>,
    ) -> Result<T, ReportError> {
        let found = self
            .metadata
            .row_groups
            .get(group)
            .and_then(|group| group.columns_under_root_iter(column)?.next())
            .filter(|found| found.physical_type() == physical(kind));
        let Some(found) = found else { return Err(self.odd(column)) };
        let rows = self.rows(group);
        let file = (&mut self.file, self.bytes);
        unless_it_panics(|| {
            let pages = BasicDecompressor::new(pages(file, found, rows)?, Vec::new());
            read(pages, found, rows)
        })
        .map_err(|source| ReportError::Read { path: self.path.clone(), source })
    }
}

fn pages(
    (file, file_bytes): (&mut File, u64),
    column: &ColumnChunkMetadata,
    rows: usize,
) -> PolarsResult<PageReader> {
    // The reader sets memory aside for as many values as a column says that it has. None is nested.
    if usize::try_from(column.num_values()) != Ok(rows) {
        return Err(shorter());
    }
    let range = column.byte_range();
    if range.end > file_bytes {
        return Err(torn("a column ends behind the file's end"));
    }
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(range.start))?;
    file.take(range.end - range.start).read_to_end(&mut bytes)?;
    let size = bytes.len();
    if !has_pages_for(&bytes, column, rows).map_err(|error| torn(&error.to_string()))? {
        return Err(torn("a part of a column is larger than the column"));
    }
    Ok(PageReader::new(Cursor::new(bytes.into()), column, Vec::new(), size))
}

/// Whether no page says that it holds more than the column that it is of, since memory is set aside for as much.
fn has_pages_for(
    mut bytes: &[u8],
    column: &ColumnChunkMetadata,
    rows: usize,
) -> Result<bool, thrift::Error> {
    let mut left = column.num_values();
    while left > 0 {
        let most = bytes.len();
        let mut input = TCompactInputProtocol::new(&mut bytes, most);
        let page = PageHeader::read_from_in_protocol(&mut input)?;
        let values = (page.data_page_header.map(|header| header.num_values))
            .or(page.data_page_header_v2.map(|header| header.num_values));
        // Each value of a dictionary is at least a byte.
        let of_dictionary = page.dictionary_page_header.map(|header| header.num_values);
        let (size, compressed) = (page.uncompressed_page_size, page.compressed_page_size);
        let is_at_most = |number: Option<i32>, most: usize| {
            number.is_none_or(|number| usize::try_from(number).is_ok_and(|number| number <= most))
        };
        let whole = usize::try_from(column.uncompressed_size()).unwrap_or_default();
        if !is_at_most(values, rows)
            || !is_at_most(of_dictionary, usize::try_from(size).unwrap_or_default())
            || !is_at_most(Some(size), whole)
            || !is_at_most(Some(compressed), bytes.len())
        {
            return Ok(false);
        }
        left -= i64::from(values.unwrap_or_default());
        bytes = &bytes[usize::try_from(compressed).unwrap_or_default()..];
    }
    Ok(true)
}

fn compressed(
    file: (&mut File, u64),
    column: &ColumnChunkMetadata,
    rows: usize,
) -> PolarsResult<Vec<CompressedPage>> {
    let whole = |page| {
        let mut page = page?;
        if let CompressedPage::Data(data) = &mut page {
            // No column is nested: each value is a row.
            data.num_rows = Some(data.num_values());
        }
        Ok(page)
    };
    pages(file, column, rows)?.map(whole).collect()
}

/// A column of texts that are written once each, and numbered; `None` where they stand one after the other.
fn numbered(
    mut pages: BasicDecompressor,
    column: &ColumnChunkMetadata,
    rows: usize,
) -> PolarsResult<Option<TextColumn>> {
    let Some(dictionary) = pages.read_dict_page()? else { return Ok(None) };
    let mut bytes = &*dictionary.buffer;
    let mut listed = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let text = rest.split_at_checked(u32::from_le_bytes(*length) as usize);
        let (text, rest) = text.ok_or_else(shorter)?;
        listed.push((std::str::from_utf8(text).map_err(|error| torn(&error.to_string()))?, NONE));
        bytes = rest;
    }
    let field = &column.descriptor().descriptor.primitive_type.field_info;
    let mut read = TextColumn { texts: Texts::default(), rows: Vec::with_capacity(rows) };
    while let Some(page) = pages.next() {
        let page = page?.decompress(&mut pages)?;
        let (mut bytes, count) = (page.buffer(), page.num_values());
        let mut present = vec![1; count];
        if field.repetition == Repetition::Optional {
            let (length, rest) = bytes.split_first_chunk().ok_or_else(shorter)?;
            let levels = rest.split_at_checked(u32::from_le_bytes(*length) as usize);
            let (levels, rest) = levels.ok_or_else(shorter)?;
            present = HybridRleDecoder::new(levels, 1, count).collect()?;
            bytes = rest;
        }
        let (width, numbers) = bytes.split_first().ok_or_else(shorter)?;
        let holding = present.iter().filter(|level| **level > 0).count();
        let numbers = HybridRleDecoder::new(numbers, u32::from(*width), holding).collect()?;
        let mut numbers = numbers.into_iter();
        for level in present {
            if level == 0 {
                read.rows.push(NONE);
                continue;
            }
            let number = numbers.next().ok_or_else(shorter)?;
            let (text, own) = listed.get_mut(number as usize).ok_or_else(shorter)?;
            // Texts are numbered anew, as they come.
            if *own == NONE {
                *own = u32::try_from(read.texts.len()).unwrap_or(NONE);
                read.texts.push(text);
            }
            read.rows.push(*own);
        }
    }
    if read.rows.len() == rows { Ok(Some(read)) } else { Err(shorter()) }
}

fn physical(kind: ColumnKind) -> PhysicalType {
    match kind {
        ColumnKind::Text => PhysicalType::ByteArray,
        ColumnKind::Bool => PhysicalType::Boolean,
        ColumnKind::Int | ColumnKind::Time => PhysicalType::Int64,
        ColumnKind::Float => PhysicalType::Double,
        ColumnKind::Key => PhysicalType::FixedLenByteArray(size_of::<Key>()),
    }
}

/// Reads what may have been torn or edited: the readers of this format believe what they read.
fn unless_it_panics<T>(read: impl FnOnce() -> PolarsResult<T>) -> PolarsResult<T> {
    thread_local! {
        static READS: Cell<bool> = const { Cell::new(false) };
    }
    static SILENT: Once = Once::new();
    SILENT.call_once(|| {
        let tell = take_hook();
        set_hook(Box::new(move |panic| {
            if !READS.get() {
                tell(panic);
            }
        }));
    });
    READS.set(true);
    let read = catch_unwind(AssertUnwindSafe(read));
    READS.set(false);
    read.unwrap_or_else(|_| Err(torn("it holds what no table of this program does")))
}

fn shorter() -> PolarsError {
    torn("a column is shorter than another")
}

fn torn(what: &str) -> PolarsError {
    PolarsError::ComputeError(format!("the file is damaged: {what}").into())
}

#[cfg(test)]
mod tests {
    use super::super::gathered::ColumnCells;
    use super::super::parquet::{Cells, Encoder};
    use super::super::table::Column;
    use super::super::table::ColumnKind::{Bool, Float, Int, Text};
    use super::super::texts::{DistinctColumn, PlainColumn};
    use super::*;
    use proptest::prelude::*;

    type Row = (Option<String>, Option<bool>, Option<f64>, i64);

    fn rows() -> impl Strategy<Value = Vec<Row>> {
        let text = proptest::option::of("[ab]{0,2}|.{0,9}");
        let int = prop_oneof![0_i64..9, any::<i64>(), 1000_i64..1300];
        let float =
            proptest::option::of(any::<f64>().prop_filter("equal to itself", |f| !f.is_nan()));
        proptest::collection::vec((text, proptest::option::of(any::<bool>()), float, int), 1..300)
    }

    fn column<T>(rows: &[Row], of: impl Fn(&Row) -> T) -> Vec<T> {
        rows.iter().map(of).collect()
    }

    fn text((text, ..): &Row) -> Option<String> {
        text.clone()
    }

    /// A key for each row that has a flag.
    fn key((_, flag, _, int): &Row) -> Option<Key> {
        flag.map(|_| Key(u128::MAX ^ u128::from(int.cast_unsigned())))
    }

    fn cells(rows: &[Row]) -> Vec<Cells> {
        let (mut plain, mut distinct) = (PlainColumn::default(), DistinctColumn::default());
        let mut weights = ColumnCells::of(Float);
        for (text, _, float, _) in rows {
            plain.push(text.as_deref());
            distinct.push(text.as_deref());
            weights.push(&(*float).into());
        }
        vec![
            Cells::Texts(plain),
            distinct.into_cells(),
            Cells::Flags(column(rows, |row| row.1)),
            Cells::Floats(column(rows, |row| row.2)),
            weights.into_cells(),
            Cells::Ints(column(rows, |row| row.3)),
            Cells::DistinctNumbers {
                values: column(rows, |row| row.3.cast_unsigned()),
                rows: (0..).take(rows.len()).collect(),
            },
            Cells::Keys(column(rows, key)),
        ]
    }

    /// A table of these row groups, in a file.
    fn written(folder: &Path, groups: &[Vec<Row>]) -> PathBuf {
        let columns = [
            ("plain", Text),
            ("text", Text),
            ("flag", Bool),
            ("float", Float),
            ("weight", Float),
            ("int", Int),
            ("count", Int),
            ("key", ColumnKind::Key),
        ]
        .map(|(name, kind)| Column { name, kind, may_be_empty: kind != Int });
        let encoder = Encoder::new(&columns).expect("plain columns");
        let mut file = encoder.start(Vec::new());
        for rows in groups {
            let group = encoder.encode(cells(rows)).expect("cells of these columns");
            file.append(&group).expect("in memory");
        }
        let path = folder.join("table.parquet");
        std::fs::write(&path, file.finish().expect("in memory")).expect("a file");
        path
    }

    fn texts(column: &TextColumn) -> Vec<Option<String>> {
        (0..column.rows.len()).map(|row| column.get(row).map(str::to_owned)).collect()
    }

    /// Every column, of which each that can be read has as many rows as its group.
    fn read_all(mut table: TableReader) {
        for group in 0..table.groups().min(2) {
            for column in ["plain", "text"] {
                if let Ok(column) = table.texts(group, column) {
                    assert_eq!(texts(&column).len(), table.rows(group));
                }
            }
            let _ = table.flags(group, "flag");
            let _ = table.floats(group, "float");
            let _ = table.floats(group, "weight");
            let _ = table.ints(group, "int");
            let _ = table.ints(group, "count");
            let _ = table.keys(group, "key");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn columns_come_back_as_they_were_written(groups in proptest::collection::vec(rows(), 1..3)) {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let mut table = TableReader::open_file(&written(folder.path(), &groups)).expect("whole");
            prop_assert_eq!(table.groups(), groups.len());
            prop_assert_eq!(table.columns().len(), 8);
            for (group, rows) in groups.iter().enumerate() {
                prop_assert_eq!(table.rows(group), rows.len());
                prop_assert_eq!(&texts(&table.texts(group, "plain").expect("texts")), &column(rows, text));
                prop_assert_eq!(&texts(&table.texts(group, "text").expect("texts")), &column(rows, text));
                let odd: Vec<usize> = (1..rows.len()).step_by(2).collect();
                let expected: Vec<_> = odd.iter().map(|row| text(&rows[*row])).collect();
                for column in ["plain", "text"] {
                    let found = table.texts_in(group, column, &odd).expect("texts");
                    prop_assert_eq!(&found, &expected);
                }
                let (floats, ints) = (column(rows, |row| row.2), column(rows, |row| row.3));
                prop_assert_eq!(&table.flags(group, "flag").expect("flags"), &column(rows, |row| row.1));
                prop_assert_eq!(&table.floats(group, "float").expect("floats"), &floats);
                prop_assert_eq!(&table.floats(group, "weight").expect("floats"), &floats);
                prop_assert_eq!(&table.ints(group, "int").expect("ints"), &ints);
                prop_assert_eq!(&table.ints(group, "count").expect("ints"), &ints);
                prop_assert_eq!(&table.keys(group, "key").expect("keys"), &column(rows, key));
            }
        }

        #[test]
        fn damage_is_an_error_or_nothing(
            rows in rows(),
            damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
            cut in proptest::option::of(any::<prop::sample::Index>()),
        ) {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let path = written(folder.path(), &[rows]);
            let mut bytes = std::fs::read(&path).expect("a file");
            for (at, byte) in damage {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            std::fs::write(&path, &bytes).expect("a file");
            if let Ok(table) = TableReader::open_file(&path) {
                read_all(table);
            }
        }
    }

    #[test]
    fn no_byte_makes_a_reader_set_aside_what_the_file_cannot_hold() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path =
            written(folder.path(), &[vec![(Some("a text".into()), Some(true), Some(0.5), 7)]]);
        let whole = std::fs::read(&path).expect("a file");
        for (at, byte) in (0..whole.len()).flat_map(|at| [0x01, 0x7f, 0xff].map(|byte| (at, byte)))
        {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            std::fs::write(&path, &bytes).expect("a file");
            if let Ok(table) = TableReader::open_file(&path) {
                read_all(table);
            }
        }
    }

    #[test]
    fn a_column_that_is_missing_or_of_another_kind_is_named() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut table =
            TableReader::open_file(&written(folder.path(), &[vec![(None, None, None, 7)]]))
                .expect("whole");
        for (column, error) in [("other", table.texts(0, "other")), ("int", table.texts(0, "int"))]
        {
            let error = error.expect_err("no such column").to_string();
            assert!(error.contains(&format!("its column {column} is missing")), "{error}");
        }
    }
}
