//! The terminal: it is taken, keys are read from it, and it is given back as it was.

use crate::cli::Failure;
use crate::review::Press;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{
    self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEventKind, KeyModifiers,
};
use ratatui::crossterm::execute;
use std::io::{self, IsTerminal as _};

/// What somebody did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Input {
    /// A key was pressed.
    Press(Press),
    /// Text was pasted, which is never taken for keys.
    Paste(String),
}

/// Whether a screen can be shown to somebody who can press keys.
pub(in crate::cli) fn has_terminal() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|kind| kind == "dumb");
    io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb
}

/// Takes the terminal for a while.
pub(in crate::cli) fn with_terminal<T>(
    work: impl FnOnce(&mut DefaultTerminal) -> Result<T, Failure>,
) -> Result<T, Failure> {
    // It also sees to it that a panic leaves the terminal as it was.
    let mut terminal = ratatui::try_init().map_err(|error| broken(&error))?;
    let pasting = Pasting::begin();
    let done = work(&mut terminal);
    drop(pasting);
    let restored = ratatui::try_restore().map_err(|error| broken(&error));
    let done = done?;
    restored?;
    Ok(done)
}

/// Waits for what somebody does next; `None` where that is nothing of ours.
pub(in crate::cli) fn next_input() -> Result<Option<Input>, Failure> {
    let event = event::read().map_err(|error| broken(&error))?;
    if let Event::Paste(text) = event {
        return Ok(Some(Input::Paste(text)));
    }
    Ok(press_of(&event).map(Input::Press))
}

/// While it lasts, the terminal marks what is pasted, so that no line of it can act as keys. Ended also
/// by a panic.
struct Pasting;

impl Pasting {
    fn begin() -> Self {
        // A terminal that does not know of it takes no notice.
        let _ = execute!(io::stdout(), EnableBracketedPaste);
        Self
    }
}

impl Drop for Pasting {
    fn drop(&mut self) {
        let _ = execute!(io::stdout(), DisableBracketedPaste);
    }
}

/// The terminal does not do what it has to.
pub(in crate::cli) fn broken(error: &io::Error) -> Failure {
    Failure::unfinished(format!("the terminal cannot be used: {error}")).next(
        "what was decided so far is kept; without a terminal the same command lists commands that \
         decide",
    )
}

/// What was pressed; nothing for what is no key of ours.
fn press_of(event: &Event) -> Option<Press> {
    let Event::Key(key) = event else { return None };
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let with_command =
        key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SUPER);
    match key.code {
        KeyCode::Char('c') if key.modifiers == KeyModifiers::CONTROL => Some(Press::Interrupt),
        // With them, a key is another one.
        KeyCode::Char(_) if with_command => None,
        KeyCode::Char(c) => Some(Press::Char(c)),
        KeyCode::Enter => Some(Press::Enter),
        KeyCode::Esc => Some(Press::Escape),
        KeyCode::Backspace => Some(Press::Backspace),
        KeyCode::Up => Some(Press::Up),
        KeyCode::Down => Some(Press::Down),
        KeyCode::PageUp => Some(Press::PageUp),
        KeyCode::PageDown => Some(Press::PageDown),
        KeyCode::Home => Some(Press::Home),
        KeyCode::End => Some(Press::End),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::crossterm::event::KeyEvent;

    #[test]
    fn keys_with_commands_are_other_keys() {
        let key = |code, modifiers| press_of(&Event::Key(KeyEvent::new(code, modifiers)));
        assert_eq!(key(KeyCode::Char('a'), KeyModifiers::NONE), Some(Press::Char('a')));
        assert_eq!(key(KeyCode::Char('A'), KeyModifiers::SHIFT), Some(Press::Char('A')));
        assert_eq!(key(KeyCode::Char('a'), KeyModifiers::CONTROL), None);
        assert_eq!(key(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Press::Interrupt));
        assert_eq!(press_of(&Event::Resize(80, 24)), None);
    }
}
