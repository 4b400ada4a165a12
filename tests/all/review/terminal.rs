//! A terminal for tests: a program runs in a pty, its screen is read, keys are pressed.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read as _, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use vt100::Parser;

/// How long a screen is waited for. Nothing waits that long unless something is wrong.
const PATIENCE: Duration = Duration::from_mins(2);

/// A program in a terminal of its own.
pub(crate) struct Terminal {
    parser: Parser,
    output: Receiver<Vec<u8>>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    /// Everything that was printed, in order.
    printed: Vec<u8>,
}

fn size((columns, rows): (u16, u16)) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

impl Terminal {
    /// Starts the built program in a folder, on a screen of some columns and rows.
    pub(crate) fn start(folder: &Path, arguments: &[&str], screen: (u16, u16)) -> Self {
        Self::start_with(folder, arguments, screen, &[])
    }

    /// The same, with these variables set.
    pub(crate) fn start_with(
        folder: &Path,
        arguments: &[&str],
        screen: (u16, u16),
        variables: &[(&str, &str)],
    ) -> Self {
        let pair = native_pty_system().openpty(size(screen)).expect("a pty");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_tapecheck"));
        command.args(arguments);
        command.cwd(folder);
        command.env("TERM", "xterm-256color");
        command.env("USER", "ann");
        command.env_remove("TAPECHECK_WHO");
        command.env_remove("NO_COLOR");
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("the program starts");
        // The end of the program is seen only when nobody else holds its side.
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let keys = pair.master.take_writer().expect("a writer");
        let parser = Parser::new(
            screen.1.try_into().expect("a row"),
            screen.0.try_into().expect("a column"),
            0,
        );
        Self { parser, output, keys, child, master: pair.master, printed: Vec::new() }
    }

    /// What is on the screen.
    pub(crate) fn text(&self) -> String {
        self.parser.screen().contents()
    }

    /// The screen with its colours.
    pub(crate) fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// Waits until the screen shows something.
    #[track_caller]
    pub(crate) fn sees(&mut self, wanted: &str) -> &mut Self {
        self.wait_for(wanted, |screen| screen.contains(wanted))
    }

    /// Waits until the screen no longer shows something.
    #[track_caller]
    pub(crate) fn no_longer_sees(&mut self, unwanted: &str) -> &mut Self {
        self.wait_for(&format!("no `{unwanted}`"), |screen| !screen.contains(unwanted))
    }

    #[track_caller]
    fn wait_for(&mut self, what: &str, is_there: impl Fn(&str) -> bool) -> &mut Self {
        let until = Instant::now() + PATIENCE;
        while !is_there(&self.text()) {
            match self.output.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Timeout) => panic!("never saw {what} in:\n{}", self.text()),
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("it ended without {what}:\n{}", String::from_utf8_lossy(&self.printed))
                }
            }
        }
        self
    }

    fn take(&mut self, bytes: &[u8]) {
        self.printed.extend_from_slice(bytes);
        self.parser.process(bytes);
    }

    /// Presses keys: text as it is, `\r` for enter, `\u{1b}` for escape.
    pub(crate) fn press(&mut self, keys: &str) -> &mut Self {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("a terminal");
        self
    }

    /// Gives the screen another size.
    pub(crate) fn resize(&mut self, screen: (u16, u16)) -> &mut Self {
        let (columns, rows) = screen;
        self.parser =
            Parser::new(rows.try_into().expect("a row"), columns.try_into().expect("a column"), 0);
        self.master.resize(size(screen)).expect("another size");
        self
    }

    /// Asks the program to end, by a signal.
    pub(crate) fn terminate(&self) {
        let id = self.child.process_id().expect("it runs").to_string();
        let status = std::process::Command::new("kill").args(["-TERM", &id]).status();
        assert!(status.expect("a signal").success());
    }

    /// Waits for the end of the program: its exit code, and what it left on the screen.
    pub(crate) fn end(mut self) -> (u32, String) {
        self.wait_for_end();
        let status = self.child.wait().expect("the program ends");
        (status.exit_code(), self.text())
    }

    /// Waits for the end of the program.
    pub(crate) fn wait_for_end(&mut self) {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.output.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Timeout) => panic!("it does not end:\n{}", self.text()),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    }

    /// Ends the program as a crash would.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }
}
