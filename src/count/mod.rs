//! The count cube of a run: how many exchanges have which value, by day, server, tool and scenario.

mod confidence;
mod counts;
mod cube;
mod dimension;
mod file;
pub mod tally;
mod unlisted;

pub use confidence::Confidences;
pub use counts::{Counted, Counts, IssueCode, Judged, ValueNames, duration_bucket};
pub use cube::{Cube, Group, GroupRef, OTHER, Slot, rows};
pub use dimension::Dimension;
pub use file::{CubeFile, CubeRow, StoredCube, write_cube};
pub use unlisted::Unlisted;
