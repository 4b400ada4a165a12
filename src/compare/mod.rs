//! Two judgements of recordings held against each other: what changed, how, and by what cause.
//!
//! A [`Side`] is what was judged once, wherever it is kept. Exchanges of two sides are matched by
//! their keys, each match has one [`Kind`], and those that changed are gathered into groups that have
//! one [`Cause`] each.

mod cause;
mod collect;
mod comparison;
mod kind;
mod said;
mod side;

pub use cause::{Causes, cause_of, explain_all};
pub use collect::Collector;
pub use comparison::{
    Cause, CauseKind, Comparison, Example, Explanation, Flip, Group, Matched, Matrix, Origin,
    Overlap, Proof, RateChange,
};
pub use kind::{Answer, Kind, Standing};
pub use said::{Excerpt, Said, SchemaSaid, Span};
pub use side::{Entry, Header, Names, Side};
