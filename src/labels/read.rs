//! Files of labels: lines of JSON, or tables with the same names above their columns.

use super::{LabelError, LabelLine};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

const LONGEST_LINE: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedLabel {
    /// The line of the file, from 1.
    pub line: u64,
    pub label: LabelLine,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelFile {
    pub path: String,
    pub labels: Vec<PlacedLabel>,
    /// Its lines that are none, and why.
    pub wrong: Vec<(u64, String)>,
    /// Its last line, where whoever wrote it was interrupted.
    pub torn: Option<u64>,
}

/// Opens a file, which a device is not: that may have no end. A shell gives `<(command)` as a pipe.
fn open(path: &Path) -> io::Result<File> {
    let there = std::fs::metadata(path)?;
    #[cfg(unix)]
    let is_pipe = std::os::unix::fs::FileTypeExt::is_fifo(&there.file_type());
    #[cfg(not(unix))]
    let is_pipe = false;
    if there.is_file() || is_pipe {
        return File::open(path);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"))
}

/// Whether a line without an end is the beginning of a label.
fn is_torn(last: &[u8]) -> bool {
    let object = serde_json::from_slice::<Value>(last);
    let inside = last.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    let begins = |inside: &[u8]| {
        let names = LabelLine::MEMBERS.map(|name| format!("\"{name}\"").into_bytes());
        names.iter().any(|name| inside.starts_with(name) || name.starts_with(inside))
    };
    !last.ends_with(b"\n")
        && inside.is_some_and(begins)
        && object.is_err_and(|error| error.is_eof())
}

/// Whether a file is a table with columns, by its name.
pub(super) fn is_table(path: &Path) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|it| it.eq_ignore_ascii_case("csv"))
}

/// Reads a line, with its end or without; `None` where nothing stands in it.
fn read_line(bytes: &[u8]) -> Option<Result<LabelLine, String>> {
    if bytes.len() > LONGEST_LINE {
        return Some(Err(format!("the line has more than {LONGEST_LINE} bytes")));
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Some(Err("the line is not UTF-8".to_owned()));
    };
    // Some editors begin a file with a mark of its encoding.
    match text.trim_start_matches('\u{feff}').trim() {
        "" => None,
        text => Some(LabelLine::read(text)),
    }
}

/// Takes the next line, and no more of it than has to be seen to tell that it is too long.
fn take_line(reader: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<bool> {
    bytes.clear();
    let most = LONGEST_LINE as u64 + 1;
    let taken = reader.by_ref().take(most).read_until(b'\n', bytes)?;
    if taken > LONGEST_LINE && bytes.last() != Some(&b'\n') {
        reader.skip_until(b'\n')?;
    }
    Ok(taken > 0)
}

/// Reads a file of labels to its end, whatever stands in it.
pub fn read_label_file(path: &Path) -> Result<LabelFile, LabelError> {
    let shown = path.display().to_string();
    let unreadable = |source| LabelError::Unreadable { path: shown.clone(), source };
    let file = open(path).map_err(unreadable)?;
    let mut read = LabelFile { path: shown.clone(), ..LabelFile::default() };
    if is_table(path) {
        read_table(file, &mut read);
        return Ok(read);
    }
    read_lines(&mut BufReader::new(file), &mut read).map_err(unreadable)?;
    Ok(read)
}

/// Reads lines to their end. Whoever writes a file takes its lines for what its readers take them for.
pub(super) fn read_lines(reader: &mut impl BufRead, read: &mut LabelFile) -> io::Result<()> {
    let mut bytes = Vec::new();
    for line in 1.. {
        if !take_line(reader, &mut bytes)? {
            break;
        }
        match read_line(&bytes) {
            None => {}
            Some(Ok(label)) => read.labels.push(PlacedLabel { line, label }),
            Some(Err(_)) if is_torn(&bytes) => read.torn = Some(line),
            Some(Err(reason)) => read.wrong.push((line, reason)),
        }
    }
    Ok(())
}

fn read_table(file: File, read: &mut LabelFile) {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(BufReader::new(file));
    let names = match reader.headers() {
        Ok(names) => names.clone(),
        Err(error) => return read.wrong.push((1, error.to_string())),
    };
    let names = names.iter().map(|name| name.trim_start_matches('\u{feff}').trim().to_owned());
    let names: Vec<String> = names.collect();
    for row in reader.into_records() {
        match row {
            Ok(row) => {
                let line = row.position().map_or(0, csv::Position::line);
                let cells = row.iter().map(|cell| Value::from(cell.trim()));
                match LabelLine::of_members(&names.iter().cloned().zip(cells).collect()) {
                    Ok(label) => read.labels.push(PlacedLabel { line, label }),
                    Err(reason) => read.wrong.push((line, reason)),
                }
            }
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                read.wrong.push((line, error.to_string()));
                if error.is_io_error() {
                    return;
                }
            }
        }
    }
}

/// Reads the labels of a file in which each line has to be one.
pub fn read_labels(path: &Path) -> Result<Vec<LabelLine>, LabelError> {
    read_whole_labels(path).map(|(labels, _)| labels)
}

/// The same, with the number of a last line that was cut short, which counts for nothing.
pub fn read_whole_labels(path: &Path) -> Result<(Vec<LabelLine>, Option<u64>), LabelError> {
    let file = read_label_file(path)?;
    let torn = file.torn;
    let labels = file.only_labels()?;
    Ok((labels.into_iter().map(|placed| placed.label).collect(), torn))
}

impl LabelFile {
    /// Its labels; the first line that is none is an error.
    pub(super) fn only_labels(self) -> Result<Vec<PlacedLabel>, LabelError> {
        match self.wrong.into_iter().next() {
            Some((line, reason)) => Err(LabelError::Line { path: self.path, line, reason }),
            None => Ok(self.labels),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_told_and_those_behind_it_are_read() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let path = place.path().join("labels.jsonl");
        let label = r#"{"file":"a.jsonl","id":3,"label":"ok"}"#;
        let long = "x".repeat(3 * LONGEST_LINE);
        std::fs::write(&path, format!("{label}\n{long}\n{label}\n")).expect("a file");
        let read = read_label_file(&path).expect("a file");
        assert_eq!(read.labels.iter().map(|it| it.line).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(read.wrong.len(), 1);
        assert_eq!(read.wrong[0].0, 2);
    }
}
