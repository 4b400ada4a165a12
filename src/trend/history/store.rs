//! The folder of a history: a file for each run, written whole beside its place and renamed.

use super::open::{adds_up, read_whole};
use super::{HistoryError, PastRun};
use crate::compare::{SideError, read_manifest};
use crate::count::Dimension;
use crate::recording::{Day, Moment};
use crate::store::{
    Cell, FolderError, Manifest, ReportError, StoredCube, Table, TableFormat, TableReader,
    write_cube, write_whole,
};
use crate::verdict::harmless;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// The format of files; it stands in them under [`FORMAT_KEY`].
const FORMAT: &str = "tapecheck-history/4";
/// What formats of other versions begin with.
const FAMILY: &str = "tapecheck-history/";
const FORMAT_KEY: &str = "tapecheck";
/// The facts of the run stand in its file under this name, as JSON.
const RUN_KEY: &str = "tapecheck_run";
const ENDING: &str = ".parquet";
/// So many characters of a collection's name stand in the name of a file.
const MOST_NAMED: usize = 60;

/// What a run is called in a history, where it does not say so itself.
#[derive(Clone, Debug, Default)]
pub struct Naming {
    /// The night it speaks for; `None`: the day it was made.
    pub night: Option<Day>,
    /// What it is a run of; `None`: the corpus as it was named.
    pub collection: Option<String>,
}

/// A run that was to be added.
#[derive(Clone, Debug, PartialEq)]
pub enum Added {
    New(PastRun),
    Before(PastRun),
    /// It had been before, but could not be read any more: it was added anew.
    Mended(PastRun),
}

#[derive(Clone, Debug, Default)]
pub struct Removed {
    pub runs: Vec<PastRun>,
    /// Names of files that cannot be read, and why.
    pub unread: Vec<(String, String)>,
}

/// Why a file is passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unread {
    pub(super) reason: String,
    /// Whether it is of a format that this version does not know.
    is_of_another_version: bool,
}

impl Unread {
    pub(super) fn odd(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_of_another_version: false }
    }
}

/// A file named like that of a run.
pub(super) struct RunFile {
    pub(super) path: PathBuf,
    pub(super) name: String,
    night: Day,
    id: String,
}

/// What is in the folder of a history.
#[derive(Default)]
pub(super) struct Listing {
    /// The files of runs, by name: by night, then by collection.
    pub(super) files: Vec<RunFile>,
    /// Names of everything else.
    pub(super) foreign: Vec<String>,
}

/// A history that is written to.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
}

impl Store {
    /// Opens a history, or begins one where there is nothing.
    pub fn open(dir: &Path) -> Result<Self, HistoryError> {
        fs::create_dir_all(dir).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => HistoryError::NoStore(dir.to_owned()),
            _ => FolderError::io(dir, source).into(),
        })?;
        Self::existing(dir)
    }

    /// Opens a history that is there already.
    pub fn existing(dir: &Path) -> Result<Self, HistoryError> {
        list(dir)?;
        Ok(Self { dir: dir.to_owned() })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Adds the run in a folder. The same run under the same naming is added once.
    pub fn add(&self, folder: &Path, naming: &Naming) -> Result<Added, HistoryError> {
        let manifest = read_manifest(folder)?;
        let run = past_run(folder, &manifest, naming)?;
        let path = self.dir.join(file_name(&run));
        let is_there = fs::symlink_metadata(&path).is_ok();
        if is_there {
            match read_whole(&path) {
                Ok((run, _)) => return Ok(Added::Before(run)),
                Err(Unread { reason, is_of_another_version: true }) => {
                    return Err(HistoryError::Kept { file: path, reason });
                }
                Err(_) => {}
            }
        }
        let (run, cube) = finished_run(folder, naming)?;
        fs::create_dir_all(&self.dir).map_err(|source| FolderError::io(&self.dir, source))?;
        write_whole(&path, |file| write(file, &run, &cube))
            .map_err(|source| FolderError::io(&path, source))?;
        Ok(if is_there { Added::Mended(run) } else { Added::New(run) })
    }

    /// Removes runs by their nights or names or the names of their files: all of them, or nothing where one is
    /// not there; or only tells which these are.
    pub fn remove(&self, unwanted: &[String], dry_run: bool) -> Result<Removed, HistoryError> {
        let mut removed = Removed::default();
        let (mut found, mut paths) = (BTreeSet::new(), Vec::new());
        for file in list(&self.dir)?.files {
            let run = read_run(&file.path).map(|(run, _)| run);
            let (night, id) = match &run {
                Ok(run) => (run.night.to_string(), run.id.as_str()),
                Err(_) => (file.night.to_string(), file.id.as_str()),
            };
            let named =
                unwanted.iter().filter(|it| [&night, id, &file.name].contains(&it.as_str()));
            let named: Vec<&String> = named.collect();
            if named.is_empty() {
                continue;
            }
            found.extend(named);
            paths.push(file.path);
            match run {
                Ok(run) => removed.runs.push(run),
                Err(unread) => removed.unread.push((file.name, unread.reason)),
            }
        }
        if let Some(missing) = unwanted.iter().find(|it| !found.contains(it)) {
            let (dir, what) = (self.dir.clone(), harmless(missing));
            return Err(HistoryError::NoSuchRun { dir, what });
        }
        removed.runs.sort_by(|one, other| one.order().cmp(&other.order()));
        removed.runs.dedup();
        for path in paths.iter().filter(|_| !dry_run) {
            match fs::remove_file(path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(FolderError::io(path, source).into());
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(removed)
    }
}

/// Says what is in a folder. Links are not followed: what they lead to need not be part of the history.
pub(super) fn list(dir: &Path) -> Result<Listing, HistoryError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => HistoryError::Missing(dir.to_owned()),
        io::ErrorKind::NotADirectory => HistoryError::NoStore(dir.to_owned()),
        _ => HistoryError::Unreadable { path: dir.to_owned(), source },
    };
    let mut listing = Listing::default();
    for entry in fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        match of_name(&name).filter(|_| is_file) {
            Some((night, id)) => {
                listing.files.push(RunFile { path: entry.path(), night, id: id.to_owned(), name });
            }
            None => listing.foreign.push(name),
        }
    }
    listing.files.sort_by(|one, other| one.name.cmp(&other.name));
    listing.foreign.sort();
    if listing.files.is_empty() && !listing.foreign.is_empty() {
        return Err(HistoryError::NoStore(dir.to_owned()));
    }
    Ok(listing)
}

