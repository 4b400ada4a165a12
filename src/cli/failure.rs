//! What went wrong, where, and what to do next.

use super::Exit;
use std::fmt;

/// An error as a person meets it.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    what: String,
    next: Option<String>,
}

impl Failure {
    /// The command line or a setting is wrong; nothing ran.
    pub fn usage(what: impl fmt::Display) -> Self {
        Self { exit: Exit::Usage, what: what.to_string(), next: None }
    }

    /// The work was begun and could not be finished.
    pub fn unfinished(what: impl fmt::Display) -> Self {
        Self { exit: Exit::Unfinished, what: what.to_string(), next: None }
    }

    /// Adds what to do next.
    pub fn next(mut self, next: impl fmt::Display) -> Self {
        self.next = Some(next.to_string());
        self
    }

    pub fn exit(&self) -> Exit {
        self.exit
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.what)?;
        match &self.next {
            Some(next) => write!(f, "\n  next: {next}"),
            None => Ok(()),
        }
    }
}
