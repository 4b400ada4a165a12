//! From batches of verdicts to row groups of the tables `verdicts` and `issues`.

use super::column::ColumnKind;
use super::csv::Cell;
use super::judged_reply::JudgedReply;
use super::legend::Legend;
use super::parquet::{Cells, Encoder, RowGroup};
use super::rows::VerdictBatch;
use super::specs::{ISSUES, VERDICTS, VerdictColumn, fact, fact_column_name};
use super::table::Table;
use super::texts::{Distinct, NONE, Texts};
use hashbrown::HashMap;
use polars::error::PolarsResult;
use xxhash_rust::xxh3::xxh3_64;

/// A row group of the table `verdicts`, and one of `issues`.
pub struct EncodedRows {
    pub(super) verdicts: RowGroup,
    pub(super) issues: RowGroup,
}

/// Encodes the tables that have a row per exchange or per issue.
pub struct VerdictTables {
    legend: Legend,
    verdicts: Encoder,
    issues: Encoder,
}

impl VerdictTables {
    /// Tables for verdicts of the rulebook with this legend.
    pub fn new(legend: Legend) -> PolarsResult<Self> {
        let verdicts = Encoder::new(&Table::Verdicts.columns(&legend.facts))?;
        let issues = Encoder::new(&Table::Issues.columns(&[]))?;
        Ok(Self { legend, verdicts, issues })
    }

    /// What the numbers in verdicts mean.
    #[must_use]
    pub fn legend(&self) -> &Legend {
        &self.legend
    }

    /// The encoder of the table `verdicts`.
    #[must_use]
    pub fn verdicts(&self) -> &Encoder {
        &self.verdicts
    }

    /// The encoder of the table `issues`.
    #[must_use]
    pub fn issues(&self) -> &Encoder {
        &self.issues
    }

    /// Encodes a batch. Any thread can do this.
    pub fn encode(&self, mut batch: VerdictBatch) -> PolarsResult<EncodedRows> {
        let places = batch.issue_places();
        let issues = ISSUES.iter().map(|column| (column.cells)(&batch, &places));
        let issues = self.issues.encode(issues)?;
        let mut cells = Vec::new();
        for column in VERDICTS {
            match column {
                VerdictColumn::Exchange(_, of_batch) => cells.push(of_batch(&mut batch)),
                VerdictColumn::Verdict(column, cell) => {
                    cells.push(dealt(&batch, column.kind, |judged| cell(judged, &self.legend)));
                }
                VerdictColumn::Hash(_) => cells.push(self.hashes(&batch)),
                VerdictColumn::Facts => {
                    cells.extend((0..self.legend.facts.len()).map(|number| {
                        let of = |judged| fact(judged, &self.legend, number).into();
                        dealt(&batch, ColumnKind::Bool, of)
                    }));
                }
            }
        }
        Ok(EncodedRows { verdicts: self.verdicts.encode(cells)?, issues })
    }

    fn hashes(&self, batch: &VerdictBatch) -> Cells {
        let mut texts = Texts::default();
        for judged in batch.replies.all() {
            texts.push(&format!("{:016x}", verdict_hash(judged, &self.legend)));
        }
        Cells::Distinct { texts, rows: batch.reply.clone() }
    }
}

/// A hash of all columns that are of the verdict. What is empty and what facts deny is left out, so that a
/// fact or column more changes no hash of what it says nothing of.
pub(super) fn verdict_hash(judged: &JudgedReply, legend: &Legend) -> u64 {
    let mut bytes = Vec::with_capacity(1 << 10);
    let mut add = |name: &str, value: &[u8]| {
        for part in [name.as_bytes(), value] {
            bytes.extend_from_slice(&part.len().to_le_bytes());
            bytes.extend_from_slice(part);
        }
    };
    for column in VERDICTS {
        match column {
            VerdictColumn::Exchange(..) | VerdictColumn::Hash(_) => {}
            VerdictColumn::Verdict(column, cell) => match cell(judged, legend) {
                Cell::Empty => {}
                Cell::Text(text) => add(column.name, text.as_bytes()),
                Cell::Bool(value) => add(column.name, &[u8::from(value)]),
                Cell::Int(number) => add(column.name, &number.to_le_bytes()),
                Cell::Float(number) => add(column.name, &number.to_le_bytes()),
            },
            VerdictColumn::Facts => {
                let holding = legend.facts.iter().enumerate();
                let holding = holding.filter(|(at, _)| fact(judged, legend, *at) == Some(true));
                holding.for_each(|(_, fact)| add(&fact_column_name(fact), &[1]));
            }
        }
    }
    xxh3_64(&bytes)
}

/// A column of which each row has the cell of its verdict.
fn dealt<'b>(
    batch: &'b VerdictBatch,
    kind: ColumnKind,
    cell: impl Fn(&'b JudgedReply) -> Cell<'b>,
) -> Cells {
    let cells = batch.replies.all().iter().map(cell);
    match kind {
        ColumnKind::Text => {
            let mut texts = Distinct::default();
            let of = cells.map(|cell| match cell {
                Cell::Text(text) => texts.index_of(&text),
                Cell::Empty | Cell::Bool(_) | Cell::Int(_) | Cell::Float(_) => NONE,
            });
            let rows = rows_of(&of.collect::<Vec<_>>(), batch);
            Cells::Distinct { texts: texts.into_texts(), rows }
        }
        ColumnKind::Bool => {
            let of = cells.map(|cell| match cell {
                Cell::Bool(value) => Some(value),
                Cell::Empty | Cell::Text(_) | Cell::Int(_) | Cell::Float(_) => None,
            });
            Cells::Flags(rows_of(&of.collect::<Vec<_>>(), batch))
        }
        ColumnKind::Int => {
            let (values, of) = numbered(cells.map(|cell| match cell {
                Cell::Int(number) => Some(i64::try_from(number).unwrap_or(i64::MAX)),
                Cell::Empty | Cell::Text(_) | Cell::Bool(_) | Cell::Float(_) => None,
            }));
            Cells::DistinctInts { values, rows: rows_of(&of, batch) }
        }
        ColumnKind::Float => {
            let (values, of) = numbered(cells.map(|cell| match cell {
                Cell::Float(number) => Some(number.to_bits()),
                Cell::Empty | Cell::Text(_) | Cell::Bool(_) | Cell::Int(_) => None,
            }));
            let values = values.into_iter().map(f64::from_bits).collect();
            Cells::DistinctFloats { values, rows: rows_of(&of, batch) }
        }
    }
}

fn rows_of<T: Copy>(of: &[T], batch: &VerdictBatch) -> Vec<T> {
    batch.reply.iter().map(|number| of[*number as usize]).collect()
}

fn numbered<T: Copy + Eq + std::hash::Hash>(
    cells: impl Iterator<Item = Option<T>>,
) -> (Vec<T>, Vec<u32>) {
    let mut values = Vec::new();
    let mut known = HashMap::new();
    let numbers = cells.map(|cell| {
        cell.map_or(NONE, |value| {
            *known.entry(value).or_insert_with(|| {
                values.push(value);
                u32::try_from(values.len() - 1).unwrap_or(NONE)
            })
        })
    });
    let numbers = numbers.collect();
    (values, numbers)
}
