//! Why there is no contract.

use crate::rulebook::Problem;
use crate::rulebook::problem::listing;

#[derive(Debug, thiserror::Error)]
pub enum ContractError {
    #[error("no contract or file is called `{name}`; built-in contracts: {known}")]
    Unknown {
        name: String,
        /// The built-in ones, for the message.
        known: String,
    },
    #[error("`{named}` leaves the name of a server empty: write NAME=SERVER or NAME=SERVER,SERVER")]
    NoServer {
        /// The contract as it was asked for.
        named: String,
    },
    #[error("cannot read the contract {path}: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("{}", listing("the contract", .0))]
    Invalid(Vec<Problem>),
}
