//! The counts of a run as a table, alone or with the columns of a history beside them.

use super::csv::Cell;
use super::folder::ReportError;
use super::gathered::{Gathered, Numbers};
use super::parquet::{Cells, Encoder};
use super::reader::TableReader;
use super::table::{Column, Table};
use super::texts::{DistinctColumn, NONE, TextColumn};
use crate::count::{CubeRow, Dimension};
use hashbrown::HashMap;
use std::io::{self, Write};
use std::iter;

/// So many rows make a row group.
const ROWS: usize = 1 << 16;

/// The columns of texts, as they stand in front of the count.
const TEXTS: [&str; 6] = ["day", "server", "tool", "scenario", "dimension", "value"];

/// Writes counts. Each of `labels` is a column that says the same in every row; `about` stands in the file
/// beside its columns.
pub fn write_cube<'a>(
    out: impl Write,
    labels: &[(&'static str, Cell<'_>)],
    rows: impl IntoIterator<Item = CubeRow<'a>>,
    about: Vec<(String, String)>,
) -> io::Result<()> {
    let labelled =
        labels.iter().map(|(name, cell)| Column { name, kind: cell.kind(), may_be_empty: false });
    let columns: Vec<Column> = labelled.chain(Table::Counts.columns()).collect();
    let encoder = Encoder::new(&columns).map_err(io::Error::other)?;
    let mut file = encoder.start(out);
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let group = encoder.encode(cells(labels, rows.by_ref().take(ROWS)));
        file.append(&group.map_err(io::Error::other)?)?;
    }
    file.finish_with(about)?;
    Ok(())
}

fn cells<'a>(labels: &[(&str, Cell<'_>)], rows: impl Iterator<Item = CubeRow<'a>>) -> Vec<Cells> {
    let mut texts: [TextCells<'a>; TEXTS.len()] = Default::default();
    let mut counts = Numbers::default();
    for CubeRow { day, server, tool, scenario, dimension, value, n } in rows {
        let names = [day, Some(server), Some(tool), scenario, Some(dimension.name()), Some(value)];
        texts.iter_mut().zip(names).for_each(|(column, name)| column.push(name));
        counts.push(Some(n.cast_unsigned()));
    }
    let same = vec![0; counts.rows.len()];
    let label = |(_, cell): &(_, Cell<'_>)| {
        Gathered::of(cell.kind()).dealt(iter::once(cell.clone()), &same)
    };
    let labels = labels.iter().map(label);
    let texts = texts.map(|texts| texts.column.into_cells());
    labels.chain(texts).chain([Gathered::Ints(counts).into_cells()]).collect()
}

/// Texts that rows mostly share: one that stands where an earlier one stood is not compared.
#[derive(Default)]
struct TextCells<'a> {
    column: DistinctColumn,
    known: HashMap<*const str, u32>,
    last: Option<(Option<&'a str>, u32)>,
}

impl<'a> TextCells<'a> {
    fn push(&mut self, text: Option<&'a str>) {
        let place = |text: Option<&'a str>| text.map(std::ptr::from_ref);
        let number = match (self.last, text) {
            (Some((last, number)), _) if place(last) == place(text) => number,
            (_, Some(text)) => {
                let distinct = &mut self.column.distinct;
                *self.known.entry(text).or_insert_with(|| distinct.index_of(text))
            }
            (_, None) => NONE,
        };
        self.last = Some((text, number));
        self.column.rows.push(number);
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
