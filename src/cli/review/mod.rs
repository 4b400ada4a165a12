//! `tapecheck review`: comparing with what was accepted, and deciding about what changed.

mod case;
mod check;
mod detail;
mod listing;
mod screen;
mod write;

pub(super) use case::place_of;
pub(super) use check::list;

use super::config::config;
use super::inputs::{JudgingArgs, RawArg};
use super::opened_path::PathKind;
use super::screen::{End, has_terminal, show};
use super::terminal::{print, say};
use super::{Exit, Failure};
use crate::baseline::SnapshotsLock;
use crate::recording::{Key, Moment};
use crate::review::{Session, Signature, Target, What};
use crate::verdict::{counted, harmless};
use case::{Case, Review, names_of};
use check::{check, create, missing, prune, remove_unused_rulebooks};
use screen::ReviewScreen;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::ControlFlow::{self, Break, Continue};
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

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if !self.reject.is_empty() && self.note().is_none_or(str::is_empty) {
            return Err(
                Failure::usage("a rejection needs a reason").next("give one with --note TEXT")
            );
        }
        let cases = self.cases()?;
        let names =
            |is_meant: fn(&&Case<'_>) -> bool| names_of(cases.iter().flatten().filter(is_meant));
        let is_of_one = self.undo || self.decision().is_some_and(|(targets, _)| targets != ALL);
        if cases.len() > 1 && is_of_one {
            let what = format!("several baselines are meant: {}", names(|_| true));
            return Err(Failure::usage(what).next("name one of them with --baseline"));
        }
        let waits = |case: &&Case<'_>| case.waits.is_some();
        let waiting = cases.iter().flatten().filter(waits).count();
        if waiting > 1 && self.decision().is_none() {
            let (count, names) = (counted(waiting as u64, "baseline"), names(waits));
            say(&format!("{count} wait for a review, one after the other: {names}"));
        }
        let mut worst = Exit::Clean;
        // What fails for one does not keep the others from being done.
        for case in cases {
            let done = case.and_then(|case| self.review(&case)).unwrap_or_else(|failure| {
                say(&failure.to_string());
                Continue(failure.exit())
            });
            let (Continue(exit) | Break(exit)) = done;
            worst = worst.max(exit);
            if done.is_break() {
                break;
            }
        }
        if self.prune && worst == Exit::Clean {
            remove_unused_rulebooks(self.snapshots())?;
        }
        Ok(worst)
    }

    fn note(&self) -> Option<&str> {
        self.note.as_deref().map(str::trim)
    }

    /// What is decided about which groups and calls, if the command line says so.
    fn decision(&self) -> Option<(&[String], What)> {
        match (self.accept.as_slice(), self.reject.as_slice()) {
            ([], []) => self.all.then_some((ALL, What::Accept)),
            ([], rejected) => Some((rejected, What::Reject)),
            (accepted, _) => Some((accepted, What::Accept)),
        }
    }

    /// The file of what was accepted, where it is named.
    fn named_baseline(&self) -> Option<&Path> {
        self.baseline.as_deref().filter(|named| PathKind::of(named) == PathKind::Baseline)
    }

    fn snapshots(&self) -> &Path {
        let folder =
            self.baseline.as_deref().filter(|named| PathKind::of(named) != PathKind::Baseline);
        folder.unwrap_or(&config().baseline)
    }

    /// Reviews one of them; a break leaves the others for later. What is accepted is read under the lock, so that of two
    /// who decide at once the second one goes on from what the first one wrote.
    fn review(&self, case: &Case<'_>) -> Result<ControlFlow<Exit, Exit>, Failure> {
        let is_first = self.all && case.is_collection && self.named_baseline().is_none();
        if let Some(place) = case.place.as_ref().filter(|_| !is_first)
            && !place.accepted().exists()
        {
            return Err(missing(case, place));
        }
        let now = case.now()?;
        let place = case.place(&now)?;
        let take_lock = || SnapshotsLock::take(&place.snapshots);
        if self.prune || self.decides() {
            let lock = take_lock()?;
            if is_first && !place.accepted().exists() {
                return create(&now, &place, &lock).map(Continue);
            }
            let accepted = case.accepted(&place)?;
            if self.prune {
                return prune(&now, (&place, &accepted), &lock).map(Continue);
            }
            let review = case.open(now, (place, accepted), Some(lock))?;
            return self.decide(review).map(Continue);
        }
        let on_screen = has_terminal() && !self.list;
        let lock = (on_screen || case.is_collection).then(take_lock);
        let accepted = case.accepted(&place)?;
        let lock = match lock {
            Some(lock) if case.is_collection => {
                let Some(lock) = check(case, &now, (&place, &accepted), lock)? else {
                    return Ok(Continue(Exit::Clean));
                };
                on_screen.then_some(lock)
            }
            lock => lock.transpose()?,
        };
        let mut review = case.open(now, (place, accepted), lock)?;
        let filter = self.filter.as_deref().unwrap_or_default();
        if !on_screen {
            return review.list(filter).map(Continue);
        }
        if review.session.subjects().is_empty() {
            return print("nothing changed; nothing to decide\n").map(Continue);
        }
        let Review { session, log, .. } = &mut review;
        let mut keep = |lines: &_| log.add(lines);
        let (_, end) = show(ReviewScreen::new(session, filter, &sign, &mut keep))?;
        if end == End::Write {
            return review.finish().map(Continue);
        }
        print(&format!(
            "{}kept      {}\nnothing was written; continue with {}\n",
            write::summary(&review.session),
            review.log.path.display(),
            review.command,
        ))?;
        // What is decided and in no file yet is not done.
        let is_done = review.exit() == Exit::Clean && write::is_written(&review.session);
        Ok(Break(if is_done { Exit::Clean } else { Exit::Findings }))
    }

    /// Whether the command line says what to do.
    fn decides(&self) -> bool {
        self.undo || self.apply || self.decision().is_some()
    }

    fn decide(&self, mut review: Review) -> Result<Exit, Failure> {
        if let Some((names, what)) = self.decision() {
            let targets = targets(&review.session, names)?;
            let lines = review.session.decide(&targets, (what, self.note()), &sign());
            review.log.add(&lines)?;
            return review.finish().map(|_| Exit::Clean);
        }
        if self.apply {
            return review.finish();
        }
        let Some(line) = review.session.undo(&sign()) else {
            return Err(Failure::usage("there is no decision to undo")
                .next("written decisions cannot be undone here; use version control"));
        };
        review.log.add(&[line])?;
        review.list(self.filter.as_deref().unwrap_or_default())
    }
}

