//! Many nights: series with intervals, and what changed.

mod model;

pub use model::{Change, Direction, Mark, Moved, Night, Point, Presence, Series, Trend};
