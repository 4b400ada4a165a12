//! Deciding about what changed: accept it, reject it with a reason, or leave it for later.
//!
//! A [`Session`] holds two sides, what differs between them, and the decisions made. It never reads
//! or writes a file: every decision comes out as a [`LogLine`], and a session that is taken up again
//! is the replay of those lines. The command line shows it, on a screen or as a list of commands.

mod decision;
mod example;
mod label;
mod log;
mod rejection;
#[cfg(test)]
pub(crate) mod samples;
mod session;
mod subject;
mod words;

pub use decision::{Counts, Decision, State, What};
pub use example::{ExampleError, WantedExample, append_example};
pub use label::label_of;
pub use log::{About, Deed, LogError, LogLine, ReadLog, read_log};
pub use rejection::{Rejection, rejections};
pub use session::{Replayed, Session, Signature, Target};
pub use subject::{Material, Subject};
pub use words::{Row, rows};
