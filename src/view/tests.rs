//! What writers make of sections and of single values.

use super::html::Html;
use super::*;
use crate::cases;
use crate::count::tally::{Interval, Share};
use std::str::FromStr;

const HOSTILE: &str = "a\n::error::\r\n| x |`c` *b* _i_ [l](http://x.test) \"><script>alert(1)</script><img src=x onerror='x'> @all www.x.test #1 \u{1b}[31m \u{202e}";

/// A section in which a name stands wherever recorded text can.
fn sample(name: &str) -> Section {
    let mut table = Table::headed(["name"], ["n", "none"]);
    let linked = Cell::text(Line::link(name, format!("#of?{name}")));
    table.push([linked, Cell::count(1_234).toned(Tone::Worse).strong(true), Cell::empty()]);
    table.push([Cell::name(""), Cell::count(7), Cell::empty()]);
    let mut item = Item::new(Line::from("at ").styled(name, Style::Hit));
    item.below.push(Block::Text(name.into()));
    let mut card = Section::new(Line::recorded(name));
    card.fields(vec![Field::new("before", Line::recorded(name))]);
    card.items(vec![item, Item::new("second")]);
    card.table(table);
    card.fold(name, vec![Block::Text(Line::recorded(name).styled(name, Style::Hit))]);
    let mut whole = Section::new("a -> b");
    whole.text(format!("plain {name}"));
    whole.note("a note");
    whole.section(card);
    whole
}

fn prose() -> Section {
    let mut section = Section::default();
    section.fields(vec![Field::new("text", "one two three four five six ".repeat(4))]);
    section.text("x".repeat(70));
    section.text(Line::command("a command ".repeat(7)));
    section
}

fn page(section: &Section) -> String {
    Html::from(html::section("part", section)).into_string()
}

/// The word of a line at a place.
fn nth<T: FromStr + Default>(line: &str, at: usize) -> T {
    line.split(' ').nth(at).and_then(|word| word.parse().ok()).unwrap_or_default()
}

fn shown(line: &str) -> String {
    let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
    let text = serde_json::from_str(rest).unwrap_or_else(|_| rest.to_owned());
    let within = |cell: Cell| cell.within(Interval { low: nth(rest, 2), high: nth(rest, 3) });
    let cell = match what {
        "share" => Cell::share_within(Share { hits: nth(rest, 0), of: nth(rest, 1) }),
        "ratio" => Cell::ratio(Share { hits: nth(rest, 0), of: nth(rest, 1) }),
        "number" => within(Cell::number(nth::<f64>(rest, 0), nth(rest, 1))),
        "signed" => within(Cell::number(nth::<f64>(rest, 0), nth(rest, 1))).signed("*"),
        "difference" => within(Cell::difference(nth::<f64>(rest, 0), nth(rest, 1))),
        "p" => Cell::p(nth(rest, 0)),
        "percent" => return percent(nth(rest, 0)),
        "points" => return points(nth(rest, 0), nth(rest, 1)),
        "bar" => return bar(nth(rest, 0), nth(rest, 1)),
        "middle" => {
            let (most, name) = rest.split_once(' ').expect("a width and a name");
            return text::without_middle(name, most.parse().expect("a number"));
        }
        "in-text" => return text::text(&[sample(rest)], 60),
        "in-markdown" => return markdown::markdown(&sample(rest), 3),
        "in-html" => return page(&sample(rest)).replace('>', ">\n").replace("\n</", "</"),
        "prose" => return text::text(&[prose()], 60),
        "terminal" => return escape::terminal(&text),
        "log-line" => return escape::log_line(text),
        "markdown" => return escape::markdown(&text),
        "command" => return escape::command(&text),
        "property" => return escape::property(&text),
        "sarif" => return escape::sarif(&text),
        "uri" => return escape::uri(&text),
        "json" => return Html::json(&text).into_string(),
        what => panic!("{what} is not known"),
    };
    cell.line().plain()
}

#[test]
fn values_and_sections_are_written_as_their_cases_show() {
    cases::check("tests/cases/views.txt", |case| {
        case.text.lines().map(shown).collect::<Vec<_>>().join("\n")
    });
}

#[test]
fn recorded_text_stays_text() {
    let text = text::text(&[sample(HOSTILE)], 60);
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{text}");
    let [plain, hostile] = ["acme", HOSTILE].map(|name| markdown::markdown(&sample(name), 3));
    assert_eq!(hostile.lines().count(), plain.lines().count(), "no line is broken:\n{hostile}");
    let ours = ["<code>", "</code>", "<b>", "</b>"];
    let rest = ours.iter().fold(hostile.clone(), |text, tag| text.replace(tag, ""));
    assert!(!rest.contains(['<', '@', '\u{1b}', '\u{202e}', '`']), "{rest}");
    for broken in ["http:", "www.", "[l]", "_i_", "*b*", " #1", "| x |"] {
        assert!(!rest.contains(broken), "{broken} in:\n{rest}");
    }
    let [plain, hostile] = ["acme", HOSTILE].map(|name| page(&sample(name)));
    for mark in ['<', '>', '"'] {
        let [count, others] = [&hostile, &plain].map(|page| page.matches(mark).count());
        assert_eq!(count, others, "{mark} in {hostile}");
    }
    assert!(!hostile.contains(['\u{202e}', '\u{1b}', '\'']), "{hostile}");
}

#[test]
fn json_in_a_page_says_the_same() {
    let value = serde_json::json!({"a": "</script><!--\u{2028}&"});
    let text = Html::json(&value.to_string()).into_string();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON"), value);
}

#[test]
fn a_document_is_bounded() {
    let mut document = markdown::Document::new(500);
    let section = sample("acme");
    assert!(document.push(&section, 3, 0));
    assert!(!document.push(&section, 3, 200), "no room is left for the rest");
    assert!(document.push(&Section::default(), 3, 0));
    assert!(document.into_text().len() <= 500);
}

#[test]
fn what_has_no_room_in_a_line_stands_below() {
    let heads = ["name", "a number of something", "another one of it", "the last"];
    let mut table = Table::headed([], heads);
    let long = "a name that is longer than it ought to be";
    table.push([Cell::name(long)].into_iter().chain([1, 2, 3].map(Cell::count)));
    let mut section = Section::default();
    section.table(table);
    let [narrow, wide] = [60, 100].map(|width| text::text(std::slice::from_ref(&section), width));
    assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
    assert!(narrow.lines().count() > wide.lines().count(), "{narrow}");
    assert_eq!(wide.lines().count(), 2, "{wide}");
    assert!(wide.contains(long) && !narrow.contains(long), "{narrow}{wide}");
    assert!(heads.iter().all(|head| narrow.contains(head)), "{narrow}");
}
