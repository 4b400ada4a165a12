//! The digest in the header of a baseline: whatever is edited afterwards no longer fits it.

use super::error::Wrong;
use super::header::Lines;
use super::verdict_text::cut;
use xxhash_rust::xxh3::Xxh3;

/// Begins the line that tells it.
pub(super) const DIGEST: &str = "digest ";

/// A hash over all that a baseline says.
#[derive(Default)]
pub(super) struct Seal(Xxh3);

impl Seal {
    /// Over the lines of a text. What stands before it for `insta` is not ours, and `insta` rewrites it.
    pub(super) fn of_text(text: &str) -> Self {
        let mut seal = Self::default();
        let mut lines = Lines::of_file(text);
        while let Some(line) = lines.next() {
            seal.line(line);
        }
        seal
    }

    /// Takes in a line, unless it is empty or tells the digest: its length first, so that no two lists of
    /// lines are taken in alike.
    pub(super) fn line(&mut self, line: &str) {
        if !line.is_empty() && !line.starts_with(DIGEST) {
            self.0.update(&(line.len() as u64).to_le_bytes());
            self.0.update(line.as_bytes());
        }
    }

    pub(super) fn digest(&self) -> String {
        format!("{:032x}", self.0.digest128())
    }

    /// Compares the digest with that of the header.
    pub(super) fn fits(&self, stated: &str) -> Result<(), Wrong> {
        let found = self.digest();
        if found == stated { Ok(()) } else { Err(Wrong::Edited { stated: cut(stated), found }) }
    }
}

/// A text whose header tells its digest, below the line of the format.
#[cfg(test)]
pub(super) fn sealed(text: &str) -> String {
    let digest = Seal::of_text(text).digest();
    let (format, rest) = text.split_once('\n').unwrap_or((text, ""));
    format!("{format}\n{DIGEST}{digest}\n{rest}")
}
