//! The screen as people see it.

use super::draw::draw;
use super::next::Shown;
use crate::cli::screen::fit::columns;
use crate::cli::screen::look::Look;
use crate::label::{LabelLine, labels_for};
use crate::labelling::{Page, Sheet, Sketch};
use crate::review::Press;
use crate::verdict::Ground;
use insta::assert_snapshot;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

fn shown(ground: Ground, reply: &str, equal: usize) -> Shown {
    let page = Page {
        id: Some("3".to_owned()),
        input: r#"{"order":"7\u001b[2J"}"#.to_owned(),
        reply: reply.to_owned(),
        hash: 0,
        sketch: Sketch::of(reply),
    };
    let possible = labels_for(ground);
    let line = LabelLine {
        key: None,
        file: Some("orders.jsonl".to_owned()),
        id: Some("3".to_owned()),
        label: possible[0],
        why: None,
        who: None,
        when: None,
    };
    Shown {
        lines: vec![line; equal],
        page,
        call: "orders/get_order".to_owned(),
        place: "tapes/orders.jsonl:3".to_owned(),
        possible,
        equal,
        why: "the verdict rests on a single pattern; its reply is like none with a label or asked about before"
            .to_owned(),
    }
}

fn questions() -> Vec<Shown> {
    let long =
        "a line that is long enough to be broken into several on a small screen\n".repeat(30);
    vec![
        shown(Ground::Error, "Order 7 not found\n\u{1b}[31m配送サービス\u{202e}", 3),
        shown(Ground::Content, &long, 1),
    ]
}

fn screen(keys: &str, (width, height): (u16, u16)) -> String {
    let questions = questions();
    let mut sheet = Sheet::new(questions.iter().map(|shown| shown.possible).collect());
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    let mut show = |sheet: &mut Sheet| {
        let mut most = 0;
        terminal.draw(|frame| most = draw(frame, (sheet, &questions), Look::Plain)).expect("drawn");
        sheet.scroll_at_most(most);
    };
    show(&mut sheet);
    for key in keys.chars() {
        sheet.press(if key == '⏎' { Press::Enter } else { Press::Char(key) });
        show(&mut sheet);
    }
    let buffer = terminal.backend().buffer();
    let row = |y: u16| {
        let (mut row, mut x) = (String::new(), 0);
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            row.push_str(symbol);
            // The cell behind a wide character is that character's.
            x += u16::try_from(columns(symbol).max(1)).unwrap_or(1);
        }
        row.trim_end().to_owned()
    };
    (0..buffer.area.height).map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_error_is_asked_about() {
    assert_snapshot!("error", screen("o", (80, 16)));
}

#[test]
fn a_long_reply_can_be_scrolled() {
    assert_snapshot!("long", screen("bnbecause⏎jj", (80, 16)));
}

#[test]
fn the_keys_and_the_end() {
    assert_snapshot!("help", screen("?", (80, 16)));
    assert_snapshot!("end", screen("bo", (80, 8)));
}

#[test]
fn every_size_can_be_drawn() {
    for keys in ["", "?", "nwhy", "bo"] {
        for width in [1, 2, 7, 20, 200] {
            for height in [1, 2, 3, 9, 50] {
                let text = screen(keys, (width, height));
                assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
            }
        }
    }
}
