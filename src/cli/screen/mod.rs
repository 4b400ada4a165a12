//! Full screens: a frame with a list, a detail and a table of keys, that programs fill.

mod draw;
pub(super) mod fit;
mod frame;
mod terminal;
#[cfg(test)]
pub(super) mod testing;

#[cfg(test)]
pub(super) use frame::Frame;
#[cfg(test)]
pub(super) use frame::check as check_keys;
pub(super) use frame::{Act, End, Key, List, Press, Program, Stage, View, key, words};
pub(super) use terminal::{give_terminal_back, has_terminal, show};
