//! Full screens: a frame with a list, a detail and a table of keys, that programs fill.

mod draw;
pub(super) mod fit;
mod frame;
mod terminal;

#[cfg(test)]
pub(super) use frame::Frame;
#[cfg(test)]
pub(super) use frame::check as check_keys;
pub(super) use frame::{Act, End, Key, List, Press, Program, Stage, View, key, words};
pub(super) use terminal::{give_terminal_back, has_terminal, show};

#[cfg(test)]
pub(super) mod testing {
    //! Full screens without a terminal: keys are pressed, and what is drawn is read.

    use super::{End, Frame, Press, Program};
    use crate::cli::screen::fit::columns;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::buffer::Buffer;

    /// A usual size of screens.
    pub(in crate::cli) const SMALL: (u16, u16) = (80, 24);

    /// Presses the keys of a text, `⏎` being enter, `⎋` escape, `⌫` backspace and `↧` page down; draws
    /// after each, since how far the detail can be scrolled is known then. Returns how it ended.
    pub(in crate::cli) fn press<P: Program>(frame: &mut Frame<P>, keys: &str) -> Option<End> {
        drawn(frame, SMALL, true);
        let mut end = None;
        for key in keys.chars() {
            let press = match key {
                '⏎' => Press::Enter,
                '⎋' => Press::Escape,
                '⌫' => Press::Backspace,
                '↧' => Press::PageDown,
                key => Press::Char(key),
            };
            end = frame.press(press).expect("nothing goes wrong");
            drawn(frame, SMALL, true);
        }
        end
    }

    /// What a case of a screen shows: `80x24 rwhy` is its size and what is pressed.
    pub(in crate::cli) fn seen<P: Program>(frame: &mut Frame<P>, case: &str) -> String {
        let (size, keys) = case.split_once(' ').unwrap_or((case, ""));
        let [width, height] = [0, 1].map(|at| size.split('x').nth(at)?.parse().ok());
        press(frame, keys);
        text(frame, (width.expect("a width"), height.expect("a height")))
    }

    /// What the line above the last says, without the keys beside it.
    pub(in crate::cli) fn said<P: Program>(frame: &mut Frame<P>, size: (u16, u16)) -> String {
        let text = text(frame, size);
        let line = text.lines().nth(usize::from(size.1) - 2).unwrap_or_default();
        line.split("page up").next().unwrap_or_default().trim().to_owned()
    }

    pub(in crate::cli) fn drawn<P: Program>(
        frame: &mut Frame<P>,
        (width, height): (u16, u16),
        has_colours: bool,
    ) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
        terminal.draw(|screen| frame.draw(screen, has_colours)).expect("drawn");
        terminal.backend().buffer().clone()
    }

    pub(in crate::cli) fn text<P: Program>(frame: &mut Frame<P>, size: (u16, u16)) -> String {
        let buffer = drawn(frame, size, false);
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
}
