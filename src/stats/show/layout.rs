//! Aligned columns for people.

use crate::accuracy::Share;
use crate::stats::{Estimate, Means};
use crate::tally::Interval;
use crate::verdict::{cut, harmless};
use std::fmt::Write as _;

/// The longest a text in a column may be.
const WIDEST: usize = 44;
/// A column of names is made no narrower than this.
const LEAST: usize = 22;
/// What stands before a column.
const GAP: usize = 2;
/// A page is no narrower than this.
const NARROWEST: usize = 60;

/// Where the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// Rows with a heading, aligned.
pub(super) struct Grid {
    columns: Vec<(&'static str, Align)>,
    /// So many columns tell what a row is about.
    subjects: usize,
    rows: Vec<Vec<String>>,
}

/// A column and how wide it is.
#[derive(Clone, Copy)]
struct Fitted {
    at: usize,
    width: usize,
}

impl Grid {
    /// A table whose first column tells what each row is about.
    pub(super) fn new(columns: &[(&'static str, Align)]) -> Self {
        Self { columns: columns.to_vec(), subjects: 1, rows: Vec::new() }
    }

    /// The same with so many columns that tell it.
    pub(super) fn about(self, subjects: usize) -> Self {
        Self { subjects, ..self }
    }

    pub(super) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Appends heading and rows, each line after two spaces. Columns for which a line has no room follow
    /// in a table of their own below, with what their rows are about.
    pub(super) fn write(&self, page: &mut Page) {
        let (mut subjects, others): (Vec<Fitted>, Vec<Fitted>) =
            self.fitted().into_iter().partition(|column| column.at < self.subjects);
        let room = page.width.saturating_sub(taken(&others));
        if taken(&subjects) > room {
            let fits = room >= (LEAST + GAP) * subjects.len();
            narrow(&mut subjects, if fits { room } else { page.width * 3 / 5 });
        }
        let room = page.width.saturating_sub(taken(&subjects));
        for (number, block) in blocks(&others, room).into_iter().enumerate() {
            if number > 0 {
                page.verbatim("");
            }
            let columns: Vec<Fitted> = subjects.iter().chain(block).copied().collect();
            let heads = self.columns.iter().map(|(head, _)| (*head).to_owned()).collect();
            for row in std::iter::once(&heads).chain(&self.rows) {
                page.verbatim(&self.line(row, &columns));
            }
        }
    }

    /// The columns in which something stands, each as wide as the longest of it.
    fn fitted(&self) -> Vec<Fitted> {
        let columns = (0..self.columns.len()).filter_map(|at| {
            let cells = || self.rows.iter().filter_map(move |row| row.get(at));
            let head = self.columns[at].0.chars().count();
            let longest = cells().map(|cell| cell.chars().count()).max();
            let is_told = self.rows.is_empty() || longest > Some(0);
            is_told.then(|| Fitted { at, width: longest.unwrap_or(0).max(head) })
        });
        columns.collect()
    }

    fn line(&self, row: &[String], columns: &[Fitted]) -> String {
        let mut line = String::from(" ");
        for Fitted { at, width } in columns {
            let Some(cell) = row.get(*at) else { continue };
            let cell = cut(cell, *width);
            let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
            let _ = match self.columns[*at].1 {
                Align::Left => write!(line, " {cell}{padding} "),
                Align::Right => write!(line, " {padding}{cell} "),
            };
        }
        line.trim_end().to_owned()
    }
}

/// What columns take of a line.
fn taken(columns: &[Fitted]) -> usize {
    columns.iter().map(|column| column.width + GAP).sum()
}

/// Makes the widest of some columns narrower until all of them have room, or no name could be read.
fn narrow(columns: &mut [Fitted], room: usize) {
    while taken(columns) > room {
        match columns.iter_mut().max_by_key(|column| column.width) {
            Some(widest) if widest.width > LEAST => widest.width -= 1,
            Some(_) | None => break,
        }
    }
}

/// Columns cut into stretches that have room beside what their rows are about.
fn blocks(columns: &[Fitted], room: usize) -> Vec<&[Fitted]> {
    let mut blocks = Vec::new();
    let mut rest = columns;
    loop {
        let fitting = (1..=rest.len()).rev().find(|count| taken(&rest[..*count]) <= room);
        let (block, others) = rest.split_at(fitting.unwrap_or(rest.len().min(1)));
        blocks.push(block);
        rest = others;
        if rest.is_empty() {
            return blocks;
        }
    }
}

/// A text whose lines have no more than so many characters.
pub(super) struct Page {
    text: String,
    /// Where the line that is being written begins.
    begin: usize,
    width: usize,
}

impl Page {
    pub(super) fn new(width: usize) -> Self {
        Self { text: String::new(), begin: 0, width: width.max(NARROWEST) }
    }

    pub(super) fn push_str(&mut self, text: &str) {
        for piece in text.split_inclusive('\n') {
            self.text.push_str(piece);
            if piece.ends_with('\n') {
                let line = self.text.split_off(self.begin);
                self.wrap(line.trim_end());
            }
        }
    }

    /// Appends a line as it is, however long: a command that is broken could not be copied.
    pub(super) fn verbatim(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.begin = self.text.len();
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Appends a line, broken between words; what follows stands below what its first words are about.
    fn wrap(&mut self, line: &str) {
        let indent = hanging(line).min(self.width / 2);
        let mut rest = line.to_owned();
        loop {
            let beyond = rest.char_indices().nth(self.width).map(|(at, _)| at);
            let first = rest.len() - rest.trim_start().len();
            let Some(beyond) = beyond else { break };
            // What is one long word is broken where the line ends.
            let gap = rest[..beyond].rfind(' ').filter(|at| *at > first).unwrap_or(beyond);
            let next = format!("{}{}", " ".repeat(indent), rest[gap..].trim_start());
            self.text.push_str(rest[..gap].trim_end());
            self.text.push('\n');
            rest = next;
        }
        self.verbatim(&rest);
    }
}

impl std::fmt::Write for Page {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

/// Where the lines begin that go on with one.
fn hanging(line: &str) -> usize {
    let said = line.trim_start();
    let indent = line.chars().count() - said.chars().count();
    match said.split_once("  ") {
        Some((word, about)) if indent > 0 && word.chars().count() < LEAST => {
            indent + said.chars().count() - about.trim_start().chars().count()
        }
        Some(_) | None => indent + 2,
    }
}

/// A recorded name, fit for a column.
pub(super) fn name(text: &str) -> String {
    let text = harmless(text);
    if text.is_empty() { "(none)".to_owned() } else { cut(&text, WIDEST) }
}

/// A share as a percentage; nothing of nothing.
pub(super) fn percent(share: Share) -> String {
    share.value().map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

/// A share with its interval.
pub(super) fn percent_within(share: Share) -> String {
    if share.of == 0 {
        return "–".to_owned();
    }
    let Interval { low, high } = share.interval();
    format!("{} ({}–{})", percent(share), end(low), end(high))
}

/// An end of an interval in percent, as short as it can be without seeming to leave the share out.
fn end(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

/// Three decimals.
pub(super) fn decimals(number: Option<f64>) -> String {
    number.map_or_else(|| "–".to_owned(), |number| format!("{number:.3}"))
}

/// A measure with its interval.
pub(super) fn estimate(estimate: Estimate) -> String {
    match estimate.interval {
        Some(Interval { low, high }) if estimate.value.is_some() => {
            let mark = match estimate.by {
                Means::Draws => "",
                Means::Wilson => "*",
            };
            format!("{} ({low:.3}–{high:.3}){mark}", decimals(estimate.value))
        }
        _ => decimals(estimate.value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_names_harmless() {
        let mut grid =
            Grid::new(&[("name", Align::Left), ("empty", Align::Right), ("n", Align::Right)]);
        grid.push(vec![name("a\u{1b}[31m"), String::new(), "7".to_owned()]);
        grid.push(vec![name(""), String::new(), "12".to_owned()]);
        let mut page = Page::new(80);
        grid.write(&mut page);
        let expected = "  name          n\n  a\\u{1b}[31m   7\n  (none)       12\n";
        assert_eq!(page.into_text(), expected);
    }

    #[test]
    fn what_has_no_room_in_a_line_stands_below() {
        let heads = ["name", "a number of something", "another one of it", "the last"];
        let columns: Vec<_> = heads.into_iter().map(|head| (head, Align::Right)).collect();
        let mut grid = Grid::new(&columns);
        let long = "a name that is longer than it ought to be";
        grid.push([long, "1", "2", "3"].map(str::to_owned).to_vec());
        let written = |width| {
            let mut page = Page::new(width);
            grid.write(&mut page);
            page.into_text()
        };
        let (narrow, wide) = (written(60), written(100));
        assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
        assert_eq!((narrow.lines().count(), wide.lines().count()), (8, 2), "{narrow}");
        assert!(
            narrow.contains("a name that is longer than it oug…") && wide.contains(long),
            "{narrow}{wide}"
        );
        assert!(heads.iter().all(|head| narrow.contains(head)), "{narrow}");
    }

    #[test]
    fn prose_is_broken_between_words_and_commands_are_not() {
        let mut page = Page::new(60);
        let _ = writeln!(page, "  text      {}", "many words ".repeat(10));
        let _ = writeln!(page, "{}", "x".repeat(70));
        page.verbatim(&"a command ".repeat(7));
        let text = page.into_text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1].find("many"), Some(12), "{text}");
        let lengths: Vec<usize> = lines[3..].iter().map(|line| line.len()).collect();
        assert_eq!(lengths, [60, 12, 70], "{text}");
        assert_eq!(text.matches("many words").count(), 10, "{text}");
    }

    #[test]
    fn shares_of_nothing_are_a_dash() {
        assert_eq!(percent_within(Share { hits: 0, of: 0 }), "–");
        assert_eq!(percent_within(Share { hits: 81, of: 263 }), "30.8 % (25.5–36.6)");
        let none = Estimate { value: None, interval: None, by: Means::Draws };
        assert_eq!(estimate(none), "–");
        let interval = Some(Interval { low: 0.25, high: 0.75 });
        let some = Estimate { value: Some(0.5), interval, by: Means::Draws };
        assert_eq!(estimate(some), "0.500 (0.250–0.750)");
        let other = Estimate { by: Means::Wilson, ..some };
        assert_eq!(estimate(other), "0.500 (0.250–0.750)*");
    }
}
