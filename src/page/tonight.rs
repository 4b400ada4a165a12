//! What happened in a night, each part a section, for pages and for Markdown.

use super::changes;
use super::earlier::Compared;
use super::headline::{STEPS, found_instead};
use super::night::{Alarm, IssueTypeRow, Page, Row};
use super::words::{filtered, moved};
use crate::compare::show::{durations, head_of, labels_of};
use crate::compare::{Comparison, Kind};
use crate::count::tally::Share;
use crate::count::{Took, milliseconds_words};
use crate::verdict::{Outcome, Severity, counted, cut, grouped};
use crate::view::{Block, Cell, Column, Field, Item, Line, Section, Style, Table, Tone};

/// So many rows of a list are shown.
pub(super) const FEW: usize = 8;
/// So many groups of changes are shown, and so many characters of what became of each.
const CAUSES: usize = 3;
const LONGEST_HEAD: usize = 100;

/// The first screen of a page: what there was, what is new about it, and who is worst.
pub(super) fn first_screen(page: &Page) -> Section {
    let mut screen = Section::default();
    if page.total("exchanges") == 0 {
        screen.beside(vec![instead(page)]);
        return screen;
    }
    let first = vec![outcomes(page), Some(classes(page)), servers(page)];
    let mut second = vec![changed(page), lasting(page)];
    let mut third = vec![issue_types(page), tools(page)];
    let is_news = second.iter().any(Option::is_some);
    second.push(failures(page));
    if !is_news {
        second.push(third.remove(0));
    }
    let column = |parts: Vec<Option<Section>>| {
        let mut column = Section::default();
        for part in parts.into_iter().flatten() {
            column.section(part);
        }
        (!column.blocks.is_empty()).then_some(column)
    };
    let columns = [first, second, third];
    screen.beside(columns.into_iter().filter_map(column).collect());
    screen
}

/// What became of the calls, and what that means; `None` where nothing was called.
pub(super) fn outcomes(page: &Page) -> Option<Section> {
    let mut table =
        Table::new([Column::left("outcome"), Column::right("calls"), Column::right("share")]);
    for row in &page.outcomes {
        let share = if row.out_of == 0 { Cell::empty() } else { Cell::share(row.of()) };
        let link = filtered(&[("outcome", &row.name)]);
        table.push([
            Cell::text(Line::link(row.words(), link)),
            Cell::count(row.count).toned(row.none()),
            share.toned(row.none()),
        ]);
    }
    let mut section = Section::new("Outcomes");
    section.table(table);
    let why = page.run.summary.why_unknown();
    if !why.is_empty() {
        section.note(format!("unknown: {why}"));
    }
    let shown = Outcome::ALL.into_iter().rev();
    let shown = shown.filter(|outcome| page.outcomes.iter().any(|row| row.name == outcome.name()));
    let meanings =
        shown.map(|outcome| Field::new(outcome.name().replace('_', " "), outcome.sentence()));
    section.fold("What they mean", vec![Block::Fields(meanings.collect())]);
    page.outcomes.iter().any(|row| row.count > 0).then_some(section)
}

pub(super) fn classes(page: &Page) -> Section {
    let mut table = Table::new([
        Column::left("class"),
        Column::right(page.classified),
        Column::right("share"),
        Column::right("change"),
    ]);
    for (number, row) in page.classes.iter().enumerate() {
        let link = filtered(&[("class", &row.name)]);
        let moved = row.before.and_then(|before| moved(before, row.share()));
        table.push([
            Cell::text(Line::link(row.words(), link)).coloured(number),
            Cell::count(row.count).toned(row.none()),
            Cell::share(row.of()).toned(row.none()),
            moved.map_or(Cell::empty(), |moved| Cell::text(Line::default().then_soft(moved))),
        ]);
    }
    let mut section = Section::new("Classes");
    section.table(table);
    section
}

/// What errors are, and whether replies that claim success hide one.
pub(super) fn failures(page: &Page) -> Option<Section> {
    let mut section = Section::new("Errors by cause");
    let mut table =
        Table::new([Column::left("failure"), Column::right("calls"), Column::right("share")]);
    for (row, colour) in page.answers.iter().zip([0, 4, 3, 1]) {
        let link = filtered(&[("answer", &row.name)]);
        table.push([
            Cell::text(Line::link(row.words(), link)).coloured(colour),
            Cell::count(row.count).toned(row.none()),
            Cell::share(row.of()).toned(row.none()),
        ]);
    }
    section.table(table);
    let mut table = Table::new([
        Column::left("kind of error"),
        Column::right("failures"),
        Column::right("share"),
    ]);
    for row in page.error_kinds.iter().take(FEW) {
        let link = filtered(&[("kind", &row.name)]);
        table.push([
            Cell::text(Line::link(row.words(), link)),
            Cell::count(row.count),
            Cell::share(row.of()),
        ]);
    }
    section.table(table);
    not_shown(&mut section, &page.error_kinds, "failures");
    page.answers.iter().any(|row| row.count > 0).then_some(section)
}

