//! The tables of run folders, comparisons and statistics, each with its one list of columns.

use super::column::Column;
use super::comparison::{FLIPS, GROUPS};
use super::history;
use super::legend::FactName;
use super::of_run::{ISSUE_TYPES, RATES, REJECTS, TOOLS};
use super::specs::{ISSUES, VERDICTS};
use super::stats;
use super::sweep::SWEEP;
use super::trend;

/// A table of the run folder, of a comparison, or of statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// One row per exchange.
    Verdicts,
    /// One row per thing found wrong.
    Issues,
    /// One row per input line that could not be judged.
    Rejects,
    /// Shares of the classes.
    Rates,
    /// One row per tool.
    Tools,
    /// How often each type of issue occurs.
    IssueTypes,
    /// One row per exchange of which something else is said than before.
    Flips,
    /// One row per group of them.
    Groups,
    /// One row per value that was gone through.
    Sweep,
    /// One row per pattern and question.
    StatsPatterns,
    /// One row per fact and question.
    StatsFacts,
    /// One row per factor.
    StatsFactors,
    /// One row per server, sorted by name.
    StatsServers,
    /// One row per kind of reply, ground, error code, kind of error and decision line, sorted by these.
    StatsSources,
    /// One row per pair of patterns, facts or factors that hold of the same replies: most alike first.
    StatsOverlaps,
    /// One row per exchange near its threshold, nearest first; at most two hundred.
    StatsScores,
    /// One row per reading and step of confidence.
    StatsCalibration,
    /// One row per labelled exchange that is answered wrongly: by label, answer, server, file and line.
    StatsMistakes,
    /// One row per class, answer, kind of error, pattern and fact of either corpus, surest difference first; only with another corpus.
    StatsDrift,
    /// The counts of a run.
    Counts,
    /// The counts of a run in a history.
    PastCounts,
    /// One row per series and night of a trend.
    Trend,
    /// One row per change of a trend.
    TrendChanges,
}

/// A file format a table is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Comma-separated text with a header.
    Csv,
    /// Apache Parquet.
    Parquet,
}

impl TableFormat {
    /// The file name's ending.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }
}

impl Table {
    /// What a comparison of two sides leaves behind.
    pub const OF_COMPARISONS: [Self; 2] = [Self::Flips, Self::Groups];

    /// What going through the values of a setting leaves behind.
    pub const OF_SWEEPS: [Self; 1] = [Self::Sweep];
    /// What statistics leave behind.
    pub const OF_STATS: [Self; 10] = [
        Self::StatsPatterns,
        Self::StatsFacts,
        Self::StatsFactors,
        Self::StatsServers,
        Self::StatsSources,
        Self::StatsOverlaps,
        Self::StatsScores,
        Self::StatsCalibration,
        Self::StatsMistakes,
        Self::StatsDrift,
    ];

    /// What a trend leaves behind.
    pub const OF_TRENDS: [Self; 2] = [Self::Trend, Self::TrendChanges];

    /// What each run leaves in a history.
    pub const OF_HISTORIES: [Self; 1] = [Self::PastCounts];

    /// All tables of a run folder.
    pub const ALL: [Self; 7] = [
        Self::Verdicts,
        Self::Issues,
        Self::Rejects,
        Self::Rates,
        Self::Tools,
        Self::IssueTypes,
        Self::Counts,
    ];

