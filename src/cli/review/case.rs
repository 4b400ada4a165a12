//! What a review is about: a baseline, what is compared with it, what differs, and what was decided.

use super::Args;
use super::check::missing;
use super::write::LogFile;
use crate::baseline::{
    self, Baseline, Head, Origin, SnapshotPath, SnapshotsLock, only_place, peek, places,
};
use crate::cli::Failure;
use crate::cli::command_line::CommandLine;
use crate::cli::config::config;
use crate::cli::inputs::load;
use crate::cli::opened_path::{
    Folder, Judged, PathKind, labels_beside, read_all_labels, rulebook_beside,
};
use crate::cli::progress::while_waiting;
use crate::cli::recorded::look_up_entries;
use crate::cli::terminal::say;
use crate::compare::show::overlap_words;
use crate::compare::{Comparison, Kind, Side, compare};
use crate::labels::Labelled;
use crate::review::{Material, Session};
use crate::rulebook::{Rulebook, builtin_source};
use crate::run::inputs_of_run;
use crate::verdict::{counted, harmless};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A baseline, and what is compared with it.
pub(super) struct Case<'a> {
    args: &'a Args,
    /// A run, recordings, or a baseline that waits for a review.
    pub(super) after: PathBuf,
    /// The rulebook as it was named: it judges recordings, and rejected calls become its examples.
    rulebook: Option<String>,
    /// Where the baseline lies; `None` where what is judged tells.
    pub(super) place: Option<SnapshotPath>,
    /// The head of a baseline that waits, which is taken up as it was left.
    pub(super) waits: Option<Head>,
    /// Whether it is the baseline's recordings that are compared, so that what differs waits for a review.
    pub(super) is_collection: bool,
    /// The baseline's file, where it has to be named.
    file: Option<PathBuf>,
}

/// What is said now, and where it was found.
pub(super) struct Now {
    pub(super) side: Side,
    /// The baseline in which all of it is accepted.
    pub(super) whole: Baseline,
    pub(super) inputs: Vec<PathBuf>,
    /// The rulebook, as it was named.
    rulebook: Option<String>,
    /// The run, by which labels are found; `None` for a baseline.
    run: Option<Folder>,
}

/// Everything that a review needs.
pub(super) struct Review {
    pub(super) session: Session,
    pub(super) accepted: Baseline,
    pub(super) whole: Baseline,
    pub(super) place: SnapshotPath,
    pub(super) log: LogFile,
    /// The folders and recordings that were judged.
    pub(super) inputs: Vec<PathBuf>,
    /// The rulebook that rejected exchanges become examples of, with its file.
    pub(super) examples: Option<(PathBuf, Rulebook)>,
    pub(super) labels: PathBuf,
    /// Held until everything is done; `None` where nothing is to be written.
    pub(super) lock: Option<SnapshotsLock>,
    /// The command that takes the review up again.
    pub(super) command: String,
}

