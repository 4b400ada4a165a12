//! What happened in a run, each part a section, for pages and for Markdown.

use super::about_run::not_judged;
use super::earlier::{Compared, place};
use super::lists::{Alarm, Page, Row};
use crate::compare::show::{durations, head_of, labels_of, shown_kinds};
use crate::compare::{Comparison, Kind};
use crate::verdict::{Outcome, Severity, Who, counted, cut, grouped};
use crate::view::{Block, Cell, Column, Field, Item, Line, Section, Style, Table, Tone, points};
use std::fmt::Write as _;

/// So many rows of a list are shown.
pub(super) const FEW: usize = 8;
/// So many groups of changes are shown, and so many characters of what became of each.
const CAUSES: usize = 3;
const LONGEST_HEAD: usize = 100;

/// What can be done where there was nothing to judge.
const STEPS: [&str; 2] = [
    "See whether the recorder wrote anything, and where: the run reads the named files and \
     folders and everything below them.",
    "A recording has a call and its reply on each line, as JSON; other formats are recognized by \
     their content. docs/recordings.md has a sample of each.",
];

/// The first screen of a page: what there was, what is new about it, and who is worst.
pub(super) fn first_screen(page: &Page) -> Section {
    let mut screen = Section::default();
    if page.is_empty() {
        screen.beside(vec![instead(page)]);
        return screen;
    }
    let news = [changed(page), lasting(page)];
    let is_news = news.iter().any(Option::is_some);
    let first = vec![outcomes(page), who_must_act(page)];
    let mut second: Vec<_> = news.into_iter().chain([servers(page)]).collect();
    let mut third = vec![issue_types(page), tools(page)];
    if !is_news {
        second.insert(0, third.remove(0));
    }
    let columns = [first, second, third].map(|parts| {
        let parts = parts.into_iter().flatten().map(Block::Section);
        Section { blocks: parts.collect(), ..Section::default() }
    });
    screen.beside(columns.into_iter().filter(|column| !column.blocks.is_empty()).collect());
    screen
}

/// Rows with their shares, each of which leads to its exchanges.
fn shares([what, of]: [&str; 2], filter: &str, rows: &[Row]) -> Table {
    let mut table = Table::headed([what], [of, "share", "change"]);
    for row in rows {
        let link = filtered(&[(filter, &row.name)]);
        let name = Cell::text(Line::link(row.name.replace('_', " "), link));
        // What is none is no news.
        let tone = (row.count == 0).then_some(Tone::Neutral);
        let share = row.share.map_or(Cell::empty(), |share| Cell::percent(share, 1));
        let moved = row.before.zip(row.share).and_then(|(before, now)| moved(before, now));
        table.push([
            name,
            Cell::count(row.count).toned(tone),
            share.toned(tone),
            moved.map_or(Cell::empty(), |moved| Cell::text(Line::default().then_soft(moved))),
        ]);
    }
    table
}

/// What became of the calls, and what that means; `None` where nothing was called.
pub(super) fn outcomes(page: &Page) -> Option<Section> {
    let rows = &page.lists.outcomes;
    let mut section = Section::new("Outcomes");
    section.table(shares(["outcome", "calls"], "outcome", rows));
    let why = page.run.summary.why_unknown();
    if !why.is_empty() {
        section.note(format!("unknown: {why}"));
    }
    let shown = Outcome::ALL.into_iter().rev();
    let shown = shown.filter(|outcome| rows.iter().any(|row| row.name == outcome.name()));
    let meanings =
        shown.map(|outcome| Field::new(outcome.name().replace('_', " "), outcome.sentence()));
    section.fold("What they mean", vec![Block::Fields(meanings.collect())]);
    rows.iter().any(|row| row.count > 0).then_some(section)
}

/// Who must act so that calls work that did not, and what kinds of error they are.
pub(super) fn who_must_act(page: &Page) -> Option<Section> {
    let (who, kinds) = (&page.lists.who, &page.lists.error_kinds);
    let mut section = Section::new("Who must act");
    section.table(shares(["who", "calls"], "who", who));
    section.table(shares(["kind", "calls"], "kind", few(kinds)));
    section.more(kinds.len(), FEW, "");
    let meanings = Who::ALL.map(|who| Field::new(who.name(), who.words()));
    section.fold("What they mean", vec![Block::Fields(meanings.into())]);
    who.iter().any(|row| row.count > 0).then_some(section)
}

