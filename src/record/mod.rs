//! Records what passes between a client and a server on its standard streams. Bytes go through as they come; a copy is
//! written down by a thread of its own, which may be late or fail without anybody who talks noticing.

mod child;
mod lines;
mod pump;
mod queue;
mod tape;
#[cfg(test)]
mod tests;

pub(crate) use child::as_helper;

use crate::recording::Direction;
use crate::redact::Redactor;
use child::Server;
use lines::Recorder;
use pump::{Ended, give_up, pass};
use queue::Queue;
use rustix::process::Signal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// What is recorded, and where it goes.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The server's program and its arguments.
    pub(crate) command: Vec<OsString>,
    /// This program, if it can start the server so that the server notices the death of its recorder.
    pub(crate) helper: Option<PathBuf>,
    /// What the server is called, where the user says so.
    pub(crate) server: Option<String>,
    pub(crate) out: PathBuf,
    /// A file with so many bytes is followed by another.
    pub(crate) most_bytes: u64,
    pub(crate) redactor: Redactor,
    /// Says a line to the user.
    pub(crate) tell: fn(&str),
}

/// Bytes of copies that wait to be written. What comes while there are so many is not recorded.
const MOST_WAITING: usize = 8 << 20;
/// After its input has ended a server is asked to end, and then made to.
const LADDER: [(Duration, Signal); 2] =
    [(Duration::from_millis(1_500), Signal::TERM), (Duration::from_millis(2_500), Signal::KILL)];
/// When the end has begun so long ago, nothing is waited for.
const AT_LAST: Duration = Duration::from_millis(2_900);
/// What a server that ended has left in its pipe is read for so long if another process keeps the pipe open.
const KEPT_OPEN: Duration = Duration::from_millis(500);
/// What waits to be written down has this time at least.
const LAST_LINES: Duration = Duration::from_millis(300);
/// How often a group of processes is looked at that is about to end, and ten times as often what is left to write.
const LOOK: Duration = Duration::from_millis(10);

/// What happens while both talk.
enum Event {
    ClientEnded,
    ServerEnded(ExitStatus),
    OutputEnded,
    Signal(Signal),
}

/// Runs the server between standard input and output until both are done. Returns the server's exit code, or 128 and the
/// signal that ended it.
pub(crate) fn record(plan: Plan) -> io::Result<i32> {
    let (events, happened) = channel();
    watch_signals(events.clone())?;
    // The thread that starts the server lives as long as the program: when it ends, the server is told.
    let (server, input, output) = Server::start(&plan.command, plan.helper.as_deref())?;
    let (tell, queue) = (plan.tell, Arc::new(Queue::new(MOST_WAITING)));
    let copies = Arc::clone(&queue);
    let writer = thread::spawn(move || Recorder::new(plan).follow(&copies));
    let steps = Arc::new(AtomicU64::new(0));
    let (stopped, stop) = io::pipe()?;
    let (copies, sender) = (Arc::clone(&queue), events.clone());
    thread::spawn(move || {
        let from = rustix::stdio::stdin();
        let steps = AtomicU64::new(0);
        let ended =
            pass(from, &input, Some(&stopped), &steps, |it| copies.add(Direction::FromClient, it));
        drop(input);
        if ended == Ended::ByReader {
            // The server may still have something to say.
            return give_up(rustix::stdio::dup2_stdin);
        }
        let _ = sender.send(Event::ClientEnded);
    });
    let (copies, sender) = (Arc::clone(&queue), events.clone());
    let passed = Arc::clone(&steps);
    thread::spawn(move || {
        let to = rustix::stdio::stdout();
        let ended = pass(&output, to, None, &passed, |it| copies.add(Direction::FromServer, it));
        drop(output);
        if ended == Ended::BySender {
            give_up(rustix::stdio::dup2_stdout);
        }
        let _ = sender.send(Event::OutputEnded);
    });
    let Server { mut child, group } = server;
    thread::spawn(move || {
        if let Ok(status) = child.wait() {
            let _ = events.send(Event::ServerEnded(status));
        }
    });
    let end = End::of(&happened, group, stop, &steps);
    queue.close();
    let patience = end.begun.map_or(LAST_LINES, |begun| AT_LAST.saturating_sub(begun.elapsed()));
    let latest = Instant::now() + patience.max(LAST_LINES);
    while !writer.is_finished() && Instant::now() < latest {
        thread::sleep(LOOK / 10);
    }
    if !writer.is_finished() {
        tell("warning: tapecheck record: the last lines are missing: the disk is too slow");
    } else if writer.join().is_err() {
        tell("warning: not all is recorded: a bug in tapecheck; please report it");
    }
    Ok(end.status.map_or(128 + 9, child::exit_code))
}

