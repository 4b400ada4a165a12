//! Nights with a story, and what is said of them.

use super::{FIRST, Nightly};
use crate::recording::Day;
use crate::trend::show::{View, change_sentence, sections, worse_servers, write_json};
use crate::trend::{Apart, By, Direction, LookFor, Mark, Presence, Settings, Trend};
use crate::view::text::text;

/// Exchanges of a night of which so many of 1,000 work; a few more or less, as nights have it.
fn night(working: u32, at: u32) -> [u32; 5] {
    let working = working + at % 3 * 8 - 8;
    [working, 0, 0, 1000 - working, 0]
}

fn json_of(view: &View<'_>) -> serde_json::Value {
    let mut text = Vec::new();
    write_json(view, &mut text).expect("in memory");
    serde_json::from_slice(&text).expect("one JSON object")
}

fn changes_of(trend: &Trend, name: &str) -> Vec<(usize, Option<usize>, Option<bool>)> {
    let series = trend.series.iter().find(|series| series.name == name).expect("a series");
    series.changes.iter().map(|it| (it.from, it.until, it.worse)).collect()
}

#[test]
fn an_incident_is_told_with_its_first_night_and_when_it_was_over() {
    let mut nightly = Nightly::new();
    for at in 0..40 {
        let mail = if (20..23).contains(&at) { 700 } else { 950 };
        nightly.night("guide", &[("mail", night(mail, at)), ("maps", night(900, at))]);
    }
    let trend = nightly.trend(By::Class);
    assert_eq!(changes_of(&trend, "fully_working"), [(20, Some(23), Some(true))]);
    assert_eq!(changes_of(&trend, "error"), [(20, Some(23), Some(true))]);
    assert_eq!(trend.series[0].good, Direction::Up);
    let change = &trend.series[0].changes[0];
    assert!((change.before - 0.925).abs() < 0.01 && (change.after - 0.8).abs() < 0.01);
    assert!((change.covered - 1.0).abs() < 1e-9);
    let servers: Vec<&str> = change.servers.iter().map(|moved| moved.name.as_str()).collect();
    assert_eq!(servers, ["mail"]);
    let sentence = change_sentence(&trend, &trend.series[0], change);
    assert!(
        sentence.starts_with("2026-09-21: worse: fully_working fell from 92.5 %"),
        "{sentence}"
    );
    assert!(sentence.ends_with("back since 2026-09-24"), "{sentence}");
    let by_server = nightly.trend(By::Server);
    assert_eq!(changes_of(&by_server, "mail"), [(20, Some(23), Some(true))]);
    assert_eq!(changes_of(&by_server, "maps"), []);
    assert!(worse_servers(&by_server).is_empty());
}

#[test]
fn what_lasts_longer_than_the_window_is_the_level() {
    let mut nightly = Nightly::new();
    for at in 0..90 {
        let working = if (20..70).contains(&at) { 800 } else { 950 };
        nightly.night("guide", &[("mail", night(working, at))]);
    }
    let trend = nightly.trend(By::Class);
    let wanted = [(20, None, Some(true)), (70, None, Some(false))];
    assert_eq!(changes_of(&trend, "fully_working"), wanted);
    let changes = &trend.series[0].changes;
    assert_eq!(changes.iter().map(|change| change.settled).collect::<Vec<_>>(), [true, false]);
    assert!(!changes[0].is_open() && changes[1].is_open());
}

#[test]
fn another_mix_is_a_mark_and_no_change() {
    let mut nightly = Nightly::new();
    let scaled = |classes: [u32; 5], by: u32| classes.map(|count| count * by / 10);
    for at in 0..30 {
        let (good, bad) = if at < 20 { (9, 1) } else { (3, 7) };
        let servers =
            [("good", scaled(night(980, at), good)), ("bad", scaled(night(500, at), bad))];
        nightly.night("guide", &servers);
    }
    let trend = nightly.trend(By::Class);
    assert!(trend.series.iter().all(|series| series.changes.is_empty()));
    let [Mark::Mix { moved, appeared, vanished }] = &trend.nights[20].marks[..] else {
        panic!("one mark: {:?}", trend.nights[20].marks);
    };
    assert!((moved - 0.6).abs() < 0.02 && appeared.is_empty() && vanished.is_empty());
    assert!((0..30).filter(|at| *at != 20).all(|at| trend.nights[at].marks.is_empty()));
    // The share falls, the share with the mix of the nights before does not.
    let [before, after] = [19, 20].map(|at| trend.series[0].points[at].expect("exchanges"));
    assert!(before.share() - after.share() > 0.2);
    assert!((before.adjusted.unwrap_or(0.0) - after.adjusted.unwrap_or(0.0)).abs() < 0.03);
}

