//! `tapecheck review`, `accept` and `reject`: deciding about what changed.

mod detail;
mod draw;
#[cfg(test)]
mod draw_tests;
mod fit;
mod look;
mod show;
