//! What is wrong with labels.

use super::line::{Name, Naming};
use super::{Class, Label, LabelFile, LabelLine, Meant, PlacedLabel, Recorded, Said};
use crate::compare::Side;
use crate::recording::{Day, ExchangeKind, Moment};
use crate::store::NamedVerdict;
use crate::verdict::{Ground, Severity, counted};
use std::collections::{BTreeMap, HashMap};

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Fault {
        Wrong = "wrong",
        Conflict = "conflict",
        Ambiguous = "ambiguous",
        Kind = "kind",
        Unmatched = "unmatched",
        Foreign = "foreign",
        Recording = "recording",
        Duplicate = "duplicate",
        Time = "time",
        Old = "old",
    }
}

impl Fault {
    pub fn severity(self) -> Severity {
        match self {
            Self::Wrong | Self::Conflict | Self::Ambiguous | Self::Kind | Self::Foreign => {
                Severity::Error
            }
            Self::Unmatched | Self::Recording | Self::Duplicate | Self::Time | Self::Old => {
                Severity::Warning
            }
        }
    }

    pub fn about(self) -> &'static str {
        self.words().0
    }

    /// What to do about it.
    pub fn next(self) -> &'static str {
        self.words().1
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Wrong => (
                "the line is not a label, or its label is unknown",
                "correct the line, or remove it",
            ),
            Self::Conflict => (
                "two lines give different labels to one call, or to equal calls",
                "read the call again, and remove one of the lines",
            ),
            Self::Ambiguous => (
                "several calls have the name, or key and place name different calls",
                "name the right call by its key alone",
            ),
            Self::Kind => (
                "a reply that is flagged as an error is labelled as one that is not, or the reverse",
                "read the call again; a flagged reply is refused or failed, another one worked, refused or \
                 failed",
            ),
            Self::Unmatched => (
                "no call has the name",
                "name the recording by its path below the named folder; if the reply changed, label the \
                 call again",
            ),
            Self::Foreign => (
                "no label of the file belongs to a call of the recordings",
                "name the run or the recordings that were labelled",
            ),
            Self::Recording => (
                "the recording itself has another label",
                "the file takes precedence; correct it if the recording is right",
            ),
            Self::Duplicate => ("an earlier line has the same label", "remove one of the lines"),
            Self::Time => (
                "`when` is not a time, or is in the future",
                "write it like 2026-11-21T09:37:54Z, or leave it out",
            ),
            Self::Old => (
                "the label is older than `old_labels` days (tapecheck.toml)",
                "read the call again: what counts as a failure may have changed since",
            ),
        }
    }
}

/// What is wrong with a file of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    pub fault: Fault,
    /// The line; `None` where the whole file is meant.
    pub line: Option<u64>,
    pub what: String,
}

/// What labels are held against, beside each other.
#[derive(Clone, Copy, Debug)]
pub struct Against<'a> {
    pub side: &'a Side,
    /// Which of its exchanges the labels are about.
    pub recorded: &'a Recorded,
}

/// When a label is old.
#[derive(Clone, Copy, Debug)]
pub struct Age {
    pub today: Day,
    /// Labels from before so many days are old.
    pub most_days: i64,
}

#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// By line.
    pub complaints: Vec<Complaint>,
    pub counts: BTreeMap<Label, u64>,
}

/// Whose label a line is, as far as that is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Subject<'l> {
    Entry(u32),
    Named(Option<Name<'l>>),
}

