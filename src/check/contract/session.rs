//! Sessions: whether they were set up as they should be, whether their servers keep to the tools they list, and the
//! objects that calls change, as earlier replies showed them.

use super::model::Contract;
use super::wording::Wordings;
use crate::check::Checks;
use crate::check::payload::{MAX_DEPTH, id_of, with_response};
use crate::json::{Raw, scan_document, write_canonical};
use crate::recording::{
    EndedSession, Exchange, ExchangeKind, SessionEvent, SessionNews, Started, Tool,
};
use crate::verdict::{Issue, IssueType};
use std::borrow::Cow;
use std::collections::BTreeMap;
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
            let contracts = checks.contracts.iter();
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

fn listed<'t>(tools: &'t [Arc<Tool>], name: &str) -> Option<Raw<'t>> {
    let at = tools.binary_search_by(|tool| tool.name.as_str().cmp(name)).ok()?;
    scan_document(tools[at].definition.as_deref()?, MAX_DEPTH).ok()
}

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
fn drift(name: &str, before: Option<Raw<'_>>, after: Option<Raw<'_>>) -> Option<Issue> {
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

impl Checks {
    #[must_use]
    pub fn ask_for_originals(&self) -> bool {
        self.contracts.iter().any(|contract| contract.has_originals())
    }

    #[must_use]
    pub fn original_id<'e>(&self, exchange: &'e Exchange<'_>) -> Option<Cow<'e, str>> {
        let tool = exchange.tool.name.as_str();
        let argument = self.contract_for(exchange)?.tool(tool)?.original.as_deref()?;
        id_of(exchange.input.as_ref()?.raw().member(argument)?)
    }

    /// The objects that a reply shows, with their ids.
    pub fn shown_objects(&self, exchange: &Exchange<'_>, mut shown: impl FnMut(&str, Raw<'_>)) {
        if !self.contract_for(exchange).is_some_and(Contract::has_originals) {
            return;
        }
        with_response(exchange, |response| {
            let mut show = |object: Raw<'_>| {
                if let Some(id) = object.member("id").and_then(id_of) {
                    shown(&id, object);
                }
            };
            show(response);
            for (_, member) in response.members().unwrap_or_default() {
                show(member);
                member.elements().unwrap_or_default().into_iter().for_each(&mut show);
            }
        });
    }

    fn contract_for(&self, exchange: &Exchange<'_>) -> Option<&Contract> {
        let is_call = exchange.kind == ExchangeKind::ToolCall;
        let found = is_call.then(|| self.contract_of(&exchange.server, &exchange.tool.name));
        found.flatten().map(|(_, contract)| contract)
    }
}

impl Contract {
    /// Whether any tool names the object that it changes.
    fn has_originals(&self) -> bool {
        self.tools.iter().any(|tool| tool.original.is_some())
    }
}