    /// The file name without its ending.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Verdicts => "verdicts",
            Self::Issues => "issues",
            Self::Rejects => "rejects",
            Self::Rates => "rates",
            Self::Tools => "tools",
            Self::IssueTypes => "issue_types",
            Self::Flips => "flips",
            Self::Groups => "groups",
            Self::Sweep => "sweep",
            Self::StatsPatterns => "stats_patterns",
            Self::StatsFacts => "stats_facts",
            Self::StatsFactors => "stats_factors",
            Self::StatsServers => "stats_servers",
            Self::StatsSources => "stats_sources",
            Self::StatsOverlaps => "stats_overlaps",
            Self::StatsScores => "stats_scores",
            Self::StatsCalibration => "stats_calibration",
            Self::StatsMistakes => "stats_mistakes",
            Self::StatsDrift => "stats_drift",
            Self::Counts => "counts",
            Self::PastCounts => "NIGHT--COLLECTION--RUN",
            Self::Trend => "trend",
            Self::TrendChanges => "trend_changes",
        }
    }

    /// The file name in one of the table's formats.
    #[must_use]
    pub fn file_name(self, format: TableFormat) -> String {
        format!("{}.{}", self.name(), format.extension())
    }

    /// The formats it is written in.
    #[must_use]
    pub fn formats(self) -> &'static [TableFormat] {
        match self {
            Self::Verdicts | Self::Issues | Self::Counts | Self::PastCounts => {
                &[TableFormat::Parquet]
            }
            Self::Rejects => &[TableFormat::Csv],
            Self::Rates
            | Self::Tools
            | Self::IssueTypes
            | Self::Flips
            | Self::Groups
            | Self::Sweep
            | Self::StatsPatterns
            | Self::StatsFacts
            | Self::StatsFactors
            | Self::StatsServers
            | Self::StatsSources
            | Self::StatsOverlaps
            | Self::StatsScores
            | Self::StatsCalibration
            | Self::StatsMistakes
            | Self::StatsDrift
            | Self::Trend
            | Self::TrendChanges => &[TableFormat::Csv, TableFormat::Parquet],
        }
    }

    /// What a row is, and in which order rows stand.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Verdicts => "One row per exchange, in corpus order.",
            Self::Issues => "One row per issue, in corpus order.",
            Self::Rejects => "One row per input line that could not be judged, in corpus order.",
            Self::Rates => {
                "One row per day, server, tool, scenario and classification that occurs, sorted by these."
            }
            Self::Tools => "One row per tool of a server, sorted by server and tool.",
            Self::IssueTypes => {
                "One row per day, server, tool, severity and type of issue that occurs, sorted by these."
            }
            Self::Flips => {
                "One row per exchange that did not stay the same, in the order of the later side, then those that are gone."
            }
            Self::Groups => {
                "One row per group of exchanges that changed in the same way by the same cause: worst kinds first, then the largest."
            }
            Self::Sweep => "One row per value that was gone through, the least first.",
            Self::StatsPatterns => "One row per pattern and question.",
            Self::StatsFacts => "One row per fact and question.",
            Self::StatsFactors => "One row per factor.",
            Self::StatsServers => "One row per server, sorted by name.",
            Self::StatsSources => {
                "One row per kind of reply, ground, error code, kind of error and decision line, sorted by these."
            }
            Self::StatsOverlaps => {
                "One row per pair of patterns, facts or factors that hold of the same replies: most alike first."
            }
            Self::StatsScores => {
                "One row per exchange near its threshold, nearest first; at most two hundred."
            }
            Self::StatsCalibration => "One row per reading and step of confidence.",
            Self::StatsMistakes => {
                "One row per labelled exchange that is answered wrongly: by label, answer, server, file and line."
            }
            Self::StatsDrift => {
                "One row per class, answer, kind of error, pattern and fact of either corpus, surest difference first; only with `--against`."
            }
            Self::Counts | Self::PastCounts => {
                "One row per day, server, tool, scenario, dimension and value that occurs; dimensions follow each other, and within one rows are sorted by the others."
            }
            Self::Trend => {
                "One row per series and night that has exchanges of it, in the order in which series are shown."
            }
            Self::TrendChanges => {
                "One row per change: in the order of the series, the first change first."
            }
        }
    }

    /// The columns, in order. The facts of the rulebook add columns to [`Table::Verdicts`].
    #[must_use]
    pub fn columns(self, facts: &[FactName]) -> Vec<Column> {
        match self {
            Self::Verdicts => VERDICTS.iter().flat_map(|column| column.columns(facts)).collect(),
            Self::Issues => ISSUES.iter().map(|column| column.column.column()).collect(),
            Self::Rejects => REJECTS.to_vec(),
            Self::Rates => RATES.to_vec(),
            Self::Tools => TOOLS.to_vec(),
            Self::IssueTypes => ISSUE_TYPES.to_vec(),
            Self::Flips => FLIPS.to_vec(),
            Self::Groups => GROUPS.to_vec(),
            Self::Sweep => SWEEP.to_vec(),
            Self::StatsPatterns | Self::StatsFacts | Self::StatsFactors => stats::usages(),
            Self::StatsServers | Self::StatsSources => stats::slices(),
            Self::StatsOverlaps => stats::OVERLAPS.to_vec(),
            Self::StatsScores => stats::SCORES.to_vec(),
            Self::StatsCalibration => stats::CALIBRATION.to_vec(),
            Self::StatsMistakes => stats::MISTAKES.to_vec(),
            Self::StatsDrift => stats::DRIFT.to_vec(),
            Self::Counts => history::COUNTS.to_vec(),
            Self::PastCounts => history::past_counts(),
            Self::Trend => trend::POINTS.to_vec(),
            Self::TrendChanges => trend::CHANGES.to_vec(),
        }
    }
}
