//! Many nights: a picture for each series, with what changed in words.

use super::Page;
use super::chart::{Room, chart};
use super::markup::{Tag, tag};
use super::shown::Showing;
use super::words::{more, percent, section};
use crate::trend::{By, Change, Mark, Presence, Series, Trend};
use crate::verdict::{counted, grouped};
use std::fmt::Write as _;

/// So many series of one kind are drawn, those that changed first.
const SERIES: usize = 12;
/// So many lines of a list are shown.
const LINES: usize = 12;

/// The section; `None` without trends.
pub(super) fn trends(page: &Page, showing: &Showing) -> Option<Tag> {
    let with_points: Vec<&Trend> = page
        .trends
        .iter()
        .filter(|trend| trend.nights.len() > 1 && !trend.series.is_empty())
        .collect();
    let first = with_points.first()?;
    let (from, to) = (first.nights.first()?.day, first.nights.last()?.day);
    let about = format!(
        "{} from {from} to {to}. The band is each share's 95 % interval, shaded nights are a level that \
         surely differs from the one before, dashes show the share had servers and tools been mixed as before.",
        counted(first.nights.len() as u64, "night"),
    );
    let parts = with_points.into_iter().map(|trend| of_trend(trend, showing));
    Some(section("trends", "Night by night").put(tag("p").class("about").text(about)).all(parts))
}

fn of_trend(trend: &Trend, showing: &Showing) -> Tag {
    let mut series: Vec<&Series> = trend.series.iter().filter(|it| has_shares(it)).collect();
    series.sort_by_key(|series| series.changes.is_empty());
    let left_out = series.len().saturating_sub(SERIES);
    let drawn = series.len().min(SERIES);
    let silent = trend.series.len() - series.len();
    let silent = (silent > 0).then(|| {
        tag("p").class("note").text(format!("{} none in any night", has(silent, "series")))
    });
    let pictures = series.into_iter().take(SERIES).enumerate();
    let pictures =
        pictures.map(|(at, series)| of_series((trend, series), place(at, drawn), showing));
    let notes = trend.notes.iter().map(|note| tag("li").text(showing.words(note)));
    let marks = trend.nights.iter().flat_map(|night| {
        night.marks.iter().map(|mark| format!("{}: {}", night.day, mark_words(mark, showing)))
    });
    let presences = trend.presences.iter().map(|it| presence_words(trend, it, showing));
    let lines: Vec<String> = presences.chain(marks).collect();
    let more_lines = lines.len().saturating_sub(LINES);
    let lines: Vec<Tag> = lines.into_iter().take(LINES).map(|line| tag("li").text(line)).collect();
    let lines = (!lines.is_empty()).then(|| tag("ul").class("plain").all(lines));
    let by = By::ALL.into_iter().find(|by| by.name() == trend.by);
    let share_of = by.map(|by| {
        let words = format!("the share of exchanges that {}", by.share_of().replace('_', " "));
        tag("p").class("note").text(words.replace("that the fact", "the fact"))
    });
    let notes = (!trend.notes.is_empty()).then(|| tag("ul").class("plain note").all(notes));
    tag("div")
        .class("trend")
        .put(tag("h3").text(format!("By {}", trend.by.replace('_', " "))))
        .maybe(share_of)
        .maybe((drawn > 0).then(|| tag("div").class("charts").all(pictures)))
        .maybe(more(left_out, "series", "tapecheck trend"))
        .maybe(silent)
        .maybe(lines)
        .maybe(more(more_lines, "line", "tapecheck trend"))
        .maybe(notes)
}

/// Whether there is anything to draw: a server of which nothing ever failed is a line at nought.
fn has_shares(series: &Series) -> bool {
    !series.changes.is_empty() || series.points.iter().flatten().any(|point| point.count > 0)
}

fn has(count: usize, thing: &str) -> String {
    let verb = if count == 1 { "has" } else { "have" };
    format!("{} {verb}", counted(count as u64, thing))
}

/// How much room a picture has, so that no row ends in a hole: three stand in a row, but for the first
/// ones, of which two do; one alone has its words beside it.
fn place(at: usize, of: usize) -> (&'static str, Room) {
    let in_pairs = match of % 3 {
        0 => 0,
        1 => 4,
        _ => 2,
    };
    match at {
        _ if of == 1 => ("alone", Room::Half),
        _ if at < in_pairs => ("half", Room::Half),
        _ => ("third", Room::Third),
    }
}

