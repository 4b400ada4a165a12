//! One comparison in all its forms.

use super::{as_json, as_markdown, flip_line, said, sections, write_tables};
use crate::compare::samples::{cause, error, excerpt, side, verdict};
use crate::compare::{Comparison, Explanation, Question, Side, Texts, compare_with, match_sides};
use crate::store::{Span, Table};
use crate::verdict::Classification;
use crate::view::text::text;
use std::fs;

const COMMAND: &str = "tapecheck diff a b";
/// What recorded names may hold.
const HOSTILE: &str = "a\n# h\r\n| x |`c` *b* _i_ [l](http://x.test) <script>alert(1)</script> @all www.x.test #1 \u{1b}[31m \u{202e}";

fn by(change: &str) -> impl FnOnce(&[Question]) -> Vec<Explanation> {
    let cause = cause("business_patterns/not found", change);
    move |questions| vec![cause; questions.len()]
}

/// Two exchanges of a server and one of another regress; one stays as it is.
fn sides(server: &str, text: &str) -> [Side; 2] {
    let refused = error(Classification::FullyWorking, true);
    let mut shown = excerpt(2, server, text);
    let hit = text.find("not found").unwrap_or(0);
    let at = |byte: usize| u32::try_from(byte).expect("short");
    shown.spans = vec![Span {
        start: at(hit),
        end: at(hit + 9),
        pattern: "not found".to_owned(),
        sent: None,
    }];
    let failed = error(Classification::Error, false);
    let exchanges = |verdict| {
        [(1, server, verdict), (2, server, verdict), (3, "other", verdict), (4, server, 1)]
    };
    let mut before = side("reports/a", vec![refused, verdict()], &exchanges(0));
    before.texts = Texts::of([(1, shown)]);
    let after = side("reports/b", vec![failed, verdict()], &exchanges(0));
    [before, after]
}

fn compared([before, after]: &[Side; 2], change: &str) -> Comparison {
    compare_with([before, after], match_sides(before, after), by(change))
}

#[test]
fn a_headline_holds_the_line_of_the_reply_that_says_what_happened() {
    let trace = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    x.y\nAttributeError: no y";
    for (reply, expected) in [
        ("User not found", "User not found"),
        (trace, "AttributeError: no y"),
        (&format!("Error executing tool f: {trace}"), "AttributeError: no y"),
        ("TypeError: x\n    at f (a.js:1:2)", "TypeError: x"),
        ("{\n  \"error\": \"late\"\n}", "{ \"error\": \"late\" }"),
        ("---\n\nIt failed. \n", "It failed."),
    ] {
        assert_eq!(said(reply).as_deref(), Some(expected), "{reply}");
    }
    assert_eq!(said(" \n"), None);
}

#[test]
fn text_says_what_changed_by_what_and_shows_where() {
    let sides = sides("acme", "User not found: 12");
    let comparison = compared(&sides, "pattern 'not found' no longer matches");
    let shown = text(&sections(&comparison, 20, COMMAND), usize::MAX);
    insta::assert_snapshot!(shown, @r#"
    3 regressed · 0 fixed · 1 same
      before   reports/a · rulebook guide dddddddddddd · recordings cccccccccccc · tapecheck 0.1.0
      after    reports/b · rulebook guide dddddddddddd · recordings cccccccccccc · tapecheck 0.1.0
      overlap  4 calls in both

      before         -> fully_working  -> error
      fully_working                 1         3

      before          -> none  -> tool failure
      none                  1                ·
      business logic        ·                3

      share                    before    after  change in points, 95 %     p
      outcome failed           0.00 %  75.00 %  +75.00 (-10.73 to +95.44)  0.2500, noise
      outcome refused         75.00 %   0.00 %  -75.00 (-95.44 to +10.73)  0.2500, noise
      class fully_working    100.00 %  25.00 %  -75.00 (-95.44 to +10.73)  0.2500, noise
      class error              0.00 %  75.00 %  +75.00 (-10.73 to +95.44)  0.2500, noise
      answer business_logic   75.00 %   0.00 %  -75.00 (-95.44 to +10.73)  0.2500, noise
      answer tool_failure      0.00 %  75.00 %  +75.00 (-10.73 to +95.44)  0.2500, noise

    regressed 817b0da7: get and 1 other tool ×3: refused -> failed
    rulebook changed: pattern 'not found' no longer matches
    3 calls · 2 servers · refused -> failed, fully_working -> error, business logic -> tool failure · rulebook, proved
      - acme / get · recording.jsonl:2 · 00000000000000000000000000000002
        before  refused · fully_working 100 · business logic 0.5 of 0.4 by "otherwise"
        after   failed · error 100 · tool failure 0.5 of 0.4 by "otherwise"
        text    User ⟦not found⟧: 12
      - other / get · recording.jsonl:3 · 00000000000000000000000000000003
        before  refused · fully_working 100 · business logic 0.5 of 0.4 by "otherwise"
        after   failed · error 100 · tool failure 0.5 of 0.4 by "otherwise"
      - acme / get · recording.jsonl:1 · 00000000000000000000000000000001
        before  refused · fully_working 100 · business logic 0.5 of 0.4 by "otherwise"
        after   failed · error 100 · tool failure 0.5 of 0.4 by "otherwise"

    all calls of a group: tapecheck diff a b --filter ID
    "#);
    let none = text(&sections(&comparison, 0, COMMAND), usize::MAX);
    assert!(none.contains("… and 1 group with 3 calls: tapecheck diff a b --top 1"), "{none}");
    let lines: Vec<_> =
        comparison.flips.iter().map(|flip| flip_line([&sides[0], &sides[1]], flip)).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(
        lines[0],
        "recording.jsonl:1  00000000000000000000000000000001  acme / get  refused -> failed, fully_working -> error, business logic -> tool failure"
    );
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
    comparison.groups = (0..500)
        .map(|number| {
            let mut group = group.clone();
            group.id = format!("{number:08}");
            group
        })
        .collect();
    for most in [3_000, 10_000, 60_000] {
        let markdown = as_markdown(&comparison, most, COMMAND);
        assert!(markdown.len() <= most, "{} of {most}", markdown.len());
        let shown = markdown.matches("#### regressed").count();
        let with_examples = markdown.matches("  - text: <code>").count();
        let bare = shown - with_examples;
        if shown < 500 {
            let groups = 500 - shown;
            let changed = format!(
                "{groups} groups with {} calls.",
                crate::verdict::grouped(3 * groups as u64)
            );
            assert!(
                markdown.contains(&changed),
                "no `{changed}` in:\n{}",
                &markdown[markdown.len() - 400..]
            );
        }
        let changed = format!("Omitted for space: the examples of {bare} group");
        assert!(bare == 0 || markdown.contains(&changed), "{}", &markdown[markdown.len() - 400..]);
        assert!(shown > 0, "{most} bytes have room for something");
    }
}

#[test]
fn json_holds_the_counts_and_the_groups() {
    let sides = sides("acme", "User not found: 12");
    let comparison = compared(&sides, "gone");
    let object = as_json(&comparison);
    assert_eq!(object["format"], super::FORMAT);
    assert_eq!(object["kinds"]["regressed"], 3);
    assert_eq!(object["overlap"]["same_exchange"], 4);
    let group = &object["groups"][0];
    assert_eq!(group["exchanges"], 3);
    assert_eq!(group["causes"][0]["name"], "business_patterns/not found");
    assert_eq!(group["examples"][0]["texts"][0]["hits"][0]["pattern"], "not found");
    assert_eq!(group["examples"][0]["texts"][1], serde_json::Value::Null);
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
