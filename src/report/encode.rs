//! From batches of verdicts to row groups of the tables `verdicts` and `issues`.

use super::legend::Legend;
use super::parquet::{Cells, EncodedRowGroup, Encoder};
use super::rows::{Observed, Seen, VerdictBatch};
use super::table::Table;
use super::texts::Texts;
use crate::tape::{Key, ReplyKind};
use crate::verdict::{Classification, IssueType, SchemaOutcome, Severity};
use polars::error::PolarsResult;
use polars_arrow::bitmap::Bitmap;
use std::fmt::Write as _;

/// Encodes the tables that have a row per exchange or per issue.
pub struct VerdictTables {
    legend: Legend,
    verdicts: Encoder,
    issues: Encoder,
}

/// A batch's rows of both tables.
pub struct EncodedRows {
    /// Rows of `verdicts`.
    pub verdicts: EncodedRowGroup,
    /// Rows of `issues`.
    pub issues: EncodedRowGroup,
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

    /// Encodes a batch. Any thread can do this; the result depends on the batch alone.
    pub fn encode(&self, batch: VerdictBatch) -> PolarsResult<EncodedRows> {
        let keys = key_texts(&batch);
        let issues = self.issues.encode(issue_cells(&batch, &keys))?;
        let verdicts = self.verdicts.encode(verdict_cells(batch, keys, &self.legend))?;
        Ok(EncodedRows { verdicts, issues })
    }
}

fn key_texts(batch: &VerdictBatch) -> Texts {
    let mut texts = Texts::with_room_for(batch.keys.len(), HEX);
    for (row, key) in batch.keys.iter().enumerate() {
        push_hex(*key, texts.next());
        match batch.ordinals.get(row) {
            None | Some(0) => {}
            Some(earlier) => {
                let _ = write!(texts.next(), "-{}", u64::from(*earlier) + 1);
            }
        }
        texts.finish();
    }
    texts
}

/// Digits of a key.
const HEX: usize = 32;

fn push_hex(key: Key, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut digits = [0; HEX];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(key.0.to_be_bytes()) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    out.push_str(std::str::from_utf8(&digits).expect("hexadecimal digits are ASCII"));
}

/// One of a fixed list of names per row.
fn named<'a>(names: impl IntoIterator<Item = &'a str>, rows: Vec<u32>) -> Cells {
    let mut texts = Texts::default();
    names.into_iter().for_each(|name| texts.push(name));
    Cells::Distinct { texts, rows }
}

/// In the order of the column list.
fn verdict_cells(batch: VerdictBatch, keys: Texts, legend: &Legend) -> Vec<Cells> {
    let mut requests = Texts::with_room_for(batch.requests.len(), HEX);
    for key in &batch.requests {
        push_hex(*key, requests.next());
        requests.finish();
    }
    let member = |part: usize| -> Vec<u32> {
        batch.group.iter().map(|group| batch.groups.members[*group as usize][part]).collect()
    };
    let member = [member(0), member(1), member(2), member(3)];
    let [day, server, tool, scenario] = member;
    let groups = batch.groups;
    let grouped =
        |texts: super::texts::Distinct, rows| Cells::Distinct { texts: texts.into_texts(), rows };
    let severities = &batch.severities;
    let count = |number: fn(&crate::verdict::Severities) -> u32| {
        Cells::Ints(severities.iter().map(|counts| i64::from(number(counts))).collect())
    };
    let mut cells = vec![
        Cells::Texts { texts: keys, present: None },
        Cells::Texts { texts: requests, present: None },
        batch.file.into_cells(),
        Cells::Ints(batch.line),
        Cells::Ints(batch.byte),
        batch.id.into_cells(),
        grouped(groups.server, server),
        batch.session.into_cells(),
        grouped(groups.tool, tool),
        grouped(groups.scenario, scenario),
        batch.recorded_at.into_cells(),
        grouped(groups.day, day),
        Cells::Floats(batch.duration),
        batch.label.into_cells(),
        named(ReplyKind::ALL.map(ReplyKind::name), batch.reply),
        batch.error_code.into_cells(),
        named(Classification::ALL.map(Classification::name), batch.class),
        Cells::Floats(batch.confidence),
        Cells::Bools(batch.is_valid),
        Cells::Bools(severities.iter().map(|counts| Some(counts.errors == 0)).collect()),
        Cells::Bools(batch.is_error),
        Cells::Bools(batch.business_logic),
        Cells::Floats(batch.score),
        Cells::Floats(batch.threshold),
        named(legend.decisions.iter().map(String::as_str), batch.decision),
        named(legend.error_kinds.iter().map(String::as_str), batch.error_kind),
        Cells::Bools(batch.hidden_failure),
    ];
    cells.extend(fact_cells(&batch.facts, legend));
    let mut hits = Texts::default();
    for numbers in batch.hits.distinct.texts().iter() {
        push_hits(numbers, legend, hits.next());
        hits.finish();
    }
    let quality = severities.iter().map(|counts| Some(legend.quality.score(*counts)));
    cells.extend([
        Cells::Distinct { texts: hits, rows: batch.hits.rows },
        Cells::Floats(quality.collect()),
        count(|counts| counts.errors),
        count(|counts| counts.warnings),
        count(|counts| counts.infos),
        named(SchemaOutcome::ALL.map(SchemaOutcome::name), batch.schema),
        batch.content_types.into_cells(),
        Cells::Bools(batch.has_structured),
        Cells::Bools(batch.has_meta),
    ]);
    cells
}

