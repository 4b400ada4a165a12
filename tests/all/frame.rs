//! Parquet files as columns of cells, by the types that a file names and not by our lists of columns.

// The store as this crate sees it: its unit tests read tables too.
use super::{ColumnKind, Table, TableFormat};
use polars_arrow::array::{
    Array, BooleanArray, FixedSizeBinaryArray, PrimitiveArray, Utf8ViewArray,
};
use polars_arrow::datatypes::{ArrowDataType, TimeUnit};
use polars_parquet::read::{
    BasicDecompressor, PageReader, column_iter_to_arrays, infer_schema, read_metadata,
};
use std::fmt;
use std::io::Cursor;
use std::path::Path;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Empty,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
}

/// As CSV has it, before a formula is made harmless.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => Ok(()),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) of: ArrowDataType,
    pub(crate) cells: Vec<Cell>,
}

/// A whole table.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) columns: Vec<Column>,
    pub(crate) height: usize,
}

impl Frame {
    pub(crate) fn read(path: &Path) -> Self {
        let bytes =
            std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self::of_bytes(&bytes)
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        let metadata = read_metadata(&mut Cursor::new(bytes)).expect("a Parquet file");
        let schema = infer_schema(&metadata).expect("types");
        let mut columns = Vec::new();
        for field in schema.iter_values() {
            let mut cells = Vec::with_capacity(metadata.num_rows);
            for group in &metadata.row_groups {
                let column =
                    group.columns_under_root_iter(&field.name).and_then(|mut it| it.next());
                let column = column.expect("a column in every row group");
                let range = column.byte_range();
                let [start, end] =
                    [range.start, range.end].map(|at| usize::try_from(at).expect("in memory"));
                let pages = Cursor::new(bytes[start..end].to_vec().into());
                let pages = PageReader::new(pages, column, Vec::new(), usize::MAX);
                let pages = BasicDecompressor::new(pages, Vec::new());
                let of_type = &column.descriptor().descriptor.primitive_type;
                let arrays = column_iter_to_arrays(vec![pages], vec![of_type], field.clone(), None);
                for array in arrays.expect("pages of that type").0 {
                    push(&*array, &mut cells);
                }
            }
            assert_eq!(cells.len(), metadata.num_rows, "cells of {}", field.name);
            let name = field.name.to_string();
            columns.push(Column { name, of: field.dtype().clone(), cells });
        }
        Self { columns, height: metadata.num_rows }
    }

    #[track_caller]
    pub(crate) fn column(&self, name: &str) -> &Column {
        let column = self.columns.iter().find(|column| column.name == name);
        column.unwrap_or_else(|| panic!("there is no column {name}"))
    }

    /// A cell as text.
    #[track_caller]
    pub(crate) fn text(&self, name: &str, row: usize) -> String {
        self.column(name).cells[row].to_string()
    }
}

/// A table by the types that its file names. Its columns are those of the list.
pub(crate) fn read_table(folder: &Path, table: Table) -> Frame {
    let frame = Frame::read(&folder.join(table.file_name(TableFormat::Parquet)));
    for column in table.columns() {
        let expected = match column.kind {
            ColumnKind::Text => ArrowDataType::Utf8View,
            ColumnKind::Bool => ArrowDataType::Boolean,
            ColumnKind::Int => ArrowDataType::Int64,
            ColumnKind::Float => ArrowDataType::Float64,
            ColumnKind::Key => ArrowDataType::FixedSizeBinary(16),
            ColumnKind::Time => {
                ArrowDataType::Timestamp(TimeUnit::Millisecond, Some("+00:00".into()))
            }
        };
        assert_eq!(frame.column(column.name).of, expected, "{}", column.name);
    }
    frame
}

fn push(array: &dyn Array, cells: &mut Vec<Cell>) {
    fn add<T>(cells: &mut Vec<Cell>, values: impl Iterator<Item = Option<T>>, cell: fn(T) -> Cell) {
        cells.extend(values.map(|value| value.map_or(Cell::Empty, cell)));
    }
    let any = array.as_any();
    if let Some(texts) = any.downcast_ref::<Utf8ViewArray>() {
        add(cells, texts.iter(), |text| Cell::Text(text.to_owned()));
    } else if let Some(keys) = any.downcast_ref::<FixedSizeBinaryArray>() {
        let number = |key: &[u8]| u128::from_be_bytes(key.try_into().expect("16 bytes"));
        add(cells, keys.iter().map(|key| key.map(number)), |key| Cell::Text(format!("{key:032x}")));
    } else if let Some(flags) = any.downcast_ref::<BooleanArray>() {
        add(cells, flags.iter(), Cell::Bool);
    } else if let Some(ints) = any.downcast_ref::<PrimitiveArray<i64>>() {
        add(cells, ints.iter(), |int| Cell::Int(*int));
    } else if let Some(floats) = any.downcast_ref::<PrimitiveArray<f64>>() {
        add(cells, floats.iter(), |float| Cell::Float(*float));
    } else {
        panic!("no column of ours is of {:?}", array.dtype());
    }
}
