//! The digest in the header of a baseline: whatever is edited afterwards no longer fits it.

use super::error::Wrong;
use super::header::Lines;
use crate::tape::Key;
use xxhash_rust::xxh3::Xxh3;

/// Begins the line that tells it.
pub(super) const DIGEST: &str = "digest ";

/// A hash over all that a baseline says.
#[derive(Default)]
pub(super) struct Seal(Xxh3);

impl Seal {
    /// Over the lines of a text, apart from the one that tells the digest and from empty ones. What
    /// stands before it for `insta` is not ours, and `insta` rewrites it.
    pub(super) fn of_text(text: &str) -> Self {
        let mut seal = Self::default();
        let mut lines = Lines::of_file(text);
        while let Some(line) = lines.next() {
            if !line.is_empty() && !line.starts_with(DIGEST) {
                seal.text(line);
            }
        }
        seal
    }

    /// Takes in an exchange: its keys, its id, and who answered what.
    pub(super) fn row(&mut self, keys: (Key, Key), id: Option<&str>, texts: [&str; 3]) {
        for key in [keys.0, keys.1] {
            self.0.update(&key.0.to_le_bytes());
        }
        self.0.update(&[u8::from(id.is_some())]);
        for text in [id.unwrap_or_default()].into_iter().chain(texts) {
            self.text(text);
        }
    }

    /// A text, after its length, so that no two lists of texts are taken in alike.
    fn text(&mut self, text: &str) {
        self.0.update(&(text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
    }

    pub(super) fn digest(&self) -> String {
        format!("{:032x}", self.0.digest128())
    }

    /// Holds what was found against what the header tells.
    pub(super) fn fits(&self, told: Option<&str>) -> Result<(), Wrong> {
        let found = self.digest();
        match told {
            Some(told) if told != found => {
                Err(Wrong::Edited { told: super::verdict_text::cut(told), found })
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// A text whose header tells the digest, below the line of the format.
pub(super) fn sealed(text: &str, digest: &str) -> String {
    let (format, rest) = text.split_once('\n').unwrap_or((text, ""));
    format!("{format}\n{DIGEST}{digest}\n{rest}")
}
