//! What is masked in recorded text, as the configuration says.

use super::Failure;
use super::config::config;
use crate::corpus::{Input, locate, locate_by};
use crate::redact::Redactor;
use crate::rulebook::source::read_within;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The longest file of rules, in bytes.
const LONGEST: u64 = 1 << 20;

/// Whether texts are read from recordings again and shown with their secrets.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(super) struct RawArg {
    /// Read texts from the recordings again and show their secrets, on a terminal only; `--raw=force`
    /// shows them wherever the output goes
    #[arg(long, value_name = "force", num_args = 0..=1, require_equals = true, default_missing_value = "terminal", hide_possible_values = true)]
    raw: Option<Where>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Where {
    Terminal,
    Force,
}

impl RawArg {
    pub(super) fn is_given(self) -> bool {
        self.raw.is_some()
    }

    pub(super) fn redactor(self) -> Result<Redactor, Failure> {
        match self.raw {
            None => redactor(),
            Some(Where::Terminal) if !std::io::stdout().is_terminal() => {
                Err(Failure::usage("--raw shows secrets on a terminal only")
                    .next("--raw=force shows them wherever the output goes"))
            }
            Some(Where::Terminal | Where::Force) => Ok(Redactor::none()),
        }
    }
}

/// A recording by the name that it has in tables, where secrets in names are masked.
pub(super) fn locate_masked(inputs: &[Input], file: &str) -> Option<PathBuf> {
    let is_it = |redactor: &Redactor| {
        locate_by(inputs, config().bounds, |name| redactor.mask(name) == file)
    };
    let masked = || redactor().ok().filter(|_| file.contains('[')).as_ref().and_then(is_it);
    locate(inputs, file).or_else(masked)
}

/// A message without secrets, whatever it quotes.
pub(super) fn masked(message: &str) -> String {
    // Wrong rules are what the message may be about.
    redactor().unwrap_or_default().mask_lines(message)
}

/// The rules that `redact` names: the built-in ones, none, and files of additional ones. They are read once.
pub(super) fn redactor() -> Result<Redactor, Failure> {
    static REDACTOR: OnceLock<Redactor> = OnceLock::new();
    if let Some(redactor) = REDACTOR.get() {
        return Ok(redactor.clone());
    }
    let read = read_redactor()?;
    Ok(REDACTOR.get_or_init(|| read).clone())
}

fn read_redactor() -> Result<Redactor, Failure> {
    let named = &config().redact;
    let wants = |word: &str| named.iter().any(|given| given == word);
    if wants("builtin") && wants("none") {
        return Err(Failure::usage("redact has both \"builtin\" and \"none\"")
            .next("leave one of them out"));
    }
    let base = if wants("none") { Redactor::none() } else { Redactor::builtin() };
    let mut files = Vec::new();
    for name in named.iter().filter(|name| !["builtin", "none"].contains(&name.as_str())) {
        let text = read_within(Path::new(name), LONGEST).map_err(|error| {
            Failure::usage(format!("cannot read {name}: {error}"))
                .next("redact takes a file of rules, \"builtin\" or \"none\"")
        })?;
        files.push((name.clone(), text));
    }
    base.with_files(&files).map_err(|error| Failure::usage(error).next("see docs/redaction.md"))
}