/// A column per fact. Facts that are looked at on the same replies share a pattern of empty cells.
fn fact_cells(rows: &[Observed], legend: &Legend) -> impl Iterator<Item = Cells> {
    let seen_as =
        |wanted: &[Seen]| -> Bitmap { rows.iter().map(|row| wanted.contains(&row.seen)).collect() };
    let nowhere = seen_as(&[]);
    let on_errors = seen_as(&[Seen::ErrorFacts]);
    let on_successes = seen_as(&[Seen::SuccessFacts]);
    let on_both = seen_as(&[Seen::ErrorFacts, Seen::SuccessFacts]);
    (0..legend.facts.len()).map(move |fact| {
        let present = match (legend.error_facts.has(fact), legend.success_facts.has(fact)) {
            (false, false) => &nowhere,
            (true, false) => &on_errors,
            (false, true) => &on_successes,
            (true, true) => &on_both,
        };
        let values = rows.iter().map(|row| row.holds.has(fact)).collect();
        Cells::Flags { values, present: present.clone() }
    })
}

/// Turns pattern numbers into a JSON array of their names.
fn push_hits(numbers: &str, legend: &Legend, out: &mut String) {
    out.push('[');
    let patterns = numbers.split(' ').filter_map(|number| number.parse::<usize>().ok());
    for (index, pattern) in patterns.filter_map(|number| legend.patterns.get(number)).enumerate() {
        out.push_str(if index == 0 { "\"" } else { ",\"" });
        pattern.chars().for_each(|character| crate::json::write_escaped(character, out));
        out.push('"');
    }
    out.push(']');
}

/// In the order of the column list.
fn issue_cells(batch: &VerdictBatch, keys: &Texts) -> Vec<Cells> {
    let issues = &batch.issues;
    let of_row =
        |rows: &[u32]| -> Vec<u32> { issues.row.iter().map(|row| rows[*row as usize]).collect() };
    let grouped = |part: usize, distinct: &super::texts::Distinct| {
        let groups = of_row(&batch.group);
        let rows =
            groups.into_iter().map(|group| batch.groups.members[group as usize][part]).collect();
        Cells::Distinct { texts: distinct.texts().clone(), rows }
    };
    let mut issue_keys = Texts::default();
    issues.row.iter().for_each(|row| issue_keys.push(keys.get(*row as usize)));
    vec![
        Cells::Texts { texts: issue_keys, present: None },
        Cells::Distinct {
            texts: batch.file.distinct.texts().clone(),
            rows: of_row(&batch.file.rows),
        },
        Cells::Ints(issues.row.iter().map(|row| batch.line[*row as usize]).collect()),
        grouped(1, &batch.groups.server),
        grouped(2, &batch.groups.tool),
        grouped(0, &batch.groups.day),
        grouped(3, &batch.groups.scenario),
        named(Severity::ALL.map(Severity::name), issues.severity.clone()),
        named(IssueType::ALL.iter().map(|kind| kind.name()), issues.kind.clone()),
        issues.message.clone().into_cells(),
        issues.location.clone().into_cells(),
        issues.suggestion.clone().into_cells(),
    ]
}
