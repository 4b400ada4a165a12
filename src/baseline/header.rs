//! The header of a baseline, read from lines.

use super::counts::Counts;
use super::error::Wrong;
use super::origin::Origin;
use super::seal::DIGEST;
use super::text::{COLLECTION, FORMAT, GRAMMAR, RULEBOOK_FILE};
use super::verdict_text::{cut, name_of, unclear};
use crate::compare::{Header, UnreadableFiles};
use crate::store::{NamedVerdict, RulebookName};

/// The lines of a text, with their numbers, the first of which may be skipped.
pub(super) struct Lines<'t> {
    lines: std::iter::Peekable<std::str::Lines<'t>>,
    /// The number of the line that was taken last.
    pub(super) number: usize,
}

impl<'t> Lines<'t> {
    /// The lines of a file, without what stands before them for `insta`.
    pub(super) fn of_file(text: &'t str) -> Self {
        let mut lines = Self { lines: text.lines().peekable(), number: 0 };
        if lines.next_if(|line| line.trim_end() == "---").is_some() {
            while lines.next().is_some_and(|line| line.trim_end() != "---") {}
        }
        lines
    }

    pub(super) fn next(&mut self) -> Option<&'t str> {
        self.next_if(|_| true)
    }

    pub(super) fn next_if(&mut self, fits: impl FnOnce(&str) -> bool) -> Option<&'t str> {
        let line = self.lines.next_if(|line| fits(line))?;
        self.number += 1;
        Some(line)
    }

    /// What follows a word at the beginning of the next line, if it begins with that.
    pub(super) fn after(&mut self, word: &str) -> Option<&'t str> {
        let line = self.next_if(|line| line.starts_with(word))?;
        line.strip_prefix(word)
    }

    /// What follows a word at the beginning of the next line.
    fn required(&mut self, word: &str) -> Result<&'t str, Wrong> {
        match self.after(word) {
            Some(rest) => Ok(rest),
            None => Err(Wrong::line(self.number + 1, format!("`{}` is missing", word.trim_end()))),
        }
    }

    /// A path at the end of the next line, if that is about it.
    fn path(&mut self, word: &str) -> Result<Option<String>, Wrong> {
        let Some(text) = self.after(word) else { return Ok(None) };
        name_of(text).map(Some).map_err(|what| Wrong::line(self.number, what))
    }

    /// A count at the end of the next line.
    fn count(&mut self, word: &str) -> Result<u64, Wrong> {
        let text = self.required(word)?;
        number(text).ok_or_else(|| Wrong::line(self.number, unclear(text)))
    }

    /// The number at the end of the next line, if the line begins with the word.
    fn optional<T: std::str::FromStr>(&mut self, word: &str) -> Result<Option<T>, Wrong> {
        let Some(text) = self.after(word) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| Wrong::line(self.number, unclear(text)))
    }
}

fn number(text: &str) -> Option<u64> {
    text.parse().ok()
}

/// The lines before the calls.
pub(super) struct Preamble {
    pub(super) header: Header,
    pub(super) origin: Origin,
    pub(super) key_digits: u8,
    pub(super) exchanges: u64,
    pub(super) counts: Counts,
    /// The digest of all that was written.
    pub(super) digest: String,
}

/// Reads the lines before the exchanges.
pub(super) fn read(lines: &mut Lines<'_>, name: &str) -> Result<Preamble, Wrong> {
    check_grammar(lines.next())?;
    let digest = lines.required(DIGEST)?.to_owned();
    let corpus_digest = lines.required("corpus ")?.to_owned();
    let collection = lines.path(COLLECTION)?;
    let rulebook = lines.required("rulebook ")?;
    let (rulebook_name, rulebook_digest) =
        rulebook.rsplit_once(' ').ok_or_else(|| Wrong::line(lines.number, unclear(rulebook)))?;
    let rulebook_name = name_of(rulebook_name).map_err(|what| Wrong::line(lines.number, what))?;
    let origin = Origin { collection, rulebook_file: lines.path(RULEBOOK_FILE)? };
    let rulebook = RulebookName { name: rulebook_name, digest: rulebook_digest.to_owned() };
    let checks = lines.after("checks ").map(str::to_owned);
    let version = lines.after("version ").map(str::to_owned);
    let unreadable = lines.optional("unreadable lines ")?;
    let (damaged, read_errors) =
        (lines.optional("damaged files ")?, lines.optional("unreadable files ")?);
    let unanswered = lines.optional("files without replies ")?.unwrap_or(0);
    let header =
        Header {
            name: name.to_owned(),
            corpus_digest,
            rulebook,
            checks,
            redaction: None,
            version,
            unreadable,
            // Which files they were is not told.
            unreadable_files: damaged.zip(read_errors).map(|(damaged, read_errors)| {
                UnreadableFiles { read_errors, damaged, unanswered, ..UnreadableFiles::default() }
            }),
            overall_confidence: lines.optional("overall confidence ")?,
        };
    let key_digits = digits(lines)?;
    let exchanges = lines.count("exchanges ")?;
    let mut counts = Counts::default();
    while let Some(line) = lines.after("  ") {
        let counted = line.rsplit_once(' ').and_then(|(name, count)| Some((name, number(count)?)));
        if !counted.is_some_and(|(name, count)| counts.set(name, count)) {
            return Err(Wrong::line(lines.number, unclear(line)));
        }
    }
    Ok(Preamble { header, origin, key_digits, exchanges, counts, digest })
}

fn check_grammar(line: Option<&str>) -> Result<(), Wrong> {
    let number =
        line.and_then(|line| line.trim_end().strip_prefix(FORMAT)).ok_or(Wrong::NoHeader)?;
    if number == GRAMMAR { Ok(()) } else { Err(Wrong::Grammar { found: cut(number) }) }
}

fn digits(lines: &mut Lines<'_>) -> Result<u8, Wrong> {
    let digits = lines.count("key digits ")?;
    match u8::try_from(digits) {
        Ok(digits @ 1..=crate::compare::WHOLE_KEY) => Ok(digits),
        _ => Err(Wrong::line(lines.number, format!("keys do not have {digits} digits"))),
    }
}

impl Preamble {
    /// Holds the counts against the exchanges that there are.
    pub(super) fn check<'s>(
        &self,
        found: u64,
        verdicts: impl Iterator<Item = &'s NamedVerdict>,
    ) -> Result<(), Wrong> {
        fits("exchanges", self.exchanges, found)?;
        let counts = Counts::of(verdicts);
        match self.counts.differs(&counts) {
            Some(name) => fits(&format!("of `{name}`"), self.counts.get(name), counts.get(name)),
            None => Ok(()),
        }
    }
}

/// Holds a count against what there is.
fn fits(name: &str, stated: u64, found: u64) -> Result<(), Wrong> {
    if stated == found {
        Ok(())
    } else {
        Err(Wrong::Counts { name: name.to_owned(), stated, found })
    }
}