impl Args {
    /// What is named, or else every baseline: those that wait for a review as they were left, the others with
    /// their recordings, unless something is decided, which is about those that wait.
    pub(super) fn cases(&self) -> Result<Vec<Result<Case<'_>, Failure>>, Failure> {
        let named = self.named_baseline().map(place_named).transpose()?;
        let snapshots = self.snapshots();
        if snapshots.is_file() {
            let what = format!("{} is a file, but not a baseline", snapshots.display());
            return Err(Failure::usage(what)
                .next("name the folder of all baselines, or a file whose name ends in .snap"));
        }
        if self.after.is_empty() {
            return self.cases_of_baselines(named);
        }
        if self.after.iter().all(|path| PathKind::of(path) == PathKind::Corpus) {
            return self.collections(named.as_ref());
        }
        let rulebook = self.rulebook.first().map(String::as_str);
        let each = self
            .after
            .iter()
            .map(|after| Ok(Case { place: named.clone(), ..self.case(after.clone(), rulebook) }));
        Ok(each.collect())
    }

    fn case(&self, after: PathBuf, rulebook: Option<&str>) -> Case<'_> {
        Case {
            args: self,
            after,
            rulebook: rulebook.map(str::to_owned),
            place: None,
            waits: None,
            is_collection: false,
            file: self.named_baseline().map(Path::to_owned),
        }
    }

    /// Recordings, each a collection with one baseline for each rulebook.
    fn collections(
        &self,
        named: Option<&SnapshotPath>,
    ) -> Result<Vec<Result<Case<'_>, Failure>>, Failure> {
        let usual = match self.named_baseline().filter(|_| self.rulebook.is_empty()) {
            Some(file) => {
                let own = peek(file).ok().and_then(|head| head.origin.rulebook_file);
                let own = own.filter(|word| Path::new(word).exists());
                own.map_or_else(|| rulebook_beside(file), Ok)?
            }
            None => config().rulebook.clone(),
        };
        let words = if self.rulebook.is_empty() { vec![usual] } else { self.rulebook.clone() };
        let rulebooks = by_name(&words)?;
        let mut collections: BTreeMap<String, &PathBuf> = BTreeMap::new();
        for path in &self.after {
            let name = name_of(path)?;
            if let Some(other) = collections.insert(name.clone(), path) {
                let [other, path] = [other, path].map(|it| it.display());
                return Err(Failure::usage(format!("{other} and {path} are both called `{name}`"))
                .next("a collection is called by the last part of its path; rename one, or give each a folder of its own with --baseline DIR"));
            }
        }
        let mut cases = Vec::new();
        for path in collections.into_values() {
            for (rulebook, word) in &rulebooks {
                let or_only = !self.all && !self.prune;
                let place = match named {
                    Some(place) => place.clone(),
                    None => place_of(self.snapshots(), path, rulebook, or_only)?,
                };
                let is_collection = named.is_none();
                cases.push(Ok(Case { is_collection, ..self.collection(path, word, place) }));
            }
        }
        Ok(cases)
    }

    fn collection(&self, path: &Path, word: &str, place: SnapshotPath) -> Case<'_> {
        let case = self.case(path.to_owned(), Some(word));
        let is_usual = name_of(path).is_ok_and(|name| name == place.collection);
        let file = case.file.clone().or_else(|| (!is_usual).then(|| place.accepted()));
        Case { place: Some(place), is_collection: true, file, ..case }
    }

    /// Every baseline, or the one that is named; only of named rulebooks, if any are.
    fn cases_of_baselines(
        &self,
        named: Option<SnapshotPath>,
    ) -> Result<Vec<Result<Case<'_>, Failure>>, Failure> {
        let decides = self.decides();
        let lacking = named.as_ref().map_or(self.snapshots().to_owned(), SnapshotPath::accepted);
        let rulebooks = by_name(&self.rulebook)?;
        let is_named = named.is_some();
        let mut found = named.map_or_else(|| places(self.snapshots()), |place| Ok(vec![place]))?;
        found.retain(|place| {
            let is_meant = is_named || rulebooks.is_empty() || decides;
            place.files().next().is_some() && (is_meant || rulebooks.contains_key(&place.rulebook))
        });
        if found.is_empty() && !decides {
            return Err(Failure::usage(format!("no baseline in {}", lacking.display())).next(
                "name one with --baseline, or accept a first one: tapecheck review RECORDINGS --all",
            ));
        }
        // A first baseline is created, not reviewed.
        let waits = |place: &SnapshotPath| {
            !self.prune && place.accepted().exists() && place.pending().exists()
        };
        let several = found.iter().filter(|place| waits(place)).count() > 1;
        let each = found.into_iter().filter_map(|place| {
            if waits(&place) {
                return Some(self.waiting(place, several));
            }
            (!decides).then(|| self.case_of_baseline(&rulebooks, place))
        });
        let cases: Vec<_> = each.collect();
        if cases.is_empty() {
            return Err(Failure::usage(format!(
                "nothing waits for a review in {}; tapecheck review classifies the recordings again and compares",
                lacking.display()
            )));
        }
        Ok(cases)
    }

    fn waiting(&self, place: SnapshotPath, several: bool) -> Result<Case<'_>, Failure> {
        let head = peek(&place.pending())?;
        let case = self.case(place.pending(), self.rulebook.first().map(String::as_str));
        let file = case.file.clone().or_else(|| several.then(|| place.accepted()));
        Ok(Case { place: Some(place), waits: Some(head), file, ..case })
    }

    /// A baseline with the recordings and the rulebook that it tells.
    fn case_of_baseline(
        &self,
        named: &BTreeMap<String, String>,
        place: SnapshotPath,
    ) -> Result<Case<'_>, Failure> {
        let file = place.files().next().unwrap_or_else(|| place.accepted());
        let origin = peek(&file)?.origin;
        let unrecorded = |what: &str, next: &str| {
            Failure::unfinished(format!("{} does not record {what}", file.display())).next(next)
        };
        let collection = origin.collection.clone().ok_or_else(|| {
            unrecorded("where its recordings are", "name them: tapecheck review RECORDINGS")
        })?;
        let word = named.get(&place.rulebook).cloned().or_else(|| rulebook_of(&place, &origin));
        let word = word
            .ok_or_else(|| unrecorded("where its rulebook is", "name its file with --rulebook"))?;
        let name = load(&word)?.name;
        if name != place.rulebook {
            return Err(Failure::unfinished(format!(
                "{word} is now called {name}, so it is not the rulebook of {}",
                file.display()
            ))
            .next("rename it back, or name the rulebook's file with --rulebook"));
        }
        Ok(self.collection(Path::new(&collection), &word, place))
    }
}

