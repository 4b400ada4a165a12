//! What full screens share: text that fits, what stands out, and a terminal that takes keys.

pub(super) mod fit;
pub(super) mod look;
mod terminal;

pub(super) use terminal::{Input, broken, has_terminal, next_input, with_terminal};
