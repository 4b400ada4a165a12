//! `tapecheck review`, `accept` and `reject`: deciding about what changed.

mod after;
mod detail;
mod examples;
mod listing;
mod log_file;
mod open;
mod screen;
#[cfg(test)]
mod screen_tests;
mod write;

use super::screen::{has_terminal, show};
use super::target::wrong_number;
use super::terminal::{print, say};
use super::{Exit, Failure, cannot_print};
use crate::recording::{Key, Moment, numbered_key};
use crate::review::{Session, Signature, Target, What};
use crate::verdict::{counted, harmless};
use after::{After, names_of};
use open::{Opened, Purpose, Subject};
use screen::{End, ReviewScreen};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Arguments of `tapecheck review`.
#[derive(Debug, clap::Args)]
pub(super) struct ReviewArgs {
    #[command(flatten)]
    subject: Subject,
    /// Show only groups that have these words in their cause, kind, change, servers or tools
    #[arg(long, value_name = "WORDS")]
    filter: Option<String>,
    /// Take the latest decision back that is not written yet, and list what there is
    #[arg(long, conflicts_with = "write")]
    undo: bool,
    /// Write what was decided in earlier reviews, and end
    #[arg(long)]
    write: bool,
}

/// Arguments of `tapecheck accept`.
#[derive(Debug, clap::Args)]
pub(super) struct AcceptArgs {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    targets: Targets,
    /// Why
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

/// Arguments of `tapecheck reject`.
#[derive(Debug, clap::Args)]
pub(super) struct RejectArgs {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    targets: Targets,
    /// Why
    #[arg(long, value_name = "TEXT", required = true)]
    note: String,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
struct Targets {
    /// A group, by its id; may be given several times
    #[arg(long, value_name = "ID", num_args = 1.., conflicts_with = "all")]
    group: Vec<String>,
    /// One exchange of the groups (of any group, where none is named) by its key or a beginning of it;
    /// may be given several times
    #[arg(long, value_name = "KEY", num_args = 1.., conflicts_with = "all")]
    exchange: Vec<String>,
    /// Everything that is not decided yet
    #[arg(long)]
    all: bool,
}

/// Whether a review goes on to what else waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    GoOn,
    Stop,
}

impl ReviewArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let afters = self.subject.afters()?;
        match afters.as_slice() {
            [] if self.undo => {
                return Err(Failure::usage(self.subject.nothing_waits()));
            }
            [] => {
                print(&(self.subject.nothing_waits() + "\n"))
                    .map_err(|error| cannot_print(&error))?;
            }
            [_, _, ..] if self.undo => return Err(several(&afters)),
            [_] => {}
            several => say(&format!(
                "{} wait for a review, one after the other: {}",
                counted(several.len() as u64, "baseline"),
                names_of(several)
            )),
        }
        let mut worst = Exit::Clean;
        for after in &afters {
            let (exit, then) = self.review(after)?;
            if exit.code() > worst.code() {
                worst = exit;
            }
            if then == Then::Stop {
                break;
            }
        }
        Ok(worst)
    }

    fn review(&self, after: &After) -> Result<(Exit, Then), Failure> {
        let on_screen = has_terminal() && !self.undo && !self.write;
        let decides = on_screen || self.undo || self.write;
        let purpose = if decides { Purpose::Decide } else { Purpose::Look };
        let (mut session, mut opened) = self.subject.open(after, purpose)?;
        tell_about_log(&opened);
        if self.undo {
            undo(&mut session, &mut opened, &self.subject)?;
        }
        if self.write {
            return Ok((finish(session, opened, &self.subject)?, Then::GoOn));
        }
        let filter = self.filter.as_deref().unwrap_or_default();
        if !on_screen {
            let text = listing::listing(&session, filter, &opened.command);
            print(&(text + "\n" + &write::summary(&session)))
                .map_err(|error| cannot_print(&error))?;
            return Ok((exit_of(&session), Then::GoOn));
        }
        if session.subjects().is_empty() {
            print("nothing changed; there is nothing to decide\n")
                .map_err(|error| cannot_print(&error))?;
            return Ok((Exit::Clean, Then::GoOn));
        }
        let (sign, mut keep) = (|| self.subject.sign(), |lines: &_| opened.log.add(lines));
        let (screen, end) = show(ReviewScreen::new(session, filter, &sign, &mut keep))?;
        let session = screen.into_session();
        match end {
            End::Write => Ok((finish(session, opened, &self.subject)?, Then::GoOn)),
            End::Quit => {
                let text = format!(
                    "{}kept      {}\nnothing was written; take it up again with {}\n",
                    write::summary(&session),
                    opened.log.path.display(),
                    again(&opened),
                );
                print(&text).map_err(|error| cannot_print(&error))?;
                // What is decided and in no file yet is not done.
                let is_done = session.counts().left() == 0 && write::is_written(&session);
                Ok((if is_done { Exit::Clean } else { Exit::Findings }, Then::Stop))
            }
        }
    }
}

