//! Each collection under each rulebook.

use super::super::{Then, after::After};
use super::Which;
use super::text::Outcome;
use crate::baseline::{Baseline, Origin, Place, only_place, peek, places, read};
use crate::cli::command_line::CommandLine;
use crate::cli::config::config;
use crate::cli::inputs::{JudgingArgs, load};
use crate::cli::opened::Judged;
use crate::cli::terminal::{print, say};
use crate::cli::{Exit, Failure};
use crate::rulebook::{Rulebook, builtin_source};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    if which.snapshots.is_file() {
        return Err(Failure::usage(format!(
            "{} is a file, but several collections need a folder",
            which.snapshots.display()
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
    if which.corpus.is_empty() || which.named.is_some() && which.corpus.len() == 1 {
        return tasks_of_baselines(which);
    }
    let usual = std::slice::from_ref(&config().rulebook);
    let named = if which.rulebook.is_empty() { usual } else { which.rulebook };
    let rulebooks = rulebooks(named)?;
    let mut collections: BTreeMap<String, &PathBuf> = BTreeMap::new();
    for path in which.corpus {
        let name = name_of(path)?;
        if let Some(other) = collections.insert(name.clone(), path) {
            return Err(Failure::usage(format!(
                "{} and {} are both called `{name}`",
                other.display(),
                path.display()
            ))
            .next("a collection is called by the last part of its path; rename one, or give each a folder of its own with --baseline DIR"));
        }
    }
    let mut tasks = Vec::new();
    for (name, path) in collections {
        for (rulebook_name, rulebook) in &rulebooks {
            let mut place = Place::new(which.snapshots, &name, rulebook_name)
                .map_err(|wrong| Failure::usage(wrong).next("rename it"))?;
            if which.or_only && !place.accepted().exists() {
                let only = only_place(which.snapshots, rulebook_name);
                place = only?.unwrap_or(place);
            }
            tasks.push(Ok(task(which, path, rulebook, place)));
        }
    }
    Ok(tasks)
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
    let snapshots = which.snapshots;
    let named = rulebooks(which.rulebook)?;
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
    let given = which.corpus.first().map(|given| given.to_string_lossy().into_owned());
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
        .then(&which.judging.spelled());
    let is_usual = name_of(path).is_ok_and(|name| name == place.collection);
    let file = Some(Path::new(word)).filter(|_| builtin_source(word).is_none());
    Task {
        collection: path.to_owned(),
        rulebook: Arc::clone(rulebook),
        baseline: (!is_usual).then(|| place.accepted()),
        place,
        judging: which.judging,
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
