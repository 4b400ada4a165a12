//! From batches of verdicts to row groups of the tables `verdicts` and `issues`.

use super::csv::Cell;
use super::excerpts::{Excerpt, Span};
use super::gathered::ColumnCells;
use super::judged_reply::{JudgedReply, VerdictParts};
use super::named::{Legend, NamedVerdict};
use super::parquet::{Cells, Encoder, RowGroup};
use super::rows::{OwnCells, VerdictBatch};
use super::specs::{ISSUES, VERDICTS, VerdictColumn, array, texts};
use super::table::Table;
use super::texts::{PlainColumn, TextColumn};
use crate::recording::{Key, Moment};
use polars_error::PolarsResult;
use xxhash_rust::xxh3::xxh3_64;

/// The rows of a row group, and what their verdicts are called.
pub struct NamedRows {
    pub(super) rows: VerdictBatch,
    /// Each different verdict, without its hits.
    pub(super) shapes: Vec<NamedVerdict>,
    /// The hits of each different verdict, as cells of their column.
    hits: PlainColumn,
    /// Of each different verdict.
    pub hashes: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct StoredIssue {
    pub severity: String,
    pub kind: String,
    pub message: String,
    pub location: Option<String>,
    pub suggestion: Option<String>,
}

impl NamedRows {
    pub fn of(rows: VerdictBatch, legend: &Legend) -> Self {
        let judged = rows.replies.shapes();
        let shapes: Vec<_> = judged.map(|judged| NamedVerdict::of_judged(judged, legend)).collect();
        let named = rows.replies.shapes().zip(&shapes);
        let parts: Vec<_> = named.map(|(judged, named)| hashed(judged, named, legend)).collect();
        let (mut hits, mut hashes, mut bytes) = (PlainColumn::default(), Vec::new(), Vec::new());
        for VerdictParts { shape, hits: patterns } in rows.replies.all() {
            let hit = patterns.iter().filter_map(|hit| legend.patterns.get(usize::from(*hit)));
            let cell = array(&hit.collect::<Vec<_>>());
            let [before, behind] = &parts[*shape as usize];
            bytes.clone_from(before);
            add_cell("hits", &cell, &mut bytes);
            bytes.extend_from_slice(behind);
            hashes.push(xxh3_64(&bytes));
            hits.push(cell.text());
        }
        Self { rows, shapes, hits, hashes }
    }

    pub fn verdict(&self, number: u32) -> NamedVerdict {
        let shape = self.rows.replies.get(number).shape;
        NamedVerdict { hits: self.hits_of(number), ..self.shapes[shape as usize].clone() }
    }

    fn hits_of(&self, number: u32) -> Vec<String> {
        texts(&self.hits.get(number as usize).into()).unwrap_or_default()
    }

    /// Which of the verdicts each row has.
    pub fn verdict_of(&self) -> Vec<u32> {
        self.rows.own(|row| row.reply)
    }

    /// The servers and the tools of the rows.
    pub fn called(&self) -> [TextColumn; 2] {
        let groups = self.rows.rows.iter().map(|row| row.group);
        [1, 2].map(|part| self.rows.groups.column(part, groups.clone()))
    }

    /// Key, recording and line.
    pub fn place(&self, row: usize) -> (Key, &str, u64) {
        let OwnCells { key, origin, line, .. } = self.rows.rows[row];
        let (file, _) = self.rows.origins.session(origin);
        (key, file, u64::try_from(line).unwrap_or_default())
    }

    pub fn excerpt(&self, row: usize) -> Option<Excerpt> {
        let excerpts = &self.rows.excerpts;
        let (reply, input) = (excerpts.reply.get(row)?, excerpts.input.get(row)?);
        let hits = self.hits_of(self.rows.rows[row].reply);
        let spans = Span::read(excerpts.spans.get(row), reply, &hits)?;
        Some(Excerpt { reply: reply.to_owned(), input: input.to_owned(), spans })
    }

    /// The rows that have issues, once for each issue, with its number.
    pub fn issues(&self) -> impl Iterator<Item = (usize, usize)> {
        let issues = self.rows.issues.rows.iter().enumerate();
        issues.filter_map(|(number, issue)| Some((issue.row?, number)))
    }

