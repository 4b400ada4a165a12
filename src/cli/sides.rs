//! What two judgements are held against each other: run folders, baselines, and corpora that are
//! judged on the spot.

use super::Failure;
use super::inputs::load;
use super::judged::JudgingArgs;
use crate::baseline;
use crate::compare::{Side, SideError, read_run};
use crate::run::inputs_of_run;
use crate::store::is_run;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Looks at a run's folder and at what was read from it.
pub(super) type Look<'a> = &'a mut dyn FnMut(&Path, &Side) -> Result<(), Failure>;

/// Where a judgement is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the folder of a run.
    Run,
    /// In the file of a baseline.
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
    /// Reads what was judged, or judges it: a corpus needs a rulebook, and nothing else takes one.
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
            (Place::Corpus, Some(rulebook)) => {
                let judged = self.judge(path, &load(rulebook)?)?;
                let run = judged.folder();
                let mut side = read_run(&run).map_err(|error| unreadable_run(&error))?;
                side.header.name = path.display().to_string();
                look(&run, &side)?;
                Ok(side)
            }
            (Place::Corpus, None) if !path.exists() => {
                Err(Failure::usage(format!("there is no {}", path.display())).next(
                    "name the folder of a run, the file of a baseline, or a corpus with --rulebook",
                ))
            }
            (Place::Corpus, None) => Err(Failure::usage(format!(
                "{} is neither a run (it has no manifest.json of one) nor a baseline",
                path.display()
            ))
            .next("if it is a corpus, say with --rulebook what to judge it under; if it is what is left of a run, run again")),
            (Place::Run | Place::Baseline, Some(rulebook)) => Err(Failure::usage(format!(
                "{} is judged already, so --rulebook {rulebook} has nothing to judge",
                path.display()
            ))
            .next("name the corpus instead, or leave --rulebook out")),
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

/// Which rulebook judges which path: corpora take the named ones in turn, and one rulebook is enough
/// for two corpora. Where a single corpus is named with two rulebooks, it is held against itself.
pub(super) fn assign<'a>(
    paths: &'a [PathBuf],
    rulebooks: &'a [String],
) -> Result<[(&'a Path, Option<&'a str>); 2], Failure> {
    let [before, after] = match paths {
        [only] if rulebooks.len() == 2 && Place::of(only) == Place::Corpus => [only, only],
        [_] => {
            return Err(Failure::usage("there is nothing to compare it with").next(
                "name a second run, baseline or corpus, or one corpus and --rulebook twice",
            ));
        }
        [before, after] => [before, after],
        _ => return Err(Failure::usage("two sides are compared, no more")),
    };
    let corpora = [before, after].map(|path| Place::of(path) == Place::Corpus);
    let wanted = corpora.iter().filter(|is_corpus| **is_corpus).count();
    if rulebooks.len() > wanted {
        return Err(Failure::usage(format!(
            "{} named for {}",
            match rulebooks.len() {
                1 => "a rulebook is".to_owned(),
                several => format!("{several} rulebooks are"),
            },
            match wanted {
                0 => "no corpus".to_owned(),
                1 => "one corpus".to_owned(),
                several => format!("{several} corpora"),
            },
        ))
        .next("--rulebook is for corpora; runs and baselines are judged already"));
    }
    let mut next = rulebooks.iter().map(String::as_str);
    let first = if corpora[0] { next.next() } else { None };
    let second = if corpora[1] { next.next().or(first) } else { None };
    Ok([(before, first), (after, second)])
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

pub(super) fn unreadable_run(error: &SideError) -> Failure {
    Failure::unfinished(error).next("judge the corpus again with tapecheck run")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    fn assigned<'a>(
        paths: &'a [PathBuf],
        rulebooks: &'a [String],
    ) -> Result<[Option<&'a str>; 2], String> {
        let sides = assign(paths, rulebooks).map_err(|failure| failure.to_string())?;
        Ok(sides.map(|(_, rulebook)| rulebook))
    }

    #[test]
    fn baselines_are_known_by_their_names() {
        for name in ["a/guide.snap", "guide.snap.new"] {
            assert_eq!(Place::of(Path::new(name)), Place::Baseline, "{name}");
        }
        for name in ["tapes", "tapes.jsonl", "tapes.new", "snap", "guide.parquet"] {
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
        let cases = [
            (paths(&["tapes"]), &two, [Some("guide"), Some("inspector")]),
            (paths(&["old", "new"]), &two, [Some("guide"), Some("inspector")]),
            (paths(&["old", "new"]), &one, [Some("guide"), Some("guide")]),
            (paths(&["old.snap", "new"]), &one, [None, Some("guide")]),
            (paths(&["old", "new.snap"]), &one, [Some("guide"), None]),
        ];
        for (paths, rulebooks, expected) in cases {
            assert_eq!(assigned(&paths, rulebooks), Ok(expected), "{paths:?}");
        }
        let refused = [
            (paths(&["tapes"]), &one, "nothing to compare it with"),
            (paths(&["old.snap"]), &two, "nothing to compare it with"),
            (paths(&["old.snap", "new.snap"]), &one, "a rulebook is named for no corpus"),
            (paths(&["old.snap", "new"]), &two, "2 rulebooks are named for one corpus"),
        ];
        for (paths, rulebooks, about) in refused {
            let words = assigned(&paths, rulebooks).expect_err("refused");
            assert!(words.contains(about), "{words}");
        }
    }
}
