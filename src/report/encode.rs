//! From batches of verdicts to row groups of the tables `verdicts`, `issues` and `shapes`.

use super::chunk::EncodedColumns;
use super::legend::Legend;
use super::pages::Flag;
use super::parquet::{Cells, Encoder};
use super::rows::{Apart, Joint, Owner, VerdictBatch};
use super::shape_counts::ShapeCount;
use super::shape_id::{ShapeId, ShapeNames};
use super::shapes::{Seen, Shape};
use super::table::Table;
use super::texts::{Distinct, NONE, Texts};
use crate::judged::{Decision, Interpretation, confidence_band, needs_review, quality_band};
use crate::tape::{ExchangeKind, Key, ReplyKind};
use crate::verdict::{Classification, Ground, IssueType, SchemaOutcome, Severity};
use hashbrown::HashMap;
use polars::error::PolarsResult;
use std::fmt::{Display, Write as _};
use std::hash::Hash;

/// A row group of the table `verdicts`, and one of `issues`.
pub struct EncodedRows {
    pub(super) verdicts: EncodedColumns,
    pub(super) issues: EncodedColumns,
}

/// Encodes the tables that have a row per exchange or per issue.
pub struct VerdictTables {
    legend: Legend,
    names: ShapeNames,
    verdicts: Encoder,
    issues: Encoder,
    shapes: Encoder,
}

impl VerdictTables {
    /// Tables for verdicts of the rulebook with this legend.
    pub fn new(legend: Legend) -> PolarsResult<Self> {
        let verdicts = Encoder::new(&Table::Verdicts.columns(&legend.facts))?;
        let issues = Encoder::new(&Table::Issues.columns(&[]))?;
        let shapes = Encoder::new(&Table::Shapes.columns(&legend.facts))?;
        let names = ShapeNames::of(&legend);
        Ok(Self { legend, names, verdicts, issues, shapes })
    }

    /// What the numbers in verdicts mean.
    #[must_use]
    pub fn legend(&self) -> &Legend {
        &self.legend
    }

    /// What shapes are named from.
    pub(super) fn names(&self) -> &ShapeNames {
        &self.names
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

    /// The encoder of the table `shapes`.
    #[must_use]
    pub fn shapes(&self) -> &Encoder {
        &self.shapes
    }

    /// Encodes a batch. Any thread can do this.
    pub fn encode(&self, mut batch: VerdictBatch) -> PolarsResult<EncodedRows> {
        let of_issues = issue_keys(&batch);
        let issues = self.issues.encode(std::iter::once(of_issues).chain(issue_cells(&batch)))?;
        let keys = keys(&batch.keys);
        let place = place_cells(&mut batch);
        let of = ByShape(batch.shapes.all());
        let ids = of.texts(|shape, out| write_shown(Some(self.names.id(shape)), out));
        let shaped = std::iter::once(ids).chain(shape_cells(&of, &self.legend));
        let shaped = shaped.map(|cells| cells.dealt(&batch.shape));
        let verdicts = self.verdicts.encode(std::iter::once(keys).chain(place).chain(shaped))?;
        Ok(EncodedRows { verdicts, issues })
    }

    /// Encodes a row group of the table `shapes`.
    pub(super) fn encode_shapes(
        &self,
        group: Vec<(ShapeId, ShapeCount)>,
    ) -> PolarsResult<EncodedColumns> {
        self.shapes.encode(shape_table_cells(group, &self.legend))
    }
}

fn keys(keys: &[Key]) -> Cells {
    let mut texts = Texts::with_room_for(keys.len(), HEX);
    for key in keys {
        push_hex(*key, texts.next());
        texts.finish();
    }
    Cells::Texts { texts, present: None }
}

/// The keys of the exchanges that issues are about.
fn issue_keys(batch: &VerdictBatch) -> Cells {
    let mut texts = Texts::with_room_for(batch.issues.len(), HEX);
    for owner in batch.issues.owners() {
        if let Owner::Exchange(row) = owner {
            push_hex(batch.keys[row], texts.next());
        }
        texts.finish();
    }
    Cells::Texts { texts, present: None }
}

/// Digits of a key.
const HEX: usize = 32;

/// The two digits of each byte.
const PAIRS: [[u8; 2]; 256] = {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [DIGITS[byte >> 4], DIGITS[byte & 15]];
        byte += 1;
    }
    pairs
};