#[test]
fn another_rulebook_is_a_mark_and_the_nights_before_it_are_no_measure() {
    let mut nightly = Nightly::new();
    for at in 0..30 {
        let (rulebook, working) = if at < 20 { ("guide", 950) } else { ("strict", 700) };
        nightly.night(rulebook, &[("mail", night(working, at))]);
    }
    let trend = nightly.trend(By::Class);
    assert!(trend.series.iter().all(|series| series.changes.is_empty()));
    let mark = Mark::Rulebook { before: "guide".to_owned(), after: "strict".to_owned() };
    assert_eq!(trend.nights[20].marks, [mark]);
    assert_eq!(trend.series[0].points[20].expect("exchanges").adjusted, None);
}

#[test]
fn what_sets_the_last_night_apart_is_told() {
    let mut nightly = Nightly::new();
    nightly.night("guide", &[("mail", night(950, 0))]);
    nightly.night("strict", &[("mail", night(700, 1))]);
    let apart = |nightly: &Nightly| nightly.trend(By::Class).apart;
    assert_eq!(apart(&nightly), Apart { rulebook: true, ..Apart::default() });
    nightly.night("strict", &[("mail", night(700, 2)), ("new", night(700, 2))]);
    assert_eq!(apart(&nightly), Apart { mix: true, ..Apart::default() });
    nightly.night("strict", &[("mail", night(700, 3)), ("new", night(700, 3))]);
    assert_eq!(apart(&nightly), Apart::default());
}

#[test]
fn servers_that_come_and_go_are_told() {
    let mut nightly = Nightly::new();
    for at in 0..30 {
        let mut servers = vec![("mail", night(950, at))];
        if at < 12 {
            servers.push(("old", night(950, at)));
        }
        if at >= 18 {
            servers.push(("new", night(950, at)));
        }
        nightly.night("guide", &servers);
    }
    let trend = nightly.trend(By::Server);
    let new = Presence::New { name: "new".to_owned(), night: 18, count: 1000 };
    let gone = Presence::Vanished { name: "old".to_owned(), last: 11 };
    assert_eq!(trend.presences, [new, gone]);
    let appeared = |at: usize| match &trend.nights[at].marks[..] {
        [Mark::Mix { appeared, vanished, .. }] => (appeared.clone(), vanished.clone()),
        other => panic!("one mark: {other:?}"),
    };
    assert_eq!(appeared(12), (vec![], vec!["old".to_owned()]));
    assert_eq!(appeared(18), (vec!["new".to_owned()], vec![]));
}

#[test]
fn issue_types_are_told_when_they_come_and_nights_without_runs_are_gaps() {
    let mut nightly = Nightly::new();
    for at in 0..25 {
        if at == 10 {
            nightly.gap();
        }
        nightly.night("guide", &[("mail", night(950, at))]);
        nightly.issue("mail", "error tool_failure", 40 + at % 5);
        if at >= 22 {
            nightly.issue("mail", "warning leaked_path", 9);
        }
    }
    let trend = nightly.trend(By::IssueType);
    assert_eq!(trend.nights.len(), 26);
    assert_eq!(trend.nights[10].exchanges, 0);
    assert_eq!(trend.series[0].points[10], None);
    assert!(trend.notes.iter().any(|note| note.starts_with("1 of 26 nights have no calls")));
    let new = Presence::New { name: "warning leaked_path".to_owned(), night: 23, count: 9 };
    assert_eq!(trend.presences, [new]);
    let names: Vec<&str> = trend.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["error tool_failure", "warning leaked_path"], "most of tonight first");
    assert_eq!(changes_of(&trend, "warning leaked_path"), [(23, None, Some(true))]);
}