pub fn check_labels(file: &LabelFile, against: Option<Against<'_>>, age: Age) -> Checked {
    let wrong = file.wrong.iter().map(|(line, reason)| (Fault::Wrong, *line, reason.clone()));
    let torn = file.torn.map(|line| (Fault::Wrong, line, "the line was cut short".to_owned()));
    let mut found: Vec<(Fault, u64, String)> = wrong.chain(torn).collect();
    let mut subjects: BTreeMap<Subject<'_>, Vec<&PlacedLabel>> = BTreeMap::new();
    let naming = Naming::of(file.labels.iter().map(|placed| &placed.label));
    for (at, placed) in file.labels.iter().enumerate() {
        let PlacedLabel { line, label } = placed;
        let meant = against.and_then(|against| against.recorded.meant.get(at));
        let mut misfits: Vec<_> = age_complaint(label, age).into_iter().collect();
        if let (Some(against), Some(meant)) = (against, meant) {
            misfits.extend(fit_complaints(label, meant, against));
        }
        found.extend(misfits.into_iter().map(|(fault, what)| (fault, *line, what)));
        let entry = meant.and_then(|meant| meant.entries().first());
        let named = || Subject::Named(naming.exchange(label));
        let subject = entry.map_or_else(named, |at| Subject::Entry(*at));
        subjects.entry(subject).or_default().push(placed);
    }
    let mut counts = BTreeMap::new();
    let mut counted = Vec::new();
    for (subject, placed) in &subjects {
        let first = placed[0];
        let is_same = |other: &PlacedLabel| other.label.said.with(first.label.said).is_some();
        found.extend(placed[1..].iter().filter_map(|other| {
            let (fault, what) = if !is_same(other) {
                (Fault::Conflict, both_say(other, first))
            } else if other.label.said.label == first.label.said.label {
                let (call, line) = (other.label.exchange(), first.line);
                (Fault::Duplicate, format!("same label for {call} as in line {line}"))
            } else {
                return None;
            };
            Some((fault, other.line, what))
        }));
        // Beside what was judged, a label of something else is a label of nothing.
        let is_known = against.is_none() || matches!(subject, Subject::Entry(_));
        if is_known && placed.iter().all(|other| is_same(other)) {
            let all = placed.iter().map(|it| it.label.said.label).min();
            *counts.entry(all.unwrap_or(first.label.said.label)).or_default() += 1;
            let side = against.map(|against| against.side);
            let entry = match subject {
                Subject::Entry(at) => side.and_then(|side| side.entries.get(*at as usize)),
                Subject::Named(_) => None,
            };
            let key = entry.map(|entry| entry.key).or(first.label.key);
            counted.extend(key.map(|key| (first.line, key, first)));
        }
    }
    // The same content with different labels.
    counted.sort_unstable_by_key(|(line, ..)| *line);
    let mut contents = HashMap::new();
    for (line, key, placed) in counted {
        let first: &PlacedLabel = contents.entry(key).or_insert(placed);
        if first.label.said.with(placed.label.said).is_none() {
            let what = both_say(placed, first) + " of the same call and reply";
            found.push((Fault::Conflict, line, what));
        }
    }
    let complaints = found.into_iter();
    let complaints =
        complaints.map(|(fault, line, what)| Complaint { fault, line: Some(line), what });
    let foreign = against.and_then(|against| foreign_complaint(against.recorded));
    let mut complaints: Vec<Complaint> = complaints.chain(foreign).collect();
    complaints.sort_by_key(|complaint| (complaint.line, complaint.fault));
    Checked { complaints, counts }
}

/// Labels that are all about something else were held against the wrong thing.
fn foreign_complaint(recorded: &Recorded) -> Option<Complaint> {
    let none = recorded.meant.iter().all(|meant| meant.entries().is_empty());
    let what = "none of the labels belongs to a call of the named recordings".to_owned();
    let is_foreign = none && !recorded.meant.is_empty();
    is_foreign.then_some(Complaint { fault: Fault::Foreign, line: None, what })
}

/// What a line says, and what an earlier one does.
fn both_say(placed: &PlacedLabel, first: &PlacedLabel) -> String {
    let [label, earlier] = [placed, first].map(|placed| placed.label.said.label.name());
    format!("labels {} {label}, but line {} has {earlier}", placed.label.exchange(), first.line)
}

