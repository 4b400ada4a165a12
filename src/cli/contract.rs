//! `tapecheck contract`: list, show and check contracts of tools, and propose one from traffic.

use super::contract_traffic::{InferArgs, Traffic};
use super::inputs::BoundsArgs;
use super::terminal::{print, say};
use super::{Exit, Failure, cannot_print};
use crate::check::contract::{Contract, contract_names, contract_source};
use std::fmt::Write as _;
use std::path::PathBuf;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// List the built-in contracts
    List,
    /// Print a contract's text
    Show {
        /// A built-in contract, or a file
        contract: String,
    },
    /// Check contracts: every error with its place; with `--corpus` also the calls they are about
    Check(CheckArgs),
    /// Propose a contract from tool definitions and recorded calls, as TOML
    Infer(InferArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    /// Built-in contracts or files; all built-in ones when none is named
    contracts: Vec<String>,
    /// Hold the calls of a file or folder against them and count what is found, by error code. May be
    /// given several times; `-` reads standard input
    #[arg(long, value_name = "CORPUS")]
    corpus: Vec<PathBuf>,
    #[command(flatten)]
    bounds: BoundsArgs,
}

impl Verb {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self {
            Self::List => list(),
            Self::Show { contract } => show(&contract),
            Self::Check(args) => args.run(),
            Self::Infer(args) => args.run(),
        }
    }
}

fn list() -> Result<Exit, Failure> {
    let mut out = String::new();
    for name in contract_names() {
        let contract = Contract::load(name).map_err(Failure::usage)?;
        let _ = writeln!(out, "{name:<12}{}", contract.about());
        let _ =
            writeln!(out, "{:<12}{}, digest {}", "", contents(&contract), &contract.digest()[..12]);
    }
    print(&out).map_err(|error| cannot_print(&error))?;
    Ok(Exit::Clean)
}

fn show(name: &str) -> Result<Exit, Failure> {
    let text = match contract_source(name) {
        Some(text) => text.to_owned(),
        None => std::fs::read_to_string(name).map_err(|error| {
            Failure::usage(format!("cannot read the contract {name}: {error}"))
                .next("see `tapecheck contract list` for the built-in ones")
        })?,
    };
    print(&text).map_err(|error| cannot_print(&error))?;
    Ok(Exit::Clean)
}

/// What there is in a contract, in numbers.
fn contents(contract: &Contract) -> String {
    let counted = |count: usize, one: &str, several: &str| {
        format!("{count} {}", if count == 1 { one } else { several })
    };
    format!(
        "{}, {}, {}",
        counted(contract.tools().count(), "tool", "tools"),
        counted(contract.rules(), "rule", "rules"),
        counted(contract.criteria().len(), "criterion", "criteria"),
    )
}

impl CheckArgs {
    fn run(self) -> Result<Exit, Failure> {
        let builtin: Vec<String> = contract_names().iter().map(|name| (*name).to_owned()).collect();
        let named = if self.contracts.is_empty() { &builtin } else { &self.contracts };
        let mut contracts = Vec::new();
        let mut exit = Exit::Clean;
        let mut out = String::new();
        for name in named {
            match Contract::load(name) {
                Ok(contract) => {
                    let _ = writeln!(out, "{name}: {}", contents(&contract));
                    contracts.push(contract);
                }
                Err(error) => {
                    say(&format!("error: {name}: {error}"));
                    exit = Exit::Usage;
                }
            }
        }
        print(&out).map_err(|error| cannot_print(&error))?;
        if exit != Exit::Clean || self.corpus.is_empty() {
            return Ok(exit);
        }
        Traffic { contracts: &contracts, corpus: &self.corpus, bounds: self.bounds.bounds() }.run()
    }
}
