//! The tables of `docs/columns.md` that say what columns and dimensions there are.

use super::table::{Column, Presence, Table};
use crate::count::{Dimension, DimensionSpec};
use std::fmt::Write as _;
use std::fs;

/// The head of the table of a table's columns.
const COLUMNS: &str = "| column | kind | empty? | meaning |\n|---|---|---|---|\n";

fn tables() -> impl Iterator<Item = Table> {
    let others = Table::OF_COMPARISONS.into_iter().chain(Table::OF_SWEEPS).chain(Table::OF_STATS);
    let others = others.chain(Table::OF_HISTORIES).chain(Table::OF_TRENDS);
    Table::ALL.into_iter().chain(others)
}

fn described(table: Table) -> String {
    let formats = table.formats().iter();
    let files: Vec<_> = formats.map(|format| format!("`{}`", table.file_name(*format))).collect();
    let (name, files, about) = (table.name(), files.join(" and "), table.about());
    let mut text = format!("## {name}\n\n{files}\n{about}\n\n{COLUMNS}");
    for Column { name, kind, presence, about } in table.columns() {
        let empty = if presence == Presence::Sometimes { "yes" } else { "" };
        let _ = writeln!(text, "| `{name}` | {} | {empty} | {about} |", kind.name());
    }
    text
}

fn dimensions() -> String {
    let mut text = String::from("| dimension | value | `n` |\n|---|---|---|\n");
    for dimension in Dimension::ALL {
        let (name, DimensionSpec { value, n, .. }) = (dimension.name(), dimension.spec());
        let _ = writeln!(text, "| `{name}` | {value} | {n} |");
    }
    text
}

/// Puts a part in its place: from its first line, or at the end, up to the end of its table.
fn put(part: &str, document: &mut String) {
    let head = part.lines().next().unwrap_or_default();
    let found = document.find(&format!("\n{head}\n"));
    let start = found.map_or(document.len(), |before| before + 1);
    let (mut in_table, mut end) = (false, start);
    for line in document[start..].split_inclusive('\n') {
        in_table |= line.starts_with('|');
        if in_table != line.starts_with('|') {
            break;
        }
        end += line.len();
    }
    document.replace_range(start..end, part);
}

#[test]
fn the_document_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/columns.md");
    let found = fs::read_to_string(path).expect("readable");
    let mut current = found.clone();
    tables().map(described).chain([dimensions()]).for_each(|part| put(&part, &mut current));
    assert_eq!(current.matches(COLUMNS).count(), tables().count(), "a part of no table");
    if std::env::var_os("TAPECHECK_WRITE_DOCS").is_some() {
        fs::write(path, current).expect("writable");
    } else {
        let advice = "run the tests with TAPECHECK_WRITE_DOCS=1 to write it";
        assert!(found == current, "docs/columns.md is out of date; {advice}");
    }
}

#[test]
fn every_column_is_named_once_and_explained() {
    for table in tables() {
        let columns = table.columns();
        for (place, column) in columns.iter().enumerate() {
            assert!(column.about.ends_with('.'), "{}", column.name);
            assert!(columns[..place].iter().all(|earlier| earlier.name != column.name));
        }
    }
}
