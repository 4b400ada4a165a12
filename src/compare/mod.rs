//! Two judgements of recordings held against each other: what changed, how, and by what cause.
//!
//! A [`Side`] is what was judged once, wherever it is kept. Exchanges of two sides are matched by
//! their keys, each match has one [`Kind`], and those that changed are gathered into groups that have
//! one [`Cause`] each.

mod comparison;
mod kind;
mod matching;
mod read_run;
mod read_said;
mod said;
mod side;
mod side_error;

pub use comparison::{
    Cause, CauseKind, Comparison, Example, Explanation, Flip, Group, Matched, Matrix, Origin,
    Overlap, Proof, RateChange,
};
pub use kind::{Answer, Kind, Standing};
pub use matching::{Matching, match_sides};
pub use read_run::read_run;
pub use said::{Excerpt, Said, SchemaSaid, Span};
pub use side::{Entry, Header, Names, Side};
pub use side_error::SideError;
