//! A rulebook as it is written: TOML with every value's place kept, so that whatever turns out to be
//! wrong with it can be pointed at, and files that extend others merged before anything is compiled.

mod extend;
mod merge;
mod node;
mod section;

pub(crate) use extend::read_within;
pub(super) use extend::{Origin, Read, read, read_file};
pub(crate) use node::{Entry, Node, Value};
pub(crate) use section::{Section, elements_of, texts_of, word, word_among};
