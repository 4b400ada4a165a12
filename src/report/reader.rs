//! Columns of a finished table, a row group at a time, without the rest of it.
//!
//! [`super::read_table`] makes a whole table a data frame. Who needs a few columns of a million rows
//! has them from here as they were written: texts as numbers of a dictionary.

use super::column::ColumnKind;
use super::error::ReportError;
use super::pages::Flag;
use super::table::{Table, TableFormat};
use super::texts::{NONE, Texts};
use super::unpack::{self, Levels};
use polars::error::PolarsError;
use polars_parquet::parquet::compression::DecompressionContext;
use polars_parquet::parquet::metadata::FileMetadata;
use polars_parquet::parquet::page::{CompressedPage, DataPageHeader, Page};
use polars_parquet::parquet::read::decompress;
use polars_parquet::read::{
    ColumnChunkMetadata, PageReader, PhysicalType, RowGroupMetadata, read_metadata,
};
use polars_parquet::write::Encoding;
use std::cell::Cell;
use std::fs::File;
use std::io::{Cursor, Read as _, Seek as _, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// A table that is being read.
pub struct TableReader {
    path: PathBuf,
    file: File,
    bytes: u64,
    metadata: FileMetadata,
}

/// A column of texts: each row's number among the distinct ones.
#[derive(Clone, Debug, Default)]
pub struct TextColumn {
    /// The texts, of which some may be equal.
    pub texts: Texts,
    /// A number for each row; `u32::MAX` where the cell is empty.
    pub rows: Vec<u32>,
}

impl TextColumn {
    /// The text of a row.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<&str> {
        let number = *self.rows.get(row)?;
        (number != NONE).then(|| self.texts.get(number as usize))
    }
}

/// The cells of one column in a row group.
enum Values {
    Texts(TextColumn),
    Flags(Vec<Flag>),
    Ints(Vec<i64>),
    Floats(Vec<Option<f64>>),
}

impl TableReader {
    /// Opens a table of a run folder.
    pub fn open(folder: &Path, table: Table) -> Result<Self, ReportError> {
        Self::open_file(&folder.join(table.file_name(TableFormat::Parquet)))
    }

    /// Opens any table that this program wrote.
    pub fn open_file(path: &Path) -> Result<Self, ReportError> {
        let path = path.to_owned();
        let failed = |source| ReportError::Read { path: path.clone(), source };
        let mut file = File::open(&path).map_err(|error| failed(error.into()))?;
        let bytes = file.metadata().map_err(|error| failed(error.into()))?.len();
        // The reader of footers believes what it reads.
        let metadata = catch_unwind(AssertUnwindSafe(|| read_metadata(&mut file)))
            .unwrap_or_else(|_| Err(torn("its footer makes no sense")))
            .map_err(failed)?;
        Ok(Self { path, file, bytes, metadata })
    }

    /// How many row groups there are.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.metadata.row_groups.len()
    }

    /// How many rows a row group has.
    #[must_use]
    pub fn rows(&self, group: usize) -> usize {
        self.metadata.row_groups.get(group).map_or(0, RowGroupMetadata::num_rows)
    }

    /// The names of all columns, in order.
    #[must_use]
    pub fn columns(&self) -> Vec<&str> {
        let columns = self.metadata.schema_descr.columns().iter();
        columns.filter_map(|column| column.path_in_schema.first()).map(|name| &**name).collect()
    }

    /// The text that stands in the file under a name, beside its columns.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        let mut texts = self.metadata.key_value_metadata().iter().flatten();
        texts.find(|text| text.key == name)?.value.as_deref()
    }

    /// A column of texts.
    pub fn texts(&mut self, group: usize, column: &str) -> Result<TextColumn, ReportError> {
        match self.read(group, column, ColumnKind::Text)? {
            Values::Texts(texts) => Ok(texts),
            Values::Flags(_) | Values::Ints(_) | Values::Floats(_) => Err(self.odd(column)),
        }
    }

    /// A column of flags.
    pub fn flags(&mut self, group: usize, column: &str) -> Result<Vec<Flag>, ReportError> {
        match self.read(group, column, ColumnKind::Bool)? {
            Values::Flags(flags) => Ok(flags),
            Values::Texts(_) | Values::Ints(_) | Values::Floats(_) => Err(self.odd(column)),
        }
    }

    /// A column of whole numbers.
    pub fn ints(&mut self, group: usize, column: &str) -> Result<Vec<i64>, ReportError> {
        match self.read(group, column, ColumnKind::Int)? {
            Values::Ints(ints) => Ok(ints),
            Values::Texts(_) | Values::Flags(_) | Values::Floats(_) => Err(self.odd(column)),
        }
    }

    /// A column of floating-point numbers.
    pub fn floats(&mut self, group: usize, column: &str) -> Result<Vec<Option<f64>>, ReportError> {
        match self.read(group, column, ColumnKind::Float)? {
            Values::Floats(floats) => Ok(floats),
            Values::Texts(_) | Values::Flags(_) | Values::Ints(_) => Err(self.odd(column)),
        }
    }

    fn odd(&self, column: &str) -> ReportError {
        ReportError::Columns { path: self.path.clone(), column: column.to_owned() }
    }

    fn failed(&self, source: PolarsError) -> ReportError {
        ReportError::Read { path: self.path.clone(), source }
    }

    fn read(
        &mut self,
        group: usize,
        column: &str,
        kind: ColumnKind,
    ) -> Result<Values, ReportError> {
        let found = self
            .metadata
            .row_groups
            .get(group)
            .and_then(|group| group.columns_under_root_iter(column)?.next())
            .filter(|found| found.physical_type() == physical(kind));
        let Some(found) = found else { return Err(self.odd(column)) };
        let rows = self.rows(group);
        values(&mut self.file, self.bytes, found, kind)
            .and_then(|values| {
                let is_whole = values.len() == rows;
                is_whole.then_some(values).ok_or_else(|| torn("a column is shorter than another"))
            })
            .map_err(|error| self.failed(error))
    }
}