#[test]
fn of_late_the_same_is_said_of_the_last_nights() {
    let mut nightly = Nightly::new();
    for at in 0..400 {
        let working = if at >= 397 || (40..45).contains(&at) { 800 } else { 950 };
        nightly.night("guide", &[("mail", night(working, at))]);
        if at >= 395 {
            nightly.issue("mail", "warning leaked_path", 9);
        }
    }
    let lately = |by: By| Settings { by, look_for: LookFor::Lately, ..Settings::default() };
    let trend = nightly.with(&lately(By::Class));
    assert_eq!(trend.nights.len(), 4 * Settings::WINDOW);
    let from = 397 - (400 - trend.nights.len());
    assert_eq!(changes_of(&trend, "fully_working"), [(from, None, Some(true))]);
    let issues = nightly.with(&lately(By::IssueType));
    let new = Presence::New { name: "warning leaked_path".to_owned(), night: from - 2, count: 9 };
    assert_eq!(issues.presences, [new]);
}

#[test]
fn nights_before_since_tell_what_is_usual_and_are_not_shown() {
    let mut nightly = Nightly::new();
    for at in 0..40 {
        let working = if at >= 35 || (10..12).contains(&at) { 800 } else { 950 };
        nightly.night("guide", &[("mail", night(working, at))]);
    }
    let settings = Settings { since: Some(Day(FIRST.0 + 30)), ..Settings::default() };
    let trend = nightly.with(&settings);
    assert_eq!(trend.nights.len(), 10);
    assert_eq!(trend.nights[0].day, Day(FIRST.0 + 30));
    assert_eq!(changes_of(&trend, "worked"), [(5, None, Some(true))]);
    let everything = nightly.trend(By::Class);
    let (all, shown) = (&everything.series[0].changes, &trend.series[0].changes);
    assert_eq!((all.len(), all[1].p_value), (2, shown[0].p_value));
    let late = Settings { since: Some(Day(FIRST.0 + 37)), ..Settings::default() };
    let late = nightly.with(&late);
    assert_eq!(late.series[0].changes[0].began, Day(FIRST.0 + 35), "it goes on");
    let expected = trend.series[0].expected.expect("nights before");
    assert!((expected - 0.95).abs() < 0.02, "by the level that was left: {expected}");
    let none = Settings { by: By::Server, since: Some(Day(FIRST.0 + 400)), ..Settings::default() };
    let none = nightly.with(&none);
    assert!(none.nights.is_empty() && worse_servers(&none).is_empty());
}

#[test]
fn no_line_is_wider_than_the_terminal_and_names_are_harmless() {
    let mut nightly = Nightly::new();
    let hostile =
        "\u{1b}[31mred \u{202e}evil name that goes on for so much longer than any column has";
    for at in 0..60 {
        let working = if at >= 57 { 700 } else { 950 };
        nightly.night("guide", &[(hostile, night(working, at)), ("maps", night(940, at))]);
        nightly.issue(hostile, "error tool_failure", 1000 - working);
    }
    let [classes, issue_types, servers] =
        [By::Class, By::IssueType, By::Server].map(|by| nightly.trend(by));
    for trend in [&classes, &servers, &issue_types] {
        let view = View { trend, issue_types: &issue_types, servers: &servers };
        let text = text(&sections(&view), 80);
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest.is_some_and(|widest| widest <= 80), "{widest:?} in\n{text}");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
        assert!(text.contains("servers that got worse"), "{text}");
        assert!(text.contains("3 nights each"), "{text}");
        let json = json_of(&view);
        assert_eq!(json["nights"].as_array().map(Vec::len), Some(60));
        assert_eq!(json["worse_servers"][0]["name"], hostile);
    }
}

#[test]
fn of_nothing_nothing_is_said() {
    let trend = Nightly::new().with(&Settings::default());
    let view = View { trend: &trend, issue_types: &trend, servers: &trend };
    assert_eq!(text(&sections(&view), 80), "no nights to show\n");
    assert_eq!(json_of(&view)["nights"], serde_json::json!([]));
}

#[test]
fn exchanges_of_a_clock_that_was_never_set_leave_something_to_see() {
    let mut nightly = Nightly::new();
    nightly.night("guide", &[("mail", night(950, 0))]);
    for _ in 0..5000 {
        nightly.gap();
    }
    for at in 0..24 {
        nightly.night("guide", &[("mail", night(950, at))]);
    }
    let trend = nightly.trend(By::Class);
    let view = View { trend: &trend, issue_types: &trend, servers: &trend };
    let text = text(&sections(&view), 80);
    assert!(text.contains("a night each"), "{text}");
    assert!(text.contains("drawn from 2040-05-11 on"), "{text}");
    assert!(text.contains("5,000 of 5,025 nights have no calls"), "{text}");
}