/// What stands for everything that is left.
const ALL: &[String] = &[];

/// What is meant by ids of groups, keys of calls and `all`; by none of them, everything that is left.
fn targets(session: &Session, names: &[String]) -> Result<Vec<Target>, Failure> {
    let subjects = session.subjects();
    let left = (0..subjects.len()).filter(|at| session.counts_of(*at).left() > 0);
    let left = left.map(|subject| Target { subject, key: None });
    if names.is_empty() {
        return Ok(left.collect());
    }
    let mut targets = Vec::new();
    for name in names {
        match subjects.iter().position(|subject| subject.id == *name) {
            _ if name == "all" => targets.extend(left.clone()),
            Some(subject) => targets.push(Target { subject, key: None }),
            None => targets.extend(with_key(session, name)?),
        }
    }
    Ok(targets)
}

/// The exchanges whose key begins so, in all groups that have them.
fn with_key(session: &Session, begin: &str) -> Result<Vec<Target>, Failure> {
    let material = session.material();
    let mut found: BTreeMap<Key, BTreeSet<usize>> = BTreeMap::new();
    for (at, subject) in session.subjects().iter().enumerate() {
        let calls = subject.flips.iter().filter_map(|number| material.call(*number));
        for call in calls.filter(|call| call.key.to_string().starts_with(begin)) {
            found.entry(call.key).or_default().insert(at);
        }
    }
    let begin = harmless(begin);
    if found.len() > 1 {
        let several = counted(found.len() as u64, "call");
        return Err(Failure::usage(format!("the keys of {several} begin with {begin}"))
            .next("name more of the key"));
    }
    let Some((key, groups)) = found.pop_first() else {
        let ids: Vec<&str> = session.subjects().iter().map(|it| it.id.as_str()).take(20).collect();
        let what = format!("no group is called {begin}, and no changed call has that key");
        return Err(Failure::usage(what).next(if ids.is_empty() {
            "nothing changed; nothing to decide".to_owned()
        } else {
            format!("groups are {}", ids.join(", "))
        }));
    };
    Ok(groups.into_iter().map(|subject| Target { subject, key: Some(key) }).collect())
}

impl Review {
    fn list(&self, filter: &str) -> Result<Exit, Failure> {
        let text = listing::listing(&self.session, filter, &self.command);
        print(&(text + "\n" + &write::summary(&self.session)))?;
        Ok(self.exit())
    }

    /// Writes what was decided, and says what that was.
    fn finish(&mut self) -> Result<Exit, Failure> {
        let decided = write::summary(&self.session);
        let written = write::write(self, &sign())?;
        let mut text = format!("{decided}{written}log       {}\n", self.log.path.display());
        let exit = self.exit();
        if exit == Exit::Findings {
            let _ = writeln!(text, "next      {}", self.command);
        }
        print(&text)?;
        Ok(exit)
    }

    fn exit(&self) -> Exit {
        if self.session.counts().left() > 0 { Exit::Findings } else { Exit::Clean }
    }
}

pub(super) fn sign() -> Signature {
    let named =
        |variable: &str| std::env::var(variable).ok().filter(|name| !name.trim().is_empty());
    let who = config().who.clone().or_else(|| named("TAPECHECK_WHO")).or_else(|| named("USER"));
    let when = Moment::now().rfc3339();
    Signature { who: who.unwrap_or_else(|| "unknown".to_owned()), when }
}
