//! What sessions amount to, and intervals of shares.

mod interval;
mod sessions;

pub use interval::{Interval, Share, wilson};
pub use sessions::{AllSessions, FirstIssue, SessionIssues, Sessions};
