//! Trends as people read them.

use super::sentences::{change_sentence, mark_sentence, name, presence_sentence};
use super::spark::{nights_a_block, spark};
use super::{View, Worse, worse_servers};
use crate::count::tally::Interval;
use crate::count::{Took, milliseconds_words};
use crate::trend::{Apart, By, Change, Series, Trend};
use crate::verdict::{counted, grouped};
use crate::view::{Cell, Column, Item, Section, Table, percent, points};

/// The widest line of blocks.
const LINE: usize = 24;
/// So many rows, changes and other lines are shown at most.
const MOST_ROWS: usize = 25;
const MOST_CHANGES: usize = 20;
const MOST_LINES: usize = 8;
/// Where less of the last night can be compared, that is told.
const TOLD: f64 = 0.9;
/// Nights before so many without exchanges are not drawn.
const LONG_AGO: usize = 366;

/// Rows with lines, changes as sentences, marks, and what is new, gone or back.
pub(crate) fn sections(view: &View<'_>) -> Vec<Section> {
    let trend = view.trend;
    let issue_types = view.issue_types;
    let notes = grouped_notes(&trend.notes);
    let has_alike = notes.len() < trend.notes.len();
    let mut notes_section = list("notes", notes, MOST_LINES);
    if let Some(section) = notes_section.as_mut().filter(|_| has_alike) {
        section.note("--format json has them all");
    }
    let (Some(first), Some(last)) = (trend.nights.first(), trend.nights.last()) else {
        let none = Section::new("no nights to show");
        return std::iter::once(none).chain(notes_section).collect();
    };
    let exchanges: u64 = trend.nights.iter().map(|night| night.exchanges).sum();
    let nights = trend.nights.iter().filter(|night| night.exchanges > 0).count() as u64;
    let mut head = Section::new(format!(
        "{} to {}: {} with {}",
        first.day,
        last.day,
        counted(nights, "night"),
        counted(exchanges, "call"),
    ));
    if let Some(by) = By::ALL.into_iter().find(|by| by.name() == trend.by) {
        head.text(format!("by {}: the share of calls that {}", by.name(), by.share_of()));
    }
    if let Some(tonight) = trend.durations.tonight() {
        let Took { timed, p50_ms, p95_ms } = tonight;
        let before = trend.durations.before.map_or_else(String::new, |before| {
            let [p50, p95] = [before.p50_ms, before.p95_ms].map(milliseconds_words);
            format!("; {p50} and {p95} in the nights before")
        });
        head.text(format!(
            "of {} with a duration in the last night, half took up to {} and 95 % up to {}{before}",
            counted(timed, "call"),
            milliseconds_words(p50_ms),
            milliseconds_words(p95_ms),
        ));
    }
    let mut all = vec![head, rows(trend), changes(trend, &worse_servers(view.servers))];
    let mut add = |title: &str, lines: Vec<String>| all.extend(list(title, lines, MOST_LINES));
    add("marks", marks(trend));
    add("issue types that came or went", presences(issue_types));
    add("servers that came or went", presences(view.servers));
    if trend.by != issue_types.by && trend.by != view.servers.by {
        add(&format!("{} that came or went", trend.by), presences(trend));
    }
    add("most common issues of the last night", top(issue_types));
    add("servers that got worse", worse(view.servers));
    all.extend(notes_section);
    all.push(Section::new(format!("test: {}", trend.test)));
    all
}

/// A title and lines under it; nothing where there are none.
fn list(title: &str, lines: Vec<String>, most: usize) -> Option<Section> {
    let all = lines.len();
    let mut section = Section::new(title);
    section.items(lines.into_iter().take(most).map(Item::new).collect());
    section.more(all, most, "");
    (all > 0).then_some(section)
}

