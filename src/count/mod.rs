//! The count cube of a run: how many exchanges have which value, by day, server, tool and scenario.

mod bound;
mod confidence;
mod counts;
mod cube;
mod dimension;
mod latency;
pub mod tally;

pub use confidence::Confidences;
pub use counts::{Counted, CountedIssue, CountedOnce, Counts, IssueCode, Unlisted, ValueNames};
pub use cube::{CountedGroups, Cube, CubeCells, CubeRow, Group, GroupRef, GroupSlot, OTHER};
pub use dimension::Dimension;
pub use latency::{Durations, Took, bucket_milliseconds, duration_bucket, milliseconds_words};
