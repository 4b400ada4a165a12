//! What a column of a table is.

use std::borrow::Cow;

/// One column: the CSV header, the Parquet schema and the documentation come from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: Cow<'static, str>,
    pub kind: ColumnKind,
    /// Whether cells may be empty.
    pub presence: Presence,
    /// What it means, in one sentence.
    pub about: Cow<'static, str>,
}

/// What the cells of a column hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Text,
    /// True or false.
    Bool,
    /// A whole number of 64 bits.
    Int,
    /// A floating-point number of 64 bits.
    Float,
}

impl ColumnKind {
    /// The name used in the documentation.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
        }
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
