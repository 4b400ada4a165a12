//! Baselines of large collections: a row per exchange, whole keys, and the header of the text.

use super::error::{BaselineError, Wrong};
use super::header::{Lines, Told, read as read_header};
use super::model::{Baseline, Gathered, Version, entry, verdict};
use super::place::{Form, PENDING};
use super::read_text::read_key;
use super::seal::{Seal, sealed};
use super::verdict_text::{BAR, read as read_verdict};
use super::writing::write_file;
use crate::compare::shortened;
use crate::report::{
    Cells, Column, ColumnKind, Distinct, Encoder, Presence, ReportError, TableReader, TextColumn,
    Texts,
};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, BufWriter};
use std::path::Path;

/// Under this name the header stands in the file.
const HEADER: &str = "tapecheck";
/// Rows of a row group.
const ROW_GROUP: usize = 1 << 16;
/// What Parquet files begin with.
const MAGIC: &[u8] = b"PAR1";

/// The columns, each of which holds texts.
const COLUMNS: [(&str, Presence, &str); 6] = [
    ("key", Presence::Always, "Content hash of server, tool, input and reply."),
    ("request", Presence::Always, "Content hash of server, tool and input."),
    ("server", Presence::Always, "Who answered."),
    ("tool", Presence::Always, "The tool that was called."),
    ("id", Presence::Sometimes, "The record's own id."),
    ("verdict", Presence::Always, "What was accepted, as a line of a baseline in text says it."),
];

fn columns() -> Vec<Column> {
    let column = |(name, presence, about): (&'static str, Presence, &'static str)| Column {
        name: Cow::Borrowed(name),
        kind: ColumnKind::Text,
        presence,
        about: Cow::Borrowed(about),
    };
    COLUMNS.map(column).into()
}

/// Whether a file is one of ours in this form, or was meant to be.
pub(super) fn is_parquet(path: &Path, bytes: &[u8]) -> bool {
    let ends = |name: &str| {
        let name = name.strip_suffix(PENDING).unwrap_or(name);
        name.strip_suffix(Form::Parquet.extension()).is_some_and(|name| name.ends_with('.'))
    };
    bytes.starts_with(MAGIC) || path.to_str().is_some_and(ends)
}

impl Baseline {
    pub(super) fn write_parquet(&self, path: &Path) -> Result<(), BaselineError> {
        self.write_sealed(path, Seal::digest)
    }

    fn write_sealed(
        &self,
        path: &Path,
        digest: impl FnOnce(&Seal) -> String,
    ) -> Result<(), BaselineError> {
        write_file(path, |file| {
            let encoder = Encoder::new(&columns()).map_err(io::Error::other)?;
            let mut out = encoder.start(BufWriter::new(file)).map_err(io::Error::other)?;
            let verdicts: Vec<String> = self.side.said.iter().map(verdict).collect();
            let places: Vec<usize> = (0..self.side.entries.len()).collect();
            let header = self.header_text(self.side.key_digits);
            let mut seal = Seal::of_text(&header);
            for places in places.chunks(ROW_GROUP) {
                let group = encoder.encode(self.cells(places, &verdicts, &mut seal));
                out.append(&group.map_err(io::Error::other)?)?;
            }
            out.finish_with(&[(HEADER, &sealed(&header, &digest(&seal)))])?;
            Ok(())
        })
    }

    /// In the order of the columns. The seal takes in the rows.
    fn cells(&self, places: &[usize], verdicts: &[String], seal: &mut Seal) -> Vec<Cells> {
        let digits = usize::from(self.side.key_digits);
        let (mut keys, mut requests, mut ids) =
            (Texts::default(), Texts::default(), Texts::default());
        let mut with_id = Vec::with_capacity(places.len());
        let (mut servers, mut tools, mut said) =
            (Numbers::default(), Numbers::default(), Numbers::default());
        for at in places {
            let entry = self.side.entries[*at];
            let push = |texts: &mut Texts, hex: String| {
                texts.push(hex.get(..digits).unwrap_or(&hex));
            };
            push(&mut keys, entry.key.to_string());
            push(&mut requests, entry.request.to_string());
            let [server, tool] = [entry.server, entry.tool].map(|name| self.side.names.get(name));
            let verdict = verdicts.get(entry.said as usize).map_or("", String::as_str);
            let shown = [entry.key, entry.request].map(|key| shortened(key, self.side.key_digits));
            seal.row(shown.into(), self.id(*at), [server, tool, verdict]);
            servers.push(server);
            tools.push(tool);
            said.push(verdict);
            ids.push(self.id(*at).unwrap_or_default());
            with_id.push(self.id(*at).is_some());
        }
        vec![
            Cells::Texts { texts: keys, present: None },
            Cells::Texts { texts: requests, present: None },
            servers.into_cells(),
            tools.into_cells(),
            Cells::Texts { texts: ids, present: Some(with_id) },
            said.into_cells(),
        ]
    }
}

/// A column of texts of which most occur often.
#[derive(Default)]
struct Numbers {
    distinct: Distinct,
    rows: Vec<u32>,
}

impl Numbers {
    fn push(&mut self, text: &str) {
        let number = self.distinct.index_of(text);
        self.rows.push(number);
    }

    fn into_cells(self) -> Cells {
        Cells::Distinct { texts: self.distinct.texts().clone(), rows: self.rows }
    }
}

