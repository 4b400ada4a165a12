//! Printing: data to standard output, everything else to standard error, nothing recorded ever
//! acting on the terminal.

use super::paint::painted;
pub(super) use crate::verdict::{counted, cut, grouped, harmless};
pub(super) use crate::view::bar;
use crate::view::escape;
use std::io::{self, IsTerminal as _, Write as _};

/// Writes to standard output. A reader that has gone away ends the output quietly.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let text = painted(text, &out);
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes to standard output what is too long to be held as one text. A reader that went away early is
/// no error.
pub(super) fn print_by(write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            // Dropping it would write the rest again.
            drop(out.into_parts());
            Ok(())
        }
        other => other,
    }
}

/// Writes a line to standard error.
pub(super) fn say(text: &str) {
    // Nobody is left to be told when standard error is gone.
    let mut out = io::stderr().lock();
    let text = painted(text, &out);
    let _ = writeln!(out, "{text}");
}

/// Text of rulebooks and recordings, line by line fit for a log: what terminals and the runners of CI
/// systems would take for a command stays text.
pub(super) fn logged(text: &str) -> String {
    let fit = |line: &str| escape::log_line(escape::terminal(line));
    text.split('\n').map(fit).collect::<Vec<_>>().join("\n")
}

/// Whether people look at standard error.
pub(super) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// How many characters a line of standard output has room for: what the terminal has, and a usual one
/// where it goes elsewhere.
pub(super) fn line_width() -> usize {
    const USUAL: usize = 80;
    terminal_width().unwrap_or(USUAL)
}

/// The same, but that lines are not broken where standard output goes elsewhere, so that they can be searched
/// for.
pub(super) fn log_width() -> usize {
    terminal_width().unwrap_or(usize::MAX)
}

fn terminal_width() -> Option<usize> {
    let size = io::stdout().is_terminal().then(ratatui::crossterm::terminal::size);
    match size {
        Some(Ok((columns, _))) if columns > 0 => Some(usize::from(columns)),
        Some(Ok(_) | Err(_)) | None => None,
    }
}
