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
mod number;
pub(crate) mod sarif;
mod section;
mod table;
pub(crate) mod text;

pub(crate) use cell::Cell;
pub(crate) use line::{Line, Style, Tone};
pub(crate) use number::{bar, percent, points};
pub(crate) use section::{Block, Field, Item, Section};
pub(crate) use table::{Align, Column, Table};