fn push_hex(key: Key, out: &mut String) {
    let mut digits = [0; HEX];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(key.0.to_be_bytes()) {
        pair.copy_from_slice(&PAIRS[usize::from(byte)]);
    }
    out.push_str(std::str::from_utf8(&digits).expect("hexadecimal digits are ASCII"));
}

/// Columns laid out shape by shape: a cell for each.
struct ByShape<'b>(&'b [Shape]);

impl ByShape<'_> {
    /// One of a list of names.
    fn names<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
        of_shape: impl Fn(&Shape) -> Option<usize>,
    ) -> Cells {
        let mut texts = Texts::default();
        names.into_iter().for_each(|name| texts.push(name));
        let number = |shape: &Shape| {
            of_shape(shape).and_then(|name| u32::try_from(name).ok()).unwrap_or(NONE)
        };
        Cells::Distinct { texts, rows: self.0.iter().map(number).collect() }
    }

    /// A text that is written for each shape.
    fn texts(&self, write: impl Fn(&Shape, &mut String) -> Written) -> Cells {
        let mut distinct = Distinct::default();
        let mut text = String::new();
        let rows = self
            .0
            .iter()
            .map(|shape| {
                text.clear();
                match write(shape, &mut text) {
                    Written::Nothing => NONE,
                    Written::Text => distinct.index_of(&text),
                }
            })
            .collect();
        Cells::Distinct { texts: distinct.into_texts(), rows }
    }

    fn flags(&self, of_shape: impl Fn(&Shape) -> Option<bool>) -> Cells {
        Cells::Flags(self.0.iter().map(|shape| Flag::from(of_shape(shape))).collect())
    }

    fn floats(&self, of_shape: impl Fn(&Shape) -> Option<f64>) -> Cells {
        let (values, rows) = self.numbers(|shape| of_shape(shape).map(f64::to_bits));
        Cells::DistinctFloats { values: values.into_iter().map(f64::from_bits).collect(), rows }
    }

    fn ints(&self, of_shape: impl Fn(&Shape) -> u32) -> Cells {
        let (values, rows) = self.numbers(|shape| Some(i64::from(of_shape(shape))));
        Cells::DistinctInts { values, rows }
    }

    fn numbers<T: Copy + Eq + Hash>(
        &self,
        of_shape: impl Fn(&Shape) -> Option<T>,
    ) -> (Vec<T>, Vec<u32>) {
        let mut values = Vec::new();
        let mut known = HashMap::new();
        let rows = self
            .0
            .iter()
            .map(|shape| {
                of_shape(shape).map_or(NONE, |value| {
                    *known.entry(value).or_insert_with(|| {
                        values.push(value);
                        u32::try_from(values.len() - 1).unwrap_or(NONE)
                    })
                })
            })
            .collect();
        (values, rows)
    }
}

/// Whether a cell has a text.
enum Written {
    Nothing,
    Text,
}

/// A column of texts that rows share with others: which part of a combination they are.
fn part<const N: usize>(joint: &Joint<N>, rows: &[u32], part: usize) -> Cells {
    Cells::Distinct {
        texts: joint.parts[part].texts().clone(),
        rows: rows.iter().map(|row| joint.members[*row as usize][part]).collect(),
    }
}

