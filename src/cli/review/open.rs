//! What a review is about: what was accepted, what is said now, what differs, and what was decided.

use super::write::LogFile;
use super::{Args, check};
use crate::baseline::{self, Baseline, Head, Origin, Place, SnapshotsLock, peek, places};
use crate::cli::Failure;
use crate::cli::command_line::CommandLine;
use crate::cli::config::config;
use crate::cli::inputs::load;
use crate::cli::opened::{
    Folder, Judged, Place as SidePlace, labels_beside, read_all_labels, rulebook_beside,
};
use crate::cli::progress::while_waiting;
use crate::cli::recorded::look_up_entries;
use crate::cli::terminal::say;
use crate::compare::show::overlap_words;
use crate::compare::{Comparison, Kind, Side, compare};
use crate::labels::Labelled;
use crate::review::{Material, Replayed, Session};
use crate::rulebook::{Rulebook, builtin_source};
use crate::run::inputs_of_run;
use crate::verdict::{counted, harmless};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is decided about, and where decisions go.
pub(super) struct Subject<'a> {
    pub(super) args: &'a Args,
    /// Whether something was named to compare with what was accepted.
    pub(super) is_named: bool,
    /// The file of what was accepted, where it was named.
    pub(super) baseline: Option<PathBuf>,
    /// The rulebook for recordings, or the file of the one that judged a run.
    pub(super) rulebook: Option<String>,
}

/// Everything that a review needs.
pub(super) struct Opened {
    pub(super) accepted: Baseline,
    /// The baseline in which everything that is said now is accepted.
    pub(super) whole: Baseline,
    pub(super) place: Place,
    pub(super) log: LogFile,
    pub(super) replayed: Replayed,
    /// The folders and recordings that were judged.
    pub(super) inputs: Vec<PathBuf>,
    /// The rulebook that rejected exchanges become examples of, with its file.
    pub(super) examples: Option<(PathBuf, Rulebook)>,
    pub(super) labels: PathBuf,
    /// Held until everything is done; `None` where nothing is to be written.
    pub(super) lock: Option<SnapshotsLock>,
    /// What is meant, as it would be typed again.
    pub(super) command: String,
}

/// What is said now, and where it was found.
struct Now {
    side: Side,
    whole: Baseline,
    inputs: Vec<PathBuf>,
    /// Where its baseline lies, if the side itself tells.
    place: Option<Place>,
    /// The rulebook, as it was named.
    rulebook: Option<String>,
    /// The run, by which labels are found; `None` for a baseline.
    run: Option<Folder>,
}

