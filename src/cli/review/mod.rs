//! `tapecheck review`: comparing with what was accepted, and deciding about what changed.

mod check;
mod detail;
mod listing;
mod open;
mod screen;
#[cfg(test)]
mod screen_tests;
mod write;

pub(super) use check::{list, place_of};

use super::config::config;
use super::inputs::{JudgingArgs, RawArg};
use super::opened::Place;
use super::screen::{has_terminal, show};
use super::terminal::{print, say};
use super::{Exit, Failure};
use crate::recording::{Key, Moment};
use crate::review::{Session, Signature, Target, What};
use crate::verdict::{counted, harmless};
use check::{Task, Which};
use open::{After, Opened, Subject, names_of};
use screen::{End, ReviewScreen};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `tapecheck review`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Args {
    /// Runs, recordings or waiting baselines to compare with what was accepted [default: the recordings
    /// of all baselines]
    #[arg(value_name = "AFTER")]
    after: Vec<PathBuf>,
    /// List the changes, with the commands that decide about them
    #[arg(long)]
    list: bool,
    /// Accept a group, a single call by its key, or `all`: update the baseline; repeatable
    #[arg(long, value_name = "ID", conflicts_with = "list")]
    accept: Vec<String>,
    /// Reject the same: add a failing example or a label; repeatable
    #[arg(long, value_name = "ID", conflicts_with_all = ["list", "accept"], requires = "note")]
    reject: Vec<String>,
    /// Accept everything, and create missing baselines
    #[arg(long, conflicts_with_all = ["list", "accept", "reject"])]
    all: bool,
    /// Why
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Take back the latest decision that is not written yet
    #[arg(long, conflicts_with_all = ["list", "accept", "reject", "all"])]
    undo: bool,
    /// Write the decisions of earlier reviews
    #[arg(long, conflicts_with_all = ["list", "accept", "reject", "all", "undo"])]
    apply: bool,
    /// Remove accepted calls that no longer exist
    #[arg(long, conflicts_with_all = ["list", "accept", "reject", "all", "undo", "apply"])]
    prune: bool,
    /// Show only groups with these words in their cause, kind, change, servers or tools
    #[arg(long, value_name = "WORDS")]
    filter: Option<String>,
    /// A baseline, or the folder of all baselines [default: snapshots]
    #[arg(long, value_name = "FILE|DIR")]
    baseline: Option<PathBuf>,
    /// Rulebook for recordings [default: that of the baseline]; repeatable. Rejected calls become
    /// examples in its file
    #[arg(long, value_name = "NAME|FILE")]
    rulebook: Vec<String>,
    /// File for labels of rejected calls [default: labels.jsonl beside the baseline]
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    #[command(flatten)]
    raw: RawArg,
    #[command(flatten)]
    judging: JudgingArgs,
}

enum Targets<'a> {
    All,
    Named(&'a [String]),
}

