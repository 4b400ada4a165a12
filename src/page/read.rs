//! What a page shows of a run, read from its folder: no more columns than that takes.

use super::AtHand;
use super::counted::{Cell, Cells, Look};
use super::sample::{self, Chosen, called};
use crate::compare::{SideError, read_manifest, read_rulebook};
use crate::count::{Dimension, Durations, duration_bucket};
use crate::labels::LabelError;
use crate::recording::{ExchangeKind, Key};
use crate::rulebook::Rulebook;
use crate::store::{
    CubeFile, Excerpt, Manifest, NamedVerdict, ReportError, SUMMARY, Summary, Table, TableFormat,
    TableReader, TextColumn, Verdicts,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A run folder cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// A file of it cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    /// A table of it cannot be read.
    #[error(transparent)]
    Table(#[from] ReportError),
    /// What was said in it cannot be read.
    #[error(transparent)]
    NamedVerdict(#[from] SideError),
    /// The labels of its exchanges cannot be found.
    #[error(transparent)]
    Labels(#[from] LabelError),
    /// The page cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
}

/// What a page shows of a run.
#[derive(Debug)]
pub(super) struct RunRead {
    pub(super) manifest: Manifest,
    pub(super) summary: Summary,
    pub(super) rulebook: Rulebook,
    /// Each different verdict once.
    pub(super) verdicts: Vec<NamedVerdict>,
    /// How many exchanges each of them is about.
    pub(super) verdict_counts: Vec<u64>,
    /// Exchanges by server, tool and what people filter by.
    pub(super) cells: Cells,
    pub(super) issue_types: IssueTypes,
    /// How long calls took, by the numbers of their server's and tool's names.
    pub(super) durations: BTreeMap<(u32, u32), Durations>,
    /// A few exchanges, or all.
    pub(super) chosen: Vec<Chosen>,
    /// What was found wrong with them, by their places.
    pub(super) issues: HashMap<Place, Vec<IssueRead>>,
}

/// Key, recording and line: equal exchanges may be judged differently.
pub type Place = (Key, String, u64);

/// An issue of a chosen exchange.
#[derive(Clone, Debug)]
pub(super) struct IssueRead {
    pub(super) severity: String,
    pub(super) kind: String,
    pub(super) message: String,
    pub(super) location: Option<String>,
    pub(super) suggestion: Option<String>,
}

/// How often each type of issue occurs, by severity and type.
#[derive(Clone, Debug, Default)]
pub(super) struct IssueTypes(pub(super) BTreeMap<(String, String), IssueTally>);

/// How often a type of issue occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct IssueTally {
    pub(super) count: u64,
    pub(super) servers: u64,
}

/// What is wanted of a run beside its counts.
#[derive(Debug)]
pub(super) enum Wanted {
    /// Nothing else.
    Counts,
    /// Exchanges, among them those with these keys.
    Sample(HashSet<Key>),
}

/// Which rows may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Samples {
    None,
    Few,
    All,
}

/// So many issues of an exchange are shown.
const MOST_ISSUES: usize = 8;
/// So many rows of issues are looked through for those of the chosen exchanges.
const MOST_ISSUE_ROWS: usize = 300_000;

impl RunRead {
    /// Reads a finished run, with a sample of its exchanges where one is wanted.
    pub(super) fn of(
        folder: &Path,
        wanted: &Wanted,
        at_hand: Option<AtHand<'_>>,
    ) -> Result<Self, PageError> {
        let manifest = read_manifest(folder)?;
        let summary: Summary = json(&folder.join(SUMMARY))?;
        let rulebook = match at_hand {
            Some(at_hand) => at_hand.rulebook.clone(),
            None => read_rulebook(folder, &manifest)?,
        };
        let mut table = TableReader::open(folder, Table::Verdicts)?;
        let samples = match wanted {
            Wanted::Counts => Samples::None,
            Wanted::Sample(_) if manifest.comparable.counts.exchanges <= sample::MOST as u64 => {
                Samples::All
            }
            Wanted::Sample(_) => Samples::Few,
        };
        let none = HashSet::new();
        let keys = match wanted {
            Wanted::Counts => &none,
            Wanted::Sample(keys) => keys,
        };
        let Counted { verdicts, mut cells, verdict_counts, seen } =
            count(&mut table, samples, keys)?;
        let verdicts = verdicts.into_all();
        let (chosen, issues) = match wanted {
            Wanted::Counts => (Vec::new(), HashMap::new()),
            Wanted::Sample(_) => {
                let chosen = sample::choose(&mut table, &verdicts, &cells, seen)?;
                let keys: HashSet<Key> = chosen.iter().map(|row| row.key).collect();
                let issues = issues_of(folder, &keys)?;
                (chosen, issues)
            }
        };
        let issue_types = IssueTypes::of(folder)?;
        let durations = match at_hand {
            Some(AtHand { counts, .. }) => {
                let groups = counts.groups().iter();
                let timed = groups.map(|(of, counts)| (&*of.server, &*of.tool, counts.durations()));
                by_name(timed, &mut cells)
            }
            None => durations(folder, &mut cells)?,
        };
        Ok(Self {
            manifest,
            summary,
            rulebook,
            verdicts,
            verdict_counts,
            cells,
            issue_types,
            durations,
            chosen,
            issues,
        })
    }
}

fn durations(
    folder: &Path,
    cells: &mut Cells,
) -> Result<BTreeMap<(u32, u32), Durations>, ReportError> {
    let path = folder.join(Table::Counts.file_name(TableFormat::Parquet));
    let cube = CubeFile::open(&path)?.read()?;
    let mut timed = Vec::new();
    let is_whole = cube.each(&[Dimension::Duration], |row| {
        let step = row.value.parse().ok().and_then(duration_bucket);
        if let (Some(step), Ok(calls)) = (step, u64::try_from(row.n)) {
            timed.push((row.server, row.tool, Durations::from_iter([(step, calls)])));
        }
    });
    if !is_whole {
        return Err(ReportError::Damaged { path, reason: "it has empty rows".to_owned() });
    }
    Ok(by_name(timed.into_iter(), cells))
}

fn by_name<'n>(
    timed: impl Iterator<Item = (&'n str, &'n str, Durations)>,
    cells: &mut Cells,
) -> BTreeMap<(u32, u32), Durations> {
    let mut found: BTreeMap<(u32, u32), Durations> = BTreeMap::new();
    for (server, tool, durations) in timed.filter(|(.., durations)| durations.calls() > 0) {
        found.entry((cells.name(server), cells.name(tool))).or_default().merge(&durations);
    }
    found
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

/// A row of the table of verdicts: its row group, its place in it, its cell and what was said.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) group: usize,
    pub(super) row: usize,
    pub(super) cell: u32,
    pub(super) verdict: u32,
    /// Whether it was asked for.
    pub(super) is_wanted: bool,
}

