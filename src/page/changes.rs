//! What changed exchange by exchange: from which class to which, and by what cause.

use super::night::Page;
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
    let parts = sections(comparison, GROUPS, "tapecheck diff BEFORE AFTER");
    let groups = parts.iter().position(|part| !part.id.is_empty()).unwrap_or(parts.len());
    let mut parts = parts.into_iter();
    let mut head = Section::default();
    for Section { title, blocks, .. } in parts.by_ref().take(groups) {
        head.title = head.title.join(title);
        head.blocks.extend(blocks);
    }
    section.section(head);
    for part in parts {
        section.section(part);
    }
    Some(section)
}

/// Where a group stands.
pub(super) fn place(group: &Group) -> String {
    format!("group-{}", group.id)
}