/// Whether a review goes on to what else waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    GoOn,
    Stop,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if self.prune {
            return self.which()?.prune();
        }
        let note = self.note.as_deref().map(str::trim);
        if !self.accept.is_empty() {
            return self.decide(&Targets::Named(&self.accept), (What::Accept, note));
        }
        if !self.reject.is_empty() {
            if note.is_none_or(str::is_empty) {
                return Err(
                    Failure::usage("a rejection needs a reason").next("give one with --note TEXT")
                );
            }
            return self.decide(&Targets::Named(&self.reject), (What::Reject, note));
        }
        if self.all {
            return self.accept_all(note);
        }
        let afters = self.afters()?;
        let is_begun = self.undo || self.apply;
        let mut worst = Exit::Clean;
        if self.names_collections() || self.after.is_empty() && !is_begun {
            // What waits is taken up as it was left.
            let without = if self.after.is_empty() { afters.as_slice() } else { &[] };
            let which = Which { without, or_only: true, ..self.which()? };
            let (exit, then) = which.compare(|task| {
                let after = After::Named(task.collection.clone());
                self.review(&self.subject_of(task), &after)
            })?;
            if then == Then::Stop || without.is_empty() {
                return Ok(exit);
            }
            worst = exit;
        }
        let subject = self.subject(None);
        match afters.as_slice() {
            [] => return Err(Failure::usage(subject.nothing_waits())),
            [_, _, ..] if self.undo => return Err(several(&afters)),
            [_] => {}
            several => say(&format!(
                "{} wait for a review, one after the other: {}",
                counted(several.len() as u64, "baseline"),
                names_of(several)
            )),
        }
        for after in &afters {
            let (exit, then) = self.review(&subject, after)?;
            worst = worst.max(exit);
            if then == Then::Stop {
                break;
            }
        }
        Ok(worst)
    }

    /// Whether recordings are named, each a collection with its own baseline.
    fn names_collections(&self) -> bool {
        let is_corpus = |path: &PathBuf| Place::of(path) == Place::Corpus;
        self.baseline.as_deref().is_none_or(|named| Place::of(named) != Place::Baseline)
            && !self.after.is_empty()
            && self.after.iter().all(is_corpus)
            && !self.undo
            && !self.apply
    }

    fn which(&self) -> Result<Which<'_>, Failure> {
        let file = self.baseline.as_deref().filter(|named| Place::of(named) == Place::Baseline);
        let named = file.map(Subject::place_named).transpose()?;
        Ok(Which { args: self, named, without: &[], or_only: false })
    }

    fn snapshots(&self) -> &Path {
        let folder = self.baseline.as_deref().filter(|named| Place::of(named) != Place::Baseline);
        folder.unwrap_or(&config().baseline)
    }

    fn subject(&self, rulebook: Option<&str>) -> Subject<'_> {
        let file = self.baseline.clone().filter(|named| Place::of(named) == Place::Baseline);
        let rulebook = rulebook.or(self.rulebook.first().map(String::as_str)).map(str::to_owned);
        Subject { args: self, is_named: !self.after.is_empty(), baseline: file, rulebook }
    }

    fn subject_of(&self, task: &Task<'_>) -> Subject<'_> {
        let subject = self.subject(Some(task.word()));
        let baseline = task.baseline.clone().or_else(|| subject.baseline.clone());
        Subject { is_named: true, baseline, ..subject }
    }

    /// What is named, or else everything that waits for a review.
    fn afters(&self) -> Result<Vec<After>, Failure> {
        if self.after.is_empty() {
            return self.subject(None).waiting();
        }
        Ok(self.after.iter().cloned().map(After::Named).collect())
    }

    fn review(&self, subject: &Subject<'_>, after: &After) -> Result<(Exit, Then), Failure> {
        let on_screen = has_terminal() && !self.undo && !self.apply && !self.list;
        let decides = on_screen || self.undo || self.apply;
        let (mut session, mut opened) = subject.open(after, decides)?;
        tell_about_log(&opened);
        if self.undo {
            undo(&mut session, &mut opened)?;
        }
        if self.apply {
            return Ok((finish(session, opened)?, Then::GoOn));
        }
        let filter = self.filter.as_deref().unwrap_or_default();
        if !on_screen {
            let text = listing::listing(&session, filter, &opened.command);
            print(&(text + "\n" + &write::summary(&session)))?;
            return Ok((exit_of(&session), Then::GoOn));
        }
        if session.subjects().is_empty() {
            print("nothing changed; nothing to decide\n")?;
            return Ok((Exit::Clean, Then::GoOn));
        }
        let mut keep = |lines: &_| opened.log.add(lines);
        let (screen, end) = show(ReviewScreen::new(session, filter, &sign, &mut keep))?;
        let session = screen.into_session();
        match end {
            End::Write => Ok((finish(session, opened)?, Then::GoOn)),
            End::Quit => {
                let text = format!(
                    "{}kept      {}\nnothing was written; continue with {}\n",
                    write::summary(&session),
                    opened.log.path.display(),
                    again(&opened),
                );
                print(&text)?;
                // What is decided and in no file yet is not done.
                let is_done = session.counts().left() == 0 && write::is_written(&session);
                Ok((if is_done { Exit::Clean } else { Exit::Findings }, Then::Stop))
            }
        }
    }

    /// Accepts everything: a collection without a baseline gets one.
    fn accept_all(&self, note: Option<&str>) -> Result<Exit, Failure> {
        if self.names_collections() {
            return self.which()?.accept(|task| {
                let after = After::Named(task.collection.clone());
                let decision = (What::Accept, note);
                decide_about(&self.subject_of(task), &after, &Targets::All, decision)
                    .map(|()| Exit::Clean)
            });
        }
        self.decide(&Targets::All, (What::Accept, note))
    }

    /// Decides and writes at once.
    fn decide(
        &self,
        targets: &Targets<'_>,
        decision: (What, Option<&str>),
    ) -> Result<Exit, Failure> {
        let subject = self.subject(None);
        let afters = self.afters()?;
        match (afters.as_slice(), targets) {
            ([], _) => return Err(Failure::usage(subject.nothing_waits())),
            ([one], _) => decide_about(&subject, one, targets, decision)?,
            (all, Targets::All) => {
                for after in all {
                    decide_about(&subject, after, targets, decision)?;
                }
            }
            (all, Targets::Named(_)) => {
                let one = the_one_with(&subject, all, targets)?;
                decide_about(&subject, one, targets, decision)?;
            }
        }
        Ok(Exit::Clean)
    }
}

/// The command that takes a review up again.
fn again(opened: &Opened) -> String {
    format!("tapecheck review {}", opened.command).trim_end().to_owned()
}

/// Several baselines wait, and it is not clear which is meant.
fn several(afters: &[After]) -> Failure {
    Failure::usage(format!("several baselines wait for a review: {}", names_of(afters)))
        .next("name one of them with --baseline")
}

