//! Keys in, decisions out.

use super::samples::{by, session};
use super::{End, LogLine, Press, Screen, Target};

fn screen() -> Screen {
    Screen::new(session())
}

/// Presses the keys of a text, `⏎` for enter, `⎋` for escape.
fn press(screen: &mut Screen, keys: &str) -> Vec<LogLine> {
    let mut lines = Vec::new();
    for key in keys.chars() {
        let press = match key {
            '⏎' => Press::Enter,
            '⎋' => Press::Escape,
            '⌫' => Press::Backspace,
            key => Press::Char(key),
        };
        lines.extend(screen.press(press, &by()).lines);
    }
    lines
}

fn counts(screen: &Screen) -> (u64, u64, u64, u64) {
    let counts = screen.session().counts();
    (counts.accepted, counts.rejected, counts.skipped, counts.open)
}

#[test]
fn a_decision_moves_on_to_the_next_group() {
    let mut screen = screen();
    assert_eq!(press(&mut screen, "a").len(), 1);
    assert_eq!(screen.chosen(), Some(Target::Group(1)));
    press(&mut screen, "s");
    assert_eq!(screen.chosen(), Some(Target::Group(2)));
    assert_eq!(counts(&screen), (5, 0, 2, 2));
    press(&mut screen, "k");
    assert_eq!(screen.chosen(), Some(Target::Group(1)));
}

#[test]
fn a_rejection_needs_a_reason() {
    let mut screen = screen();
    assert_eq!(press(&mut screen, "r⏎").len(), 0);
    assert!(screen.message().is_some_and(|said| said.contains("needs a reason")));
    let lines = press(&mut screen, "norm⌫t a failure⏎");
    assert_eq!((lines.len(), counts(&screen)), (1, (0, 5, 0, 4)));
    let decision = screen.session().decision(Target::Group(0)).expect("decided");
    assert_eq!(decision.note.as_deref(), Some("nort a failure"));
    assert_eq!(press(&mut screen, "rwhy⎋").len(), 0, "escape leaves it open");
}

#[test]
fn exchanges_are_decided_one_after_the_other() {
    let mut screen = screen();
    press(&mut screen, "⏎");
    assert_eq!(screen.chosen(), Some(Target::Exchange(0, 0)));
    press(&mut screen, "arwrong⏎");
    assert_eq!(screen.chosen(), Some(Target::Exchange(0, 2)));
    let lines = press(&mut screen, "A");
    assert_eq!(lines.len(), 1, "all that is left is one line");
    assert_eq!(screen.chosen(), Some(Target::Group(1)), "the group is done");
    assert_eq!(counts(&screen), (4, 1, 0, 4));
    press(&mut screen, "u");
    assert_eq!(counts(&screen), (1, 1, 0, 7));
    press(&mut screen, "uuu");
    assert_eq!(counts(&screen), (0, 0, 0, 9));
}

#[test]
fn capitals_take_what_is_shown_and_left() {
    let mut screen = screen();
    press(&mut screen, "/altered⏎");
    assert_eq!(screen.groups().0, [1]);
    press(&mut screen, "A⎋");
    assert_eq!((screen.groups().0.len(), counts(&screen)), (4, (2, 0, 0, 7)));
    press(&mut screen, "Rnone of it⏎");
    assert_eq!(counts(&screen), (2, 7, 0, 0));
    press(&mut screen, "A");
    assert!(screen.message().is_some_and(|said| said.contains("nothing is left")));
}

#[test]
fn filters_look_at_cause_server_and_tool_while_they_are_typed() {
    let mut screen = screen();
    press(&mut screen, "/not found regr");
    assert_eq!(screen.groups().0, [0], "before enter");
    press(&mut screen, "⎋");
    assert_eq!(screen.groups().0.len(), 4, "escape takes it away");
    press(&mut screen, "/配送⏎");
    assert!(screen.groups().0.contains(&0));
    press(&mut screen, "⏎/配送⏎");
    assert_eq!(screen.exchanges().0, [1, 4]);
    press(&mut screen, "A");
    assert_eq!(counts(&screen), (2, 0, 0, 7));
}

#[test]
fn notes_travel_with_the_decision() {
    let mut screen = screen();
    press(&mut screen, "nask the owner⏎");
    let lines = press(&mut screen, "a");
    assert!(serde_json::to_string(&lines).expect("plain data").contains("ask the owner"));
}

#[test]
fn help_and_unknown_keys_change_nothing() {
    let mut screen = screen();
    press(&mut screen, "?");
    assert!(screen.shows_help());
    press(&mut screen, "a");
    assert!(!screen.shows_help());
    assert_eq!(counts(&screen).3, 9);
    press(&mut screen, "ß");
    assert!(screen.message().is_some_and(|said| said.contains("? shows all keys")));
    assert_eq!(screen.press(Press::Char('q'), &by()).end, Some(End::Quit));
    assert_eq!(screen.press(Press::Char('w'), &by()).end, Some(End::Write));
}

#[test]
fn moving_stops_at_the_ends() {
    let mut screen = screen();
    press(&mut screen, "kk");
    assert_eq!(screen.chosen(), Some(Target::Group(0)));
    press(&mut screen, "Gjj");
    assert_eq!(screen.chosen(), Some(Target::Group(3)));
    press(&mut screen, "g");
    assert_eq!(screen.chosen(), Some(Target::Group(0)));
}
