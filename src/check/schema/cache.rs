//! The schemas of a run, each compiled once.

use super::CompiledSchema;
use crate::rulebook::SchemaRule;
use hashbrown::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// How many bytes of schema text one generation holds before it becomes the old one.
const GENERATION_BYTES: usize = 8 << 20;
/// What keeping a schema costs beside its text, so that tiny schemas are bounded too.
const ENTRY_COST: usize = 1 << 10;

/// Compiled schemas by their text, shared by all threads.
///
/// Two generations bound the memory: when the young one is full it becomes the old one, and what
/// nobody asks for again is dropped with it.
#[derive(Debug)]
pub struct Schemas {
    rule: SchemaRule,
    shelves: RwLock<Shelves>,
}

#[derive(Debug, Default)]
struct Shelves {
    young: HashMap<Box<str>, Arc<CompiledSchema>>,
    old: HashMap<Box<str>, Arc<CompiledSchema>>,
    young_bytes: usize,
}

impl Schemas {
    /// An empty collection for schemas read under `rule`.
    pub fn new(rule: SchemaRule) -> Self {
        Self { rule, shelves: RwLock::default() }
    }

    /// The compiled form of a schema's JSON text.
    pub fn get(&self, schema_text: &str) -> Arc<CompiledSchema> {
        let kept = {
            let shelves = self.shelves.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(compiled) = shelves.young.get(schema_text) {
                return Arc::clone(compiled);
            }
            shelves.old.get(schema_text).map(Arc::clone)
        };
        // Compiling outside the lock may do the work twice, but it never makes a thread wait.
        let compiled =
            kept.unwrap_or_else(|| Arc::new(CompiledSchema::compile(schema_text, &self.rule)));
        let mut shelves = self.shelves.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(shelves.keep(schema_text, compiled))
    }
}

impl Shelves {
    /// Keeps a schema among the young ones; the first of two equal ones stays.
    fn keep(&mut self, text: &str, compiled: Arc<CompiledSchema>) -> &Arc<CompiledSchema> {
        if self.young_bytes > GENERATION_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        let bytes = &mut self.young_bytes;
        self.young.entry(text.into()).or_insert_with(|| {
            *bytes += text.len() + ENTRY_COST;
            compiled
        })
    }
}
