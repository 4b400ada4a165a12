//! A section: a title and what stands below it, in reading order; tables are rows of cells below headings.

use super::{Cell, Line};
use crate::verdict::grouped;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Section {
    /// Empty where the section needs none.
    pub(crate) title: Line,
    /// What links on a page call it; mostly empty.
    pub(crate) id: String,
    pub(crate) blocks: Vec<Block>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Block {
    Text(Line),
    /// What is to be known of the block before it.
    Note(Line),
    Fields(Vec<Field>),
    Items(Vec<Item>),
    Table(Table),
    Section(Section),
    /// Sections beside each other, where there is room.
    Beside(Vec<Section>),
    /// What is shown when somebody asks for it.
    Fold {
        title: Line,
        blocks: Vec<Block>,
    },
}

/// A word and what it is about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) value: Line,
}

/// An entry of a list, and what stands below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Item {
    pub(crate) line: Line,
    pub(crate) below: Vec<Block>,
}

impl Section {
    pub(crate) fn new(title: impl Into<Line>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    pub(crate) fn text(&mut self, line: impl Into<Line>) {
        self.blocks.push(Block::Text(line.into()));
    }

    pub(crate) fn note(&mut self, line: impl Into<Line>) {
        self.blocks.push(Block::Note(line.into()));
    }

    /// Adds a table that has rows.
    pub(crate) fn table(&mut self, table: Table) {
        if !table.rows.is_empty() {
            self.blocks.push(Block::Table(table));
        }
    }

    pub(crate) fn fields(&mut self, fields: Vec<Field>) {
        if !fields.is_empty() {
            self.blocks.push(Block::Fields(fields));
        }
    }

    pub(crate) fn items(&mut self, items: Vec<Item>) {
        if !items.is_empty() {
            self.blocks.push(Block::Items(items));
        }
    }

    pub(crate) fn section(&mut self, section: Section) {
        self.blocks.push(Block::Section(section));
    }

    pub(crate) fn beside(&mut self, sections: Vec<Section>) {
        if !sections.is_empty() {
            self.blocks.push(Block::Beside(sections));
        }
    }

    pub(crate) fn fold(&mut self, title: impl Into<Line>, blocks: Vec<Block>) {
        self.blocks.push(Block::Fold { title: title.into(), blocks });
    }

    /// Says how many rows or entries of all are not shown, and how to see them.
    pub(crate) fn more(&mut self, all: usize, shown: usize, how: &str) {
        self.blocks.extend(more(all, shown, how).map(Block::Note));
    }
}

/// How many of all are not shown, and how to see them.
pub(crate) fn more(all: usize, shown: usize, how: &str) -> Option<Line> {
    let count = all.saturating_sub(shown);
    let how = if how.is_empty() { String::new() } else { format!(" ({how})") };
    (count > 0).then(|| format!("… and {} more{how}", grouped(count as u64)).into())
}

impl Field {
    pub(crate) fn new(name: impl Into<String>, value: impl Into<Line>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}

impl Item {
    pub(crate) fn new(line: impl Into<Line>) -> Self {
        Self { line: line.into(), below: Vec::new() }
    }
}

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