fn age_complaint(label: &LabelLine, age: Age) -> Option<(Fault, String)> {
    let when = label.when.as_deref()?;
    let Some(day) = Moment::parse(when).map(Moment::day).or_else(|| when.parse().ok()) else {
        return Some((Fault::Time, format!("`{when}` is not a time")));
    };
    let days = i64::from(age.today.0) - i64::from(day.0);
    if days < 0 {
        return Some((Fault::Time, format!("is dated {day}, in the future")));
    }
    let ago = counted(days.unsigned_abs(), "day");
    (days > age.most_days).then(|| (Fault::Old, format!("is dated {day}, {ago} ago")))
}

/// What is wrong with a label beside the exchanges that it is about.
fn fit_complaints(
    line: &LabelLine,
    meant: &Meant,
    Against { side, recorded }: Against<'_>,
) -> Vec<(Fault, String)> {
    let (label, call) = (line.said.label.name(), line.exchange());
    let place = |at: u32| {
        let entry = side.entries.get(at as usize);
        entry.map(|entry| format!("{}:{}", side.names.get(entry.file), entry.line))
    };
    match meant {
        Meant::None if line.key.is_some() => {
            vec![(Fault::Unmatched, format!("no call has the key of {call}"))]
        }
        Meant::None => vec![(Fault::Unmatched, format!("no call is called {call}"))],
        Meant::Several(count) => {
            let count = counted(*count as u64, "call");
            vec![(Fault::Ambiguous, format!("{count} are called {call}"))]
        }
        Meant::Two(of_key, other) => {
            let first = of_key.first().and_then(|at| place(*at)).unwrap_or_default();
            let other = place(*other).unwrap_or_default();
            let what = format!("its key names {first}, but its file and id name {other}");
            vec![(Fault::Ambiguous, what)]
        }
        Meant::Entries(entries) => {
            let verdict =
                |at: &u32| side.verdicts.get(side.entries.get(*at as usize)?.verdict as usize);
            let mut verdicts = entries.iter().filter_map(verdict);
            let kind = verdicts.find(|it| class_of(it, line.said).is_none()).map(|verdict| {
                let is = match verdict.ground.claims_success() {
                    None => "it has no tool reply",
                    Some(false) => "the reply is flagged as an error",
                    Some(true) => "the reply is not flagged as an error",
                };
                (Fault::Kind, format!("labels {call} {label}, but {is}"))
            });
            let own = |at: &u32| {
                let found = recorded.own.binary_search_by_key(at, |(at, _)| *at).ok()?;
                recorded.own[found].1
            };
            let differs = |own: &Said| own.with(line.said).is_none();
            let other = entries.iter().filter_map(own).find(differs).map(|own| {
                let own = own.label.name();
                (Fault::Recording, format!("labels {call} {label}, but the recording has {own}"))
            });
            kind.into_iter().chain(other).collect()
        }
    }
}

/// The labels that are asked for of a reply; none where there is nothing to say whether it failed.
pub fn labels_for(ground: Ground) -> &'static [Label] {
    match ground.claims_success() {
        Some(true) => &Label::ASKED,
        Some(false) => &[Label::Refused, Label::Failed],
        None => &[],
    }
}

/// What a label comes to of the call with this verdict; `None` where its reply cannot have it, or there is none.
pub fn class_of(verdict: &NamedVerdict, said: Said) -> Option<Class> {
    let claims_success = verdict.ground.claims_success()?;
    let is_call = verdict.kind == ExchangeKind::ToolCall;
    said.class(!claims_success).filter(|_| is_call)
}

/// The labels that are asked for of an exchange; `None` where what it was is not known.
pub fn labels_of_entry(side: &Side, at: u32) -> Option<&'static [Label]> {
    let entry = side.entries.get(at as usize)?;
    Some(labels_for(side.verdicts.get(entry.verdict as usize)?.ground))
}