/// A series by its name: names that were recorded are left as they are.
pub(super) fn series_name(trend: &Trend, name: &str, showing: &Showing) -> String {
    let name = showing.name(name).as_ref().to_owned();
    let is_recorded = match By::ALL.into_iter().find(|by| by.name() == trend.by) {
        Some(By::Server | By::Tool | By::Scenario) => true,
        Some(By::Class | By::Answer | By::IssueType | By::ErrorKind | By::Fact) | None => false,
    };
    if is_recorded { name } else { name.replace('_', " ") }
}

fn of_series(
    (trend, series): (&Trend, &Series),
    (style, room): (&'static str, Room),
    showing: &Showing,
) -> Tag {
    let name = series_name(trend, &series.name, showing);
    let last = series.points.iter().rev().flatten().next();
    let today = last.map(|point| {
        format!(
            "{} · {} of {}",
            percent(point.share()),
            grouped(point.count),
            grouped(point.out_of)
        )
    });
    let changes: Vec<Tag> = series
        .changes
        .iter()
        .map(|change| {
            let style = match change.worse {
                Some(true) => "worse",
                Some(false) => "better",
                None => "other",
            };
            tag("li").class(style).text(change_words((trend, series), change, showing))
        })
        .collect();
    let spoken = series.changes.iter().map(|change| change_words((trend, series), change, showing));
    let spoken: Vec<String> = spoken.collect();
    let label = match (&today, spoken.is_empty()) {
        (None, _) => format!("{name}: no exchanges"),
        (Some(today), true) => format!("{name}: {today} in the last night; no change"),
        (Some(today), false) => {
            format!("{name}: {today} in the last night; {}", spoken.join("; "))
        }
    };
    let changes = (!changes.is_empty()).then(|| tag("ul").class("plain").all(changes));
    tag("figure")
        .class(style)
        .put(
            tag("figcaption")
                .put(tag("strong").text(name))
                .put(tag("span").class("of").text(today.unwrap_or_default())),
        )
        .put(chart((trend, series), room, &label))
        .maybe(changes)
}

/// A change in words, such as `▼ worse since 2026-06-25: 3.6 % → 8.8 %, most of all todo`.
pub(super) fn change_words(
    (trend, series): (&Trend, &Series),
    change: &Change,
    showing: &Showing,
) -> String {
    let day = |at: usize| trend.nights.get(at).map_or(String::new(), |night| night.day.to_string());
    let from = change.began;
    let when = match change.until {
        None if change.settled => format!("for good from {from}"),
        None => format!("since {from}"),
        Some(until) if until <= change.from + 1 => format!("on {from}"),
        Some(until) => format!("from {from} to {}", day(until.saturating_sub(1))),
    };
    let others = change.servers.iter().map(|server| &server.name);
    let others: Vec<&str> =
        others.filter(|name| **name != series.name).map(String::as_str).collect();
    let servers = if others.is_empty() {
        String::new()
    } else {
        format!(", most of all {}", showing.words(&others.join(", ")).as_ref())
    };
    let way = match change.worse {
        Some(true) => "▼ worse",
        Some(false) => "▲ better",
        None => "changed",
    };
    // Number and sign stay on one line.
    let [before, after] =
        [change.before, change.after].map(|share| percent(share).replace(' ', "\u{a0}"));
    format!("{way} {when}: {before} → {after}{servers}")
}

fn mark_words(mark: &Mark, showing: &Showing) -> String {
    match mark {
        Mark::Rulebook { before, after } => format!("another rulebook, {before} → {after}"),
        Mark::Checks => "other contracts, facts or schemas".to_owned(),
        Mark::Version { before, after } => format!("another version, {before} → {after}"),
        Mark::Mix { moved, appeared, vanished } => {
            let names = |names: &[String]| -> String {
                let few: Vec<String> = names
                    .iter()
                    .take(3)
                    .map(|name| showing.name(name).as_ref().to_owned())
                    .collect();
                let more = names.len().saturating_sub(few.len());
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!("{}{more}", few.join(", "))
            };
            let mut words = format!("another mix, {} of exchanges moved", percent(*moved));
            if !appeared.is_empty() {
                let _ = write!(words, "; new: {}", names(appeared));
            }
            if !vanished.is_empty() {
                let _ = write!(words, "; gone: {}", names(vanished));
            }
            words
        }
    }
}

fn presence_words(trend: &Trend, presence: &Presence, showing: &Showing) -> String {
    let day = |at: usize| trend.nights.get(at).map_or(String::new(), |night| night.day.to_string());
    let shown = |name: &str| series_name(trend, name, showing);
    match presence {
        Presence::New { name, night, count } => {
            format!("{}: new: {}, {} in the last night", day(*night), shown(name), grouped(*count))
        }
        Presence::Vanished { name, last } => {
            format!("{}: last seen: {}", day(*last), shown(name))
        }
        Presence::Returned { name, last, night, count } => format!(
            "{}: back: {}, not seen since {}, {} in the last night",
            day(*night),
            shown(name),
            day(*last),
            grouped(*count)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::markup::Html;
    use crate::recording::Day;
    use crate::trend::{Direction, Moved, Night, Point};

    /// Ten nights of a share that leaves its level for three of them, one night without exchanges, and a
    /// rulebook that was changed.
    fn trend() -> Trend {
        let point = |count: u64| Point {
            count,
            out_of: 100,
            low: count as f64 / 100.0 - 0.02,
            high: count as f64 / 100.0 + 0.02,
            adjusted: Some(count as f64 / 100.0 + 0.01),
            covered: 1.0,
        };
        let counts = [5, 5, 6, 5, 20, 21, 20, 5, 0, 5];
        let nights = (0..10).map(|at| {
            let mark =
                Mark::Rulebook { before: "guide".to_owned(), after: "calibrated".to_owned() };
            Night {
                day: Day(20_000 + at),
                exchanges: 100,
                marks: if at == 7 { vec![mark] } else { Vec::new() },
            }
        });
        let change = Change {
            began: Day(20_004),
            from: 4,
            until: Some(7),
            before: 0.05,
            after: 0.2,
            worse: Some(true),
            servers: vec![Moved {
                name: "shop".to_owned(),
                before: 0.05,
                after: 0.9,
                exchanges: 20,
            }],
            ..Change::default()
        };
        Trend {
            by: "class".to_owned(),
            nights: nights.collect(),
            series: vec![Series {
                name: "broken".to_owned(),
                good: Direction::Down,
                points: counts.map(|count| (count > 0).then(|| point(count))).to_vec(),
                changes: vec![change],
                ..Series::default()
            }],
            presences: vec![Presence::New { name: "<b>timeout".to_owned(), night: 4, count: 3 }],
            notes: vec!["a torn partition was passed over".to_owned()],
            ..Trend::default()
        }
    }

    #[test]
    fn a_series_is_drawn_with_its_alarm_its_gap_and_its_mark() {
        let html = Html::from(of_trend(&trend(), &Showing::default())).into_string();
        for part in [
            "▼ worse from 2024-10-08 to 2024-10-10: 5.0\u{a0}% → 20.0\u{a0}%, most of all shop",
            "class=\"span worse\"",
            "2024-10-11: another rulebook, guide → calibrated",
            "2024-10-08: new: &lt;b&gt;timeout, 3 in the last night",
            "a torn partition was passed over",
            "role=\"img\" aria-label=\"broken: 5.0 % · 5 of 100 in the last night; ▼ worse",
        ] {
            assert!(html.contains(part), "{part}\n{html}");
        }
        assert_eq!(html.matches("class=\"line\"").count(), 1, "one stretch of eight nights");
        assert_eq!(html.matches("class=\"band\"").count(), 2, "and one of a single night");
        assert_eq!(html.matches("class=\"adjusted\"").count(), 2);
        assert!(html.contains("<figure class=\"alone\">"), "its words stand beside it");
    }

    #[test]
    fn what_never_failed_is_no_picture_and_recorded_names_stay() {
        let mut of_servers = Trend { by: "server".to_owned(), ..trend() };
        of_servers.series[0].name = "my_server".to_owned();
        let mut silent = of_servers.series[0].clone();
        silent.changes.clear();
        for point in silent.points.iter_mut().flatten() {
            point.count = 0;
        }
        of_servers.series.push(silent);
        let html = Html::from(of_trend(&of_servers, &Showing::default())).into_string();
        assert_eq!(html.matches("<figure").count(), 1);
        assert!(html.contains("1 series has none in any night"), "{html}");
        assert!(html.contains("<strong>my_server</strong>"), "{html}");
    }

    #[test]
    fn rows_of_pictures_are_full() {
        for count in 2..=SERIES {
            let sixths: usize =
                (0..count).map(|at| if place(at, count).0 == "half" { 3 } else { 2 }).sum();
            assert_eq!(sixths % 6, 0, "{count} pictures");
        }
    }
}
