//! Where messages quote what was recorded and the quotation was cut without a word: what is left of a
//! secret there looks like none.

use super::cut_mail;
use crate::rulebook::{IssueWording, Rulebook};
use crate::verdict::{Ending, Issue};
use indexmap::IndexSet;
use std::ops::Range;

/// Blanks around a quotation are left out after it was cut, so that one that was cut may be shorter.
const BLANKS: usize = 16;

/// How the messages of a run quote.
#[derive(Clone, Debug, Default)]
pub struct Quotations {
    /// What stands around the quotations of each message that has some.
    around: Vec<Vec<String>>,
    /// How long quotations are at the most, in UTF-16 units.
    longest: usize,
}

/// How sure it is that a quotation was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    Surely,
    Perhaps,
}

impl Quotations {
    pub fn of(rulebook: &Rulebook) -> Self {
        // What a schema complains of is not cut like this.
        let kinds = Ending::ALL.into_iter();
        let kinds = kinds.filter(|kind| *kind != Ending::SchemaFailed);
        let wordings = kinds.filter_map(|kind| rulebook.meaning(kind).issue.as_ref());
        let wordings = wordings.map(|wording| wording.message.split(IssueWording::QUOTED));
        let reason = rulebook.evidence.error_text.split("{text}");
        let quoting = wordings.chain([reason]).map(|it| it.map(str::to_owned).collect::<Vec<_>>());
        let quoting = quoting.filter(|around| around.len() > 1);
        Self {
            // Most endings are worded alike.
            around: quoting.collect::<IndexSet<_>>().into_iter().collect(),
            longest: rulebook.text.evidence_units,
        }
    }

    /// Where quotations of a message end that were cut there.
    pub(super) fn cuts(&self, message: &str) -> Vec<(usize, Cut)> {
        // What is shorter quotes nothing that was cut.
        if message.len() + BLANKS < self.longest.min(Issue::LONGEST) {
            return Vec::new();
        }
        if let Some(whole) = message.strip_suffix('…')
            && message.chars().count() >= Issue::LONGEST
        {
            return vec![(whole.len(), Cut::Surely)];
        }
        self.around.iter().find_map(|around| self.cuts_by(around, message)).unwrap_or_default()
    }

    /// A message that quotes, without what it quotes.
    pub fn without(&self, message: &str) -> Option<String> {
        let begun = message.strip_suffix('…');
        self.around.iter().find_map(|around| {
            let is_quoting = || Self::quoted_by(around, message).is_some();
            let is_cut = || begun.is_some_and(|begun| begun.starts_with(around[0].as_str()));
            (is_quoting() || is_cut()).then(|| around.join("…"))
        })
    }

    /// What a message quotes, where this stands around it.
    fn quoted_by<'m>(around: &[String], message: &'m str) -> Option<&'m str> {
        let (first, others) = around.split_first()?;
        let longer = around.iter().map(String::len).sum();
        let length = message.len().checked_sub(longer)? / others.len().max(1);
        let mut rest = message.strip_prefix(first.as_str())?;
        let quoted = rest.get(..length)?;
        for part in others {
            rest = rest.strip_prefix(quoted)?.strip_prefix(part.as_str())?;
        }
        rest.is_empty().then_some(quoted)
    }

    /// The same where this stands around what the message quotes; `None` where it does not, or nothing was cut.
    fn cuts_by(&self, around: &[String], message: &str) -> Option<Vec<(usize, Cut)>> {
        let quoted = Self::quoted_by(around, message)?;
        let (length, others) = (quoted.len(), around.len() - 1);
        let units = if quoted.is_ascii() { length } else { quoted.encode_utf16().count() };
        // A pair of surrogates is not cut in two.
        let cut = if units + 1 >= self.longest {
            Cut::Surely
        } else if units + BLANKS >= self.longest {
            Cut::Perhaps
        } else {
            return None;
        };
        let mut end = 0;
        let ends = around[..others].iter().map(|part| {
            end += part.len() + length;
            (end, cut)
        });
        Some(ends.collect())
    }
}

/// The scripts up to here put blanks between words; in others a whole sentence would be one.
const WITH_BLANKS: char = '\u{e00}';

fn is_of_word(character: char) -> bool {
    character < WITH_BLANKS && !character.is_whitespace() && !character.is_control()
}

/// What a cut left of a word that may have been a secret: a key, an address with a password, the
/// beginning of an e-mail address.
pub(super) fn cut_off(before: &str) -> Option<Range<usize>> {
    let end = before.len();
    let begin = |ends: &dyn Fn(char) -> bool| {
        before.rfind(ends).map_or(0, |at| before.ceil_char_boundary(at + 1))
    };
    let word = begin(&|c| !is_of_word(c) || "\"'`(){}[]<>,;«»".contains(c));
    // Of an e-mail address it is told by its sign where it begins, in whatever script it is.
    let word = cut_mail(before).map_or(word, |mail| mail.start.min(word));
    // Passwords in addresses may have some of these in them.
    let address = begin(&|c| c.is_whitespace() || "\"'<>".contains(c));
    let start = match before[address..].rfind("://") {
        None => word,
        Some(at) => {
            let host = address + at + "://".len();
            before[host..].rfind('/').map_or(host, |slash| host + slash + 1)
        }
    };
    (start < end).then_some(start..end)
}
