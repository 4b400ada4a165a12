//! Recorded text that may be shown.

use super::{Masked, Quotations, Redactor};
use crate::verdict::{counted, cut, harmless};
use std::fmt;
use std::ops::Range;

/// Recorded text that may be shown: its secrets are masked, and nothing in it steers. Only this module
/// makes it, so that what takes it cannot be given anything else.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Told(String);

impl Told {
    /// At most so many characters of it.
    #[must_use]
    pub fn cut(&self, longest: usize) -> Self {
        Self(cut(&self.0, longest))
    }
}

impl AsRef<str> for Told {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Redactor {
    /// A text as one line.
    pub fn tell(&self, text: &str) -> Told {
        Told(harmless(&self.mask(text)))
    }

    /// A message, which may quote what was recorded, or nothing.
    pub fn tell_message(&self, text: &str, quotations: &Quotations) -> Told {
        Told(harmless(self.mask_message(text, quotations, false).trim_end_matches([':', ' '])))
    }

    pub fn tell_lines(&self, text: &str) -> Told {
        Told(visible(&self.mask(text)))
    }

    /// The beginning of a text of several lines, and how much more there is.
    pub fn tell_beginning(&self, text: &str, bytes: usize) -> Told {
        let (beginning, rest) = text.split_at(text.floor_char_boundary(bytes));
        if rest.is_empty() {
            return self.tell_lines(text);
        }
        let Told(told) = self.tell_part(beginning);
        Told(format!("{told}\n… and {} more", counted(rest.len() as u64, "byte")))
    }

    /// A text of several lines that may have been cut out of a longer one.
    pub fn tell_part(&self, text: &str) -> Told {
        Told(visible(&self.mask_part(text).text))
    }
}

impl Masked<'_> {
    /// A stretch of the masked text as one line; `None` where it has no such stretch.
    pub fn tell_line(&self, range: Range<usize>) -> Option<Told> {
        self.text.get(range).map(|part| Told(harmless(part)))
    }

    /// A stretch of the masked text, of several lines; `None` where it has no such stretch.
    pub fn tell(&self, range: Range<usize>) -> Option<Told> {
        self.text.get(range).map(|part| Told(visible(part)))
    }
}

/// Text of several lines, in which nothing steers.
fn visible(text: &str) -> String {
    text.replace("\r\n", "\n").split('\n').map(harmless).collect::<Vec<_>>().join("\n")
}