#[test]
fn another_mix_within_a_change_does_not_end_it() {
    let mut nightly = Nightly::new();
    for at in 0..30 {
        // One server fails from night 24 on; another, always worse than the rest, calls more or less.
        let failing = if at >= 24 { 40 } else { 0 };
        let often = [2, 20, 4, 36, 8][at % 5];
        let servers = [
            ("mail", [60 - failing, 0, 0, failing, 0]),
            ("maps", [500, 0, 0, 1, 0]),
            ("shaky", [often * 19, 0, 0, often, 0]),
        ];
        nightly.night("guide", &servers);
    }
    let trend = nightly.trend(By::Class);
    assert_eq!(changes_of(&trend, "error"), [(24, None, Some(true))]);
}

/// The tests of young, unlike and rare things stand here: what little is known is not told as much.
#[test]
fn where_hardly_anything_can_be_compared_no_difference_is_told() {
    let mut nightly = Nightly::new();
    for at in 0..12 {
        nightly.night("guide", &[("mail", night(950, at)), ("maps", [2, 0, 0, 0, 0])]);
    }
    // Of 1,002 exchanges two are of a server that was there before.
    nightly.night("guide", &[("shop", [700, 0, 0, 300, 0]), ("maps", [0, 0, 0, 2, 0])]);
    let trend = nightly.trend(By::Class);
    let series = trend.series.iter().find(|series| series.name == "error").expect("a series");
    let point = series.points[12].expect("a point");
    assert!((point.covered - 2.0 / 1002.0).abs() < 1e-9, "{point:?}");
    assert_eq!((series.expected, point.adjusted), (None, None));
    assert_eq!(series.points[11].map(|point| point.covered), Some(1.0));
    let view = View { trend: &trend, issue_types: &trend, servers: &trend };
    let text = text(&sections(&view), 80);
    let wanted = "+/- compares 0.2 % of the last night's calls";
    assert!(text.contains(wanted), "{text}");
    let row = text.lines().find(|line| line.trim_start().starts_with("error ")).expect("a row");
    assert!(row.ends_with(')'), "no difference behind the interval: {row}");
}

#[test]
fn of_a_stable_mix_with_many_rare_tools_the_adjusted_share_is_near_the_share() {
    let mut nightly = Nightly::new();
    let names: Vec<String> = (0..200).map(|tool| format!("rare-{tool}")).collect();
    for at in 0..40_usize {
        // Each is called every tenth night, and fails then as often as all others.
        let called =
            names.iter().enumerate().filter(|(tool, _)| (tool * 7 + at).is_multiple_of(10));
        let failing = |tool: usize| u32::from((tool + at).is_multiple_of(4));
        let mut servers: Vec<(&str, [u32; 5])> = called
            .map(|(tool, name)| (name.as_str(), [1 - failing(tool), 0, 0, failing(tool), 0]))
            .collect();
        servers.push(("mail", night(950, u32::try_from(at).expect("few"))));
        nightly.night("guide", &servers);
    }
    let trend = nightly.trend(By::Class);
    let series = &trend.series[0];
    for point in series.points.iter().skip(30).flatten() {
        let adjusted = point.adjusted.expect("nearly all can be compared");
        assert!((adjusted - point.share()).abs() < 0.01, "{point:?}");
    }
}