/// Opens a baseline in this form and finds its header.
fn open(path: &Path) -> Result<(TableReader, String), Wrong> {
    let table = TableReader::open_file(path).map_err(damaged)?;
    let header = table.text(HEADER).ok_or(Wrong::NoHeader)?.to_owned();
    Ok((table, header))
}

fn damaged(error: ReportError) -> Wrong {
    match error {
        ReportError::Read { source, .. } => Wrong::Damaged(source.to_string()),
        error => Wrong::Damaged(error.to_string()),
    }
}

/// The header of a baseline in this form.
pub(super) fn header_text(path: &Path) -> Result<String, Wrong> {
    open(path).map(|(_, header)| header)
}

/// Reads a baseline in this form.
pub(super) fn read(path: &Path) -> Result<Baseline, Wrong> {
    let (mut table, header) = open(path)?;
    let told = read_header(&mut Lines::of_file(&header), &path.to_string_lossy())?;
    let seal = Seal::of_text(&header);
    let mut rows = Rows { gathered: Gathered::default(), known: HashMap::new(), told, seal };
    for group in 0..table.groups() {
        let mut columns = Vec::with_capacity(COLUMNS.len());
        for (name, ..) in COLUMNS {
            columns.push(table.texts(group, name).map_err(damaged)?);
        }
        let columns = <[TextColumn; COLUMNS.len()]>::try_from(columns);
        rows.add_group(&columns.map_err(|_| Wrong::NoHeader)?)
            .map_err(|what| Wrong::Damaged(format!("row group {}: {what}", group + 1)))?;
    }
    let Rows { gathered, told, seal, .. } = rows;
    told.check(gathered.len() as u64, gathered.all())?;
    seal.fits(told.digest.as_deref())?;
    let (side, ids) = gathered.finish(told.header, told.key_digits);
    Ok(Baseline::new(side, ids, Version::Second, 0).from(told.origin))
}

/// The rows so far.
struct Rows {
    gathered: Gathered,
    /// Verdicts by their texts.
    known: HashMap<String, u32>,
    told: Told,
    /// Over the header and the rows so far.
    seal: Seal,
}

impl Rows {
    fn add_group(&mut self, columns: &[TextColumn; COLUMNS.len()]) -> Result<(), String> {
        let [keys, requests, servers, tools, ids, verdicts] = columns;
        let said: Vec<u32> =
            verdicts.texts.iter().map(|text| self.verdict(text)).collect::<Result<_, _>>()?;
        let mut names = |column: &TextColumn| -> Vec<u32> {
            column.texts.iter().map(|name| self.gathered.name(name)).collect()
        };
        let (server_names, tool_names) = (names(servers), names(tools));
        let number = |numbers: &[u32], column: &TextColumn, row: usize| {
            let number = numbers.get(*column.rows.get(row)? as usize);
            number.copied()
        };
        let digits = self.told.key_digits;
        for row in 0..keys.rows.len() {
            let (Some(key), Some(request), Some(server), Some(tool), Some(said)) = (
                keys.get(row),
                requests.get(row),
                number(&server_names, servers, row),
                number(&tool_names, tools, row),
                number(&said, verdicts, row),
            ) else {
                return Err(format!("a cell of row {} is empty", row + 1));
            };
            let keys = (read_key(key, digits)?, read_key(request, digits)?);
            let texts =
                [servers, tools, verdicts].map(|column| column.get(row).unwrap_or_default());
            self.seal.row(keys, ids.get(row), texts);
            self.gathered.add(entry(keys, said, (server, tool)), ids.get(row), 1);
        }
        Ok(())
    }

    fn verdict(&mut self, text: &str) -> Result<u32, String> {
        if let Some(known) = self.known.get(text) {
            return Ok(*known);
        }
        let mut parts = text.split(BAR);
        let head = parts.next().unwrap_or_default();
        let parts: Vec<&str> = parts.collect();
        let number = self.gathered.verdict(read_verdict(head, &parts)?);
        self.known.insert(text.to_owned(), number);
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_was_edited_does_not_fit_the_digest() {
        let text = "tapecheck-baseline/2\nkey digits 12\n";
        let place = tempfile::tempdir().expect("a temporary folder");
        let path = place.path().join("guide.parquet");
        let (side, ids) = {
            let mut gathered = Gathered::default();
            let said = read_verdict("broken 0", &["no_reply"]).expect("a verdict");
            let said = gathered.verdict(said);
            let who = (gathered.name("s"), gathered.name("t"));
            let key = crate::tape::Key(7 << 96);
            gathered.add(entry((key, key), said, who), Some("1"), 1);
            let header = crate::compare::Header {
                name: String::new(),
                corpus_digest: "c".to_owned(),
                rulebook: crate::report::RulebookName {
                    name: "guide".to_owned(),
                    digest: "83".to_owned(),
                },
                checks: None,
                version: None,
                rejected_files: None,
                rejects: None,
                overall_confidence: None,
                seconds: None,
            };
            gathered.finish(header, 32)
        };
        let baseline = Baseline::new(side, ids, Version::NEWEST, 0);
        baseline.write_parquet(&path).expect("written");
        assert_eq!(read(&path).expect("a baseline").text(), baseline.text());
        baseline.write_sealed(&path, |_| Seal::of_text(text).digest()).expect("written");
        let wrong = read(&path).expect_err("it is another's digest");
        assert!(matches!(wrong, Wrong::Edited { .. }), "{wrong}");
    }
}
