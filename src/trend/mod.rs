//! Many nights: series with intervals, and what changed.

mod all_series;
mod build;
mod chance;
mod correction;
mod counts;
mod evidence;
mod follow;
mod gather;
pub mod history;
mod marks;
mod model;
mod presence;
mod rolling;
mod settings;
pub mod show;
#[cfg(test)]
mod tests;

pub use build::NightlyCounts;
pub use model::{
    Change, Difference, Direction, Mark, Moved, NightRow, NightlyDurations, Point, Presence,
    PresenceKind, Series, Trend,
};
pub use settings::{By, Settings};
