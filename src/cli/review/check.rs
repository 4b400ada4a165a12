//! Collections compared with their baselines: what differs is left beside them for a review.

use super::open::After;
use super::{Args, Exit, Failure, Then};
use crate::baseline::{
    Baseline, BaselineError, Change, Changes, FORMAT, Head, Moved, Origin, Place, SnapshotsLock,
    changes, forget_pending, keep_rulebook, only_place, peek, places, read, remove,
    unused_rulebooks,
};
use crate::cli::command_line::CommandLine;
use crate::cli::config::config;
use crate::cli::inputs::{JudgingArgs, load};
use crate::cli::opened::Judged;
use crate::cli::terminal::{counted, grouped, print, say};
use crate::compare::Kind;
use crate::rulebook::{Rulebook, builtin_source};
use crate::store::FolderError;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which baselines are meant: with recordings, each a collection with one baseline a rulebook; without, all there are.
pub(super) struct Which<'a> {
    pub(super) args: &'a Args,
    /// The one baseline that is meant, where it is named.
    pub(super) named: Option<Place>,
    /// Baselines that are taken up otherwise.
    pub(super) without: &'a [After],
    /// Whether recordings without a baseline of their name are compared with the only one there is.
    pub(super) or_only: bool,
}

impl Which<'_> {
    /// Compares each collection with its baseline and looks at what differs.
    pub(super) fn compare(
        &self,
        look: impl Fn(&Task<'_>) -> Result<(Exit, Then), Failure>,
    ) -> Result<(Exit, Then), Failure> {
        for_each(self, compare, look)
    }

    /// Creates the baselines that are missing and does something about those that are there.
    pub(super) fn accept(
        &self,
        accept: impl Fn(&Task<'_>) -> Result<Exit, Failure>,
    ) -> Result<Exit, Failure> {
        let create_missing = |task: &Task<'_>| {
            if task.place.accepted().exists() { Ok(Outcome::Reviewed) } else { create(task) }
        };
        for_each(self, create_missing, |task| Ok((accept(task)?, Then::GoOn))).map(|(exit, _)| exit)
    }

    /// Removes accepted calls that no longer exist, and rulebooks that no baseline needs.
    pub(super) fn prune(&self) -> Result<Exit, Failure> {
        let (exit, _) = for_each(self, prune, |_| Ok((Exit::Clean, Then::GoOn)))?;
        if exit == Exit::Clean {
            remove_unused_rulebooks(self.args.snapshots())?;
        }
        Ok(exit)
    }
}

fn create(task: &Task<'_>) -> Result<Outcome, Failure> {
    let now = task.judge()?;
    let exchanges = now.exchanges();
    let lock = SnapshotsLock::take(&task.place.snapshots)?;
    let path = task.place.accepted();
    keep_rulebook(&task.place.snapshots, &task.rulebook, &lock)
        .and_then(|()| now.accept_at(&task.place, &lock))?;
    Ok(Outcome::Created { path, exchanges })
}

fn compare(task: &Task<'_>) -> Result<Outcome, Failure> {
    let (path, accepted) = task.accepted()?.ok_or_else(|| task.missing())?;
    let now = task.judge()?;
    let found = changes(&accepted, &now);
    let is_new = |change: &Change| matches!(change.kind, Kind::Added | Kind::Gone);
    if task.baseline.is_some() && found.same.is_empty() && found.changes.iter().all(is_new) {
        return Err(task.missing());
    }
    let lock = match SnapshotsLock::take(&task.place.snapshots) {
        // Where nothing can be written there is no need to write, unless something differs.
        Err(
            error @ BaselineError::Folder(
                FolderError::Forbidden { .. } | FolderError::ReadOnly { .. },
            ),
        ) => Err(error),
        lock => Ok(lock?),
    };
    if found.changes.is_empty() {
        if task.place.pending().exists() {
            let _lock = lock?;
            forget_pending(&task.place)?;
        }
        let moved = Moved::between(&accepted.side.header, &now.side.header);
        return Ok(Outcome::Clean { path, exchanges: now.exchanges(), moved });
    }
    let lock = lock?;
    keep_rulebook(&task.place.snapshots, &task.rulebook, &lock)
        .and_then(|()| now.propose_at(&task.place, &lock))?;
    Ok(Outcome::differs(path, &accepted, &now, &found))
}

