//! Two tool lists of one server that differ.

use super::wording::{Variant, Wordings};
use crate::json::{Raw, write_canonical};
use crate::verdict::{Issue, IssueType};
use std::collections::BTreeMap;

/// A tool as `tools/list` names and defines it.
#[derive(Clone, Copy, Debug)]
pub struct ListedTool<'a> {
    pub name: &'a str,
    pub definition: Raw<'a>,
}

/// What changed from one tool list of a server to a later one: an issue for each tool that was added,
/// removed, or defined otherwise, in the order of their names.
pub fn drift(earlier: &[ListedTool<'_>], later: &[ListedTool<'_>]) -> Vec<Issue> {
    let wordings = Wordings::default();
    let (before, after) = (by_name(earlier), by_name(later));
    let mut changes: BTreeMap<&str, String> = BTreeMap::new();
    for (name, tool) in &before {
        match after.get(name) {
            None => {
                changes.insert(name, "it is gone".to_owned());
            }
            Some(now) => {
                let parts = changed_parts(tool.definition, now.definition);
                if !parts.is_empty() {
                    changes.insert(name, format!("other {}", parts.join(", ")));
                }
            }
        }
    }
    for name in after.keys().filter(|name| !before.contains_key(*name)) {
        changes.insert(name, "it is new".to_owned());
    }
    changes
        .into_iter()
        .map(|(name, change)| {
            let places = [("tool_name", name), ("change", change.as_str())];
            wordings.issue(IssueType::SchemaDrift, Variant::Message, &places)
        })
        .collect()
}

fn by_name<'a>(tools: &[ListedTool<'a>]) -> BTreeMap<&'a str, ListedTool<'a>> {
    tools.iter().map(|tool| (tool.name, *tool)).collect()
}

/// The names of the members that differ; the order of members does not matter.
fn changed_parts(before: Raw<'_>, after: Raw<'_>) -> Vec<String> {
    let (before, after) = (parts(before), parts(after));
    let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
    names.filter(|name| before.get(*name) != after.get(*name)).cloned().collect()
}

fn parts(definition: Raw<'_>) -> BTreeMap<String, String> {
    let members = definition.members().unwrap_or_default();
    members
        .into_iter()
        .map(|(name, value)| {
            let mut text = String::new();
            write_canonical(value, &mut text);
            (name.decode().into_owned(), text)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan_document;

    fn tool<'a>(name: &'a str, definition: &'a str) -> ListedTool<'a> {
        ListedTool { name, definition: scan_document(definition, 64).expect("well-formed") }
    }

    #[test]
    fn added_removed_and_changed_tools_are_told() {
        let earlier = [
            tool("add", r#"{"name":"add","description":"Adds"}"#),
            tool("gone", r#"{"name":"gone"}"#),
            tool("same", r#"{"name":"same", "inputSchema":{"type":"object"}}"#),
        ];
        let later = [
            tool("same", r#"{"inputSchema": {"type": "object"}, "name": "same"}"#),
            tool("new", r#"{"name":"new"}"#),
            tool("add", r#"{"name":"add","description":"Adds more","inputSchema":{}}"#),
        ];
        let found: Vec<String> =
            drift(&earlier, &later).into_iter().map(|issue| issue.message).collect();
        let start = |name: &str, change: &str| {
            format!("Tool '{name}' changed between two tool lists of one server: {change}")
        };
        assert_eq!(
            found,
            [
                start("add", "other description, inputSchema"),
                start("gone", "it is gone"),
                start("new", "it is new"),
            ]
        );
        assert!(drift(&earlier, &earlier).is_empty());
    }
}
