//! Rows of cells below headings.

use super::{Cell, Line};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    /// How many of the first columns say what a row is about.
    pub(crate) subjects: usize,
    pub(crate) rows: Vec<Vec<Cell>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) heading: Line,
    /// What programs call it, where one sorts by it.
    pub(crate) key: &'static str,
    pub(crate) align: Align,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

impl Table {
    /// A table whose first column says what each row is about.
    pub(crate) fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), subjects: 1, rows: Vec::new() }
    }

    /// The first columns stand to the left, the others to the right.
    pub(crate) fn headed<const L: usize, const R: usize>(
        left: [&str; L],
        right: [&str; R],
    ) -> Self {
        Self::new(left.map(Column::left).into_iter().chain(right.map(Column::right)))
    }

    /// The same where more columns say it.
    pub(crate) fn about(self, subjects: usize) -> Self {
        Self { subjects, ..self }
    }

    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = Cell>) {
        self.rows.push(row.into_iter().collect());
    }
}

impl Column {
    pub(crate) fn left(heading: impl Into<Line>) -> Self {
        Self { heading: heading.into(), key: "", align: Align::Left }
    }

    pub(crate) fn right(heading: impl Into<Line>) -> Self {
        Self { heading: heading.into(), key: "", align: Align::Right }
    }

    pub(crate) fn sorted_as(self, key: &'static str) -> Self {
        Self { key, ..self }
    }
}
