//! What the recordings of each folder are held against.

use crate::check::{CheckFiles, CheckLoader, CheckSource, Checks, ChecksError};
use crate::corpus::{
    Bounds, ByFolder, CorpusError, CorpusReader, Input, Objects, Recall, SETTINGS_FILE, SettingsAt,
    find_settings, settings_above,
};
use crate::recording::Exchange;
use crate::rulebook::Criterion;
use crate::store::CheckFile;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// How many files of settings one corpus may have.
const MOST: usize = 1_000;

/// What the recordings of a corpus are held against: everywhere, and by folder.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    checks: ByFolder<Arc<Checks>>,
    /// What each folder's settings are called, and what they say.
    named: Vec<(String, Arc<Checks>)>,
    paths: Arc<HashSet<PathBuf>>,
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

    /// The files that the settings of corpora name, as far as their settings can be read.
    pub fn named_files(inputs: &[Input], bounds: &Bounds) -> Result<Vec<PathBuf>, CorpusError> {
        let found = find_settings(inputs, bounds, MOST)?.into_iter();
        let files = found.filter_map(|SettingsAt { folder, root, .. }| {
            CheckFiles::from_settings(&folder.join(SETTINGS_FILE), &root).ok()
        });
        Ok(files.flat_map(|files| files.paths().map(Path::to_owned).collect::<Vec<_>>()).collect())
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
        let mut paths = HashSet::new();
        let mut settings = Self::default();
        settings.checks.everywhere = Arc::new(loader.load(everywhere));
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
            paths.extend(own.paths().map(Path::to_owned));
            let both = everywhere.with(&own);
            let checks =
                shared.entry(both).or_insert_with_key(|files| Arc::new(loader.load(files)));
            settings.named.push((name, Arc::clone(checks)));
            settings.checks.folders.insert(holds_for, Arc::clone(checks));
        }
        settings.named.sort_by(|(one, _), (other, _)| one.cmp(other));
        settings.paths = Arc::new(paths);
        loader.finish()?;
        Ok(settings)
    }

    /// The same settings with the criteria of a rulebook, of which none may have the name of another.
    pub fn with_criteria(&self, criteria: &[Criterion]) -> Result<Self, ChecksError> {
        let mut loader = CheckLoader::default();
        let mut made: HashMap<*const Checks, Arc<Checks>> = HashMap::new();
        let with = |checks: &Arc<Checks>| -> Arc<Checks> {
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
        let checks = self.checks.map(with);
        loader.finish()?;
        let (named, paths) = (self.named.clone(), Arc::clone(&self.paths));
        Ok(Self { checks, named, paths })
    }

    /// What the recordings of a folder are held against; standard input has no folder.
    pub fn of_folder(&self, folder: Option<&Path>) -> &Arc<Checks> {
        self.checks.of(folder)
    }

    /// A reader that knows the files of settings from others, which paths carry envelopes, and what contracts
    /// ask of earlier calls.
    pub fn reading(&self, reader: CorpusReader) -> CorpusReader {
        let reader = reader
            .with_settings(Arc::clone(&self.paths))
            .with_envelope_paths(self.checks.map(|checks| checks.envelope_paths().clone()));
        if self.checks.all().any(|checks| checks.ask_for_originals()) {
            reader.with_recall(Arc::new(self.clone()))
        } else {
            reader
        }
    }

    /// A hash of everything that files said; `None` where there were none.
    pub fn digest(&self) -> Option<String> {
        if self.named.is_empty() {
            return self.checks.everywhere.digest();
        }
        let mut parts = vec![self.checks.everywhere.digest().unwrap_or_default()];
        parts.extend(
            self.named.iter().map(|(name, checks)| {
                format!("{name}\u{0}{}", checks.digest().unwrap_or_default())
            }),
        );
        Some(format!("{:032x}", xxh3_128(parts.join("\u{1}").as_bytes())))
    }

    /// What that is the hash of. What holds for a folder includes what holds everywhere, which is named once.
    pub fn files(&self) -> Vec<CheckFile> {
        let everywhere = self.checks.everywhere.sources();
        let of_everywhere = everywhere.iter().map(|source| (None, source));
        let of_folders = self.named.iter().flat_map(|(name, checks)| {
            let own = checks.sources().iter().filter(|source| !everywhere.contains(source));
            own.map(move |source| (Some(name.clone()), source))
        });
        let file = |(settings, source): (Option<String>, &CheckSource)| CheckFile {
            kind: source.kind.to_owned(),
            name: source.name.clone(),
            digest: source.digest.clone(),
            settings,
        };
        of_everywhere.chain(of_folders).map(file).collect()
    }
}
