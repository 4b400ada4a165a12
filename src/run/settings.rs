//! What the recordings of each folder are held against.

use crate::check::{CheckFiles, CheckLoader, Checks, ChecksError};
use crate::corpus::{
    Bounds, CorpusError, CorpusReader, Input, Objects, Recall, SETTINGS_FILE, SettingsAt,
    find_settings, settings_above,
};
use crate::recording::Exchange;
use crate::rulebook::Criterion;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// How many files of settings one corpus may have.
const MOST: usize = 1_000;

/// What the recordings of a corpus are held against: everywhere, and by folder.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    everywhere: Arc<Checks>,
    folders: BTreeMap<PathBuf, Arc<Checks>>,
    /// What each folder's settings are called, with their digest.
    digests: Vec<(String, String)>,
    files: Arc<HashSet<PathBuf>>,
}

impl Recall for Settings {
    fn recall(&self, folder: Option<&Path>, objects: &mut Objects, exchange: &mut Exchange<'_>) {
        let checks = self.of_folder(folder);
        if exchange.original.is_none()
            && let Some(id) = checks.original_id(exchange)
        {
            exchange.original = objects.get(exchange, &id).cloned();
        }
        checks.shown_objects(exchange, |id, object| objects.keep(exchange, id, object));
    }
}

/// Why a corpus has no settings that could be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// An input cannot be opened.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// Something is wrong with the files.
    #[error(transparent)]
    Checks(#[from] ChecksError),
}

impl Settings {
    /// Loads the files that hold everywhere, and those that the corpus names itself. All mistakes of
    /// all files are told together.
    pub fn load(
        inputs: &[Input],
        everywhere: &CheckFiles,
        bounds: &Bounds,
    ) -> Result<Self, SettingsError> {
        let found = find_settings(inputs, bounds, MOST + 1)?;
        Ok(Self::of(found, everywhere)?)
    }

    /// Loads what holds for one recording that is named by itself and lies, perhaps, in one of these
    /// corpora.
    pub fn load_for_recording(
        recording: &Path,
        corpora: &[PathBuf],
        everywhere: &CheckFiles,
    ) -> Result<Self, SettingsError> {
        match settings_above(recording, corpora) {
            Some(found) => Ok(Self::of(vec![found], everywhere)?),
            None => {
                Self::load(&[Input::Path(recording.to_owned())], everywhere, &Bounds::default())
            }
        }
    }

    fn of(found: Vec<SettingsAt>, everywhere: &CheckFiles) -> Result<Self, ChecksError> {
        let mut loader = CheckLoader::default();
        let mut files = HashSet::new();
        let mut settings =
            Self { everywhere: Arc::new(loader.load(everywhere)), ..Self::default() };
        // Folders that name the same files share what is loaded from them.
        let mut shared: HashMap<CheckFiles, Arc<Checks>> = HashMap::new();
        if found.len() > MOST {
            loader.complain(format!(
                "the recordings have more than {MOST} files called {SETTINGS_FILE}; classify \
                 parts of them"
            ));
        }
        for SettingsAt { name, folder, holds_for, root } in found.into_iter().take(MOST) {
            let file = folder.join(SETTINGS_FILE);
            let own = match CheckFiles::from_settings(&file, &root) {
                Ok(own) => own,
                Err(message) => {
                    loader.complain(message);
                    continue;
                }
            };
            files.extend(own.paths().map(Path::to_owned));
            let both = everywhere.with(&own);
            let checks =
                shared.entry(both).or_insert_with_key(|files| Arc::new(loader.load(files)));
            settings.digests.push((name, checks.digest().unwrap_or_default()));
            settings.folders.insert(holds_for, Arc::clone(checks));
        }
        settings.files = Arc::new(files);
        loader.finish()?;
        Ok(settings)
    }

    /// The same settings with the criteria of a rulebook, of which none may have the name of another.
    pub fn with_criteria(&self, criteria: &[Criterion]) -> Result<Self, ChecksError> {
        let mut loader = CheckLoader::default();
        let mut made: HashMap<*const Checks, Arc<Checks>> = HashMap::new();
        let mut with = |checks: &Arc<Checks>| -> Arc<Checks> {
            let made = made.entry(Arc::as_ptr(checks));
            let with = || match checks.with_criteria(criteria) {
                Ok(checks) => Arc::new(checks),
                Err(ChecksError(wrong)) => {
                    for message in wrong {
                        loader.complain(message);
                    }
                    Arc::clone(checks)
                }
            };
            Arc::clone(made.or_insert_with(with))
        };
        let everywhere = with(&self.everywhere);
        let folders =
            self.folders.iter().map(|(folder, checks)| (folder.clone(), with(checks))).collect();
        loader.finish()?;
        let (digests, files) = (self.digests.clone(), Arc::clone(&self.files));
        Ok(Self { everywhere, folders, digests, files })
    }

    /// What the recordings of a folder are held against; standard input has no folder.
    pub fn of_folder(&self, folder: Option<&Path>) -> &Arc<Checks> {
        let nearest = folder
            .filter(|_| !self.folders.is_empty())
            .and_then(|folder| folder.ancestors().find_map(|above| self.folders.get(above)));
        nearest.unwrap_or(&self.everywhere)
    }

    /// A reader that knows the files of settings from others, and what contracts ask of earlier calls.
    pub fn reading(&self, reader: CorpusReader) -> CorpusReader {
        let reader = reader.with_settings(Arc::clone(&self.files));
        let mut all = self.folders.values().chain([&self.everywhere]);
        if all.any(|checks| checks.ask_for_originals()) {
            reader.with_recall(Arc::new(self.clone()))
        } else {
            reader
        }
    }

    /// A hash of everything that files said; `None` where there were none.
    pub fn digest(&self) -> Option<String> {
        if self.digests.is_empty() {
            return self.everywhere.digest();
        }
        let mut parts = vec![self.everywhere.digest().unwrap_or_default()];
        let mut folders = self.digests.clone();
        folders.sort();
        parts.extend(folders.into_iter().map(|(name, digest)| format!("{name}\u{0}{digest}")));
        Some(format!("{:032x}", xxh3_128(parts.join("\u{1}").as_bytes())))
    }
}
