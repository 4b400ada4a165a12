//! Tool contracts: what the tools of one server take and give, as data.
//!
//! A contract is a TOML file. Types, ranges and lengths are written in the words of JSON Schema, rules
//! across fields as CEL (`rule`, `message`, as in `x-kubernetes-validations`), and every kind of mistake
//! may have its own wording. `read` compiles a file and tells everything that is wrong with it; `check`
//! holds calls, replies and sessions against it.

mod check;
mod lists;
mod model;
mod read;
mod session;
#[cfg(test)]
mod tests;
mod wording;

pub use check::{InputCheck, OutputContext};
pub use lists::{exposed, injection_hit, injection_lists};
pub use model::Contract;
pub use session::{SessionIssue, session_issues};
pub use wording::code;

use super::judged_text::judged_error_text;
use super::payload::payload;
use super::table::{CheckContext, Findings};
use crate::json::{Raw, scan_document};
use crate::recording::{Exchange, ExchangeKind, ReplyKind};
use crate::rulebook::Problem;
use crate::rulebook::problem::{Problems, listing};
use crate::rulebook::source::{Node, read_within};
use crate::verdict::{Issue, IssueType, NotApplied, Severity, Side};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_128;

/// Contracts are written by hand; anything longer is a mistake.
const LONGEST: u64 = 4 << 20;

/// Name and text of each contract that comes with the program. This table is the only place that knows them by name.
const BUILTIN: [(&str, &str); 1] = [("todo", include_str!("builtin/todo.toml"))];

#[derive(Debug, thiserror::Error)]
pub enum ContractError {
    #[error("no contract or file is called `{name}`; built-in contracts: {}", contract_names().join(", "))]
    Unknown { name: String },
    #[error("`{0}` leaves the name of a server empty: write NAME=SERVER or NAME=SERVER,SERVER")]
    NoServer(String),
    #[error("cannot read the contract {path}: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("{}", listing("the contract", .0))]
    Invalid(Vec<Problem>),
}

pub fn contract_names() -> Vec<&'static str> {
    BUILTIN.iter().map(|(name, _)| *name).collect()
}

pub fn contract_source(name: &str) -> Option<&'static str> {
    BUILTIN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The name of a built-in contract, and the servers that are named behind it.
pub(crate) fn builtin_for(named: &str) -> Option<(&str, Option<&str>)> {
    if contract_source(named).is_some() {
        return Some((named, None));
    }
    let (name, servers) = named.split_once('=')?;
    contract_source(name).map(|_| (name, Some(servers)))
}

impl Contract {
    /// A built-in contract by its name, or any other by its file. `NAME=SERVER,…` is a built-in one for
    /// these servers, of which it then knows every tool that there may be.
    pub fn load(name_or_path: &str) -> Result<Self, ContractError> {
        let Some((name, servers)) = builtin_for(name_or_path) else {
            let path = Path::new(name_or_path);
            if !path.exists() {
                return Err(ContractError::Unknown { name: name_or_path.to_owned() });
            }
            let unreadable =
                |source| ContractError::Unreadable { path: name_or_path.to_owned(), source };
            let text = read_within(path, LONGEST).map_err(unreadable)?;
            return Self::compile(&text, name_or_path, path.parent());
        };
        let text = contract_source(name).unwrap_or_default();
        let contract = Self::from_toml(text, name)?;
        let digest = format!("{:032x}", xxh3_128((text.to_owned() + name_or_path).as_bytes()));
        let servers = servers.map_or(contract.servers.clone(), |servers| {
            servers.split(',').map(|server| server.trim().to_owned()).collect()
        });
        if servers.iter().any(String::is_empty) {
            return Err(ContractError::NoServer(name_or_path.to_owned()));
        }
        Ok(Self { servers, digest, ..contract })
    }

    /// A contract from its text. Problems name it by the label; it cannot refer to schema files.
    pub fn from_toml(text: &str, label: &str) -> Result<Self, ContractError> {
        Self::compile(text, label, None)
    }

