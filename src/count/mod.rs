//! The count cube of a run: how many exchanges have which value, by day, server, tool and scenario.

mod confidence;
mod counts;
mod cube;
mod dimension;
pub mod tally;
mod unlisted;

pub use confidence::Confidences;
pub use counts::{Counted, Counts, IssueCode, Judged, Marks, ValueNames, duration_bucket};
pub use cube::{Cube, CubeRow, Group, GroupRef, OTHER, Slot, rows};
pub use dimension::{Dimension, DimensionSpec};
pub use unlisted::Unlisted;
