//! The screen of a review: it is drawn, keys are obeyed, and what was decided goes to the log at once.

use super::draw::draw;
use crate::cli::Failure;
use crate::cli::screen::look::Look;
use crate::cli::screen::{Input, broken, next_input, with_terminal};
use crate::review::{End, LogLine, Screen, Signature};
use ratatui::DefaultTerminal;

/// Shows the screen until somebody ends it. `keep` gets what was decided before anything else happens.
pub(super) fn show(
    screen: &mut Screen,
    sign: impl Fn() -> Signature,
    mut keep: impl FnMut(&[LogLine]) -> Result<(), Failure>,
) -> Result<End, Failure> {
    with_terminal(|terminal| go(terminal, screen, &sign, &mut keep))
}

fn go(
    terminal: &mut DefaultTerminal,
    screen: &mut Screen,
    sign: &impl Fn() -> Signature,
    keep: &mut impl FnMut(&[LogLine]) -> Result<(), Failure>,
) -> Result<End, Failure> {
    let look = Look::of_environment();
    loop {
        let mut most = 0;
        terminal.draw(|frame| most = draw(frame, screen, look)).map_err(|error| broken(&error))?;
        screen.scroll_at_most(most);
        let press = match next_input()? {
            Some(Input::Press(press)) => press,
            Some(Input::Paste(text)) => {
                screen.paste(&text);
                continue;
            }
            None => continue,
        };
        let outcome = screen.press(press, &sign());
        keep(&outcome.lines)?;
        if let Some(end) = outcome.end {
            return Ok(end);
        }
    }
}
