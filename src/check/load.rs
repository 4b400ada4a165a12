//! Loads the files that checks go by, and gathers what is wrong with all of them.

use super::checks::{CheckFiles, CheckSource, Checks, ChecksError};
use crate::check::contract::Contract;
use crate::check::criteria::CriteriaFile;
use crate::check::envelope::{Envelopes, SchemaFile};
use crate::check::facts::Facts;
use crate::recording::EnvelopePaths;
use crate::rulebook::problem::listing;
use crate::rulebook::source::read_within;
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// Facts and schemas are written by hand or exported from a table; anything longer is a mistake.
const LONGEST: u64 = 64 << 20;

/// What files say. Everything that is wrong with any of them is told together.
pub(super) fn load(files: &CheckFiles) -> Result<Checks, ChecksError> {
    let mut wrong = Wrong::default();
    let mut checks = Checks::default();
    for name in &files.contracts {
        let loaded = Contract::load(name).map_err(|error| error.to_string());
        if let Some(contract) = wrong.or(loaded) {
            checks.add_contract(contract);
        }
    }
    for path in &files.facts {
        let Some((label, text)) = wrong.text(path) else { continue };
        let is_csv =
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        let facts =
            if is_csv { Facts::from_csv(&text, &label) } else { Facts::from_toml(&text, &label) };
        if let Some(facts) = wrong.or(facts.map_err(|it| listing("the facts file", &it))) {
            checks.facts.push(Arc::new(facts));
            checks.sources.push(CheckSource::new("facts", last_part(path), hash(&[&text])));
        }
    }
    for path in &files.criteria {
        let Some((label, text)) = wrong.text(path) else { continue };
        let criteria = CriteriaFile::from_toml(&text, &label);
        if let Some(criteria) = wrong.or(criteria.map_err(|problems| listing(&label, &problems))) {
            let source = CheckSource::new("criteria", last_part(path), hash(&[&text]));
            checks.add_criteria(Arc::new(criteria), source);
        }
    }
    load_envelopes(files, &mut checks, &mut wrong);
    if let Some(paths) = &files.envelope_paths {
        checks.envelope_paths = EnvelopePaths::of(paths);
        let name = paths.join(", ");
        let hash = hash(&[&name]);
        checks.sources.push(CheckSource::new("envelope_paths", name, hash));
    }
    if wrong.0.is_empty() { Ok(checks) } else { Err(ChecksError(wrong.0)) }
}

/// A file that cannot be read does not keep the mistakes of the other from being told.
fn load_envelopes(files: &CheckFiles, checks: &mut Checks, wrong: &mut Wrong) {
    let named = [&files.envelope_request, &files.envelope_response];
    if named.iter().all(|path| path.is_none()) {
        return;
    }
    let read = named.map(|path| path.as_ref().and_then(|path| wrong.text(path)));
    let is_whole = named.iter().zip(&read).all(|(path, text)| path.is_none() || text.is_some());
    let [request, response] =
        read.each_ref().map(|file| file.as_ref().map(|(name, text)| SchemaFile { name, text }));
    let compiled = Envelopes::load(request, response).map_err(|error| error.to_string());
    if let Some(envelopes) = wrong.or(compiled).filter(|_| is_whole) {
        let texts = read.each_ref().map(|file| file.as_ref().map_or("", |file| &file.1));
        let parts: Vec<String> = named.into_iter().flatten().map(|it| last_part(it)).collect();
        checks.envelopes = Some(Arc::new(envelopes));
        let source = CheckSource::new("envelope schemas", parts.join(", "), hash(&texts));
        checks.sources.push(source);
    }
}

/// What is wrong with files, each mistake once.
#[derive(Default)]
struct Wrong(Vec<String>);

impl Wrong {
    fn or<T>(&mut self, loaded: Result<T, String>) -> Option<T> {
        let note = |message| {
            if !self.0.contains(&message) {
                self.0.push(message);
            }
        };
        loaded.map_err(note).ok()
    }

    /// The name of a file and its text.
    fn text(&mut self, path: &Path) -> Option<(String, String)> {
        let label = path.display().to_string();
        let read =
            read_within(path, LONGEST).map_err(|error| format!("cannot read {label}: {error}"));
        Some((label, self.or(read)?))
    }
}

fn last_part(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn hash(texts: &[&str]) -> u128 {
    let hashes = texts.iter().flat_map(|text| xxh3_128(text.as_bytes()).to_le_bytes());
    xxh3_128(&hashes.collect::<Vec<u8>>())
}