/// The command that takes a review up again.
fn again(opened: &Opened) -> String {
    format!("tapecheck review {}", opened.command).trim_end().to_owned()
}

/// Several baselines wait, and it is not clear which is meant.
fn several(afters: &[After]) -> Failure {
    Failure::usage(format!("it is not clear which baseline is meant: {} wait", names_of(afters)))
        .next("name one of them with --baseline")
}

impl AcceptArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        decide(&self.subject, &self.targets, (What::Accept, self.note.as_deref()))
    }
}

impl RejectArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let note = self.note.trim();
        if note.is_empty() {
            return Err(Failure::usage("a rejection needs a reason").next("say why with --note"));
        }
        decide(&self.subject, &self.targets, (What::Reject, Some(note)))
    }
}

/// Decides and writes at once.
fn decide(
    subject: &Subject,
    targets: &Targets,
    decision: (What, Option<&str>),
) -> Result<Exit, Failure> {
    let afters = subject.afters()?;
    match afters.as_slice() {
        [] => Err(Failure::usage(subject.nothing_waits())),
        [one] => decide_about(subject, one, (targets, decision)),
        all if targets.all => {
            for after in all {
                decide_about(subject, after, (targets, decision))?;
            }
            Ok(Exit::Clean)
        }
        all => decide_about(subject, the_one_with(subject, all, targets)?, (targets, decision)),
    }
}

fn decide_about(
    subject: &Subject,
    after: &After,
    (targets, (what, note)): (&Targets, (What, Option<&str>)),
) -> Result<Exit, Failure> {
    let (mut session, mut opened) = subject.open(after, Purpose::Decide)?;
    tell_about_log(&opened);
    let targets = targets.of(&session)?;
    let lines = session.decide(&targets, (what, note), &subject.sign());
    opened.log.add(&lines)?;
    finish(session, opened, subject)?;
    Ok(Exit::Clean)
}

