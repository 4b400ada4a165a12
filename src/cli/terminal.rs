//! Printing: data to standard output, everything else to standard error, nothing recorded ever
//! acting on the terminal.

pub(super) use crate::verdict::{counted, cut, grouped, harmless};
use std::io::{self, IsTerminal as _, Write as _};

/// Writes to standard output. A reader that has gone away ends the output quietly.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
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
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A word of a command line, quoted where a shell would take it for more than that.
#[must_use]
pub(super) fn typed(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", harmless(word).replace('\'', r"'\''"))
}

/// Text of rulebooks and recordings, line by line fit for a log: what terminals and the runners of CI
/// systems would take for a command stays text.
#[must_use]
pub(super) fn logged(text: &str) -> String {
    let fit = |line: &str| {
        let line = harmless(line).replace("##[", "## [").replace("##vso[", "## vso[");
        let is_command = line.trim_start().starts_with("::");
        if is_command { line.replacen("::", ": :", 1) } else { line }
    };
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
    let size = io::stdout().is_terminal().then(ratatui::crossterm::terminal::size);
    match size {
        Some(Ok((columns, _))) if columns > 0 => usize::from(columns),
        Some(Ok(_) | Err(_)) | None => USUAL,
    }
}

/// A bar that fills a share of its width.
#[must_use]
pub(super) fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a small width"
    )]
    let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round() as usize;
    let mut bar: String = std::iter::repeat_n('█', eighths / 8).collect();
    if !eighths.is_multiple_of(8) {
        bar.push(EIGHTHS[eighths % 8]);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars() {
        assert_eq!(bar(0.5, 4), "██");
        assert_eq!(bar(1.0 / 16.0, 2), "▏");
        assert_eq!(bar(0.0, 4), "");
    }
}