fn decide_about(
    subject: &Subject<'_>,
    after: &After,
    targets: &Targets<'_>,
    (what, note): (What, Option<&str>),
) -> Result<(), Failure> {
    let (mut session, mut opened) = subject.open(after, true)?;
    tell_about_log(&opened);
    let targets = targets.of(&session)?;
    let lines = session.decide(&targets, (what, note), &sign());
    opened.log.add(&lines)?;
    finish(session, opened)?;
    Ok(())
}

/// The one of several baselines that wait which has what was named.
fn the_one_with<'a>(
    subject: &Subject<'_>,
    afters: &'a [After],
    targets: &Targets<'_>,
) -> Result<&'a After, Failure> {
    let mut found = Vec::new();
    let mut missing = None;
    for after in afters {
        let (session, _) = subject.open(after, false)?;
        match targets.of(&session) {
            Ok(_) => found.push(after),
            Err(failure) => missing = Some(failure),
        }
    }
    match (found.as_slice(), missing) {
        ([one], _) => Ok(one),
        ([], Some(failure)) => Err(failure),
        (_, _) => Err(several(&found.into_iter().cloned().collect::<Vec<_>>())),
    }
}

impl Targets<'_> {
    fn of(&self, session: &Session) -> Result<Vec<Target>, Failure> {
        let all = session.subjects();
        let names = match self {
            Self::All => {
                let left = |at: &usize| session.counts_of(*at).left() > 0;
                return Ok((0..all.len()).filter(left).map(Target::Group).collect());
            }
            Self::Named(names) => *names,
        };
        let mut targets = Vec::new();
        for name in names {
            if name == "all" {
                targets.extend(Self::All.of(session)?);
                continue;
            }
            match all.iter().position(|subject| subject.id == *name) {
                Some(group) => targets.push(Target::Group(group)),
                None => targets.extend(exchanges(session, name)?),
            }
        }
        Ok(targets)
    }
}

/// The exchanges whose key begins so, in all groups that are asked for.
fn exchanges(session: &Session, key: &str) -> Result<Vec<Target>, Failure> {
    let mut found: BTreeMap<Key, Vec<Target>> = BTreeMap::new();
    for subject in 0..session.subjects().len() {
        let places = 0..u32::try_from(session.subjects()[subject].flips.len()).unwrap_or(u32::MAX);
        for place in places {
            let flip = session.flip(subject, place);
            let Some((entry, _)) = flip.and_then(|flip| session.material().entry(flip)) else {
                continue;
            };
            // A target stands for all equal exchanges of its group.
            let is_first = session.equals(subject, place).first() == Some(&place);
            if is_first && entry.key.to_string().starts_with(key) {
                found.entry(entry.key).or_default().push(Target::Exchange(subject, place));
            }
        }
    }
    if found.len() > 1 {
        let several = counted(found.len() as u64, "call");
        let what = format!("the keys of {several} begin with {}", harmless(key));
        return Err(Failure::usage(what).next("name more of the key"));
    }
    found.into_values().next().ok_or_else(|| {
        let subjects = session.subjects();
        Failure::usage(format!(
            "no group is called {}, and no changed call has that key",
            harmless(key)
        ))
        .next(match subjects.len() {
            0 => "nothing changed; nothing to decide".to_owned(),
            _ => format!("the groups are {}", listing::known(subjects)),
        })
    })
}

fn undo(session: &mut Session, opened: &mut Opened) -> Result<(), Failure> {
    match session.undo(&sign()) {
        Some(line) => opened.log.add(&[line]),
        None => Err(Failure::usage("there is no decision to undo")
            .next("written decisions cannot be undone here; use version control")),
    }
}

/// Writes what was decided, and says what that was.
fn finish(mut session: Session, mut opened: Opened) -> Result<Exit, Failure> {
    let decided = write::summary(&session);
    let written = write::write(&mut session, &mut opened, &sign())?;
    let exit = exit_of(&session);
    let log = opened.log.path.display();
    let mut text = format!("{decided}{written}log       {log}\n");
    if exit == Exit::Findings {
        let _ = writeln!(text, "next      {}", again(&opened));
    }
    print(&text)?;
    Ok(exit)
}

fn exit_of(session: &Session) -> Exit {
    if session.counts().left() > 0 { Exit::Findings } else { Exit::Clean }
}

fn tell_about_log(opened: &Opened) {
    let path = opened.log.path.display();
    if opened.log.torn {
        say(&format!("warning: the last line of {path} was cut short and is ignored"));
    }
    if opened.replayed.outdated > 0 {
        say(&format!(
            "note: {} in {path} no longer {}: other changes have come since",
            counted(opened.replayed.outdated, "decision"),
            if opened.replayed.outdated == 1 { "counts" } else { "count" },
        ));
    }
}

pub(super) fn sign() -> Signature {
    let named =
        |variable: &str| std::env::var(variable).ok().filter(|name| !name.trim().is_empty());
    let who = config().who.clone().or_else(|| named("TAPECHECK_WHO")).or_else(|| named("USER"));
    let when = Moment::now().rfc3339();
    Signature { who: who.unwrap_or_else(|| "unknown".to_owned()), when }
}
