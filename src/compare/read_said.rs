//! The verdicts of a run, each distinct one read back once.

use super::read_run::damaged;
use super::{Said, SchemaSaid, SideError};
use crate::recording::{ExchangeKind, Key, ReplyKind};
use crate::store::{Table, TableReader, TextColumn};
use crate::verdict::{Classification, Ground, SchemaOutcome};
use std::collections::HashMap;
use std::path::Path;

/// The distinct verdicts of a run, as its rows are read.
#[derive(Debug, Default)]
pub struct Verdicts {
    said: Vec<Said>,
    by_hash: HashMap<Box<str>, u32>,
}

impl Verdicts {
    /// What was said of each row of a row group, as numbers of distinct verdicts: of equal ones the first row
    /// is read.
    pub fn read(
        &mut self,
        folder: &Path,
        table: &mut TableReader,
        group: usize,
    ) -> Result<Vec<u32>, SideError> {
        let hashes = table.texts(group, "verdict_hash")?;
        let mut numbers: Vec<Option<u32>> =
            hashes.texts.iter().map(|hash| self.by_hash.get(hash).copied()).collect();
        let mut columns = None;
        for (row, hash) in hashes.rows.iter().enumerate() {
            let Some(number) = numbers.get_mut(*hash as usize) else {
                return Err(wrong(folder, row));
            };
            if number.is_some() {
                continue;
            }
            let columns = match &columns {
                Some(columns) => columns,
                None => columns.insert(Columns::read(table, group)?),
            };
            let said = columns.said(row).ok_or_else(|| wrong(folder, row))?;
            let next = u32::try_from(self.said.len()).unwrap_or(u32::MAX);
            self.by_hash.insert(hashes.texts.get(*hash as usize).into(), next);
            self.said.push(said);
            *number = Some(next);
        }
        Ok(hashes.rows.iter().filter_map(|hash| numbers[*hash as usize]).collect())
    }

    /// Each of them once, by number.
    #[must_use]
    pub fn all(&self) -> &[Said] {
        &self.said
    }

    /// Each of them once, by number.
    #[must_use]
    pub fn into_all(self) -> Vec<Said> {
        self.said
    }
}

fn wrong(folder: &Path, row: usize) -> SideError {
    damaged(
        folder,
        Table::Verdicts,
        format!("row {} of a row group says what no verdict says", row + 1),
    )
}

/// A row group of the table, as far as it is wanted.
struct Columns {
    kind: TextColumn,
    reply: TextColumn,
    ground: TextColumn,
    error_code: TextColumn,
    class: TextColumn,
    confidence: Vec<Option<f64>>,
    is_valid: Vec<Option<bool>>,
    is_error: Vec<Option<bool>>,
    business_logic: Vec<Option<bool>>,
    hidden_failure: Vec<Option<bool>>,
    score: Vec<Option<f64>>,
    threshold: Vec<Option<f64>>,
    decided_by: TextColumn,
    error_kind: TextColumn,
    facts: Vec<(String, Vec<Option<bool>>)>,
    hits: TextColumn,
    issues: TextColumn,
    schema: TextColumn,
    schema_key: TextColumn,
    schema_keyword: TextColumn,
    passed: TextColumn,
    failed: TextColumn,
}

impl Columns {
    fn read(table: &mut TableReader, group: usize) -> Result<Self, SideError> {
        let facts: Vec<String> = table
            .columns()
            .iter()
            .filter_map(|column| column.strip_prefix("fact_").map(str::to_owned))
            .collect();
        let facts = facts
            .into_iter()
            .map(|fact| {
                let flags = table.flags(group, &format!("fact_{fact}"))?;
                Ok((fact, flags))
            })
            .collect::<Result<_, SideError>>()?;
        Ok(Self {
            kind: table.texts(group, "kind")?,
            reply: table.texts(group, "reply")?,
            ground: table.texts(group, "ground")?,
            error_code: table.texts(group, "error_code")?,
            class: table.texts(group, "classification")?,
            confidence: table.floats(group, "confidence")?,
            is_valid: table.flags(group, "is_valid")?,
            is_error: table.flags(group, "is_error")?,
            business_logic: table.flags(group, "business_logic")?,
            hidden_failure: table.flags(group, "hidden_failure")?,
            score: table.floats(group, "score")?,
            threshold: table.floats(group, "threshold")?,
            decided_by: table.texts(group, "decided_by")?,
            error_kind: table.texts(group, "error_kind")?,
            facts,
            hits: table.texts(group, "hits")?,
            issues: table.texts(group, "issue_types")?,
            schema: table.texts(group, "schema")?,
            schema_key: table.texts(group, "schema_key")?,
            schema_keyword: table.texts(group, "schema_keyword")?,
            passed: table.texts(group, "passed_criteria")?,
            failed: table.texts(group, "failed_criteria")?,
        })
    }

    /// What a row says; `None` where it says what cannot be.
    fn said(&self, row: usize) -> Option<Said> {
        let holding = self.facts.iter().filter(|(_, flags)| flags[row] == Some(true));
        let schema = match self.schema.get(row) {
            None => None,
            Some(name) => Some(SchemaSaid {
                outcome: listed(&SchemaOutcome::ALL, SchemaOutcome::name, name)?,
                key: self.schema_key.get(row).and_then(Key::parse),
                keyword: owned(&self.schema_keyword, row),
            }),
        };
        Some(Said {
            kind: listed(&ExchangeKind::ALL, ExchangeKind::name, self.kind.get(row)?)?,
            reply: listed(&ReplyKind::ALL, ReplyKind::name, self.reply.get(row)?)?,
            ground: Some(listed(&Ground::ALL, Ground::name, self.ground.get(row)?)?),
            error_code: owned(&self.error_code, row),
            class: listed(&Classification::ALL, Classification::name, self.class.get(row)?)?,
            confidence: self.confidence[row]?,
            is_valid: self.is_valid[row]?,
            is_error: self.is_error[row]?,
            business_logic: self.business_logic[row],
            hidden_failure: self.hidden_failure[row],
            score: self.score[row],
            threshold: self.threshold[row],
            decided_by: owned(&self.decided_by, row),
            error_kind: owned(&self.error_kind, row),
            facts: holding.map(|(fact, _)| fact.clone()).collect(),
            hits: Some(names(&self.hits, row)?),
            hidden_hits: None,
            issues: names(&self.issues, row)?,
            schema,
            criteria: [names(&self.passed, row)?, names(&self.failed, row)?],
        })
    }
}

fn owned(column: &TextColumn, row: usize) -> Option<String> {
    column.get(row).map(str::to_owned)
}

/// The member of a list that has this name.
fn listed<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str, wanted: &str) -> Option<T> {
    all.iter().copied().find(|one| name(*one) == wanted)
}

/// A JSON array of texts; none where the cell is empty.
fn names(column: &TextColumn, row: usize) -> Option<Vec<String>> {
    column.get(row).map_or(Some(Vec::new()), |text| serde_json::from_str(text).ok())
}
