//! The terminal: it is taken, keys are read from it, and it is given back as it was.

use super::draw::no_colour;
use super::frame::{End, Frame, Press, Program};
use crate::cli::Failure;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{
    self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEventKind, KeyModifiers,
};
use ratatui::crossterm::execute;
use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Whether a screen can be shown to somebody who can press keys.
pub(in crate::cli) fn has_terminal() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|kind| kind == "dumb");
    io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb
}

pub(in crate::cli) fn show<P: Program>(program: P) -> Result<(P, End), Failure> {
    let mut frame = Frame::new(program);
    // It also restores the terminal when something panics.
    let mut terminal = ratatui::try_init().map_err(|error| broken(&error))?;
    let taken = Taken::new();
    let end = go(&mut terminal, &mut frame);
    drop(taken);
    let restored = ratatui::try_restore().map_err(|error| broken(&error));
    let end = end?;
    restored?;
    Ok((frame.program, end))
}

fn go<P: Program>(terminal: &mut DefaultTerminal, frame: &mut Frame<P>) -> Result<End, Failure> {
    let has_colours = !no_colour();
    forget_typed()?;
    loop {
        terminal.draw(|screen| frame.draw(screen, has_colours)).map_err(|error| broken(&error))?;
        let event = event::read().map_err(|error| broken(&error))?;
        if let Event::Paste(text) = &event {
            frame.paste(text);
        } else if let Some(press) = press_of(&event)
            && let Some(end) = frame.press(press)?
        {
            return Ok(end);
        }
    }
}

/// What was typed before there was anything to see was not meant for it.
fn forget_typed() -> Result<(), Failure> {
    // With no time at all, nothing is looked for.
    while event::poll(Duration::from_millis(1)).map_err(|error| broken(&error))? {
        event::read().map_err(|error| broken(&error))?;
    }
    Ok(())
}

/// While the terminal is taken, it marks what is pasted, so that no line of it can act as keys, and a
/// signal that ends the program gives it back first.
struct Taken {
    #[cfg(unix)]
    signals: Option<signal_hook::iterator::Handle>,
}

static TAKEN: AtomicBool = AtomicBool::new(false);

/// Gives the terminal back, if it is taken.
pub(in crate::cli) fn give_terminal_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(io::stdout(), DisableBracketedPaste);
        ratatui::restore();
    }
}

impl Taken {
    fn new() -> Self {
        TAKEN.store(true, Ordering::SeqCst);
        // A terminal that does not know of it takes no notice.
        let _ = execute!(io::stdout(), EnableBracketedPaste);
        Self {
            #[cfg(unix)]
            signals: restore_at_hangup(),
        }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        TAKEN.store(false, Ordering::SeqCst);
        let _ = execute!(io::stdout(), DisableBracketedPaste);
        #[cfg(unix)]
        if let Some(signals) = &self.signals {
            signals.close();
        }
    }
}

#[cfg(unix)]
fn restore_at_hangup() -> Option<signal_hook::iterator::Handle> {
    use signal_hook::consts::SIGHUP;
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP]).ok()?;
    let handle = signals.handle();
    std::thread::spawn(move || {
        for signal in signals.forever() {
            give_terminal_back();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
    Some(handle)
}

fn broken(error: &io::Error) -> Failure {
    Failure::unfinished(format!("the terminal cannot be used: {error}")).next(
        "decisions so far are kept; without a terminal the command lists the changes and how to \
         decide them",
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
