//! Keys in, labels out; and the screen as people see it.

use super::next::Shown;
use super::sheet::Sheet;
use crate::cli::screen::testing::{drawn, press, text};
use crate::cli::screen::{Frame, Program as _, check_keys};
use crate::labels::{LabelLine, labels_for, read_labels};
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

#[test]
fn keys_label_as_their_cases_show() {
    crate::cases::check("tests/cases/label-screen.txt", |case| {
        on_screen(3, |sheet, file| {
            let after = |line: &str| {
                if let Some(text) = line.strip_prefix("the file says: ") {
                    std::fs::write(file, format!("{text}\n")).expect("a file");
                } else if let Some(text) = line.strip_prefix("pasted: ") {
                    sheet.paste(&text.replace('|', "\r"));
                } else {
                    press(sheet, line);
                }
                let lines = if file.exists() { read_labels(file).expect("labels") } else { vec![] };
                let label = |it: LabelLine| {
                    let why = it.why.map(|why| format!(" ({why})")).unwrap_or_default();
                    format!("{} {}{why}", it.id.unwrap_or_default(), it.label.name())
                };
                let labels = lines.into_iter().map(label).collect::<Vec<_>>().join(", ");
                let program = &sheet.program;
                let counts = (program.place().0, program.answered(), program.labels());
                let said = text(sheet, SIZE).lines().nth(14).unwrap_or_default().to_owned();
                let said = said.split("page up").next().unwrap_or_default().trim().to_owned();
                format!("{counts:?} [{labels}] {said}")
            };
            case.text.lines().map(after).collect::<Vec<_>>().join("\n")
        })
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
