//! Counts over a run that spill to disk beyond a bound, and intervals of shares.

mod interval;
mod sessions;
mod spill;
pub mod wire;

pub use interval::{Interval, Share, wilson};
pub use sessions::{
    FirstIssue, FirstIssueRef, NamedSession, SessionIssues, SessionSlot, Sessions, SortedSessions,
};
pub use spill::{Mergeable, Sorted, SpillError, SpillSpace, Spilling};
