//! From batches of verdicts to row groups of the tables `verdicts` and `issues`.

use super::csv::Cell;
use super::gathered::Gathered;
use super::judged_reply::JudgedReply;
use super::legend::Legend;
use super::parquet::{Cells, Encoder, RowGroup};
use super::rows::VerdictBatch;
use super::specs::{ISSUES, Spec, VERDICTS, VerdictColumn, fact, fact_column_name};
use super::table::Table;
use super::texts::Texts;
use polars_error::PolarsResult;
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
        let issues = ISSUES.iter().map(|column| (column.cell)(&batch, &places));
        let issues = self.issues.encode(issues)?;
        let mut cells = Vec::new();
        for column in VERDICTS {
            match column {
                VerdictColumn::Exchange(spec) => cells.push((spec.cell)(&mut batch)),
                VerdictColumn::Verdict(spec) => {
                    let of_reply = Gathered::of(&spec.column);
                    cells.push(dealt(of_reply, &batch, |judged| (spec.cell)(judged, &self.legend)));
                }
                VerdictColumn::Hash(_) => cells.push(self.hashes(&batch)),
                VerdictColumn::Facts => {
                    cells.extend((0..self.legend.facts.len()).map(|number| {
                        let of = |judged| fact(judged, &self.legend, number).into();
                        dealt(Gathered::Flags(Vec::new()), &batch, of)
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
            VerdictColumn::Verdict(Spec { column, cell }) => match cell(judged, legend) {
                Cell::Empty => {}
                Cell::Text(text) => add(&column.name, text.as_bytes()),
                Cell::Bool(value) => add(&column.name, &[u8::from(value)]),
                Cell::Int(number) => add(&column.name, &number.to_le_bytes()),
                Cell::Float(number) => add(&column.name, &number.to_le_bytes()),
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
    mut column: Gathered,
    batch: &'b VerdictBatch,
    cell: impl Fn(&'b JudgedReply) -> Cell<'b>,
) -> Cells {
    batch.replies.all().iter().for_each(|judged| column.push(&cell(judged)));
    column.dealt(&batch.reply)
}
