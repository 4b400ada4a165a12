//! Whether a session was set up as it should be, and its server has the tools it should have.

use super::super::model::Contract;
use super::super::wording::Variant;
use crate::verdict::{Issue, IssueType};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionFacts<'a> {
    /// How far the session got before its first call.
    pub start: SessionStart,
    /// The names of the tools that the server listed, where the session asked.
    pub listed: Option<&'a [String]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionStart {
    /// The server answered `initialize`.
    Initialized,
    NotInitialized,
}

impl Contract {
    /// Connectivity and registration: a session that was initialized, listed its tools, and found every
    /// tool that the contract names.
    pub fn check_session(&self, facts: &SessionFacts<'_>) -> Vec<Issue> {
        let available = self.available_tools();
        let places = [("available_tools", available.as_str())];
        let issue = |kind| self.wordings.issue(kind, Variant::Message, &places);
        let mut issues = Vec::new();
        if facts.start == SessionStart::NotInitialized {
            issues.push(issue(IssueType::SessionNotInitialized));
        }
        let Some(listed) = facts.listed else {
            issues.push(issue(IssueType::ToolsNotListed));
            return issues;
        };
        for tool in self.tools().filter(|tool| !listed.iter().any(|name| name == tool)) {
            let kind = IssueType::ToolNotRegistered;
            issues.push(self.wordings.issue(kind, Variant::Message, &[("tool_name", tool)]));
        }
        issues
    }
}