    fn compile(text: &str, label: &str, folder: Option<&Path>) -> Result<Self, ContractError> {
        let mut problems = Problems::default();
        let file = problems.add_file(label, text);
        let tree = Node::parse(text, file, &problems);
        let contract = tree.and_then(|tree| read::contract(&tree, folder, &problems));
        match contract {
            Some(contract) if !problems.has_errors() => {
                let parts = format!("{}\u{0}{text}", contract.digest);
                let digest = format!("{:032x}", xxh3_128(parts.as_bytes()));
                Ok(Self { digest, ..contract })
            }
            _ => Err(ContractError::Invalid(problems.into_errors())),
        }
    }
}

/// Holds a call and its reply against the contract of their server.
pub(super) fn ask(
    exchange: &Exchange<'_>,
    around: &CheckContext<'_>,
    findings: &mut Findings,
) -> Result<(), NotApplied> {
    if exchange.kind != ExchangeKind::ToolCall {
        return Err(NotApplied::OtherKind);
    }
    let tool = exchange.tool.name.as_str();
    let Some((_, contract)) = around.checks.contract_of(&exchange.server, tool) else {
        return Err(NotApplied::NothingGiven);
    };
    let known = findings.issues.len();
    look(contract, exchange, findings);
    // The rulebook may have read the same in the text.
    let is_known = around.conclusion.hidden_failure() == Some(true);
    if exchange.reply.kind() == ReplyKind::Result && !is_known {
        let issue = payload(exchange).with_value(|output| contract.check_success(output));
        let succeeds = payload(exchange).with_value(|output| contract.succeeds(output));
        let found = &findings.issues[known..];
        let issue =
            issue.flatten().or_else(|| not_refused(found).filter(|_| succeeds != Some(false)));
        findings.add(Side::Reply, issue);
    }
    Ok(())
}

/// What to say of a reply that claims success to a call of which this was found.
fn not_refused(found: &[Issue]) -> Option<Issue> {
    let is_wrong = |it: &Issue| it.side == Side::Caller && it.severity == Severity::Error;
    let message = "The contract does not allow this call, but the reply claims success";
    let issue = Issue::new(Severity::Warning, IssueType::RequestNotRefused, message);
    let suggestion = Some(IssueType::RequestNotRefused.suggestion().to_owned());
    found.iter().any(is_wrong).then_some(Issue { suggestion, ..issue })
}

/// What a contract has to say of a call of one of its tools; `None` where it is not about the exchange.
pub fn issues_under(contract: &Contract, exchange: &Exchange<'_>) -> Option<Vec<Issue>> {
    let is_meant = exchange.kind == ExchangeKind::ToolCall
        && contract.applies_to(&exchange.server, &exchange.tool.name);
    is_meant.then(|| {
        let mut findings = Findings::default();
        look(contract, exchange, &mut findings);
        findings.issues
    })
}

fn look(contract: &Contract, exchange: &Exchange<'_>, findings: &mut Findings) {
    let tool = exchange.tool.name.as_str();
    let none = scan_document("{}", 1).ok();
    let arguments = exchange.input.as_ref().map(|input| input.raw()).or(none);
    if let Some(arguments) = arguments {
        let input = contract.check_input(tool, arguments);
        findings.add(Side::Caller, input.issues);
        findings.sanitized = input.sanitized;
    }
    let original = exchange.original.as_ref().map(|original| original.raw());
    let input: Option<Raw<'_>> = exchange.input.as_ref().map(|input| input.raw());
    let kind = exchange.reply.kind();
    // Without a flag, what the contract says of responses is what those look like that succeeded.
    // Nothing is certain of a response of which a part was left out.
    let is_response = !exchange.is_cut() && (contract.has_response_flag() || !kind.is_error());
    let issues_of = is_response.then(|| {
        payload(exchange).with_value(|output| {
            let context = OutputContext { input, output, original };
            findings.add(Side::Reply, contract.check_output(tool, context));
        })
    });
    if issues_of.flatten().is_some() {
        return;
    }
    match kind {
        ReplyKind::Result if exchange.is_cut() => {}
        ReplyKind::Result => findings.add(Side::Reply, contract.check_missing_output(tool)),
        // An error that is no response object still must not show what stays inside.
        ReplyKind::ToolError | ReplyKind::ProtocolError => {
            let text = judged_error_text(exchange);
            findings
                .add(Side::Reply, text.and_then(|text| contract.check_error_text(&text, input)));
        }
        ReplyKind::NoReply | ReplyKind::Document => {}
    }
}
