//! Holds JSON against a tool's output schema.
//!
//! A schema is compiled once per distinct text and run ([`Schemas`]). Most replies conform and most
//! schemas are simple, so a small program walks the reply's text first and says
//! "accepted" or "unsure"; only the unsure ones are built into a tree and given to the full
//! validator, which alone may call a reply invalid. Nothing here ever opens a file or a connection,
//! and every schema and every check has a bound.

mod budget;
mod cache;
mod compiled;
mod dialect;
mod guard;
mod message;
mod pattern;
mod places;
mod program;
#[cfg(test)]
mod tests;

pub use cache::Schemas;
pub use compiled::CompiledSchema;
pub(super) use message::with_article;
