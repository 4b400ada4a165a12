//! The tables of run folders, comparisons, statistics, histories and trends. Which columns each has is listed in
//! `docs/columns.md`, with what they mean.

use std::sync::LazyLock;

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Table {
        Verdicts = "verdicts",
        Issues = "issues",
        Unreadable = "unreadable",
        Recordings = "recordings",
        Rates = "rates",
        Tools = "tools",
        IssueTypes = "issue_types",
        Lists = "lists",
        Counts = "counts",
        Flips = "flips",
        Groups = "groups",
        Sweep = "sweep",
        StatsPatterns = "stats_patterns",
        StatsSignals = "stats_signals",
        StatsFactors = "stats_factors",
        StatsServers = "stats_servers",
        StatsCalibration = "stats_calibration",
        StatsMistakes = "stats_mistakes",
        PastCounts = "NIGHT--COLLECTION--RUN",
        Trend = "trend",
        TrendChanges = "trend_changes",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    Csv,
    Parquet,
}

impl Table {
    pub const OF_COMPARISONS: [Self; 2] = [Self::Flips, Self::Groups];
    pub const OF_SWEEPS: [Self; 1] = [Self::Sweep];
    pub const OF_STATS: [Self; 6] = [
        Self::StatsPatterns,
        Self::StatsSignals,
        Self::StatsFactors,
        Self::StatsServers,
        Self::StatsCalibration,
        Self::StatsMistakes,
    ];
    pub const OF_TRENDS: [Self; 2] = [Self::Trend, Self::TrendChanges];

    pub fn file_name(self, format: TableFormat) -> String {
        let extension = match format {
            TableFormat::Csv => "csv",
            TableFormat::Parquet => "parquet",
        };
        format!("{}.{extension}", self.name())
    }

    pub fn formats(self) -> &'static [TableFormat] {
        match self {
            Self::Unreadable | Self::Recordings => &[TableFormat::Csv],
            Self::Verdicts | Self::Issues | Self::Counts | Self::PastCounts => {
                &[TableFormat::Parquet]
            }
            _ => &[TableFormat::Csv, TableFormat::Parquet],
        }
    }

    /// As the document lists them.
    pub fn columns(self) -> &'static [Column] {
        let listed = LISTED.iter().find(|(table, _)| *table == self.name());
        listed.map_or(&[], |(_, columns)| columns)
    }
}

/// One column: the CSV header and the Parquet schema come from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    pub kind: ColumnKind,
    /// Whether a row may have none: null in Parquet, an empty cell in CSV.
    pub may_be_empty: bool,
}

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ColumnKind {
        Text = "text",
        Bool = "bool",
        Int = "int",
        /// A floating-point number of 64 bits.
        Float = "float",
        /// A content hash: 16 bytes in Parquet, 32 hexadecimal digits in CSV.
        Key = "key",
        /// A moment, in milliseconds, UTC.
        Time = "timestamp",
    }
}

const DOCUMENT: &str = include_str!("../../docs/columns.md");

/// The sections of the document that list columns.
static LISTED: LazyLock<Vec<(&str, Vec<Column>)>> = LazyLock::new(|| {
    let sections = DOCUMENT.split("\n## ").skip(1);
    let sections = sections.map(|section| {
        let mut lines = section.lines();
        (lines.next().unwrap_or_default(), lines.filter_map(column).collect())
    });
    sections.collect()
});

/// The column that a row of a table in the document describes: its name, its kind, and whether it may be empty.
fn column(row: &'static str) -> Option<Column> {
    let (name, rest) = row.strip_prefix("| `")?.split_once("` | ")?;
    let (kind, rest) = rest.split_once(" | ")?;
    let kind = ColumnKind::of_name(kind)?;
    Some(Column { name, kind, may_be_empty: rest.starts_with("yes | ") })
}

#[cfg(test)]
mod tests {
    use super::super::specs::{
        ISSUE_TYPES, ISSUES, LISTS, RATES, RECORDINGS, Spec, TOOLS, UNREADABLE, VERDICTS,
    };
    use super::*;
    use crate::count::Dimension;

    fn section(name: &str) -> &'static str {
        let head = format!("{name}\n");
        DOCUMENT.split("\n## ").find(|section| section.starts_with(&head)).expect("a section")
    }

    #[test]
    fn each_table_has_a_section_that_explains_each_of_its_columns() {
        for table in Table::ALL {
            let files =
                table.formats().iter().map(|format| format!("`{}`", table.file_name(*format)));
            let files = format!("\n\n{}\n", files.collect::<Vec<_>>().join(" and "));
            let section = section(table.name());
            assert!(section.contains(&files), "{}: {files}", table.name());
            let rows = section.lines().skip_while(|line| *line != "|---|---|---|---|").skip(1);
            let rows: Vec<&str> = rows.take_while(|line| line.starts_with('|')).collect();
            let columns = table.columns();
            assert_eq!(columns.len(), rows.len(), "{}", table.name());
            for (place, (column, row)) in columns.iter().zip(rows).enumerate() {
                assert!(row.ends_with(". |"), "{row}");
                assert!(columns[..place].iter().all(|earlier| earlier.name != column.name));
            }
        }
    }

    #[test]
    fn cells_are_made_of_the_columns_that_are_listed() {
        fn names<Of>(specs: &[Spec<Of>]) -> Vec<&str> {
            specs.iter().map(|(name, _)| *name).collect()
        }
        for (table, names) in [
            (Table::Verdicts, names(VERDICTS)),
            (Table::Issues, names(ISSUES)),
            (Table::Unreadable, names(UNREADABLE)),
            (Table::Recordings, names(RECORDINGS)),
            (Table::Rates, names(RATES)),
            (Table::Tools, names(TOOLS)),
            (Table::IssueTypes, names(ISSUE_TYPES)),
            (Table::Lists, names(LISTS)),
        ] {
            let listed: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
            assert_eq!(names, listed, "{}", table.name());
        }
    }

    #[test]
    fn the_document_explains_all_dimensions_in_their_order() {
        let rows = section("counts").lines().skip_while(|line| !line.starts_with("| dimension"));
        let rows = rows.skip(2).map_while(|line| line.strip_prefix("| `")?.split_once("` | "));
        let named: Vec<&str> = rows.map(|(name, _)| name).collect();
        assert_eq!(named, Dimension::ALL.map(Dimension::name));
    }
}
