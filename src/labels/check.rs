//! What is wrong with labels.

use super::complaint::{Complaint, Fault};
use super::naming::{Name, Naming};
use super::{Label, LabelFile, LabelLine, Meant, PlacedLabel, Recorded};
use crate::compare::Side;
use crate::recording::{Day, ExchangeKind, Moment};
use crate::store::NamedVerdict;
use crate::verdict::{Ground, counted};
use std::collections::{BTreeMap, HashMap};

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
    /// What there is to complain about, by line.
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
    let mut complaints: Vec<Complaint> = file
        .wrong
        .iter()
        .map(|(line, reason)| {
            let next = "correct the line, or take it out";
            Complaint::new(Fault::Wrong, *line, reason.clone(), next)
        })
        .collect();
    complaints.extend(file.torn.map(|line| {
        let next = "the next label added removes it";
        Complaint::new(Fault::Wrong, line, "the line was cut short".to_owned(), next)
    }));
    let mut subjects: BTreeMap<Subject<'_>, &PlacedLabel> = BTreeMap::new();
    let mut contradicted: Vec<Subject<'_>> = Vec::new();
    let naming = Naming::of(file.labels.iter().map(|placed| &placed.label));
    for (at, placed) in file.labels.iter().enumerate() {
        let meant = against.and_then(|against| against.recorded.meant.get(at));
        complaints.extend(age_complaint(placed, age));
        if let (Some(against), Some(meant)) = (against, meant) {
            complaints.extend(fit_complaint(placed, meant, against));
        }
        let subject = match meant.and_then(|meant| meant.entries().first()) {
            Some(at) => Subject::Entry(*at),
            None => Subject::Named(naming.exchange(&placed.label)),
        };
        match subjects.get(&subject) {
            None => _ = subjects.insert(subject, placed),
            Some(first) if first.label.label == placed.label.label => {
                let what = format!("same label for {} as in line {}", about(placed), first.line);
                complaints.push(Complaint::new(
                    Fault::Duplicate,
                    placed.line,
                    what,
                    "remove one of the lines",
                ));
            }
            Some(first) => {
                complaints.push(contradiction(placed, first));
                contradicted.push(subject);
            }
        }
    }
    for subject in contradicted {
        subjects.remove(&subject);
    }
    // Beside what was judged, a label of something else is a label of nothing.
    let is_counted =
        |subject: &Subject<'_>| against.is_none() || matches!(subject, Subject::Entry(_));
    let counted: Vec<(&Subject<'_>, &PlacedLabel)> = subjects
        .iter()
        .filter(|(subject, _)| is_counted(subject))
        .map(|(subject, placed)| (subject, *placed))
        .collect();
    complaints.extend(content_complaints(&counted, against));
    complaints.extend(against.and_then(|against| foreign_complaint(against.recorded)));
    let mut counts = BTreeMap::new();
    for (_, placed) in &counted {
        *counts.entry(placed.label.label).or_default() += 1;
    }
    complaints.sort_by_key(|complaint| (complaint.line, complaint.fault));
    Checked { complaints, counts }
}

/// Labels that are all about something else were held against the wrong thing.
fn foreign_complaint(recorded: &Recorded) -> Option<Complaint> {
    let none = recorded.meant.iter().all(|meant| meant.entries().is_empty());
    let what = "none of the labels belongs to a call of the named recordings".to_owned();
    let next = "name the run or the recordings that were labelled";
    (none && !recorded.meant.is_empty()).then(|| Complaint::new(Fault::Foreign, None, what, next))
}

fn about(placed: &PlacedLabel) -> String {
    placed.label.exchange()
}

fn contradiction(placed: &PlacedLabel, first: &PlacedLabel) -> Complaint {
    let next = "read the call again, and remove one of the lines";
    Complaint::new(Fault::Conflict, placed.line, both_say(placed, first), next)
}

/// What a line says, and what an earlier one does.
fn both_say(placed: &PlacedLabel, first: &PlacedLabel) -> String {
    let [label, earlier] = [placed, first].map(|placed| placed.label.label.name());
    format!("labels {} {label}, but line {} has {earlier}", about(placed), first.line)
}

fn age_complaint(placed: &PlacedLabel, age: Age) -> Option<Complaint> {
    let when = placed.label.when.as_deref()?;
    let complaint = |fault, what, next| Some(Complaint::new(fault, placed.line, what, next));
    let Some(day) = Moment::parse(when).map(Moment::day).or_else(|| when.parse().ok()) else {
        let what = format!("`{when}` is not a time");
        return complaint(Fault::Time, what, "write it like 2026-11-21T09:37:54Z, or leave it out");
    };
    let days = i64::from(age.today.0) - i64::from(day.0);
    if days < 0 {
        let what = format!("is dated {day}, in the future");
        return complaint(Fault::Time, what, "check the clock");
    }
    (days > age.most_days).then(|| {
        let what = format!("is dated {day}, {} ago", counted(days.unsigned_abs(), "day"));
        let next = "read the call again: what counts as a failure may have changed since";
        Complaint::new(Fault::Old, placed.line, what, next)
    })
}

