//! Issue types and categories that rulebooks and contracts add.

use super::problem::{Mark, Problems, did_you_mean};
use super::source::{Entry, Section};
use crate::verdict::{Category, IssueType, OwnType, Side};

/// Longest name of a type or a category, in bytes.
const LONGEST_NAME: usize = 64;

const UNDESCRIBED: &str = "An issue type of a rulebook or contract, which does not describe it.";

/// The issue types and categories that a file describes.
pub(crate) struct IssueTypes {
    types: Vec<IssueType>,
}

/// What a type is that is used without a description.
#[derive(Clone, Copy)]
pub(crate) struct Undescribed {
    pub(crate) side: Side,
    /// A category of the table.
    pub(crate) category: &'static str,
}

impl IssueTypes {
    /// Reads `categories` and `issue_types`.
    pub(crate) fn read(root: &mut Section<'_>) -> Self {
        let entries = root.named("categories");
        let categories: Vec<&'static Category> =
            entries.iter().filter_map(|entry| category(entry, root.problems)).collect();
        let entries = root.named("issue_types");
        let types = entries.iter().filter_map(|entry| own_type(entry, &categories, root.problems));
        Self { types: types.collect() }
    }

    /// The type that a key names, built in or not.
    pub(crate) fn read_type(
        &self,
        key: &'static str,
        undescribed: Undescribed,
        section: &mut Section<'_>,
    ) -> Option<IssueType> {
        let name = section.text(key)?;
        let known = IssueType::ALL.iter().copied();
        known.clone().find(|kind| kind.name() == name).or_else(|| {
            let (mark, names) = (section.mark_of(key), known.map(IssueType::name));
            self.resolve(name, mark, names, undescribed, section.problems)
        })
    }

    /// The type with a name. One that nothing describes is added, unless its name is close to one of
    /// `known` or of those described: then it is taken for a slip.
    pub(crate) fn resolve<'k>(
        &self,
        name: &str,
        mark: Mark,
        known: impl IntoIterator<Item = &'k str>,
        undescribed: Undescribed,
        problems: &Problems,
    ) -> Option<IssueType> {
        let described = self.types.iter().copied().find(|kind| kind.name() == name);
        if described.is_some() {
            return described;
        }
        if !is_plain(name) {
            problems.error(mark, "expected a name of letters, digits, `_`, `-` and `.`");
            return None;
        }
        let names = known.into_iter().chain(self.types.iter().map(|kind| kind.name()));
        if let Some(near) = did_you_mean(name, names) {
            let message = format!("unknown issue type `{name}`");
            let help = format!("{near} Otherwise describe it under [issue_types.{name}]");
            problems.error_with_help(mark, message, Some(help));
            return None;
        }
        let Undescribed { side, category } = undescribed;
        let category = Category::named(category)?;
        let (name, about) = (name.to_owned(), UNDESCRIBED.to_owned());
        Some(OwnType { name, about, side, category }.into_type())
    }
}

fn category(entry: &Entry, problems: &Problems) -> Option<&'static Category> {
    check_name(entry, Category::named(&entry.key).is_some(), problems);
    let mut section = Section::open_entry(entry, problems)?;
    let label = section.require("label", Section::text);
    let spaced = entry.key.replace('_', " ");
    let words = section.text("words").unwrap_or(&spaced);
    section.finish();
    Some(Category::own(&entry.key, label?, words))
}

fn own_type(entry: &Entry, own: &[&'static Category], problems: &Problems) -> Option<IssueType> {
    let is_taken = IssueType::ALL.iter().any(|kind| kind.name() == entry.key);
    check_name(entry, is_taken, problems);
    let mut section = Section::open_entry(entry, problems)?;
    let about = section.require("about", Section::text);
    let side = section.word("side").unwrap_or(Side::Reply);
    let name = section.text("category").unwrap_or("other");
    let all = || own.iter().copied().chain(Category::all());
    let category = all().find(|category| category.name == name);
    if category.is_none() {
        let help = did_you_mean(name, all().map(|category| category.name.as_str()))
            .unwrap_or_else(|| format!("describe it under [categories.{name}]"));
        let message = format!("unknown category `{name}`");
        problems.error_with_help(section.mark_of("category"), message, Some(help));
    }
    section.finish();
    let (name, about) = (entry.key.clone(), about?.to_owned());
    Some(OwnType { name, about, side, category: category? }.into_type())
}

fn check_name(entry: &Entry, is_taken: bool, problems: &Problems) {
    if is_taken {
        problems.error(entry.key_mark, format!("`{}` is built in", entry.key));
    } else if !is_plain(&entry.key) {
        problems.error(entry.key_mark, "expected a name of letters, digits, `_`, `-` and `.`");
    }
}

fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_plain)
}
