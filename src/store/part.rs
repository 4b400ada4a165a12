//! What a part of a run counted, so that it can be added to what other parts counted.

use super::folder::{FolderError, ReportError, RunFolder};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_128;

/// The file of what a part counted.
const COUNTED: &str = "part.json";

/// Which part of a run a folder holds, and of what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartOf {
    /// From 1.
    pub number: u32,
    pub of: u32,
    /// A hash of the names and sizes of all files of the recordings.
    pub files: String,
    /// A hash of `part.json`.
    pub counted: String,
}

/// Writes what a part counted and returns its hash.
pub fn write_counted(folder: &RunFolder, counted: &impl Serialize) -> Result<String, FolderError> {
    let path = folder.path(COUNTED);
    let text = serde_json::to_vec(counted).map_err(|error| FolderError::io(&path, error.into()))?;
    fs::write(&path, &text).map_err(|source| FolderError::io(&path, source))?;
    Ok(hash(&text))
}

/// Reads what a part counted, which has to be what its manifest speaks of.
pub fn read_counted<T: DeserializeOwned>(folder: &Path, part: &PartOf) -> Result<T, ReportError> {
    let path = folder.join(COUNTED);
    let text =
        fs::read(&path).map_err(|source| FolderError::Unread { path: path.clone(), source })?;
    let damaged = |reason: String| ReportError::Damaged { path: path.clone(), reason };
    if hash(&text) != part.counted {
        return Err(damaged("its hash is not the one in manifest.json".to_owned()));
    }
    serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))
}

fn hash(text: &[u8]) -> String {
    format!("{:032x}", xxh3_128(text))
}
