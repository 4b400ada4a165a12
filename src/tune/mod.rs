//! A better rulebook proposed from labelled exchanges: phrases that tell the classes apart on several
//! servers, numbers, and what to leave out.
//!
//! Everything that is chosen is chosen without the servers that it is measured on, and phrases
//! are weighed by what they say of servers on which they were not found.

mod chance;
mod change;
mod classifier;
mod examples;
mod folds;
mod gather;
mod grams;
mod learn;
mod measure;
mod mine;
mod note;
mod overlay;
mod rank;
mod reply;
mod seen;
mod study;
mod too_little;
mod variants;

pub use change::{Change, Variation, Veto};
pub use classifier::Classifier;
pub use examples::{Breaking, breaking, breaking_inherited};
pub use folds::{Fold, Split, SplitError, split};
pub use gather::{GatherError, gather};
pub use grams::Grams;
pub use learn::{Learned, Learner};
pub use measure::{FEWEST_SERVERS, Finding, Gain, Means, Measured, Outcome};
pub use mine::{Evidence, Phrase, Support};
pub use note::Noted;
pub(crate) use note::{evidence, likelihood};
pub use overlay::Overlay;
pub use reply::{Asked, LabelledReply, Replies};
pub use seen::Seen;
pub use study::{FoldResult, Plan, Study, Yardstick, study};
pub use too_little::{TooLittle, enough};
pub use variants::{Count, Variant};

/// The format of a tuning as JSON.
pub const FORMAT: &str = "tapecheck-tune/1";
