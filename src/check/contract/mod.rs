//! Tool contracts: what the tools of one server take and give, as data.
//!
//! A contract is a TOML file. Types, ranges and lengths are written in the words of JSON Schema, rules
//! across fields as CEL (`rule`, `message`, as in `x-kubernetes-validations`), and every kind of mistake
//! may have its own wording. `read` compiles a file and tells everything that is wrong with it; `check`
//! holds calls, replies and sessions against it.

pub(super) mod adapter;
mod builtin;
mod check;
mod drift;
mod error;
mod lists;
mod model;
mod original;
mod read;
#[cfg(test)]
mod tests;
mod wording;

pub use adapter::issues_under;

pub use builtin::{contract_names, contract_source};
pub use check::{InputCheck, OutputContext, SessionFacts, SessionStart};
pub use drift::{ListedTool, drift};
pub use error::ContractError;
pub use lists::{exposed, injection_hit, injection_lists};
pub use model::Contract;
pub use wording::code;

use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Node, read_within};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_128;

/// Contracts are written by hand; anything longer is a mistake.
const LONGEST: u64 = 4 << 20;

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
        match builtin_for(name_or_path) {
            Some((name, servers)) => {
                let is_empty = |server: &str| server.trim().is_empty();
                if servers.is_some_and(|servers| servers.split(',').any(is_empty)) {
                    return Err(ContractError::NoServer { named: name_or_path.to_owned() });
                }
                let text = contract_source(name).unwrap_or_default();
                let contract = Self::from_toml(text, name)?;
                let digest =
                    format!("{:032x}", xxh3_128((text.to_owned() + name_or_path).as_bytes()));
                let servers = servers.map_or(contract.servers, |servers| {
                    servers.split(',').map(|server| server.trim().to_owned()).collect()
                });
                Ok(Self { servers, digest, ..contract })
            }
            None => Self::load_file(name_or_path),
        }
    }

    fn load_file(name_or_path: &str) -> Result<Self, ContractError> {
        let path = Path::new(name_or_path);
        if !path.exists() {
            return Err(ContractError::Unknown {
                name: name_or_path.to_owned(),
                known: contract_names().join(", "),
            });
        }
        let text = read_within(path, LONGEST).map_err(|source| ContractError::Unreadable {
            path: name_or_path.to_owned(),
            source,
        })?;
        Self::compile(&text, name_or_path, path.parent())
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
