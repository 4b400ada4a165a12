//! Named lists of texts.

use crate::rulebook::model::Matching;
use crate::rulebook::problem::{Mark, Problems};
use crate::rulebook::source::{Entry, Node, Section, texts_of};
use std::collections::HashSet;

#[derive(Debug)]
pub(super) struct List {
    pub(super) name: String,
    pub(super) mark: Mark,
    pub(super) named: Named,
    pub(super) matching: Matching,
    pub(super) entries: Vec<ListEntry>,
}

/// Where a list's name comes from.
#[derive(Debug)]
pub(super) enum Named {
    ByItself,
    /// It stands right in a signal and goes by the signal's name.
    AfterItsSignal,
}

/// One text of a list, in lower case, with the heading it stands under.
#[derive(Debug)]
pub(super) struct ListEntry {
    pub(super) heading: Option<String>,
    pub(super) text: String,
}

pub(super) fn compile(entries: &[Entry], problems: &Problems) -> Vec<List> {
    entries.iter().filter_map(|entry| list(entry, problems)).collect()
}

fn list(entry: &Entry, problems: &Problems) -> Option<List> {
    let mut section = Section::open_entry(entry, problems)?;
    section.when_extending(&["add", "remove"]);
    section.text("about");
    let matching = section.word("match").unwrap_or(Matching::Substring);
    let mut collected = Collected::default();
    for group in section.named("groups") {
        collected.add(Some(&group.key), &group.node, problems);
    }
    if let Some(node) = section.take("entries") {
        collected.add(None, node, problems);
    }
    if collected.entries.is_empty() {
        section.error(format!("the list `{}` is empty", entry.key));
    }
    let mark = section.mark;
    section.finish();
    Some(List {
        name: entry.key.clone(),
        mark,
        named: Named::ByItself,
        matching,
        entries: collected.entries,
    })
}

/// A list that stands right in a signal.
pub(super) fn inline(name: &str, node: &Node, problems: &Problems) -> List {
    let mut collected = Collected::default();
    collected.add(None, node, problems);
    if collected.entries.is_empty() {
        problems.error(node.mark, "this list is empty");
    }
    List {
        name: name.to_owned(),
        mark: node.mark,
        named: Named::AfterItsSignal,
        matching: Matching::Substring,
        entries: collected.entries,
    }
}

#[derive(Default)]
struct Collected {
    entries: Vec<ListEntry>,
    seen: HashSet<String>,
}

impl Collected {
    fn add(&mut self, heading: Option<&str>, node: &Node, problems: &Problems) {
        for (text, mark) in texts_of(node, problems) {
            let text = text.to_lowercase();
            if text.trim().is_empty() {
                problems.error(mark, "an entry must not be blank");
            } else if self.seen.insert(text.clone()) {
                self.entries.push(ListEntry { heading: heading.map(str::to_owned), text });
            } else {
                problems.error(mark, format!("`{text}` is in this list twice"));
            }
        }
    }
}