/// Night and run, as the name of a file says them.
fn of_name(name: &str) -> Option<(Day, &str)> {
    let (night, rest) = name.strip_suffix(ENDING)?.split_once("--")?;
    let (_, id) = rest.rsplit_once("--")?;
    Some((night.parse().ok()?, id))
}

/// `NIGHT--COLLECTION--RUN.parquet`, of characters that every file system takes.
fn file_name(run: &PastRun) -> String {
    let mut collection = String::new();
    for letter in run.collection.chars() {
        match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '_' => collection.push(letter),
            _ if collection.is_empty() || collection.ends_with('-') => {}
            _ => collection.push('-'),
        }
    }
    collection.truncate(MOST_NAMED);
    format!("{}--{}--{}{ENDING}", run.night, collection.trim_end_matches('-'), run.id)
}

fn write(file: &mut fs::File, run: &PastRun, cube: &StoredCube) -> io::Result<()> {
    let mut groups = Vec::new();
    let _ = cube.each(&Dimension::ALL, |group, counts| groups.push((group, counts.to_vec())));
    let labels = [
        Cell::from(&*run.id),
        run.night.to_string().into(),
        Moment::parse(&run.started_at).map_or(Cell::Empty, Cell::Time),
        (&*run.collection).into(),
        (&*run.rulebook.name).into(),
        (&*run.version).into(),
    ];
    let about = vec![
        (FORMAT_KEY.to_owned(), FORMAT.to_owned()),
        (RUN_KEY.to_owned(), serde_json::to_string(run)?),
    ];
    write_cube(file, &labels, groups, about)
}

pub(super) fn read_run(path: &Path) -> Result<(PastRun, TableReader), Unread> {
    let file = TableReader::open_file(path).map_err(|error| Unread::odd(error.to_string()))?;
    match file.about(FORMAT_KEY) {
        Some(FORMAT) => {}
        Some(format) if format.starts_with(FAMILY) => {
            let format = harmless(format);
            let reason = format!(
                "another version wrote it, in the format {format}; remove it, then classify its \
                 recordings again with --history"
            );
            return Err(Unread { reason, is_of_another_version: true });
        }
        Some(_) | None => return Err(Unread::odd("it is not a tapecheck file")),
    }
    let run = file.about(RUN_KEY).and_then(|run| serde_json::from_str(run).ok());
    let run = run.ok_or_else(|| Unread::odd("it does not describe a run"))?;
    Ok((run, file))
}

