//! One long table, to be filtered by its first column.

use super::super::night::{Page, Row};
use crate::count::tally::wilson;
use crate::store::{Cell, Column, ColumnKind, CsvFile, Presence};
use crate::view::escape::terminal as plain;

const COLUMNS: [(&str, ColumnKind, &str); 9] = [
    ("section", ColumnKind::Text, "What the row counts."),
    ("name", ColumnKind::Text, "The outcome, class, kind or type."),
    ("server", ColumnKind::Text, "The server."),
    ("tool", ColumnKind::Text, "The tool that was called."),
    ("count", ColumnKind::Int, "How many."),
    ("out_of", ColumnKind::Int, "Out of how many."),
    ("share", ColumnKind::Float, "The count divided by the total."),
    ("low", ColumnKind::Float, "Lower end of the share's 95 % Wilson interval."),
    ("high", ColumnKind::Float, "Upper end."),
];

fn columns() -> Vec<Column> {
    let column = |(name, kind, about): (&'static str, _, &'static str)| Column {
        name: name.into(),
        kind,
        presence: if name == "section" { Presence::Always } else { Presence::Sometimes },
        about: about.into(),
    };
    COLUMNS.into_iter().map(column).collect()
}

pub(super) fn csv(page: &Page) -> String {
    // Memory takes whatever is written, and the text that goes in is UTF-8.
    let bytes = written(page).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

fn written(page: &Page) -> std::io::Result<Vec<u8>> {
    let mut file = CsvFile::start(Vec::new(), columns())?;
    for (name, count) in &page.totals {
        file.push(&cells(
            "total",
            &Row { name: (*name).to_owned(), count: *count, ..Row::default() },
        ))?;
    }
    let changes = page.kinds();
    let sections: [(&str, &[Row]); 7] = [
        ("outcome", &page.outcomes),
        ("class", &page.classes),
        ("answer", &page.answers),
        ("error_kind", &page.error_kinds),
        ("server", &page.servers),
        ("tool", &page.tools),
        ("change", &changes),
    ];
    for (section, rows) in sections {
        for row in rows {
            file.push(&cells(section, row))?;
        }
    }
    for issue in &page.issue_types {
        let name = format!("{} {}", issue.severity, issue.kind);
        let row = Row { name, count: issue.count, out_of: issue.out_of, ..Row::default() };
        file.push(&cells("issue_type", &row))?;
        if issue.is_new == Some(true) {
            file.push(&cells("new_issue_type", &row))?;
        }
    }
    for alarm in &page.alarms {
        let name = Cell::from(plain(&alarm.sentence));
        let mut row = vec![Cell::from("alarm"), name];
        row.extend([Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty]);
        row.extend([Cell::Float(alarm.after), Cell::Empty, Cell::Empty]);
        file.push(&row)?;
    }
    file.finish()
}

fn cells<'a>(section: &'a str, row: &'a Row) -> Vec<Cell<'a>> {
    let text = |text: &'a str| if text.is_empty() { Cell::Empty } else { Cell::from(plain(text)) };
    let mut cells = vec![Cell::from(section), text(&row.name), text(&row.server), text(&row.tool)];
    cells.push(Cell::Int(row.count));
    if row.out_of == 0 {
        cells.extend([Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty]);
    } else {
        let interval = wilson(row.count, row.out_of);
        let share = row.count as f64 / row.out_of as f64;
        cells.push(Cell::Int(row.out_of));
        cells.extend([share, interval.low, interval.high].map(Cell::Float));
    }
    cells
}