impl Subject<'_> {
    /// The options that say what is meant, as they were given.
    pub(super) fn spelled(&self) -> CommandLine {
        let folder = Some(self.args.snapshots()).filter(|folder| *folder != config().baseline);
        let file = self.baseline.as_deref().filter(|_| self.is_named);
        CommandLine::default()
            .flag("--baseline", file.or(folder))
            .flag("--rulebook", &self.rulebook)
            .flag("--labels", &self.args.labels)
    }

    /// Opens what is reviewed, locked where something is decided.
    pub(super) fn open(&self, after: &After, decides: bool) -> Result<(Session, Opened), Failure> {
        let Now { side, whole, inputs, place, rulebook, run } = self.now(after)?;
        let place = self.place(&side, &inputs, place)?;
        let examples = examples(&side, rulebook.as_deref())?;
        let own = examples.as_ref().map(|(path, _)| path.as_path());
        let earlier_origin = whole.origin.clone();
        let whole = whole.from(Origin::of(&inputs, own).or(&earlier_origin));
        let path = place.accepted();
        if !path.exists() {
            return Err(Failure::usage(format!("the baseline {} does not exist", path.display()))
                .next(
                    "name one that exists, or accept a first one: tapecheck review RECORDINGS --all",
                ));
        }
        let lock = decides.then(|| SnapshotsLock::take(&place.snapshots)).transpose()?;
        let accepted = baseline::read(&path)?;
        let before = accepted.side.clone();
        let mut comparison = compared(&before, &side)?;
        let labels = self
            .args
            .labels
            .clone()
            .unwrap_or_else(|| path.parent().unwrap_or(Path::new(".")).join("labels.jsonl"));
        if let Some(run) = run.filter(|_| comparison.judged_otherwise() > 0) {
            let mut lines = labels_beside(&run.path).lines;
            lines.extend(read_all_labels(labels.exists().then_some(&labels).cloned().as_slice())?);
            let labelled = Labelled::of_run(&run.path, &side, &lines)?;
            labelled.judge(&mut comparison, [&before, &side]);
        }
        if self.args.raw.is_given() {
            self.show_secrets(&side, &comparison, &inputs)?;
        }
        let material = Material { before, after: side, comparison };
        let mut session = Session::new(material);
        let log = LogFile::read(&place)?;
        let replayed = session.replay(&log.lines);
        let command = self.command(after);
        let opened = Opened {
            accepted,
            whole,
            place,
            log,
            replayed,
            inputs,
            examples,
            labels,
            lock,
            command,
        };
        Ok((session, opened))
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

    fn now(&self, after: &After) -> Result<Now, Failure> {
        match after {
            After::Waits(waiting) => self.now_of_waiting(waiting),
            After::Named(after) => match SidePlace::of(after) {
                SidePlace::Baseline => {
                    let accepted =
                        self.baseline.clone().or(place_of(after).map(|it| it.accepted()));
                    if accepted.as_ref() == Some(after) {
                        let name = harmless(&after.display().to_string());
                        return Err(Failure::usage(format!("{name} is itself what was accepted"))
                            .next("name its collection, recordings or a run"));
                    }
                    Ok(Now { rulebook: self.rulebook.clone(), ..as_it_waits(after)? })
                }
                SidePlace::Run => {
                    let inputs = inputs_of_run(after).unwrap_or_default();
                    self.opened(after, None, inputs)
                }
                SidePlace::Corpus => {
                    let judged = match (&self.rulebook, &self.baseline) {
                        (Some(named), _) => named.clone(),
                        (None, Some(baseline)) => rulebook_beside(baseline)?,
                        (None, None) => config().rulebook.clone(),
                    };
                    let now = self.opened(after, Some(&judged), vec![after.to_owned()])?;
                    Ok(Now { rulebook: self.rulebook.clone(), ..now })
                }
            },
        }
    }

    fn opened(
        &self,
        path: &Path,
        rulebook: Option<&str>,
        inputs: Vec<PathBuf>,
    ) -> Result<Now, Failure> {
        let Judged { side, folder } = self.args.judging.open(path, rulebook)?;
        let whole = match &folder {
            Some(run) => Baseline::of_run(&run.path, side.clone())?,
            None => baseline::read(path)?,
        };
        let rulebook = rulebook.map(str::to_owned).or_else(|| self.rulebook.clone());
        Ok(Now { side, whole, inputs, place: None, rulebook, run: folder })
    }

    /// The recordings tell more than the file that waits, if they are judged as they were then.
    fn now_of_waiting(&self, waiting: &Waiting) -> Result<Now, Failure> {
        let place = Some(waiting.place.clone());
        if let Some((recordings, rulebook)) = waiting.recordings(self.rulebook.as_deref()) {
            let now = self.opened(&recordings, Some(&rulebook), vec![recordings.clone()])?;
            if now.side.header.checks == waiting.checks {
                return Ok(Now { place, ..now });
            }
        }
        Ok(Now { place, rulebook: self.rulebook.clone(), ..as_it_waits(&waiting.pending)? })
    }

    fn place(&self, side: &Side, inputs: &[PathBuf], own: Option<Place>) -> Result<Place, Failure> {
        if let Some(file) = &self.baseline {
            return Self::place_named(file);
        }
        if let Some(place) = own {
            return Ok(place);
        }
        let [input] = inputs else {
            return Err(Failure::usage(format!(
                "{} covers {} folders or recordings, so its baseline is ambiguous",
                harmless(&side.header.name),
                inputs.len()
            ))
            .next("name the baseline with --baseline"));
        };
        check::place_of(self.args.snapshots(), input, &side.header.rulebook.name, true)
    }

    pub(super) fn place_named(file: &Path) -> Result<Place, Failure> {
        place_of(file).ok_or_else(|| {
            Failure::usage(format!("{} cannot be a baseline", file.display()))
                .next("a baseline's name ends in .snap")
        })
    }
}

