//! Keys in, decisions out; and the screen as people see it.

use super::screen::{End, ReviewScreen};
use crate::cli::screen::fit::{CHOSEN, HIT, STRONG};
use crate::cli::screen::testing::{SMALL, drawn, press, text};
use crate::cli::screen::{Frame, Program as _, check_keys};
use crate::review::samples::{by, session};
use crate::review::{LogLine, Target, What};
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

fn counts(screen: &Frame<ReviewScreen<'_>>) -> (u64, u64, u64, u64) {
    let counts = screen.program.session.counts();
    let [accepted, rejected, skipped] = What::ALL.map(|what| counts.of(what));
    (accepted, rejected, skipped, counts.of(None))
}

fn group(subject: usize) -> Target {
    Target { subject, key: None }
}

/// A call of the first group.
fn call(screen: &Frame<ReviewScreen<'_>>, number: u32) -> Target {
    let call = screen.program.session.material().call(number).expect("a call");
    Target { subject: 0, key: Some(call.key) }
}

fn items<'s>(screen: &'s Frame<ReviewScreen<'_>>) -> &'s [usize] {
    screen.program.list().expect("a list").items()
}

#[test]
fn a_decision_moves_on_to_the_next_group() {
    on_screen(|screen, log| {
        press(screen, "a");
        assert_eq!(log.borrow().len(), 1);
        assert_eq!(screen.program.place(), Some(group(1)));
        press(screen, "s");
        assert_eq!(screen.program.place(), Some(group(2)));
        assert_eq!(counts(screen), (5, 0, 2, 2));
        press(screen, "k");
        assert_eq!(screen.program.place(), Some(group(1)));
    });
}

#[test]
fn a_rejection_needs_a_reason() {
    on_screen(|screen, log| {
        press(screen, "r⏎");
        assert!(text(screen, SMALL).contains("needs a reason") && log.borrow().is_empty());
        press(screen, "norm⌫t a failure⏎");
        assert_eq!((log.borrow().len(), counts(screen)), (1, (0, 5, 0, 4)));
        let decision = screen.program.session.decision(group(0)).expect("decided");
        assert_eq!(decision.note.as_deref(), Some("nort a failure"));
        press(screen, "rwhy⎋");
        assert_eq!(log.borrow().len(), 1, "escape leaves it open");
    });
}

#[test]
fn exchanges_are_decided_one_after_the_other() {
    on_screen(|screen, log| {
        press(screen, "⏎");
        assert_eq!(screen.program.place(), Some(call(screen, 0)));
        press(screen, "arwrong⏎");
        assert_eq!(screen.program.place(), Some(call(screen, 2)));
        press(screen, "A");
        assert_eq!(log.borrow().len(), 3, "all that is left is one line");
        assert_eq!(screen.program.place(), Some(group(1)), "the group is done");
        assert_eq!(counts(screen), (4, 1, 0, 4));
        press(screen, "u");
        assert_eq!(counts(screen), (1, 1, 0, 7));
        press(screen, "uuu");
        assert_eq!(counts(screen), (0, 0, 0, 9));
    });
}

#[test]
fn capitals_take_what_is_shown_and_left() {
    on_screen(|screen, _| {
        press(screen, "/changed⏎");
        assert_eq!(items(screen), [1]);
        press(screen, "A⎋");
        assert_eq!((items(screen).len(), counts(screen)), (4, (2, 0, 0, 7)));
        press(screen, "Rnone of it⏎");
        assert_eq!(counts(screen), (2, 7, 0, 0));
        press(screen, "A");
        assert!(text(screen, SMALL).contains("everything is decided"));
    });
}

#[test]
fn filters_look_at_cause_server_and_tool_while_they_are_typed() {
    on_screen(|screen, _| {
        press(screen, "/not found regr");
        assert_eq!(items(screen), [0], "before enter");
        press(screen, "⎋");
        assert_eq!(items(screen).len(), 4, "escape takes it away");
        press(screen, "/配送⏎");
        assert!(items(screen).contains(&0));
        press(screen, "⏎/配送⏎");
        assert_eq!(items(screen), [1, 4]);
        press(screen, "A");
        assert_eq!(counts(screen), (2, 0, 0, 7));
    });
}

#[test]
fn notes_travel_with_the_decision() {
    on_screen(|screen, log| {
        press(screen, "nask the owner⏎a");
        let decided = log.borrow().last().cloned().expect("a decision");
        assert!(serde_json::to_string(&decided).expect("plain data").contains("ask the owner"));
    });
}

#[test]
fn help_and_unknown_keys_change_nothing() {
    on_screen(|screen, _| {
        press(screen, "?");
        assert!(text(screen, SMALL).contains("any key to go back"));
        press(screen, "a");
        assert!(!text(screen, SMALL).contains("any key to go back"));
        assert_eq!(counts(screen).3, 9);
        press(screen, "ß");
        assert!(text(screen, SMALL).contains("? shows all keys"));
        assert_eq!(press(screen, "q"), Some(End::Quit));
        assert_eq!(press(screen, "w"), Some(End::Write));
    });
}

#[test]
fn moving_stops_at_the_ends() {
    on_screen(|screen, _| {
        press(screen, "kk");
        assert_eq!(screen.program.place(), Some(group(0)));
        press(screen, "Gjj");
        assert_eq!(screen.program.place(), Some(group(3)));
        press(screen, "g");
        assert_eq!(screen.program.place(), Some(group(0)));
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
