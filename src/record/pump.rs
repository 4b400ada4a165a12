//! One direction: bytes go on as they come, each once, after a copy of them was taken.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::fs::File;
use std::io::PipeReader;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that are passed on at a time; as many as a pipe holds.
const CHUNK: usize = 1 << 16;

/// Why nothing more passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    BySender,
    /// Whoever is sent to reads no more.
    ByReader,
    /// It was stopped.
    Stopped,
}

/// Passes on what comes until one side ends, or until there is something to read from `stop`. A copy is handed out before
/// the bytes go on, so that no answer is recorded before its question. `steps` counts the beginning and the end of each write.
pub(super) fn pass(
    from: impl AsFd,
    to: impl AsFd,
    stop: Option<&PipeReader>,
    steps: &AtomicU64,
    mut copy: impl FnMut(&[u8]),
) -> Ended {
    let (from, to, stop) = (from.as_fd(), to.as_fd(), stop.map(AsFd::as_fd));
    let mut buffer = vec![0; CHUNK];
    loop {
        if stop.is_some() && is_stopped(from, PollFlags::IN, stop) {
            return Ended::Stopped;
        }
        let length = match rustix::io::read(from, &mut buffer) {
            Ok(0) => return Ended::BySender,
            Ok(length) => length,
            Err(Errno::AGAIN) if is_stopped(from, PollFlags::IN, stop) => return Ended::Stopped,
            Err(Errno::AGAIN | Errno::INTR) => continue,
            Err(_) => return Ended::BySender,
        };
        copy(&buffer[..length]);
        steps.fetch_add(1, Ordering::Relaxed);
        let mut rest = &buffer[..length];
        while !rest.is_empty() {
            match rustix::io::write(to, rest) {
                Ok(length) => rest = &rest[length..],
                Err(Errno::AGAIN) if is_stopped(to, PollFlags::OUT, stop) => return Ended::Stopped,
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => return Ended::ByReader,
            }
        }
        steps.fetch_add(1, Ordering::Relaxed);
    }
}

/// Waits until something can be done with a stream. Whether all is to stop instead.
fn is_stopped(stream: BorrowedFd<'_>, what: PollFlags, stop: Option<BorrowedFd<'_>>) -> bool {
    let mut streams = vec![PollFd::from_borrowed_fd(stream, what)];
    streams.extend(stop.map(|stop| PollFd::from_borrowed_fd(stop, PollFlags::IN)));
    let waited = poll(&mut streams, None);
    waited.is_ok() && streams.get(1).is_some_and(|stop| !stop.revents().is_empty())
}

/// Lets the client notice, as it would without anybody in between, that a stream is at its end: nobody reads what it
/// sends, or nothing more comes.
pub(super) fn give_up(replace: fn(File) -> rustix::io::Result<()>) {
    if let Ok(nothing) = File::options().read(true).write(true).open("/dev/null") {
        let _ = replace(nothing);
    }
}
