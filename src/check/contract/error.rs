//! Why there is no contract.

use crate::rulebook::Problem;
use crate::rulebook::problem::listing;

/// Why there is no contract.
#[derive(Debug, thiserror::Error)]
pub enum ContractError {
    /// Neither a built-in contract nor a file has this name.
    #[error("no contract or file is called `{name}`; built-in contracts: {known}")]
    Unknown {
        name: String,
        /// The built-in ones, for the message.
        known: String,
    },
    /// A built-in contract is asked for with servers, one of which has no name.
    #[error("`{named}` leaves the name of a server empty: write NAME=SERVER or NAME=SERVER,SERVER")]
    NoServer {
        /// The contract as it was asked for.
        named: String,
    },
    /// The file is there, but cannot be read.
    #[error("cannot read the contract {path}: {source}")]
    Unreadable { path: String, source: std::io::Error },
    /// The file is wrong: everything that is wrong with it.
    #[error("{}", listing("the contract", .0))]
    Invalid(Vec<Problem>),
}
