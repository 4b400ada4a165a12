//! Keys in, labels out; and the screen as people see it.

use super::next::Shown;
use super::sheet::Sheet;
use crate::cli::screen::testing::{drawn, press, text};
use crate::cli::screen::{Frame, Program as _, check_keys};
use crate::labels::{Label, LabelLine, labels_for, read_labels};
use crate::measure::next::{Page, Sketch};
use crate::redact::Redactor;
use crate::verdict::Ground;
use insta::assert_snapshot;
use std::path::Path;

fn shown(id: &str, ground: Ground, reply: &str, equal: usize) -> Shown {
    let page = Page {
        id: Some(id.to_owned()),
        input: Redactor::none().tell_part(r#"{"order":"7\u001b[2J"}"#),
        reply: Redactor::none().tell_part(reply),
        hash: 0,
        sketch: Sketch::of(reply),
    };
    let possible = labels_for(ground);
    let line = LabelLine {
        key: None,
        file: Some("orders.jsonl".to_owned()),
        id: Some(id.to_owned()),
        label: possible[0],
        why: None,
        who: None,
        when: None,
    };
    let lines = (0..equal).map(|at| match at {
        0 => line.clone(),
        at => LabelLine { id: Some(format!("{id}-{at}")), ..line.clone() },
    });
    Shown {
        lines: lines.collect(),
        page,
        call: "orders/get_order".to_owned(),
        place: "recordings/orders.jsonl:3".to_owned(),
        possible,
        equal,
        why:
            "a single pattern decides the verdict; its reply is unlike any labelled or earlier one"
                .to_owned(),
    }
}

fn questions() -> Vec<Shown> {
    let long =
        "a line that is long enough to be broken into several on a small screen\n".repeat(30);
    vec![
        shown("3", Ground::Error, "Order 7 not found\n\u{1b}[31m配送サービス\u{202e}", 3),
        shown("4", Ground::Content, &long, 1),
        shown("5", Ground::Error, "Order 8 not found", 1),
    ]
}

/// Shows some of the questions to a test, with the file that takes the answers.
fn on_screen<T>(count: usize, test: impl FnOnce(&mut Frame<Sheet<'_>>, &Path) -> T) -> T {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let into = folder.path().join("labels.jsonl");
    let questions: Vec<Shown> = questions().into_iter().take(count).collect();
    test(&mut Frame::new(Sheet::new(&questions, &into)), &into)
}

/// The labels in a file, by the ids of their exchanges, with what they say why.
fn labels(file: &Path) -> Vec<(String, Label, Option<String>)> {
    let lines = if file.exists() { read_labels(file).expect("labels") } else { Vec::new() };
    let part = |line: LabelLine| (line.id.unwrap_or_default(), line.label, line.why);
    lines.into_iter().map(part).collect()
}

fn said(id: &str, label: Label, why: Option<&str>) -> (String, Label, Option<String>) {
    (id.to_owned(), label, why.map(str::to_owned))
}

#[test]
fn answers_go_out_one_by_one_and_come_back() {
    on_screen(3, |sheet, file| {
        press(sheet, "b");
        let first = ["3", "3-1", "3-2"].map(|id| said(id, Label::BusinessLogic, None));
        assert_eq!(labels(file), first);
        press(sheet, "ns o⏎h");
        assert_eq!(labels(file)[3..], [said("4", Label::HiddenFailure, Some("s o"))]);
        press(sheet, "s");
        assert_eq!((sheet.program.answered(), sheet.program.labels()), (2, 4));
        press(sheet, "bot");
        assert_eq!(labels(file).len(), 4, "nothing is asked any more");
        press(sheet, "u");
        assert_eq!(labels(file).len(), 4, "the skip first");
        press(sheet, "u");
        assert_eq!(labels(file), first);
        assert_eq!(sheet.program.status(), [None, Some("note: s o".to_owned())], "the note stays");
        press(sheet, "u");
        assert_eq!(labels(file), []);
        press(sheet, "u");
        assert!(text(sheet, SIZE).contains("there is no answer to undo"));
        assert!(press(sheet, "q").is_some());
    });
}

#[test]
fn what_the_file_says_otherwise_by_now_is_left_as_it_is() {
    on_screen(1, |sheet, file| {
        let other = r#"{"file":"orders.jsonl","id":"3-1","label":"tool_failure"}"#;
        std::fs::write(file, format!("{other}\n")).expect("a file");
        press(sheet, "b");
        assert!(text(sheet, SIZE).contains("was left as it is"));
        assert_eq!(sheet.program.labels(), 2);
        press(sheet, "u");
        assert_eq!(labels(file), [said("3-1", Label::ToolFailure, None)]);
    });
}

#[test]
fn an_error_is_not_ok_and_pasted_text_is_no_answer() {
    on_screen(1, |sheet, file| {
        press(sheet, "oh");
        assert!(text(sheet, SIZE).contains("this reply is business_logic or tool_failure"));
        sheet.paste("b");
        assert_eq!((sheet.program.place(), sheet.program.answered()), (0, 0));
        press(sheet, "n");
        sheet.paste("one\rtwo");
        press(sheet, "⏎?b");
        assert_eq!(labels(file), [], "any key leaves the help");
        press(sheet, "t");
        assert_eq!(labels(file)[0], said("3", Label::ToolFailure, Some("one two")));
    });
}

#[test]
fn the_keys_are_documented() {
    check_keys(Sheet::KEYS, "docs/labels.md");
}

const SIZE: (u16, u16) = (80, 16);

/// What is on the screen after some keys.
fn seen(keys: &str, size: (u16, u16)) -> String {
    on_screen(2, |sheet, _| {
        press(sheet, keys);
        text(sheet, size)
    })
}

#[test]
fn an_error_is_asked_about() {
    assert_snapshot!("error", seen("o", SIZE));
}

#[test]
fn a_long_reply_can_be_scrolled() {
    assert_snapshot!("long", seen("bnbecause⏎jj", SIZE));
}

#[test]
fn the_keys_and_the_end() {
    assert_snapshot!("help", seen("?", SIZE));
    assert_snapshot!("end", seen("bo", (80, 8)));
}

#[test]
fn every_size_can_be_drawn() {
    for keys in ["", "?", "nwhy", "bo"] {
        on_screen(2, |sheet, _| {
            press(sheet, keys);
            for width in [0, 1, 2, 7, 20, 200] {
                for height in [0, 1, 2, 3, 9, 50] {
                    for cell in drawn(sheet, (width, height), true).content() {
                        assert!(!cell.symbol().contains(['\u{1b}', '\u{202e}']));
                    }
                }
            }
        });
    }
}
