//! What people read, before it is text, Markdown or HTML.
//!
//! The room that owns a result builds it once, as a [`Section`]; the writers lay it out and escape it. No
//! text in a model is escaped: a writer does that for its target.

mod cell;
pub(crate) mod escape;
pub(crate) mod html;
pub(crate) mod junit;
mod line;
pub(crate) mod markdown;
mod markup;
pub(crate) mod sarif;
mod section;
#[cfg(test)]
mod tests;
pub(crate) mod text;

pub(crate) use cell::{Cell, bar, percent, points};
pub(crate) use line::{Line, Style, Tone};
pub(crate) use section::{Align, Block, Column, Field, Item, Section, Table};