/// Signals that end a program go to the server. A file that may not grow is an error like any other.
fn watch_signals(events: Sender<Event>) -> io::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM, SIGXFSZ])?;
    thread::spawn(move || {
        let signals = signals.forever().filter(|signal| *signal != SIGXFSZ);
        for signal in signals.filter_map(Signal::from_named_raw) {
            let _ = events.send(Event::Signal(signal));
        }
    });
    Ok(())
}

/// How far the end has come.
#[derive(Default)]
struct End {
    /// When the client, a signal or the server itself began it.
    begun: Option<Instant>,
    status: Option<ExitStatus>,
    /// Since when the server's output stands still, and after how many steps.
    still: Option<(Instant, u64)>,
    has_output_ended: bool,
    was_signalled: bool,
    /// How many signals of the ladder were sent.
    sent: usize,
}

impl End {
    /// Waits for the end, and helps it along. Dropping `stop` closes the server's input.
    fn of(
        happened: &Receiver<Event>,
        group: child::Group,
        stop: io::PipeWriter,
        steps: &AtomicU64,
    ) -> Self {
        let mut end = Self::default();
        let mut stop = Some(stop);
        loop {
            match end.next(happened) {
                Ok(Event::OutputEnded) => end.has_output_ended = true,
                Ok(Event::ServerEnded(status)) => end.status = Some(status),
                Ok(Event::Signal(signal)) => {
                    group.kill(signal);
                    end.was_signalled = true;
                }
                Err(RecvTimeoutError::Disconnected) => return end,
                Ok(Event::ClientEnded) | Err(RecvTimeoutError::Timeout) => {}
            }
            // Where the client ended the input, it is closed already.
            if end.begun.is_some() && stop.take().is_some() {
                // Not every container has somebody who waits for whom the server leaves behind.
                #[cfg(target_os = "linux")]
                let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
            }
            if end.is_over(group, steps.load(Ordering::Relaxed)) {
                return end;
            }
            let elapsed = end.begun.map(|begun| begun.elapsed());
            if let Some((after, signal)) = LADDER.get(end.sent)
                && elapsed.is_some_and(|elapsed| elapsed >= *after)
            {
                end.sent += 1;
                group.kill(*signal);
            }
        }
    }

    /// The next event, or none for a moment.
    fn next(&mut self, happened: &Receiver<Event>) -> Result<Event, RecvTimeoutError> {
        let Some(_) = self.begun else {
            let event = happened.recv().map_err(|_| RecvTimeoutError::Disconnected)?;
            // A server that closes its output may still take what it is sent.
            if !matches!(event, Event::OutputEnded) {
                self.begun = Some(Instant::now());
            }
            return Ok(event);
        };
        happened.recv_timeout(LOOK)
    }

    fn is_over(&mut self, group: child::Group, steps: u64) -> bool {
        let Some(begun) = self.begun else { return false };
        let is_late = begun.elapsed() >= AT_LAST;
        if self.status.is_none() || !group.is_gone() {
            return is_late;
        }
        // A client that is slow to read gets all of it, unless it has sent a signal.
        let is_sending = steps % 2 == 1;
        let still = self.still.filter(|(_, at)| *at == steps && !is_sending);
        let (since, _) = *self.still.insert(still.unwrap_or((Instant::now(), steps)));
        self.has_output_ended || since.elapsed() >= KEPT_OPEN || is_late && self.was_signalled
    }
}