/// The one of several baselines that wait which has what was named.
fn the_one_with<'a>(
    subject: &Subject,
    afters: &'a [After],
    targets: &Targets,
) -> Result<&'a After, Failure> {
    let mut found = Vec::new();
    let mut missing = None;
    for after in afters {
        let (session, _) = subject.open(after, Purpose::Look)?;
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

impl Targets {
    fn of(&self, session: &Session) -> Result<Vec<Target>, Failure> {
        let all = session.subjects();
        if self.all {
            let left = |at: &usize| session.counts_of(*at).left() > 0;
            return Ok((0..all.len()).filter(left).map(Target::Group).collect());
        }
        let mut groups = Vec::new();
        for id in &self.group {
            let Some(at) = all.iter().position(|subject| subject.id == *id) else {
                return Err(Failure::usage(format!("there is no group {}", harmless(id))).next(
                    match all.len() {
                        0 => "nothing changed; there is nothing to decide".to_owned(),
                        _ => format!("the groups are {}", listing::known(all)),
                    },
                ));
            };
            groups.push(at);
        }
        if self.exchange.is_empty() {
            return Ok(groups.into_iter().map(Target::Group).collect());
        }
        let within = if groups.is_empty() { (0..all.len()).collect() } else { groups };
        let mut targets = Vec::new();
        for key in &self.exchange {
            targets.extend(exchanges(session, &within, key)?);
        }
        Ok(targets)
    }
}

/// The exchanges whose key begins so, in all groups that are asked for.
fn exchanges(session: &Session, within: &[usize], key: &str) -> Result<Vec<Target>, Failure> {
    if let Some((content, number)) = numbered_key(key) {
        return Err(wrong_number(key, content, number));
    }
    let mut found: BTreeMap<Key, Vec<Target>> = BTreeMap::new();
    for subject in within {
        let places = 0..u32::try_from(session.subjects()[*subject].flips.len()).unwrap_or(u32::MAX);
        for place in places {
            let flip = session.flip(*subject, place);
            let Some((entry, _)) = flip.and_then(|flip| session.material().entry(flip)) else {
                continue;
            };
            // A target stands for all equal exchanges of its group.
            let is_first = session.equals(*subject, place).first() == Some(&place);
            if is_first && entry.key.to_string().starts_with(key) {
                found.entry(entry.key).or_default().push(Target::Exchange(*subject, place));
            }
        }
    }
    if found.len() > 1 {
        let several = counted(found.len() as u64, "exchange");
        let what = format!("the keys of {several} begin with {}", harmless(key));
        return Err(Failure::usage(what).next("name more of the key"));
    }
    found.into_values().next().ok_or_else(|| {
        Failure::usage(format!("no exchange that changed is called {}", harmless(key)))
            .next("tapecheck diff lists the exchanges of a group with --group")
    })
}

fn undo(session: &mut Session, opened: &mut Opened, subject: &Subject) -> Result<(), Failure> {
    match session.undo(&subject.sign()) {
        Some(line) => opened.log.add(&[line]),
        None => Err(Failure::usage("there is no decision to take back")
            .next("what is written stays written; version control has what was there before")),
    }
}

/// Writes what was decided, and says what that was.
fn finish(mut session: Session, mut opened: Opened, subject: &Subject) -> Result<Exit, Failure> {
    let decided = write::summary(&session);
    let written =
        write::write(&mut session, &mut opened, &subject.judging.bounds(), &subject.sign())?;
    let exit = exit_of(&session);
    let log = opened.log.path.display();
    let mut text = format!("{decided}{written}log       {log}\n");
    if exit == Exit::Findings {
        let _ = writeln!(text, "next      {}", again(&opened));
    }
    print(&text).map_err(|error| cannot_print(&error))?;
    Ok(exit)
}

fn exit_of(session: &Session) -> Exit {
    if session.counts().left() > 0 { Exit::Findings } else { Exit::Clean }
}

fn tell_about_log(opened: &Opened) {
    let path = opened.log.path.display();
    if opened.log.torn {
        say(&format!("warning: the last line of {path} was cut short and counts for nothing"));
    }
    if opened.replayed.outdated > 0 {
        say(&format!(
            "note: {} in {path} no longer {}: what changed is not the same as then",
            counted(opened.replayed.outdated, "decision"),
            if opened.replayed.outdated == 1 { "counts" } else { "count" },
        ));
    }
}

impl Subject {
    fn sign(&self) -> Signature {
        sign(self.who.as_deref())
    }
}

/// Who decides, and when.
pub(super) fn sign(who: Option<&str>) -> Signature {
    let named =
        |variable: &str| std::env::var(variable).ok().filter(|name| !name.trim().is_empty());
    let who = who.map(str::to_owned).or_else(|| named("TAPECHECK_WHO")).or_else(|| named("USER"));
    let when = Moment::now().rfc3339();
    Signature { who: who.unwrap_or_else(|| "unknown".to_owned()), when }
}
