//! What two judgements are held against each other: run folders, baselines, and corpora that are
//! judged on the spot.

use super::Failure;
use super::config::config;
use super::inputs::{JudgingArgs, load};
use crate::baseline;
use crate::compare::{Side, SideError, read_run};
use crate::rulebook::builtin_names;
use crate::run::inputs_of_run;
use crate::store::{RULEBOOK, Table, TableFormat, is_run};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Looks at a run's folder and at what was read from it.
pub(super) type Look<'a> = &'a mut dyn FnMut(&Path, &Side) -> Result<(), Failure>;

/// Where a judgement is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Run,
    Baseline,
    /// Nowhere: the recordings have to be judged.
    Corpus,
}

impl Place {
    /// What a path is the place of, by its name and by what is there.
    pub(super) fn of(path: &Path) -> Self {
        let name = path.file_name().and_then(OsStr::to_str);
        let is_baseline = name.is_some_and(|name| baseline::Place::rulebook_of(name).is_some());
        if is_baseline && !path.is_dir() {
            Self::Baseline
        } else if is_run(path) {
            Self::Run
        } else {
            Self::Corpus
        }
    }
}

impl JudgingArgs {
    /// Reads what was judged, or judges it: a corpus under the rulebook named, else the default one.
    pub(super) fn open(&self, path: &Path, rulebook: Option<&str>) -> Result<Side, Failure> {
        self.open_looking(path, rulebook, &mut |_, _| Ok(()))
    }

    /// The same; a run is looked at while its folder is there, be it only until the corpus is judged.
    pub(super) fn open_looking(
        &self,
        path: &Path,
        rulebook: Option<&str>,
        look: Look<'_>,
    ) -> Result<Side, Failure> {
        match (Place::of(path), rulebook) {
            (Place::Corpus, _) if !path.exists() && path != Path::new("-") => {
                Err(Failure::usage(format!("{} does not exist", path.display()))
                    .next("name the folder of a run, the file of a baseline, or recordings"))
            }
            (Place::Corpus, _) if is_left_of_a_run(path) => Err(Failure::usage(format!(
                "{} is an incomplete run: its manifest.json is missing or unreadable",
                path.display()
            ))
            .next("classify the recordings again with tapecheck run")),
            (Place::Corpus, rulebook) => {
                let rulebook = rulebook.unwrap_or(&config().rulebook);
                let judged = self.judge(path, &load(rulebook)?)?;
                let run = judged.folder();
                let mut side = read_run(&run).map_err(|error| unreadable_run(&error))?;
                side.header.name = path.display().to_string();
                look(&run, &side)?;
                Ok(side)
            }
            (Place::Run | Place::Baseline, Some(rulebook)) => Err(Failure::usage(format!(
                "{} is classified already, so --rulebook {rulebook} has no effect",
                path.display()
            ))
            .next("name the recordings instead, or leave --rulebook out")),
            (Place::Run, None) => {
                let side = read_run(path).map_err(|error| unreadable_run(&error))?;
                look(path, &side)?;
                Ok(side)
            }
            (Place::Baseline, None) => match baseline::read(path) {
                Ok(baseline) => Ok(baseline.side),
                Err(error) => Err(Failure::unfinished(error)),
            },
        }
    }
}

/// The rulebook of a corpus where none is named: that of the side it is compared with, else the default.
pub(super) fn rulebook_beside(other: &Path) -> Result<String, Failure> {
    match Place::of(other) {
        Place::Corpus => Ok(config().rulebook.clone()),
        Place::Run => Ok(other.join(RULEBOOK).display().to_string()),
        Place::Baseline => {
            let file = other.file_name().and_then(OsStr::to_str).unwrap_or_default();
            let name = baseline::Place::rulebook_of(file).unwrap_or_default();
            if builtin_names().contains(&name) {
                return Ok(name.to_owned());
            }
            if !other.exists() {
                return Ok(config().rulebook.clone());
            }
            let name =
                baseline::read(other).map_err(Failure::unfinished)?.side.header.rulebook.name;
            if builtin_names().contains(&&*name) {
                return Ok(name);
            }
            Err(Failure::usage(format!(
                "{} was accepted under the rulebook {name}",
                other.display()
            ))
            .next("name its file with --rulebook"))
        }
    }
}

/// A folder of results whose manifest is gone.
pub(super) fn is_left_of_a_run(folder: &Path) -> bool {
    folder.join(Table::Verdicts.file_name(TableFormat::Parquet)).is_file()
}