impl Case<'_> {
    /// The command that reviews it, as it would be typed again.
    pub(super) fn command(&self) -> String {
        let line = CommandLine::new("tapecheck review");
        let line = if self.waits.is_some() { line } else { line.word(&self.after) };
        let folder = Some(self.args.snapshots()).filter(|folder| *folder != config().baseline);
        let is_told = self.is_collection || !self.args.rulebook.is_empty();
        let rulebook = self.rulebook.as_ref().filter(|_| is_told);
        line.flag("--baseline", self.file.as_deref().or(folder))
            .flag("--rulebook", rulebook)
            .flag("--labels", &self.args.labels)
            .then(&self.args.judging.spelled())
            .to_string()
    }

    /// What is said now. Of a baseline that waits the recordings tell more than its file, if they are judged
    /// as they were then.
    pub(super) fn now(&self) -> Result<Now, Failure> {
        let named = self.rulebook.clone();
        if let (Some(head), Some(place)) = (&self.waits, &self.place) {
            let word = named.clone().or_else(|| rulebook_of(place, &head.origin));
            let is_there =
                |word: &String| builtin_source(word).is_some() || Path::new(word).exists();
            let recordings = head.origin.collection.as_ref().map(PathBuf::from);
            if let (Some(path), Some(word)) =
                (recordings.filter(|path| path.exists()), word.filter(is_there))
            {
                let now = self.judged(&path, Some(word), vec![path.clone()])?;
                if now.side.header.checks == head.checks {
                    return Ok(now);
                }
            }
        }
        let after = &self.after;
        match PathKind::of(after) {
            PathKind::Baseline => {
                let mut whole = baseline::read(after)?;
                let side = whole.side.clone();
                // The side is the baseline's own.
                whole.places = (0..).take(side.entries.len()).collect();
                Ok(Now { side, whole, inputs: Vec::new(), rulebook: named, run: None })
            }
            PathKind::Run => {
                let now = self.judged(after, None, inputs_of_run(after).unwrap_or_default())?;
                Ok(Now { rulebook: named, ..now })
            }
            PathKind::Corpus => self.judged(after, named, vec![after.clone()]),
        }
    }

    fn judged(
        &self,
        path: &Path,
        rulebook: Option<String>,
        inputs: Vec<PathBuf>,
    ) -> Result<Now, Failure> {
        let Judged { side, folder } = self.args.judging.open(path, rulebook.as_deref())?;
        let whole = match &folder {
            Some(run) => Baseline::of_run(&run.path, side.clone())?,
            None => baseline::read(path)?,
        };
        let file = rulebook.as_deref().filter(|word| builtin_source(word).is_none());
        let whole = whole.from(Origin::of(&inputs, file.map(Path::new)));
        Ok(Now { side, whole, inputs, rulebook, run: folder })
    }

    /// Where the baseline lies.
    pub(super) fn place(&self, now: &Now) -> Result<SnapshotPath, Failure> {
        let header = &now.side.header;
        let place = match (&self.place, now.inputs.as_slice()) {
            (Some(place), _) => place.clone(),
            (None, []) if now.run.is_none() => place_named(&self.after)?,
            (None, [input]) => place_of(self.args.snapshots(), input, &header.rulebook.name, true)?,
            (None, inputs) => {
                return Err(Failure::usage(format!(
                    "{} covers {} folders or recordings, so its baseline is ambiguous",
                    harmless(&header.name),
                    inputs.len()
                ))
                .next("name the baseline with --baseline"));
            }
        };
        if place.accepted() == self.after {
            let name = harmless(&self.after.display().to_string());
            return Err(Failure::usage(format!("{name} is itself what was accepted"))
                .next("name its collection, recordings or a run"));
        }
        Ok(place)
    }

    /// Compares what is said now with the baseline, and takes up what was decided.
    pub(super) fn open(
        &self,
        Now { side, whole, inputs, rulebook, run }: Now,
        (place, accepted): (SnapshotPath, Baseline),
        lock: Option<SnapshotsLock>,
    ) -> Result<Review, Failure> {
        let examples = examples(&side, rulebook.as_deref())?;
        let origin = Origin::of(&inputs, examples.as_ref().map(|(path, _)| path.as_path()));
        let origin = origin.or(&whole.origin);
        let whole = whole.from(origin);
        let before = accepted.side.clone();
        let mut comparison = compared(&before, &side)?;
        let beside = || place.accepted().with_file_name("labels.jsonl");
        let labels = self.args.labels.clone().unwrap_or_else(beside);
        if let Some(run) = run.filter(|_| comparison.judged_otherwise() > 0) {
            let mut lines = labels_beside(&run.path).lines;
            lines.extend(read_all_labels(labels.exists().then_some(&labels).cloned().as_slice())?);
            let labelled = Labelled::of_run(&run.path, &side, &lines)?;
            labelled.judge(&mut comparison, [&before, &side]);
        }
        if self.args.raw.is_given() {
            self.show_secrets(&side, &comparison, &inputs)?;
        }
        let mut session = Session::new(Material { before, after: side, comparison });
        let log = LogFile::read(&place, &mut session)?;
        Ok(Review {
            session,
            accepted,
            whole,
            place,
            log,
            inputs,
            examples,
            labels,
            lock,
            command: self.command(),
        })
    }

    /// Puts the recorded texts of what changed in the place of masked ones. No file gets them.
    fn show_secrets(
        &self,
        side: &Side,
        comparison: &Comparison,
        inputs: &[PathBuf],
    ) -> Result<(), Failure> {
        let redactor = self.args.raw.redactor()?;
        let changed: Vec<u32> = comparison.flips.iter().filter_map(|flip| flip.after).collect();
        let texts = side.rulebook.as_ref().map_or_else(BTreeMap::new, |rulebook| {
            look_up_entries(inputs, side, &changed, |call| call.tell(&redactor).lines(rulebook))
        });
        if texts.len() < changed.len() {
            let missing = counted((changed.len() - texts.len()) as u64, "text");
            say(&format!(
                "note: {missing} not found in the recordings, shown as the run keeps them"
            ));
        }
        side.show_instead(texts.into_iter().map(|(at, text)| (at, text.to_string())));
        Ok(())
    }

    /// Reads what was accepted.
    pub(super) fn accepted(&self, place: &SnapshotPath) -> Result<Baseline, Failure> {
        let path = place.accepted();
        if path.exists() { Ok(baseline::read(&path)?) } else { Err(missing(self, place)) }
    }
}