fn prune(task: &Task<'_>) -> Result<Outcome, Failure> {
    let now = task.judge()?;
    let lock = SnapshotsLock::take(&task.place.snapshots)?;
    let (path, accepted) = task.accepted()?.ok_or_else(|| task.missing())?;
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
        written?;
    }
    Ok(Outcome::Pruned { path, gone: gone.len() as u64 })
}

fn remove_unused_rulebooks(snapshots: &Path) -> Result<(), Failure> {
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

pub(in crate::cli) fn list(snapshots: &Path) -> Result<Exit, Failure> {
    let mut exit = Exit::Clean;
    let mut out = String::new();
    let places = places(snapshots)?;
    if places.is_empty() {
        say(&format!("no baseline in {}", snapshots.display()));
    }
    for place in &places {
        // Read as a whole: a header alone does not tell that lines below it are lost.
        let mut is_whole = true;
        for path in place.files() {
            if let Err(error) = read(&path) {
                say(&Failure::from(error).to_string());
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
                say(&Failure::from(error).to_string());
                exit = Exit::Unfinished;
            }
        }
    }
    print(&out)?;
    Ok(exit)
}

/// One collection under one rulebook.
#[derive(Clone)]
pub(in crate::cli::review) struct Task<'a> {
    pub(in crate::cli::review) collection: PathBuf,
    pub(super) rulebook: Arc<Rulebook>,
    pub(super) place: Place,
    judging: &'a JudgingArgs,
    origin: Origin,
    /// The rulebook, as it was named.
    word: String,
    /// What was named, as it would be typed again behind a verb.
    line: CommandLine,
    /// The baseline's file, where it is not that of the recordings' name.
    pub(in crate::cli::review) baseline: Option<PathBuf>,
}

impl Task<'_> {
    /// What is said of the collection now.
    pub(super) fn judge(&self) -> Result<Baseline, Failure> {
        let Judged { side, folder } = self.judging.open(&self.collection, Some(&self.word))?;
        let now = match folder {
            Some(run) => Baseline::of_run(&run.path, side)?,
            None => read(&self.collection)?,
        };
        Ok(now.from(self.origin.clone()))
    }

    pub(in crate::cli::review) fn word(&self) -> &str {
        &self.word
    }

    pub(super) fn words(&self) -> String {
        let folder = Some(&self.place.snapshots).filter(|folder| **folder != config().baseline);
        self.line.clone().flag("--baseline", self.baseline.as_ref().or(folder)).to_string()
    }

    /// There is nothing to compare with.
    pub(super) fn missing(&self) -> Failure {
        let (collection, snapshots) = (self.collection.display(), self.place.snapshots.display());
        Failure::usage(format!("no baseline of {collection} in {snapshots}")).next(format!(
            "name the baseline to compare with: --baseline FILE; or keep today's verdicts as the first one: tapecheck review {} --all",
            Self { baseline: None, ..self.clone() }.words()
        ))
    }

    pub(super) fn accepted(&self) -> Result<Option<(PathBuf, Baseline)>, Failure> {
        let path = self.place.accepted();
        if !path.exists() {
            return Ok(None);
        }
        let accepted = read(&path)?;
        Ok(Some((path, accepted)))
    }
}

