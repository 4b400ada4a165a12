//! What is described once and used often: types and schema files. Each is read once, so its mistakes are told once; and
//! what they describe together, once they stand where they are used, is bounded.

use super::super::model::Spec;
use crate::rulebook::problem::{Mark, Problems};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many values a contract may describe.
const MOST: usize = 20_000;
/// So many bytes of texts count as a value.
const TEXT: usize = 256;

#[derive(Clone, Default)]
pub(super) struct Described {
    pub(super) spec: Spec,
    pub(super) is_required: bool,
    /// How many levels lie below it, those of the types that it uses included.
    pub(super) height: usize,
}

/// What is known of a description that may be used in many places.
#[derive(Clone)]
enum State {
    Begun,
    Wrong,
    Known(Rc<Described>),
}

#[derive(Default)]
pub(super) struct Shared {
    /// By what they are: "type `x`".
    read: RefCell<BTreeMap<String, State>>,
    values: Cell<usize>,
}

impl Shared {
    /// Reads a type or file, unless it was read before.
    pub(super) fn learn(&self, what: &str, read: impl FnOnce() -> Option<Described>) {
        if !self.read.borrow().contains_key(what) {
            self.read.borrow_mut().insert(what.to_owned(), State::Begun);
            let state = read().map_or(State::Wrong, |described| State::Known(Rc::new(described)));
            self.read.borrow_mut().insert(what.to_owned(), state);
        }
    }

    /// A type or file that was read, to be put in where it is used.
    pub(super) fn put_in(&self, what: &str, mark: Mark, problems: &Problems) -> Option<Described> {
        let state = self.read.borrow().get(what).cloned();
        match state {
            Some(State::Known(described)) => {
                let fits = self.charge(size(&described.spec), mark, problems);
                fits.then(|| Described::clone(&described))
            }
            Some(State::Begun) => {
                problems.error(mark, format!("the {what} contains itself"));
                None
            }
            Some(State::Wrong) | None => None,
        }
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
