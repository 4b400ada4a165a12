//! `tapecheck snapshot`: what was accepted, held against what is said now.

use super::judged::JudgingArgs;
use super::snapshot_tasks::{Task, failed, for_each};
use super::snapshot_text::{Outcome, as_row};
use super::terminal::{print, say};
use super::{Exit, Failure, cannot_print};
use crate::baseline::{
    Baseline, BaselineError, Changes, Moved, SnapshotsLock, changes, forget_pending, keep_rulebook,
    peek, places, read, remove, unused_rulebooks,
};
use crate::compare::Kind;
use crate::store::FolderError;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Accept what is said of collections that have no baseline yet
    Create(Create),
    /// Hold collections against their baselines; what differs is left beside them for a review
    Check(Check),
    /// List the baselines
    List(PlaceArgs),
    /// Remove accepted exchanges that no longer exist, and rulebooks that no baseline is about
    Prune(Prune),
}

#[derive(Debug, clap::Args)]
pub(super) struct Create {
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, clap::Args)]
pub(super) struct Check {
    #[command(flatten)]
    which: Which,
    /// Look at one server or one tool; nothing is written then
    #[arg(long, value_name = "SERVER[/TOOL]")]
    only: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(super) struct Prune {
    #[command(flatten)]
    which: Which,
}

/// Which baselines are meant.
#[derive(Debug, clap::Args)]
pub(super) struct Which {
    /// Folders of recordings, or recordings: each is a collection and goes by its last name [default,
    /// except for create: those of all baselines, where these tell that they lie]
    #[arg(value_name = "CORPUS")]
    pub(super) corpus: Vec<PathBuf>,
    /// The rulebook: a built-in one or a file. May be given several times [default: calibrated, or
    /// without CORPUS those of the baselines]
    #[arg(long)]
    pub(super) rulebook: Vec<String>,
    #[command(flatten)]
    pub(super) place: PlaceArgs,
    #[command(flatten)]
    pub(super) judging: JudgingArgs,
}

#[derive(Debug, clap::Args)]
pub(super) struct PlaceArgs {
    /// Where baselines lie
    #[arg(long, value_name = "DIR", default_value = Self::USUAL)]
    pub(super) snapshots: PathBuf,
}

impl PlaceArgs {
    /// Where baselines lie, if nothing else is said.
    pub(super) const USUAL: &str = "snapshots";

    /// Baselines lie in a folder.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.snapshots.is_file() {
            return Err(Failure::usage(format!(
                "{} is a file, and baselines lie in a folder",
                self.snapshots.display()
            ))
            .next("name the folder with --snapshots; `tapecheck diff` and `tapecheck review` take the file of a baseline"));
        }
        Ok(())
    }
}

impl Verb {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self {
            Self::Create(args) if args.which.corpus.is_empty() => {
                Err(Failure::usage("there is nothing to accept: no collection is named")
                    .next("name a folder of recordings: tapecheck snapshot create CORPUS"))
            }
            Self::Create(args) => for_each(&args.which, create),
            Self::Check(args) => for_each(&args.which, |task| match &args.only {
                Some(only) => check_only(task, only),
                None => check(task),
            }),
            Self::List(args) => {
                args.check()?;
                list(&args.snapshots)
            }
            Self::Prune(args) => {
                let exit = for_each(&args.which, prune)?;
                if exit == Exit::Clean {
                    remove_unused_rulebooks(&args.which.place.snapshots)?;
                }
                Ok(exit)
            }
        }
    }
}

fn create(task: &Task<'_>) -> Result<Outcome, Failure> {
    let now = task.judge()?;
    let exchanges = now.exchanges();
    let lock = SnapshotsLock::take(&task.place.snapshots).map_err(|error| failed(&error))?;
    let accepted = task.accepted()?;
    if let Some((path, accepted)) = &accepted {
        let changed = changes(accepted, &now).changes.len() as u64;
        if changed > 0 {
            return Ok(Outcome::Refused { path: path.clone(), changed });
        }
    }
    let path = task.place.accepted();
    let earlier = std::fs::read(&path).ok();
    keep_rulebook(&task.place.snapshots, &task.rulebook, &lock)
        .and_then(|()| now.accept_at(&task.place, &lock))
        .map_err(|error| failed(&error))?;
    Ok(match accepted {
        None => Outcome::Created { path, exchanges },
        Some(_) if earlier == std::fs::read(&path).ok() => {
            Outcome::Clean { path, exchanges, moved: Vec::new() }
        }
        Some(_) => Outcome::Renewed { path, exchanges },
    })
}

