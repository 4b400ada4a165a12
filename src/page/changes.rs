//! What changed exchange by exchange: from which class to which, and by what cause.

use super::lists::Page;
use crate::compare::show::sections;
use crate::compare::{Group, Proof};
use crate::view::{Line, Section};

/// So many groups are shown, and the exchanges of each that stand on a page.
pub(super) const GROUPS: usize = 10;
pub(super) const EXAMPLES: usize = 3;

/// The name of the section, by which links lead to it.
pub(super) const SECTION: &str = "changes";

/// The section; `None` where nothing changed, or nobody knows.
pub(super) fn changes(page: &Page) -> Option<Section> {
    let against = page.against.as_ref()?;
    let comparison = against.each().filter(|comparison| !comparison.groups.is_empty())?;
    let mut section = Section::new("What changed, and why");
    let mut about = Line::from("Compared with ").join(against.called()).then(".");
    if comparison.groups.iter().any(|group| group.explanation.proof == Proof::Proved) {
        about = about.then(" A cause is proved if undoing it restores the earlier verdict.");
    }
    section.text(about);
    let mut head = Section::default();
    let mut groups = Vec::new();
    for part in sections(comparison, GROUPS, "tapecheck diff BEFORE AFTER") {
        if groups.is_empty() && part.id.is_empty() {
            head.title = head.title.join(part.title);
            head.blocks.extend(part.blocks);
        } else {
            groups.push(part);
        }
    }
    std::iter::once(head).chain(groups).for_each(|part| section.section(part));
    Some(section)
}

/// Where a group stands.
pub(super) fn place(group: &Group) -> String {
    format!("group-{}", group.id)
}
