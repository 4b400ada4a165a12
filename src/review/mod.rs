//! Deciding about what changed: accept it, reject it with a reason, or leave it for later.
//!
//! A [`Session`] holds two sides, what differs between them, and the log of decisions: what was decided is
//! what the log says. It never reads or writes a file. The command line shows it, on a screen or as a list
//! of commands.

mod example;
mod log;
mod session;
mod subject;
#[cfg(test)]
pub(crate) mod testing;
mod words;

pub use example::{WantedExample, append_example, label_of};
pub use log::{About, Deed, LogLine, read_log};
pub use session::{Session, Signature};
pub use subject::{Call, Counts, Decision, Material, State, Subject, Target, What};
pub use words::{Row, rows};
