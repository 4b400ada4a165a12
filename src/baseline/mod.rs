//! Accepted verdicts: as text that people review, or, of large collections, as a Parquet file.

mod counts;
mod earlier;
mod error;
mod header;
mod model;
mod read;
mod read_text;
mod spell;
mod text;
mod verdict_text;

#[cfg(test)]
mod text_tests;

pub use counts::Counts;
pub use error::{BaselineError, Wrong};
pub use model::{Baseline, Ids, Version, is_plainly_fine, verdict};
pub use read::read;
