//! What a run leaves behind: tables, each written from one list of columns.

mod column;
mod csv;
mod encode;
mod legend;
mod parquet;
mod rows;
mod table;
mod texts;

pub use column::{Column, ColumnKind, Presence};
pub use csv::{Cell, CsvFile, harmless};
pub use encode::{EncodedRows, VerdictTables};
pub use legend::{FactName, Legend, Severities};
pub use parquet::{Cells, EncodedRowGroup, Encoder, ParquetFile};
pub use rows::{Row, VerdictBatch};
pub use table::{Table, TableFormat};
pub use texts::{Distinct, Texts};
