//! What was judged once: a run folder or a baseline, read into memory.

use super::Texts;
use crate::recording::Key;
use crate::rulebook::Rulebook;
use crate::store::{Distinct, NamedVerdict, RulebookName};
use std::borrow::Cow;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Side {
    pub header: Header,
    /// The rulebook that judged; `None` where the side does not hold it.
    pub rulebook: Option<Arc<Rulebook>>,
    /// Each different verdict once.
    pub verdicts: Vec<NamedVerdict>,
    /// The exchanges, in corpus order where the side keeps it.
    pub entries: Vec<Entry>,
    pub names: Names,
    pub texts: Texts,
    /// How many hex digits of keys it tells, from the left; the others are zero. Runs tell all 32,
    /// baselines in text fewer: [`Side::shorten`] makes the other side's keys comparable.
    pub key_digits: u8,
}

/// Hex digits of a whole key.
pub const WHOLE_KEY: u8 = 32;

impl Side {
    /// How many exchanges have each of the verdicts.
    pub fn weights(&self) -> Vec<u64> {
        let mut weights = vec![0; self.verdicts.len()];
        for entry in &self.entries {
            if let Some(weight) = weights.get_mut(entry.verdict as usize) {
                *weight += 1;
            }
        }
        weights
    }

    /// Each verdict that exchanges have, with how many have it.
    pub fn weighed(&self) -> impl Iterator<Item = (&NamedVerdict, u64)> {
        self.verdicts.iter().zip(self.weights()).filter(|(_, exchanges)| *exchanges > 0)
    }

    /// The same with so many digits of keys, if it has more.
    pub fn with_digits(&self, digits: u8) -> Cow<'_, Self> {
        let mut side = Cow::Borrowed(self);
        if digits < self.key_digits {
            side.to_mut().shorten(digits);
        }
        side
    }

    /// Cuts keys to so many digits, so that they can be held against those of a side that tells no
    /// more. Sides that tell fewer stay as they are.
    pub fn shorten(&mut self, digits: u8) {
        if digits >= self.key_digits {
            return;
        }
        for entry in &mut self.entries {
            entry.key = shortened(entry.key, digits);
            entry.request = shortened(entry.request, digits);
        }
        self.key_digits = digits;
    }
}

pub fn shortened(key: Key, digits: u8) -> Key {
    let left_out = 4 * u32::from(WHOLE_KEY.saturating_sub(digits));
    Key(u128::MAX.checked_shl(left_out).unwrap_or(0) & key.0)
}

/// What a side was made of.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Header {
    /// What to call it, such as `reports/latest` or `snapshots/guide/guide.snap`.
    pub name: String,
    pub corpus_digest: String,
    pub rulebook: RulebookName,
    /// Hash of the contracts, facts and schemas that held; `None` where there were none.
    pub checks: Option<String>,
    /// Hash of the rules that masked secrets; `None` where the side does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redaction: Option<String>,
    /// The version of the program that judged; `None` where the side does not tell.
    pub version: Option<String>,
    /// Lines that could not be judged; `None` where the side does not tell.
    pub unreadable: Option<u64>,
    /// Files that could not be judged, or not to their end; `None` where the side does not tell.
    pub unreadable_files: Option<UnreadableFiles>,
    /// The averaged confidence of all exchanges, 0 to 100; `None` where the side does not tell.
    pub overall_confidence: Option<f64>,
}

impl Header {
    /// Whether the same rulebook, checks and program judged, as far as is told.
    pub fn is_judged_like(&self, other: &Self) -> bool {
        self.rulebook.digest == other.rulebook.digest
            && self.checks == other.checks
            && self.version == other.version
    }
}

/// Files that could not be judged, or not to their end.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct UnreadableFiles {
    /// Those that could not be opened or read: trouble of the machine, not of the recordings.
    pub read_errors: u64,
    /// The first of them by their names.
    pub read_error_names: Vec<String>,
    pub damaged: u64,
    /// Those that hold calls and no reply.
    pub unanswered: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its content hash.
    pub key: Key,
    /// Its verdict, as a number into [`Side::verdicts`].
    pub verdict: u32,
    /// Hash of its request.
    pub request: Key,
    /// Who answered, as a number into [`Side::names`].
    pub server: u32,
    /// The tool that was called, as a number into [`Side::names`].
    pub tool: u32,
    /// The recording, as a number into [`Side::names`].
    pub file: u32,
    /// The line of the recording; 0 where the side does not tell.
    pub line: u32,
    /// Whether the call was made to see an error; `false` where the side does not tell.
    pub is_error_case: bool,
    /// A [`duration_bucket`](crate::count::duration_bucket); `None` where the side does not tell.
    pub took: Option<u16>,
}

/// Texts by their numbers, each once.
#[derive(Clone, Debug, Default)]
pub struct Names(Distinct);

impl Names {
    /// The text of a number; empty where there is none.
    pub fn get(&self, number: u32) -> &str {
        let texts = self.0.texts();
        if (number as usize) < texts.len() { texts.get(number as usize) } else { "" }
    }

    /// The number of a text, which is added where it is new.
    pub fn number(&mut self, text: &str) -> u32 {
        self.0.index_of(text)
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.texts().iter()
    }
}

impl<'n> FromIterator<&'n str> for Names {
    fn from_iter<I: IntoIterator<Item = &'n str>>(texts: I) -> Self {
        let mut names = Self::default();
        for text in texts {
            names.number(text);
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_cut_from_the_right() {
        let key = Key(u128::MAX);
        assert_eq!(shortened(key, 12).to_string(), format!("{}{}", "f".repeat(12), "0".repeat(20)));
        assert_eq!(shortened(key, WHOLE_KEY), key);
        assert_eq!(shortened(key, 0), Key(0));
    }
}
