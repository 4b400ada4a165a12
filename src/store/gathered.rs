//! Cells of one column, gathered one by one: what recurs is kept once.

use super::csv::Cell;
use super::parquet::Cells;
use super::table::ColumnKind;
use super::texts::{DistinctColumn, NONE, Numbered};
use crate::recording::{Key, Moment};

/// A column to which cells are pushed.
pub(super) enum ColumnCells {
    Texts(DistinctColumn),
    Flags(Vec<Option<bool>>),
    Ints(Numbers),
    Floats(Numbers),
    Keys(Vec<Option<Key>>),
    Times(Vec<Option<Moment>>),
}

/// Numbers by their bits.
#[derive(Default)]
pub(super) struct Numbers {
    values: Numbered<u64>,
    /// Of each small value one more than its number; 0 of those that have none.
    small: [u32; 32],
    pub(super) rows: Vec<u32>,
}

impl Numbers {
    pub(super) fn push(&mut self, value: Option<u64>) {
        let Self { values, small, rows } = self;
        let mut number_of = |value| u32::try_from(values.insert_full(value).0).unwrap_or(NONE);
        rows.push(value.map_or(NONE, |value| match small.get_mut(value.min(32) as usize) {
            Some(known) => {
                if *known == 0 {
                    *known = number_of(value) + 1;
                }
                *known - 1
            }
            None => number_of(value),
        }));
    }
}

impl ColumnCells {
    pub(super) fn of(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Text => Self::Texts(DistinctColumn::default()),
            ColumnKind::Bool => Self::Flags(Vec::new()),
            ColumnKind::Int => Self::Ints(Numbers::default()),
            ColumnKind::Float => Self::Floats(Numbers::default()),
            ColumnKind::Key => Self::Keys(Vec::new()),
            ColumnKind::Time => Self::Times(Vec::new()),
        }
    }

    /// Adds a cell. One of another kind, which no column has, is empty.
    pub(super) fn push(&mut self, cell: &Cell<'_>) {
        match (self, cell) {
            (Self::Texts(column), Cell::Text(text)) => column.push(Some(text)),
            (Self::Texts(column), _) => column.push(None),
            (Self::Flags(cells), Cell::Bool(value)) => cells.push(Some(*value)),
            (Self::Flags(cells), _) => cells.push(None),
            (Self::Ints(cells), Cell::Int(number)) => {
                // Files have whole numbers with a sign.
                cells.push(Some((*number).min(i64::MAX.cast_unsigned())));
            }
            (Self::Floats(cells), Cell::Float(number)) => cells.push(Some(number.to_bits())),
            (Self::Ints(cells) | Self::Floats(cells), _) => cells.push(None),
            (Self::Keys(cells), Cell::Key(key)) => cells.push(Some(*key)),
            (Self::Keys(cells), _) => cells.push(None),
            (Self::Times(cells), Cell::Time(moment)) => cells.push(Some(*moment)),
            (Self::Times(cells), _) => cells.push(None),
        }
    }

    pub(super) fn into_cells(self) -> Cells {
        match self {
            Self::Texts(column) => column.into_cells(),
            Self::Flags(cells) => Cells::Flags(cells),
            Self::Ints(Numbers { values, rows, .. })
            | Self::Floats(Numbers { values, rows, .. }) => {
                Cells::DistinctNumbers { values: values.into_iter().collect(), rows }
            }
            Self::Keys(cells) => Cells::Keys(cells),
            Self::Times(cells) => Cells::Times(cells),
        }
    }

    /// The column of rows each of which has one of these cells, by its number.
    pub(super) fn dealt<'c>(
        mut self,
        cells: impl Iterator<Item = Cell<'c>>,
        rows: &[u32],
    ) -> Cells {
        cells.for_each(|cell| self.push(&cell));
        match &mut self {
            Self::Texts(DistinctColumn { rows: of, .. })
            | Self::Ints(Numbers { rows: of, .. })
            | Self::Floats(Numbers { rows: of, .. }) => *of = dealt(of, rows),
            Self::Flags(of) => *of = dealt(of, rows),
            Self::Keys(of) => *of = dealt(of, rows),
            Self::Times(of) => *of = dealt(of, rows),
        }
        self.into_cells()
    }
}

fn dealt<T: Copy>(of: &[T], rows: &[u32]) -> Vec<T> {
    rows.iter().map(|row| of[*row as usize]).collect()
}
