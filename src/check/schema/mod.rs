//! Holds JSON against a tool's output schema.
//!
//! A schema is compiled once per distinct text and run ([`Schemas`]). Most replies conform and most
//! schemas are simple, so a small program walks the reply's text first and says
//! "accepted" or "unsure"; only the unsure ones are built into a tree and given to the full
//! validator, which alone may call a reply invalid. Nothing here ever opens a file or a connection,
//! and every schema and every check has a bound.

mod budget;
mod compiled;
mod guard;
mod message;
mod program;
#[cfg(test)]
mod tests;

pub use compiled::CompiledSchema;
pub(super) use message::with_article;

use crate::rulebook::SchemaRule;
use hashbrown::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// How many bytes of schema text are kept before all are dropped: hostile recordings could name any number.
const KEPT_BYTES: usize = 16 << 20;
/// What keeping a schema costs beside its text, so that tiny schemas are bounded too.
const ENTRY_COST: usize = 1 << 10;

/// Compiled schemas by their text, shared by all threads.
#[derive(Debug)]
pub struct Schemas {
    rule: SchemaRule,
    kept: RwLock<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    by_text: HashMap<Box<str>, Arc<CompiledSchema>>,
    bytes: usize,
}

impl Schemas {
    pub fn new(rule: SchemaRule) -> Self {
        Self { rule, kept: RwLock::default() }
    }

    pub fn get(&self, schema_text: &str) -> Arc<CompiledSchema> {
        let known = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(compiled) = known.by_text.get(schema_text) {
            return Arc::clone(compiled);
        }
        drop(known);
        // Compiling outside the lock may do the work twice, but it never makes a thread wait.
        let compiled = Arc::new(CompiledSchema::compile(schema_text, &self.rule));
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        if kept.bytes > KEPT_BYTES {
            *kept = Kept::default();
        }
        // The first of two equal ones stays.
        let Kept { by_text, bytes } = &mut *kept;
        Arc::clone(by_text.entry(schema_text.into()).or_insert_with(|| {
            *bytes += schema_text.len() + ENTRY_COST;
            compiled
        }))
    }
}
