//! From batches of verdicts to row groups of the tables `verdicts` and `issues`.

use super::csv::Cell;
use super::gathered::Gathered;
use super::judged_reply::JudgedReply;
use super::legend::Legend;
use super::named::NamedVerdict;
use super::named_rows::NamedRows;
use super::parquet::{Cells, Encoder, RowGroup};
use super::specs::{ISSUES, Spec, VERDICTS, VerdictColumn};
use super::table::Table;
use super::texts::Texts;
use crate::recording::{Key, Moment};
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
        let verdicts = Encoder::new(&Table::Verdicts.columns())?;
        let issues = Encoder::new(&Table::Issues.columns())?;
        Ok(Self { legend, verdicts, issues })
    }

    /// What the numbers in verdicts mean.
    pub fn legend(&self) -> &Legend {
        &self.legend
    }

    /// The encoder of the table `verdicts`.
    pub fn verdicts(&self) -> &Encoder {
        &self.verdicts
    }

    /// The encoder of the table `issues`.
    pub fn issues(&self) -> &Encoder {
        &self.issues
    }

    /// Encodes rows. Any thread can do this.
    pub fn encode(&self, rows: NamedRows) -> PolarsResult<EncodedRows> {
        let NamedRows { rows: mut batch, verdicts: named } = rows;
        let places = batch.issue_places();
        let issues = ISSUES.iter().map(|column| (column.cell)(&batch, &places));
        let issues = self.issues.encode(issues)?;
        let replies = std::mem::take(&mut batch.replies);
        let replies = replies.all();
        // Made one by one: the cells of a column are gone before the next are made.
        let cells = VERDICTS.iter().map(|column| match column {
            VerdictColumn::Exchange(spec) => (spec.cell)(&mut batch),
            VerdictColumn::Named(spec, _) | VerdictColumn::Estimated(spec, _) => {
                let of_replies = named.iter().map(|(_, named)| (spec.cell)(named));
                Gathered::of(spec.column.kind).dealt(of_replies, &batch.reply)
            }
            VerdictColumn::Derived(spec) => {
                let of_replies = replies.iter().map(|judged| (spec.cell)(judged, &self.legend));
                Gathered::of(spec.column.kind).dealt(of_replies, &batch.reply)
            }
            VerdictColumn::Hash(_) => {
                let mut texts = Texts::default();
                for (hash, _) in &named {
                    texts.push(&format!("{hash:016x}"));
                }
                Cells::Distinct { texts, rows: batch.reply.clone() }
            }
        });
        let verdicts = self.verdicts.encode(cells)?;
        Ok(EncodedRows { verdicts, issues })
    }
}

/// A hash of all columns that are of the verdict. What is empty is left out, so that a column more changes no hash
/// of what it says nothing of.
pub(super) fn verdict_hash(judged: &JudgedReply, named: &NamedVerdict, legend: &Legend) -> u64 {
    let mut bytes = Vec::with_capacity(1 << 10);
    let mut add = |name: &str, value: &[u8]| {
        for part in [name.as_bytes(), value] {
            bytes.extend_from_slice(&part.len().to_le_bytes());
            bytes.extend_from_slice(part);
        }
    };
    for column in VERDICTS {
        let (column, cell) = match column {
            VerdictColumn::Exchange(_) | VerdictColumn::Hash(_) | VerdictColumn::Estimated(..) => {
                continue;
            }
            VerdictColumn::Named(Spec { column, cell }, _) => (column, cell(named)),
            VerdictColumn::Derived(Spec { column, cell }) => (column, cell(judged, legend)),
        };
        match cell {
            Cell::Empty => {}
            Cell::Text(text) => add(&column.name, text.as_bytes()),
            Cell::Bool(value) => add(&column.name, &[u8::from(value)]),
            Cell::Int(number) => add(&column.name, &number.to_le_bytes()),
            Cell::Float(number) => add(&column.name, &number.to_le_bytes()),
            Cell::Key(Key(key)) => add(&column.name, &key.to_le_bytes()),
            Cell::Time(Moment(at)) => add(&column.name, &at.to_le_bytes()),
        }
    }
    xxh3_64(&bytes)
}
