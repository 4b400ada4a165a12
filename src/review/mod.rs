//! Deciding about what changed: accept it, reject it with a reason, or leave it for later.
//!
//! A [`Session`] holds two sides, what differs between them, and the decisions made. It never reads
//! or writes a file: every decision comes out as a [`LogLine`], and a session that is taken up again
//! is the replay of those lines. A [`Screen`] is the session with a place in it, moved by keys; the
//! command line draws it.

mod decision;
mod example;
mod keys;
mod label;
mod log;
mod rejection;
#[cfg(test)]
pub(crate) mod samples;
mod screen;
#[cfg(test)]
mod screen_tests;
mod scroll;
mod session;
mod subject;
mod words;

pub use decision::{Counts, Decision, State, What};
pub use example::{ExampleError, WantedExample, append_example};
pub use keys::{Act, KEYS, KeyRow, Press, act_of, key_row};
pub use label::label_of;
pub use log::{About, Deed, LogError, LogLine, ReadLog, read_log};
pub use rejection::{Rejection, rejections};
pub use screen::{Ask, End, Outcome, Place, Screen};
pub use scroll::Scroll;
pub use session::{Replayed, Session, Signature, Target};
pub use subject::{Material, Subject};
pub use words::{Row, change_words, rows, standing_words};
