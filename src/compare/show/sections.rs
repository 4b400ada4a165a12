//! A comparison as people read it.

use super::marked::{Window, pieces, texts, window};
use super::words::{
    differences, durations_words, headline, kinds, moved, moved_rates, overlap_words, short, size,
    unreadable_files_words, why,
};
use crate::compare::{
    Cause, Comparison, DurationChange, Example, Excerpt, Flip, Group, Header, Matrix, RateChange,
    Side, Timed,
};
use crate::count::milliseconds_words;
use crate::count::tally::Interval;
use crate::verdict::{Outcome, counted, cut, harmless};
use crate::view::markdown::Document;
use crate::view::{Block, Cell, Column, Field, Item, Line, Section, Style, Table, Tone};
use std::cmp::Ordering;

/// So many characters of a recorded name are shown.
const NAME: usize = 80;
/// So many characters of a line about an exchange are shown.
const LINE: usize = 240;
/// So many shares are shown.
const RATES: usize = 16;
/// What a comment may have; hosts take a little more.
pub const MOST_BYTES: usize = 60_000;
/// Kept free for what is said about the rest.
const CLOSING: usize = 1_000;

/// So many groups are shown. `command` is what gave the comparison, to say how to see more.
pub(crate) fn sections(comparison: &Comparison, groups: usize, command: &str) -> Vec<Section> {
    let mut all = head(comparison);
    if !has_groups(comparison) {
        return all;
    }
    all.extend(comparison.groups.iter().take(groups).map(group));
    let mut closing = Section::default();
    let rest = comparison.groups.get(groups..).unwrap_or_default();
    if !rest.is_empty() {
        let more = Line::from(format!("… and {}: ", groups_with_exchanges(rest)));
        closing.text(more.then_command(format!("{command} --top {}", comparison.groups.len())));
    }
    closing.text(all_of_a_group(command));
    all.push(closing);
    all
}

/// The comparison within so many bytes, for a comment on a pull request. What does not fit is counted.
pub fn as_markdown(comparison: &Comparison, most_bytes: usize, command: &str) -> String {
    let mut document = Document::new(most_bytes);
    let mut head = head(comparison);
    if let Some(first) = head.first_mut() {
        first.title = Line::from("tapecheck: ").join(std::mem::take(&mut first.title));
    }
    for section in &head {
        document.push(section, 3, CLOSING);
    }
    if !has_groups(comparison) {
        return document.into_text();
    }
    // Examples may fill two thirds of the room; what is left is for naming as many groups as possible.
    let (mut bare, mut shown) = (0, 0);
    for one in &comparison.groups {
        let mut section = group(one);
        if !document.push(&section, 4, most_bytes / 3 + CLOSING) {
            section.blocks.retain(|block| !matches!(block, Block::Fold { .. }));
            if !document.push(&section, 4, CLOSING) {
                break;
            }
            bare += 1;
        }
        shown += 1;
    }
    let mut left_out = Vec::new();
    if bare > 0 {
        left_out.push(format!("the examples of {}", counted(bare, "group")));
    }
    if let Some(rest) = comparison.groups.get(shown..).filter(|rest| !rest.is_empty()) {
        left_out.push(groups_with_exchanges(rest));
    }
    let mut closing = Section::default();
    if !left_out.is_empty() {
        closing.text(format!("Omitted for space: {}.", left_out.join(", and ")));
    }
    closing.text(all_of_a_group(command));
    document.push(&closing, 4, 0);
    document.into_text()
}

fn has_groups(comparison: &Comparison) -> bool {
    comparison.overlap.both() > 0 && !comparison.groups.is_empty()
}

fn groups_with_exchanges(groups: &[Group]) -> String {
    let exchanges = groups.iter().map(|group| group.exchanges).sum();
    let groups = counted(groups.len() as u64, "group");
    format!("{groups} with {}", counted(exchanges, "call"))
}

fn all_of_a_group(command: &str) -> Line {
    Line::from("all calls of a group: ").then_command(format!("{command} --filter ID"))
}

