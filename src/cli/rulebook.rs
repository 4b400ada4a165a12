//! `tapecheck rulebook`: list, show and check.

use super::inputs::load;
use super::terminal::{logged, print, say};
use super::{Exit, Failure, cannot_print};
use crate::rulebook::{Rulebook, builtin_names, builtin_source};
use crate::run::run_examples;
use std::fmt::Write as _;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// List the built-in rulebooks
    List,
    /// Print a rulebook's text
    Show {
        /// A built-in rulebook, or a file
        rulebook: String,
    },
    /// Check rulebooks: every error with its place, and every example run
    Check {
        /// Built-in rulebooks or files; all built-in ones when none is named
        rulebooks: Vec<String>,
    },
    /// Lint a rulebook, alone or against recordings and labels
    Lint(Box<super::rulebook_lint::Args>),
}

impl Verb {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self {
            Self::List => list(),
            Self::Show { rulebook } => show(&rulebook),
            Self::Check { rulebooks } => check(&rulebooks),
            Self::Lint(args) => args.run(),
        }
    }
}

fn list() -> Result<Exit, Failure> {
    let mut out = String::new();
    for name in builtin_names() {
        let rulebook = load(name)?;
        let _ = writeln!(out, "{name:<12}{}", rulebook.about);
        let _ = writeln!(
            out,
            "{:<12}{} signals, {} patterns, {} examples, digest {}",
            "",
            rulebook.signals.len(),
            rulebook.patterns.len(),
            rulebook.examples.len(),
            &rulebook.digest[..rulebook.digest.len().min(12)],
        );
    }
    print(&out).map_err(|error| cannot_print(&error))?;
    Ok(Exit::Clean)
}

fn show(name: &str) -> Result<Exit, Failure> {
    let text = match builtin_source(name) {
        Some(text) => text.to_owned(),
        None => std::fs::read_to_string(name).map_err(|error| {
            Failure::usage(format!("cannot read the rulebook {name}: {error}"))
                .next("see `tapecheck rulebook list` for the built-in ones")
        })?,
    };
    print(&text).map_err(|error| cannot_print(&error))?;
    Ok(Exit::Clean)
}

fn check(named: &[String]) -> Result<Exit, Failure> {
    let all: Vec<String> = builtin_names().iter().map(|name| (*name).to_owned()).collect();
    let wanted = if named.is_empty() { &all } else { named };
    let mut exit = Exit::Clean;
    let mut out = String::new();
    for name in wanted {
        let rulebook = match Rulebook::load(name) {
            Ok(rulebook) => rulebook,
            Err(error) => {
                say(&logged(&format!("error: {name}: {error}")));
                exit = Exit::Usage;
                continue;
            }
        };
        for warning in &rulebook.warnings {
            say(&logged(&format!("warning: {warning}")));
        }
        let mismatches = run_examples(&rulebook);
        let failed: std::collections::BTreeSet<&str> =
            mismatches.iter().map(|mismatch| mismatch.example.as_str()).collect();
        let _ = writeln!(
            out,
            "{name}: {} signals, {} patterns, {} of {} examples as expected",
            rulebook.signals.len(),
            rulebook.patterns.len(),
            rulebook.examples.len() - failed.len(),
            rulebook.examples.len(),
        );
        for mismatch in &mismatches {
            let line =
                format!("  {} ({}): {}", mismatch.example, mismatch.place, mismatch.difference);
            let _ = writeln!(out, "{}", logged(&line));
        }
        let broken_texts = rulebook.broken_examples();
        for broken in &broken_texts {
            let lines = format!("  {}", broken.problem.to_string().replace('\n', "\n  "));
            let _ = writeln!(out, "{}", logged(&lines));
        }
        let failed = !mismatches.is_empty() || !broken_texts.is_empty();
        if failed && exit == Exit::Clean {
            exit = Exit::Findings;
        }
    }
    print(&out).map_err(|error| cannot_print(&error))?;
    Ok(exit)
}