impl Values {
    fn of(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Text => Self::Texts(TextColumn::default()),
            ColumnKind::Bool => Self::Flags(Vec::new()),
            ColumnKind::Int => Self::Ints(Vec::new()),
            ColumnKind::Float => Self::Floats(Vec::new()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Texts(column) => column.rows.len(),
            Self::Flags(cells) => cells.len(),
            Self::Ints(cells) => cells.len(),
            Self::Floats(cells) => cells.len(),
        }
    }

    /// Adds a page. Texts of further pages are numbered on from those before.
    fn add(&mut self, page: &Levels<'_>, coding: Coding, dictionary: &Dictionary) -> Option<()> {
        match (self, coding, dictionary) {
            (Self::Texts(column), Coding::Dictionary, Dictionary::Texts(texts)) => {
                column.rows.extend(page.numbers(texts.len())?);
            }
            (Self::Texts(column), Coding::Plain, Dictionary::None) => {
                let (texts, rows) = page.texts()?;
                if column.rows.is_empty() {
                    *column = TextColumn { texts, rows };
                } else {
                    let before = u32::try_from(column.texts.len()).ok()?;
                    texts.iter().for_each(|text| column.texts.push(text));
                    let moved = |row| if row == NONE { NONE } else { row + before };
                    column.rows.extend(rows.into_iter().map(moved));
                }
            }
            (Self::Flags(cells), Coding::Plain, Dictionary::None) => cells.extend(page.flags()?),
            (Self::Ints(cells), Coding::Plain, Dictionary::None) => cells.extend(page.ints()?),
            (Self::Ints(cells), Coding::Differences, Dictionary::None) => {
                cells.extend(page.differences()?);
            }
            (Self::Ints(cells), Coding::Dictionary, Dictionary::Ints(values)) => {
                let numbers = page.numbers(values.len())?;
                let value = |number| values.get(number as usize).copied().unwrap_or_default();
                cells.extend(numbers.into_iter().map(value));
            }
            (Self::Floats(cells), Coding::Plain, Dictionary::None) => cells.extend(page.floats()?),
            (Self::Floats(cells), Coding::Dictionary, Dictionary::Floats(values)) => {
                let numbers = page.numbers(values.len())?;
                cells
                    .extend(numbers.into_iter().map(|number| values.get(number as usize).copied()));
            }
            _ => return None,
        }
        Some(())
    }
}

/// What numbers in pages stand for.
enum Dictionary {
    None,
    Texts(Texts),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
}

impl Dictionary {
    fn read(bytes: &[u8], count: usize, kind: ColumnKind) -> Option<Self> {
        match kind {
            ColumnKind::Text => unpack::texts(bytes, count).map(Self::Texts),
            ColumnKind::Int => unpack::ints(bytes, count).map(Self::Ints),
            ColumnKind::Float => unpack::floats(bytes, count).map(Self::Floats),
            ColumnKind::Bool => None,
        }
    }
}

