//! Loads the files that checks go by, each once, and gathers what is wrong with all of them.

use super::checks::{CheckFiles, CheckSource, Checks, ChecksError, ContractPlace};
use crate::check::contract::Contract;
use crate::check::criteria::CriteriaFile;
use crate::check::envelope::{Envelopes, SchemaFile};
use crate::check::facts::Facts;
use crate::recording::EnvelopePaths;
use crate::rulebook::problem::listing;
use crate::rulebook::source::read_within;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// Facts and schemas are written by hand or exported from a table; anything longer is a mistake.
const LONGEST: u64 = 64 << 20;
/// All files together: a corpus may name any number of them.
const LONGEST_TOGETHER: u64 = 256 << 20;

/// What was loaded, with the hash of its text.
type Hashed<T> = (Arc<T>, u128);

/// Loads files; one that several checks ask for is read once, and its mistakes are told once.
#[derive(Default)]
pub struct CheckLoader {
    contracts: HashMap<ContractPlace, Option<Arc<Contract>>>,
    facts: HashMap<PathBuf, Option<Hashed<Facts>>>,
    criteria: HashMap<PathBuf, Option<Hashed<CriteriaFile>>>,
    envelopes: HashMap<[Option<PathBuf>; 2], Option<Hashed<Envelopes>>>,
    bytes: u64,
    wrong: Vec<String>,
}

impl CheckLoader {
    /// What files say. Where something is wrong with them it is left out, and [`Self::finish`] tells.
    pub fn load(&mut self, files: &CheckFiles) -> Checks {
        let mut checks = Checks::default();
        for place in &files.contracts {
            if let Some(contract) = self.contract(place) {
                checks.add_contract(contract);
            }
        }
        for path in &files.facts {
            if let Some((facts, hash)) = self.facts(path) {
                checks.facts.push(facts);
                checks.sources.push(CheckSource::new("facts", last_part(path), hash));
            }
        }
        for path in &files.criteria {
            if let Some((criteria, hash)) = self.criteria(path) {
                let source = CheckSource::new("criteria", last_part(path), hash);
                checks.add_criteria(criteria, source);
            }
        }
        let schemas = [files.envelope_request.clone(), files.envelope_response.clone()];
        let named: Vec<String> = schemas.iter().flatten().map(|schema| last_part(schema)).collect();
        if !named.is_empty()
            && let Some((envelopes, hash)) = self.envelopes(schemas)
        {
            checks.envelopes = Some(envelopes);
            checks.sources.push(CheckSource::new("envelope schemas", named.join(", "), hash));
        }
        if let Some(paths) = &files.envelope_paths {
            checks.envelope_paths = EnvelopePaths::of(paths);
            let name = paths.join(", ");
            let hash = hash(&[&name]);
            checks.sources.push(CheckSource::new("envelope_paths", name, hash));
        }
        checks
    }

    /// Adds something that is wrong.
    pub fn complain(&mut self, message: impl Into<String>) {
        let message = message.into();
        if !self.wrong.contains(&message) {
            self.wrong.push(message);
        }
    }

    /// Everything that is wrong with the files loaded so far.
    pub fn finish(self) -> Result<(), ChecksError> {
        if self.wrong.is_empty() { Ok(()) } else { Err(ChecksError(self.wrong)) }
    }

    fn contract(&mut self, place: &ContractPlace) -> Option<Arc<Contract>> {
        if let Some(known) = self.contracts.get(place) {
            return known.clone();
        }
        let loaded = match place {
            ContractPlace::Named(name) => Contract::load(name),
            ContractPlace::Corpus { root, path } => {
                self.bytes += std::fs::metadata(path).map_or(0, |metadata| metadata.len());
                if self.bytes > LONGEST_TOGETHER {
                    self.complain(format!("cannot read {}: {}", path.display(), too_much()));
                    return None;
                }
                Contract::load_below(root, path)
            }
        };
        let contract = loaded.map(Arc::new).map_err(|error| self.complain(error.to_string())).ok();
        self.contracts.insert(place.clone(), contract.clone());
        contract
    }

