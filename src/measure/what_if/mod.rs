//! What another choice of values would make of a run, told from what was observed: no recording is
//! read.

mod effect;
mod show;
mod sweep;

pub use effect::{Accuracy, Effect, Paired, Reason};
pub(crate) use show::{effect_sections, sweep_section};
pub use sweep::{Plateau, Point, RangeError, Sweep, SweepError, sweep, values};

/// Marks the JSON object of what would be, with the version of its members.
pub const FORMAT: &str = "tapecheck-what-if/2";
