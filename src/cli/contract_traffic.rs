//! Contracts and recorded calls: calls held against contracts, and a contract proposed from calls.

use super::inputs::{BoundsArgs, cannot_open, inputs};
use super::terminal::{grouped, harmless, print, say};
use super::{Exit, Failure, cannot_print};
use crate::check::contract::{Contract, Observed, Outcome, Proposal, code};
use crate::check::{issues_under, with_response};
use crate::corpus::{Bounds, CorpusReader, Input};
use crate::recording::{ExchangeKind, ReplyKind};
use crate::run::{Located, for_each_exchange, known_tools};
use crate::verdict::{Issue, Severity};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Calls that are held against contracts.
pub(super) struct Traffic<'a> {
    pub(super) contracts: &'a [Contract],
    pub(super) corpus: &'a [PathBuf],
    pub(super) bounds: Bounds,
}

/// What was found, by code.
#[derive(Default)]
struct Findings {
    /// Calls, those that a contract is about, and those of them that have no issue.
    calls: u64,
    meant: u64,
    clean: u64,
    codes: BTreeMap<(Severity, &'static str), Finding>,
}

struct Finding {
    count: u64,
    /// Where it was found first.
    first: String,
}

impl Traffic<'_> {
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        let mut findings = Findings::default();
        let reader = CorpusReader::new(&inputs(self.corpus), self.bounds)
            .map_err(|error| cannot_open(&error))?;
        for_each_exchange(reader, &self.bounds, |located| {
            findings.look(self.contracts, located);
            ControlFlow::<()>::Continue(())
        })
        .map_err(Failure::unfinished)?;
        print(&findings.text()).map_err(|error| cannot_print(&error))?;
        if findings.meant == 0 {
            say(
                "warning: no call is one that the contracts are about; they go by `servers` where they name some, else by the names of tools",
            );
            return Ok(Exit::Unfinished);
        }
        let has_errors = findings.codes.keys().any(|(severity, _)| *severity == Severity::Error);
        Ok(if has_errors { Exit::Findings } else { Exit::Clean })
    }
}

impl Findings {
    fn look(&mut self, contracts: &[Contract], located: &Located<'_>) {
        let exchange = located.exchange;
        if exchange.kind != ExchangeKind::ToolCall {
            return;
        }
        self.calls += 1;
        let found = contracts.iter().find_map(|contract| issues_under(contract, exchange));
        let Some(issues) = found else { return };
        self.meant += 1;
        self.clean += u64::from(issues.is_empty());
        for issue in &issues {
            let key = (issue.severity, name(issue));
            let finding = self.codes.entry(key).or_insert_with(|| Finding {
                count: 0,
                first: format!("{}:{}", harmless(located.file), exchange.place.line),
            });
            finding.count += 1;
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(
            out,
            "\n{} call{}, {} held against a contract, {} of them without issues",
            grouped(self.calls),
            if self.calls == 1 { "" } else { "s" },
            grouped(self.meant),
            grouped(self.clean),
        );
        let mut codes: Vec<_> = self.codes.iter().collect();
        // Severity first, then the most frequent; the map's own order settles the rest.
        codes.sort_by_key(|((severity, _), finding)| (*severity, std::cmp::Reverse(finding.count)));
        if !codes.is_empty() {
            let _ = writeln!(out, "\n  {:<24} {:<8} {:>9}  first at", "code", "severity", "issues");
        }
        for ((severity, name), Finding { count, first }) in codes {
            let _ = writeln!(
                out,
                "  {name:<24} {:<8} {:>9}  {first}",
                severity.name(),
                grouped(*count)
            );
        }
        out
    }
}

/// The issue's error code, or else its type.
fn name(issue: &Issue) -> &'static str {
    code(issue.kind).unwrap_or_else(|| issue.kind.name())
}

#[derive(Debug, clap::Args)]
pub(super) struct InferArgs {
    /// Files and folders whose calls are looked at; `-` reads standard input
    #[arg(required = true, value_name = "CORPUS")]
    corpus: Vec<PathBuf>,
    /// Look at the calls of this server only
    #[arg(long, value_name = "SERVER")]
    server: Option<String>,
    /// What the contract is called [default: the server, else `proposed`]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    bounds: BoundsArgs,
}

impl InferArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        for (option, value) in [("--name", &self.name), ("--server", &self.server)] {
            if value.as_ref().is_some_and(|value| value.trim().is_empty()) {
                return Err(Failure::usage(format!("{option} needs a name, not an empty text")));
            }
        }
        let bounds = self.bounds.bounds();
        let mut proposal = Proposal::default();
        let open = |inputs: &[Input]| {
            CorpusReader::new(inputs, bounds).map_err(|error| cannot_open(&error))
        };
        let is_meant = |server: &str| self.server.as_ref().is_none_or(|wanted| wanted == server);
        // Definitions first: calls are compared with them. Standard input cannot be read twice.
        let again: Vec<PathBuf> =
            self.corpus.iter().filter(|path| *path != Path::new("-")).cloned().collect();
        let known = known_tools(open(&inputs(&again))?, &bounds).map_err(Failure::unfinished)?;
        for known in known.tools.iter().filter(|known| is_meant(&known.server)) {
            if let Some(definition) = known.tool.definition.as_deref() {
                proposal.define(&known.server, &known.tool.name, definition);
            }
        }
        for_each_exchange(open(&inputs(&self.corpus))?, &bounds, |located| {
            if is_meant(&located.exchange.server) {
                see(&mut proposal, located);
            }
            ControlFlow::<()>::Continue(())
        })
        .map_err(Failure::unfinished)?;
        if proposal.tools() == 0 {
            say("warning: no call and no tool definition was found to propose a contract from");
            return Ok(Exit::Unfinished);
        }
        let server = self.server.as_deref();
        let name = self.name.as_deref().or(server).unwrap_or("proposed");
        print(&proposal.text(name, server)).map_err(|error| cannot_print(&error))?;
        Ok(Exit::Clean)
    }
}

fn see(proposal: &mut Proposal, located: &Located<'_>) {
    let exchange = located.exchange;
    if exchange.kind != ExchangeKind::ToolCall {
        return;
    }
    let plainly = match exchange.reply.kind() {
        ReplyKind::ToolError | ReplyKind::ProtocolError => Outcome::Failed,
        ReplyKind::NoReply => Outcome::Unanswered,
        ReplyKind::Result | ReplyKind::Document => Outcome::Plain,
    };
    let call = Observed {
        server: &exchange.server,
        tool: &exchange.tool.name,
        definition: exchange.tool.definition.as_deref(),
        input: exchange.input.as_ref().map(|input| input.raw()),
        outcome: plainly,
    };
    let whole = with_response(exchange, |output| {
        proposal.see(&Observed { outcome: Outcome::Response(output), ..call });
    });
    if whole.is_none() {
        proposal.see(&call);
    }
}