fn head(comparison: &Comparison) -> Vec<Section> {
    let mut section = Section::new(kinds(comparison).join(" · "));
    let mut fields = Vec::new();
    for (word, header) in [("before", &comparison.before), ("after", &comparison.after)] {
        fields.push(Field::new(word, side(header)));
        let rejected = unreadable_files_words(header);
        fields.extend(rejected.map(|words| Field::new("", Line::recorded(words))));
    }
    let differences = differences(&comparison.before, &comparison.after);
    if !differences.is_empty() {
        fields.push(Field::new("differ", Line::recorded(differences.join("; "))));
    }
    fields.push(Field::new("overlap", overlap_words(&comparison.overlap)));
    let paces = durations_words(&comparison.durations);
    fields.extend(paces.map(|words| Field::new("durations", words)));
    fields.extend(comparison.labels_words().map(|words| Field::new("labels", words)));
    section.fields(fields);
    let mut all = vec![section];
    all.extend(durations(&comparison.durations));
    if !has_groups(comparison) {
        return all;
    }
    all.push(matrix(&comparison.outcomes));
    all.extend(rates(&comparison.rates));
    all
}

fn side(header: &Header) -> Line {
    let Header { name, corpus_digest, rulebook, version, .. } = header;
    let line = Line::recorded(cut(name, NAME))
        .then(" · rulebook ")
        .then_recorded(cut(&rulebook.name, NAME))
        .then(format!(" {} · recordings {}", short(&rulebook.digest), short(corpus_digest)));
    match version {
        Some(version) => line.then(" · tapecheck ").then_recorded(cut(version, NAME)),
        None => line,
    }
}

/// Rows are outcomes before, columns outcomes after, best first; those that do not occur are left out.
fn matrix(matrix: &Matrix<Outcome>) -> Section {
    let (rows, columns) = matrix.values();
    let heads = columns.iter().rev();
    let heads = heads.map(|column| Column::right(format!("-> {}", column.name())));
    let mut table = Table::new([Column::left("before")].into_iter().chain(heads));
    for row in rows.into_iter().rev() {
        let count = |column: &Outcome| {
            let count = matrix.get(row, *column);
            let tone = match column.cmp(&row) {
                _ if count == 0 || !row.tells() || !column.tells() => None,
                Ordering::Equal => None,
                Ordering::Less => Some(Tone::Worse),
                Ordering::Greater => Some(Tone::Better),
            };
            Cell::sparse(count).strong(row != *column).toned(tone)
        };
        table.push([Cell::text(row.name())].into_iter().chain(columns.iter().rev().map(count)));
    }
    let mut section = Section::default();
    section.table(table);
    section
}

fn rates(rates: &[RateChange]) -> Option<Section> {
    let moved = moved_rates(rates);
    let mut table = Table::headed(["share"], ["before", "after"]);
    table.columns.extend(["change in points, 95 %", "p"].map(Column::left));
    for (rate, is_noise) in moved.iter().take(RATES) {
        let [before, after] = rate.shares();
        let [low, high] = rate.interval.map(|end| end * 100.0);
        let points = Cell::difference((after - before) * 100.0, 2);
        table.push([
            Cell::text(&*rate.name),
            Cell::percent(before, 2),
            Cell::percent(after, 2),
            points.within(Interval { low, high }),
            Cell::p(rate.p).signed(if *is_noise { ", noise" } else { "" }),
        ]);
    }
    let mut section = Section::default();
    section.table(table);
    section.more(moved.len(), RATES, "");
    (!moved.is_empty()).then_some(section)
}

/// Which servers and tools became slower or faster, the surest first.
pub(crate) fn durations(changes: &[DurationChange]) -> Option<Section> {
    let mut found: Vec<(f64, &DurationChange)> = changes
        .iter()
        .filter_map(|change| Some((change.slower.or(change.faster)?, change)))
        .collect();
    found.sort_by(|one, other| one.0.total_cmp(&other.0));
    let heads = ["calls", "p50 before", "after", "p95 before", "after"];
    let mut table = Table::headed(["durations", "server / tool"], heads);
    table.columns.push(Column::left("p"));
    for (p, change) in found.iter().take(RATES) {
        let (word, tone) = match change.slower {
            Some(_) => ("slower", Tone::Worse),
            None => ("faster", Tone::Better),
        };
        let Timed { server, tool } = &change.of;
        let name = match tool {
            Some(tool) => format!("{} / {}", cut(server, NAME), cut(tool, NAME)),
            None => cut(server, NAME),
        };
        let [before, after] = change.took;
        let mut row =
            vec![Cell::text(word).toned(Some(tone)), Cell::name(&name), Cell::count(after.timed)];
        let took = [before.p50_ms, after.p50_ms, before.p95_ms, after.p95_ms];
        row.extend(took.map(|milliseconds| Cell::text(milliseconds_words(milliseconds))));
        row.push(Cell::p(*p));
        table.push(row);
    }
    let mut section = Section::default();
    section.table(table);
    (!found.is_empty()).then_some(section)
}