fn few<T>(rows: &[T]) -> &[T] {
    &rows[..rows.len().min(FEW)]
}

/// Of a single server there is nothing to compare.
pub(super) fn servers(page: &Page) -> Option<Section> {
    let servers = &page.lists.servers;
    worst("Worst servers", "worst server", servers).filter(|_| servers.len() > 1)
}

pub(super) fn tools(page: &Page) -> Option<Section> {
    let mut section = worst("Worst tools", "worst tool", &page.lists.tools)?;
    section
        .note("In trouble: failed (with or without isError), invalid, or less than fully working.");
    Some(section)
}

fn worst(title: &str, what: &str, rows: &[Row]) -> Option<Section> {
    let heads = [Column::left(what), Column::right("in trouble"), Column::right("share")];
    let mut table = Table::new(heads.into_iter().chain([Column::left("")]));
    let in_trouble: Vec<&Row> = rows.iter().filter(|row| row.count > 0).collect();
    for row in few(&in_trouble) {
        let share = row.share.unwrap_or_default();
        table.push([
            Cell::text(called(&row.server, &row.tool, &[("trouble", "1")])),
            Cell::text(format!("{} of {}", grouped(row.count), grouped(row.out_of))),
            Cell::percent(share, 1),
            Cell::bar(share),
        ]);
    }
    let mut section = Section::new(title);
    section.table(table);
    section.more(in_trouble.len(), FEW, "");
    (!in_trouble.is_empty()).then_some(section)
}

/// A server or a tool, as a link to its exchanges.
pub(super) fn called(server: &str, tool: &str, more: &[(&str, &str)]) -> Line {
    let mut filters = vec![("server", server), ("tool", tool)];
    filters.retain(|(_, name)| !name.is_empty());
    filters.extend(more);
    match tool {
        "" => Line::link(server, filtered(&filters)),
        _ => Line::link(tool, filtered(&filters)).then_soft(format!(" of {server}")),
    }
}

pub(super) fn issue_types(page: &Page) -> Option<Section> {
    let types = &page.lists.issue_types;
    let (left, right) = (Column::left, Column::right);
    let columns = [left("issue type"), right("issues"), left("severity"), right("servers")];
    let mut table = Table::new(columns);
    for issue in few(types) {
        let link = filtered(&[("issue", &format!("{} {}", issue.severity, issue.kind))]);
        let mut name = Line::link(&*issue.kind, link);
        if issue.is_new == Some(true) {
            // What is new is no alarm where it is only said.
            let is_error = issue.severity == Severity::Error.name();
            let tone = if is_error { Tone::Worse } else { Tone::Neutral };
            name = name.then(" ").styled("new", Style::Tag(tone));
        }
        let servers = counted(issue.servers as u64, "server");
        let rest = [Cell::count(issue.count), Cell::text(&*issue.severity), Cell::text(servers)];
        table.push([Cell::text(name)].into_iter().chain(rest));
    }
    let mut section = Section::new("Issue types");
    section.table(table);
    let new = types.iter().skip(FEW).filter(|issue| issue.is_new == Some(true)).count();
    section.more(types.len(), FEW, &if new > 0 { format!("{new} new") } else { String::new() });
    if page.types_gone > 0 {
        section.note(format!("{} no longer found.", counted(page.types_gone as u64, "type")));
    }
    (!section.blocks.is_empty()).then_some(section)
}

