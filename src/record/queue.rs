//! Copies on their way to the recorder: bounded in bytes, and never waited for.

use crate::recording::{Direction, Moment};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Copies are taken together that come within this time, so that the recorder seldom takes a processor from those
/// who talk.
const TOGETHER: Duration = Duration::from_millis(2);

/// A part of what passed.
#[derive(Debug)]
pub(super) struct Copied {
    pub(super) at: Moment,
    pub(super) direction: Direction,
    /// Its bytes, or those that there was no room for.
    pub(super) what: Result<Vec<u8>, Missed>,
}

/// What is not in the recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Missed {
    pub(super) bytes: u64,
    /// Ends of messages among them.
    pub(super) ends: u64,
    /// Whether the last of them is not the end of a message.
    pub(super) is_torn: bool,
}

impl Missed {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let ends = memchr::memchr_iter(b'\n', bytes).count() as u64;
        let is_torn = bytes.last().is_some_and(|last| *last != b'\n');
        Self { bytes: bytes.len() as u64, ends, is_torn }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.ends += other.ends;
        self.is_torn = other.is_torn;
    }

    /// The end of a line that says so.
    pub(super) fn as_gap(self, why: &str) -> String {
        let Self { bytes, ends, .. } = self;
        format!(r#","gap":{{"messages":{ends},"bytes":{bytes},"why":"{why}"}}}}"#) + "\n"
    }
}

#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    most: usize,
}

#[derive(Debug, Default)]
struct State {
    copies: VecDeque<Copied>,
    /// Bytes of them, and of those that were taken last.
    held: usize,
    taken: usize,
    /// What there was no room for since there last was some: from the client and from the server.
    missed: [Missed; 2],
    /// The recorder waits to be woken.
    is_waited_for: bool,
    is_closed: bool,
}

impl Queue {
    pub(super) fn new(most: usize) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), most }
    }

    /// Takes a copy, in the order in which things pass, if there is room for it.
    pub(super) fn add(&self, direction: Direction, bytes: &[u8]) {
        let mut state = self.lock();
        if state.held + bytes.len() > self.most {
            state.missed[direction as usize].add(Missed::of(bytes));
            return;
        }
        let at = Moment::now();
        state.tell_missed(direction, at);
        state.held += bytes.len();
        state.copies.push_back(Copied { at, direction, what: Ok(bytes.to_vec()) });
        if std::mem::take(&mut state.is_waited_for) {
            drop(state);
            self.changed.notify_one();
        }
    }

    /// All copies that wait; none when nothing more comes. What was taken before is done with.
    pub(super) fn take(&self) -> VecDeque<Copied> {
        let mut state = self.lock();
        state.held -= std::mem::take(&mut state.taken);
        while state.copies.is_empty() && !state.is_closed {
            state.is_waited_for = true;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if !state.is_closed {
            let waited = self.changed.wait_timeout(state, TOGETHER);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.is_closed {
            let at = Moment::now();
            for direction in Direction::ALL {
                state.tell_missed(direction, at);
            }
        }
        state.taken = state.held;
        std::mem::take(&mut state.copies)
    }

    /// Nothing more comes.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Says, before what follows, what there was no room for.
    fn tell_missed(&mut self, direction: Direction, at: Moment) {
        let missed = std::mem::take(&mut self.missed[direction as usize]);
        if missed != Missed::default() {
            self.copies.push_back(Copied { at, direction, what: Err(missed) });
        }
    }
}
