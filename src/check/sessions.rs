//! Sessions as a whole: how they were set up, and whether their servers keep to the tools they list.

use super::checks::Checks;
use super::payload::MAX_DEPTH;
use crate::check::contract::{Contract, drift};
use crate::json::{Raw, scan_document};
use crate::recording::{EndedSession, SessionEvent, SessionNews, Tool};
use crate::verdict::Issue;
use std::sync::Arc;

/// Tools of which a list differs that are told.
const MOST_CHANGES: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionIssue {
    /// The tool it is about; empty where it is about none.
    pub tool: String,
    pub issue: Issue,
}

pub fn session_issues(checks: &Checks, event: &SessionEvent) -> Vec<SessionIssue> {
    match &event.what {
        SessionNews::Ended(ended) => {
            let contracts = checks.contracts().iter();
            let about = contracts.filter(|contract| is_about(contract, &event.server, ended));
            let issues =
                about.flat_map(|it| it.check_session(ended.start, ended.listed.as_deref()));
            issues.map(|issue| SessionIssue { tool: String::new(), issue }).collect()
        }
        SessionNews::Relisted { before, after } => relisted(before, after),
    }
}

/// Whether a contract holds for a session: by its server, or by a tool that it lists or calls.
fn is_about(contract: &Contract, server: &str, ended: &EndedSession) -> bool {
    let mut tools = ended.called.iter().chain(ended.listed.iter().flatten());
    contract.applies_to(server, "") || tools.any(|tool| contract.applies_to(server, tool))
}

fn relisted(before: &[Arc<Tool>], after: &[Arc<Tool>]) -> Vec<SessionIssue> {
    // Of thousands of tools the first hundred that changed are enough, whatever the others did.
    let is_same = |tool: &Arc<Tool>, others: &[Arc<Tool>]| {
        let at = others.binary_search_by(|other| other.name.cmp(&tool.name));
        at.is_ok_and(|at| others[at].definition == tool.definition)
    };
    let gone = before.iter().filter(|tool| !is_same(tool, after));
    let mut names: Vec<&str> = gone
        .chain(after.iter().filter(|tool| !is_same(tool, before)))
        .map(|tool| tool.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    let found = names.into_iter().filter_map(|name| {
        let issue = drift(name, listed(before, name), listed(after, name))?;
        Some(SessionIssue { tool: name.to_owned(), issue })
    });
    found.take(MOST_CHANGES).collect()
}

/// The definition of a tool.
fn listed<'t>(tools: &'t [Arc<Tool>], name: &str) -> Option<Raw<'t>> {
    let at = tools.binary_search_by(|tool| tool.name.as_str().cmp(name)).ok()?;
    scan_document(tools[at].definition.as_deref()?, MAX_DEPTH).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{Place, Started};
    use crate::verdict::IssueType;

    fn event(what: SessionNews) -> SessionEvent {
        SessionEvent {
            server: "unknown".to_owned(),
            session: "morning".to_owned(),
            place: Place::default(),
            recorded_at: None,
            what,
        }
    }

    fn tools(tools: &[(&str, &str)]) -> Vec<Arc<Tool>> {
        let tool = |(name, members): &(&str, &str)| {
            let definition = format!(r#"{{"name":"{name}",{members}}}"#);
            Arc::new(Tool { definition: Some(definition), ..Tool::named(*name) })
        };
        tools.iter().map(tool).collect()
    }

    #[test]
    fn a_list_that_changed_is_told_tool_by_tool_whatever_holds() {
        let before = [("add", r#""about":1"#), ("gone", r#""a":1"#), ("same", r#""a":1,"b":2"#)];
        let after =
            [("add", r#""about":2,"c":3"#), ("new", r#""a":1"#), ("same", r#""b": 2,"a":1"#)];
        let (before, after) = (tools(&before), tools(&after));
        let found =
            session_issues(&Checks::default(), &event(SessionNews::Relisted { before, after }));
        let about: Vec<&str> = found.iter().map(|found| found.tool.as_str()).collect();
        assert_eq!(about, ["add", "gone", "new"]);
        assert!(found.iter().all(|found| found.issue.kind == IssueType::SchemaDrift));
        let messages = found.iter().map(|found| found.issue.message.as_str());
        let changed = |name: &str, change: &str| {
            format!("Tool '{name}' changed between two tool lists of one server: {change}")
        };
        let expected = [
            changed("add", "other about, c"),
            changed("gone", "it is gone"),
            changed("new", "it is new"),
        ];
        assert_eq!(messages.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn many_changes_are_told_within_a_bound() {
        let names: Vec<String> = (0..1_000).map(|number| format!("t{number:04}")).collect();
        let all: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), r#""a":1"#)).collect();
        let what = SessionNews::Relisted { before: tools(&all), after: Vec::new() };
        assert_eq!(session_issues(&Checks::default(), &event(what)).len(), MOST_CHANGES);
    }

    #[test]
    fn a_contract_asks_the_sessions_that_use_its_tools() {
        let mut checks = Checks::default();
        checks.add_contract(Contract::load("todo").expect("built in"));
        let ended = |tool: &str, listed: Option<Vec<String>>| {
            let called = vec![tool.to_owned()];
            let what = EndedSession { start: Started::NotInitialized, listed, called };
            let issues = session_issues(&checks, &event(SessionNews::Ended(what)));
            issues.into_iter().map(|found| found.issue.kind).collect::<Vec<_>>()
        };
        let tool = Contract::load("todo").expect("built in");
        let tool = tool.tools().next().expect("a tool");
        assert_eq!(ended("weather", None), []);
        assert_eq!(
            ended(tool, None),
            [IssueType::SessionNotInitialized, IssueType::ToolsNotListed]
        );
        let missing = ended("weather", Some(vec![tool.to_owned()]));
        assert_eq!(missing[0], IssueType::SessionNotInitialized);
        assert!(missing[1..].iter().all(|kind| *kind == IssueType::ToolNotRegistered));
    }
}
