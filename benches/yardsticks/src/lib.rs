//! What `tapecheck`'s speed is measured against.
//!
//! [`catalog`] and [`exchange`] make up a corpus of tool traffic from a seed, [`recording`] writes it in
//! the two line formats, [`blocks`] cuts a recording for the parsing floor, and [`guide`] judges the way
//! a first version would: every pattern on its own, on a lowercased copy.

pub mod blocks;
pub mod catalog;
pub mod exchange;
pub mod guide;
pub mod json;
pub mod prose;
pub mod random;
pub mod recording;
pub mod shape;
pub mod tally;
