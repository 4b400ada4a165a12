//! `tapecheck infer`: a contract proposed from tool definitions and recorded calls.

use super::config::config;
use super::inputs::{cannot_open, inputs, load};
use super::redacting::redactor;
use super::terminal::{print, say};
use super::{Exit, Failure, cannot_print};
use crate::check::contract::{Observed, Outcome, Proposal};
use crate::check::schema::Schemas;
use crate::check::{Judge, with_response};
use crate::corpus::{CorpusReader, Input};
use crate::recording::{Exchange, ExchangeKind, ReplyKind};
use crate::redact::Redactor;
use crate::run::{for_each_exchange, known_tools};
use crate::verdict::Outcome as CallOutcome;
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Recordings to learn from, `-` for standard input
    #[arg(required = true, value_name = "RECORDINGS")]
    corpus: Vec<PathBuf>,
    /// Use the calls of this server only; the contract gets its name
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if self.server.as_ref().is_some_and(|server| server.trim().is_empty()) {
            return Err(Failure::usage("--server needs a name, not an empty text"));
        }
        let bounds = config().bounds;
        let rulebook = load(&config().rulebook)?;
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
        let schemas = Schemas::new(rulebook.schema.clone());
        let mut judge = Judge::new(&rulebook, &schemas);
        for_each_exchange(open(&inputs(&self.corpus))?, &bounds, |located| {
            if is_meant(&located.as_recorded().server) {
                see(&mut proposal, located.as_recorded(), &mut judge);
            }
            ControlFlow::<()>::Continue(())
        })
        .map_err(Failure::unfinished)?;
        if proposal.tools() == 0 {
            say("warning: no calls and no tool definitions were found to propose a contract from");
            return Ok(Exit::Unfinished);
        }
        let server = self.server.as_deref();
        let name = server.unwrap_or("proposed");
        print(&without_secrets(&proposal.text(name, server), &redactor()?))
            .map_err(|error| cannot_print(&error))?;
        Ok(Exit::Clean)
    }
}

fn see(proposal: &mut Proposal, exchange: &Exchange<'_>, judge: &mut Judge<'_>) {
    if exchange.kind != ExchangeKind::ToolCall {
        return;
    }
    let worked = judge.judge(exchange).conclusion.outcome == CallOutcome::Worked;
    let plainly = match exchange.reply.kind() {
        ReplyKind::NoReply => Outcome::Unanswered,
        _ if !worked => Outcome::Failed,
        ReplyKind::ToolError | ReplyKind::ProtocolError => Outcome::Failed,
        ReplyKind::Result | ReplyKind::Document => Outcome::Plain,
    };
    let call = Observed {
        server: &exchange.server,
        tool: &exchange.tool.name,
        definition: exchange.tool.definition.as_deref(),
        input: exchange.input.as_ref().map(|input| input.raw()),
        outcome: plainly,
    };
    if !worked {
        proposal.see(&call);
        return;
    }
    let whole = with_response(exchange, |output| {
        proposal.see(&Observed { outcome: Outcome::Response(output), ..call });
    });
    if whole.is_none() {
        proposal.see(&call);
    }
}

/// A contract without secrets. What a secret would be compared with is left to whoever knows it.
fn without_secrets(contract: &str, redactor: &Redactor) -> String {
    let line = |line| match redactor.mask(line) {
        Cow::Borrowed(plain) => Cow::Borrowed(plain),
        Cow::Owned(masked) if line.starts_with('[') => Cow::Owned(masked),
        Cow::Owned(masked) => Cow::Owned(format!("# {masked}")),
    };
    contract.split_inclusive('\n').map(line).collect()
}
