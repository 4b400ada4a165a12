//! Baselines from their text.

use super::error::Wrong;
use super::header::{Lines, Preamble, read as read_header};
use super::model::{Baseline, Note, Notes, UNRECORDED};
use super::seal::Seal;
use super::text::{ANSWERS, CALL, TOOL, VERDICTS};
use super::verdict_text::{BAR, cut, name_of, read as read_verdict, read_count, unclear};
use super::wrap::{joined, line_in};
use crate::compare::{Entry, Names, Side, Texts, WHOLE_KEY};
use crate::recording::Key;
use crate::store::NamedVerdict;
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
    let preamble = read_header(&mut lines, name)?;
    // A key whose request is cut off would read like one that has none.
    if !text.ends_with('\n') {
        return Err(Wrong::line(text.lines().count(), "the text ends within this line"));
    }
    let digest = preamble.digest.clone();
    let baseline = read_exchanges(lines, preamble)?;
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

fn read_exchanges(mut lines: Lines<'_>, preamble: Preamble) -> Result<Baseline, Wrong> {
    let mut reader = Reader::new(preamble);
    while let Some(line) = lines.next_if(|line| line != VERDICTS) {
        let read = match (line.strip_prefix(TOOL), line.strip_prefix(CALL)) {
            (Some(tool), _) => reader.tool(tool),
            (None, Some(call)) => reader.call(call),
            (None, None) if line.is_empty() => Ok(()),
            (None, None) => Err(unclear(line)),
        };
        read.map_err(|what| Wrong::line(lines.number, what))?;
    }
    lines.next().ok_or_else(|| Wrong::line(lines.number, format!("`{VERDICTS}` is missing")))?;
    let mut verdicts: Vec<Option<NamedVerdict>> = vec![None; reader.numbers.len()];
    while let Some(line) = lines.next() {
        if !line.is_empty() {
            let verdict = reader.verdict(line).map_err(|what| Wrong::line(lines.number, what))?;
            verdicts[verdict.0] = Some(verdict.1);
        }
    }
    let Reader { entries, notes, names, numbers, preamble, .. } = reader;
    let lost = numbers.iter().find(|(_, number)| verdicts[**number as usize].is_none());
    if let Some((name, _)) = lost {
        return Err(Wrong::line(lines.number, format!("the verdict `{}` is missing", cut(name))));
    }
    let verdicts: Vec<NamedVerdict> = verdicts.into_iter().flatten().collect();
    let all = entries.iter().filter_map(|entry| verdicts.get(entry.verdict as usize));
    preamble.check(entries.len() as u64, all)?;
    let Preamble { header, origin, key_digits, .. } = preamble;
    let texts = Texts::default();
    let side = Side { header, rulebook: None, verdicts, entries, names, texts, key_digits };
    Ok(Baseline::new(side, notes).from(origin))
}

struct Reader<'t> {
    entries: Vec<Entry>,
    notes: Notes,
    names: Names,
    /// The server and tool of the calls that follow.
    who: Option<(u32, u32)>,
    /// Verdicts by name.
    numbers: HashMap<&'t str, u32>,
    preamble: Preamble,
}

impl<'t> Reader<'t> {
    fn new(preamble: Preamble) -> Self {
        let (entries, notes) = (Vec::new(), Notes::new());
        Self {
            entries,
            notes,
            names: Names::default(),
            who: None,
            numbers: HashMap::new(),
            preamble,
        }
    }

    fn tool(&mut self, text: &str) -> Result<(), String> {
        let (server, tool) = text.split_once('/').ok_or_else(|| unclear(text))?;
        let [server, tool] =
            [name_of(server)?, name_of(tool)?].map(|name| self.names.number(&name));
        self.who = Some((server, tool));
        Ok(())
    }

    /// A line about one call, or several that are alike: `OUTCOME VERDICT KEYS [ID] xN | WHY | TEXT`. The
    /// outcome and the reason are those of the verdict.
    fn call(&mut self, line: &'t str) -> Result<(), String> {
        let (server, tool) =
            self.who.ok_or_else(|| format!("no tool is named before `{}`", cut(line)))?;
        let (call, shown) = line.split_once(BAR).unwrap_or((line, ""));
        let (call, count) = read_count(call)?;
        let (call, id) = match call.strip_suffix(']').and_then(|call| call.split_once(" [")) {
            Some((call, id)) => (call, Some(name_of(id)?.into())),
            None => (call, None),
        };
        let words: Vec<&str> = call.split(' ').collect();
        let [_, name, keys] = words[..] else { return Err(unclear(call)) };
        let preamble = self.preamble.exchanges;
        // A count could ask for any amount of memory.
        if (self.entries.len() as u64).saturating_add(count) > preamble {
            return Err(format!("there are more calls than the {preamble} in the header"));
        }
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        let verdict = *self.numbers.entry(name).or_insert(next);
        let text = shown.split_once(BAR).map(|(_, text)| text.into());
        let (key, request) = self.keys(keys)?;
        let entry = Entry { key, verdict, request, server, tool, ..UNRECORDED };
        for _ in 0..count {
            self.entries.push(entry);
            self.notes.push(Note { id: id.clone(), text: text.clone() });
        }
        Ok(())
    }

    /// A verdict behind its name, and its number.
    fn verdict(&self, line: &str) -> Result<(usize, NamedVerdict), String> {
        let (name, text) = line.split_once(' ').ok_or_else(|| unclear(line))?;
        let number = self.numbers.get(name);
        let number = number.ok_or_else(|| format!("no call has the verdict `{}`", cut(name)))?;
        let parts: Vec<&str> = text.split(BAR).collect();
        let (head, parts) = parts.split_first().ok_or_else(|| unclear(text))?;
        Ok((*number as usize, read_verdict(head, parts)?))
    }

    fn keys(&self, text: &str) -> Result<(Key, Key), String> {
        let digits = self.preamble.key_digits;
        match text.split_once(ANSWERS) {
            Some((key, request)) => Ok((read_key(key, digits)?, read_key(request, digits)?)),
            None => read_key(text, digits).map(|key| (key, key)),
        }
    }
}

/// A key of which the first digits are told.
fn read_key(text: &str, digits: u8) -> Result<Key, String> {
    let is_key = text.len() == usize::from(digits)
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let number = is_key.then(|| u128::from_str_radix(text, 16).ok()).flatten();
    let left_out = 4 * u32::from(WHOLE_KEY.saturating_sub(digits));
    let number =
        number.ok_or_else(|| format!("`{}` is not a key of {digits} digits", cut(text)))?;
    Ok(Key(number.checked_shl(left_out).unwrap_or(0)))
}
