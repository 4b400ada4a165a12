//! Markdown, safe whatever was recorded.

use super::cell::Value;
use super::{Align, Block, Cell, Line, Section, Style, Table, escape};
use crate::verdict::cut;
use std::fmt::Write as _;

/// So many characters of one recorded text are shown.
const LONGEST: usize = 240;

/// A document of no more than so many bytes.
pub(crate) struct Document {
    text: String,
    most_bytes: usize,
}

impl Document {
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self { text: String::new(), most_bytes }
    }

    /// Appends a section, titled at `level`, if `keep` bytes stay free after; says whether it did.
    pub(crate) fn push(&mut self, section: &Section, level: usize, keep: usize) -> bool {
        let text = markdown(section, level);
        let gap = usize::from(!self.text.is_empty());
        if self.text.len() + gap + text.len() + keep > self.most_bytes {
            return false;
        }
        if gap > 0 {
            self.text.push('\n');
        }
        self.text += &text;
        true
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

/// A section, its title as a heading of this level.
pub(crate) fn markdown(section: &Section, level: usize) -> String {
    let mut out = String::new();
    if !section.title.is_empty() {
        // All of a heading is strong.
        let title = section.title.clone().without_weight();
        let _ = writeln!(out, "{} {}\n", "#".repeat(level), line(&title));
    }
    blocks(&mut out, &section.blocks, "", level);
    out
}

pub(crate) fn line(line: &Line) -> String {
    let mut out = String::new();
    let mut within_code = false;
    for span in &line.0 {
        let is_code =
            !matches!(span.style, Style::Plain | Style::Strong | Style::Soft | Style::Tag(_));
        if is_code != within_code {
            out += if is_code { "<code>" } else { "</code>" };
            within_code = is_code;
        }
        let _ = match span.style {
            Style::Plain | Style::Soft => write!(out, "{}", escape::markdown(&span.text)),
            Style::Strong | Style::Tag(_) => write!(out, "**{}**", escape::markdown(&span.text)),
            Style::Recorded | Style::Key | Style::Quoted | Style::Command => {
                write!(out, "{}", escape::markdown(&cut(&span.text, LONGEST)))
            }
            Style::Hit => write!(out, "<b>{}</b>", escape::markdown(&span.text)),
        };
    }
    if within_code {
        out += "</code>";
    }
    out
}

fn blocks(out: &mut String, blocks: &[Block], indent: &str, level: usize) {
    let mut before: Option<&Block> = None;
    for block in blocks {
        let is_list = |block: &Block| matches!(block, Block::Items(_) | Block::Fields(_));
        let goes_on =
            indent.is_empty() && before.is_some_and(|it| !(is_list(it) && is_list(block)));
        if goes_on {
            out.push('\n');
        }
        match block {
            Block::Text(words) | Block::Note(words) => {
                let dash = if indent.is_empty() { "" } else { "- " };
                let _ = writeln!(out, "{indent}{dash}{}", line(words));
            }
            Block::Fields(fields) => {
                for field in fields {
                    let name = escape::markdown(&field.name);
                    let _ = writeln!(out, "{indent}- {name}: {}", line(&field.value));
                }
            }
            Block::Items(items) => {
                for item in items {
                    let _ = writeln!(out, "{indent}- {}", line(&item.line));
                    self::blocks(out, &item.below, &format!("{indent}  "), level);
                }
            }
            Block::Table(rows) => table(out, rows),
            Block::Section(section) => *out += &markdown(section, level + 1),
            Block::Beside(sections) => {
                let sections = sections.iter().map(|section| markdown(section, level + 1));
                *out += &sections.collect::<Vec<_>>().join("\n");
            }
            Block::Fold { blocks, .. } => self::blocks(out, blocks, indent, level),
        }
        before = Some(block);
    }
}

fn table(out: &mut String, table: &Table) {
    let is_drawn = |row: &Vec<Cell>, at: usize| {
        row.get(at).is_some_and(|cell| !matches!(cell.value, Value::Empty | Value::Bar(_)))
    };
    let is_filled = |at: &usize| table.rows.iter().any(|row| is_drawn(row, *at));
    let columns: Vec<usize> = (0..table.columns.len()).filter(is_filled).collect();
    let heads: Vec<String> = columns.iter().map(|at| line(&table.columns[*at].heading)).collect();
    let rules = columns.iter().map(|at| match table.columns[*at].align {
        Align::Left => "---|",
        Align::Right => "--:|",
    });
    let _ = writeln!(out, "| {} |\n|{}", heads.join(" | "), rules.collect::<String>());
    for row in &table.rows {
        let cells = columns.iter().map(|at| row.get(*at).map(cell).unwrap_or_default());
        let _ = writeln!(out, "| {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}

fn cell(cell: &Cell) -> String {
    let shown = line(&cell.line());
    if cell.is_strong && !shown.is_empty() { format!("**{shown}**") } else { shown }
}