/// Of a single server there is nothing to compare.
pub(super) fn servers(page: &Page) -> Option<Section> {
    let is_several = page.servers.len() > 1;
    is_several.then(|| worst("Worst servers", "worst server", &page.servers)).flatten()
}

pub(super) fn tools(page: &Page) -> Option<Section> {
    let mut section = worst("Worst tools", "worst tool", &page.tools)?;
    section
        .note("In trouble: failed (with or without isError), invalid, or less than fully working.");
    Some(section)
}

/// The tools that take longest, by what 95 % of their calls do not exceed.
pub(super) fn slowest(page: &Page) -> Option<Section> {
    let mut timed: Vec<(&Row, Took)> =
        page.tools.iter().filter_map(|row| Some((row, row.took?))).collect();
    timed.sort_by(|(one, a), (other, b)| {
        let names = |row: &Row| (row.server.clone(), row.tool.clone());
        b.p95_ms.total_cmp(&a.p95_ms).then_with(|| names(one).cmp(&names(other)))
    });
    let mut table = Table::new([
        Column::left("slowest tool"),
        Column::right("calls"),
        Column::right("p50"),
        Column::right("p95"),
    ]);
    for (row, took) in timed.iter().take(FEW) {
        let calls = Cell::count(took.timed);
        let [p50, p95] = [took.p50_ms, took.p95_ms].map(milliseconds_words).map(Cell::text);
        table.push([Cell::text(called(row, &[])), calls, p50, p95]);
    }
    let mut section = Section::new("Slowest tools");
    section.table(table);
    section.note("p50: half of the calls took at most this long; p95: 95 % of them.");
    (!timed.is_empty()).then_some(section)
}

/// Who a row is about, as a link to its exchanges.
fn called(row: &Row, more: &[(&str, &str)]) -> Line {
    let mut filters = vec![("server", &*row.server)];
    if row.tool.is_empty() {
        filters.extend(more);
        return Line::link(&row.server, filtered(&filters));
    }
    filters.push(("tool", &*row.tool));
    filters.extend(more);
    Line::link(&row.tool, filtered(&filters)).then_soft(format!(" of {}", row.server))
}

fn worst(title: &str, what: &str, rows: &[Row]) -> Option<Section> {
    let mut table = Table::new([
        Column::left(what),
        Column::right("in trouble"),
        Column::right("share"),
        Column::left(""),
    ]);
    let in_trouble: Vec<&Row> = rows.iter().filter(|row| row.count > 0).collect();
    for row in in_trouble.iter().take(FEW) {
        let took = row.took.map_or_else(String::new, |took| {
            let [p50, p95] = [took.p50_ms, took.p95_ms].map(milliseconds_words);
            format!(" p50 {p50}, p95 {p95}")
        });
        table.push([
            Cell::text(called(row, &[("trouble", "1")]).then_soft(took)),
            Cell::text(format!("{} of {}", grouped(row.count), grouped(row.out_of))),
            Cell::share(row.of()),
            Cell::bar(row.share()),
        ]);
    }
    let mut section = Section::new(title);
    section.table(table);
    not_shown(&mut section, rows, "in trouble");
    (!in_trouble.is_empty()).then_some(section)
}

fn not_shown(section: &mut Section, rows: &[Row], number: &str) {
    let rest: Vec<u64> =
        rows.iter().map(|row| row.count).filter(|count| *count > 0).skip(FEW).collect();
    if !rest.is_empty() {
        let (rows, count) = (grouped(rest.len() as u64), grouped(rest.iter().sum()));
        section.note(format!("Not shown: {rows} more rows with {count} {number}."));
    }
}

