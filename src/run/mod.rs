//! A rulebook over a corpus, and the folder it leaves behind.

mod folder;
mod manifest;

pub use folder::{FolderError, RunFolder};
pub use manifest::{
    Bounds, Comparable, Counts, FORMAT, Manifest, RulebookName, Summary, ToolLine, Wall,
};