    fn facts(&mut self, path: &Path) -> Option<Hashed<Facts>> {
        if let Some(known) = self.facts.get(path) {
            return known.clone();
        }
        let loaded = self.text(path).and_then(|text| {
            let label = path.display().to_string();
            let is_csv =
                path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
            let facts = if is_csv {
                Facts::from_csv(&text, &label)
            } else {
                Facts::from_toml(&text, &label)
            };
            match facts {
                Ok(facts) => Some((Arc::new(facts), hash(&[&text]))),
                Err(error) => {
                    self.complain(error.to_string());
                    None
                }
            }
        });
        self.facts.insert(path.to_owned(), loaded.clone());
        loaded
    }

    fn criteria(&mut self, path: &Path) -> Option<Hashed<CriteriaFile>> {
        if let Some(known) = self.criteria.get(path) {
            return known.clone();
        }
        let loaded = self.text(path).and_then(|text| {
            let label = path.display().to_string();
            match CriteriaFile::from_toml(&text, &label) {
                Ok(criteria) => Some((Arc::new(criteria), hash(&[&text]))),
                Err(problems) => {
                    self.complain(listing(&label, &problems));
                    None
                }
            }
        });
        self.criteria.insert(path.to_owned(), loaded.clone());
        loaded
    }

    fn envelopes(&mut self, schemas: [Option<PathBuf>; 2]) -> Option<Hashed<Envelopes>> {
        if let Some(known) = self.envelopes.get(&schemas) {
            return known.clone();
        }
        // A file that cannot be read does not keep the mistakes of the other from being told.
        let files = schemas.each_ref().map(|path| {
            let path = path.as_ref()?;
            Some((path.display().to_string(), self.text(path)))
        });
        let is_whole = files.iter().flatten().all(|(_, text)| text.is_some());
        let [request, response] =
            files.map(|file| file.and_then(|(name, text)| Some((name, text?))));
        let compiled =
            Envelopes::load(schema_file(request.as_ref()), schema_file(response.as_ref()));
        let texts = [&request, &response].map(|file| file.as_ref().map_or("", |(_, text)| text));
        let loaded = match compiled {
            Ok(envelopes) => is_whole.then(|| (Arc::new(envelopes), hash(&texts))),
            Err(error) => {
                self.complain(error.to_string());
                None
            }
        };
        self.envelopes.insert(schemas, loaded.clone());
        loaded
    }

    fn text(&mut self, path: &Path) -> Option<String> {
        let read = read_text(path, LONGEST_TOGETHER - self.bytes.min(LONGEST_TOGETHER));
        match read {
            Ok(text) => {
                self.bytes += text.len() as u64;
                Some(text)
            }
            Err(error) => {
                self.complain(format!("cannot read {}: {error}", path.display()));
                None
            }
        }
    }
}

fn last_part(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn schema_file(file: Option<&(String, String)>) -> Option<SchemaFile<'_>> {
    file.map(|(name, text)| SchemaFile { name, text })
}

/// Reads a file, unless it is longer than it may be or than there is room for.
fn read_text(path: &Path, room: u64) -> io::Result<String> {
    read_within(path, room.min(LONGEST)).map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge if room < LONGEST => io::Error::new(error.kind(), too_much()),
        _ => error,
    })
}

fn too_much() -> String {
    format!("the files of checks have more than {LONGEST_TOGETHER} bytes together")
}

fn hash(texts: &[&str]) -> u128 {
    let hashes = texts.iter().flat_map(|text| xxh3_128(text.as_bytes()).to_le_bytes());
    xxh3_128(&hashes.collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_only_while_there_is_room() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let path = place.path().join("facts.toml");
        std::fs::write(&path, "# 5").expect("a file");
        assert_eq!(read_text(&path, 3).expect("room"), "# 5");
        let refused = read_text(&path, 2).expect_err("no room");
        assert!(refused.to_string().contains("together"), "{refused}");
        if cfg!(unix) {
            let refused = read_text(Path::new("/dev/zero"), 9).expect_err("it has no end");
            assert!(refused.to_string().contains("together"), "{refused}");
        }
        let mut loader = CheckLoader { bytes: LONGEST_TOGETHER - 2, ..CheckLoader::default() };
        let files = CheckFiles {
            contracts: vec![ContractPlace::Corpus {
                root: place.path().to_owned(),
                path: path.clone(),
            }],
            facts: vec![path],
            ..CheckFiles::default()
        };
        let checks = loader.load(&files);
        assert!(checks.facts().is_empty() && checks.contracts().is_empty());
        let ChecksError(wrong) = loader.finish().expect_err("no room");
        assert!(wrong.iter().all(|found| found.contains("together")), "{wrong:?}");
    }
}
