//! Which exchange a command line means, and what to say where that is not settled.

use super::Failure;
use super::command_line::CommandLine;
use super::config::config;
use super::recorded::find_file;
use super::terminal::{counted, harmless, say};
use crate::check::{CheckFiles, Checks};
use crate::compare::{read_manifest, read_rulebook};
use crate::recording::Key;
use crate::rulebook::Rulebook;
use crate::run::{Candidate, MOST_CANDIDATES, SearchResult, Wanted};
use crate::store::{Manifest, ReportError, Table, TableReader, is_run};
use std::fmt::Write as _;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

const NEXT: &str =
    "name FILE:LINE of a call, or a key as tapecheck show RUN --filter failed --each lists them";

/// An exchange as it was named, and where to look for it.
pub(super) struct Target {
    named: String,
    in_run: Option<Candidate>,
    pub(super) wanted: Wanted,
    pub(super) paths: Vec<PathBuf>,
}

impl Target {
    /// Reads `FILE:LINE`, `FILE:LINE:N` or the beginning of a key. `corpora` holds what was named to
    /// look in, if anything was; else the recordings of a run are looked in.
    pub(super) fn read(
        named: &str,
        corpora: &[PathBuf],
        run: Option<&RunAtHand>,
    ) -> Result<Self, Failure> {
        let places = match run {
            Some(run) if corpora.is_empty() => run.recordings(),
            None if corpora.is_empty() => config().recordings.clone(),
            Some(_) | None => corpora.to_vec(),
        };
        let target = |wanted, paths| Self { named: named.to_owned(), in_run: None, wanted, paths };
        if let Some((path, line, nth)) = at_line(named, &places)? {
            return Ok(target(Wanted::Line { line, nth }, vec![path]));
        }
        if !(4..=32).contains(&named.len()) || !named.bytes().all(|it| it.is_ascii_hexdigit()) {
            return Err(Failure::usage(format!("`{named}` is neither a key nor FILE:LINE")).next(
                "a key has 32 hex digits, of which 4 or more are enough; a line is written like recordings/hello.jsonl:12, the \
                 second call of a line like recordings/hello.json:1:2",
            ));
        }
        let prefix = named.to_ascii_lowercase();
        let mut target = target(Wanted::Key { prefix: prefix.clone() }, places);
        if let Some(run) = run.filter(|_| corpora.is_empty()) {
            target.look_up(run, &prefix)?;
        }
        Ok(target)
    }

    /// Asks the tables of a run in which recording the exchange is.
    fn look_up(&mut self, run: &RunAtHand, prefix: &str) -> Result<(), Failure> {
        let (mut first, more) = run.find(prefix)?;
        if first.len() > 1 {
            return Err(self.ambiguous(&first, more));
        }
        let Some(exchange) = first.pop() else {
            let what = format!("no call of {} has the key {}", run.name(), self.named);
            return Err(Failure::usage(what).next(NEXT));
        };
        let Candidate { key, file, line } = &exchange;
        let Some(recording) = file_named(file, &self.paths) else {
            let place = format!("{file}:{line} of {}", run.name());
            let again = CommandLine::new("tapecheck explain").word(key.to_string());
            return Err(Failure::usage(format!(
                "it is at {place}, but that recording was not found"
            ))
            .next(format!(
                "change to the folder where the run was made, or name its recordings: {} RECORDINGS",
                again.word(&run.folder)
            )));
        };
        self.paths = vec![recording];
        self.wanted = Wanted::Key { prefix: key.to_string() };
        self.in_run = Some(exchange);
        Ok(())
    }

    /// The one exchange that was found, or what to say instead.
    pub(super) fn only<T>(&self, found: SearchResult<T>) -> Result<T, Failure> {
        let failure = match (found, &self.in_run) {
            (SearchResult::One(found), _) => return Ok(found),
            (SearchResult::SeveralKeys { first, more }, _) => self.ambiguous(&first, more),
            (SearchResult::Nothing { .. }, Some(Candidate { file, .. })) => {
                Failure::usage(format!("{file} changed after the run: it has no such call now"))
                    .next("classify it again with tapecheck run")
            }
            (SearchResult::Nothing { at_line: 0 }, None) => {
                let is_line = matches!(self.wanted, Wanted::Line { .. });
                let file = self.paths.first().filter(|_| is_line);
                let of = file.map_or_else(String::new, |file| format!(" of {}", file.display()));
                Failure::usage(format!("no call is {}{of}", self.wanted)).next(NEXT)
            }
            (SearchResult::Nothing { at_line: count } | SearchResult::SeveralAtLine(count), _) => {
                let line = match self.wanted {
                    Wanted::Line { nth: Some(_), .. } => self.named.rsplit_once(':'),
                    Wanted::Line { nth: None, .. } | Wanted::Key { .. } => None,
                };
                let line = line.map_or(&*self.named, |(line, _)| line);
                let next = match count {
                    1 => format!("name it as {line}"),
                    _ => format!("say which, from {line}:1 to {line}:{count}"),
                };
                Failure::usage(format!("{line} has {}", counted(count, "call"))).next(next)
            }
        };
        Err(failure)
    }

