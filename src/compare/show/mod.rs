//! A comparison as people and programs read it.

mod json;
mod marked;
mod sections;
mod tables;
mod words;

#[cfg(test)]
mod tests;

pub use json::{FORMAT, as_json};
pub use marked::{Piece, When, Window, pieces, texts, window};
pub use sections::{MOST_BYTES, as_markdown, flip_line};
pub(crate) use sections::{durations, head_of, sections};
pub use tables::write_tables;
pub use words::{
    cause_words, differences, headline, labels_of, moved, overlap_words, said, transition,
    unreadable_files_words, what_changed, why,
};
