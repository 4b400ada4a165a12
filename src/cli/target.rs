//! Which exchange a command line means, and what to say where that is not settled.

use super::Failure;
use super::command_line::CommandLine;
use super::config::config;
use super::recorded::find_file;
use super::terminal::{harmless, say};
use crate::check::{CheckFiles, Checks};
use crate::compare::{read_manifest, read_rulebook};
use crate::recording::Key;
use crate::rulebook::Rulebook;
use crate::run::{Candidate, Found, MOST_CANDIDATES, Wanted};
use crate::store::{Manifest, ReportError, Table, TableReader, is_run};
use std::fmt::Write as _;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

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
        let places = places(corpora, run);
        if let Some(target) = at_line(named, &places)? {
            return Ok(target);
        }
        let is_key =
            (4..=32).contains(&named.len()) && named.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_key {
            return Err(Failure::usage(format!("`{named}` is neither a key nor FILE:LINE")).next(
                "a key has 32 hex digits, of which 4 or more are enough; a line is written like recordings/hello.jsonl:12, the \
                 second call of a line like recordings/hello.json:1:2",
            ));
        }
        let prefix = named.to_ascii_lowercase();
        let mut target = Self {
            named: named.to_owned(),
            in_run: None,
            wanted: Wanted::Key { prefix: prefix.clone() },
            paths: places,
        };
        if let Some(run) = run.filter(|_| corpora.is_empty()) {
            target.look_up(run, &prefix)?;
        }
        Ok(target)
    }

    /// Asks the tables of a run in which recording the exchange is.
    fn look_up(&mut self, run: &RunAtHand, prefix: &str) -> Result<(), Failure> {
        let exchange = match run.find(prefix)? {
            Found::One(exchange) => exchange,
            Found::SeveralKeys { first, more } => return Err(self.ambiguous(&first, more)),
            Found::Nothing { .. } | Found::SeveralAtLine(_) => {
                let what = format!("no call of {} has the key {}", run.name(), self.named);
                return Err(Failure::usage(what).next(
                    "name another run, or a key as tapecheck show RUN --filter failed lists them",
                ));
            }
        };
        let recording = file_named(&exchange.file, &self.paths);
        self.paths = vec![recording.ok_or_else(|| run.without_recording(&exchange))?];
        self.wanted = Wanted::Key { prefix: exchange.key.to_string() };
        self.in_run = Some(exchange);
        Ok(())
    }

    pub(super) fn recording(&self) -> Option<&Path> {
        let is_known = self.in_run.is_some() || matches!(self.wanted, Wanted::Line { .. });
        self.paths.first().filter(|_| is_known).map(PathBuf::as_path)
    }

    /// The one exchange that was found, or what to say instead.
    pub(super) fn only<T>(&self, found: Found<T>) -> Result<T, Failure> {
        match found {
            Found::One(found) => Ok(found),
            Found::Nothing { .. } if let Some(Candidate { file, .. }) = &self.in_run => Err(
                Failure::usage(format!("{file} changed after the run: it has no such call now"))
                    .next("classify it again with tapecheck run"),
            ),
            Found::Nothing { at_line: 0 } => {
                let place = self.recording().map(|path| format!(" of {}", path.display()));
                let message = format!("no call is {}{}", self.wanted, place.unwrap_or_default());
                Err(Failure::usage(message).next(
                    "name FILE:LINE of a call, or a key as tapecheck show RUN --filter failed lists them",
                ))
            }
            Found::Nothing { at_line } => Err(self.crowded(at_line, "only ")),
            Found::SeveralAtLine(count) => Err(self.crowded(count, "")),
            Found::SeveralKeys { first, more } => Err(self.ambiguous(&first, more)),
        }
    }

    fn crowded(&self, count: u64, only: &str) -> Failure {
        let Self { named, wanted, .. } = self;
        let line = match wanted {
            Wanted::Line { nth: Some(_), .. } => {
                named.rsplit_once(':').map_or("", |(line, _)| line)
            }
            Wanted::Line { nth: None, .. } | Wanted::Key { .. } => named.as_str(),
        };
        let (what, next) = if count == 1 {
            (format!("{only}1 call is at {line}"), format!("name it as {line}"))
        } else {
            let what = format!("{only}{count} calls are at {line}");
            (what, format!("say which, from {line}:1 to {line}:{count}"))
        };
        Failure::usage(what).next(next)
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

/// A line of a file, if that is what is named.
fn at_line(named: &str, places: &[PathBuf]) -> Result<Option<Target>, Failure> {
    let Some((before, last)) = named.rsplit_once(':') else { return Ok(None) };
    let Ok(last) = last.parse::<u64>() else { return Ok(None) };
    let target = |path, line, nth| Target {
        named: named.to_owned(),
        in_run: None,
        wanted: Wanted::Line { line, nth },
        paths: vec![path],
    };
    if let Some(path) = file_named(before, places) {
        return Ok(Some(target(path, last, None)));
    }
    let mut file = before;
    if let Some((shorter, line)) = before.rsplit_once(':')
        && let Ok(line) = line.parse()
    {
        let Some(nth) = NonZeroU64::new(last) else {
            return Err(Failure::usage(format!("calls of a line are counted from 1: `{named}`"))
                .next("write 1 for the first call of the line"));
        };
        if let Some(path) = file_named(shorter, places) {
            return Ok(Some(target(path, line, Some(nth))));
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

/// Where to look: what was named, or else what the run read.
pub(super) fn places(corpora: &[PathBuf], run: Option<&RunAtHand>) -> Vec<PathBuf> {
    match run {
        _ if !corpora.is_empty() => corpora.to_vec(),
        Some(run) => run.recordings(),
        None => vec![PathBuf::from("corpus")],
    }
}

pub(super) struct RunAtHand {
    folder: PathBuf,
    manifest: Manifest,
    is_named: bool,
}

impl RunAtHand {
    /// Takes the run out of what was named to look in; the others are corpora.
    pub(super) fn take_from(named: &mut Vec<PathBuf>) -> Result<Option<Self>, Failure> {
        let Some(at) = named.iter().position(|path| is_run(path)) else { return Ok(None) };
        let folder = named.remove(at);
        if let Some(second) = named.iter().find(|path| is_run(path)) {
            let both = format!("{} and {} are both runs", folder.display(), second.display());
            return Err(Failure::usage(both).next("name one of them"));
        }
        let manifest = read_manifest(&folder)?;
        Ok(Some(Self { folder, manifest, is_named: true }))
    }

    /// The latest run, where there is one that can be read.
    pub(super) fn latest() -> Option<Self> {
        let folder = config().out.clone();
        let manifest = read_manifest(&folder).ok()?;
        Some(Self { folder, manifest, is_named: false })
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
            say(&format!(
                "warning: contracts, facts or schemas changed since {}; the current ones are used",
                self.name()
            ));
        }
    }

    /// The exchanges of the run whose keys begin so.
    pub(super) fn find(&self, prefix: &str) -> Result<Found<Candidate>, ReportError> {
        let mut table = TableReader::open(&self.folder, Table::Verdicts)?;
        let mut found: Vec<Candidate> = Vec::new();
        let mut more = false;
        'groups: for group in 0..table.groups() {
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
                    more = true;
                    break 'groups;
                }
                let file = files.get(row).unwrap_or_default().to_owned();
                found.push(Candidate { key, file, line: lines[row].unsigned_abs() });
            }
        }
        Ok(match found.len() {
            0 => Found::Nothing { at_line: 0 },
            1 => Found::One(found.remove(0)),
            _ => Found::SeveralKeys { first: found, more },
        })
    }

    pub(super) fn without_recording(&self, exchange: &Candidate) -> Failure {
        let Candidate { key, file, line } = exchange;
        let what =
            format!("it is at {file}:{line} of {}, but that recording was not found", self.name());
        let again = CommandLine::new("tapecheck explain").word(key.to_string()).word(&self.folder);
        Failure::usage(what).next(format!(
            "change to the folder where the run was made, or name its recordings: {again} \
             RECORDINGS"
        ))
    }
}
