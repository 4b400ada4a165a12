//! Trends as people read them.

use super::sentences::{change_sentence, mark_sentence, name, presence_sentence};
use super::{View, Worse, top, worse_servers};
use crate::count::tally::Interval;
use crate::count::{Took, milliseconds_words};
use crate::trend::{By, Change, Point, Series, Trend};
use crate::verdict::counted;
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
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Rows with lines, changes as sentences, marks, and what is new, gone or back.
pub(crate) fn sections(view: &View<'_>) -> Vec<Section> {
    let View { trend, issue_types, servers } = *view;
    let notes = list("notes", trend.notes.iter().cloned(), MOST_LINES);
    let (Some(first), Some(last)) = (trend.nights.first(), trend.nights.last()) else {
        let none = Section::new("no nights to show");
        return std::iter::once(none).chain(notes).collect();
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
    head.text(format!("by {}: the share of calls that {}", trend.by.name(), trend.by.share_of()));
    if let Some(Took { timed, p50_ms, p95_ms }) = trend.durations.tonight() {
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
    let worse = worse_servers(servers);
    let presences = |of: &'_ Trend| of.presences.iter().map(presence_sentence).collect();
    let nights = trend.nights.iter().rev();
    let marks =
        nights.flat_map(|night| night.marks.iter().map(|mark| mark_sentence(night.day, mark)));
    let top = top(issue_types).into_iter().map(|top| {
        format!("{} ({}): {}", counted(top.count, "call"), percent(top.share), name(top.name))
    });
    let own: Vec<String> = match trend.by {
        By::IssueType | By::Server => Vec::new(),
        _ => presences(trend),
    };
    let lists: [(&str, Vec<String>); 6] = [
        ("marks", marks.collect()),
        ("issue types that came or went", presences(issue_types)),
        ("servers that came or went", presences(servers)),
        (&format!("{} that came or went", trend.by.name()), own),
        ("most common issues of the last night", top.collect()),
        ("servers that got worse", worse.iter().map(worse_sentence).collect()),
    ];
    let lists = lists.into_iter().filter_map(|(title, lines)| list(title, lines, MOST_LINES));
    let mut all = vec![head, rows(trend), changes(trend, &worse)];
    all.extend(lists.chain(notes));
    all.push(Section::new(format!("test: {}", trend.test)));
    all
}

fn worse_sentence(worse: &Worse<'_>) -> String {
    let Worse { since, alarm, .. } = worse;
    let [before, after] = [worse.before, worse.after].map(percent);
    let doubt = if *alarm { "" } else { " (perhaps)" };
    format!("{}: failed or invalid {before} to {after} since {since}{doubt}", name(worse.name))
}

/// A title and lines under it; nothing where there are none.
fn list(title: &str, lines: impl IntoIterator<Item = String>, most: usize) -> Option<Section> {
    let items: Vec<Item> = lines.into_iter().map(Item::new).collect();
    let all = items.len();
    let mut section = Section::new(title);
    section.items(items.into_iter().take(most).collect());
    section.more(all, most, "");
    (all > 0).then_some(section)
}

fn rows(trend: &Trend) -> Section {
    let shown = &trend.series[..trend.series.len().min(MOST_ROWS)];
    let drawn_from = drawn_from(trend);
    let a_block = nights_a_block(trend.nights.len() - drawn_from, LINE);
    let mut columns = vec![
        Column::left(trend.by.name()),
        Column::left(match a_block {
            1 => "a night each".to_owned(),
            several => format!("{several} nights each"),
        }),
        Column::right("%"),
        Column::right("last night"),
        Column::right("+/-"),
    ];
    let took = |series: &Series| -> Option<Took> { series.durations.as_ref()?.tonight() };
    let has_durations = shown.iter().any(|series| took(series).is_some());
    if has_durations {
        columns.extend(["p50", "before", "p95", "before"].map(Column::right));
    }
    let mut table = Table::new(columns);
    for series in shown {
        let (drawn, range) = spark(&series.points[drawn_from..], a_block);
        let range = range.map_or_else(String::new, |[least, greatest]| {
            let (least, greatest) = (short(least), short(greatest));
            if least == greatest { least } else { format!("{least}–{greatest}") }
        });
        let tonight = series.points.last().copied().flatten();
        let shown = tonight.map_or_else(Cell::unknown, |point| {
            let interval = Interval { low: point.low, high: point.high };
            Cell::percent(point.share, 1).within(interval)
        });
        let difference = tonight.zip(series.expected).map(|(point, expected)| {
            let moved = points(expected, point.share);
            if ["+0.0", "-0.0"].contains(&moved.as_str()) { "=".to_owned() } else { moved }
        });
        let mark = if is_open(series) { "!" } else { "" };
        let mut row = vec![
            Cell::name(&series.name),
            Cell::text(drawn),
            Cell::text(range),
            shown,
            Cell::text(difference.unwrap_or_default()).signed(mark),
        ];
        if has_durations {
            let took = [took(series), series.durations.as_ref().and_then(|it| it.before)];
            for of in [|took: Took| took.p50_ms, |took: Took| took.p95_ms] {
                row.extend(took.map(|took| {
                    took.map_or_else(Cell::unknown, |took| Cell::text(milliseconds_words(of(took))))
                }));
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
    let tonight = shown.iter().filter(|series| series.points.last().is_some_and(Option::is_some));
    let covered = tonight.filter_map(|series| series.covered).reduce(f64::min);
    // A first night has none before it.
    let is_first = trend.nights.iter().filter(|it| it.exchanges > 0).count() < 2;
    if let Some(covered) = covered.filter(|covered| *covered < TOLD && !is_first) {
        section.note(format!(
            "+/- compares {} of the last night's calls or more; the others have servers, tools, \
             scenarios or rules that the nights before do not have; not shown below 50 %",
            percent(covered)
        ));
    }
    section
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

fn changes(trend: &Trend, worse: &[Worse<'_>]) -> Section {
    let all = trend.series.iter();
    let all = all.flat_map(|series| series.changes.iter().map(move |change| (series, change)));
    let mut all: Vec<(&Series, &Change)> = all.collect();
    all.sort_by_key(|(_, change)| std::cmp::Reverse(change.from));
    let none = if trend.is_young {
        "too few nights to find changes: each night is compared with at least 3 earlier ones"
    } else if worse.is_empty() {
        "no changes"
    } else {
        "no changes overall; for single servers, see below"
    };
    let lines = all.iter().map(|(series, change)| change_sentence(trend, series, change));
    list("changes", lines, MOST_CHANGES).unwrap_or_else(|| Section::new(none))
}

/// How many nights one block stands for, so that no line is wider.
fn nights_a_block(nights: usize, width: usize) -> usize {
    nights.div_ceil(width.max(1)).max(1)
}

/// Draws shares from the least to the greatest; a block is the share of all its nights together. The
/// last block ends with the last night, and a blank is one without exchanges. With the least and the greatest
/// share that is drawn.
fn spark(points: &[Option<Point>], a_block: usize) -> (String, Option<[f64; 2]>) {
    let of_first = points.len() % a_block;
    let (first, rest) = points.split_at(of_first);
    let blocks = std::iter::once(first).filter(|nights| !nights.is_empty());
    let shares: Vec<Option<f64>> = blocks.chain(rest.chunks(a_block)).map(share).collect();
    let drawn = || shares.iter().flatten().copied();
    let (least, greatest) = (drawn().fold(f64::INFINITY, f64::min), drawn().fold(0.0, f64::max));
    let block = |share: &Option<f64>| {
        share.map_or(' ', |share| {
            // The same share every night is a line as high as it is.
            let is_level = greatest <= least;
            let height = if is_level { share } else { (share - least) / (greatest - least) };
            BLOCKS[step(height)]
        })
    };
    let line = shares.iter().map(block).collect();
    (line, (least <= greatest).then_some([least, greatest]))
}

fn share(nights: &[Option<Point>]) -> Option<f64> {
    let sum = |of: &dyn Fn(&Point) -> u64| nights.iter().flatten().map(of).sum::<u64>() as f64;
    let [count, out_of] = [sum(&|point| point.count), sum(&|point| point.out_of)];
    (out_of > 0.0).then(|| count / out_of)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of eight")]
fn step(height: f64) -> usize {
    ((height * BLOCKS.len() as f64) as usize).min(BLOCKS.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_no_nights_nothing_is_drawn() {
        assert_eq!(spark(&[], nights_a_block(0, 24)), (String::new(), None));
    }
}