/// What an exchange is and where it stands, whatever is made of it: in the order of the column list, from the
/// second on.
fn place_cells(batch: &mut VerdictBatch) -> [Cells; 13] {
    let origin = |number| part(&batch.origins, &batch.origin, number);
    let group = |number| part(&batch.groups, &batch.group, number);
    [
        keys(&batch.requests),
        origin(0),
        Cells::Ints(std::mem::take(&mut batch.line)),
        Cells::Ints(std::mem::take(&mut batch.byte)),
        std::mem::take(&mut batch.id).into_cells(),
        group(1),
        origin(1),
        group(2),
        group(3),
        std::mem::take(&mut batch.recorded_at).into_cells(),
        group(0),
        Cells::Floats(std::mem::take(&mut batch.duration)),
        origin(2),
    ]
}

/// In the order of the column list.
fn shape_table_cells(group: Vec<(ShapeId, ShapeCount)>, legend: &Legend) -> Vec<Cells> {
    let mut ids = Texts::default();
    let mut exchanges = Vec::with_capacity(group.len());
    let mut excerpts = Texts::default();
    let mut shapes = Vec::with_capacity(group.len());
    for (id, count) in group {
        let Some(shape) = count.shape else { continue };
        ids.push(&id.to_string());
        exchanges.push(i64::try_from(count.exchanges).unwrap_or(i64::MAX));
        let shown: Vec<&str> = count.excerpts.iter().map(|excerpt| excerpt.json.as_str()).collect();
        excerpts.push(&format!("[{}]", shown.join(",")));
        shapes.push(shape);
    }
    let of = ByShape(&shapes);
    let mut cells = vec![Cells::Texts { texts: ids, present: None }, Cells::Ints(exchanges)];
    cells.extend(shape_cells(&of, legend));
    cells.push(Cells::Texts { texts: excerpts, present: None });
    cells
}

/// What verdicts and shapes both say, in the order of the column list.
fn shape_cells(of: &ByShape<'_>, legend: &Legend) -> Vec<Cells> {
    let mut cells = vec![
        of.names(ExchangeKind::ALL.map(ExchangeKind::name), |shape| Some(shape.kind as usize)),
        of.names(ReplyKind::ALL.map(ReplyKind::name), |shape| Some(shape.reply as usize)),
        of.names(Ground::ALL.map(Ground::name), |shape| Some(shape.ground as usize)),
        of.texts(|shape, out| write_option(shape.error_code.as_deref(), out)),
        of.names(Classification::ALL.map(Classification::name), |shape| Some(shape.class as usize)),
        of.floats(|shape| Some(shape.confidence)),
        of.flags(|shape| Some(shape.is_valid)),
        of.flags(|shape| Some(shape.severities.errors == 0)),
        of.flags(|shape| Some(shape.is_error)),
        of.flags(|shape| shape.business_logic),
        of.floats(|shape| shape.score),
        of.floats(|shape| shape.threshold),
        of.names(legend.decisions.iter().map(String::as_str), |shape| {
            shape.decision.map(usize::from)
        }),
        of.names(legend.error_kinds.iter().map(String::as_str), |shape| {
            shape.error_kind.map(usize::from)
        }),
        of.flags(|shape| shape.hidden_failure),
    ];
    cells.extend((0..legend.facts.len()).map(|fact| {
        let seen_on = |shape: &Shape| match shape.seen {
            Seen::Nothing => false,
            Seen::ErrorFacts => legend.error_facts.has(fact),
            Seen::SuccessFacts => legend.success_facts.has(fact),
        };
        of.flags(|shape| seen_on(shape).then(|| shape.facts.has(fact)))
    }));
    cells.extend([
        of.texts(|shape, out| write_patterns(shape, legend, out)),
        of.floats(|shape| Some(shape.quality_by(legend))),
        of.ints(|shape| shape.severities.errors),
        of.ints(|shape| shape.severities.warnings),
        of.ints(|shape| shape.severities.infos),
        of.texts(|shape, out| write_option(shape.issue_types.as_deref(), out)),
        of.names(SchemaOutcome::ALL.map(SchemaOutcome::name), |shape| {
            shape.schema.map(|outcome| outcome as usize)
        }),
        of.texts(|shape, out| write_shown(shape.schema_key, out)),
        of.texts(|shape, out| write_option(shape.schema_keyword.as_deref(), out)),
        of.texts(|shape, out| write_option(shape.content_types.as_deref(), out)),
        of.flags(|shape| shape.has_structured),
        of.flags(|shape| shape.has_meta),
        of.names(Decision::ALL.iter().map(|decision| decision.name()), |shape| {
            Some(shape.to_do() as usize)
        }),
        of.names(Interpretation::ALL.iter().map(|reading| reading.name()), |shape| {
            Some(shape.reading(legend) as usize)
        }),
        of.texts(|shape, out| {
            write_option(Some(&confidence_band(shape.confidence / 100.0).name), out)
        }),
        of.texts(|shape, out| {
            write_option(Some(&quality_band(shape.quality_by(legend)).name), out)
        }),
        of.flags(|shape| Some(needs_review(shape.confidence / 100.0))),
        of.flags(|shape| Some(shape.has_security_issue)),
        of.texts(|shape, out| write_option(shape.passed_criteria.as_deref(), out)),
        of.texts(|shape, out| write_option(shape.failed_criteria.as_deref(), out)),
    ]);
    cells
}

