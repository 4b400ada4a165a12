//! Aligned columns for people.

use crate::accuracy::Share;
use crate::stats::{Estimate, Means};
use crate::tally::Interval;
use crate::verdict::{cut, harmless};
use std::fmt::Write as _;

/// The longest a text in a column may be.
const WIDEST: usize = 44;

/// Where the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// Rows with a heading, aligned.
pub(super) struct Grid {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    pub(super) fn new(columns: &[(&'static str, Align)]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    pub(super) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Appends heading and rows, each line after two spaces.
    pub(super) fn write(&self, out: &mut String) {
        let heads: Vec<String> = self.columns.iter().map(|(head, _)| (*head).to_owned()).collect();
        let width = |at: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(at));
            cells.chain([&heads[at]]).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        // A column in which nothing stands says nothing but its name.
        let is_told = |at: usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(at));
            self.rows.is_empty() || cells.any(|cell| !cell.is_empty())
        };
        let widths: Vec<Option<usize>> =
            (0..self.columns.len()).map(|at| is_told(at).then(|| width(at))).collect();
        for row in std::iter::once(&heads).chain(&self.rows) {
            let mut line = String::from(" ");
            for ((cell, (_, align)), width) in row.iter().zip(&self.columns).zip(&widths) {
                let Some(width) = width else { continue };
                let padding = " ".repeat(width - cell.chars().count());
                let _ = match align {
                    Align::Left => write!(line, " {cell}{padding} "),
                    Align::Right => write!(line, " {padding}{cell} "),
                };
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
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
        let mut out = String::new();
        grid.write(&mut out);
        assert_eq!(out, "  name          n\n  a\\u{1b}[31m   7\n  (none)       12\n");
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
