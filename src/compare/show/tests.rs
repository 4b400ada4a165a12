//! One comparison in all its forms.

use super::{as_json, as_markdown, flip_line, sections, write_tables};
use crate::compare::testing::{cause, error, side, verdict};
use crate::compare::{
    Comparison, Excerpt, Group, Question, Side, Texts, compare_with, match_sides,
};
use crate::store::{Span, Table};
use crate::verdict::{Classification, grouped};
use crate::view::text::text;
use std::fs;

const COMMAND: &str = "tapecheck diff a b";
/// What recorded names may hold.
const HOSTILE: &str = "a\n# h\r\n| x |`c` *b* _i_ [l](http://x.test) <script>alert(1)</script> @all www.x.test #1 \u{1b}[31m \u{202e}";

/// Two exchanges of a server and one of another regress; one stays as it is.
fn sides(server: &str, text: &str) -> [Side; 2] {
    let refused = error(Classification::FullyWorking, true);
    let hit = text.find("not found").unwrap_or(0);
    let at = |byte: usize| u32::try_from(byte).expect("short");
    let pattern = "not found".to_owned();
    let spans = vec![Span { start: at(hit), end: at(hit + 9), pattern, sent: None }];
    let shown = Excerpt { text: text.to_owned(), spans };
    let failed = error(Classification::Error, false);
    let exchanges = [(1, server, 0), (2, server, 0), (3, "other", 0), (4, server, 1)];
    let mut before = side("reports/a", vec![refused, verdict()], &exchanges);
    before.texts = Texts::of([(1, shown)]);
    let after = side("reports/b", vec![failed, verdict()], &exchanges);
    [before, after]
}

fn compared([before, after]: &[Side; 2], change: &str) -> Comparison {
    let cause = cause("business_patterns/not found", change);
    let by = |questions: &[Question]| vec![cause; questions.len()];
    compare_with([before, after], match_sides(before, after), by)
}

#[test]
fn nothing_recorded_acts_on_a_terminal() {
    let sides = sides(HOSTILE, &format!("{HOSTILE} not found"));
    let comparison = compared(&sides, HOSTILE);
    let mut shown = text(&sections(&comparison, 20, COMMAND), usize::MAX);
    for flip in &comparison.flips {
        shown += &flip_line([&sides[0], &sides[1]], flip);
    }
    let acting = shown.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
    assert_eq!(acting, None, "{shown}");
    assert!(!shown.lines().any(|line| line.starts_with("# h")), "{shown}");
}

#[test]
fn markdown_takes_recorded_text_for_nothing_but_text() {
    let plain = as_markdown(&compared(&sides("acme", "plain not found"), "plain"), 60_000, COMMAND);
    let hostile_sides = sides(HOSTILE, &format!("{HOSTILE} not found"));
    let markdown = as_markdown(&compared(&hostile_sides, HOSTILE), 60_000, COMMAND);
    assert_eq!(markdown.lines().count(), plain.lines().count(), "no line is broken:\n{markdown}");
    let ours = ["<code>", "</code>", "<b>", "</b>"];
    let rest = ours.iter().fold(markdown.clone(), |text, tag| text.replace(tag, ""));
    assert!(!rest.contains(['<', '@', '\u{1b}', '\u{202e}', '\\']), "{rest}");
    for broken in ["http:", "www.", "[l]", "_i_", "*b*", " #1", "| x |"] {
        assert!(!rest.contains(broken), "{broken} in:\n{rest}");
    }
    let pipes = |text: &str| text.matches('|').count();
    assert_eq!(pipes(&markdown), pipes(&plain), "no table has another cell");
    let ticks = |text: &str| text.matches('`').count();
    assert_eq!(ticks(&markdown), ticks(&plain), "no code begins or ends elsewhere");
    assert!(markdown.contains("<b>not found</b></code>"), "{markdown}");
    assert_eq!(markdown.matches("<code>").count(), markdown.matches("</code>").count());
}

#[test]
fn markdown_is_bounded_and_counts_what_it_leaves_out() {
    let sides = sides("acme", "plain not found");
    let mut comparison = compared(&sides, "plain");
    let group = comparison.groups[0].clone();
    comparison.groups =
        (0..500).map(|number| Group { id: format!("{number:08}"), ..group.clone() }).collect();
    for most in [3_000, 10_000, 60_000] {
        let markdown = as_markdown(&comparison, most, COMMAND);
        assert!(markdown.len() <= most, "{} of {most}", markdown.len());
        let shown = markdown.matches("#### regressed").count();
        let bare = shown - markdown.matches("  - text: <code>").count();
        let rest = 500 - shown;
        let left_out = format!("{rest} groups with {} calls.", grouped(3 * rest as u64));
        assert!(rest == 0 || markdown.contains(&left_out), "no `{left_out}` in:\n{markdown}");
        let left_out = format!("Omitted for space: the examples of {bare} group");
        assert!(bare == 0 || markdown.contains(&left_out), "no `{left_out}` in:\n{markdown}");
        assert!(shown > 0, "{most} bytes have room for something");
    }
}

#[test]
fn the_json_object_begins_with_its_format() {
    let json = as_json(&compared(&sides("acme", "not found"), "gone"));
    let first = json.as_object().and_then(|object| object.iter().next()).expect("a member");
    assert_eq!((&**first.0, first.1), ("format", &"tapecheck-diff/1".into()));
}

#[test]
fn tables_hold_every_flip_and_every_group_and_replace_earlier_ones() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("deep/diff");
    let sides = sides("=acme", "User not found: 12");
    let comparison = compared(&sides, "gone");
    write_tables(&out, &comparison, [&sides[0], &sides[1]], &[]).expect("written");
    fs::write(out.join("notes.txt"), "mine").expect("a file");
    write_tables(&out, &comparison, [&sides[0], &sides[1]], &[]).expect("written again");
    let mut names: Vec<_> = fs::read_dir(&out)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let expected = ["flips.csv", "flips.parquet", "groups.csv", "groups.parquet", "notes.txt"];
    assert_eq!(names, expected);
    let csv = fs::read_to_string(out.join("flips.csv")).expect("text");
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(csv.contains("'=acme,get,regressed,exchange,"), "{csv}");
    let height = |table| crate::store::tests::read_table(&out, table).height;
    assert_eq!((height(Table::Groups), height(Table::Flips)), (1, 3));
    let all = vec![true; sides[1].verdicts.len()];
    write_tables(&out, &comparison, [&sides[0], &sides[1]], &all).expect("written");
    let csv = fs::read_to_string(out.join("flips.csv")).expect("text");
    assert_eq!(csv.matches(",error,tool_failure,,,,").count(), 3, "class and answer alone: {csv}");
}
