//! Printing: data to standard output, everything else to standard error. Whatever is printed passes
//! through here, so that nothing in it acts on a terminal.

pub(super) use crate::verdict::{counted, cut, grouped, harmless, harmless_lines};

use super::inputs::masked;
use super::screen::give_terminal_back;
use super::{Exit, Failure};
use crate::store::{Abandoned, abandon_work};
use crate::verdict::Lines;
pub(super) use crate::view::bar;
use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Writes to standard output, which is all that many commands do. A reader that has gone away ends the output quietly.
pub(super) fn print(text: &str) -> Result<Exit, Failure> {
    print_lines(text, Lines::default())
}

/// The same of text that has commands of its own for runners of CI systems.
pub(super) fn print_commands(text: &str) -> Result<Exit, Failure> {
    print_lines(text, Lines::with_own_commands())
}

fn print_lines(text: &str, mut lines: Lines) -> Result<Exit, Failure> {
    let mut out = io::stdout().lock();
    let text = lines.harmless(text);
    let text = painted(&text, &out);
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(cannot_print(&error)),
        Ok(()) | Err(_) => Ok(Exit::Clean),
    }
}

pub(super) fn cannot_print(error: &io::Error) -> Failure {
    Failure::unfinished(format!("cannot write to standard output: {error}"))
}

/// Writes to standard output what is too long for one text. A reader that left early is no error.
pub(super) fn print_by(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = io::BufWriter::with_capacity(1 << 16, Harmless::new(io::stdout().lock()));
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            // Dropping it would write the rest again.
            drop(out.into_parts());
            Ok(())
        }
        other => other.map_err(|error| cannot_print(&error)),
    }
}

/// Passes text on in which nothing acts on whoever shows it.
pub(super) struct Harmless<W> {
    to: W,
    lines: Lines,
    /// The beginning of a character of which the rest is yet to come.
    begun: Vec<u8>,
}

impl<W: Write> Harmless<W> {
    pub(super) fn new(to: W) -> Self {
        Self { to, lines: Lines::default(), begun: Vec::new() }
    }
}

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.begun) {
            Ok(text) => text.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => self.begun.len(),
        };
        let rest = self.begun.split_off(whole);
        let whole = std::mem::replace(&mut self.begun, rest);
        let whole = String::from_utf8_lossy(&whole);
        self.to.write_all(self.lines.harmless(&whole).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Writes a line to standard error, without secrets.
pub(super) fn say(text: &str) {
    let text = &masked(text);
    // Nobody is left to be told when standard error is gone.
    let mut out = io::stderr().lock();
    let text = harmless_lines(text);
    let _ = writeln!(out, "{}", painted(&text, &io::stderr()));
}

/// Whether people look at standard error.
pub(super) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Characters that a line of standard output has room for; a usual number where it is no terminal.
pub(super) fn line_width() -> usize {
    const USUAL: usize = 80;
    terminal_width().unwrap_or(USUAL)
}

/// The same, but lines are not broken where it is no terminal, so that they can be searched for.
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

const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";

/// First words of lines, without signs around them, and their colours.
const WORDS: [(&str, &str); 18] = [
    ("worked", GREEN),
    ("refused", YELLOW),
    ("invalid", RED),
    ("failed", RED),
    ("error", RED),
    ("FAIL", RED),
    ("undecided", YELLOW),
    ("warning", YELLOW),
    ("note", YELLOW),
    ("pass", GREEN),
    ("clean", GREEN),
    ("created", GREEN),
    ("differs", YELLOW),
    ("missing", YELLOW),
    ("regressed", RED),
    ("stricter", RED),
    ("fixed", GREEN),
    ("next", GREEN),
];

/// A text as a stream shows it: with colours where people look and did not refuse them.
pub(super) fn painted<'t>(text: &'t str, stream: &impl IsTerminal) -> Cow<'t, str> {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if refused || is_dumb || !stream.is_terminal() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split_inclusive('\n').map(line).collect())
}