/// Does something for each collection under each rulebook, prints what came of it, and goes on with those
/// that have changes to show. What fails for one does not keep the others from being done.
pub(super) fn for_each(
    which: &Which<'_>,
    act: impl Fn(&Task<'_>) -> Result<Outcome, Failure>,
    go_on: impl Fn(&Task<'_>) -> Result<(Exit, Then), Failure>,
) -> Result<(Exit, Then), Failure> {
    if which.args.snapshots().is_file() {
        return Err(Failure::usage(format!(
            "{} is a file, but several collections need a folder",
            which.args.snapshots().display()
        ))
        .next("name the folder with --baseline"));
    }
    let mut worst = Exit::Clean;
    for task in tasks(which)? {
        let exit = task.and_then(|task| {
            let outcome = act(&task)?;
            print(&outcome.text(&task.words()))?;
            if outcome.goes_on() { go_on(&task) } else { Ok((outcome.exit(), Then::GoOn)) }
        });
        let (exit, then) = exit.unwrap_or_else(|failure| {
            say(&failure.to_string());
            (failure.exit(), Then::GoOn)
        });
        worst = worst.max(exit);
        if then == Then::Stop {
            return Ok((worst, then));
        }
    }
    Ok((worst, Then::GoOn))
}

fn tasks<'a>(which: &'a Which<'a>) -> Result<Vec<Result<Task<'a>, Failure>>, Failure> {
    if which.args.after.is_empty() || which.named.is_some() && which.args.after.len() == 1 {
        return tasks_of_baselines(which);
    }
    let usual = std::slice::from_ref(&config().rulebook);
    let named = if which.args.rulebook.is_empty() { usual } else { &which.args.rulebook };
    let rulebooks = rulebooks(named)?;
    let mut collections: BTreeMap<String, &PathBuf> = BTreeMap::new();
    for path in &which.args.after {
        let name = name_of(path)?;
        if let Some(other) = collections.insert(name.clone(), path) {
            let [other, path] = [other, path].map(|it| it.display());
            return Err(Failure::usage(format!("{other} and {path} are both called `{name}`"))
            .next("a collection is called by the last part of its path; rename one, or give each a folder of its own with --baseline DIR"));
        }
    }
    let mut tasks = Vec::new();
    for path in collections.into_values() {
        for (rulebook_name, rulebook) in &rulebooks {
            let place = place_of(which.args.snapshots(), path, rulebook_name, which.or_only)?;
            tasks.push(Ok(task(which, path, rulebook, place)));
        }
    }
    Ok(tasks)
}

/// Where the baseline of recordings lies: by their name, or where there is none, that of the only baseline of the
/// rulebook, if that is wanted.
pub(in crate::cli) fn place_of(
    snapshots: &Path,
    recordings: &Path,
    rulebook: &str,
    or_only: bool,
) -> Result<Place, Failure> {
    let place = Place::new(snapshots, &name_of(recordings)?, rulebook)
        .map_err(|wrong| Failure::usage(wrong).next("name the baseline with --baseline"))?;
    if !or_only || place.accepted().exists() {
        return Ok(place);
    }
    Ok(only_place(snapshots, rulebook)?.unwrap_or(place))
}

/// A rulebook as it was named.
#[derive(Clone)]
struct Named {
    word: String,
    rulebook: Arc<Rulebook>,
}

fn rulebooks(named: &[String]) -> Result<BTreeMap<String, Named>, Failure> {
    let mut rulebooks: BTreeMap<String, Named> = BTreeMap::new();
    for word in named {
        let rulebook = Arc::new(load(word)?);
        let name = rulebook.name.clone();
        let one = Named { word: word.clone(), rulebook };
        if let Some(other) = rulebooks.insert(name.clone(), one) {
            return Err(Failure::usage(format!(
                "{} and {word} are both called `{name}`",
                other.word
            ))
            .next("a collection has one baseline for each name; rename one of the rulebooks"));
        }
    }
    Ok(rulebooks)
}

/// Every baseline with the recordings and rulebook it tells; only of named rulebooks, if any are.
fn tasks_of_baselines<'a>(which: &'a Which<'a>) -> Result<Vec<Result<Task<'a>, Failure>>, Failure> {
    let snapshots = which.args.snapshots();
    let named = rulebooks(&which.args.rulebook)?;
    let mut found = match &which.named {
        Some(place) => vec![place.clone()],
        None => places(snapshots)?,
    };
    found.retain(|place| place.files().next().is_some());
    found.retain(|place| {
        which.named.is_some() || named.is_empty() || named.contains_key(&place.rulebook)
    });
    if found.is_empty() {
        let lacking = which.named.as_ref().map_or(snapshots.to_owned(), Place::accepted);
        return Err(Failure::usage(format!("no baseline in {}", lacking.display())).next(
            "name one with --baseline, or accept a first one: tapecheck review RECORDINGS --all",
        ));
    }
    let is_apart =
        |place: &Place, after: &After| matches!(after, After::Waits(it) if it.place == *place);
    found.retain(|place| !which.without.iter().any(|after| is_apart(place, after)));
    Ok(found.into_iter().map(|place| task_of_baseline(which, &named, place)).collect())
}

fn task_of_baseline<'a>(
    which: &'a Which<'a>,
    named: &BTreeMap<String, Named>,
    place: Place,
) -> Result<Task<'a>, Failure> {
    let file = place.files().next().unwrap_or_else(|| place.accepted());
    let Origin { collection, rulebook_file } = peek(&file)?.origin;
    let unrecorded = |what: &str, next: &str| {
        Failure::unfinished(format!("{} does not record {what}", file.display())).next(next)
    };
    let given = which.args.after.first().map(|given| given.to_string_lossy().into_owned());
    let collection = given.or(collection).ok_or_else(|| {
        unrecorded("where its recordings are", "name them: tapecheck review RECORDINGS")
    })?;
    let rulebook = match (named.get(&place.rulebook), rulebook_file) {
        (Some(named), _) => named.clone(),
        (None, Some(word)) => Named { rulebook: Arc::new(load(&word)?), word },
        (None, None) if builtin_source(&place.rulebook).is_some() => {
            let word = place.rulebook.clone();
            Named { rulebook: Arc::new(load(&word)?), word }
        }
        (None, None) => {
            return Err(unrecorded("where its rulebook is", "name its file with --rulebook"));
        }
    };
    if rulebook.rulebook.name != place.rulebook {
        return Err(Failure::unfinished(format!(
            "{} is now called {}, so it is not the rulebook of {}",
            rulebook.word,
            rulebook.rulebook.name,
            file.display()
        ))
        .next("rename it back, or name the rulebook's file with --rulebook"));
    }
    Ok(task(which, Path::new(&collection), &rulebook, place))
}

