//! Sections as parts of a page. A style sheet lays them out; whatever was recorded stays text.

use super::cell::Value;
use super::line::Span;
pub(crate) use super::markup::{Html, Tag, tag};
use super::{Align, Block, Cell, Field, Item, Line, Section, Style, Table, Tone};
use crate::count::tally::Interval;

/// A whole section of a page, to which links lead by its name.
pub(crate) fn section(id: &'static str, section: &Section) -> Tag {
    let title = format!("{id}-title");
    let heading = tag("h2").set("id", &title).put(line(&section.title));
    let part = tag("section").set("id", id).set("aria-labelledby", title).put(heading);
    part.all(section.blocks.iter().map(|one| block(one, section)))
}

/// What stands below a title that the page itself wrote.
pub(crate) fn blocks(section: &Section) -> Vec<Html> {
    section.blocks.iter().map(|one| block(one, section)).collect()
}

/// A section with a frame around it; without a title it stands where it stands.
fn card(section: &Section) -> Tag {
    if section.title.is_empty() {
        return tag("div").all(blocks(section));
    }
    let card = tag("div").class("card");
    let card = if section.id.is_empty() { card } else { card.set("id", &section.id) };
    card.put(tag("h3").put(line(&section.title))).all(blocks(section))
}

fn block(block: &Block, of: &Section) -> Html {
    match block {
        Block::Text(words) => paragraph(words).into(),
        Block::Note(words) => tag("p").class("note").put(line(words)).into(),
        Block::Fields(fields) => tag("dl").all(fields.iter().map(field)).into(),
        Block::Items(items) => {
            tag("ul").class("plain").all(items.iter().map(|one| item(one, of))).into()
        }
        Block::Table(rows) => scrolling(table(rows), &of.title.plain()),
        Block::Section(section) => card(section).into(),
        Block::Beside(sections) => {
            let parts = sections.iter().map(|section| {
                let is_column = section.title.is_empty() && holds_sections(section);
                let column = tag("div").class("column");
                if is_column { column.all(blocks(section)) } else { column.put(card(section)) }
            });
            tag("div").class("columns").all(parts).into()
        }
        Block::Fold { title, blocks } => {
            let summary = tag("summary").put(line(title));
            tag("details").put(summary).all(blocks.iter().map(|one| self::block(one, of))).into()
        }
    }
}

fn holds_sections(section: &Section) -> bool {
    section.blocks.iter().all(|block| matches!(block, Block::Section(_)))
}

/// What is to be copied stands for itself.
fn paragraph(words: &Line) -> Tag {
    match words.0.as_slice() {
        [Span { text, style: Style::Command, .. }] => {
            tag("pre").class("command").set("tabindex", "0").text(text)
        }
        _ => tag("p").put(line(words)),
    }
}

fn field(Field { name, value }: &Field) -> Tag {
    tag("div").put(tag("dt").text(name)).put(tag("dd").put(line(value)))
}

fn item(Item { line: words, below }: &Item, of: &Section) -> Tag {
    tag("li").put(line(words)).all(below.iter().map(|one| block(one, of)))
}

pub(crate) fn line(line: &Line) -> Html {
    let mut out = Html::default();
    for span in &line.0 {
        out.push(self::span(span));
    }
    out
}

fn span(Span { text, style, to }: &Span) -> Html {
    if !to.is_empty() {
        return tag("a").set("href", to).text(text).into();
    }
    match style {
        Style::Plain => Html::text(arrows(text)),
        Style::Recorded => Html::text(text),
        Style::Strong => tag("strong").text(text).into(),
        Style::Soft => tag("span").class("of").text(arrows(text)).into(),
        Style::Tag(Tone::Better) => tag("span").class("tag better").text(text).into(),
        Style::Tag(Tone::Worse) => tag("span").class("tag worse").text(text).into(),
        Style::Tag(Tone::Neutral) => tag("span").class("tag").text(text).into(),
        Style::Hit => tag("mark").text(text).into(),
        Style::Quoted | Style::Command => tag("code").text(text).into(),
        Style::Key => tag("a").set("href", format!("#exchange/{text}")).text(text).into(),
    }
}

