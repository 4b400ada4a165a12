//! Labelling: which exchanges are most worth a label, and asking somebody about one after the other.
//!
//! [`Brink`] tells how little would flip a verdict, a [`Sketch`] how much one text is like another, and
//! [`choose`] picks questions by both, spread over servers. A [`Sheet`] is the questions with a place in
//! them: keys go in, answers come out. It draws nothing.

mod brink;
mod choose;
mod page;
mod pool;
mod sheet;
mod sketch;

pub use brink::{Brink, Why, brinks};
pub use choose::{Candidate, Chosen, Known, Question, choose};
pub use page::Page;
pub use pool::{Pool, pool};
pub use sheet::{Act, Answered, Effect, KEYS, Sheet};
pub use sketch::Sketch;
