//! What a page shows of a run, read from its folder: no more columns than that takes.

use super::AtHand;
use super::counted::Cells;
use super::sample::{Chosen, Sampler};
use crate::compare::{SideError, read_manifest, read_rulebook};
use crate::labels::LabelError;
use crate::recording::Key;
use crate::rulebook::Rulebook;
use crate::store::{
    ListRow, Lists, Manifest, ReportError, SUMMARY, StoredIssue, Summary, Table, TableReader,
    TextColumn,
};
use hashbrown::{HashMap, HashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum PageError {
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error(transparent)]
    Table(#[from] ReportError),
    #[error(transparent)]
    NamedVerdict(#[from] SideError),
    #[error(transparent)]
    Labels(#[from] LabelError),
    #[error("cannot write {}: {source}", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
}

#[derive(Debug)]
pub(super) struct RunRead {
    pub(super) manifest: Manifest,
    pub(super) summary: Summary,
    pub(super) rulebook: Rulebook,
    /// Exchanges by server, tool and what people filter by.
    pub(super) cells: Cells,
    pub(super) issue_types: IssueTypes,
    /// What an operator acts on.
    pub(super) lists: Vec<ListRow>,
    /// A few exchanges, or all.
    pub(super) chosen: Vec<Chosen>,
}

/// Key, recording and line: equal exchanges may be judged differently.
pub type RecordedCall = (Key, String, u64);

/// Severity and type of issues, how often there is one, and on which servers.
pub(super) type IssueTypes = BTreeMap<(String, String), (u64, BTreeSet<String>)>;

/// So many issues of an exchange are shown.
pub(super) const MOST_ISSUES: usize = 8;

impl RunRead {
    /// Reads a finished run, with a sample of its exchanges where one is wanted, among them those with these keys.
    pub(super) fn of(
        folder: &Path,
        wanted: Option<&HashSet<Key>>,
        at_hand: Option<AtHand<'_>>,
    ) -> Result<Self, PageError> {
        let manifest = read_manifest(folder)?;
        let summary: Summary = json(&folder.join(SUMMARY))?;
        let (rulebook, sampler, lists) = match at_hand {
            Some(AtHand { rulebook, sampler, lists }) => {
                (rulebook.clone(), sampler, lists.to_vec())
            }
            None => (read_rulebook(folder, &manifest)?, None, Lists::of_run(folder)?.rows()),
        };
        let mut sampler = match sampler {
            Some(sampler) => sampler,
            None => Sampler::of_run(folder, wanted.is_some())?,
        };
        if let Some(keys) = wanted.filter(|keys| !keys.is_empty()) {
            sampler.add(folder, keys)?;
        }
        let (cells, chosen) = sampler.finish();
        let issue_types = issue_types(folder)?;
        Ok(Self { manifest, summary, rulebook, cells, issue_types, lists, chosen })
    }
}

pub(super) fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, PageError> {
    let unreadable = |reason| PageError::Unreadable { path: path.to_owned(), reason };
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))
}

fn text_of(column: &TextColumn, row: usize) -> String {
    column.get(row).unwrap_or_default().to_owned()
}

pub(super) fn issues_of(
    folder: &Path,
    keys: &HashSet<Key>,
) -> Result<HashMap<RecordedCall, Vec<StoredIssue>>, PageError> {
    let mut table = TableReader::open(folder, Table::Issues)?;
    let mut found: HashMap<RecordedCall, Vec<StoredIssue>> = HashMap::new();
    for group in 0..table.groups() {
        let wanted = table.keys_where(group, "key", |key| keys.contains(key))?;
        if wanted.is_empty() {
            continue;
        }
        let [file, severity, kind, message, location, suggestion] =
            ["file", "severity", "type", "message", "location", "suggestion"]
                .map(|name| table.texts(group, name));
        let lines = table.ints(group, "line")?;
        let (file, severity, kind, message) = (file?, severity?, kind?, message?);
        let (location, suggestion) = (location?, suggestion?);
        for (row, key) in wanted {
            let line = u64::try_from(lines[row]).unwrap_or_default();
            let of_exchange = found.entry((key, text_of(&file, row), line)).or_default();
            if of_exchange.len() < MOST_ISSUES {
                of_exchange.push(StoredIssue {
                    severity: text_of(&severity, row),
                    kind: text_of(&kind, row),
                    message: text_of(&message, row),
                    location: location.get(row).map(str::to_owned),
                    suggestion: suggestion.get(row).map(str::to_owned),
                });
            }
        }
    }
    Ok(found)
}

pub(super) fn issue_types(folder: &Path) -> Result<IssueTypes, PageError> {
    let mut table = TableReader::open(folder, Table::IssueTypes)?;
    let mut types = IssueTypes::new();
    for group in 0..table.groups() {
        let [severity, kind, server] =
            ["severity", "type", "server"].map(|name| table.texts(group, name));
        let (severity, kind, server) = (severity?, kind?, server?);
        for (row, count) in table.ints(group, "count")?.into_iter().enumerate() {
            let name = (text_of(&severity, row), text_of(&kind, row));
            let (sum, servers) = types.entry(name).or_default();
            *sum += u64::try_from(count).unwrap_or_default();
            let server = server.get(row).unwrap_or_default();
            if !servers.contains(server) {
                servers.insert(server.to_owned());
            }
        }
    }
    Ok(types)
}