/// Arrows as a page can have them.
fn arrows(text: &str) -> String {
    text.replace("->", "→")
}

/// A table that scrolls on its own where it is wider than the page.
pub(crate) fn scrolling(table: Tag, label: &str) -> Html {
    let label = if label.is_empty() { "Table" } else { label };
    let region = tag("div").class("scroll").set("role", "region").set("tabindex", "0");
    region.set("aria-label", label).put(table).into()
}

/// A table without the columns of which nothing is to be said.
fn table(table: &Table) -> Tag {
    let is_filled = |cell: &Cell| match &cell.value {
        Value::Empty | Value::Sparse(0) => false,
        Value::Text(line) => !line.is_empty(),
        _ => true,
    };
    let columns = (0..table.columns.len())
        .filter(|at| table.rows.iter().any(|row| row.get(*at).is_some_and(is_filled)));
    with_columns(table, &columns.collect::<Vec<_>>())
}

pub(crate) fn whole_table(table: &Table) -> Tag {
    with_columns(table, &(0..table.columns.len()).collect::<Vec<_>>())
}

fn with_columns(table: &Table, columns: &[usize]) -> Tag {
    let heads = columns.iter().map(|at| {
        let column = &table.columns[*at];
        let head = tag("th").set("scope", "col").set("class", style(column.align, None));
        let head = if column.key.is_empty() { head } else { head.set("data-sort", column.key) };
        head.put(line(&column.heading))
    });
    let rows = table.rows.iter().map(|row| {
        let cells = columns.iter().filter_map(|at| {
            let (cell, align) = (row.get(*at)?, table.columns[*at].align);
            let is_subject = *at < table.subjects;
            let data = || tag("td").set("class", style(align, cell.tone));
            let subject = || tag("th").set("scope", "row");
            Some(if is_subject { subject() } else { data() }.put(content(cell)))
        });
        tag("tr").all(cells)
    });
    let rows = tag("tbody").all(rows);
    tag("table").put(tag("thead").put(tag("tr").all(heads))).put(rows)
}

fn style(align: Align, tone: Option<Tone>) -> String {
    let align = if align == Align::Left { "left" } else { "right" };
    let tone = match tone {
        Some(Tone::Better) => " better",
        Some(Tone::Worse) => " worse",
        Some(Tone::Neutral) => " none",
        None => "",
    };
    format!("{align}{tone}")
}

fn content(cell: &Cell) -> Html {
    let mut out = Html::default();
    match (&cell.value, cell.interval) {
        (Value::Bar(share), None) => out.push(bar(*share)),
        (Value::Bar(share), Some(interval)) => out.push(whisker(*share, interval)),
        _ if cell.is_strong => out.push(tag("strong").put(line(&cell.line()))),
        _ => out.push(line(&cell.line())),
    }
    out
}

/// What is there can be seen, however small its share is.
fn bar(share: f64) -> Tag {
    let least = if share > 0.0 { 0.8 } else { 0.0 };
    let width = (share * 100.0).clamp(least, 100.0);
    let part =
        |class, width: String| tag("rect").class(class).set("width", width).set("height", "100%");
    let bar = tag("svg").class("bar").set("aria-hidden", "true");
    bar.put(part("track", "100%".to_owned())).put(part("k4", format!("{width:.2}%")))
}

/// A share and its interval on a line from 0 to 1.
fn whisker(value: f64, interval: Interval) -> Tag {
    let at = |share: f64| format!("{:.2}%", 1.0 + share.clamp(0.0, 1.0) * 98.0);
    let stroke = |class, from: f64, to: f64| {
        let stroke = tag("line").class(class).set("x1", at(from)).set("x2", at(to));
        stroke.set("y1", "50%").set("y2", "50%")
    };
    let dot = tag("circle").class("value").set("cx", at(value)).set("cy", "50%").set("r", "4");
    let whisker = tag("svg").class("whisker").set("aria-hidden", "true");
    whisker
        .put(stroke("axis", 0.0, 1.0))
        .put(stroke("interval", interval.low, interval.high))
        .put(dot)
}
