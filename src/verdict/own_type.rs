//! Issue types that rulebooks and contracts add to the table.

use super::{Category, IssueType, Side};
use std::sync::{Mutex, PoisonError};

/// An issue type that a rulebook or contract names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnType {
    pub name: String,
    /// What it means, in a sentence.
    pub about: String,
    pub side: Side,
    pub category: &'static Category,
}

/// Every own type of this process. They come from files that people write, so that there are few, and an
/// issue has its type by reference.
static KNOWN: Mutex<Vec<&'static OwnType>> = Mutex::new(Vec::new());

impl OwnType {
    /// The issue type that stands for this one; equal ones are the same.
    #[must_use]
    pub fn into_type(self) -> IssueType {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().copied().find(|own| **own == self).unwrap_or_else(|| {
            let own: &'static Self = Box::leak(Box::new(self));
            known.push(own);
            own
        });
        IssueType::Own(found)
    }

    /// The first that was given this name.
    #[must_use]
    pub fn named(name: &str) -> Option<IssueType> {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().copied().find(|own| own.name == name).map(IssueType::Own)
    }
}