fn check(task: &Task<'_>) -> Result<Outcome, Failure> {
    let now = task.judge()?;
    let lock = match SnapshotsLock::take(&task.place.snapshots) {
        // Where nothing can be written there is no need to write, unless something differs.
        Err(error @ BaselineError::Folder(FolderError::Forbidden { .. })) => Err(error),
        lock => Ok(lock.map_err(|error| failed(&error))?),
    };
    let accepted = task.accepted()?;
    let found = accepted.as_ref().map(|(_, accepted)| changes(accepted, &now));
    let is_clean = found.as_ref().is_some_and(|found| found.changes.is_empty());
    if is_clean && !task.place.pending().exists() {
        return Ok(compared(accepted, &now, &found.unwrap_or_default()));
    }
    let lock = lock.map_err(|error| failed(&error))?;
    if is_clean {
        forget_pending(&task.place).map_err(|error| failed(&error))?;
        return Ok(compared(accepted, &now, &found.unwrap_or_default()));
    }
    keep_rulebook(&task.place.snapshots, &task.rulebook, &lock)
        .and_then(|()| now.propose_at(&task.place, &lock))
        .map_err(|error| failed(&error))?;
    let pending = task.place.pending();
    Ok(match (accepted, found) {
        (Some((path, accepted)), Some(found)) => {
            Outcome::differs(path, &accepted, &now, &found, Some(pending))
        }
        _ => Outcome::Missing {
            path: task.place.accepted(),
            exchanges: now.exchanges(),
            pending: Some(pending),
        },
    })
}

/// What a comparison came to where nothing is written.
fn compared(accepted: Option<(PathBuf, Baseline)>, now: &Baseline, found: &Changes) -> Outcome {
    match accepted {
        Some((path, accepted)) if found.changes.is_empty() => Outcome::Clean {
            path,
            exchanges: now.exchanges(),
            moved: Moved::between(&accepted.side.header, &now.side.header),
        },
        Some((path, accepted)) => Outcome::differs(path, &accepted, now, found, None),
        None => {
            Outcome::Missing { path: PathBuf::new(), exchanges: now.exchanges(), pending: None }
        }
    }
}

/// A check that is about a part of a collection only, and writes nothing.
fn check_only(task: &Task<'_>, only: &str) -> Result<Outcome, Failure> {
    let now = task.judge()?.of_tool(only);
    let accepted = task.accepted()?.map(|(path, accepted)| (path, accepted.of_tool(only)));
    let listed = accepted.as_ref().map_or(0, |(_, accepted)| accepted.side.entries.len());
    if now.side.entries.is_empty() && listed == 0 {
        return Err(Failure::usage(format!(
            "neither {} nor its baseline has an exchange of {only}",
            task.collection.display()
        ))
        .next("name a server, or a tool as SERVER/TOOL, as the lines of the baseline do"));
    }
    let found = accepted.as_ref().map(|(_, accepted)| changes(accepted, &now));
    if accepted.is_none() {
        return Ok(Outcome::Missing {
            path: task.place.accepted(),
            exchanges: now.exchanges(),
            pending: None,
        });
    }
    Ok(compared(accepted, &now, &found.unwrap_or_default()))
}

fn prune(task: &Task<'_>) -> Result<Outcome, Failure> {
    let now = task.judge()?;
    let lock = SnapshotsLock::take(&task.place.snapshots).map_err(|error| failed(&error))?;
    let Some((path, accepted)) = task.accepted()? else {
        return Ok(Outcome::Missing {
            path: task.place.accepted(),
            exchanges: now.exchanges(),
            pending: None,
        });
    };
    let found = changes(&accepted, &now);
    let gone: HashSet<u32> = found.gone().filter_map(|change| change.accepted).collect();
    if !gone.is_empty() {
        // What waits for a review still differs in the same exchanges, apart from these.
        let waits = found.changes.iter().any(|change| change.kind != Kind::Gone);
        let written = if waits {
            accepted.without(&gone).write_at(&task.place, &lock)
        } else {
            // Nothing else differs, so that its digests can be those of now.
            keep_rulebook(&task.place.snapshots, &task.rulebook, &lock)
                .and_then(|()| now.accept_at(&task.place, &lock))
        };
        written.map_err(|error| failed(&error))?;
    }
    Ok(Outcome::Pruned { path, gone: gone.len() as u64 })
}

fn remove_unused_rulebooks(snapshots: &Path) -> Result<(), Failure> {
    let mut headers = Vec::new();
    for place in places(snapshots).map_err(|error| failed(&error))? {
        for path in place.files() {
            headers.push(peek(&path).map_err(|error| failed(&error))?.header);
        }
    }
    let headers: Vec<_> = headers.iter().collect();
    for path in unused_rulebooks(snapshots, &headers).map_err(|error| failed(&error))? {
        remove(&path).map_err(|error| failed(&error))?;
        say(&format!("removed {}: no baseline was judged by it", path.display()));
    }
    Ok(())
}

fn list(snapshots: &Path) -> Result<Exit, Failure> {
    let mut exit = Exit::Clean;
    let mut out = String::new();
    let places = places(snapshots).map_err(|error| failed(&error))?;
    if places.is_empty() {
        say(&format!("there is no baseline in {}", snapshots.display()));
    }
    for place in &places {
        // Read as a whole: a header alone does not tell that lines below it are lost.
        let mut is_whole = true;
        for path in place.files() {
            if let Err(error) = read(&path) {
                say(&failed(&error).to_string());
                (exit, is_whole) = (Exit::Unfinished, false);
            }
        }
        if !is_whole {
            continue;
        }
        let accepted = Some(place.accepted()).filter(|path| path.exists());
        match accepted.map(|path| peek(&path)).transpose() {
            Ok(peek) => out.push_str(&as_row(place, peek.as_ref())),
            Err(error) => {
                say(&failed(&error).to_string());
                exit = Exit::Unfinished;
            }
        }
    }
    print(&out).map_err(|error| cannot_print(&error))?;
    Ok(exit)
}