/// How the cells of a page are written.
#[derive(Clone, Copy)]
enum Coding {
    Plain,
    Dictionary,
    Differences,
}

impl Coding {
    fn of(header: &DataPageHeader) -> Option<Self> {
        let DataPageHeader::V1(header) = header else { return None };
        match Encoding::try_from(header.encoding).ok()? {
            Encoding::Plain => Some(Self::Plain),
            Encoding::RleDictionary | Encoding::PlainDictionary => Some(Self::Dictionary),
            Encoding::DeltaBinaryPacked => Some(Self::Differences),
            _ => None,
        }
    }
}

fn physical(kind: ColumnKind) -> PhysicalType {
    match kind {
        ColumnKind::Text => PhysicalType::ByteArray,
        ColumnKind::Bool => PhysicalType::Boolean,
        ColumnKind::Int => PhysicalType::Int64,
        ColumnKind::Float => PhysicalType::Double,
    }
}

fn torn(what: &str) -> PolarsError {
    PolarsError::ComputeError(format!("the file is damaged: {what}").into())
}

thread_local! {
    /// What pages are unpacked with; taken by whoever reads a column, and brought back when that went
    /// well. To make one costs more than to unpack a small page, and a history has many of these.
    static UNPACKING: Cell<DecompressionContext> = const { Cell::new(DecompressionContext::Unset) };
}

