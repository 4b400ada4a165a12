//! Baselines of large collections: a row per exchange, whole keys, and the header of the text.

use super::error::{BaselineError, Wrong};
use super::header::{Lines, Told, read as read_header};
use super::model::{Baseline, Gathered, Version, entry, verdict};
use super::read_text::read_key;
use super::verdict_text::{BAR, read as read_verdict};
use super::writing::write_file;
use crate::report::{Cells, Column, ColumnKind, Distinct, Encoder, Presence, Texts};
use polars::prelude::{DataFrame, ParquetReader, PolarsError, SerReader as _};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, BufWriter, Cursor};
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
    let ends = |name: &str| name.ends_with(".parquet") || name.ends_with(".parquet.new");
    bytes.starts_with(MAGIC) || path.to_str().is_some_and(ends)
}

impl Baseline {
    pub(super) fn write_parquet(&self, path: &Path) -> Result<(), BaselineError> {
        write_file(path, |file| {
            let encoder = Encoder::new(&columns()).map_err(io::Error::other)?;
            let mut out = encoder.start(BufWriter::new(file)).map_err(io::Error::other)?;
            let verdicts: Vec<String> = self.side.said.iter().map(verdict).collect();
            let places: Vec<usize> = (0..self.side.entries.len()).collect();
            for places in places.chunks(ROW_GROUP) {
                let group = encoder.encode(self.cells(places, &verdicts));
                out.append(&group.map_err(io::Error::other)?)?;
            }
            let header = self.header_text(self.side.key_digits);
            out.finish_with(&[(HEADER, &header)])?;
            Ok(())
        })
    }

    /// In the order of the columns.
    fn cells(&self, places: &[usize], verdicts: &[String]) -> Vec<Cells> {
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
            servers.push(self.side.names.get(entry.server));
            tools.push(self.side.names.get(entry.tool));
            said.push(verdicts.get(entry.said as usize).map_or("", String::as_str));
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

fn damaged(error: &PolarsError) -> Wrong {
    Wrong::Damaged(error.to_string())
}

fn open(bytes: Vec<u8>) -> Result<(ParquetReader<Cursor<Vec<u8>>>, String), Wrong> {
    if !bytes.starts_with(MAGIC) {
        return Err(Wrong::Damaged("it does not begin like a Parquet file".to_owned()));
    }
    let mut reader = ParquetReader::new(Cursor::new(bytes));
    let metadata = reader.get_metadata().map_err(|error| damaged(&error))?;
    let texts = metadata.key_value_metadata().iter().flatten();
    let header = texts.filter(|text| text.key == HEADER).find_map(|text| text.value.clone());
    Ok((reader, header.ok_or(Wrong::NoHeader)?))
}

/// The header of a baseline in this form.
pub(super) fn header_text(bytes: Vec<u8>) -> Result<String, Wrong> {
    open(bytes).map(|(_, header)| header)
}

/// Reads a baseline in this form; `name` is what to call it.
pub(super) fn read(bytes: Vec<u8>, name: &str) -> Result<Baseline, Wrong> {
    let (reader, header) = open(bytes)?;
    let told = read_header(&mut Lines::of_file(&header), name)?;
    let frame = reader.finish().map_err(|error| damaged(&error))?;
    read_rows(&frame, told)
}

fn read_rows(frame: &DataFrame, told: Told) -> Result<Baseline, Wrong> {
    let [keys, requests, servers, tools, ids, verdicts] = {
        let mut columns = Vec::with_capacity(COLUMNS.len());
        for (name, ..) in COLUMNS {
            let column = frame.column(name).and_then(|column| column.str());
            columns.push(column.map_err(|error| damaged(&error))?.iter());
        }
        <[_; COLUMNS.len()]>::try_from(columns).map_err(|_| Wrong::NoHeader)?
    };
    let mut gathered = Gathered::default();
    let mut known: HashMap<&str, u32> = HashMap::new();
    let rows = keys.zip(requests).zip(servers.zip(tools)).zip(ids.zip(verdicts));
    for (row, (((key, request), (server, tool)), (id, verdict))) in rows.enumerate() {
        let in_row = |what: String| Wrong::Damaged(format!("row {}: {what}", row + 1));
        let (Some(key), Some(request), Some(server), Some(tool), Some(verdict)) =
            (key, request, server, tool, verdict)
        else {
            return Err(in_row("a cell is empty".to_owned()));
        };
        let said = match known.get(verdict) {
            Some(said) => *said,
            None => {
                let mut parts = verdict.split(BAR);
                let head = parts.next().unwrap_or_default();
                let parts: Vec<&str> = parts.collect();
                let said = gathered.verdict(read_verdict(head, &parts).map_err(in_row)?);
                known.insert(verdict, said);
                said
            }
        };
        let digits = told.key_digits;
        let keys =
            (read_key(key, digits).map_err(in_row)?, read_key(request, digits).map_err(in_row)?);
        let who = (gathered.name(server), gathered.name(tool));
        gathered.add(entry(keys, said, who), id.map(Into::into), 1);
    }
    told.check(gathered.len() as u64, gathered.all())?;
    let (side, ids) = gathered.finish(told.header, told.key_digits);
    Ok(Baseline::new(side, ids, Version::Second, 0))
}
