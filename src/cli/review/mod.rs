//! `tapecheck review`: comparing with what was accepted, and deciding about what changed.

mod case;
mod check;
mod detail;
mod listing;
mod screen;
#[cfg(test)]
mod screen_tests;
mod write;

pub(super) use case::place_of;
pub(super) use check::list;

use super::config::config;
use super::inputs::{JudgingArgs, RawArg};
use super::opened::Place;
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

/// Whether a review goes on to what else waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    GoOn,
    Stop,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if !self.reject.is_empty() && self.note().is_none_or(str::is_empty) {
            return Err(
                Failure::usage("a rejection needs a reason").next("give one with --note TEXT")
            );
        }
        let mut cases = self.cases()?;
        let names = |cases: &[Result<Case<'_>, Failure>], is_meant: fn(&&Case<'_>) -> bool| {
            names_of(cases.iter().flatten().filter(is_meant))
        };
        if cases.len() > 1 && self.undo {
            return Err(several(&names(&cases, |_| true)));
        }
        let is_named = self.decision().is_some_and(|(targets, ..)| targets != ALL);
        if cases.len() > 1 && is_named {
            cases = vec![Ok(self.the_one_with(cases)?)];
        }
        let waits = |case: &&Case<'_>| case.waits.is_some();
        let waiting = cases.iter().flatten().filter(waits).count();
        if waiting > 1 && self.decision().is_none() {
            let (count, names) = (counted(waiting as u64, "baseline"), names(&cases, waits));
            say(&format!("{count} wait for a review, one after the other: {names}"));
        }
        let mut worst = Exit::Clean;
        // What fails for one does not keep the others from being done.
        for case in cases {
            let done = case.and_then(|case| self.review(&case));
            let (exit, then) = done.unwrap_or_else(|failure| {
                say(&failure.to_string());
                (failure.exit(), Then::GoOn)
            });
            worst = worst.max(exit);
            if then == Then::Stop {
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
        self.baseline.as_deref().filter(|named| Place::of(named) == Place::Baseline)
    }

    fn snapshots(&self) -> &Path {
        let folder = self.baseline.as_deref().filter(|named| Place::of(named) != Place::Baseline);
        folder.unwrap_or(&config().baseline)
    }

    fn review(&self, case: &Case<'_>) -> Result<(Exit, Then), Failure> {
        let go_on = |exit| Ok((exit, Then::GoOn));
        let is_first = self.all && case.is_collection && self.named_baseline().is_none();
        if let Some(place) = case.place.as_ref().filter(|_| !is_first)
            && !place.accepted().exists()
        {
            return Err(missing(case, place));
        }
        let now = case.now()?;
        let place = case.place(&now)?;
        if is_first && !place.accepted().exists() {
            return go_on(create(&now, &place)?);
        }
        let accepted = case.accepted(&place)?;
        let take_lock = || SnapshotsLock::take(&place.snapshots);
        if self.prune {
            return go_on(prune(&now, (&place, &accepted), &take_lock()?)?);
        }
        let decides = self.undo || self.apply || self.decision().is_some();
        let on_screen = has_terminal() && !decides && !self.list;
        let lock = if case.is_collection && !decides {
            let Some(lock) = check(case, &now, (&place, &accepted))? else {
                return go_on(Exit::Clean);
            };
            on_screen.then_some(lock)
        } else {
            (decides || on_screen).then(take_lock).transpose()?
        };
        let mut review = case.open(now, (place, accepted), lock)?;
        if let Some((names, what)) = self.decision() {
            let targets = targets(&review.session, names)?;
            let lines = review.session.decide(&targets, (what, self.note()), &sign());
            review.log.add(&lines)?;
            review.finish()?;
            return go_on(Exit::Clean);
        }
        if self.undo {
            let Some(line) = review.session.undo(&sign()) else {
                return Err(Failure::usage("there is no decision to undo")
                    .next("written decisions cannot be undone here; use version control"));
            };
            review.log.add(&[line])?;
        }
        if self.apply {
            return go_on(review.finish()?);
        }
        let filter = self.filter.as_deref().unwrap_or_default();
        if !on_screen {
            let text = listing::listing(&review.session, filter, &review.command);
            print(&(text + "\n" + &write::summary(&review.session)))?;
            return go_on(review.exit());
        }
        if review.session.subjects().is_empty() {
            print("nothing changed; nothing to decide\n")?;
            return go_on(Exit::Clean);
        }
        let Review { session, log, .. } = &mut review;
        let mut keep = |lines: &_| log.add(lines);
        let (_, end) = show(ReviewScreen::new(session, filter, &sign, &mut keep))?;
        if end == End::Write {
            return go_on(review.finish()?);
        }
        print(&format!(
            "{}kept      {}\nnothing was written; continue with {}\n",
            write::summary(&review.session),
            review.log.path.display(),
            review.command,
        ))?;
        // What is decided and in no file yet is not done.
        let is_done = review.exit() == Exit::Clean && write::is_written(&review.session);
        Ok((if is_done { Exit::Clean } else { Exit::Findings }, Then::Stop))
    }

    /// The one of several cases which has what is decided about.
    fn the_one_with<'a>(&self, cases: Vec<Result<Case<'a>, Failure>>) -> Result<Case<'a>, Failure> {
        let names = self.decision().map_or(ALL, |(names, _)| names);
        let (mut found, mut lacking) = (Vec::new(), None);
        for case in cases {
            let case = case?;
            let now = case.now()?;
            let place = case.place(&now)?;
            let accepted = case.accepted(&place)?;
            let review = case.open(now, (place, accepted), None)?;
            match targets(&review.session, names) {
                Ok(_) => found.push(case),
                Err(failure) => lacking = Some(failure),
            }
        }
        match (found.len(), lacking) {
            (0, Some(failure)) => Err(failure),
            (1, _) => Ok(found.remove(0)),
            _ => Err(several(&names_of(found.iter()))),
        }
    }
}

/// What stands for everything that is left.
const ALL: &[String] = &[];

/// Several baselines wait, and it is not clear which is meant.
fn several(names: &str) -> Failure {
    Failure::usage(format!("several baselines wait for a review: {names}"))
        .next("name one of them with --baseline")
}

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
