//! The count cube of a run: how many exchanges have which value, by day, server, tool and scenario.

mod confidence;
mod counts;
mod cube;
mod dimension;
mod latency;
pub mod tally;
mod unlisted;

pub use confidence::Confidences;
pub use counts::{Counted, Counts, IssueCode, Judged, Marks, ValueNames};
pub use cube::{
    CountedGroups, Cube, CubeCells, CubeRow, Group, GroupRef, OTHER, Slot, TooManyTypes,
};
pub use dimension::{Dimension, DimensionSpec};
pub use latency::{Durations, Took, bucket_milliseconds, duration_bucket, milliseconds_words};
pub use unlisted::Unlisted;
