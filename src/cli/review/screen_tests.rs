//! Keys in, decisions out; and the screen as people see it.

use super::listing::counts_words;
use super::screen::ReviewScreen;
use crate::cli::screen::fit::{CHOSEN, HIT, STRONG};
use crate::cli::screen::testing::{SMALL, drawn, press, text};
use crate::cli::screen::{Frame, Program as _, check_keys};
use crate::review::samples::{by, session};
use crate::review::{Deed, LogLine};
use insta::assert_snapshot;
use ratatui::style::Color;
use std::cell::RefCell;

const LARGE: (u16, u16) = (120, 40);

/// Shows the screen to a test, with the lines that went to the log.
fn on_screen<T>(test: impl FnOnce(&mut Frame<ReviewScreen<'_>>, &RefCell<Vec<LogLine>>) -> T) -> T {
    let log = RefCell::new(Vec::new());
    let mut keep = |lines: &[LogLine]| {
        log.borrow_mut().extend_from_slice(lines);
        Ok(())
    };
    let mut session = session();
    test(&mut Frame::new(ReviewScreen::new(&mut session, "", &by, &mut keep)), &log)
}

#[test]
fn keys_decide_as_their_cases_show() {
    crate::cases::check("tests/cases/review-screen.txt", |case| {
        on_screen(|screen, log| {
            let after = |keys: &str| {
                let end = press(screen, keys).map(|end| format!("{end:?}; ")).unwrap_or_default();
                let counts = counts_words(&screen.program.session.counts());
                let (inside, chosen) = screen.program.place();
                let group = if inside == usize::MAX { "groups" } else { "calls" };
                let shown = screen.program.list().expect("a list").items.len();
                let said = text(screen, SMALL).lines().nth(22).unwrap_or_default().to_owned();
                let said = said.split("page up").next().unwrap_or_default().trim().to_owned();
                let logged = log.borrow();
                let note = logged.last().and_then(|line| match &line.deed {
                    Deed::Accept(about) | Deed::Reject(about) | Deed::Note(about) => {
                        about.note.clone()
                    }
                    _ => None,
                });
                let note = note.map(|note| format!(" (note: {note})")).unwrap_or_default();
                let lines = logged.len();
                format!(
                    "{end}{counts}; {chosen} of {shown} {group}; {lines} in the log{note}; {said}"
                )
            };
            case.text.lines().map(after).collect::<Vec<_>>().join("\n")
        })
    });
}

#[test]
fn the_keys_are_documented() {
    check_keys(ReviewScreen::KEYS, "docs/reviewing.md");
}

/// What is on the screen after some keys.
fn seen(keys: &str, size: (u16, u16)) -> String {
    on_screen(|screen, _| {
        press(screen, keys);
        text(screen, size)
    })
}

#[test]
fn groups() {
    assert_snapshot!("groups_small", seen("", SMALL));
    assert_snapshot!("groups_large", seen("as", LARGE));
}

#[test]
fn the_end_of_what_is_told() {
    assert_snapshot!("groups_scrolled", seen("↧↧↧↧↧", SMALL));
}

#[test]
fn inside_a_group() {
    assert_snapshot!("inside_small", seen("⏎a", SMALL));
    assert_snapshot!("inside_large", seen("⏎arwrong, see the manual⏎", LARGE));
}

#[test]
fn asking_for_a_reason() {
    assert_snapshot!("reason", seen("rit is the tool that fails here", SMALL));
}

#[test]
fn all_keys() {
    assert_snapshot!("help_small", seen("?", SMALL));
    assert_snapshot!("help_large", seen("?", (150, 40)));
}

#[test]
fn a_filter_that_nothing_fits() {
    assert_snapshot!("nothing_fits", seen("/no such thing⏎", SMALL));
}

#[test]
fn every_size_can_be_drawn() {
    for keys in ["", "⏎", "?", "rwhy", "/x", "Gk"] {
        on_screen(|screen, _| {
            press(screen, keys);
            for width in [0, 1, 2, 5, 11, 12, 20, 79, 200] {
                for height in [0, 1, 2, 5, 9, 24, 100] {
                    drawn(screen, (width, height), true);
                }
            }
        });
    }
}

#[test]
fn nothing_recorded_reaches_the_terminal_as_it_is() {
    for keys in ["", "⏎", "⏎jj", "G"] {
        on_screen(|screen, _| {
            press(screen, keys);
            for cell in drawn(screen, LARGE, true).content() {
                let steers = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
                assert!(!cell.symbol().contains(steers), "{:?}", cell.symbol());
            }
        });
    }
}

#[test]
fn without_colours_there_are_none() {
    on_screen(|screen, _| {
        press(screen, "⏎");
        let plain = drawn(screen, LARGE, false);
        assert!(
            plain.content().iter().all(|cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset))
        );
        let coloured = drawn(screen, LARGE, true);
        assert!(coloured.content().iter().any(|cell| cell.fg != Color::Reset));
    });
    // What has a colour is told in another way too.
    assert!([HIT, CHOSEN, STRONG].iter().all(|style| !style.add_modifier.is_empty()));
}
