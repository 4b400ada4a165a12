//! Full screens: a frame with a list, a detail and a table of keys, that programs fill.

mod draw;
pub(super) mod fit;
mod frame;
mod keys;
mod list;
mod terminal;
#[cfg(test)]
pub(super) mod testing;

#[cfg(test)]
pub(super) use frame::Frame;
pub(super) use frame::{Program, Stage};
#[cfg(test)]
pub(super) use keys::check as check_keys;
pub(super) use keys::{Act, Key, Press, key};
pub(super) use list::{List, To, words};
pub(super) use terminal::{give_terminal_back, has_terminal, show};