#[test]
fn names_take_the_room_that_few_nights_leave() {
    let mut nightly = Nightly::new();
    let name = "a server with a rather long name";
    nightly.night("guide", &[(&name[..30], night(950, 0))]);
    let trend = nightly.trend(By::Server);
    let text = text(&sections(&View { trend: &trend, issue_types: &trend, servers: &trend }), 80);
    assert!(text.contains(&name[..30]), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_young_history_is_not_said_to_be_without_changes() {
    let mut nightly = Nightly::new();
    for at in 0..3 {
        nightly.night("guide", &[("mail", night(950, at))]);
        let trend = nightly.trend(By::Class);
        let text =
            text(&sections(&View { trend: &trend, issue_types: &trend, servers: &trend }), 80);
        assert!(!text.contains("+/- is by"), "nothing is compared, or all: {text}");
    }
    let line = |nightly: &Nightly| {
        let trend = nightly.trend(By::Class);
        text(&sections(&View { trend: &trend, issue_types: &trend, servers: &trend }), 80)
    };
    assert!(line(&nightly).contains("\ntoo few nights to find changes"), "{}", line(&nightly));
    nightly.night("guide", &[("mail", night(950, 3))]);
    assert!(line(&nightly).contains("\nno changes\n"), "{}", line(&nightly));
}

#[test]
fn a_change_has_the_same_nights_and_p_whatever_else_is_looked_at() {
    let mut nightly = Nightly::new();
    for at in 0..60 {
        let failing = if at >= 54 { 90 } else { 26 };
        nightly.night("guide", &[("mail", night(1000 - failing, at)), ("maps", night(950, at))]);
    }
    let line = |together: u32, look_for: LookFor| {
        let settings = Settings { by: By::Class, together, look_for, ..Settings::default() };
        let trend = nightly.with(&settings);
        let series = trend.series.iter().find(|series| series.name == "error").expect("a series");
        assert_eq!(series.changes.len(), 1, "{:?}", series.changes);
        (trend.nights[series.changes[0].from].day, series.changes[0].p_value)
    };
    let alone = line(1, LookFor::Everything);
    assert_eq!(alone.0, Day(FIRST.0 + 54));
    for together in [4, 1000, 100_000] {
        assert_eq!(line(together, LookFor::Lately), alone, "{together}");
    }
}

#[test]
fn a_night_that_is_not_there_yet_is_answered_with_the_last_one() {
    let mut nightly = Nightly::new();
    nightly.night("guide", &[("mail", night(950, 0))]);
    let since = Some(Day(FIRST.0 + 1));
    let trend = nightly.with(&Settings { since, ..Settings::default() });
    let text = text(&sections(&View { trend: &trend, issue_types: &trend, servers: &trend }), 80);
    assert!(text.contains("the last night is 2026-09-01: give that or an earlier one"), "{text}");
}

#[test]
fn a_tool_is_not_told_to_have_changed_mostly_by_its_server() {
    let mut nightly = Nightly::new();
    for at in 0..40 {
        nightly.night("guide", &[("mail", night(if at < 35 { 950 } else { 700 }, at))]);
    }
    for by in [By::Tool, By::Server] {
        let trend = nightly.trend(by);
        let sentence = change_sentence(&trend, &trend.series[0], &trend.series[0].changes[0]);
        assert!(!sentence.contains("mostly"), "{sentence}");
    }
    let trend = nightly.trend(By::Class);
    let sentence = change_sentence(&trend, &trend.series[0], &trend.series[0].changes[0]);
    assert!(sentence.contains("mostly mail"), "{sentence}");
}

#[test]
fn what_nobody_knows_enters_no_share_but_its_own() {
    let mut nightly = Nightly::new();
    for night in 0..20 {
        nightly.night("guide", &[("mail", [50, 5, 0, 0, 0]), ("maps", [60, 0, 0, 0, 0])]);
        if night >= 17 {
            nightly.unknown("mail", 300);
        }
    }
    // A server of which nobody knows anything is there all the same.
    nightly.night("guide", &[("mail", [50, 5, 0, 0, 0])]).unknown("maps", 60).unknown("mail", 300);
    let last = |trend: &Trend, name: &str| {
        let found = trend.series.iter().find(|series| series.name == name);
        let series = found.unwrap_or_else(|| panic!("no {name}"));
        assert!(series.changes.is_empty() || name == "unknown", "{name}: {:?}", series.changes);
        series.points.last().copied().flatten().map(|point| [point.count, point.out_of])
    };
    let by_outcome = nightly.trend(By::Outcome);
    assert_eq!(last(&by_outcome, "failed"), Some([5, 55]));
    assert_eq!(last(&by_outcome, "worked"), Some([50, 55]));
    assert_eq!(last(&by_outcome, "unknown"), Some([360, 415]), "its own share is of all");
    let by_server = nightly.trend(By::Server);
    assert_eq!(last(&by_server, "mail"), Some([5, 55]));
    assert_eq!(last(&by_server, "maps"), None, "nothing can be said of it");
    assert!(by_server.presences.is_empty(), "{:?}", by_server.presences);
}
