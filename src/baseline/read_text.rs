//! Baselines from their text.

use super::error::Wrong;
use super::header::{Lines, Told, fits, read as read_header};
use super::model::{Baseline, Gathered, entry};
use super::seal::Seal;
use super::text::{ANSWERS, FINE, KEYS, NOT_FINE};
use super::verdict_text::{BAR, cut, name_of, read as read_verdict, read_count, unclear};
use super::wrap::{joined, line_in};
use crate::compare::WHOLE_KEY;
use crate::recording::{Key, numbered_key};
use std::collections::HashMap;

/// Reads the text of a file; `name` is what to call it.
pub(super) fn read(text: &str, name: &str) -> Result<Baseline, Wrong> {
    no_conflict(text)?;
    read_whole_lines(&joined(text), name).map_err(|wrong| match wrong {
        Wrong::Line { line, what } => Wrong::Line { line: line_in(text, line), what },
        other => other,
    })
}

fn read_whole_lines(text: &str, name: &str) -> Result<Baseline, Wrong> {
    let mut lines = Lines::of_file(text);
    let told = read_header(&mut lines, name)?;
    // A key whose request is cut off would read like one that has none.
    if !text.ends_with('\n') {
        return Err(Wrong::line(text.lines().count(), "the text ends within this line"));
    }
    let digest = told.digest.clone();
    let baseline = read_exchanges(lines, told)?;
    Seal::of_text(text).fits(&digest)?;
    Ok(baseline)
}

/// No line of ours begins like these.
fn no_conflict(text: &str) -> Result<(), Wrong> {
    let marks = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];
    let at = |line: &str| marks.iter().any(|mark| line.starts_with(mark));
    match text.lines().position(at) {
        Some(line) => Err(Wrong::Conflict { line: line + 1 }),
        None => Ok(()),
    }
}

fn read_exchanges(mut lines: Lines<'_>, told: Told) -> Result<Baseline, Wrong> {
    let mut reader = Reader { gathered: Gathered::default(), known: HashMap::new(), told };
    let not_fine = lines.count(NOT_FINE)?;
    while let Some(line) = lines.next_if(|line| !line.starts_with(FINE)) {
        reader.exchange(line).map_err(|what| Wrong::line(lines.number, what))?;
    }
    fits("not plainly fine", not_fine, reader.gathered.len() as u64)?;
    let fine = lines.count(FINE)?;
    while let Some(line) = lines.next() {
        if line.is_empty() {
            continue;
        }
        let verdict =
            reader.verdict_of_several(line).map_err(|what| Wrong::line(lines.number, what))?;
        while let Some(keys) = lines.after(KEYS) {
            reader.keys(keys, verdict).map_err(|what| Wrong::line(lines.number, what))?;
        }
    }
    let Reader { gathered, told, .. } = reader;
    fits("plainly fine", fine, gathered.len() as u64 - not_fine)?;
    told.check(gathered.len() as u64, gathered.all())?;
    let (side, ids) = gathered.finish(told.header, told.key_digits);
    Ok(Baseline::new(side, ids).from(told.origin))
}

struct Reader<'t> {
    gathered: Gathered,
    /// Verdicts by the text around who it is about.
    known: HashMap<(&'t str, &'t str), u32>,
    told: Told,
}

/// What is said, by whom: a verdict, a server and a tool.
type Verdict = (u32, (u32, u32));

impl<'t> Reader<'t> {
    /// A line about one exchange, or several that are alike.
    fn exchange(&mut self, line: &'t str) -> Result<(), String> {
        let (head, who, rest) = parts(line)?;
        let (who, count) = read_count(who)?;
        let (who, keys) = who.rsplit_once(' ').ok_or_else(|| unclear(who))?;
        let (who, id) = match who.strip_suffix(']').and_then(|who| who.split_once(" [")) {
            Some((who, id)) => (who, Some(name_of(id)?)),
            None => (who, None),
        };
        let who = self.who(who)?;
        let said = self.verdict(head, rest)?;
        let keys = self.read_keys(keys)?;
        self.add(count)?;
        self.gathered.add(entry(keys, said, who), id.as_deref(), count);
        Ok(())
    }

    /// A line about exchanges of one tool whose keys follow.
    fn verdict_of_several(&mut self, line: &'t str) -> Result<Verdict, String> {
        let (head, who, rest) = parts(line)?;
        Ok((self.verdict(head, rest)?, self.who(who)?))
    }

    fn keys(&mut self, line: &str, (said, who): Verdict) -> Result<(), String> {
        let mut words = line.split(' ').peekable();
        while let Some(word) = words.next() {
            let keys = self.read_keys(word)?;
            let count = match words.next_if(|next| next.starts_with('x')) {
                Some(count) => read_count(&format!(" {count}"))?.1,
                None => 1,
            };
            self.add(count)?;
            self.gathered.add(entry(keys, said, who), None, count);
        }
        Ok(())
    }

    /// More than the header tells is never kept: a count could ask for any amount of memory.
    fn add(&self, count: u64) -> Result<(), String> {
        let told = self.told.exchanges;
        if (self.gathered.len() as u64).saturating_add(count) > told {
            return Err(format!("there are more exchanges than the {told} that the header tells"));
        }
        Ok(())
    }

    fn verdict(&mut self, head: &'t str, rest: &'t str) -> Result<u32, String> {
        if let Some(known) = self.known.get(&(head, rest)) {
            return Ok(*known);
        }
        let parts: Vec<&str> = rest.split(BAR).collect();
        let number = self.gathered.verdict(read_verdict(head, &parts)?);
        self.known.insert((head, rest), number);
        Ok(number)
    }

    fn who(&mut self, text: &str) -> Result<(u32, u32), String> {
        let (server, tool) = text.split_once('/').ok_or_else(|| unclear(text))?;
        Ok((self.gathered.name(&name_of(server)?), self.gathered.name(&name_of(tool)?)))
    }

    fn read_keys(&self, text: &str) -> Result<(Key, Key), String> {
        let digits = self.told.key_digits;
        match text.split_once(ANSWERS) {
            Some((key, request)) => Ok((read_key(key, digits)?, read_key(request, digits)?)),
            None => read_key(text, digits).map(|key| (key, key)),
        }
    }
}

/// The first part of a line, the second, and all others.
fn parts(line: &str) -> Result<(&str, &str, &str), String> {
    let mut parts = line.splitn(3, BAR);
    match (parts.next(), parts.next(), parts.next()) {
        (Some(head), Some(who), Some(rest)) => Ok((head, who, rest)),
        _ => Err(unclear(line)),
    }
}

/// A key of which the first digits are told.
fn read_key(text: &str, digits: u8) -> Result<Key, String> {
    let is_key = text.len() == usize::from(digits)
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let number = is_key.then(|| u128::from_str_radix(text, 16).ok()).flatten();
    let left_out = 4 * u32::from(WHOLE_KEY.saturating_sub(digits));
    match number {
        Some(number) => Ok(Key(number.checked_shl(left_out).unwrap_or(0))),
        None => Err(match numbered_key(text) {
            Some((key, number)) => format!(
                "`{}` has a number behind its key: leave out -{number}, and write equal exchanges of \
                 which the same is said once with their count, as in `{key} x{number}`",
                cut(text)
            ),
            None => format!("`{}` is no key of {digits} digits", cut(text)),
        }),
    }
}
