//! `tapecheck label add`: one exchange.

use super::{How, MOST_EQUAL, label_lines, pages, target};
use crate::cli::command_line::typed;
use crate::cli::review::sign;
use crate::cli::terminal::print;
use crate::cli::{Exit, Failure};
use crate::compare::{Entry, Side};
use crate::labels::{
    Contradiction, Label, LabelLine, add_labels, can_be_added_to, labels_of_entry, replace_labels,
};
use crate::redact::Redactor;
use crate::verdict::{counted, harmless};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// So many exchanges are looked at for replies that are equal.
const MOST_READ: usize = 5_000;

/// Arguments of `tapecheck label add`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// A run, or recordings to classify first
    #[arg(value_name = "RUN|RECORDINGS")]
    input: PathBuf,
    /// The call: its key or the beginning of it, or `FILE:LINE` (`FILE:LINE:N` for the Nth call of a line)
    #[arg(value_name = "CALL")]
    exchange: String,
    /// What became of the call
    #[arg(value_name = "LABEL", value_parser = label_parser())]
    label: Label,
    /// Why
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// The file to add the label to [default: labels.jsonl]
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Replace another label of these calls
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    how: How,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let file = target(self.labels.as_ref());
        can_be_added_to(&file)?;
        let (side, _folder) = self.how.open(&self.input)?;
        let at = find(&side, &self.exchange)?;
        fits(&side, at, self.label)?;
        let by = sign();
        let why = self.note.as_ref().filter(|why| !why.trim().is_empty());
        let mut lines = self.lines(&side, at)?;
        for line in &mut lines {
            line.why = why.cloned();
            (line.who, line.when) = (Some(by.who.clone()), Some(by.when.clone()));
        }
        let first = lines.first().map_or_else(String::new, |line| harmless(&line.exchange()));
        let others = match lines.len().saturating_sub(1) {
            0 => String::new(),
            more => format!(" and {} with the same reply", counted(more as u64, "other")),
        };
        let (into, said) = (file.display(), format!("{} of {first}{others}", self.label.name()));
        if self.yes {
            let out = counted(replace_labels(&file, &lines)?.len() as u64, "line");
            return print(&format!("{into}: {said} in place of {out}\n"));
        }
        let done = add_labels(&file, &lines)?;
        if let Some(Contradiction { at, existing }) = done.against.first() {
            let (line, call) = (existing.line, harmless(&lines[*at].exchange()));
            let label = existing.label.said.label.name();
            return Err(Failure::usage(format!("{into}:{line} labels {call} {label}"))
                .next("read the call again; --yes overwrites the earlier label"));
        }
        let said = if done.added == 0 { "already has this label" } else { &said };
        print(&format!("{into}: {said}\n"))
    }

    /// Labels of the exchange and of those of its server with an equal reply. Of a reply that is no longer in its
    /// recording nobody knows what it equals.
    fn lines(&self, side: &Side, at: u32) -> Result<Vec<LabelLine>, Failure> {
        let named = side.entries[at as usize];
        let alike = (0..).zip(&side.entries).filter(|(other, entry)| {
            *other != at && (entry.server, entry.verdict) == (named.server, named.verdict)
        });
        let mut entries = vec![at];
        entries.extend(alike.map(|(other, _)| other).take(MOST_READ));
        let pages = pages(&self.input, side, &entries, &Redactor::none())?;
        let reply = |at: &u32| pages.get(at).map(|page| page.hash);
        let own = reply(&at);
        let mut keys = HashSet::from([named.key]);
        let is_equal = |other: &u32| own.is_some() && reply(other) == own;
        entries.retain(|other| {
            *other == at || is_equal(other) && keys.insert(side.entries[*other as usize].key)
        });
        entries.truncate(MOST_EQUAL);
        entries.sort_unstable();
        Ok(label_lines(side, entries, &pages, self.label))
    }
}

fn label_parser() -> impl TypedValueParser<Value = Label> {
    let words = PossibleValuesParser::new(Label::ASKED.map(Label::name));
    words.try_map(|word| Label::of_name(&word).ok_or("not a label"))
}

/// A label has to be one that the reply can have.
fn fits(side: &Side, at: u32, label: Label) -> Result<(), Failure> {
    let Some(possible) = labels_of_entry(side, at) else { return Ok(()) };
    if possible.contains(&label) {
        return Ok(());
    }
    Err(match possible {
        [] => Failure::usage("the call has no tool reply to label").next("name another one"),
        _ => Failure::usage("this reply is flagged as an error and cannot be labelled worked")
            .next("label it refused or failed"),
    })
}

fn find(side: &Side, named: &str) -> Result<u32, Failure> {
    let unknown = |why: &str| Failure::usage(format!("no call is called {}{why}", typed(named)));
    let entries = (0..).zip(&side.entries);
    let found: Vec<u32> = if let Some((file, line, nth)) = place(named) {
        let is_named = |name: &str| {
            name == file || !name.is_empty() && Path::new(file).ends_with(Path::new(name))
        };
        let is_file: Vec<bool> = side.names.iter().map(is_named).collect();
        let near = entries.filter(|(_, entry)| is_file.get(entry.file as usize) == Some(&true));
        let near: Vec<(u32, &Entry)> = near.collect();
        let Some((_, nearest)) =
            near.iter().min_by_key(|(_, entry)| u64::from(entry.line).abs_diff(line))
        else {
            return Err(unknown(": no recording with calls has that name")
                .next("name the recording as a path below RUN|RECORDINGS"));
        };
        let there = near.iter().filter(|(_, entry)| u64::from(entry.line) == line);
        let there = there.enumerate().filter(|(at, _)| nth.is_none_or(|nth| at + 1 == nth));
        let there: Vec<u32> = there.map(|(_, (at, _))| *at).collect();
        if there.is_empty() {
            let nearest = format!("{}:{}", side.names.get(nearest.file), nearest.line);
            return Err(unknown(": no such call begins in that line")
                .next(format!("the nearest is {}", harmless(&nearest))));
        }
        there
    } else {
        // A key stands for all exchanges that are equal: the first of each.
        let mut seen = HashSet::new();
        let begins = |entry: &Entry| entry.key.to_string().starts_with(named);
        let found = entries.filter(|(_, entry)| named.len() >= 4 && begins(entry));
        found.filter(|(_, entry)| seen.insert(entry.key)).map(|(at, _)| at).collect()
    };
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(unknown("").next(
            "name a key of at least 4 digits, or FILE:LINE; tapecheck label next lists both",
        )),
        several => {
            let count = counted(several.len() as u64, "call");
            Err(Failure::usage(format!("{count} are {}", typed(named)))
                .next("name more of the key, or FILE:LINE:N for one of the calls of a line"))
        }
    }
}

/// `FILE:LINE` or `FILE:LINE:N`.
fn place(named: &str) -> Option<(&str, u64, Option<usize>)> {
    let (before, last) = named.rsplit_once(':')?;
    let last: u64 = last.parse().ok()?;
    if let Some((file, line)) = before.rsplit_once(':')
        && let Ok(line) = line.parse()
    {
        return Some((file, line, usize::try_from(last).ok()));
    }
    Some((before, last, None))
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn places_are_told_from_keys() {
        assert_eq!(place("recordings/a.jsonl:12"), Some(("recordings/a.jsonl", 12, None)));
        assert_eq!(place("a.json:1:2"), Some(("a.json", 1, Some(2))));
        assert_eq!(place("C:a.json:7"), Some(("C:a.json", 7, None)));
        assert_eq!(place("0123456789abcdef-2"), None);
    }
}
