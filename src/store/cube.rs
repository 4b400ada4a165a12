//! The counts of a run as a table, alone or with the columns of a history beside them.

use super::csv::Cell;
use super::folder::ReportError;
use super::gathered::{ColumnCells, Numbers};
use super::parquet::{Cells, Encoder};
use super::reader::TableReader;
use super::table::Table;
use super::texts::{Distinct, DistinctColumn, NONE, TextColumn};
use crate::count::{CubeRow, Dimension};
use hashbrown::HashMap;
use std::io::{self, Write};
use std::iter;

/// So many rows make a row group.
const ROWS: usize = 1 << 16;

/// The columns of texts, as they stand in front of the count.
const TEXTS: [&str; 6] = ["day", "server", "tool", "scenario", "dimension", "value"];

/// Writes counts: those of a run, or with `labels` those of a history, whose first columns say the same in every row.
/// What is in `about` stands in the file beside its columns.
pub fn write_cube<'a>(
    out: impl Write,
    labels: &[Cell<'_>],
    rows: impl IntoIterator<Item = CubeRow<'a>>,
    about: Vec<(String, String)>,
) -> io::Result<()> {
    let table = if labels.is_empty() { Table::Counts } else { Table::PastCounts };
    let encoder = Encoder::new(table.columns()).map_err(io::Error::other)?;
    let mut file = encoder.start(out);
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let group = encoder.encode(cells(labels, rows.by_ref().take(ROWS)));
        file.append(&group.map_err(io::Error::other)?)?;
    }
    file.finish_with(about)?;
    Ok(())
}

fn cells<'a>(labels: &[Cell<'_>], rows: impl Iterator<Item = CubeRow<'a>>) -> Vec<Cells> {
    let mut texts: [TextCells<'a>; TEXTS.len()] = Default::default();
    let mut counts = Numbers::default();
    let mut group = [None; 4];
    let mut found = [None; Dimension::ALL.len()];
    // Rows come from nested loops, which go on quicker by themselves than one after the other.
    rows.for_each(|CubeRow { day, server, tool, scenario, dimension, value, n }| {
        let [of_group @ .., dimensions, values] = &mut texts;
        let names = [day, Some(server), Some(tool), scenario];
        if !names.iter().zip(&group).all(|(one, other)| is_same(*one, *other)) {
            for (column, name) in of_group.iter_mut().zip(names) {
                column.repeat(counts.rows.len());
                column.find(name);
            }
            group = names;
        }
        let number = &mut found[dimension as usize];
        let new = || dimensions.distinct.index_of(dimension.name());
        dimensions.rows.push(*number.get_or_insert_with(new));
        values.find(Some(value));
        values.rows.push(values.last);
        counts.push(Some(n.cast_unsigned()));
    });
    for column in &mut texts[..4] {
        column.repeat(counts.rows.len());
    }
    let same = vec![0; counts.rows.len()];
    let labels = labels.iter().zip(Table::PastCounts.columns()).map(|(label, column)| {
        ColumnCells::of(column.kind).dealt(iter::once(label.clone()), &same)
    });
    let texts = texts.map(|TextCells { distinct, rows, .. }| DistinctColumn { distinct, rows });
    let texts = texts.map(DistinctColumn::into_cells);
    labels.chain(texts).chain([ColumnCells::Ints(counts).into_cells()]).collect()
}

/// Whether two names are the same piece of memory.
fn is_same(one: Option<&str>, other: Option<&str>) -> bool {
    one.map(std::ptr::from_ref) == other.map(std::ptr::from_ref)
}

/// Texts that rows mostly share, neighbours first of all.
#[derive(Default)]
struct TextCells<'a> {
    distinct: Distinct,
    known: HashMap<*const str, u32>,
    /// The text that was found last, and its number.
    text: Option<&'a str>,
    last: u32,
    rows: Vec<u32>,
}

impl<'a> TextCells<'a> {
    /// The rows up to so many have the text that was found last.
    fn repeat(&mut self, rows: usize) {
        self.rows.resize(rows, self.last);
    }

    fn find(&mut self, text: Option<&'a str>) {
        if self.rows.is_empty() || !is_same(self.text, text) {
            self.last = text.map_or(NONE, |text| {
                *self.known.entry(text).or_insert_with(|| self.distinct.index_of(text))
            });
        }
        self.text = text;
    }
}

pub struct StoredCube(Vec<RowsRead>);

struct RowsRead {
    texts: [TextColumn; TEXTS.len()],
    counts: Vec<i64>,
}

impl StoredCube {
    pub fn read(mut table: TableReader) -> Result<Self, ReportError> {
        let groups = (0..table.groups()).map(|group| {
            let mut texts: [TextColumn; TEXTS.len()] = Default::default();
            for (texts, name) in texts.iter_mut().zip(TEXTS) {
                *texts = table.texts(group, name)?;
            }
            Ok(RowsRead { texts, counts: table.ints(group, "n")? })
        });
        groups.collect::<Result<_, _>>().map(Self)
    }

    /// Hands on the counts of these dimensions. A row without server, tool or value ends it with `false`.
    #[must_use]
    pub fn each<'s>(&'s self, dimensions: &[Dimension], mut take: impl FnMut(CubeRow<'s>)) -> bool {
        for RowsRead { texts: [days, servers, tools, scenarios, named, values], counts } in &self.0
        {
            let of_name =
                |name| Dimension::of_name(name).filter(|found| dimensions.contains(found));
            let wanted: Vec<_> = named.texts.iter().map(of_name).collect();
            for (row, &n) in counts.iter().enumerate() {
                let (Some(server), Some(tool), Some(value), Some(&dimension)) = (
                    servers.get(row),
                    tools.get(row),
                    values.get(row),
                    wanted.get(named.rows[row] as usize),
                ) else {
                    return false;
                };
                if let Some(dimension) = dimension {
                    let (day, scenario) = (days.get(row), scenarios.get(row));
                    take(CubeRow { day, server, tool, scenario, dimension, value, n });
                }
            }
        }
        true
    }
}
