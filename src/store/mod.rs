//! What a run leaves behind: tables, each written from one list of columns.

mod counts;
mod csv;
mod cube;
mod encode;
mod excerpts;
mod files;
mod folder;
mod gathered;
mod hybrid;
mod judged_reply;
mod lists;
mod manifest;
mod named;
mod outcomes;
mod parquet;
mod parquet_file;
mod read;
mod reader;
mod result_tables;
mod rows;
mod sessions;
mod specs;
mod table;
mod texts;
mod whole_file;
mod work_folder;

pub use counts::{ToolRules, write_counts};
pub use csv::{Cell, harmless};
pub use cube::{StoredCube, write_cube};
pub use encode::{EncodedRows, NamedRows, StoredIssue, VerdictTables};
pub use excerpts::{Excerpt, Kept, Mark, Span, keeps_text};
pub use files::{
    JoinedTables, PartOf, RecordingRow, TableFile, UnreadableRow, VerdictWriter, read_counted,
    write_counted,
};
pub use folder::{
    FolderError, MANIFEST, RULEBOOK, ReportError, RunFolder, SUMMARY, is_run, is_still,
};
pub use lists::{ListRow, Lists, why_unanswered, write_lists};
pub use manifest::{
    Bounds as BoundsByFlag, CheckFile, Comparable, Counts as ReadCounts, FORMAT,
    IssueLine as IssueCount, LadderRung, Manifest, OfProgram, OtherFile, Redaction, RulebookName,
    SessionCounts, Summary, ToolLine, Wall,
};
pub use named::{Legend, NamedSchema, NamedVerdict};
pub use outcomes::Outcomes;
pub use parquet::{Cells, Encoder};
pub use parquet_file::ParquetFile;
pub use read::Verdicts;
pub use reader::TableReader;
pub(crate) use result_tables::ResultTables;
pub use rows::{Row, SessionRow, VerdictBatch};
pub use sessions::{NoReport, SESSIONS, error_report, write_sessions};
pub use table::{Column, ColumnKind, Table, TableFormat};
pub use texts::{Distinct, Numbered, PlainColumn, TextColumn, Texts};
pub use whole_file::{file_beside, write_whole};
pub(crate) use work_folder::{Abandoned, WorkFolder, abandon_work};

#[cfg(test)]
pub(crate) mod tests;
