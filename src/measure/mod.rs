//! What verdicts are worth: [`accuracy`] by labels, [`stats`] of what matches and how right it is, [`what_if`] a run
//! had been judged with other values, [`fit`] the values that labels ask for, and which call to label [`next`].

pub mod accuracy;
pub mod fit;
pub mod next;
pub mod stats;
pub mod what_if;
