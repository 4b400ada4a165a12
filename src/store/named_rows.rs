//! Rows on their way into the tables, as whoever shows a sample of them needs them.

use super::encode::verdict_hash;
use super::excerpts::{Excerpt, Span};
use super::legend::Legend;
use super::named::NamedVerdict;
use super::reader::TextColumn;
use super::rows::{Owner, VerdictBatch};
use crate::recording::Key;
use crate::verdict::Severity;

/// The rows of a row group, and what their verdicts are called.
pub struct NamedRows {
    pub(super) rows: VerdictBatch,
    /// Each different verdict, with its hash.
    pub(super) verdicts: Vec<(u64, NamedVerdict)>,
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

    /// Each different verdict, with its hash.
    pub fn verdicts(&self) -> &[(u64, NamedVerdict)] {
        &self.verdicts
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

    pub fn key(&self, row: usize) -> Key {
        self.rows.keys[row]
    }

    /// Recording and line.
    pub fn place(&self, row: usize) -> (&str, u64) {
        let (file, _) = self.rows.origins.session(self.rows.origin[row]);
        (file, u64::try_from(self.rows.line[row]).unwrap_or_default())
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
