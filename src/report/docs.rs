//! The columns of all tables as a document.

use super::column::{Column, Presence};
use super::table::Table;
use std::fmt::Write as _;

/// `docs/columns.md`.
#[must_use]
pub fn columns_document() -> String {
    let mut text = String::from(INTRODUCTION);
    for table in Table::ALL {
        let files: Vec<_> = table
            .formats()
            .iter()
            .map(|format| format!("`{}`", table.file_name(*format)))
            .collect();
        let _ = write!(
            text,
            "\n## {}\n\n{}\n{}\n\n| column | kind | empty? | meaning |\n|---|---|---|---|\n",
            table.name(),
            files.join(" and "),
            table.about()
        );
        for column in &table.columns(&[]) {
            if table == Table::Verdicts && column.name == FACTS_BEFORE {
                text.push_str(FACTS);
            }
            push_row(column, &mut text);
        }
    }
    text
}

fn push_row(column: &Column, text: &mut String) {
    let empty = match column.presence {
        Presence::Always => "",
        Presence::Sometimes => "yes",
    };
    let Column { name, kind, about, .. } = column;
    let _ = writeln!(text, "| `{name}` | {} | {empty} | {about} |", kind.name());
}

const INTRODUCTION: &str = "# Columns

The tables of a run folder. Names and kinds are stable; a new version may add columns.

- `text` is UTF-8, `int` a signed 64-bit integer, `float` a 64-bit floating-point number printed with
  the fewest digits that read back as the same number.
- An empty cell is null in Parquet and nothing at all in CSV.
- In CSV, a text that a spreadsheet would run as a formula (it begins with `=`, `+`, `-`, `@`, a tab or
  a carriage return, perhaps after quotes) has an apostrophe in front. Parquet holds the text itself.
- The bytes depend on the tapes, the rulebook and the version, never on threads or on the order in
  which folders list their files.

This file is written from the column lists in the code, and a test holds it against them.
";

/// The column before which the facts stand.
const FACTS_BEFORE: &str = "hits";
const FACTS: &str = "| `fact_NAME` | bool | yes | One column per fact of the rulebook: whether it holds; empty where it was not looked at. |\n";

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_document_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/columns.md");
        if std::env::var_os("TAPECHECK_WRITE_DOCS").is_some() {
            fs::write(path, columns_document()).expect("writable");
        }
        let found = fs::read_to_string(path).unwrap_or_default();
        assert!(
            found == columns_document(),
            "docs/columns.md is out of date; run the tests with TAPECHECK_WRITE_DOCS=1 to write it"
        );
    }

    #[test]
    fn every_column_is_named_once_and_explained() {
        for table in Table::ALL {
            let columns = table.columns(&[]);
            for (place, column) in columns.iter().enumerate() {
                assert!(column.about.ends_with('.'), "{}", column.name);
                assert!(columns[..place].iter().all(|earlier| earlier.name != column.name));
            }
        }
    }
}
