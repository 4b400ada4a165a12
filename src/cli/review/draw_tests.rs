//! The screen as people see it, at two sizes.

use super::draw::draw;
use crate::cli::screen::look::{Look, Tone};
use crate::review::samples::{by, session};
use crate::review::{Press, Screen};
use insta::assert_snapshot;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;

/// The screen after some keys, `⏎` being enter.
fn screen(keys: &str) -> Screen {
    let mut screen = Screen::new(session());
    for key in keys.chars() {
        let press = match key {
            '⏎' => Press::Enter,
            '↧' => Press::PageDown,
            key => Press::Char(key),
        };
        screen.press(press, &by());
        // Whoever draws knows how far it can be scrolled.
        drawn(&mut screen, SMALL, Look::Plain);
    }
    screen
}

fn drawn(screen: &mut Screen, (width, height): (u16, u16), look: Look) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    let mut most = 0;
    terminal.draw(|frame| most = draw(frame, screen, look)).expect("drawn");
    screen.scroll_at_most(most);
    terminal.backend().buffer().clone()
}

fn text(keys: &str, size: (u16, u16)) -> String {
    let buffer = drawn(&mut screen(keys), size, Look::Plain);
    let row = |y: u16| -> String {
        let mut row = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            row.push_str(symbol);
            // The cell behind a wide character is that character's.
            x += u16::try_from(crate::cli::screen::fit::columns(symbol).max(1)).unwrap_or(1);
        }
        row.trim_end().to_owned()
    };
    (0..buffer.area.height).map(row).collect::<Vec<_>>().join("\n")
}

const SMALL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (120, 40);

#[test]
fn groups() {
    assert_snapshot!("groups_small", text("", SMALL));
    assert_snapshot!("groups_large", text("as", LARGE));
}

#[test]
fn the_end_of_what_is_told() {
    assert_snapshot!("groups_scrolled", text("↧↧↧↧↧", SMALL));
}

#[test]
fn inside_a_group() {
    assert_snapshot!("inside_small", text("⏎a", SMALL));
    assert_snapshot!("inside_large", text("⏎arwrong, see the manual⏎", LARGE));
}

#[test]
fn asking_for_a_reason() {
    assert_snapshot!("reason", text("rit is the tool that fails here", SMALL));
}

#[test]
fn all_keys() {
    assert_snapshot!("help_small", text("?", SMALL));
    assert_snapshot!("help_large", text("?", (150, 40)));
}

#[test]
fn a_filter_that_nothing_fits() {
    assert_snapshot!("nothing_fits", text("/no such thing⏎", SMALL));
}

#[test]
fn every_size_can_be_drawn() {
    for keys in ["", "⏎", "?", "rwhy", "/x", "Gk"] {
        for width in [0, 1, 2, 5, 11, 12, 20, 79, 200] {
            for height in [0, 1, 2, 5, 9, 24, 100] {
                drawn(&mut screen(keys), (width, height), Look::Colours);
            }
        }
    }
}

#[test]
fn nothing_recorded_reaches_the_terminal_as_it_is() {
    for keys in ["", "⏎", "⏎jj", "G"] {
        let buffer = drawn(&mut screen(keys), LARGE, Look::Colours);
        for cell in buffer.content() {
            let steers = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
            assert!(!cell.symbol().contains(steers), "{:?}", cell.symbol());
        }
    }
}

#[test]
fn without_colours_there_are_none() {
    let buffer = drawn(&mut screen("⏎"), LARGE, Look::Plain);
    assert!(buffer.content().iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
    let coloured = drawn(&mut screen("⏎"), LARGE, Look::Colours);
    assert!(coloured.content().iter().any(|cell| cell.fg != Color::Reset));
    // What has a colour is told in another way too.
    for tone in [Tone::Hit, Tone::Chosen, Tone::Strong] {
        assert!(!Look::Plain.style(tone).add_modifier.is_empty(), "{tone:?}");
    }
}
