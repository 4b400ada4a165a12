//! Text for terminals: aligned tables, lines broken between words, nothing recorded that acts.

use super::cell::Value;
use super::{Align, Block, Cell, Field, Item, Line, Section, Style, Table, bar, escape};
use crate::verdict::cut;

/// What stands before a column.
const GAP: usize = 2;
/// How far tables, notes and lists stand in.
const INDENT: usize = 2;
/// The longest a name in a column may be.
const WIDEST: usize = 44;
/// A column of names is made no narrower than this.
const LEAST: usize = 14;
/// Names of fields that are longer do not push the values of the others to the right.
const LONGEST_FIELD: usize = 24;
const BAR: usize = 20;
/// Lines are no narrower than this.
const NARROWEST: usize = 60;

/// Sections as text whose lines have no more than so many characters.
pub(crate) fn text(sections: &[Section], width: usize) -> String {
    let mut page = Page { text: String::new(), width: width.max(NARROWEST) };
    for section in sections {
        page.section(section, 0);
    }
    page.text
}

/// A line as a terminal shows it.
pub(crate) fn line(line: &Line) -> String {
    let spans = line.0.iter().map(|span| {
        let text = escape::terminal(&span.text);
        match span.style {
            Style::Hit => format!("⟦{text}⟧"),
            Style::Quoted => format!("`{text}`"),
            _ => text,
        }
    });
    spans.collect()
}

struct Page {
    text: String,
    width: usize,
}

impl Page {
    fn section(&mut self, section: &Section, indent: usize) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        if !section.title.is_empty() {
            self.line(&section.title, indent, indent + INDENT);
        }
        self.blocks(&section.blocks, indent);
    }

    fn blocks(&mut self, blocks: &[Block], indent: usize) {
        let mut before: Option<&Block> = None;
        for block in blocks {
            match block {
                Block::Text(line) => self.line(line, indent, indent + INDENT),
                Block::Note(line) => self.line(line, indent + INDENT, indent + 2 * INDENT),
                Block::Fields(fields) => self.fields(fields, indent.max(INDENT)),
                Block::Items(items) => self.items(items, indent.max(INDENT)),
                Block::Table(table) => {
                    if matches!(before, Some(Block::Table(_) | Block::Note(_))) {
                        self.text.push('\n');
                    }
                    self.table(table, indent + INDENT);
                }
                Block::Section(section) => self.section(section, indent),
                Block::Beside(sections) => {
                    for section in sections {
                        self.section(section, indent);
                    }
                }
                Block::Fold { blocks, .. } => self.blocks(blocks, indent),
            }
            before = Some(block);
        }
    }

    fn fields(&mut self, fields: &[Field], indent: usize) {
        let names = fields.iter().map(|field| field.name.chars().count());
        let widest = names.filter(|name| *name <= LONGEST_FIELD).max().unwrap_or(0);
        for Field { name, value } in fields {
            let hanging = indent + widest + GAP;
            let padding = " ".repeat((widest + GAP).saturating_sub(name.chars().count()).max(1));
            let line = Line::from(format!("{name}{padding}")).join(value.clone());
            self.line(&line, indent, hanging);
        }
    }

    fn items(&mut self, items: &[Item], indent: usize) {
        for Item { line, below } in items {
            let line = Line::from("- ").join(line.clone());
            self.line(&line, indent, indent + INDENT);
            self.blocks(below, indent + INDENT);
        }
    }

    /// Appends a line, broken between words. What follows stands further in. A line with a command stays
    /// whole, since a broken command could not be copied.
    fn line(&mut self, content: &Line, indent: usize, hanging: usize) {
        let mut rest = format!("{}{}", " ".repeat(indent), line(content));
        let hanging = hanging.min(self.width / 2);
        while !content.has_command() {
            let Some((beyond, next)) = rest.char_indices().nth(self.width) else { break };
            let first = rest.len() - rest.trim_start().len();
            let gap = if next == ' ' { Some(beyond) } else { rest[..beyond].rfind(' ') };
            // A word that is longer than a line is broken where the line ends.
            let gap = gap.filter(|at| *at > first).unwrap_or(beyond);
            self.whole_line(rest[..gap].trim_end().to_owned());
            rest = format!("{}{}", " ".repeat(hanging), rest[gap..].trim_start());
        }
        self.whole_line(rest.trim_end().to_owned());
    }

    fn whole_line(&mut self, line: String) {
        self.text.push_str(&escape::log_line(line));
        self.text.push('\n');
    }

    /// Appends heading and rows. Columns for which a line has no room follow in a table of their own
    /// below, with what their rows are about.
    fn table(&mut self, table: &Table, indent: usize) {
        let heads = table.columns.iter().map(|column| line(&column.heading)).collect();
        let rows = table.rows.iter().map(|row| row.iter().map(cell).collect());
        let rows: Vec<Vec<String>> = std::iter::once(heads).chain(rows).collect();
        // The columns in which something stands, each as wide as the longest of it.
        let fitted = |at: usize| {
            let width = |row: &Vec<String>| row.get(at).map_or(0, |cell| cell.chars().count());
            let longest = rows[1..].iter().map(width).max().filter(|longest| *longest > 0)?;
            let most = if at < table.subjects { WIDEST } else { usize::MAX };
            Some(Fitted { at, width: longest.min(most).max(width(&rows[0])) })
        };
        let (mut subjects, others): (Vec<Fitted>, Vec<Fitted>) = (0..table.columns.len())
            .filter_map(fitted)
            .partition(|column| column.at < table.subjects);
        // The gap after the last column takes no room.
        let page = self.width.saturating_sub(indent).saturating_add(GAP);
        let room = page.saturating_sub(taken(&others));
        if taken(&subjects) > room {
            let fits = room >= (LEAST + GAP) * subjects.len();
            narrow(&mut subjects, if fits { room } else { page * 3 / 5 });
        }
        let room = page.saturating_sub(taken(&subjects));
        for (number, block) in blocks(&others, room).into_iter().enumerate() {
            if number > 0 {
                self.text.push('\n');
            }
            for row in &rows {
                let mut line = String::new();
                for Fitted { at, width } in subjects.iter().chain(block) {
                    let Some(cell) = row.get(*at) else { continue };
                    let cell = without_middle(cell, *width);
                    let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
                    match table.columns[*at].align {
                        Align::Left => line.extend([cell, padding]),
                        Align::Right => line.extend([padding, cell]),
                    }
                    line.push_str(&" ".repeat(GAP));
                }
                if !line.trim().is_empty() {
                    self.whole_line(format!("{}{}", " ".repeat(indent), line.trim_end()));
                }
            }
        }
    }
}

/// A column and how wide it is.
#[derive(Clone, Copy)]
struct Fitted {
    at: usize,
    width: usize,
}

fn cell(cell: &Cell) -> String {
    match cell.value {
        Value::Bar(share) => bar(share, BAR),
        _ => line(&cell.line()),
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

/// A name that is not too wide: the ends of tools of one server differ, and the beginnings of servers.
pub(super) fn without_middle(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most || most < 4 {
        return cut(text, most.max(1));
    }
    let after = (most - 1) * 3 / 5;
    let head = text.chars().take(most - 1 - after);
    head.chain(['…']).chain(text.chars().skip(length - after)).collect()
}