/// The names of rulebooks, with the words that name them.
fn by_name(words: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let mut rulebooks = BTreeMap::new();
    for word in words {
        let name = load(word)?.name;
        if let Some(other) = rulebooks.insert(name.clone(), word.clone()) {
            return Err(Failure::usage(format!("{other} and {word} are both called `{name}`"))
                .next("a collection has one baseline for each name; rename one of the rulebooks"));
        }
    }
    Ok(rulebooks)
}

/// The rulebook of a baseline, as it would be named.
fn rulebook_of(place: &SnapshotPath, origin: &Origin) -> Option<String> {
    let builtin = || builtin_source(&place.rulebook).map(|_| place.rulebook.clone());
    origin.rulebook_file.clone().or_else(builtin)
}

/// The rulebook's file for examples. A file that is not what judged would be told lies.
fn examples(side: &Side, word: Option<&str>) -> Result<Option<(PathBuf, Rulebook)>, Failure> {
    let Some(word) = word else { return Ok(None) };
    let rulebook = load(word)?;
    if rulebook.digest != side.header.rulebook.digest {
        return Err(Failure::usage(format!(
            "{} was classified under {}, an earlier version of {word}",
            harmless(&side.header.name),
            harmless(&side.header.rulebook.name),
        ))
        .next("classify the recordings again, or leave --rulebook out"));
    }
    Ok(builtin_source(word).is_none().then(|| (PathBuf::from(word), rulebook)))
}

