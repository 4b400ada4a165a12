//! A comparison as people and programs read it.

mod marked;
mod rows;
mod sections;
mod words;

#[cfg(test)]
mod tests;

pub use marked::{Piece, Window, pieces, texts, window};
pub use rows::{as_json, write_tables};
pub use sections::{MOST_BYTES, as_markdown, flip_line};
pub(crate) use sections::{durations, head_of, sections};
pub(crate) use words::shown_kinds;
pub use words::{
    cause_words, differences, headline, labels_of, moved, overlap_words, transition,
    unreadable_files_words, what_changed, why,
};
