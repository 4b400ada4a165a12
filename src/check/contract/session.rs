//! Whether a session was set up as it should be, its server has the tools it should have, and keeps to them.

use super::model::Contract;
use super::wording::Wordings;
use crate::json::{Raw, write_canonical};
use crate::recording::Started;
use crate::verdict::{Issue, IssueType};
use std::collections::BTreeMap;

impl Contract {
    /// Connectivity and registration: a session that was initialized, listed its tools (`listed`, where it asked), and
    /// found every tool that the contract names.
    pub fn check_session(&self, start: Started, listed: Option<&[String]>) -> Vec<Issue> {
        let available = self.available_tools();
        let issue = |kind| {
            let places = [("available_tools", available.as_str())];
            self.wordings.issue(kind, "message", &places)
        };
        let mut issues = Vec::new();
        if start == Started::NotInitialized {
            issues.push(issue(IssueType::SessionNotInitialized));
        }
        let Some(listed) = listed else {
            issues.push(issue(IssueType::ToolsNotListed));
            return issues;
        };
        let missing = self.tools().filter(|tool| !listed.iter().any(|name| name == tool));
        issues.extend(missing.map(|tool| {
            let places = [("tool_name", tool)];
            self.wordings.issue(IssueType::ToolNotRegistered, "message", &places)
        }));
        issues
    }
}

/// What changed from one definition of a tool to a later one of its server, where it is or was listed.
pub fn drift(name: &str, before: Option<Raw<'_>>, after: Option<Raw<'_>>) -> Option<Issue> {
    let change = match (before, after) {
        (None, None) => return None,
        (Some(_), None) => "it is gone".to_owned(),
        (None, Some(_)) => "it is new".to_owned(),
        (Some(before), Some(after)) => {
            let (before, after) = (parts(before), parts(after));
            let names =
                before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
            let changed = names.filter(|name| before.get(*name) != after.get(*name));
            let changed: Vec<&str> = changed.map(String::as_str).collect();
            if changed.is_empty() {
                return None;
            }
            format!("other {}", changed.join(", "))
        }
    };
    let places = [("tool_name", name), ("change", change.as_str())];
    Some(Wordings::default().issue(IssueType::SchemaDrift, "message", &places))
}

/// The members of a definition, whose order does not matter.
fn parts(definition: Raw<'_>) -> BTreeMap<String, String> {
    let part = |(name, value): (crate::json::RawStr<'_>, _)| {
        let mut text = String::new();
        write_canonical(value, &mut text);
        (name.decode().into_owned(), text)
    };
    definition.members().unwrap_or_default().into_iter().map(part).collect()
}
