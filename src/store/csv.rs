//! CSV files that are safe to open in a spreadsheet.

use super::table::{Column, ColumnKind};
use crate::recording::{Key, Moment};
use crate::verdict::{is_printable, is_steering};
use hashbrown::HashMap;
use std::borrow::Cow;
use std::io::{self, Write};

/// One cell of a row that goes into a CSV file, a Parquet file or both.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    Empty,
    Text(Cow<'a, str>),
    Bool(bool),
    Int(u64),
    Float(f64),
    Key(Key),
    Time(Moment),
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<u64> for Cell<'_> {
    fn from(number: u64) -> Self {
        Self::Int(number)
    }
}

impl From<bool> for Cell<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for Cell<'_> {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(cell: Option<T>) -> Self {
        cell.map_or(Self::Empty, T::into)
    }
}

impl Cell<'_> {
    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(super) fn flag(&self) -> Option<bool> {
        if let Self::Bool(flag) = self { Some(*flag) } else { None }
    }

    pub(super) fn float(&self) -> Option<f64> {
        if let Self::Float(number) = self { Some(*number) } else { None }
    }

    pub(super) fn kind(&self) -> ColumnKind {
        match self {
            Self::Empty | Self::Text(_) => ColumnKind::Text,
            Self::Bool(_) => ColumnKind::Bool,
            Self::Int(_) => ColumnKind::Int,
            Self::Float(_) => ColumnKind::Float,
            Self::Key(_) => ColumnKind::Key,
            Self::Time(_) => ColumnKind::Time,
        }
    }

    pub(super) fn fits(&self, column: &Column) -> bool {
        match self {
            Self::Empty => column.may_be_empty,
            cell => cell.kind() == column.kind,
        }
    }
}

pub(super) struct CsvFile<W: Write> {
    out: csv::Writer<W>,
    /// Room in which numbers are written.
    number: String,
    /// Floats as they were printed: shares of small counts come again and again.
    floats: HashMap<u64, Box<str>>,
}

const MOST_FLOATS: usize = 1 << 12;

impl<W: Write> CsvFile<W> {
    /// Begins a file with a header of these columns.
    pub(super) fn start(out: W, columns: &[Column]) -> io::Result<Self> {
        let mut out = csv::Writer::from_writer(out);
        out.write_record(columns.iter().map(|column| column.name))?;
        Ok(Self { out, number: String::new(), floats: HashMap::new() })
    }

    /// Appends a row that was written before.
    pub(super) fn copy(&mut self, row: &csv::ByteRecord) -> io::Result<()> {
        Ok(self.out.write_byte_record(row)?)
    }

    /// Appends a row, whose cells stand in the order of the columns.
    pub(super) fn push(&mut self, row: &[Cell<'_>]) -> io::Result<()> {
        use std::fmt::Write as _;
        for cell in row {
            self.number.clear();
            let number = &mut self.number;
            let _ = match cell {
                Cell::Text(text) => {
                    self.out.write_field(&*spelled_out(harmless(text)))?;
                    continue;
                }
                Cell::Empty => Ok(()),
                Cell::Bool(value) => write!(number, "{value}"),
                Cell::Int(int) => write!(number, "{int}"),
                Cell::Float(float) => {
                    if self.floats.len() >= MOST_FLOATS {
                        self.floats.clear();
                    }
                    // The shortest digits that read back as the same number.
                    let print = || ryu_js::Buffer::new().format(*float).into();
                    self.out
                        .write_field(&**self.floats.entry(float.to_bits()).or_insert_with(print))?;
                    continue;
                }
                Cell::Key(key) => write!(number, "{key}"),
                Cell::Time(moment) => number.write_str(&moment.rfc3339()),
            };
            self.out.write_field(&self.number)?;
        }
        Ok(self.out.write_record(None::<&[u8]>)?)
    }

    pub(super) fn finish(self) -> io::Result<W> {
        self.out.into_inner().map_err(csv::IntoInnerError::into_error)
    }
}

/// The text, with characters spelled out that would act on a terminal which shows the file.
fn spelled_out(text: Cow<'_, str>) -> Cow<'_, str> {
    let acts = |at: usize, character| match character {
        '\n' | '\t' => false,
        '\r' => !text[at..].starts_with("\r\n"),
        _ => is_steering(character),
    };
    if is_printable(&text) || !text.char_indices().any(|(at, character)| acts(at, character)) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 8);
    for (at, character) in text.char_indices() {
        if acts(at, character) {
            out.extend(character.escape_unicode());
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// The text, with an apostrophe in front where a spreadsheet would run it as a formula.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if text.as_bytes().first().is_none_or(u8::is_ascii_alphanumeric) {
        return Cow::Borrowed(text);
    }
    let first = text.trim_start_matches(['"', '\'']).chars().next();
    match first {
        Some('=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠') => {
            Cow::Owned(format!("'{text}"))
        }
        Some(_) | None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Table;
    use super::*;

    #[test]
    fn formulas_become_text() {
        for dangerous in
            ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\n=1", "＝1+1", "\"=1", "'\"@x"]
        {
            assert_eq!(harmless(dangerous), format!("'{dangerous}"));
        }
        for plain in ["", "a=b", "\"", "get_user", " =1", "1-2"] {
            assert_eq!(harmless(plain), plain);
        }
    }

    #[test]
    fn nothing_acts_on_a_terminal_that_shows_the_file() {
        let text = |text: &str| spelled_out(Cow::Borrowed(text)).into_owned();
        assert_eq!(text("a\u{1b}[31mb\u{202e}\u{7}"), "a\\u{1b}[31mb\\u{202e}\\u{7}");
        assert_eq!(text("good\rbad"), "good\\u{d}bad");
        assert_eq!(text("two\nlines\tand\r\né"), "two\nlines\tand\r\né");
        let mut file = CsvFile::start(Vec::new(), Table::Unreadable.columns()).expect("in memory");
        let esc = "\u{1b}]0;title\u{7}";
        let row = [esc.into(), Cell::Empty, Cell::Empty, esc.into(), esc.into(), esc.into()];
        file.push(&row).expect("in memory");
        let written = file.finish().expect("in memory");
        assert!(!written.contains(&0x1b) && !written.contains(&7));
    }

    #[test]
    fn numbers_stay_numbers_and_empty_cells_stay_empty() {
        let mut file = CsvFile::start(Vec::new(), Table::Unreadable.columns()).expect("in memory");
        let row = [
            "=a.jsonl".into(),
            7_u64.into(),
            Cell::Empty,
            "not_json".into(),
            "x,\"y\"".into(),
            Cell::Empty,
        ];
        file.push(&row).expect("in memory");
        let text = String::from_utf8(file.finish().expect("in memory")).expect("UTF-8");
        assert_eq!(
            text,
            "file,line,byte,reason,detail,head\n'=a.jsonl,7,,not_json,\"x,\"\"y\"\"\",\n"
        );
    }
}
