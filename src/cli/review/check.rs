//! Collections compared with their baselines: what differs is left beside them for a review.

use super::case::{Case, Now, name_of};
use super::{Exit, Failure};
use crate::baseline::{
    Baseline, BaselineError, Change, FORMAT, Moved, SnapshotPath, SnapshotsLock, changes,
    forget_pending, keep_rulebook, peek, places, read, remove, unused_rulebooks,
};
use crate::cli::terminal::{counted, grouped, print, say};
use crate::compare::{Kind, Side};
use crate::store::FolderError;
use std::collections::HashSet;
use std::path::Path;

/// Digits of a digest that are shown.
const DIGITS: usize = 12;

/// Accepts all of a collection that has no baseline.
pub(super) fn create(
    Now { side, whole, .. }: &Now,
    place: &SnapshotPath,
    lock: &SnapshotsLock,
) -> Result<Exit, Failure> {
    accept(side, whole, place, lock)?;
    tell("created", place, &counted(whole.exchanges(), "call"))
}

fn accept(
    side: &Side,
    whole: &Baseline,
    place: &SnapshotPath,
    lock: &SnapshotsLock,
) -> Result<(), BaselineError> {
    keep_rulebook_of(side, place, lock)?;
    whole.accept_at(place, lock)
}

pub(super) fn keep_rulebook_of(
    side: &Side,
    place: &SnapshotPath,
    lock: &SnapshotsLock,
) -> Result<(), BaselineError> {
    let rulebook = side.rulebook.as_ref();
    rulebook.map_or(Ok(()), |rulebook| keep_rulebook(&place.snapshots, rulebook, lock))
}

/// Compares a collection with its baseline and says what differs, which is left beside the baseline. Returns
/// the lock if anything does.
pub(super) fn check(
    case: &Case<'_>,
    Now { side, whole, .. }: &Now,
    (place, accepted): (&SnapshotPath, &Baseline),
    lock: Result<SnapshotsLock, BaselineError>,
) -> Result<Option<SnapshotsLock>, Failure> {
    let found = changes(accepted, whole);
    let is_new = |change: &Change| matches!(change.kind, Kind::Added | Kind::Gone);
    let is_other = name_of(&case.after).is_ok_and(|name| name != place.collection);
    if is_other && found.same.is_empty() && found.changes.iter().all(is_new) {
        return Err(missing(case, place));
    }
    // Where nothing can be written there is no need to write, unless something differs.
    let lock = match lock {
        Err(BaselineError::Folder(
            FolderError::Forbidden { .. } | FolderError::ReadOnly { .. },
        )) if found.changes.is_empty() && !place.pending().exists() => None,
        lock => Some(lock?),
    };
    let moved = Moved::between(&accepted.side.header, &side.header);
    let moved_lines = moved.iter().map(|(moved, [from, to])| {
        format!("\n  {} changed: {} -> {}", moved.name(), short(from), short(to))
    });
    let moved_lines: String = moved_lines.collect();
    let command = case.command();
    if found.changes.is_empty() {
        forget_pending(place)?;
        let next = if moved.is_empty() {
            String::new()
        } else {
            format!("\n  no verdict changed; `{command} --all` updates the header")
        };
        let calls = counted(whole.exchanges(), "call");
        tell("clean", place, &format!("{calls}{moved_lines}{next}"))?;
        return Ok(None);
    }
    if let Some(lock) = &lock {
        keep_rulebook_of(side, place, lock).and_then(|()| whole.propose_at(place, lock))?;
    }
    let kinds = found.kinds();
    let counts = kinds.iter().filter(|(_, count)| **count > 0);
    let counts = counts.map(|(kind, count)| format!("{} {}", grouped(*count), kind.words()));
    let mut about = counts.collect::<Vec<_>>().join(", ") + &moved_lines;
    if found.gone().next().is_some() {
        about.push_str("\n  calls that no longer exist stay accepted until ");
        about.extend(["`", &command, " --prune`"]);
    }
    tell("differs", place, &about)?;
    Ok(lock)
}

/// Removes accepted calls that no longer exist.
pub(super) fn prune(
    Now { side, whole, .. }: &Now,
    (place, accepted): (&SnapshotPath, &Baseline),
    lock: &SnapshotsLock,
) -> Result<Exit, Failure> {
    let found = changes(accepted, whole);
    let gone: HashSet<u32> = found.gone().filter_map(|change| change.accepted).collect();
    if gone.is_empty() {
        return tell("clean", place, "nothing to remove");
    }
    // What waits for a review still differs in the same exchanges, apart from these.
    if found.changes.iter().any(|change| change.kind != Kind::Gone) {
        accepted.without(&gone).write_at(place, lock)?;
    } else {
        // Nothing else differs, so that its digests can be those of now.
        accept(side, whole, place, lock)?;
    }
    tell("pruned", place, &format!("{} removed", counted(gone.len() as u64, "call")))
}

pub(super) fn remove_unused_rulebooks(snapshots: &Path) -> Result<(), Failure> {
    let mut used = Vec::new();
    for place in places(snapshots)? {
        for path in place.files() {
            used.push(peek(&path)?.rulebook);
        }
    }
    for path in unused_rulebooks(snapshots, &used)? {
        remove(&path)?;
        say(&format!("removed {}: no baseline uses it", path.display()));
    }
    Ok(())
}

/// There is nothing to compare with.
pub(super) fn missing(case: &Case<'_>, place: &SnapshotPath) -> Failure {
    let (after, snapshots) = (case.after.display(), place.snapshots.display());
    let what = if case.is_collection {
        format!("no baseline of {after} in {snapshots}")
    } else {
        format!("the baseline {} does not exist", place.accepted().display())
    };
    Failure::usage(what).next(
        "name the baseline to compare with: --baseline FILE; or keep today's verdicts as the first one: \
         tapecheck review RECORDINGS --all",
    )
}

fn tell(word: &str, place: &SnapshotPath, what: &str) -> Result<Exit, Failure> {
    print(&format!("{word:<8} {}: {what}\n", place.accepted().display()))
}

fn short(digest: &str) -> &str {
    digest.get(..DIGITS).unwrap_or(digest)
}

/// `tapecheck list baselines`.
pub(in crate::cli) fn list(snapshots: &Path) -> Result<Exit, Failure> {
    let mut exit = Exit::Clean;
    let places = places(snapshots)?;
    if places.is_empty() {
        say(&format!("no baseline in {}", snapshots.display()));
    }
    for place in &places {
        match row(place) {
            Ok(row) => _ = print(&row)?,
            Err(failure) => {
                say(&failure.to_string());
                exit = Exit::Unfinished;
            }
        }
    }
    Ok(exit)
}

fn row(place: &SnapshotPath) -> Result<String, Failure> {
    // Read as a whole: a header alone does not tell that lines below it are lost.
    for path in place.files() {
        read(&path)?;
    }
    let accepted = place.accepted();
    if !accepted.exists() {
        return Ok(format!("{}  waits for its first review\n", place.pending().display()));
    }
    let head = peek(&accepted)?;
    let pending = if place.pending().exists() { ", changes wait for a review" } else { "" };
    let counts = head.counts().map(|(name, count)| format!("{name} {}", grouped(count)));
    Ok(format!(
        "{}  {}, recordings {}, rulebook {}, format {FORMAT}{pending}\n  {}\n",
        accepted.display(),
        counted(head.calls, "call"),
        short(&head.corpus),
        short(&head.rulebook.digest),
        counts.collect::<Vec<_>>().join(", ")
    ))
}