fn fit_complaint(
    placed: &PlacedLabel,
    meant: &Meant,
    Against { side, recorded }: Against<'_>,
) -> Vec<Complaint> {
    let complaint = |fault, what, next| vec![Complaint::new(fault, placed.line, what, next)];
    let place = |at: u32| {
        side.entries.get(at as usize).map_or_else(String::new, |entry| {
            format!("{}:{}", side.names.get(entry.file), entry.line)
        })
    };
    match meant {
        Meant::None if placed.label.key.is_some() => {
            let what = format!("no call has the key of {}", about(placed));
            let next = "the reply may have changed: label the call again, or remove the line";
            complaint(Fault::Unmatched, what, next)
        }
        Meant::None => {
            let what = format!("no call is called {}", about(placed));
            let next = "name the recording by its path below the named folder";
            complaint(Fault::Unmatched, what, next)
        }
        Meant::Several(count) => {
            let what = format!("{} are called {}", counted(*count as u64, "call"), about(placed));
            complaint(Fault::Ambiguous, what, "name the right one by its key")
        }
        Meant::Two(of_key, other) => {
            let what = format!(
                "its key names {}, but its file and id name {}",
                of_key.first().map_or_else(String::new, |at| place(*at)),
                place(*other)
            );
            complaint(Fault::Ambiguous, what, "remove the wrong name")
        }
        Meant::Entries(entries) => {
            let own = |at: &u32| {
                let found = recorded.own.binary_search_by_key(at, |(at, _)| *at).ok()?;
                recorded.own[found].1
            };
            let other = entries.iter().filter_map(own).find(|own| *own != placed.label.label);
            let other = other.map(|own| {
                let label = placed.label.label.name();
                let what = format!(
                    "labels {} {label}, but the recording has {}",
                    about(placed),
                    own.name()
                );
                let next = "the file takes precedence; correct it if the recording is right";
                Complaint::new(Fault::Recording, placed.line, what, next)
            });
            let kind = entries
                .iter()
                .find_map(|at| misfit(side, *at, &placed.label))
                .map(|(what, next)| Complaint::new(Fault::Kind, placed.line, what, next));
            kind.into_iter().chain(other).collect()
        }
    }
}

/// The labels that a reply can have; none where there is nothing to say whether it failed.
pub fn labels_for(ground: Ground) -> &'static [Label] {
    match ground.claims_success() {
        Some(true) => &[Label::Ok, Label::HiddenFailure],
        Some(false) => &[Label::BusinessLogic, Label::ToolFailure],
        None => &[],
    }
}

/// Whether such a reply can have a label: an error is no success, and what is no call has none.
pub fn can_have(earlier: &NamedVerdict, label: Label) -> bool {
    let is_call = earlier.kind == ExchangeKind::ToolCall;
    is_call && labels_for(earlier.ground).contains(&label)
}

/// The labels that the reply of an exchange can have; `None` where what it was is not known.
pub fn labels_of_entry(side: &Side, at: u32) -> Option<&'static [Label]> {
    let entry = side.entries.get(at as usize)?;
    Some(labels_for(side.verdicts.get(entry.verdict as usize)?.ground))
}

/// Why the reply of an exchange cannot have a label, and what to do; `None` where it can.
fn misfit(side: &Side, at: u32, line: &LabelLine) -> Option<(String, String)> {
    let possible = labels_of_entry(side, at)?;
    if possible.contains(&line.label) {
        return None;
    }
    let (label, exchange) = (line.label.name(), line.exchange());
    Some(match possible {
        [one, other] => {
            let is = if possible.contains(&Label::ToolFailure) { "is" } else { "is not" };
            (
                format!("labels {exchange} {label}, but the reply {is} an error"),
                format!("label it {} or {}; read the call again", one.name(), other.name()),
            )
        }
        _ => (
            format!("labels {exchange} {label}, but it has no tool reply"),
            "remove the line".to_owned(),
        ),
    })
}

/// The same content with different labels.
fn content_complaints(
    counted: &[(&Subject<'_>, &PlacedLabel)],
    against: Option<Against<'_>>,
) -> Vec<Complaint> {
    let mut contents: HashMap<u128, &PlacedLabel> = HashMap::new();
    let mut by_line: Vec<(u128, &PlacedLabel)> = counted
        .iter()
        .filter_map(|(subject, placed)| {
            let key = match (subject, against) {
                (Subject::Entry(at), Some(against)) => {
                    against.side.entries.get(*at as usize)?.key.0
                }
                _ => placed.label.key?.0,
            };
            Some((key, *placed))
        })
        .collect();
    by_line.sort_by_key(|(_, placed)| placed.line);
    let mut complaints = Vec::new();
    for (key, placed) in by_line {
        let first = *contents.entry(key).or_insert(placed);
        if first.label.label != placed.label.label {
            let what = both_say(placed, first) + " of the same call and reply";
            let next = "read both again: the same call and reply have the same label";
            complaints.push(Complaint::new(Fault::Conflict, placed.line, what, next));
        }
    }
    complaints
}
