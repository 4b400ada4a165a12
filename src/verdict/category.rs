//! The categories of issues, and which issue types belong to them.

use super::IssueType;
use serde::Deserialize;
use std::sync::{LazyLock, Mutex, PoisonError};

/// A kind of issue as session reports name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Category {
    /// Its place among all, in which summaries name them; those of files come last.
    #[serde(skip)]
    place: usize,
    /// The name that programs compare.
    pub name: String,
    /// The label that people read.
    pub label: String,
    /// How the one-line summary speaks of it.
    pub words: String,
    #[serde(default)]
    types: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    category: Vec<Category>,
}

static CATEGORIES: LazyLock<Vec<Category>> = LazyLock::new(|| {
    let table: Table = toml::from_str(include_str!("categories.toml")).expect("a test reads it");
    let placed = |(place, category)| Category { place, ..category };
    table.category.into_iter().enumerate().map(placed).collect()
});

/// The category of each issue type of the table.
static BY_TYPE: LazyLock<Vec<&'static Category>> = LazyLock::new(|| {
    let holds = |category: &&Category, kind: &IssueType| {
        category.types.iter().any(|name| name == kind.name())
    };
    let found = |kind| CATEGORIES.iter().find(|category| holds(category, kind));
    IssueType::ALL.iter().map(|kind| found(kind).unwrap_or_else(|| other())).collect()
});

/// The category of what stands in no other.
fn other() -> &'static Category {
    &CATEGORIES[CATEGORIES.len() - 1]
}

/// The categories that rulebooks and contracts add.
static OWN: Mutex<Vec<&'static Category>> = Mutex::new(Vec::new());

impl Category {
    /// All categories of the table, in the order in which summaries name them.
    pub fn all() -> &'static [Self] {
        &CATEGORIES
    }

    pub fn of(kind: IssueType) -> &'static Self {
        match kind {
            IssueType::Own(own) => own.category,
            listed => listed.place().map_or_else(other, |place| BY_TYPE[place]),
        }
    }

    /// The category of a file with this name, label and words; equal ones are the same.
    pub fn own(name: &str, label: &str, words: &str) -> &'static Self {
        let own = Self {
            place: CATEGORIES.len(),
            name: name.to_owned(),
            label: label.to_owned(),
            words: words.to_owned(),
            types: Vec::new(),
        };
        let mut known = OWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().copied().find(|category| **category == own).unwrap_or_else(|| {
            let own: &'static Self = Box::leak(Box::new(own));
            known.push(own);
            own
        })
    }

    pub fn named(name: &str) -> Option<&'static Self> {
        CATEGORIES.iter().find(|category| category.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_issue_type_stands_in_exactly_one_category() {
        for kind in IssueType::ALL {
            let held = |category: &&Category| category.types.iter().any(|name| name == kind.name());
            let found: Vec<&str> =
                Category::all().iter().filter(held).map(|category| &*category.name).collect();
            assert_eq!(found.len(), 1, "{} stands in {found:?} of categories.toml", kind.name());
            assert_eq!(Category::of(*kind).name, found[0]);
        }
    }

    #[test]
    fn names_of_categories_are_distinct_and_find_them() {
        for category in Category::all() {
            assert_eq!(
                Category::named(&category.name).map(|found| &found.label),
                Some(&category.label)
            );
        }
        assert!(Category::named("weather").is_none());
    }

    #[test]
    fn the_documented_categories_have_their_labels() {
        let label = |name| Category::named(name).map(|category| category.label.as_str());
        assert_eq!(label("schema_validation"), Some("Field Validation Error"));
        assert_eq!(label("task_integrity"), Some("Task State Error"));
        for name in ["parse", "content_extraction", "json_recovery"] {
            assert!(label(name).is_some(), "{name} is missing");
        }
    }

    #[test]
    fn the_document_lists_every_category() {
        let document = include_str!("../../docs/session-reports.md");
        for Category { name, label, .. } in Category::all() {
            let row = format!("| `{name}` | {label} |\n");
            assert!(document.contains(&row), "docs/session-reports.md lacks: {row}");
        }
    }
}
