//! Judges that are kept: one for each thread and rulebook.

use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use tapecheck::{Bounds, Judge, Rulebook, Schemas, Tool, read_call, read_definition};

/// Tools kept for a thread before it begins anew: their names come from calls, which may name any number.
const MOST_TOOLS: usize = 1_000;

/// A call as texts.
pub(crate) struct Call {
    pub(crate) tool: Named,
    pub(crate) arguments: Option<String>,
    pub(crate) reply: String,
}

/// How a tool is given.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Named {
    Name(String),
    Definition(String),
}

/// What is said of a call, in the words of its rulebook.
pub(crate) struct Words {
    pub(crate) outcome: &'static str,
    pub(crate) kind: Option<&'static str>,
    pub(crate) who: Option<&'static str>,
    pub(crate) retry: Option<&'static str>,
    pub(crate) certainty: Option<f64>,
    pub(crate) why: &'static str,
}

/// Why a call was not judged.
pub(crate) enum NotJudged {
    /// It, or the rulebook, cannot be read.
    Unreadable(String),
    /// An error of tapecheck.
    Panicked,
}

/// A rulebook stays loaded until the process ends, which names few of them.
#[derive(Clone, Copy)]
struct Loaded {
    rulebook: &'static Rulebook,
    schemas: &'static Schemas,
}

struct Judging {
    loaded: Loaded,
    judge: Judge<'static>,
    tools: HashMap<Named, Arc<Tool>>,
    bounds: Bounds,
}

/// Judges a call by a built-in rulebook or by one in a file.
pub(crate) fn judge(rulebook: &str, call: &Call) -> Result<Words, NotJudged> {
    thread_local! {
        static JUDGES: RefCell<HashMap<String, Judging>> = RefCell::default();
    }
    JUDGES.with_borrow_mut(|judges| {
        if !judges.contains_key(rulebook) {
            judges.insert(rulebook.to_owned(), Judging::by(loaded(rulebook)?));
        }
        let Some(judging) = judges.get_mut(rulebook) else { return Err(NotJudged::Panicked) };
        let judged = catch_unwind(AssertUnwindSafe(|| judging.judge(call)));
        judged.unwrap_or_else(|_| {
            judges.remove(rulebook);
            Err(NotJudged::Panicked)
        })
    })
}

fn loaded(name: &str) -> Result<Loaded, NotJudged> {
    static LOADED: Mutex<Vec<(String, Loaded)>> = Mutex::new(Vec::new());
    let mut known = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, loaded)) = known.iter().find(|(known, _)| known == name) {
        return Ok(*loaded);
    }
    let rulebook = Rulebook::load(name).map_err(|it| NotJudged::Unreadable(it.to_string()))?;
    let rulebook = &*Box::leak(Box::new(rulebook));
    let schemas = &*Box::leak(Box::new(Schemas::new(rulebook.schema.clone())));
    let loaded = Loaded { rulebook, schemas };
    known.push((name.to_owned(), loaded));
    Ok(loaded)
}

impl Judging {
    fn by(loaded: Loaded) -> Self {
        let judge = Judge::new(loaded.rulebook, loaded.schemas);
        Self { loaded, judge, tools: HashMap::new(), bounds: Bounds::default() }
    }

    fn judge(&mut self, call: &Call) -> Result<Words, NotJudged> {
        let tool = self.tool(&call.tool).map_err(NotJudged::Unreadable)?;
        let exchange = read_call(&tool, call.arguments.as_deref(), &call.reply, &self.bounds);
        let verdict = self.judge.judge(&exchange.map_err(NotJudged::Unreadable)?);
        let brief = self.loaded.rulebook.brief(&verdict.conclusion);
        Ok(Words {
            outcome: brief.outcome.name(),
            kind: brief.kind.map(|kind| kind.name),
            who: brief.kind.map(|kind| kind.who.name()),
            retry: brief.kind.map(|kind| kind.retry.name()),
            certainty: brief.certainty,
            why: brief.why,
        })
    }

    fn tool(&mut self, named: &Named) -> Result<Arc<Tool>, String> {
        if let Some(tool) = self.tools.get(named) {
            return Ok(Arc::clone(tool));
        }
        let tool = Arc::new(match named {
            Named::Name(name) => Tool::named(name),
            Named::Definition(text) => read_definition(text, &self.bounds)?,
        });
        if self.tools.len() >= MOST_TOOLS {
            self.tools.clear();
        }
        self.tools.insert(named.clone(), Arc::clone(&tool));
        Ok(tool)
    }
}
