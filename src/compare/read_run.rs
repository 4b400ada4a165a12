//! From a run folder to a side: as few columns as will do, and as they were written.

use super::{Entry, Header, Names, Side, Texts, UnreadableFiles, WHOLE_KEY};
use crate::corpus::{FileKind, UnreadableReason};
use crate::count::duration_bucket;
use crate::recording::Key;
use crate::rulebook::Rulebook;
use crate::store::{
    FORMAT, MANIFEST, Manifest, NamedVerdict, PartOf, RULEBOOK, ReportError, SUMMARY, Summary,
    Table, TableFormat, TableReader, TextColumn, Verdicts,
};
use crate::verdict::typed;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why something that was judged once could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SideError {
    #[error("{} does not exist; name the folder of a run, as `tapecheck run --out` left it", .0.display())]
    Missing(PathBuf),
    #[error("{} is not a tapecheck run: it has no {MANIFEST}", .0.display())]
    NoRun(PathBuf),
    #[error("{} is part {number} of {of} of a run", path.display())]
    Part { path: PathBuf, number: u32, of: u32 },
    #[error("{} was changed after tapecheck wrote it: {reason}; run again", path.display())]
    Manifest { path: PathBuf, reason: String },
    #[error("{} is a run of format {format}, but this version of tapecheck reads {FORMAT}", path.display())]
    OtherFormat { path: PathBuf, format: String, command: String },
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Table(#[from] ReportError),
    #[error("{} has no {RULEBOOK}: an earlier version of tapecheck wrote the run; run again", .0.display())]
    NoRulebook(PathBuf),
    #[error("{} is not the run's rulebook: {reason}; run again", path.display())]
    OtherRulebook {
        path: PathBuf,
        /// How it shows.
        reason: String,
    },
}

pub fn read_run(folder: &Path) -> Result<Side, SideError> {
    let manifest = read_manifest(folder)?;
    let rulebook = read_rulebook(folder, &manifest)?;
    let mut table = TableReader::open(folder, Table::Verdicts)?;
    let (verdicts, entries, names) = read_entries(&mut table)?;
    if entries.len() as u64 != manifest.comparable.counts.exchanges {
        let reason = format!(
            "it has {} rows, but {MANIFEST} counts {} calls",
            entries.len(),
            manifest.comparable.counts.exchanges
        );
        return Err(table.damaged(reason).into());
    }
    let summary = read_summary(folder)?;
    let unreadable_files = match &summary {
        Some(summary) => Some(read_unreadable_files(folder, summary)?),
        None => None,
    };
    let header = Header {
        name: folder.display().to_string(),
        corpus_digest: manifest.comparable.corpus_digest,
        rulebook: manifest.comparable.rulebook,
        checks: manifest.comparable.checks,
        redaction: manifest.comparable.redaction.map(|redaction| redaction.digest),
        version: Some(manifest.comparable.version),
        unreadable: Some(manifest.comparable.counts.unreadable),
        unreadable_files,
        overall_confidence: summary.map(|summary| summary.overall_confidence),
    };
    Ok(Side {
        header,
        rulebook: Some(Arc::new(rulebook)),
        verdicts,
        entries,
        names,
        texts: Texts::of_run(table),
        key_digits: WHOLE_KEY,
    })
}

/// Reads what a whole run was made of.
pub fn read_manifest(folder: &Path) -> Result<Manifest, SideError> {
    let manifest = read_any_manifest(folder)?;
    match &manifest.comparable.part {
        None => Ok(manifest),
        Some(PartOf { number, of, .. }) => {
            let (number, of) = (*number, *of);
            Err(SideError::Part { path: folder.to_owned(), number, of })
        }
    }
}

/// Reads what a run or a part of one was made of.
pub fn read_any_manifest(folder: &Path) -> Result<Manifest, SideError> {
    if !folder.exists() {
        return Err(SideError::Missing(folder.to_owned()));
    }
    let path = folder.join(MANIFEST);
    let Some(text) = read_text(&path)? else { return Err(SideError::NoRun(folder.to_owned())) };
    let wrong = |error: serde_json::Error| SideError::Manifest {
        path: path.clone(),
        reason: error.to_string(),
    };
    let json: serde_json::Value = serde_json::from_str(&text).map_err(wrong)?;
    let family = FORMAT.split_inclusive('/').next().unwrap_or(FORMAT);
    match json["format"].as_str() {
        Some(FORMAT) => serde_json::from_value(json).map_err(wrong),
        Some(format) if format.starts_with(family) => {
            let (path, format) = (folder.to_owned(), format.to_owned());
            let command = command_again(folder, &json);
            Err(SideError::OtherFormat { path, format, command })
        }
        Some(_) | None => Err(SideError::NoRun(folder.to_owned())),
    }
}

/// The command that judges the recordings of a run again.
fn command_again(folder: &Path, manifest: &serde_json::Value) -> String {
    let inputs = &manifest["wall"]["inputs"];
    let inputs: Vec<&str> =
        inputs.as_array().into_iter().flatten().filter_map(serde_json::Value::as_str).collect();
    let inputs = if inputs.is_empty() { vec!["RECORDINGS"] } else { inputs };
    let mut command = "tapecheck run".to_owned();
    for input in inputs {
        command.push(' ');
        command.push_str(&typed(input));
    }
    let part = &manifest["comparable"]["part"];
    if let (Some(number), Some(of)) = (part["number"].as_u64(), part["of"].as_u64()) {
        let _ = write!(command, " --part {number}/{of}");
    }
    command + " --out " + &typed(&folder.display().to_string())
}

/// The text of a file; `None` where there is no such file.
fn read_text(path: &Path) -> Result<Option<String>, SideError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        // A file where a folder should be.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
        Err(source) => Err(SideError::Unreadable { path: path.to_owned(), source }),
    }
}