/// What a history remembers of a finished run, and the run's counts.
pub(super) fn finished_run(
    folder: &Path,
    naming: &Naming,
) -> Result<(PastRun, StoredCube), HistoryError> {
    let run = past_run(folder, &read_manifest(folder)?, naming)?;
    let path = folder.join(Table::Counts.file_name(TableFormat::Parquet));
    let damaged =
        |reason: String| SideError::Table(ReportError::Damaged { path: path.clone(), reason });
    let cube = TableReader::open_file(&path).and_then(StoredCube::read);
    let cube = cube.map_err(|error| damaged(error.to_string()))?;
    adds_up(&cube, run.exchanges).map_err(|unread| damaged(unread.reason))?;
    Ok((run, cube))
}

pub(super) fn past_run(
    folder: &Path,
    manifest: &Manifest,
    naming: &Naming,
) -> Result<PastRun, HistoryError> {
    let started = Moment::parse(&manifest.wall.started_at);
    let night = naming.night.or_else(|| started.map(Moment::day));
    let night = night.ok_or_else(|| HistoryError::NoNight(folder.to_owned()))?;
    let collection = naming.collection.clone().or_else(|| collection_of(&manifest.wall.inputs));
    let collection = collection.ok_or_else(|| HistoryError::NoCollection(folder.to_owned()))?;
    let comparable = &manifest.comparable;
    Ok(PastRun {
        id: id_of(manifest, &collection, night),
        night,
        started_at: manifest.wall.started_at.clone(),
        seconds: manifest.wall.seconds,
        collection,
        corpus_digest: comparable.corpus_digest.clone(),
        rulebook: comparable.rulebook.clone(),
        checks: comparable.checks.clone(),
        version: comparable.version.clone(),
        exchanges: comparable.counts.exchanges,
        unreadable: comparable.counts.unreadable,
    })
}

/// A hash over all that makes a run the same run.
fn id_of(manifest: &Manifest, collection: &str, night: Day) -> String {
    let mut comparable = manifest.comparable.clone();
    // A file that is no recording makes no other run.
    comparable.counts.unknown_files = 0;
    let comparable = serde_json::to_string(&comparable).unwrap_or_default();
    let mut hash = Xxh3::new();
    for part in [comparable.as_str(), collection, &night.to_string()] {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    // As many digits as all short digests here have: enough for more nights than there will be.
    format!("{:012x}", hash.digest() >> 16)
}

/// The inputs of a run as they were named, without what makes no difference.
fn collection_of(inputs: &[String]) -> Option<String> {
    let mut names: Vec<String> = inputs.iter().map(|input| plain_path(input)).collect();
    names.sort();
    names.dedup();
    (!names.is_empty()).then(|| names.join(", "))
}

/// A path without `.`, doubled slashes and `..` that can be resolved without looking.
fn plain_path(path: &str) -> String {
    let mut plain = PathBuf::new();
    for component in Path::new(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if ends_in_name(&plain) => {
                plain.pop();
            }
            Component::ParentDir
            | Component::Prefix(_)
            | Component::RootDir
            | Component::Normal(_) => plain.push(component),
        }
    }
    if plain.as_os_str().is_empty() { ".".to_owned() } else { plain.to_string_lossy().into_owned() }
}

fn ends_in_name(path: &Path) -> bool {
    matches!(path.components().next_back(), Some(Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::trend::tests::past_run;

    #[test]
    fn what_is_no_history_is_neither_read_nor_written() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        assert!(matches!(list(&dir.path().join("away")), Err(HistoryError::Missing(_))));
        assert!(list(dir.path()).expect("empty").files.is_empty());
        fs::write(dir.path().join("thesis.txt"), "years of work").expect("a file");
        assert!(matches!(list(dir.path()), Err(HistoryError::NoStore(_))));
        assert!(matches!(Store::open(dir.path()), Err(HistoryError::NoStore(_))));
        let file = dir.path().join("thesis.txt");
        assert!(matches!(Store::open(&file), Err(HistoryError::NoStore(_))));
    }

    #[test]
    fn collections_and_their_files_have_the_names_that_the_cases_list() {
        let (night, id) = (Day(20_777), "0123456789ab".to_owned());
        let filed = |collection: String| {
            let name =
                file_name(&PastRun { collection, id: id.clone(), ..past_run(night, "guide") });
            assert_eq!(of_name(&name), Some((night, &*id)), "{name} is found again");
            name
        };
        cases::check("tests/cases/collections.txt", |case| {
            let inputs: Vec<String> = case.text.lines().map(str::to_owned).collect();
            let collection = collection_of(&inputs).expect("a name");
            format!("{collection}\n{}", filed(collection.clone()))
        });
        assert_eq!(collection_of(&[]), None);
        assert_eq!(filed("x".repeat(500)).len(), filed(String::new()).len() + MOST_NAMED);
    }
}
