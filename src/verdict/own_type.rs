//! Issue types that rulebooks and contracts add to the table.

use super::{Category, IssueType, Side};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
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

/// All own types of this process: few, as people write them; an issue has its type by reference.
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

/// An issue type so that a process that loaded no rulebook or contract knows it too.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written<'a> {
    Listed(Cow<'a, str>),
    Own {
        name: Cow<'a, str>,
        about: Cow<'a, str>,
        side: Side,
        /// Name, label and words of its category.
        category: [Cow<'a, str>; 3],
    },
}

impl Serialize for IssueType {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let written = match self {
            Self::Own(OwnType {
                name,
                about,
                side,
                category: Category { name: of, label, words, .. },
            }) => Written::Own {
                name: name.into(),
                about: about.into(),
                side: *side,
                category: [of.into(), label.into(), words.into()],
            },
            listed => Written::Listed(listed.name().into()),
        };
        written.serialize(to)
    }
}

impl<'de> Deserialize<'de> for IssueType {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let written = Written::deserialize(from)?;
        Ok(match written {
            Written::Listed(name) => {
                Self::ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| {
                    serde::de::Error::custom(format!("no issue type is called {name}"))
                })?
            }
            Written::Own { name, about, side, category: [of, label, words] } => {
                let category =
                    Category::named(&of).unwrap_or_else(|| Category::own(&of, &label, &words));
                OwnType { name: name.into(), about: about.into(), side, category }.into_type()
            }
        })
    }
}
