//! Labelling: which exchanges are most worth a label.
//!
//! [`Doubt`] tells how sure a verdict is and how little would flip it, a [`Sketch`] how much one text is like another, and
//! `choose` picks questions by both, spread over servers.

mod choose;
mod doubt;
mod page;

pub use choose::{Candidate, Chosen, Known, Question, choose};
pub use doubt::{Doubt, Pool, doubts, pool};
pub use page::{Page, Sketch};