pub(super) fn issue_types(page: &Page) -> Option<Section> {
    let types = &page.issue_types;
    let mut table = Table::new([
        Column::left("issue type"),
        Column::right("issues"),
        Column::left("severity"),
        Column::right("servers"),
    ]);
    for issue in types.iter().take(FEW) {
        let link = filtered(&[("issue", &format!("{} {}", issue.severity, issue.kind))]);
        let mut name = Line::link(&*issue.kind, link);
        if issue.is_new == Some(true) {
            // What is new is no alarm where it is only said.
            let is_error = issue.severity == Severity::Error.name();
            let tone = if is_error { Tone::Worse } else { Tone::Neutral };
            name = name.then(" ").styled("new", Style::Tag(tone));
        }
        table.push([
            Cell::text(name),
            Cell::count(issue.count),
            Cell::text(&*issue.severity),
            Cell::text(counted(issue.servers, "server")),
        ]);
    }
    let mut section = Section::new("Issue types");
    section.table(table);
    let is_new = |issue: &&IssueTypeRow| issue.is_new == Some(true);
    if let Some(rest) = types.get(FEW..).filter(|rest| !rest.is_empty()) {
        let count = rest.iter().map(|issue| issue.count).sum();
        let types = counted(rest.len() as u64, "more type");
        let new = match rest.iter().filter(is_new).count() {
            0 => String::new(),
            new => format!(", {new} of them new"),
        };
        section.note(format!("Not shown: {types}{new}, with {}.", counted(count, "issue")));
    }
    if types.iter().any(|issue| issue.is_new == Some(false)) && !types.iter().any(|it| is_new(&it))
    {
        section.note("None is new.");
    }
    if page.types_gone > 0 {
        section.note(format!("{} no longer found.", counted(page.types_gone, "type")));
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
                .then(" does."),
        ),
        Compared::Each(comparison) => {
            section.table(kinds(comparison));
            section
                .blocks
                .extend(durations(&comparison.durations).into_iter().flat_map(|it| it.blocks));
            if let Some(words) = comparison.labels_words() {
                section.note(words);
            }
            let groups = comparison.groups.iter().take(CAUSES).map(|group| {
                let labels = labels_of(&group.by_labels);
                let labels = labels.map_or_else(String::new, |words| format!(", {words}"));
                let head = cut(&head_of(group), LONGEST_HEAD);
                let line = Line::link(head, format!("#{}", changes::place(group)));
                Item::new(line.then_soft(labels))
            });
            section.items(groups.collect());
        }
    }
    Some(section)
}

fn kinds(comparison: &Comparison) -> Table {
    let kinds = [
        (Kind::Regressed, "got worse", Tone::Worse),
        (Kind::Fixed, "got better", Tone::Better),
        (Kind::Stricter, "classified more strictly", Tone::Worse),
        (Kind::MoreLenient, "classified more leniently", Tone::Better),
        (Kind::Changed, "changed", Tone::Neutral),
        (Kind::Added, "new", Tone::Neutral),
        (Kind::Gone, "gone", Tone::Neutral),
    ];
    let mut table = Table::new([]).about(0);
    let mut counts = Vec::new();
    for (kind, words, tone) in kinds {
        let count = comparison.kind(kind);
        if count > 0 || matches!(kind, Kind::Regressed | Kind::Fixed) {
            table.columns.push(Column::left(words));
            counts.push(Cell::count(count).toned(if count == 0 { Tone::Neutral } else { tone }));
        }
    }
    table.push(counts);
    table
}

/// What became worse some nights ago and still is.
fn lasting(page: &Page) -> Option<Section> {
    let worse: Vec<_> = page.alarms.iter().filter(|alarm| alarm.worse == Some(true)).collect();
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
    let mut section = Section::new("What was found");
    let mut found: Vec<Item> = found_instead(page).into_iter().map(Item::new).collect();
    found.extend(page.against.as_ref().map(|against| {
        let before = counted(against.classes.values().sum(), "call");
        Item::new(format!("{before} in {}{}", against.what.article(), against.name))
    }));
    section.items(found);
    section.text(Line::default().styled("What to do", Style::Strong));
    section.items(STEPS.into_iter().map(Item::new).collect());
    section.text(Line::command("tapecheck run FOLDER"));
    section
}

impl Row {
    fn words(&self) -> String {
        self.name.replace('_', " ")
    }

    fn of(&self) -> Share {
        Share { hits: self.count, of: self.out_of }
    }

    fn share(&self) -> f64 {
        self.of().value().unwrap_or(0.0)
    }

    /// What is none is no news.
    fn none(&self) -> Option<Tone> {
        (self.count == 0).then_some(Tone::Neutral)
    }
}