fn rows(trend: &Trend) -> Section {
    let shown = &trend.series[..trend.series.len().min(MOST_ROWS)];
    let drawn_from = drawn_from(trend);
    let a_block = nights_a_block(trend.nights.len() - drawn_from, LINE);
    let heading =
        if a_block == 1 { "a night each".to_owned() } else { format!("{a_block} nights each") };
    let mut columns = vec![
        Column::left(&*trend.by),
        Column::left(heading),
        Column::right("%"),
        Column::right("last night"),
        Column::right("+/-"),
    ];
    let is_timed =
        |series: &Series| series.durations.as_ref().is_some_and(|it| it.tonight().is_some());
    let has_durations = shown.iter().any(is_timed);
    if has_durations {
        columns.extend(["p50", "before", "p95", "before"].map(Column::right));
    }
    let mut table = Table::new(columns);
    for series in shown {
        let drawn = spark(&series.points[drawn_from..], a_block);
        let range = drawn.range.map_or_else(String::new, |[least, greatest]| {
            let (least, greatest) = (short(least), short(greatest));
            if least == greatest { least } else { format!("{least}–{greatest}") }
        });
        let tonight = series.points.last().copied().flatten();
        let shown = tonight.map_or_else(Cell::unknown, |point| {
            let interval = Interval { low: point.low, high: point.high };
            Cell::percent(point.share(), 1).within(interval)
        });
        let difference = tonight.zip(series.expected).map(|(point, expected)| {
            let moved = points(expected, point.share());
            if ["+0.0", "-0.0"].contains(&moved.as_str()) { "=".to_owned() } else { moved }
        });
        let mark = if is_open(series) { "!" } else { "" };
        let mut row = vec![
            Cell::name(&series.name),
            Cell::text(drawn.line),
            Cell::text(range),
            shown,
            Cell::text(difference.unwrap_or_default()).signed(mark),
        ];
        if let Some(durations) = series.durations.as_ref().filter(|_| has_durations) {
            let took = [durations.tonight(), durations.before];
            for of in [|took: Took| took.p50_ms, |took: Took| took.p95_ms] {
                let cell = |took: Option<Took>| {
                    took.map_or_else(Cell::unknown, |took| Cell::text(milliseconds_words(of(took))))
                };
                row.extend(took.map(cell));
            }
        }
        table.push(row);
    }
    let mut section = Section::default();
    section.table(table);
    section.more(trend.series.len(), MOST_ROWS, "");
    if drawn_from > 0 {
        let day = trend.nights[drawn_from].day;
        section.note(format!("drawn from {day} on: no calls for more than a year before it"));
    }
    if trend.series.iter().any(is_open) {
        section.note("! changed, not back to normal");
    }
    // A first night has none before it.
    let is_first = trend.is_young && trend.nights.iter().filter(|it| it.exchanges > 0).count() < 2;
    if let Some(text) = little_compared(shown, trend.apart).filter(|_| !is_first) {
        section.note(text);
    }
    section
}

/// Where the last night has much that the nights before do not have, that is said.
fn little_compared(shown: &[Series], apart: Apart) -> Option<String> {
    let tonight = shown.iter().filter(|series| series.points.last().is_some_and(Option::is_some));
    let covered = || tonight.clone().filter_map(|series| series.covered);
    let (least, most) = (covered().fold(1.0, f64::min), covered().fold(0.0, f64::max));
    (least < TOLD).then(|| {
        let share = if percent(least) == percent(most) {
            percent(least)
        } else {
            format!("{} to {}", percent(least), percent(most))
        };
        format!(
            "+/- compares {share} of the last night's calls; the others {}; not shown below 50 %",
            why(apart)
        )
    })
}

fn why(Apart { mix, rulebook, checks, version }: Apart) -> String {
    let judged = [
        (rulebook, "another rulebook"),
        (checks, "other contracts, facts or schemas"),
        (version, "another version of tapecheck"),
    ];
    let judged: Vec<&str> =
        judged.into_iter().filter(|(is_so, _)| *is_so).map(|(_, what)| what).collect();
    let mut reasons = Vec::new();
    if !judged.is_empty() {
        reasons.push(format!("were classified by {}", judged.join(" and ")));
    }
    if mix || judged.is_empty() {
        let are = "are of servers, tools or scenarios that the nights before do not have";
        reasons.push(are.to_owned());
    }
    reasons.join(", or ")
}