/// The rulebook's file for examples. A file that is not what judged would be told lies.
fn examples(side: &Side, rulebook: Option<&str>) -> Result<Option<(PathBuf, Rulebook)>, Failure> {
    let own = rulebook.filter(|name| builtin_source(name).is_none());
    if let Some(name) = rulebook {
        let named = load(name)?;
        if named.digest != side.header.rulebook.digest {
            return Err(Failure::usage(format!(
                "{} was classified under {}, an earlier version of {name}",
                harmless(&side.header.name),
                harmless(&side.header.rulebook.name),
            ))
            .next("classify the recordings again, or leave --rulebook out"));
        }
    }
    let Some(path) = own.map(PathBuf::from) else { return Ok(None) };
    let rulebook = load(&path.to_string_lossy())?;
    Ok(Some((path, rulebook)))
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

fn as_it_waits(file: &Path) -> Result<Now, Failure> {
    let mut whole = baseline::read(file)?;
    let side = whole.side.clone();
    // The side is the baseline's own.
    whole.places = (0..).take(side.entries.len()).collect();
    Ok(Now { side, whole, inputs: Vec::new(), place: place_of(file), rulebook: None, run: None })
}

/// The place that a baseline's own file tells: `SNAPSHOTS/COLLECTION/RULEBOOK.snap`, waiting or not. One
/// that lies elsewhere is its own folder of snapshots, so that nothing is written into other folders.
fn place_of(file: &Path) -> Option<Place> {
    let rulebook = Place::rulebook_of(file.file_name()?.to_str()?)?.to_owned();
    let folder = file.parent()?;
    let collection = folder.file_name().and_then(|name| name.to_str());
    let snapshots = folder.parent().filter(|snapshots| is_snapshots(snapshots));
    Some(match (snapshots, collection) {
        (Some(snapshots), Some(collection)) => {
            Place { snapshots: snapshots.to_owned(), collection: collection.to_owned(), rulebook }
        }
        _ => Place { snapshots: folder.to_owned(), collection: String::new(), rulebook },
    })
}

/// Whether a folder is one of snapshots: by its name, or since rulebooks are kept there.
fn is_snapshots(folder: &Path) -> bool {
    folder == config().baseline
        || folder.file_name().is_some_and(|name| name == "snapshots")
        || folder.join("rulebooks").is_dir()
}

/// What is said now.
#[derive(Clone, Debug)]
pub(super) enum After {
    Named(PathBuf),
    /// Nothing was named: a baseline waits for a review.
    Waits(Waiting),
}

/// A baseline that waits for a review.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) place: Place,
    pub(super) pending: PathBuf,
    /// The digest of the checks that held.
    pub(super) checks: Option<String>,
    origin: Origin,
    /// How many others wait there too.
    others: usize,
}

impl Waiting {
    /// The baseline's file, as it would be named.
    fn named(&self) -> PathBuf {
        self.place.accepted()
    }

    /// The recordings and the rulebook to judge again, so that everything can be told of them, where
    /// the baseline tells where they lie and they are still there.
    pub(super) fn recordings(&self, rulebook: Option<&str>) -> Option<(PathBuf, String)> {
        let recordings = PathBuf::from(self.origin.collection.as_ref()?);
        let builtin = || builtin_source(&self.place.rulebook).map(|_| self.place.rulebook.clone());
        let file = self.origin.rulebook_file.clone();
        let rulebook = rulebook.map(str::to_owned).or(file).or_else(builtin)?;
        let is_there = |path: &Path| path.exists();
        let has_rulebook = builtin_source(&rulebook).is_some() || is_there(Path::new(&rulebook));
        (is_there(&recordings) && has_rulebook).then_some((recordings, rulebook))
    }
}

impl Subject<'_> {
    pub(super) fn waiting(&self) -> Result<Vec<After>, Failure> {
        let mut found = match &self.baseline {
            Some(file) => vec![Self::place_named(file)?],
            None => places(self.args.snapshots())?,
        };
        // A first baseline is created, not reviewed.
        found.retain(|place| place.accepted().exists() && place.pending().exists());
        let others = found.len().saturating_sub(1);
        let waiting = found.into_iter().map(|place| {
            let pending = place.pending();
            let waits = |Head { checks, origin, .. }: Head| {
                let pending = pending.clone();
                After::Waits(Waiting { place, pending, checks, origin, others })
            };
            peek(&pending).map(waits).map_err(Failure::from)
        });
        waiting.collect()
    }

    pub(super) fn nothing_waits(&self) -> String {
        let place = self.baseline.as_deref().unwrap_or(self.args.snapshots());
        format!(
            "nothing waits for a review in {}; tapecheck review classifies the recordings again and compares",
            place.display()
        )
    }

    /// What is meant, as it would be typed again.
    pub(super) fn command(&self, after: &After) -> String {
        let line = match after {
            After::Named(path) => CommandLine::default().word(path),
            After::Waits(waiting) if waiting.others > 0 => {
                CommandLine::default().flag("--baseline", [waiting.named()])
            }
            After::Waits(_) => CommandLine::default(),
        };
        line.then(&self.spelled()).then(&self.args.judging.spelled()).to_string()
    }
}

pub(super) fn names_of(afters: &[After]) -> String {
    let name = |after: &After| match after {
        After::Named(path) => path.display().to_string(),
        After::Waits(waiting) => waiting.named().display().to_string(),
    };
    afters.iter().map(name).collect::<Vec<_>>().join(", ")
}
