//! What a column of a table is.

use std::borrow::Cow;

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
    Always,
    /// A row may have none (null in Parquet, an empty cell in CSV).
    Sometimes,
}
