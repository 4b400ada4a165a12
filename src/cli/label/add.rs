//! `tapecheck label add`: one exchange.

use super::{How, pages, target};
use crate::cli::command_line::typed;
use crate::cli::review::sign;
use crate::cli::terminal::print;
use crate::cli::{Exit, Failure};
use crate::compare::{Entry, Side};
use crate::labels::{
    ExchangeName, Label, LabelLine, add_labels, can_be_added_to, labels_of_entry, names_of,
    replace_labels,
};
use crate::redact::Redactor;
use crate::verdict::{counted, harmless};
use clap::builder::PossibleValuesParser;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// So many calls of a server with the same reply get a label together.
pub(super) const MOST_EQUAL: usize = 100;
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
    /// For an error `business_logic` or `tool_failure`, for any other reply `ok` or `hidden_failure`
    #[arg(value_name = "LABEL", value_parser = PossibleValuesParser::new(Label::ALL.map(Label::name)))]
    label: String,
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
        let Some(label) = Label::named(&self.label) else {
            return Err(Failure::usage(format!("`{}` is not a label", self.label)));
        };
        let file = target(self.labels.as_ref());
        can_be_added_to(&file)?;
        let (side, folder) = self.how.open(&self.input)?;
        let at = find(&side, &self.exchange)?;
        fits(&side, at, label)?;
        let names = names_of(&folder.path, &side, self.equal_to(&side, at)?)?;
        let by = sign();
        let lines: Vec<LabelLine> = names
            .into_values()
            .map(|ExchangeName { key, file, id }| LabelLine {
                key: Some(key),
                file: Some(file),
                id,
                label,
                why: self.note.clone().filter(|why| !why.trim().is_empty()),
                who: Some(by.who.clone()),
                when: Some(by.when.clone()),
            })
            .collect();
        let into = file.display();
        let text = if self.yes {
            let out = replace_labels(&file, &lines)?;
            let out = counted(out.len() as u64, "line");
            format!("{into}: {} in place of {out}\n", self.words(&lines))
        } else {
            let done = add_labels(&file, &lines)?;
            if let Some(against) = done.against.first() {
                let existing = &against.existing;
                return Err(Failure::usage(format!(
                    "{into}:{} labels {} {}",
                    existing.line,
                    harmless(&lines[against.at].exchange()),
                    existing.label.label.name()
                ))
                .next("read the call again; --yes overwrites the earlier label"));
            }
            match done.added {
                0 => format!("{into}: already has this label\n"),
                _ => format!("{into}: {}\n", self.words(&lines)),
            }
        };
        print(&text)
    }

    fn words(&self, lines: &[LabelLine]) -> String {
        let first = lines.first().map_or_else(String::new, LabelLine::exchange);
        let others = match lines.len().saturating_sub(1) {
            0 => String::new(),
            more => format!(" and {} with the same reply", counted(more as u64, "other")),
        };
        format!("{} of {}{others}", self.label, harmless(&first))
    }

    /// The exchange and those of its server with an equal reply.
    fn equal_to(&self, side: &Side, at: u32) -> Result<Vec<u32>, Failure> {
        let named = side.entries[at as usize];
        let alike = (0..).zip(&side.entries).filter(|(other, entry)| {
            *other != at && (entry.server, entry.verdict) == (named.server, named.verdict)
        });
        let mut entries = vec![at];
        entries.extend(alike.map(|(other, _)| other).take(MOST_READ));
        let pages = pages(&self.input, side, &entries, &Redactor::none())?;
        let reply = pages.get(&at).map(|page| page.hash);
        entries.retain(|other| *other == at || pages.get(other).map(|page| page.hash) == reply);
        // A label is that of all exchanges with its key.
        let mut keys = HashSet::new();
        entries.retain(|other| keys.insert(side.entries[*other as usize].key));
        entries.truncate(MOST_EQUAL);
        Ok(entries)
    }
}

/// A label has to be one that the reply can have.
fn fits(side: &Side, at: u32, label: Label) -> Result<(), Failure> {
    let Some(possible) = labels_of_entry(side, at) else { return Ok(()) };
    if possible.contains(&label) {
        return Ok(());
    }
    Err(match possible {
        [one, other] => Failure::usage(format!("this reply cannot be labelled {}", label.name()))
            .next(format!("label it {} or {}", one.name(), other.name())),
        _ => Failure::usage("the call has no tool reply to label").next("name another one"),
    })
}

fn find(side: &Side, named: &str) -> Result<u32, Failure> {
    let found = match place(named) {
        Some(place) => at_place(side, place),
        None => with_key(side, named),
    };
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(not_found(side, named)),
        several => {
            let count = counted(several.len() as u64, "call");
            Err(Failure::usage(format!("{count} are {}", typed(named)))
                .next("name more of the key, or FILE:LINE:N for one of the calls of a line"))
        }
    }
}

fn not_found(side: &Side, named: &str) -> Failure {
    let what = format!("no call is called {}", typed(named));
    let Some((file, line, _)) = place(named) else {
        return Failure::usage(what).next(
            "name a key of at least 4 digits, or FILE:LINE; tapecheck label next lists both",
        );
    };
    let files = files_called(side, file);
    let lines = side.entries.iter().filter(|entry| files.get(entry.file as usize) == Some(&true));
    match lines.min_by_key(|entry| u64::from(entry.line).abs_diff(line)) {
        Some(entry) if u64::from(entry.line) == line => {
            Failure::usage(format!("{what}: the line has fewer"))
                .next("name one of the line's calls, counted from 1")
        }
        Some(entry) => {
            let nearest = format!("{}:{}", side.names.get(entry.file), entry.line);
            Failure::usage(format!("{what}: no call begins in that line"))
                .next(format!("the nearest is {}", harmless(&nearest)))
        }
        None => Failure::usage(format!("{what}: no recording with calls has that name"))
            .next("name the recording as a path below RUN|RECORDINGS"),
    }
}

/// Which files are meant by a name, by their place among all names.
fn files_called(side: &Side, file: &str) -> Vec<bool> {
    let is_file =
        |name: &str| name == file || !name.is_empty() && Path::new(file).ends_with(Path::new(name));
    side.names.iter().map(is_file).collect()
}

fn at_place(side: &Side, (file, line, nth): (&str, u64, Option<usize>)) -> Vec<u32> {
    let files = files_called(side, file);
    let there = (0..).zip(&side.entries).filter(|(_, entry)| {
        u64::from(entry.line) == line && files.get(entry.file as usize) == Some(&true)
    });
    let there: Vec<u32> = there.map(|(at, _)| at).collect();
    match nth {
        Some(nth) => there.get(nth.wrapping_sub(1)).copied().into_iter().collect(),
        None => there,
    }
}

fn with_key(side: &Side, named: &str) -> Vec<u32> {
    // A key stands for all exchanges that are equal: the first of each.
    let mut seen = HashSet::new();
    let mut begins = |entry: &Entry| {
        named.len() >= 4 && entry.key.to_string().starts_with(named) && seen.insert(entry.key)
    };
    (0..).zip(&side.entries).filter(|(_, entry)| begins(entry)).map(|(at, _)| at).collect()
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
