//! The old name of [`crate::store`], until every module asks for it by its new one.

pub use crate::store::*;