fn group(group: &Group) -> Section {
    let title = Line::default().styled(group.kind.words(), Style::Tag(group.kind.tone()));
    let title = title.then(format!(" {}: ", group.id)).then_recorded(head_of(group));
    let mut section = Section { id: format!("group-{}", group.id), ..Section::new(title) };
    section.text(Line::recorded(cut(&why(group), LINE)));
    section.text(size(group).join(" · "));
    let causes = &group.explanation.causes;
    let examples: Vec<Item> = group.examples.iter().map(|shown| example(shown, causes)).collect();
    if !examples.is_empty() {
        let title = counted(examples.len() as u64, "example");
        section.fold(title, vec![Block::Items(examples)]);
    }
    section
}

/// What became of a group, with its first reply that says something.
pub(crate) fn head_of(group: &Group) -> String {
    let examples = group.examples.iter().map(|Example { server, tool, excerpts, .. }| {
        (&**server, &**tool, excerpts[1].as_ref().map(|after| after.text.clone()))
    });
    headline(examples, (group.tools, group.exchanges), &moved(group.from, group.to))
}

fn example(example: &Example, causes: &[Cause]) -> Item {
    let Example { flip: _, key, server, tool, file, line, by_label, lines, excerpts: _ } = example;
    let mut who = Line::recorded(format!("{} / {}", cut(server, NAME), cut(tool, NAME)));
    if *line > 0 {
        who = who.then(" · ").then_recorded(format!("{}:{line}", cut(file, NAME)));
    }
    who = who.then(" · ").styled(key.to_string(), Style::Key);
    if let Some(by_label) = by_label {
        who = who.then(format!(" · {}", by_label.words()));
    }
    let mut item = Item::new(who);
    let lines = ["before", "after"].iter().zip(lines);
    let fields = lines.map(|(word, line)| Field::new(*word, Line::recorded(cut(line, LINE))));
    let mut fields: Vec<Field> = fields.collect();
    let texts = texts(example, causes).into_iter();
    fields.extend(texts.map(|(word, shown)| Field::new(word, excerpt(&shown))));
    item.below.push(Block::Fields(fields));
    item
}

/// A text in which hits are marked.
fn excerpt(excerpt: &Excerpt) -> Line {
    let pieces = pieces(excerpt);
    let Window { pieces, cut_before, cut_after } = window(&pieces, LINE);
    let [before, after] = [cut_before, cut_after].map(|is_cut| if is_cut { "…" } else { "" });
    let mut line = Line::recorded(before);
    for piece in pieces {
        let style = if piece.marked { Style::Hit } else { Style::Recorded };
        line = line.styled(piece.text, style);
    }
    line.then_recorded(after)
}

/// An exchange that changed, as one line: where it stands, who answered, its key, what became of it.
pub fn flip_line([before, after]: [&Side; 2], flip: &Flip) -> String {
    let judgement = |side: &Side, at: Option<u32>| {
        at.map(|at| side.verdict(side.entries[at as usize].verdict).judgement())
    };
    let (from, to) = (judgement(before, flip.before), judgement(after, flip.after));
    let (side, at) = match (flip.after, flip.before) {
        (Some(at), _) => (after, at),
        (None, Some(at)) => (before, at),
        (None, None) => return String::new(),
    };
    let entry = &side.entries[at as usize];
    let name = |number: u32| cut(&harmless(side.names.get(number)), NAME);
    let became = match (from, to) {
        (Some(from), Some(to)) => super::transition(from, to),
        _ => flip.kind.words().to_owned(),
    };
    let by_label = flip.by_label.map_or_else(String::new, |it| format!("  {}", it.words()));
    format!(
        "{}:{}  {}  {} / {}  {became}{by_label}",
        name(entry.file),
        entry.line,
        entry.key,
        name(entry.server),
        name(entry.tool),
    )
}
