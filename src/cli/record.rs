//! `tapecheck record`: what passes between a client and a server.

use super::inputs::redactor;
use super::terminal::say;
use super::wrap::{Which, WrapArgs, own_program};
use super::{Exit, Failure};
#[cfg(unix)]
use crate::record::{Plan, record};
use clap::Subcommand;
use std::ffi::OsString;
use std::path::PathBuf;

/// Bytes of a file after which a recording goes on in another one; it also does on another day.
#[cfg(unix)]
const MOST_BYTES: u64 = 64 << 20;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// Folder to write the recording into: a new file for each start
    #[arg(long, value_name = "DIR", default_value = "recordings")]
    out: PathBuf,
    /// What the server is called, whatever it calls itself, and in the file's name
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// The server's program and its arguments, behind `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Record the servers that a client starts, from now on.
    Wrap(WrapArgs),
    /// Record them no longer.
    Unwrap(Which),
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self.verb {
            Some(Verb::Wrap(args)) if cfg!(unix) => args.run(),
            Some(Verb::Unwrap(which)) => which.unwrap(),
            Some(Verb::Wrap(_)) | None => self.record(),
        }
    }

    #[cfg(unix)]
    fn record(self) -> Result<Exit, Failure> {
        let Self { out, server, command, .. } = self;
        let (redactor, most_bytes) = (redactor()?, MOST_BYTES);
        let helper = own_program().ok().flatten().filter(|_| cfg!(target_os = "linux"));
        let plan = Plan { command, helper, server, out, most_bytes, redactor, tell: say };
        let code = record(plan).map_err(|error| {
            Failure::unfinished(format!("cannot run the server: {error}"))
                .next("check the command behind `--`")
        })?;
        // Threads may still wait for a client that is gone.
        std::process::exit(code)
    }

    #[cfg(not(unix))]
    fn record(self) -> Result<Exit, Failure> {
        drop((self.out, self.server, self.command));
        Err(Failure::usage("record works on Linux and macOS only")
            .next("record on one of these, or import what a client keeps: tapecheck import --here"))
    }
}
