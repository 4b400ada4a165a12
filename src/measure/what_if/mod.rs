//! What another choice of values would make of a run, told from what was observed: no recording is
//! read.

mod effect;
mod json;
mod paired;
mod range;
mod sections;
mod sweep;
mod tables;

pub use effect::{Accuracy, Effect, Reason};
pub use json::{FORMAT, accuracy_json, reasons_json, sweep_json};
pub use paired::Paired;
pub use range::{Range, RangeError};
pub(crate) use sections::{effect_sections, sweep_section};
pub use sweep::{Plateau, Point, Sweep, SweepError, sweep};
pub use tables::write_sweep;