struct Counted {
    verdicts: Verdicts,
    cells: Cells,
    /// How many exchanges have each verdict.
    verdict_counts: Vec<u64>,
    /// The rows that may be chosen.
    seen: Vec<Seen>,
}

/// The first rows of a cell may be chosen, so many.
const FIRST_OF_CELL: u64 = 8;
/// Of the first rows others may be chosen too, evenly; of so many rows, since each row group of a chosen one is read whole.
const SPREAD: usize = 1 << 17;

/// Counts all exchanges; also the rows that may be chosen: the first of each cell, or all. Where row groups end changes nothing,
/// since they end elsewhere in a run that was put together from parts.
fn count(
    table: &mut TableReader,
    samples: Samples,
    wanted: &HashSet<Key>,
) -> Result<Counted, PageError> {
    let mut verdicts = Verdicts::default();
    let mut cells = Cells::default();
    let mut look_of: Vec<u32> = Vec::new();
    let mut verdict_counts: Vec<u64> = Vec::new();
    let mut seen = Vec::new();
    let mut more_in_trouble = 0;
    let first = match samples {
        Samples::None => 0,
        Samples::Few => FIRST_OF_CELL,
        Samples::All => u64::MAX,
    };
    let rows: usize = (0..table.groups()).map(|group| table.rows(group)).sum();
    let step = rows.min(SPREAD).div_ceil(sample::MOST).max(1);
    let mut before = 0;
    for group in 0..table.groups() {
        let (servers, tools) = (table.texts(group, "server")?, table.texts(group, "tool")?);
        let keys = if wanted.is_empty() { None } else { Some(table.keys(group, "key")?) };
        let verdict_of = verdicts.read(table, group)?;
        for verdict in &verdicts.all()[look_of.len()..] {
            look_of.push(cells.look(Look::of(verdict)));
            verdict_counts.push(0);
        }
        let [mut server_of, mut tool_of] =
            [&servers, &tools].map(|column| vec![None; column.texts.iter().len()]);
        // Neighbours mostly look alike.
        let mut last: Option<([u32; 3], u32)> = None;
        for (row, verdict) in verdict_of.into_iter().enumerate() {
            let at = [servers.rows[row], tools.rows[row], verdict];
            let mut number = |column: &TextColumn, of: &mut [Option<u32>]| {
                let known = of.get_mut(column.rows[row] as usize)?;
                Some(*known.get_or_insert_with(|| cells.name(column.get(row).unwrap_or_default())))
            };
            let found = number(&servers, &mut server_of).zip(number(&tools, &mut tool_of));
            let Some((server, tool)) = found else { continue };
            let cell = match last {
                Some((known, cell)) if known == at => cell,
                Some(_) | None => {
                    let kind = verdicts.all()[verdict as usize].kind;
                    let is_call = kind == ExchangeKind::ToolCall;
                    let tool = if is_call { tool } else { cells.name(&called("", kind)) };
                    cells.cell(Cell { server, tool, look: look_of[verdict as usize] })
                }
            };
            last = Some((at, cell));
            verdict_counts[verdict as usize] += 1;
            let of_cell = cells.add(cell);
            if samples == Samples::None {
                continue;
            }
            let is_wanted =
                keys.as_ref().and_then(|keys| keys[row]).is_some_and(|key| wanted.contains(&key));
            let at = before + row;
            let is_dealt = is_wanted || of_cell <= first || (at < SPREAD && at % step == 0);
            // What is in trouble comes before whatever is fine, as far as there is room.
            let is_more = !is_dealt
                && more_in_trouble < sample::MOST
                && cells.look_of(look_of[verdict as usize]).is_trouble();
            more_in_trouble += usize::from(is_more);
            if is_dealt || is_more {
                seen.push(Seen { group, row, cell, verdict, is_wanted });
            }
        }
        before += table.rows(group);
    }
    Ok(Counted { verdicts, cells, verdict_counts, seen })
}

/// The issues of these exchanges.
fn issues_of(
    folder: &Path,
    keys: &HashSet<Key>,
) -> Result<HashMap<Place, Vec<IssueRead>>, PageError> {
    let mut table = TableReader::open(folder, Table::Issues)?;
    let mut found: HashMap<Place, Vec<IssueRead>> = HashMap::new();
    let mut left = MOST_ISSUE_ROWS;
    for group in 0..table.groups() {
        if left == 0 {
            break;
        }
        let rows = table.rows(group).min(left);
        left -= rows;
        let mut wanted = table.keys_where(group, "key", |key| keys.contains(key))?;
        wanted.retain(|(row, _)| *row < rows);
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
                of_exchange.push(IssueRead {
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
    /// Reads how often each type of issue occurs in a run.
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
