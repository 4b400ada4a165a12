//! Accepted verdicts, kept as text that people review.

mod accept;
mod changes;
mod counts;
mod error;
mod header;
mod model;
mod of_run;
mod origin;
mod peek;
mod place;
mod read;
mod read_text;
mod seal;
mod spell;
mod text;
mod verdict_text;
mod wrap;
mod writing;

#[cfg(test)]
mod text_tests;

pub use accept::apply;
pub use changes::{Change, Changes, Moved, changes};
pub use counts::Counts;
pub use error::{BaselineError, Wrong};
pub use model::{Baseline, verdict};
pub use of_run::both_of_run;
pub use origin::Origin;
pub use peek::{Peek, peek};
pub use place::{Place, kept_rulebook, only_place, places, rulebook_file, unused_rulebooks};
pub use read::read;
pub use text::GRAMMAR;
pub use writing::{SnapshotsLock, forget_pending, keep_rulebook, remove};
