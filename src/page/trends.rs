//! Many nights: the latest share of each series, and what changed in words.

use super::lists::Page;
use crate::count::tally::Interval;
use crate::trend::show::{change_sentence, mark_sentence, presence_sentence};
use crate::trend::{Series, Trend};
use crate::verdict::{counted, grouped};
use crate::view::{Cell, Column, Item, Line, Section, Table};

/// So many series of one kind are shown, those that changed first.
const SERIES: usize = 12;
/// So many lines of a list are shown.
const LINES: usize = 12;

/// The section; `None` without trends.
pub(super) fn trends(page: &Page) -> Option<Section> {
    let is_shown = |trend: &&Trend| trend.nights.len() > 1 && !trend.series.is_empty();
    let shown: Vec<&Trend> = page.trends.iter().filter(is_shown).collect();
    let nights = &shown.first()?.nights;
    let (from, to) = (nights.first()?.day, nights.last()?.day);
    let mut section = Section::new("Night by night");
    section.text(format!(
        "{} from {from} to {to}. Shares have 95 % intervals; changes are significantly different \
         levels.",
        counted(nights.len() as u64, "night"),
    ));
    for trend in shown {
        section.section(of_trend(trend));
    }
    Some(section)
}

fn of_trend(trend: &Trend) -> Section {
    let mut section = Section::new(format!("By {}", trend.by.name().replace('_', " ")));
    section.note(format!("the share of calls that {}", trend.by.share_of()));
    // Of a server of which nothing ever failed there is nothing to show.
    let ever = |it: &Series| it.points.iter().flatten().any(|point| point.count > 0);
    let shown = trend.series.iter().filter(|it| !it.changes.is_empty() || ever(it));
    let mut series: Vec<&Series> = shown.collect();
    series.sort_by_key(|series| series.changes.is_empty());
    let mut table = Table::new([
        Column::left("series"),
        Column::right("latest night"),
        Column::right("calls"),
        Column::left("changes"),
    ]);
    series.iter().take(SERIES).for_each(|series| table.push(of_series(trend, series)));
    section.table(table);
    section.more(series.len(), SERIES, "tapecheck trend");
    let silent = trend.series.len() - series.len();
    if silent > 0 {
        section.note(format!("{} at 0 % every night", counted(silent as u64, "series")));
    }
    let presences = trend.presences.iter().map(presence_sentence);
    let marks = trend
        .nights
        .iter()
        .flat_map(|night| night.marks.iter().map(|mark| mark_sentence(night.day, mark)));
    let lines: Vec<String> = presences.chain(marks).chain(trend.notes.iter().cloned()).collect();
    section.items(lines.iter().take(LINES).map(|line| Item::new(&**line)).collect());
    section.more(lines.len(), LINES, "tapecheck trend");
    section
}

/// The latest share of a series, and its changes.
fn of_series(trend: &Trend, series: &Series) -> [Cell; 4] {
    let name = Cell::text(Line::recorded(&*series.name));
    let changes = series.changes.iter().map(|change| change_sentence(trend, series, change));
    let changes = Cell::text(changes.collect::<Vec<_>>().join("; "));
    let Some(point) = series.points.iter().rev().flatten().next() else {
        return [name, Cell::unknown(), Cell::empty(), changes];
    };
    let interval = Interval { low: point.low, high: point.high };
    let share = Cell::percent(point.share, 1).within(interval);
    [
        name,
        share,
        Cell::text(format!("{} of {}", grouped(point.count), grouped(point.out_of))),
        changes,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Day;
    use crate::trend::{
        By, Change, Direction, Mark, NightRow as OneNight, Point, Presence, PresenceKind,
    };
    use crate::view::html;

    /// Nights of a share that leaves its level for three of them, one night without exchanges, a rulebook that was
    /// changed, and a server of which nothing ever failed.
    fn trend() -> Trend {
        let point = |count: u64| {
            let share = count as f64 / 100.0;
            let (low, high) = (share - 0.02, share + 0.02);
            Point { count, out_of: 100, share, low, high, adjusted: None, covered: 1.0 }
        };
        let counts = [5, 5, 6, 5, 20, 21, 20, 5, 0, 5].map(|it| (it > 0).then(|| point(it)));
        let mark = Mark::Rulebook { before: "guide".to_owned(), after: "calibrated".to_owned() };
        let nights = (0..10).map(|at| OneNight {
            day: Day(20_000 + at),
            exchanges: 100,
            marks: if at == 7 { vec![mark.clone()] } else { Vec::new() },
        });
        let change = Change {
            from: Day(20_004),
            until: Some(Day(20_007)),
            before: 0.05,
            after: 0.2,
            worse: Some(true),
            ..Change::default()
        };
        let (changes, points) = (vec![change], counts.to_vec());
        let series = |name: &str| Series { name: name.to_owned(), ..Series::default() };
        Trend {
            by: By::Server,
            nights: nights.collect(),
            series: vec![
                Series { changes, points, good: Some(Direction::Down), ..series("my_server") },
                Series { points: vec![Some(point(0))], ..series("silent") },
            ],
            presences: vec![Presence {
                kind: PresenceKind::New { night: Day(20_004), count: 3 },
                name: "<b>timeout".to_owned(),
            }],
            notes: vec!["a torn partition was passed over".to_owned()],
            ..Trend::default()
        }
    }

    #[test]
    fn a_series_is_shown_with_its_alarm_and_its_mark() {
        let mut page = Section::new("page");
        page.section(of_trend(&trend()));
        let html = html::Html::from(html::section("page", &page)).into_string();
        for part in [
            "2024-10-08: worse: my_server rose from 5.0 % to 20.0 % (+15.0 points; p=0e0)",
            "2024-10-11: another rulebook: calibrated instead of guide",
            "2024-10-08: new: &lt;b&gt;timeout (3 calls in the last night)",
            "a torn partition was passed over",
            "5 of 100",
            "my_server</th>",
            "1 series at 0 % every night",
        ] {
            assert!(html.contains(part), "{part}\n{html}");
        }
        assert_eq!(html.matches("<th scope=\"row\"").count(), 1, "what never failed has no row");
    }
}