/// Which rulebook judges which path: corpora take the named ones in turn, and one rulebook is enough
/// for two corpora. Where a single corpus is named with two rulebooks, it is compared with itself.
pub(super) fn assign<'a>(
    paths: &'a [PathBuf],
    rulebooks: &'a [String],
) -> Result<[(&'a Path, Option<String>); 2], Failure> {
    if let ([only], [tried]) = (paths, rulebooks)
        && Place::of(only) == Place::Corpus
    {
        return Ok([(only, Some(config().rulebook.clone())), (only, Some(tried.clone()))]);
    }
    let [before, after] = match paths {
        [only] if rulebooks.len() == 2 && Place::of(only) == Place::Corpus => [only, only],
        [_] => {
            return Err(Failure::usage("nothing to compare it with").next(
                "name AFTER, or what to try: --rulebook NAME|FILE, --set PATH=VALUE or --set PATH=FROM..TO",
            ));
        }
        [before, after] => [before, after],
        _ => return Err(Failure::usage("only two sides can be compared")),
    };
    let corpora = [before, after].map(|path| Place::of(path) == Place::Corpus);
    let wanted = corpora.iter().filter(|is_corpus| **is_corpus).count();
    if rulebooks.len() > wanted {
        return Err(Failure::usage(format!(
            "{} named, but {}",
            match rulebooks.len() {
                1 => "a rulebook is".to_owned(),
                several => format!("{several} rulebooks are"),
            },
            match wanted {
                0 => "neither side is recordings",
                1 => "only one side is recordings",
                _ => "there are two sides",
            },
        ))
        .next("--rulebook is for recordings; runs and baselines are classified already"));
    }
    let mut named = rulebooks.iter().cloned();
    let mut of = |is_corpus: bool, other: &Path| {
        let last = rulebooks.last().cloned();
        let rulebook =
            is_corpus.then(|| named.next().or(last).map_or_else(|| rulebook_beside(other), Ok));
        rulebook.transpose()
    };
    let first = of(corpora[0], after)?;
    Ok([(before, first), (after, of(corpora[1], before)?)])
}

/// The one folder or recording that a run judged, below the folder where the command runs.
pub(super) fn only_recording(run: &Path) -> Option<PathBuf> {
    let [only] = <[PathBuf; 1]>::try_from(inputs_of_run(run)?).ok()?;
    let here = std::env::current_dir().unwrap_or_default();
    Some(only.strip_prefix(&here).map_or(only.clone(), Path::to_owned))
}

/// The recordings that were judged; none where they are not known.
pub(super) fn recordings(judged: &Path) -> Vec<PathBuf> {
    match Place::of(judged) {
        Place::Corpus => vec![judged.to_owned()],
        Place::Run => inputs_of_run(judged).unwrap_or_default(),
        Place::Baseline => Vec::new(),
    }
}

/// The folder of the judged recordings, below the working folder; empty where that is not known.
pub(super) fn recordings_of(side: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let corpus = match Place::of(side) {
        Place::Corpus => Some(side.strip_prefix(&here).unwrap_or(side).to_owned()),
        Place::Run => only_recording(side),
        Place::Baseline => None,
    };
    let Some(corpus) = corpus else { return String::new() };
    let folder = if corpus.is_file() { corpus.parent() } else { Some(corpus.as_path()) };
    match folder {
        Some(folder) if folder.is_relative() => {
            let folder = folder.strip_prefix(".").unwrap_or(folder);
            folder.to_string_lossy().replace('\\', "/")
        }
        Some(_) | None => String::new(),
    }
}

pub(super) fn unreadable_run(error: &SideError) -> Failure {
    match error {
        SideError::Part { .. } => {
            Failure::usage(error).next("put all parts together: tapecheck merge PARTS --out DIR")
        }
        SideError::OtherFormat { command, .. } => {
            Failure::unfinished(error).next(format!("classify the recordings again: {command}"))
        }
        _ => Failure::unfinished(error).next("classify the recordings again with tapecheck run"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    fn assigned(paths: &[PathBuf], rulebooks: &[String]) -> Result<[Option<String>; 2], String> {
        let sides = assign(paths, rulebooks).map_err(|failure| failure.to_string())?;
        Ok(sides.map(|(_, rulebook)| rulebook))
    }

    #[test]
    fn baselines_are_known_by_their_names() {
        for name in ["a/guide.snap", "guide.snap.new"] {
            assert_eq!(Place::of(Path::new(name)), Place::Baseline, "{name}");
        }
        for name in ["recordings", "recordings.jsonl", "recordings.new", "snap", "guide.parquet"] {
            assert_eq!(Place::of(Path::new(name)), Place::Corpus, "{name}");
        }
    }

    #[test]
    fn corpora_take_rulebooks_in_turn() {
        let rulebooks = |names: &[&str]| -> Vec<String> {
            names.iter().map(|name| (*name).to_owned()).collect()
        };
        let two = rulebooks(&["guide", "inspector"]);
        let one = rulebooks(&["guide"]);
        let none = rulebooks(&[]);
        let cases = [
            (paths(&["recordings"]), &two, [Some("guide"), Some("inspector")]),
            (paths(&["recordings"]), &one, [Some("calibrated"), Some("guide")]),
            (paths(&["old", "new"]), &two, [Some("guide"), Some("inspector")]),
            (paths(&["old", "new"]), &one, [Some("guide"), Some("guide")]),
            (paths(&["old.snap", "new"]), &one, [None, Some("guide")]),
            (paths(&["old", "new.snap"]), &one, [Some("guide"), None]),
            (paths(&["old", "new"]), &none, [Some("calibrated"), Some("calibrated")]),
            (paths(&["inspector.snap", "new"]), &none, [None, Some("inspector")]),
            (paths(&["missing.snap", "new"]), &none, [None, Some("calibrated")]),
        ];
        for (paths, rulebooks, expected) in cases {
            let expected = expected.map(|name| name.map(str::to_owned));
            assert_eq!(assigned(&paths, rulebooks), Ok(expected), "{paths:?}");
        }
        let refused = [
            (paths(&["recordings"]), &none, "nothing to compare it with"),
            (paths(&["old.snap"]), &two, "nothing to compare it with"),
            (
                paths(&["old.snap", "new.snap"]),
                &one,
                "a rulebook is named, but neither side is recordings",
            ),
            (
                paths(&["old.snap", "new"]),
                &two,
                "2 rulebooks are named, but only one side is recordings",
            ),
        ];
        for (paths, rulebooks, about) in refused {
            let words = assigned(&paths, rulebooks).expect_err("refused");
            assert!(words.contains(about), "{words}");
        }
    }
}
