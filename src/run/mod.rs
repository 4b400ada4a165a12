//! A rulebook over a corpus, and the folder it leaves behind.

mod drive;
mod engine;
mod examples;
mod find;
mod folder;
mod manifest;
mod ordered;
mod totals;

pub use drive::DriveError;
pub use engine::{Emit, Observer, RunError, RunPlan};
pub use examples::{Mismatch, run_examples};
pub use find::{Located, Wanted, find_exchange};
pub use folder::{FolderError, RunFolder};
pub use manifest::{
    Bounds, Comparable, Counts, FORMAT, Manifest, RulebookName, Summary, ToolLine, Wall,
};
pub use totals::{CorpusDigest, Totals};
