//! The table of shapes, read back as what was said.

use super::read_run::damaged;
use super::{Excerpt, Said, SchemaSaid, SideError, Span};
use crate::report::{Flag, Table, TableReader, TextColumn};
use crate::tape::{ExchangeKind, Key, ReplyKind};
use crate::verdict::{Classification, Ground, SchemaOutcome};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::Path;

/// Numbers of what was said, by the name of the shape.
#[derive(Debug, Default)]
pub struct SaidById(HashMap<Box<str>, u32>);

impl SaidById {
    /// The number of a shape.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<u32> {
        self.0.get(id).copied()
    }
}

/// Reads each different verdict of a run.
pub fn read_said(folder: &Path) -> Result<(Vec<Said>, SaidById), SideError> {
    let mut table = TableReader::open(folder, Table::Shapes)?;
    let facts: Vec<String> = table
        .columns()
        .iter()
        .filter_map(|column| column.strip_prefix("fact_").map(str::to_owned))
        .collect();
    let mut said = Vec::new();
    let mut by_id = SaidById::default();
    for group in 0..table.groups() {
        let columns = Columns::read(&mut table, group, &facts)?;
        for row in 0..table.rows(group) {
            let read = columns.said(row).zip(columns.shape.get(row));
            let Some((one, id)) = read else {
                let reason = format!("row {} says what no verdict says", said.len() + 1);
                return Err(damaged(folder, Table::Shapes, reason));
            };
            by_id.0.insert(id.into(), u32::try_from(said.len()).unwrap_or(u32::MAX));
            said.push(one);
        }
    }
    Ok((said, by_id))
}

/// A row group of the table, as far as it is wanted.
struct Columns<'f> {
    shape: TextColumn,
    kind: TextColumn,
    reply: TextColumn,
    ground: TextColumn,
    error_code: TextColumn,
    class: TextColumn,
    confidence: Vec<Option<f64>>,
    is_valid: Vec<Flag>,
    is_error: Vec<Flag>,
    business_logic: Vec<Flag>,
    hidden_failure: Vec<Flag>,
    score: Vec<Option<f64>>,
    threshold: Vec<Option<f64>>,
    decided_by: TextColumn,
    error_kind: TextColumn,
    facts: Vec<(&'f str, Vec<Flag>)>,
    hits: TextColumn,
    issues: TextColumn,
    schema: TextColumn,
    schema_key: TextColumn,
    schema_keyword: TextColumn,
    passed: TextColumn,
    failed: TextColumn,
    excerpts: TextColumn,
}

impl<'f> Columns<'f> {
    fn read(table: &mut TableReader, group: usize, facts: &'f [String]) -> Result<Self, SideError> {
        let facts = facts
            .iter()
            .map(|fact| Ok((fact.as_str(), table.flags(group, &format!("fact_{fact}"))?)))
            .collect::<Result<_, SideError>>()?;
        Ok(Self {
            shape: table.texts(group, "shape")?,
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
            excerpts: table.texts(group, "excerpts")?,
        })
    }

    /// What a row says; `None` where it says what cannot be.
    fn said(&self, row: usize) -> Option<Said> {
        let holding = self.facts.iter().filter(|(_, flags)| flags[row] == Flag::True);
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
            is_valid: flag(self.is_valid[row])?,
            is_error: flag(self.is_error[row])?,
            business_logic: flag(self.business_logic[row]),
            hidden_failure: flag(self.hidden_failure[row]),
            score: self.score[row],
            threshold: self.threshold[row],
            decided_by: owned(&self.decided_by, row),
            error_kind: owned(&self.error_kind, row),
            facts: holding.map(|(fact, _)| (*fact).to_owned()).collect(),
            hits: Some(names(&self.hits, row)?),
            hidden_hits: None,
            issues: names(&self.issues, row)?,
            schema,
            criteria: [names(&self.passed, row)?, names(&self.failed, row)?],
            excerpts: excerpts(self.excerpts.get(row)?)?,
        })
    }
}

fn owned(column: &TextColumn, row: usize) -> Option<String> {
    column.get(row).map(str::to_owned)
}

fn flag(flag: Flag) -> Option<bool> {
    match flag {
        Flag::Empty => None,
        Flag::False => Some(false),
        Flag::True => Some(true),
    }
}

/// The member of a list that has this name.
fn listed<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str, wanted: &str) -> Option<T> {
    all.iter().copied().find(|one| name(*one) == wanted)
}

/// A JSON array of texts; none where the cell is empty.
fn names(column: &TextColumn, row: usize) -> Option<Vec<String>> {
    column.get(row).map_or(Some(Vec::new()), |text| serde_json::from_str(text).ok())
}

fn excerpts(text: &str) -> Option<Vec<Excerpt>> {
    #[derive(Deserialize)]
    struct Shown {
        key: String,
        server: String,
        tool: String,
        file: String,
        line: u64,
        text: String,
        spans: Vec<(u32, u32, String)>,
    }
    if text == "[]" {
        return Some(Vec::new());
    }
    let shown: Vec<Shown> = serde_json::from_str(text).ok()?;
    let excerpt = |shown: Shown| {
        let spans = shown.spans.into_iter();
        // Whoever cuts the text by them must not have to ask whether that can be done.
        let fits = |span: &Span| {
            let text: Option<&str> = shown.text.get(span.start as usize..span.end as usize);
            text.is_some()
        };
        let spans = spans.map(|(start, end, pattern)| Span { start, end, pattern });
        let spans = spans.filter(fits).collect();
        Some(Excerpt {
            key: Key::parse(&shown.key)?,
            server: shown.server,
            tool: shown.tool,
            file: shown.file,
            line: shown.line,
            spans,
            text: shown.text,
        })
    };
    shown.into_iter().map(excerpt).collect()
}
