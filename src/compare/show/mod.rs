//! A comparison as people and programs read it.

mod json;
mod markdown;
mod marked;
mod tables;
mod text;
mod words;

#[cfg(test)]
mod tests;

pub use json::{FORMAT, as_json};
pub use markdown::{MOST_BYTES, as_markdown};
pub use marked::{Piece, When, Window, pieces, texts, window};
pub use tables::write_tables;
pub use text::{as_text, flip_line};
pub use words::{cause_words, differences, overlap_words, rejected_files_words, transition};