fn line(line: &str) -> Cow<'_, str> {
    let start = line.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(line.len());
    let (before, rest) = line.split_at(start);
    // Words further in are words of a sentence.
    if !before.chars().all(|c| matches!(c, ' ' | '-' | '[' | ']')) {
        return Cow::Borrowed(line);
    }
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    match WORDS.iter().find(|(known, _)| *known == word) {
        Some((_, colour)) => Cow::Owned(format!("{before}\u{1b}[{colour}m{word}\u{1b}[0m{after}")),
        None => Cow::Borrowed(line),
    }
}

/// Whether a signal ended the program: what is half done is cleared away, and the exit code is its own.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ends the program at a signal that asks it to. Where signals cannot be had, they do what they always do.
pub(super) fn watch_signals() {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGINT, SIGTERM};
        let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else {
            return;
        };
        std::thread::spawn(move || {
            if signals.forever().next().is_some() {
                end();
            }
        });
    }
}

fn end() -> ! {
    INTERRUPTED.store(true, Ordering::SeqCst);
    give_terminal_back();
    let words = match abandon_work() {
        Abandoned::Run => "interrupted; nothing was replaced",
        Abandoned::Nothing => "interrupted",
    };
    // A progress bar may stand in the line. Nothing here needs masking, and settings may not be read yet.
    let end_of_line = if is_watched() { "\n" } else { "" };
    let _ = writeln!(io::stderr(), "{end_of_line}{words}");
    std::process::exit(i32::from(Exit::Interrupted.code()));
}

/// Standard output for verdicts on their way. What is wrong with it ends the program at once: the run may be
/// waiting for a pipe that nobody closes.
pub(super) struct Verdicts(pub(super) Harmless<Stdout>);

impl Write for Verdicts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).or_else(give_up)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().or_else(give_up)
    }
}

fn give_up<T>(error: io::Error) -> io::Result<T> {
    let exit = match error.kind() {
        ErrorKind::Interrupted => return Err(error),
        // Whoever read the verdicts has seen enough.
        ErrorKind::BrokenPipe => Exit::Clean,
        _ => {
            say(&cannot_print(&error).next("nothing was replaced").to_string());
            Exit::Unfinished
        }
    };
    INTERRUPTED.store(true, Ordering::SeqCst);
    abandon_work();
    std::process::exit(i32::from(exit.code()));
}

/// Never returns after a signal: what then fails in other threads is no news.
pub(super) fn wait_if_interrupted() {
    while INTERRUPTED.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_act_are_spelled_out_wherever_a_stream_is_cut() {
        let text = "a\u{1b}[31m\u{202e}b\u{9b}é不\n\tc::d\n \t::e\n:: ###[f] ##vso[g] # #[h]";
        let expected = "a\\u001b[31m\\u202eb\\u009bé不\n\tc::d\n \t:\\u003ae\n:\\u003a ###\\u005bf] ##vso\\u005bg] # #[h]";
        for at in 0..text.len() {
            let mut out = Harmless::new(Vec::new());
            for part in [&text.as_bytes()[..at], &text.as_bytes()[at..]] {
                out.write_all(part).expect("in memory");
            }
            assert_eq!(String::from_utf8(out.to).expect("text"), expected, "cut at {at}");
        }
    }

    #[test]
    fn a_line_takes_the_colour_of_its_first_word_alone() {
        assert_eq!(line("  failed  98\n"), "  \u{1b}[31mfailed\u{1b}[0m  98\n");
        assert_eq!(line("  - FAIL worse: 2\n"), "  - \u{1b}[31mFAIL\u{1b}[0m worse: 2\n");
        for plain in ["what failed\n", "failed_calls\n", "7 of 7  failed\n", "\n", "⟦error⟧"] {
            assert_eq!(line(plain), plain);
        }
    }
}