fn task<'a>(which: &'a Which<'a>, path: &Path, named: &Named, place: Place) -> Task<'a> {
    let Named { word, rulebook } = named;
    let line = CommandLine::default()
        .word(path)
        .flag("--rulebook", Some(word).filter(|word| **word != config().rulebook))
        .then(&which.args.judging.spelled());
    let is_usual = name_of(path).is_ok_and(|name| name == place.collection);
    let file = Some(Path::new(word)).filter(|_| builtin_source(word).is_none());
    Task {
        collection: path.to_owned(),
        rulebook: Arc::clone(rulebook),
        baseline: (!is_usual).then(|| place.accepted()),
        place,
        judging: &which.args.judging,
        word: word.clone(),
        origin: Origin::of(&[path.to_owned()], file),
        line,
    }
}

/// The last name of a path, also of one like `.`.
pub(in crate::cli) fn name_of(path: &Path) -> Result<String, Failure> {
    let whole = match path.file_name() {
        Some(_) => path.to_owned(),
        None => path.canonicalize().unwrap_or_else(|_| path.to_owned()),
    };
    let name = whole.file_name().and_then(|name| name.to_str());
    match name {
        Some(name) if path.as_os_str() != "-" => Ok(name.to_owned()),
        _ => Err(Failure::usage(format!("{} has no name to use for a baseline", path.display()))
            .next("name a folder or a recording")),
    }
}

/// Digits of a digest that are shown.
const DIGITS: usize = 12;