fn write_option(text: Option<&str>, out: &mut String) -> Written {
    let Some(text) = text else { return Written::Nothing };
    out.push_str(text);
    Written::Text
}

fn write_shown(value: Option<impl Display>, out: &mut String) -> Written {
    let Some(value) = value else { return Written::Nothing };
    let _ = write!(out, "{value}");
    Written::Text
}

/// The names of the patterns that hit, as a JSON array.
fn write_patterns(shape: &Shape, legend: &Legend, out: &mut String) -> Written {
    if shape.patterns.is_empty() {
        return Written::Nothing;
    }
    out.push('[');
    let names =
        shape.patterns.iter().filter_map(|number| legend.patterns.get(usize::from(*number)));
    for (index, pattern) in names.enumerate() {
        out.push_str(if index == 0 { "\"" } else { ",\"" });
        pattern.chars().for_each(|character| crate::json::write_escaped(character, out));
        out.push('"');
    }
    out.push(']');
    Written::Text
}

/// In the order of the column list, from the second on.
fn issue_cells(batch: &VerdictBatch) -> Vec<Cells> {
    let issues = &batch.issues;
    let of_owner = |rows: &[u32], apart: fn(&Apart) -> u32| -> Vec<u32> {
        let of = |owner| match owner {
            Owner::Exchange(row) => rows[row],
            Owner::Session(number) => apart(&batch.apart[number]),
        };
        issues.owners().map(of).collect()
    };
    let groups = of_owner(&batch.group, |apart| apart.group);
    let origins = of_owner(&batch.origin, |apart| apart.origin);
    let lines = issues.owners().map(|owner| match owner {
        Owner::Exchange(row) => batch.line[row],
        Owner::Session(number) => batch.apart[number].line,
    });
    let group = |number| part(&batch.groups, &groups, number);
    vec![
        part(&batch.origins, &origins, 0),
        Cells::Ints(lines.collect()),
        group(1),
        part(&batch.origins, &origins, 1),
        group(2),
        group(0),
        group(3),
        named(Severity::ALL.map(Severity::name), issues.severity.clone()),
        named(
            IssueType::ALL.iter().map(|kind| kind.name()).chain(issues.unlisted.texts().iter()),
            issues.kind.clone(),
        ),
        issues.message.clone().into_cells(),
        issues.location.clone().into_cells(),
        issues.suggestion.clone().into_cells(),
    ]
}

/// One of a fixed list of names per row.
fn named<'a>(names: impl IntoIterator<Item = &'a str>, rows: Vec<u32>) -> Cells {
    let mut texts = Texts::default();
    names.into_iter().for_each(|name| texts.push(name));
    Cells::Distinct { texts, rows }
}