/// The rulebook that a run wrote down, which has to be the one that its manifest speaks of.
pub fn read_rulebook(folder: &Path, manifest: &Manifest) -> Result<Rulebook, SideError> {
    let path = folder.join(RULEBOOK);
    let Some(text) = read_text(&path)? else {
        return Err(SideError::NoRulebook(folder.to_owned()));
    };
    let wanted = &manifest.comparable.rulebook;
    let other = |reason: String| SideError::OtherRulebook { path: path.clone(), reason };
    let rulebook =
        Rulebook::recorded(&text, &wanted.name).map_err(|error| other(error.to_string()))?;
    if rulebook.digest == wanted.digest {
        return Ok(rulebook);
    }
    let reason = format!("its digest is {}, but {MANIFEST} has {}", rulebook.digest, wanted.digest);
    Err(other(reason))
}

/// The run at a glance; `None` where the file is not there.
pub fn read_summary(folder: &Path) -> Result<Option<Summary>, SideError> {
    let path = folder.join(SUMMARY);
    let Some(text) = read_text(&path)? else { return Ok(None) };
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|error| SideError::Manifest { path, reason: error.to_string() })
}

/// So many files that could not be read are named.
const MOST_NAMES: usize = 20;

/// Counts are in the summary; names are only looked for where there is one to find.
fn read_unreadable_files(folder: &Path, summary: &Summary) -> Result<UnreadableFiles, SideError> {
    let of_machine = UnreadableReason::ReadError.name();
    let unanswered = summary.skipped.get(FileKind::Expectations.name());
    let unanswered = unanswered.map_or(0, |reasons| reasons.values().sum());
    let mut files = UnreadableFiles { unanswered, ..UnreadableFiles::default() };
    for (reason, count) in &summary.unreadable_files {
        let counted =
            if reason == of_machine { &mut files.read_errors } else { &mut files.damaged };
        *counted = counted.saturating_add(*count);
    }
    if files.read_errors == 0 {
        return Ok(files);
    }
    let path = folder.join(Table::Unreadable.file_name(TableFormat::Csv));
    let wrong =
        |error: csv::Error| ReportError::Damaged { path: path.clone(), reason: error.to_string() };
    let mut rows = csv::Reader::from_path(&path).map_err(wrong)?;
    let most = MOST_NAMES.min(usize::try_from(files.read_errors).unwrap_or(MOST_NAMES));
    for row in rows.records() {
        if files.read_error_names.len() == most {
            break;
        }
        let row = row.map_err(wrong)?;
        let [file, line, reason] = [0, 1, 3].map(|at| row.get(at).unwrap_or_default());
        if line.is_empty() && reason == of_machine {
            files.read_error_names.push(file.to_owned());
        }
    }
    Ok(files)
}

/// The scenario of calls that were made to see an error.
const ERROR_CASE: &str = "error_case";

/// Room is made for so many rows before they are there.
const MOST_ROOM: usize = 1 << 20;

fn read_entries(
    table: &mut TableReader,
) -> Result<(Vec<NamedVerdict>, Vec<Entry>, Names), SideError> {
    let mut names = Names::default();
    let mut verdicts = Verdicts::default();
    let rows = (0..table.groups()).map(|group| table.rows(group)).fold(0, usize::saturating_add);
    // No more room than a damaged table could make up in vain.
    let mut entries = Vec::with_capacity(rows.min(MOST_ROOM));
    for group in 0..table.groups() {
        let keys = table.keys(group, "key")?;
        let requests = table.ints(group, "request_key")?;
        let verdict_of = verdicts.read(table, group)?;
        let lines = table.ints(group, "line")?;
        let scenarios = table.texts(group, "scenario")?;
        let durations = table.floats(group, "duration_ms")?;
        let mut numbers = |column: &str| -> Result<Vec<u32>, SideError> {
            Ok(numbered(&table.texts(group, column)?, &mut names))
        };
        let (servers, tools, files) = (numbers("server")?, numbers("tool")?, numbers("file")?);
        for (row, (key, request)) in keys.into_iter().zip(requests).enumerate() {
            let Some(key) = key else {
                let row = entries.len() + 1;
                return Err(table.damaged(format!("row {row} has no key")).into());
            };
            entries.push(Entry {
                key,
                verdict: verdict_of[row],
                request: Key(u128::from(request.cast_unsigned()) << 64),
                server: servers[row],
                tool: tools[row],
                file: files[row],
                line: u32::try_from(lines[row]).unwrap_or(u32::MAX),
                is_error_case: scenarios.get(row) == Some(ERROR_CASE),
                took: durations[row].and_then(duration_bucket),
            });
        }
    }
    Ok((verdicts.all.into_values().collect(), entries, names))
}

/// The rows of a column, its texts numbered as `names` has them.
fn numbered(column: &TextColumn, names: &mut Names) -> Vec<u32> {
    let numbers: Vec<u32> = column.texts.iter().map(|text| names.number(text)).collect();
    let empty = names.number("");
    let number = |row: &u32| numbers.get(*row as usize).copied().unwrap_or(empty);
    column.rows.iter().map(number).collect()
}
