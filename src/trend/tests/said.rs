//! What is said of nights.

use super::{Classes, FIRST, Nightly};
use crate::cases;
use crate::recording::Day;
use crate::trend::show::{View, sections, write_json, write_tables};
use crate::trend::{By, Settings};
use crate::view::text::{line, text};

/// Reads `by class since 2026-09-03 lately`.
fn settings(asked: &str) -> Settings {
    let mut settings = Settings::default();
    let words: Vec<&str> = asked.split(' ').collect();
    for pair in words.windows(2) {
        match pair[0] {
            "by" => settings.by = By::of_name(pair[1]).expect("by"),
            "since" => settings.since = Some(pair[1].parse().expect("a day")),
            _ => {}
        }
    }
    settings.lately = words.contains(&"lately");
    settings
}

/// What is said by settings: places of the JSON object, or sections with these words in their titles.
fn said(nightly: &Nightly, question: &str) -> String {
    let (asked, part) = question.split_once(": ").expect("what is asked for");
    let settings = settings(asked);
    let [trend, issue_types, servers] = [settings.by, By::IssueType, By::Server]
        .map(|by| nightly.with(&Settings { by, ..settings }));
    let view = View { trend: &trend, issue_types: &issue_types, servers: &servers };
    if part.starts_with('/') {
        let mut json = Vec::new();
        write_json(&view, &mut json).expect("in memory");
        let json: serde_json::Value = serde_json::from_slice(&json).expect("one JSON object");
        let round = |number: f64| ((number * 1e10).round() / 1e10).to_string();
        let place = |at: &str| match json.pointer(at).unwrap_or_else(|| panic!("no {at}")) {
            value if value.is_f64() => value.as_f64().map_or_else(String::new, round),
            value => value.to_string(),
        };
        return part.split(' ').map(place).collect::<Vec<_>>().join(" ");
    }
    let mut shown = sections(&view);
    match part {
        "screen" => return text(&shown, 80),
        "rows" => shown.retain(|section| section.title.is_empty()),
        title => shown.retain(|section| line(&section.title).contains(title)),
    }
    if shown.is_empty() { "nothing".to_owned() } else { text(&shown, usize::MAX) }
}

#[test]
fn nights_are_told_as_their_cases_list() {
    cases::check("tests/cases/nights.txt", |case| {
        let (questions, nights) = case.questions(&["by"]);
        let nightly = Nightly::read(&nights);
        let answers: Vec<String> = questions.iter().map(|it| said(&nightly, it)).collect();
        answers.join("\n")
    });
}

#[test]
fn no_line_is_wider_than_the_terminal_and_names_are_harmless() {
    let hostile = "\u{1b}[31mred \u{202e}evil name that goes on for so much longer than any column";
    let nights = "57 nights: NAME 942 950 958, maps 940, NAME has error tool_failure 50
3 nights: NAME 700, maps 940, NAME has error tool_failure 300";
    let nightly = Nightly::read(&nights.replace("NAME", hostile));
    let [classes, issue_types, servers] =
        [By::Class, By::IssueType, By::Server].map(|by| nightly.trend(by));
    for trend in [&classes, &servers, &issue_types] {
        let view = View { trend, issue_types: &issue_types, servers: &servers };
        let text = text(&sections(&view), 80);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']));
        for wanted in ["servers that got worse", "3 nights each"] {
            assert!(text.contains(wanted), "{text}");
        }
        let mut json = Vec::new();
        write_json(&view, &mut json).expect("in memory");
        let json: serde_json::Value = serde_json::from_slice(&json).expect("one JSON object");
        assert_eq!(json["nights"].as_array().map(Vec::len), Some(60));
        assert_eq!(json["worse_servers"][0]["name"], hostile);
    }
}

#[test]
fn of_a_stable_mix_with_many_rare_tools_the_adjusted_share_is_near_the_share() {
    let mut nightly = Nightly::default();
    let names: Vec<String> = (0..200).map(|tool| format!("rare-{tool}")).collect();
    for at in 0..40 {
        // Each is called every tenth night, and fails then as often as all others.
        let called =
            names.iter().enumerate().filter(|(tool, _)| (tool * 7 + at).is_multiple_of(10));
        let failing = |tool: usize| u32::from((tool + at).is_multiple_of(4));
        let called =
            called.map(|(tool, name)| (name.as_str(), [1 - failing(tool), 0, 0, failing(tool), 0]));
        let mut servers: Vec<(&str, Classes)> = called.collect();
        servers
            .push(("mail", [[942, 0, 0, 58, 0], [950, 0, 0, 50, 0], [958, 0, 0, 42, 0]][at % 3]));
        nightly.night("guide", &servers);
    }
    for point in nightly.trend(By::Class).series[0].points.iter().skip(30).flatten() {
        let adjusted = point.adjusted.expect("nearly all can be compared");
        assert!((adjusted - point.share).abs() < 0.01, "{point:?}");
    }
}

#[test]
fn a_change_has_the_same_nights_and_p_whatever_else_is_looked_at() {
    let nights = "54 nights: mail 966 974 982, maps 942 950 958
6 nights: mail 902 910 918, maps 942 950 958";
    let nightly = Nightly::read(nights);
    let line = |together, lately, since| {
        let since = Some(Day(FIRST.0 + since));
        let trend = nightly.with(&Settings {
            by: By::Class,
            together,
            lately,
            since,
            ..Settings::default()
        });
        let series = trend.series.iter().find(|series| series.name == "error").expect("a series");
        assert_eq!(series.changes.len(), 1, "{:?}", series.changes);
        (series.changes[0].from, series.changes[0].p_value)
    };
    let alone = line(1, false, 0);
    assert_eq!(alone.0, Day(FIRST.0 + 54));
    assert_eq!(line(1, false, 40), alone);
    for together in [4, 1000, 100_000] {
        assert_eq!(line(together, true, 0), alone, "{together}");
    }
}

#[test]
fn of_a_change_that_is_the_level_now_only_the_first_night_is_an_alarm() {
    let alarms = |nights: &str| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write_tables(folder.path(), &Nightly::read(nights).trend(By::Class)).expect("written");
        let csv = std::fs::read_to_string(folder.path().join("trend.csv")).expect("text");
        csv.lines().filter(|line| line.contains(",error,") && line.ends_with("true")).count()
    };
    assert_eq!(alarms("20 nights: mail 942 950 958\n5 nights: mail 692 700 708"), 5);
    assert_eq!(alarms("20 nights: mail 942 950 958\n60 nights: mail 692 700 708"), 1);
}
