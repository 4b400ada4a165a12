//! What a rulebook's verdicts are worth, by what people say the truth is.
//!
//! [`Observations`] hold what was observed of each different verdict of a side, so that any choice of
//! weights, thresholds and patterns can be asked what it makes of it without a recording. [`Item`]s are
//! the labelled exchanges, and a [`Confusion`] counts what was said of them.

mod confusion;
mod item;
mod observations;
mod patterns;

pub use crate::count::tally::Share;
pub use confusion::Confusion;
pub use item::{Item, items};
pub use observations::{NotObserved, Observations};
pub use patterns::Patterns;
