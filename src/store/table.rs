//! The tables of run folders, comparisons, statistics, histories and trends.

use super::results::{
    self, CALIBRATION, COUNTS, FLIPS, GROUPS, MISTAKES, SWEEP, TREND, TREND_CHANGES,
};
use super::specs::{ISSUE_TYPES, ISSUES, RATES, RECORDINGS, Spec, TOOLS, UNREADABLE, VERDICTS};
use std::borrow::Cow;

/// A table of the run folder, of a comparison, or of statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    Verdicts,
    Issues,
    Unreadable,
    Recordings,
    Rates,
    Tools,
    IssueTypes,
    Flips,
    Groups,
    Sweep,
    StatsPatterns,
    StatsSignals,
    StatsFactors,
    StatsServers,
    StatsCalibration,
    StatsMistakes,
    Counts,
    PastCounts,
    Trend,
    TrendChanges,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    Csv,
    Parquet,
}

impl TableFormat {
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }
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
    pub const OF_HISTORIES: [Self; 1] = [Self::PastCounts];

    /// All tables of a run folder.
    pub const ALL: [Self; 8] = [
        Self::Verdicts,
        Self::Issues,
        Self::Unreadable,
        Self::Recordings,
        Self::Rates,
        Self::Tools,
        Self::IssueTypes,
        Self::Counts,
    ];

    /// The one place where a table is described.
    #[rustfmt::skip]
    fn spec(self) -> TableSpec {
        match self {
            Self::Verdicts => table("verdicts", PARQUET, "One row per call, in the order of the recordings.", || VERDICTS.iter().map(|it| it.column().clone()).collect()),
            Self::Issues => table("issues", PARQUET, "One row per issue, in the order of the recordings.", || columns(ISSUES)),
            Self::Unreadable => table("unreadable", CSV, "One row per input line that could not be read, in the order of the recordings.", || columns(UNREADABLE)),
            Self::Recordings => table("recordings", CSV, "One row per recording, in their order.", || columns(RECORDINGS)),
            Self::Rates => table("rates", BOTH, "One row per server, tool, scenario and classification that occurs, sorted by these.", || columns(RATES)),
            Self::Tools => table("tools", BOTH, "One row per tool of a server, sorted by server and tool.", || columns(TOOLS)),
            Self::IssueTypes => table("issue_types", BOTH, "One row per day, server, tool, severity, origin and type of issue that occurs, sorted by these: types as `tapecheck list issues` has them, then those that only recordings know by name.", || columns(ISSUE_TYPES)),
            Self::Counts => table("counts", PARQUET, "One row per day, server, tool, scenario, dimension and value that occurs; dimensions follow each other, and within one rows are sorted by the others.", || COUNTS.to_vec()),
            Self::PastCounts => table("NIGHT--COLLECTION--RUN", PARQUET, "One row per day, server, tool, scenario, dimension and value that occurs; dimensions follow each other, and within one rows are sorted by the others.", results::past_counts),
            Self::Flips => table("flips", BOTH, "One row per call that changed, in the order of the later side, then calls that are gone.", || FLIPS.to_vec()),
            Self::Groups => table("groups", BOTH, "One row per group of calls that changed in the same way by the same cause: worst kinds first, then the largest.", || GROUPS.to_vec()),
            Self::Sweep => table("sweep", BOTH, "One row per value of the sweep, smallest first.", || SWEEP.to_vec()),
            Self::StatsPatterns => table("stats_patterns", BOTH, "One row per pattern and question.", results::usages),
            Self::StatsSignals => table("stats_signals", BOTH, "One row per signal and question.", results::usages),
            Self::StatsFactors => table("stats_factors", BOTH, "One row per factor.", results::usages),
            Self::StatsServers => table("stats_servers", BOTH, "One row per server, sorted by name.", results::slices),
            Self::StatsCalibration => table("stats_calibration", BOTH, "One row per question and range of confidence.", || CALIBRATION.to_vec()),
            Self::StatsMistakes => table("stats_mistakes", BOTH, "One row per labelled call that is answered wrongly: by label, answer, server, file and line.", || MISTAKES.to_vec()),
            Self::Trend => table("trend", BOTH, "One row per series and night that has calls of it, in the order in which series are shown.", || TREND.to_vec()),
            Self::TrendChanges => table("trend_changes", BOTH, "One row per change: in the order of the series, the first change first.", || TREND_CHANGES.to_vec()),
        }
    }

    /// The file name without its ending.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    pub fn file_name(self, format: TableFormat) -> String {
        format!("{}.{}", self.name(), format.extension())
    }

    pub fn formats(self) -> &'static [TableFormat] {
        self.spec().formats
    }

    /// What a row is, and in which order rows stand.
    pub fn about(self) -> &'static str {
        self.spec().about
    }

    pub fn columns(self) -> Vec<Column> {
        (self.spec().columns)()
    }
}

struct TableSpec {
    name: &'static str,
    formats: &'static [TableFormat],
    about: &'static str,
    columns: fn() -> Vec<Column>,
}

const CSV: &[TableFormat] = &[TableFormat::Csv];
const PARQUET: &[TableFormat] = &[TableFormat::Parquet];
const BOTH: &[TableFormat] = &[TableFormat::Csv, TableFormat::Parquet];

fn table(
    name: &'static str,
    formats: &'static [TableFormat],
    about: &'static str,
    columns: fn() -> Vec<Column>,
) -> TableSpec {
    TableSpec { name, formats, about, columns }
}

fn columns<F>(specs: &[Spec<F>]) -> Vec<Column> {
    specs.iter().map(|spec| spec.column.clone()).collect()
}

/// One column: the CSV header, the Parquet schema and the documentation come from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: Cow<'static, str>,
    pub kind: ColumnKind,
    pub presence: Presence,
    /// What it means, in one sentence.
    pub about: Cow<'static, str>,
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

/// Whether the cells of a column may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Every row has a value.
    Always,
    /// A row may have none (null in Parquet, an empty cell in CSV).
    Sometimes,
}