/// What changed since what the run is held against, with the largest causes.
fn changed(page: &Page) -> Option<Section> {
    let against = page.against.as_ref()?;
    let mut section = Section::new("What changed");
    section.note(Line::from("since ").join(against.called()));
    match &against.comparison {
        Compared::Equal => section.text("Nothing: same calls, rulebook, checks and program."),
        Compared::Counts => section.text(
            Line::from("Too many calls to compare one by one; use ")
                .then_command("tapecheck show RUN --baseline BEFORE --format html")
                .then("."),
        ),
        Compared::Each(comparison) => {
            section.table(kinds(comparison));
            let slower = durations(&comparison.durations).into_iter().flat_map(|it| it.blocks);
            section.blocks.extend(slower);
            if let Some(words) = comparison.labels_words() {
                section.note(words);
            }
            let groups = comparison.groups.iter().take(CAUSES).map(|group| {
                let labels = labels_of(&group.by_labels);
                let labels = labels.map_or_else(String::new, |words| format!(", {words}"));
                let head = cut(&head_of(group), LONGEST_HEAD);
                let line = Line::link(head, format!("#{}", place(group)));
                Item::new(line.then_soft(labels))
            });
            section.items(groups.collect());
        }
    }
    Some(section)
}

fn kinds(comparison: &Comparison) -> Table {
    let shown = shown_kinds(comparison).filter(|(kind, _)| *kind != Kind::Same);
    let shown: Vec<(Kind, u64)> = shown.collect();
    let mut table = Table::new(shown.iter().map(|(kind, _)| Column::left(kind.words()))).about(0);
    table.push(shown.into_iter().map(|(kind, count)| {
        Cell::count(count).toned(if count > 0 { kind.tone() } else { Tone::Neutral })
    }));
    table
}

/// What became worse some nights ago and still is.
fn lasting(page: &Page) -> Option<Section> {
    let alarms = page.lists.alarms.iter();
    let worse: Vec<&Alarm> = alarms.filter(|alarm| alarm.worse == Some(true)).collect();
    let mut section = Section::new("Ongoing regressions");
    let item = |alarm: &&Alarm| {
        Item::new(Line::link(&*alarm.series, "#trends").then_soft(format!(" {}", alarm.sentence)))
    };
    section.items(worse.iter().take(CAUSES).map(item).collect());
    section.more(worse.len(), CAUSES, "");
    (!worse.is_empty()).then_some(section)
}

/// What there was instead of exchanges, and what to do.
pub(super) fn instead(page: &Page) -> Section {
    let mut found = not_judged(page);
    let other = page.run.manifest.comparable.counts.other_traffic;
    if other > 0 {
        let lines = counted(other, "line");
        found.push(format!("{lines}: messages without an answered call").into());
    }
    if found.is_empty() {
        found.push("no files".into());
    }
    found.extend(page.against.as_ref().map(|against| {
        let before = counted(against.outcomes.values().sum(), "call");
        Line::from(format!("{before} in ")).join(against.called())
    }));
    let mut section = Section::new("What was found");
    section.items(found.into_iter().map(Item::new).collect());
    section.text(Line::default().styled("What to do", Style::Strong));
    section.items(STEPS.map(Item::new).into());
    section.text(Line::command("tapecheck run FOLDER"));
    section
}

/// By how many points a share moved; `None` where it did not, as far as can be seen.
fn moved(before: f64, after: f64) -> Option<String> {
    let moved = points(before, after);
    (!matches!(&*moved, "+0.0" | "-0.0")).then(|| format!("{} pt", moved.replace('-', "−")))
}

/// The place of a page where exchanges are listed, filtered by this.
fn filtered(filters: &[(&str, &str)]) -> String {
    let mut place = "#exchanges".to_owned();
    for (at, (name, value)) in filters.iter().enumerate() {
        let _ = write!(place, "{}{name}=", if at == 0 { '?' } else { '&' });
        for byte in value.bytes() {
            if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
                place.push(char::from(byte));
            } else {
                let _ = write!(place, "%{byte:02X}");
            }
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_that_moved_by_less_than_is_shown_did_not_move() {
        assert_eq!(moved(0.5, 0.487).as_deref(), Some("−1.3 pt"));
        assert_eq!(moved(0.5, 0.500_1), None);
    }

    #[test]
    fn places_hold_any_name() {
        let place = filtered(&[("server", "a b&c=#\"é"), ("class", "broken")]);
        assert_eq!(place, "#exchanges?server=a%20b%26c%3D%23%22%C3%A9&class=broken");
    }
}
