//! What is described once and used often: types, schema files and patterns. Each is read once, so its
//! mistakes are told once; and what they describe together, once they stand where they are used, is
//! bounded.

use super::super::model::{Presence, Spec};
use crate::expression::Pattern;
use crate::rulebook::problem::{Mark, Problems};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many values a contract may describe.
const MOST: usize = 20_000;
/// So many bytes of texts count as a value.
const TEXT: usize = 256;
/// A pattern counts as so many values: it takes time to compile.
const PATTERN: usize = 40;

#[derive(Clone, Default)]
pub(super) struct Described {
    pub(super) spec: Spec,
    pub(super) presence: Presence,
    /// How many levels lie below it, those of the types that it uses included.
    pub(super) height: usize,
}

/// Where a description is that may be used in many places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    Type,
    File,
}

/// What is known of such a description.
#[derive(Clone)]
pub(super) enum State {
    Begun,
    Wrong,
    Known(Rc<Described>),
}

#[derive(Default)]
pub(super) struct Shared {
    read: RefCell<BTreeMap<(Origin, String), State>>,
    patterns: RefCell<BTreeMap<String, Result<Pattern, String>>>,
    values: Cell<usize>,
}

impl Shared {
    /// Reads what has this name, unless it was read before.
    pub(super) fn learn(
        &self,
        origin: Origin,
        name: &str,
        read: impl FnOnce() -> Option<Described>,
    ) -> State {
        let key = (origin, name.to_owned());
        let known = self.read.borrow().get(&key).cloned();
        known.unwrap_or_else(|| {
            self.read.borrow_mut().insert(key.clone(), State::Begun);
            let state = read().map_or(State::Wrong, |described| State::Known(Rc::new(described)));
            self.read.borrow_mut().insert(key, state.clone());
            state
        })
    }

    /// What has this name, to be put in where it is used.
    pub(super) fn put_in(
        &self,
        origin: Origin,
        name: &str,
        state: State,
        mark: Mark,
        problems: &Problems,
    ) -> Option<Described> {
        match state {
            State::Known(described) => {
                let fits = self.charge(size(&described.spec), mark, problems);
                fits.then(|| Described::clone(&described))
            }
            State::Wrong => None,
            State::Begun => {
                let what = match origin {
                    Origin::Type => "type",
                    Origin::File => "schema file",
                };
                problems.error(mark, format!("the {what} `{name}` contains itself"));
                None
            }
        }
    }

    /// Compiles a pattern; one that was used before costs nothing.
    pub(super) fn pattern(&self, source: &str, mark: Mark, problems: &Problems) -> Option<Pattern> {
        let known = self.patterns.borrow().get(source).cloned();
        let compiled = match known {
            Some(compiled) => compiled,
            None if self.charge(PATTERN, mark, problems) => {
                let compiled = Pattern::compile(source);
                self.patterns.borrow_mut().insert(source.to_owned(), compiled.clone());
                compiled
            }
            None => return None,
        };
        let found = |reason| problems.error(mark, format!("this pattern cannot be used: {reason}"));
        compiled.map_err(found).ok()
    }

    /// Counts values; false where there are too many of them, which is told once.
    pub(super) fn charge(&self, values: usize, mark: Mark, problems: &Problems) -> bool {
        let before = self.values.get();
        let after = before.saturating_add(values);
        self.values.set(after);
        if before <= MOST && after > MOST {
            let message =
                format!("with its types expanded, this contract describes more than {MOST} values");
            problems.error(mark, message);
        }
        after <= MOST
    }
}

/// What so many bytes of text count as.
pub(super) fn text_size(bytes: usize) -> usize {
    bytes / TEXT
}

/// How many values a description counts as. It is only as deep as descriptions may be.
fn size(spec: &Spec) -> usize {
    let allowed = spec.allowed.iter().flatten().map(|value| value.to_string().len() + 8);
    let messages = spec.messages.iter().map(|(_, text)| text.len() + 8);
    let names = spec.properties.iter().map(|property| property.name.len());
    let expected = spec.expected.as_ref().map_or(0, String::len);
    let bytes = allowed.chain(messages).chain(names).sum::<usize>() + expected;
    let items = spec.items.as_deref().map_or(0, size);
    let properties = spec.properties.iter().map(|property| size(&property.spec)).sum::<usize>();
    1 + text_size(bytes) + items + properties
}