    pub fn issue(&self, number: usize) -> StoredIssue {
        let issues = &self.rows.issues;
        StoredIssue {
            severity: issues.rows[number].severity.name().to_owned(),
            kind: issues.type_name(number).to_owned(),
            message: issues.message.get(number).unwrap_or_default().to_owned(),
            location: issues.location.get(number).map(str::to_owned),
            suggestion: issues.suggestion.get(number).map(str::to_owned),
        }
    }
}

/// A row group of each of the tables that stand side by side.
pub type EncodedRows = [RowGroup; 2];

/// Encodes the tables that have a row per exchange or per issue.
pub struct VerdictTables {
    legend: Legend,
    verdicts: Encoder,
    issues: Encoder,
}

impl VerdictTables {
    pub(super) const ALL: [Table; 2] = [Table::Verdicts, Table::Issues];

    pub fn new(legend: Legend) -> PolarsResult<Self> {
        let [verdicts, issues] = Self::ALL.map(Table::columns);
        Ok(Self { legend, verdicts: Encoder::new(verdicts)?, issues: Encoder::new(issues)? })
    }

    pub fn legend(&self) -> &Legend {
        &self.legend
    }

    pub(super) fn encoders(&self) -> [&Encoder; 2] {
        [&self.verdicts, &self.issues]
    }

    /// Encodes rows. Any thread can do this.
    pub fn encode(&self, rows: NamedRows) -> PolarsResult<EncodedRows> {
        let NamedRows { rows: mut batch, shapes: named, hits, hashes } = rows;
        let issues = self.issues.encode(ISSUES.iter().map(|(_, cells)| cells(&mut batch)))?;
        let replies = std::mem::take(&mut batch.replies);
        let verdict_of = batch.own(|row| row.reply);
        let shapes = replies.shapes_of(&verdict_of);
        // Made one by one: the cells of a column are gone before the next are made.
        let listed = VERDICTS.iter().zip(Table::Verdicts.columns());
        let cells = listed.map(|((_, column), listed)| match column {
            VerdictColumn::Exchange(cells) => cells(&mut batch),
            VerdictColumn::Named(cell, _) | VerdictColumn::Estimated(cell, _) => {
                ColumnCells::of(listed.kind).dealt(named.iter().map(cell), &shapes)
            }
            VerdictColumn::Derived(cell) => {
                let of_shapes = replies.shapes().map(|judged| cell(judged, &self.legend));
                ColumnCells::of(listed.kind).dealt(of_shapes, &shapes)
            }
            VerdictColumn::Hits(_) => {
                let hits = (0..hashes.len()).map(|number| hits.get(number).into());
                ColumnCells::of(listed.kind).dealt(hits, &verdict_of)
            }
            VerdictColumn::Hash => {
                Cells::DistinctNumbers { values: hashes.clone(), rows: verdict_of.clone() }
            }
        });
        Ok([self.verdicts.encode(cells)?, issues])
    }
}

/// The columns of a verdict as they are hashed: those in front of its hits, and those behind. What is empty is left
/// out, so that a column more changes no hash of what it says nothing of.
fn hashed(judged: &JudgedReply, named: &NamedVerdict, legend: &Legend) -> [Vec<u8>; 2] {
    let (mut parts, mut part) = ([Vec::with_capacity(512), Vec::with_capacity(512)], 0);
    for (name, column) in VERDICTS {
        let cell = match column {
            VerdictColumn::Exchange(_) | VerdictColumn::Hash | VerdictColumn::Estimated(..) => {
                continue;
            }
            VerdictColumn::Hits(_) => {
                part = 1;
                continue;
            }
            VerdictColumn::Named(cell, _) => cell(named),
            VerdictColumn::Derived(cell) => cell(judged, legend),
        };
        add_cell(name, &cell, &mut parts[part]);
    }
    parts
}

fn add_cell(name: &str, cell: &Cell<'_>, to: &mut Vec<u8>) {
    let mut add = |value: &[u8]| {
        for part in [name.as_bytes(), value] {
            to.extend_from_slice(&part.len().to_le_bytes());
            to.extend_from_slice(part);
        }
    };
    match cell {
        Cell::Empty => {}
        Cell::Text(text) => add(text.as_bytes()),
        Cell::Bool(value) => add(&[u8::from(*value)]),
        Cell::Int(number) => add(&number.to_le_bytes()),
        Cell::Float(number) => add(&number.to_le_bytes()),
        Cell::Key(Key(key)) => add(&key.to_le_bytes()),
        Cell::Time(Moment(at)) => add(&at.to_le_bytes()),
    }
}
