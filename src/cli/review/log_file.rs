//! The log of decisions on disk, beside its baseline.

use crate::baseline::Place;
use crate::cli::Failure;
use crate::review::{LogLine, ReadLog, read_log};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A log that is added to and never written anew.
#[derive(Debug)]
pub(super) struct LogFile {
    pub(super) path: PathBuf,
    /// What it held when it was read.
    pub(super) lines: Vec<LogLine>,
    /// Where the next line begins. A line that was torn stands behind it.
    whole: u64,
    pub(super) torn: bool,
}

impl LogFile {
    /// Reads the log of a baseline. One that is not there yet is empty.
    pub(super) fn read(place: &Place) -> Result<Self, Failure> {
        let path = place.accepted().with_extension("review.jsonl");
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                return Err(Failure::unfinished(format!(
                    "cannot read {}: {error}",
                    path.display()
                ))
                .next("check the path and its permissions"));
            }
        };
        let ReadLog { lines, whole, torn } = read_log(&bytes).map_err(|error| {
            Failure::unfinished(format!("{}: {error}", path.display())).next(
                "restore the log, or move it away: decisions not written yet then have to be \
                 made again",
            )
        })?;
        Ok(Self { path, lines, whole: whole as u64, torn })
    }

    /// Adds lines, and returns when they are safe.
    pub(super) fn add(&mut self, lines: &[LogLine]) -> Result<(), Failure> {
        if lines.is_empty() {
            return Ok(());
        }
        let text: String = lines
            .iter()
            .filter_map(|line| serde_json::to_string(line).ok())
            .map(|line| line + "\n")
            .collect();
        self.write(text.as_bytes()).map_err(|error| {
            Failure::unfinished(format!("cannot write {}: {error}", self.path.display()))
                .next("earlier decisions are kept; the baseline is unchanged")
        })?;
        self.lines.extend_from_slice(lines);
        Ok(())
    }

    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        let is_new = !self.path.exists();
        let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
        // What a kill left half written ends here.
        if file.metadata()?.len() > self.whole {
            file.set_len(self.whole)?;
        }
        file.write_all(text)?;
        file.sync_data()?;
        self.whole += text.len() as u64;
        self.torn = false;
        if is_new {
            let folder = self.path.parent().unwrap_or(Path::new("."));
            // Where folders cannot be synced, nothing is to be done.
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }
}
