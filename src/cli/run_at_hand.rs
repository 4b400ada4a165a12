//! The run that an exchange was judged in: its rulebook, its checks, and where its recordings are.

use super::Failure;
use super::command_line::CommandLine;
use super::config::config;
use super::terminal::say;
use crate::check::{CheckFiles, Checks};
use crate::compare::{read_manifest, read_rulebook};
use crate::recording::Key;
use crate::rulebook::Rulebook;
use crate::run::{Candidate, Found, MOST_CANDIDATES, More};
use crate::store::{Manifest, ReportError, Table, TableReader, is_run};
use std::path::PathBuf;

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
        let inputs = self.manifest.wall.inputs.iter();
        inputs.filter(|input| *input != "-").map(PathBuf::from).collect()
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
        let mut more = More::No;
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
                    more = More::Yes;
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
