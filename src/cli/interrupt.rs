//! Ctrl-C and its like: what is half done is cleared away, and the command ends with a code of its own.

use super::Exit;
use super::screen::give_terminal_back;
use super::terminal::{Harmless, cannot_print, is_watched, say};
use crate::store::{Abandoned, abandon_work};
use std::io::{self, ErrorKind, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ends the program at a signal that asks it to. Where signals cannot be had, they do what they always do.
pub(super) fn watch() {
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