/// The cells of a column in a row group.
fn values(
    file: &mut File,
    file_bytes: u64,
    column: &ColumnChunkMetadata,
    kind: ColumnKind,
) -> Result<Values, PolarsError> {
    let range = column.byte_range();
    let length = range.end - range.start;
    if range.end > file_bytes {
        return Err(torn("a column ends behind the file's end"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    file.seek(SeekFrom::Start(range.start))?;
    file.take(length).read_to_end(&mut bytes)?;
    let mut reader = PageReader::new(Cursor::new(bytes.into()), column, Vec::new(), usize::MAX);
    let mut context = UNPACKING.replace(DecompressionContext::Unset);
    let mut unpacked = |page| decompress(page, &mut Vec::new(), &mut context);
    let odd = || torn("a page is not what this program writes");
    let mut values = Values::of(kind);
    let dictionary = match reader.read_dict()? {
        None => Dictionary::None,
        Some(page) => match unpacked(CompressedPage::Dict(page))? {
            Page::Dict(page) => Dictionary::read(&page.buffer, page.num_values, kind),
            Page::Data(_) => None,
        }
        .ok_or_else(odd)?,
    };
    let nullable = column.descriptor().descriptor.max_def_level > 0;
    for page in reader {
        let Page::Data(page) = unpacked(page?)? else { return Err(odd()) };
        Coding::of(page.header())
            .zip(Levels::read(page.buffer(), nullable, page.header().num_values()))
            .and_then(|(coding, levels)| values.add(&levels, coding, &dictionary))
            .ok_or_else(odd)?;
    }
    UNPACKING.set(context);
    if let (Values::Texts(column), Dictionary::Texts(texts)) = (&mut values, dictionary) {
        column.texts = texts;
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::super::column::{Column, ColumnKind::*};
    use super::super::parquet::{Cells, Encoder};
    use super::super::texts::Distinct;
    use super::*;
    use proptest::prelude::*;

    /// What the rows of a table with a column of each kind hold.
    #[derive(Clone, Debug, Default)]
    struct Rows {
        texts: Vec<Option<String>>,
        flags: Vec<Option<bool>>,
        floats: Vec<Option<f64>>,
        ints: Vec<i64>,
    }

    type Row = (Option<String>, Option<bool>, Option<f64>, i64);

    fn rows() -> impl Strategy<Value = Vec<Row>> {
        let text = proptest::option::of("[ab]{0,2}|.{0,9}");
        let int = prop_oneof![0_i64..9, any::<i64>(), 1000_i64..1300];
        let float =
            proptest::option::of(any::<f64>().prop_filter("equal to itself", |f| !f.is_nan()));
        proptest::collection::vec((text, proptest::option::of(any::<bool>()), float, int), 1..300)
    }

    fn apart(rows: &[Row]) -> Rows {
        let mut apart = Rows::default();
        for (text, flag, float, int) in rows {
            apart.texts.push(text.clone());
            apart.flags.push(*flag);
            apart.floats.push(*float);
            apart.ints.push(*int);
        }
        apart
    }

    fn cells(rows: &Rows) -> Vec<Cells> {
        let mut plain = Texts::default();
        let mut distinct = Distinct::default();
        rows.texts.iter().for_each(|text| plain.push(text.as_deref().unwrap_or_default()));
        let numbers =
            rows.texts.iter().map(|text| distinct.index_of_option(text.as_deref())).collect();
        let places: Vec<u32> = (0..).take(rows.ints.len()).collect();
        let place = |(row, float): (u32, &Option<f64>)| if float.is_some() { row } else { NONE };
        vec![
            Cells::Texts {
                texts: plain,
                present: Some(rows.texts.iter().map(Option::is_some).collect()),
            },
            Cells::Distinct { texts: distinct.into_texts(), rows: numbers },
            Cells::Flags(rows.flags.iter().map(|flag| Flag::from(*flag)).collect()),
            Cells::Floats(rows.floats.clone()),
            Cells::DistinctFloats {
                values: rows.floats.iter().map(|float| float.unwrap_or_default()).collect(),
                rows: (0..).zip(&rows.floats).map(place).collect(),
            },
            Cells::Ints(rows.ints.clone()),
            Cells::DistinctInts { values: rows.ints.clone(), rows: places },
        ]
    }

    /// A table of these row groups, in a file.
    fn written(folder: &Path, groups: &[Rows]) -> PathBuf {
        let columns = [
            Column::sometimes("plain", Text, ""),
            Column::sometimes("text", Text, ""),
            Column::sometimes("flag", Bool, ""),
            Column::sometimes("float", Float, ""),
            Column::sometimes("weight", Float, ""),
            Column::always("int", Int, ""),
            Column::always("count", Int, ""),
        ];
        let encoder = Encoder::new(&columns).expect("plain columns");
        let mut file = encoder.start(Vec::new()).expect("in memory");
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn columns_come_back_as_they_were_written(groups in proptest::collection::vec(rows(), 1..3)) {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let groups: Vec<Rows> = groups.iter().map(|rows| apart(rows)).collect();
            let mut table = TableReader::open_file(&written(folder.path(), &groups)).expect("whole");
            prop_assert_eq!(table.groups(), groups.len());
            prop_assert_eq!(table.columns().len(), 7);
            for (group, rows) in groups.iter().enumerate() {
                prop_assert_eq!(table.rows(group), rows.ints.len());
                prop_assert_eq!(&texts(&table.texts(group, "plain").expect("texts")), &rows.texts);
                prop_assert_eq!(&texts(&table.texts(group, "text").expect("texts")), &rows.texts);
                let flags: Vec<Flag> = rows.flags.iter().map(|flag| Flag::from(*flag)).collect();
                prop_assert_eq!(table.flags(group, "flag").expect("flags"), flags);
                prop_assert_eq!(&table.floats(group, "float").expect("floats"), &rows.floats);
                prop_assert_eq!(&table.floats(group, "weight").expect("floats"), &rows.floats);
                prop_assert_eq!(&table.ints(group, "int").expect("ints"), &rows.ints);
                prop_assert_eq!(&table.ints(group, "count").expect("ints"), &rows.ints);
            }
        }

        #[test]
        fn damage_is_an_error_or_nothing(
            rows in rows(),
            damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
            cut in proptest::option::of(any::<prop::sample::Index>()),
        ) {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let path = written(folder.path(), &[apart(&rows)]);
            let mut bytes = std::fs::read(&path).expect("a file");
            for (at, byte) in damage {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            std::fs::write(&path, &bytes).expect("a file");
            let Ok(mut table) = TableReader::open_file(&path) else { return Ok(()) };
            for group in 0..table.groups().min(2) {
                let rows = table.rows(group);
                for column in ["plain", "text"] {
                    if let Ok(column) = table.texts(group, column) {
                        prop_assert_eq!(column.rows.len(), rows);
                        texts(&column);
                    }
                }
                let _ = table.flags(group, "flag");
                let _ = table.floats(group, "float");
                let _ = table.floats(group, "weight");
                let _ = table.ints(group, "int");
                let _ = table.ints(group, "count");
            }
        }
    }

    #[test]
    fn a_column_that_is_missing_or_of_another_kind_is_named() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let rows = apart(&[(None, None, None, 7)]);
        let mut table = TableReader::open_file(&written(folder.path(), &[rows])).expect("whole");
        for (column, error) in [("other", table.texts(0, "other")), ("int", table.texts(0, "int"))]
        {
            let error = error.expect_err("no such column").to_string();
            assert!(error.contains(&format!("its column {column} is missing")), "{error}");
        }
    }
}