/// What came of one collection under one rulebook.
pub(super) enum Outcome {
    /// There was no baseline, and now there is.
    Created { path: PathBuf, exchanges: u64 },
    /// There is a baseline, and what differs from it is decided about.
    Reviewed,
    /// Nothing differs.
    Clean { path: PathBuf, exchanges: u64, moved: Vec<(Moved, [String; 2])> },
    /// Something differs.
    Differs { path: PathBuf, about: String, has_gone: bool },
    /// Accepted exchanges that no longer exist were removed.
    Pruned { path: PathBuf, gone: u64 },
}

impl Outcome {
    pub(super) fn differs(
        path: PathBuf,
        accepted: &Baseline,
        now: &Baseline,
        found: &Changes,
    ) -> Self {
        let mut about = kinds(found);
        let moved = Moved::between(&accepted.side.header, &now.side.header);
        about.push_str(&moved_text(&moved));
        let has_gone = found.gone().next().is_some();
        Self::Differs { path, about, has_gone }
    }

    /// Whether there is more to show or to do.
    pub(super) fn goes_on(&self) -> bool {
        matches!(self, Self::Differs { .. } | Self::Reviewed)
    }

    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Created { .. } | Self::Reviewed | Self::Clean { .. } | Self::Pruned { .. } => {
                Exit::Clean
            }
            Self::Differs { .. } => Exit::Findings,
        }
    }

    /// What to print. `named` is what was named, as it would be typed again behind a verb.
    pub(super) fn text(&self, named: &str) -> String {
        match self {
            Self::Created { path, exchanges } => {
                line("created", path, &counted(*exchanges, "call"))
            }
            Self::Reviewed => String::new(),
            Self::Clean { path, exchanges, moved } => {
                let mut text = line("clean", path, &counted(*exchanges, "call"));
                if !moved.is_empty() {
                    text.push_str(&moved_text(moved));
                    let _ = writeln!(
                        text,
                        "  no verdict changed; `tapecheck review {named} --all` updates the header"
                    );
                }
                text
            }
            Self::Differs { path, about, has_gone } => {
                let mut text = line("differs", path, about.trim_end());
                if *has_gone {
                    let _ = writeln!(
                        text,
                        "  calls that no longer exist stay accepted until `tapecheck review {named} --prune`"
                    );
                }
                text
            }
            Self::Pruned { path, gone: 0 } => line("clean", path, "nothing to remove"),
            Self::Pruned { path, gone } => {
                line("pruned", path, &format!("{} removed", counted(*gone, "call")))
            }
        }
    }
}

fn line(word: &str, path: &Path, what: &str) -> String {
    format!("{word:<8} {}: {what}\n", path.display())
}

/// Exchanges by what became of them, on one line.
fn kinds(found: &Changes) -> String {
    let kinds = found.kinds();
    let counts = Kind::ALL.iter().filter_map(|kind| {
        let count = kinds.get(kind).copied().filter(|count| *count > 0)?;
        Some(format!("{} {}", grouped(count), kind.words()))
    });
    counts.collect::<Vec<_>>().join(", ") + "\n"
}

fn short(digest: &str) -> &str {
    digest.get(..DIGITS).unwrap_or(digest)
}

fn moved_text(moved: &[(Moved, [String; 2])]) -> String {
    let each = moved.iter().map(|(moved, [from, to])| {
        format!("  {} changed: {} -> {}\n", moved.name(), short(from), short(to))
    });
    each.collect()
}

pub(super) fn as_row(place: &Place, head: Option<&Head>) -> String {
    let pending = match (place.pending().exists(), head) {
        (true, Some(_)) => ", changes wait for a review",
        (true, None) => "waits for its first review",
        (false, _) => "",
    };
    let path = place.files().next().unwrap_or_default();
    let path = path.display();
    let Some(head) = head else { return format!("{path}  {pending}\n") };
    let mut row = format!(
        "{path}  {}, recordings {}, rulebook {}, format {FORMAT}{pending}\n",
        counted(head.calls, "call"),
        short(&head.corpus),
        short(&head.rulebook.digest),
    );
    let counts: Vec<String> =
        head.counts.iter().map(|(name, count)| format!("{name} {}", grouped(count))).collect();
    let _ = writeln!(row, "  {}", counts.join(", "));
    row
}
