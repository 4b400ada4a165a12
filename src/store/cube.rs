//! The counts of a run as a table, alone or with the columns of a history beside them.

use super::csv::Cell;
use super::folder::ReportError;
use super::gathered::{ColumnCells, Numbers};
use super::parquet::{Cells, Encoder};
use super::reader::TableReader;
use super::table::Table;
use super::texts::{DistinctColumn, NONE, TextColumn};
use crate::check::Memo;
use crate::count::{Count, Dimension, GroupRef};
use std::io::{self, Write};
use std::iter;
use std::marker::PhantomData;

/// So many rows make a row group.
const ROWS: usize = 1 << 16;

/// The columns of texts, as they stand in front of the count.
const TEXTS: [&str; 6] = ["day", "server", "tool", "scenario", "dimension", "value"];

/// Writes counts: those of a run, or with `labels` those of a history, whose first columns say the same in every row.
/// What is in `about` stands in the file beside its columns.
pub fn write_cube<'a, Counts: IntoIterator<Item = Count<'a>>>(
    out: impl Write,
    labels: &[Cell<'_>],
    groups: impl IntoIterator<Item = (GroupRef<'a>, Counts)>,
    about: Vec<(String, String)>,
) -> io::Result<()> {
    let table = if labels.is_empty() { Table::Counts } else { Table::PastCounts };
    let encoder = Encoder::new(table.columns()).map_err(io::Error::other)?;
    let mut file = encoder.start(out);
    let mut groups = groups.into_iter().peekable();
    while groups.peek().is_some() {
        let mut columns = CountColumns::default();
        while let Some((group, counts)) = groups.next_if(|_| columns.n.rows.len() < ROWS) {
            columns.add(group, counts);
        }
        let cells = encoder.encode(columns.into_cells(labels));
        file.append(&cells.map_err(io::Error::other)?)?;
    }
    file.finish_with(about)?;
    Ok(())
}

#[derive(Default)]
struct CountColumns<'a> {
    /// Day, server, tool and scenario.
    groups: [TextCells<'a>; 4],
    dimensions: Vec<u32>,
    values: TextCells<'a>,
    n: Numbers,
}

impl<'a> CountColumns<'a> {
    fn add(&mut self, group: GroupRef<'a>, counts: impl IntoIterator<Item = Count<'a>>) {
        counts.into_iter().for_each(|Count { dimension, value, n }| {
            self.dimensions.push(dimension as u32);
            let value = self.values.number_of(value);
            self.values.column.rows.push(value);
            self.n.push(Some(n.cast_unsigned()));
        });
        let GroupRef { day, server, tool, scenario } = group;
        let day = Some(day).filter(|day| !day.is_empty());
        for (names, name) in self.groups.iter_mut().zip([day, Some(server), Some(tool), scenario]) {
            let number = name.map_or(NONE, |name| names.number_of(name));
            names.column.rows.resize(self.n.rows.len(), number);
        }
    }

    fn into_cells(self, labels: &[Cell<'_>]) -> Vec<Cells> {
        let same = vec![0; self.n.rows.len()];
        let labels = labels.iter().zip(Table::PastCounts.columns()).map(|(label, column)| {
            ColumnCells::of(column.kind).dealt(iter::once(label.clone()), &same)
        });
        let groups = self.groups.map(|names| names.column.into_cells());
        let dimensions = Cells::named(Dimension::ALL.map(Dimension::name), self.dimensions);
        let last =
            [dimensions, self.values.column.into_cells(), ColumnCells::Ints(self.n).into_cells()];
        labels.chain(groups).chain(last).collect()
    }
}

/// Texts of which most are the same pieces of memory, which stay as long as they are known.
#[derive(Default)]
struct TextCells<'a> {
    column: DistinctColumn,
    recent: Memo<*const str, u32>,
    stay: PhantomData<&'a str>,
}

impl<'a> TextCells<'a> {
    fn number_of(&mut self, text: &'a str) -> u32 {
        let place = text.as_ptr().addr() as u128;
        self.recent.get(text, place, || self.column.distinct.index_of(text))
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

    /// Hands on the groups with their counts of these dimensions. A row without server, tool or value ends it with `false`.
    #[must_use]
    pub fn each<'s>(
        &'s self,
        dimensions: &[Dimension],
        mut take: impl FnMut(GroupRef<'s>, &[Count<'s>]),
    ) -> bool {
        let mut of_group = Vec::new();
        for RowsRead { texts: [days, servers, tools, scenarios, named, values], counts } in &self.0
        {
            let of_name =
                |name| Dimension::of_name(name).filter(|found| dimensions.contains(found));
            let wanted: Vec<_> = named.texts.iter().map(of_name).collect();
            let names =
                |row: usize| [days, servers, tools, scenarios].map(|column| column.rows.get(row));
            let rows: Vec<usize> = (0..counts.len()).collect();
            for rows in rows.chunk_by(|one, other| names(*one) == names(*other)) {
                let (Some(server), Some(tool)) = (servers.get(rows[0]), tools.get(rows[0])) else {
                    return false;
                };
                of_group.clear();
                for &row in rows {
                    let (Some(value), Some(&dimension)) =
                        (values.get(row), wanted.get(named.rows[row] as usize))
                    else {
                        return false;
                    };
                    let n = counts[row];
                    of_group.extend(dimension.map(|dimension| Count { dimension, value, n }));
                }
                let (day, scenario) =
                    (days.get(rows[0]).unwrap_or_default(), scenarios.get(rows[0]));
                if !of_group.is_empty() {
                    take(GroupRef { day, server, tool, scenario }, &of_group);
                }
            }
        }
        true
    }
}