    fn ambiguous(&self, first: &[Candidate], more: bool) -> Failure {
        let mut what = format!("the keys of several calls begin with {}:", self.named);
        for Candidate { key, file, line } in first {
            let _ = write!(what, "\n  {key}  {}:{line}", harmless(file));
        }
        if more {
            what.push_str("\n  … and others");
        }
        Failure::usage(what).next("name more of the key")
    }
}

/// The line of a file and which of its calls, if that is what is named.
fn at_line(
    named: &str,
    places: &[PathBuf],
) -> Result<Option<(PathBuf, u64, Option<NonZeroU64>)>, Failure> {
    let number = |text: &'_ str| {
        let (before, last) = text.rsplit_once(':')?;
        Some((before.to_owned(), last.parse::<u64>().ok()?))
    };
    let Some((mut file, last)) = number(named) else { return Ok(None) };
    if let Some(path) = file_named(&file, places) {
        return Ok(Some((path, last, None)));
    }
    if let Some((shorter, line)) = number(&file) {
        let Some(nth) = NonZeroU64::new(last) else {
            return Err(Failure::usage(format!("calls of a line are counted from 1: `{named}`"))
                .next("write 1 for the first call of the line"));
        };
        if let Some(path) = file_named(&shorter, places) {
            return Ok(Some((path, line, Some(nth))));
        }
        file = shorter;
    }
    Err(Failure::usage(format!("there is not a file {file}"))
        .next("name the file as it is on disk, or add the recordings it belongs to"))
}

/// A file as it was named, or as the tables of a run over the corpora name it.
fn file_named(file: &str, places: &[PathBuf]) -> Option<PathBuf> {
    let direct = Some(PathBuf::from(file)).filter(|path| path.is_file());
    direct.or_else(|| find_file(file, places))
}

pub(super) struct RunAtHand {
    folder: PathBuf,
    manifest: Manifest,
    is_named: bool,
}

impl RunAtHand {
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let manifest = read_manifest(folder)?;
        Ok(Self { folder: folder.to_owned(), manifest, is_named: true })
    }

    /// Takes the run out of what was named to look in; the others are corpora.
    pub(super) fn take_from(named: &mut Vec<PathBuf>) -> Result<Option<Self>, Failure> {
        let Some(at) = named.iter().position(|path| is_run(path)) else { return Ok(None) };
        let folder = named.remove(at);
        if let Some(second) = named.iter().find(|path| is_run(path)) {
            let both = format!("{} and {} are both runs", folder.display(), second.display());
            return Err(Failure::usage(both).next("name one of them"));
        }
        Self::read(&folder).map(Some)
    }

    /// The latest run, where there is one that can be read.
    pub(super) fn latest() -> Option<Self> {
        Some(Self { is_named: false, ..Self::read(&config().out).ok()? })
    }

    pub(super) fn name(&self) -> String {
        format!("the run in {}", self.folder.display())
    }

    /// The inputs of the run that are files or folders.
    pub(super) fn recordings(&self) -> Vec<PathBuf> {
        self.manifest.wall.recordings()
    }

    /// Whether it was named, or what is looked in lies within its recordings.
    pub(super) fn is_about(&self, places: &[PathBuf]) -> bool {
        let real = |path: &PathBuf| path.canonicalize().ok();
        let recordings: Vec<PathBuf> = self.recordings().iter().filter_map(real).collect();
        let lies_within = |place: PathBuf| recordings.iter().any(|it| place.starts_with(it));
        self.is_named || places.iter().all(|place| real(place).is_some_and(lies_within))
    }

    pub(super) fn rulebook(&self) -> Result<Rulebook, Failure> {
        read_rulebook(&self.folder, &self.manifest)
            .map_err(|error| Failure::from(error).next("run again, or name one with --rulebook"))
    }

    pub(super) fn check_files(&self) -> CheckFiles {
        CheckFiles::from_flags(&self.manifest.wall.checks)
    }

    /// Warns where the files of its checks are not what they were.
    pub(super) fn warn_of_other_checks(&self) {
        let now = Checks::load(&self.check_files(), &[]);
        if now.is_ok_and(|now| now.digest() != self.manifest.comparable.checks) {
            let run = self.name();
            say(&format!(
                "warning: contracts, facts or schemas changed since {run}; the current ones are used"
            ));
        }
    }

    /// The first exchanges of the run whose keys begin so.
    fn find(&self, prefix: &str) -> Result<(Vec<Candidate>, bool), ReportError> {
        let mut table = TableReader::open(&self.folder, Table::Verdicts)?;
        let mut found: Vec<Candidate> = Vec::new();
        for group in 0..table.groups() {
            let begins = |key: &Key| key.to_string().starts_with(prefix);
            let keys = table.keys_where(group, "key", begins)?;
            if keys.is_empty() {
                continue;
            }
            let (files, lines) = (table.texts(group, "file")?, table.ints(group, "line")?);
            for (row, key) in keys {
                if found.iter().any(|other| other.key == key) {
                    continue;
                }
                if found.len() == MOST_CANDIDATES {
                    return Ok((found, true));
                }
                let file = files.get(row).unwrap_or_default().to_owned();
                found.push(Candidate { key, file, line: lines[row].unsigned_abs() });
            }
        }
        Ok((found, false))
    }
}
