//! Reading a run's verdicts back.

use super::csv::Cell;
use super::folder::ReportError;
use super::named::NamedVerdict;
use super::reader::TableReader;
use super::specs::{Read, VERDICTS, VerdictColumn};
use super::table::{ColumnKind, Table};
use super::texts::TextColumn;
use crate::verdict::Classification;
use indexmap::IndexMap;

/// The distinct verdicts of a run, as its rows are read.
#[derive(Debug, Default)]
pub struct Verdicts {
    /// By their hashes.
    pub all: IndexMap<u64, NamedVerdict>,
}

impl Verdicts {
    /// The number of each row's verdict among the distinct ones: of equal ones the first is read.
    pub fn read(&mut self, table: &mut TableReader, group: usize) -> Result<Vec<u32>, ReportError> {
        let (mut columns, mut numbers) = (None, Vec::new());
        for (row, hash) in table.ints(group, "verdict_hash")?.into_iter().enumerate() {
            let hash = hash.cast_unsigned();
            let number = if let Some(number) = self.all.get_index_of(&hash) {
                number
            } else {
                if columns.is_none() {
                    columns = Some(Columns::read(table, group)?);
                }
                let verdict = columns.as_ref().and_then(|columns| columns.verdict(row));
                let what = || format!("row {} of a row group says what no verdict says", row + 1);
                self.all.insert_full(hash, verdict.ok_or_else(|| table.damaged(what()))?).0
            };
            numbers.push(u32::try_from(number).unwrap_or(u32::MAX));
        }
        Ok(numbers)
    }
}

/// The columns of a row group that say what verdicts are.
struct Columns(Vec<(Cells, Read)>);

enum Cells {
    Texts(TextColumn),
    Flags(Vec<Option<bool>>),
    Floats(Vec<Option<f64>>),
}

impl Cells {
    fn get(&self, row: usize) -> Cell<'_> {
        match self {
            Self::Texts(texts) => texts.get(row).into(),
            Self::Flags(flags) => flags[row].into(),
            Self::Floats(floats) => floats[row].into(),
        }
    }
}

impl Columns {
    fn read(table: &mut TableReader, group: usize) -> Result<Self, ReportError> {
        let mut columns = Vec::new();
        for ((name, column), listed) in VERDICTS.iter().zip(Table::Verdicts.columns()) {
            let (VerdictColumn::Named(_, read)
            | VerdictColumn::Estimated(_, read)
            | VerdictColumn::Hits(read)) = column
            else {
                continue;
            };
            let cells = match listed.kind {
                ColumnKind::Text => Cells::Texts(table.texts(group, name)?),
                ColumnKind::Bool => Cells::Flags(table.flags(group, name)?),
                ColumnKind::Int | ColumnKind::Float | ColumnKind::Key | ColumnKind::Time => {
                    Cells::Floats(table.floats(group, name)?)
                }
            };
            columns.push((cells, *read));
        }
        Ok(Self(columns))
    }

    /// The verdict of a row; `None` where it says what cannot be.
    fn verdict(&self, row: usize) -> Option<NamedVerdict> {
        let mut verdict = NamedVerdict::of_class(Classification::FullyWorking);
        for (cells, read) in &self.0 {
            read(&mut verdict, &cells.get(row))?;
        }
        Some(verdict)
    }
}
