//! From batches of verdicts to row groups of the tables `verdicts` and `issues`.

use super::csv::Cell;
use super::excerpts::{Excerpt, Span};
use super::gathered::Gathered;
use super::judged_reply::JudgedReply;
use super::legend::Legend;
use super::named::NamedVerdict;
use super::parquet::{Cells, Encoder, RowGroup};
use super::reader::TextColumn;
use super::rows::{Owner, VerdictBatch};
use super::specs::{ISSUES, Spec, VERDICTS, VerdictColumn};
use super::table::Table;
use super::texts::Texts;
use crate::recording::{Key, Moment};
use crate::verdict::Severity;
use polars_error::PolarsResult;
use xxhash_rust::xxh3::xxh3_64;

/// The rows of a row group, and what their verdicts are called.
pub struct NamedRows {
    pub(super) rows: VerdictBatch,
    /// Each different verdict, with its hash.
    pub verdicts: Vec<(u64, NamedVerdict)>,
}

/// An issue of a call.
#[derive(Clone, Debug)]
pub struct StoredIssue {
    pub severity: String,
    pub kind: String,
    pub message: String,
    pub location: Option<String>,
    pub suggestion: Option<String>,
}

impl NamedRows {
    pub fn of(rows: VerdictBatch, legend: &Legend) -> Self {
        let verdicts = rows.replies.all().iter().map(|judged| {
            let named = NamedVerdict::of_judged(judged, legend);
            (verdict_hash(judged, &named, legend), named)
        });
        Self { verdicts: verdicts.collect(), rows }
    }

    /// Which of the verdicts each row has.
    pub fn verdict_of(&self) -> &[u32] {
        &self.rows.reply
    }

    /// The servers and the tools of the rows.
    pub fn called(&self) -> [TextColumn; 2] {
        [1, 2].map(|part| {
            let member = |group: &u32| self.rows.groups.members[*group as usize][part];
            TextColumn {
                texts: self.rows.groups.parts[part].texts().clone(),
                rows: self.rows.group.iter().map(member).collect(),
            }
        })
    }

    /// Key, recording and line.
    pub fn place(&self, row: usize) -> (Key, &str, u64) {
        let (file, _) = self.rows.origins.session(self.rows.origin[row]);
        (self.rows.keys[row], file, u64::try_from(self.rows.line[row]).unwrap_or_default())
    }

    /// What is kept of the texts of a row.
    pub fn excerpt(&self, row: usize) -> Option<Excerpt> {
        let excerpts = &self.rows.excerpts;
        let (reply, input) = (excerpts.reply.get(row)?, excerpts.input.get(row)?);
        let (_, verdict) = &self.verdicts[self.rows.reply[row] as usize];
        let spans = Span::read(excerpts.spans.get(row), reply, &verdict.hits)?;
        Some(Excerpt { reply: reply.to_owned(), input: input.to_owned(), spans })
    }

    /// The rows that have issues, once for each issue, with its number.
    pub fn issues(&self) -> impl Iterator<Item = (usize, usize)> {
        self.rows.issues.owners.iter().enumerate().filter_map(|(number, owner)| match *owner {
            Owner::Session(_) => None,
            Owner::Exchange(row) => Some((row, number)),
        })
    }

    pub fn issue(&self, number: usize) -> StoredIssue {
        let issues = &self.rows.issues;
        StoredIssue {
            severity: Severity::ALL[issues.severity[number] as usize].name().to_owned(),
            kind: issues.type_name(number).to_owned(),
            message: issues.message.get(number).unwrap_or_default().to_owned(),
            location: issues.location.get(number).map(str::to_owned),
            suggestion: issues.suggestion.get(number).map(str::to_owned),
        }
    }
}

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
