//! Why there is no contract.

use crate::rulebook::Problem;

/// Why there is no contract.
#[derive(Debug, thiserror::Error)]
pub enum ContractError {
    /// Neither a built-in contract nor a file has this name.
    #[error("no contract and no file is called `{name}`; built in are {known}")]
    Unknown {
        /// The name asked for.
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
    Unreadable {
        /// The file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is wrong: everything that is wrong with it.
    #[error("{}", listing(.0))]
    Invalid(Vec<Problem>),
}

fn listing(problems: &[Problem]) -> String {
    let count = problems.len();
    let mut text = format!("the contract has {count} error{}", if count == 1 { "" } else { "s" });
    for problem in problems {
        text.push_str("\n\n");
        text.push_str(&problem.to_string());
    }
    text
}