fn is_open(series: &Series) -> bool {
    series.changes.iter().any(Change::is_open)
}

/// The first night that is drawn: a clock that was never set puts some exchanges decades before all
/// others, which would leave nothing to see of these.
fn drawn_from(trend: &Trend) -> usize {
    let mut from = 0;
    let mut empty = 0;
    for (at, night) in trend.nights.iter().enumerate() {
        if night.exchanges == 0 {
            empty += 1;
        } else {
            if empty > LONG_AGO {
                from = at;
            }
            empty = 0;
        }
    }
    from
}

/// A share in percent, as short as it can be.
fn short(share: f64) -> String {
    let percent = share * 100.0;
    let text = if percent >= 99.95 { format!("{percent:.0}") } else { format!("{percent:.1}") };
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

/// Notes of which those that are alike are told once, so that none hides another.
fn grouped_notes(notes: &[String]) -> Vec<String> {
    let mut kinds: Vec<(&str, u64)> = Vec::new();
    for note in notes {
        match kinds.iter_mut().find(|(first, _)| are_alike(first, note)) {
            Some((_, count)) => *count += 1,
            None => kinds.push((note, 1)),
        }
    }
    let line = |(first, count): (&str, u64)| match count {
        1 => first.to_owned(),
        count => format!("{first} (and {} more like this)", grouped(count - 1)),
    };
    kinds.into_iter().map(line).collect()
}

/// Whether two sentences are the same but for some names and numbers.
fn are_alike(one: &str, other: &str) -> bool {
    let words = [one, other].map(|text| text.split(' ').collect::<Vec<_>>());
    let same = words[0].iter().zip(&words[1]).filter(|(one, other)| one == other).count();
    words[0].len() == words[1].len() && same * 5 >= words[0].len() * 3
}

fn changes(trend: &Trend, worse: &[Worse<'_>]) -> Section {
    let all = trend
        .series
        .iter()
        .flat_map(|series| series.changes.iter().map(move |change| (series, change)));
    let mut all: Vec<(&Series, &Change)> = all.collect();
    all.sort_by_key(|(_, change)| std::cmp::Reverse(change.began));
    let none = if trend.is_young {
        "too few nights to find changes: each night is compared with at least 3 earlier ones"
    } else if worse.is_empty() {
        "no changes"
    } else {
        "no changes overall; for single servers, see below"
    };
    let lines = all.iter().map(|(series, change)| change_sentence(trend, series, change));
    list("changes", lines.collect(), MOST_CHANGES).unwrap_or_else(|| Section::new(none))
}

fn marks(trend: &Trend) -> Vec<String> {
    let nights = trend.nights.iter().enumerate().rev();
    nights
        .flat_map(|(at, night)| night.marks.iter().map(move |mark| mark_sentence(trend, at, mark)))
        .collect()
}

fn presences(trend: &Trend) -> Vec<String> {
    trend.presences.iter().map(|presence| presence_sentence(trend, presence)).collect()
}

fn top(issue_types: &Trend) -> Vec<String> {
    let tonight = |series: &Series| {
        let last = issue_types.nights.iter().rposition(|night| night.exchanges > 0)?;
        let point = series.points.get(last).copied().flatten().filter(|point| point.count > 0)?;
        let count = counted(point.count, "call");
        Some(format!("{count} ({}): {}", percent(point.share()), name(&series.name)))
    };
    issue_types.series.iter().filter_map(tonight).collect()
}

fn worse(servers: &Trend) -> Vec<String> {
    let line = |worse: &Worse<'_>| {
        let doubt = if worse.is_alarm { "" } else { " (perhaps)" };
        format!(
            "{}: failed or invalid {} to {} since {}{doubt}",
            name(worse.name),
            percent(worse.before),
            percent(worse.after),
            worse.since,
        )
    };
    worse_servers(servers).iter().map(line).collect()
}
