//! Accepted verdicts, kept as text that people review.

mod accept;
mod changes;
mod counts;
mod error;
mod file;
mod model;
mod of_run;
mod origin;
mod place;
mod writing;

#[cfg(test)]
mod tests;

pub use accept::apply;
pub use changes::{Change, Changes, Moved, changes};
pub use counts::Counts;
pub use error::{BaselineError, Wrong};
pub use file::{FORMAT, Head, peek, read};
pub use model::{Baseline, verdict};
pub use origin::Origin;
pub use place::{Place, kept_rulebook, only_place, places, rulebook_file, unused_rulebooks};
pub use writing::{SnapshotsLock, forget_pending, keep_rulebook, remove};