fn compared(accepted: &Side, side: &Side) -> Result<Comparison, Failure> {
    let doing = format!("comparing {} with its baseline", side.header.name);
    let comparison = while_waiting(&doing, || compare(accepted, side));
    let same = comparison.kinds.get(&Kind::Same).copied().unwrap_or(0);
    if comparison.overlap.both() == 0 && same == 0 && !accepted.entries.is_empty() {
        return Err(Failure::unfinished(format!(
            "the baseline and {} have no call in common: {}",
            harmless(&side.header.name),
            overlap_words(&comparison.overlap)
        ))
        .next("name the baseline of the same collection with --baseline"));
    }
    Ok(comparison)
}

/// Where the baseline of recordings lies: by their name, or where there is none, that of the only baseline of the
/// rulebook, if that is wanted.
pub(in crate::cli) fn place_of(
    snapshots: &Path,
    recordings: &Path,
    rulebook: &str,
    or_only: bool,
) -> Result<SnapshotPath, Failure> {
    let place = SnapshotPath::new(snapshots, &name_of(recordings)?, rulebook)
        .map_err(|wrong| Failure::usage(wrong).next("name the baseline with --baseline"))?;
    if !or_only || place.accepted().exists() {
        return Ok(place);
    }
    Ok(only_place(snapshots, rulebook)?.unwrap_or(place))
}

/// The last name of a path, also of one like `.`.
pub(super) fn name_of(path: &Path) -> Result<String, Failure> {
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

/// The place that a baseline's own file tells: `SNAPSHOTS/COLLECTION/RULEBOOK.snap`, waiting or not. One
/// that lies elsewhere is its own folder of snapshots, so that nothing is written into other folders.
fn place_named(file: &Path) -> Result<SnapshotPath, Failure> {
    let name = file.file_name().and_then(|name| name.to_str());
    let (Some(rulebook), Some(folder)) = (name.and_then(SnapshotPath::rulebook_of), file.parent())
    else {
        return Err(Failure::usage(format!("{} cannot be a baseline", file.display()))
            .next("a baseline's name ends in .snap"));
    };
    // Snapshots are known by their name, or since rulebooks are kept there.
    let is_snapshots = |folder: &&Path| {
        *folder == config().baseline
            || folder.file_name().is_some_and(|name| name == "snapshots")
            || folder.join("rulebooks").is_dir()
    };
    let collection = folder.file_name().and_then(|name| name.to_str());
    let snapshots = folder.parent().filter(is_snapshots);
    let (snapshots, collection) = snapshots.zip(collection).unwrap_or((folder, ""));
    Ok(SnapshotPath {
        snapshots: snapshots.to_owned(),
        collection: collection.to_owned(),
        rulebook: rulebook.to_owned(),
    })
}

/// The baselines of cases, for people.
pub(super) fn names_of<'c>(cases: impl Iterator<Item = &'c Case<'c>>) -> String {
    let names: BTreeSet<String> = cases
        .map(|case| match &case.place {
            Some(place) => place.accepted().display().to_string(),
            None => case.after.display().to_string(),
        })
        .collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}
