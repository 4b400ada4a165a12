//! Many nights: a picture for each series, with what changed in words.

use super::chart::chart;
use super::night::Night;
use crate::trend::show::{change_sentence, mark_sentence, presence_sentence};
use crate::trend::{By, Series, Trend};
use crate::verdict::{counted, grouped};
use crate::view::{Block, Item, Line, Section, percent};

/// So many series of one kind are drawn, those that changed first.
const SERIES: usize = 12;
/// So many lines of a list are shown.
const LINES: usize = 12;

/// The section; `None` without trends.
pub(super) fn trends(night: &Night) -> Option<Section> {
    let is_shown = |trend: &&Trend| trend.nights.len() > 1 && !trend.series.is_empty();
    let shown: Vec<&Trend> = night.trends.iter().filter(is_shown).collect();
    let nights = &shown.first()?.nights;
    let (from, to) = (nights.first()?.day, nights.last()?.day);
    let mut section = Section::new("Night by night");
    section.text(format!(
        "{} from {from} to {to}. Band: 95 % interval of each share; shaded nights: a \
         significantly different level; dashed: adjusted for traffic mix.",
        counted(nights.len() as u64, "night"),
    ));
    for trend in shown {
        section.section(of_trend(trend));
    }
    Some(section)
}

fn of_trend(trend: &Trend) -> Section {
    let mut section = Section::new(format!("By {}", trend.by.replace('_', " ")));
    if let Some(by) = By::ALL.into_iter().find(|by| by.name() == trend.by) {
        section.note(format!("the share of calls that {}", by.share_of().replace('_', " ")));
    }
    let mut series: Vec<&Series> = trend.series.iter().filter(|it| has_shares(it)).collect();
    series.sort_by_key(|series| series.changes.is_empty());
    section.beside(series.iter().take(SERIES).map(|series| of_series(trend, series)).collect());
    section.more(series.len(), SERIES, "tapecheck trend");
    let silent = trend.series.len() - series.len();
    if silent > 0 {
        section.note(format!("{} at 0 % every night", counted(silent as u64, "series")));
    }
    let presences = trend.presences.iter().map(|presence| presence_sentence(trend, presence));
    let marks =
        trend.nights.iter().enumerate().flat_map(|(at, night)| {
            night.marks.iter().map(move |mark| mark_sentence(trend, at, mark))
        });
    let lines: Vec<String> = presences.chain(marks).chain(trend.notes.iter().cloned()).collect();
    section.items(lines.iter().take(LINES).map(|line| Item::new(&**line)).collect());
    section.more(lines.len(), LINES, "tapecheck trend");
    section
}

/// Whether there is anything to draw: a server of which nothing ever failed is a line at nought.
fn has_shares(series: &Series) -> bool {
    !series.changes.is_empty() || series.points.iter().flatten().any(|point| point.count > 0)
}

fn of_series(trend: &Trend, series: &Series) -> Section {
    let last = series.points.iter().rev().flatten().next();
    let today = last.map_or_else(
        || "no calls".to_owned(),
        |point| {
            let of = format!("{} of {}", grouped(point.count), grouped(point.out_of));
            format!("{} · {of}", percent(point.share()))
        },
    );
    let changes = series.changes.iter().map(|change| change_sentence(trend, series, change));
    let changes: Vec<String> = changes.collect();
    let spoken = if changes.is_empty() { "no change".to_owned() } else { changes.join("; ") };
    let label = format!("{}: {today} in the last night; {spoken}", series.name);
    let name = Line::default().styled(&*series.name, crate::view::Style::Strong);
    let mut section = Section::new(name.then_soft(format!(" {today}")));
    section.blocks.push(Block::Picture(chart(trend, series, label)));
    section.items(changes.into_iter().map(Item::new).collect());
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Day;
    use crate::trend::{Change, Direction, Mark, Moved, Night as OneNight, Point, Presence};
    use crate::view::html;

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
            OneNight {
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

    fn shown(section: Section) -> String {
        let mut page = Section::new("page");
        page.section(section);
        html::Html::from(html::section("page", &page)).into_string()
    }

    #[test]
    fn a_series_is_drawn_with_its_alarm_its_gap_and_its_mark() {
        let html = shown(of_trend(&trend()));
        for part in [
            "2024-10-08: worse: broken rose from 5.0 % to 20.0 % (+15.0 points; p=0e0), mostly shop",
            "class=\"span worse\"",
            "2024-10-11: another rulebook: calibrated instead of guide",
            "2024-10-08: new: &lt;b&gt;timeout (3 calls in the last night)",
            "a torn partition was passed over",
            "role=\"img\" aria-label=\"broken: 5.0 % · 5 of 100 in the last night; 2024-10-08: worse",
        ] {
            assert!(html.contains(part), "{part}\n{html}");
        }
        assert_eq!(html.matches("class=\"line\"").count(), 1, "one stretch of eight nights");
        assert_eq!(html.matches("class=\"band\"").count(), 2, "and one of a single night");
        assert_eq!(html.matches("class=\"adjusted\"").count(), 2);
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
        let html = shown(of_trend(&of_servers));
        assert_eq!(html.matches("<figure").count(), 1);
        assert!(html.contains("1 series at 0 % every night"), "{html}");
        assert!(html.contains("<strong>my_server</strong>"), "{html}");
    }
}
