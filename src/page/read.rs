//! What a page shows of a run, read from its folder: no more columns than that takes.

use super::AtHand;
use super::counted::Cells;
use super::sample::{Chosen, Sampler};
use crate::compare::{SideError, read_manifest, read_rulebook};
use crate::count::{CountedGroups, Dimension, Durations, duration_bucket};
use crate::labels::LabelError;
use crate::recording::Key;
use crate::rulebook::Rulebook;
use crate::store::{
    CubeFile, Excerpt, Manifest, ReportError, SUMMARY, StoredIssue, Summary, Table, TableFormat,
    TableReader, TextColumn,
};
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;
use std::fs;
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
    pub(super) durations: Taken,
    /// A few exchanges, or all.
    pub(super) chosen: Vec<Chosen>,
}

/// Key, recording and line: equal exchanges may be judged differently.
pub type Place = (Key, String, u64);

/// How often each type of issue occurs, by severity and type.
#[derive(Clone, Debug, Default)]
pub(super) struct IssueTypes(pub(super) BTreeMap<(String, String), IssueTally>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct IssueTally {
    pub(super) count: u64,
    pub(super) servers: u64,
}

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
        let (rulebook, counts, sampler) = match at_hand {
            Some(AtHand { counts, rulebook, sampler }) => (rulebook.clone(), Some(counts), sampler),
            None => (read_rulebook(folder, &manifest)?, None, None),
        };
        let mut sampler = match sampler {
            Some(sampler) => sampler,
            None => Sampler::of_run(folder, wanted.is_some())?,
        };
        if let Some(keys) = wanted.filter(|keys| !keys.is_empty()) {
            sampler.add(folder, keys)?;
        }
        let (mut cells, chosen) = sampler.finish();
        let issue_types = IssueTypes::of(folder)?;
        let durations = match counts {
            Some(counts) => durations_of(counts, &mut cells),
            None => durations(folder, &mut cells)?,
        };
        Ok(Self { manifest, summary, rulebook, cells, issue_types, durations, chosen })
    }
}

/// How long calls took, by the numbers of their server's and tool's names.
type Taken = BTreeMap<(u32, u32), Durations>;

fn durations(folder: &Path, cells: &mut Cells) -> Result<Taken, ReportError> {
    let path = folder.join(Table::Counts.file_name(TableFormat::Parquet));
    let cube = CubeFile::open(&path)?.read()?;
    let mut taken = Taken::new();
    let is_whole = cube.each(&[Dimension::Duration], |row| {
        let step = row.value.parse().ok().and_then(duration_bucket);
        if let (Some(step), Ok(calls)) = (step, u64::try_from(row.n)) {
            let of = (cells.name(row.server), cells.name(row.tool));
            taken.entry(of).or_default().add(step, calls);
        }
    });
    if is_whole {
        return Ok(taken);
    }
    Err(ReportError::Damaged { path, reason: "it has empty rows".to_owned() })
}

fn durations_of(counts: &CountedGroups, cells: &mut Cells) -> Taken {
    let mut taken = Taken::new();
    for (group, counts) in counts.groups() {
        let durations = counts.durations();
        if durations.calls() > 0 {
            let of = (cells.name(&group.server), cells.name(&group.tool));
            taken.entry(of).or_default().merge(&durations);
        }
    }
    taken
}

impl RunRead {
    /// Adds the texts of chosen exchanges of which the run keeps none.
    pub(super) fn add_texts(
        &mut self,
        find: impl FnOnce(&Self, &[Place]) -> HashMap<Place, Excerpt>,
    ) {
        let without = self.chosen.iter().filter(|row| row.texts.is_none());
        let wanted: Vec<Place> = without.map(Chosen::place).collect();
        if wanted.is_empty() {
            return;
        }
        let found = find(self, &wanted);
        for row in self.chosen.iter_mut().filter(|row| row.texts.is_none()) {
            row.texts = found.get(&row.place()).cloned();
        }
    }
}

pub(super) fn text(path: &Path) -> Result<String, PageError> {
    fs::read_to_string(path)
        .map_err(|error| PageError::Unreadable { path: path.to_owned(), reason: error.to_string() })
}

pub(super) fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, PageError> {
    serde_json::from_str(&text(path)?)
        .map_err(|error| PageError::Unreadable { path: path.to_owned(), reason: error.to_string() })
}

pub(super) fn issues_of(
    folder: &Path,
    keys: &HashSet<Key>,
) -> Result<HashMap<Place, Vec<StoredIssue>>, PageError> {
    let mut table = TableReader::open(folder, Table::Issues)?;
    let mut found: HashMap<Place, Vec<StoredIssue>> = HashMap::new();
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
            let text = |column: &TextColumn| column.get(row).unwrap_or_default().to_owned();
            let line = u64::try_from(lines[row]).unwrap_or_default();
            let of_exchange = found.entry((key, text(&file), line)).or_default();
            if of_exchange.len() < MOST_ISSUES {
                of_exchange.push(StoredIssue {
                    severity: text(&severity),
                    kind: text(&kind),
                    message: text(&message),
                    location: location.get(row).map(str::to_owned),
                    suggestion: suggestion.get(row).map(str::to_owned),
                });
            }
        }
    }
    Ok(found)
}

impl IssueTypes {
    pub(super) fn of(folder: &Path) -> Result<Self, PageError> {
        let mut table = TableReader::open(folder, Table::IssueTypes)?;
        let mut counts: BTreeMap<(String, String), (u64, HashSet<String>)> = BTreeMap::new();
        for group in 0..table.groups() {
            let [severity, kind, server] =
                ["severity", "type", "server"].map(|name| table.texts(group, name));
            let (severity, kind, server) = (severity?, kind?, server?);
            let count = table.ints(group, "count")?;
            for (row, count) in count.into_iter().enumerate() {
                let text = |column: &TextColumn| column.get(row).unwrap_or_default().to_owned();
                let (sum, servers) = counts.entry((text(&severity), text(&kind))).or_default();
                *sum += u64::try_from(count).unwrap_or_default();
                let server = server.get(row).unwrap_or_default();
                if !servers.contains(server) {
                    servers.insert(server.to_owned());
                }
            }
        }
        let tally = |(count, servers): (u64, HashSet<String>)| IssueTally {
            count,
            servers: servers.len() as u64,
        };
        Ok(Self(counts.into_iter().map(|(name, counted)| (name, tally(counted))).collect()))
    }
}
