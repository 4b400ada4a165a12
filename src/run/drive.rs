//! Threads with deep stacks, what they take of a corpus, and the order of what they finish.

use crate::corpus::{Assembled, Block, Bounds, CorpusReader, Parsed};
use crate::format::Context;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Deeply nested recordings are walked by recursion in the schema validator.
const STACK: usize = 256 << 20;

/// Why a corpus could not be driven.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {source}")]
    Threads { threads: usize, source: rayon::ThreadPoolBuildError },
}

/// Does something on one thread whose stack is as deep as that of the threads of a run.
pub(super) fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, DriveError> {
    let pool = pool(1)?;
    Ok(pool.install(work))
}

fn builder(threads: usize) -> rayon::ThreadPoolBuilder {
    rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK)
}

pub(super) fn pool(threads: usize) -> Result<rayon::ThreadPool, DriveError> {
    builder(threads).build().map_err(|source| DriveError::Threads { threads, source })
}

/// Whatever else of this process is done in parallel keeps to so many threads. They are started when those that judged
/// have ended, so that they take over their memory.
pub(super) fn keep_to(threads: usize) {
    let _ = builder(threads).build_global();
}

pub(super) fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn exchanges<'b>(
    block: &'b Block,
    bounds: &Bounds,
    context: &mut Context,
) -> Assembled<'b> {
    let Some(recording) = &block.recording else { return Assembled::default() };
    let parsed = Parsed::read(block, recording, bounds, context);
    recording.in_turn(block.index, |assembler| assembler.assemble(parsed, block, bounds))
}

/// Shows each block of a corpus and the exchanges in it to `look`, in order, until it breaks off.
pub(super) fn each_block<T>(
    mut reader: CorpusReader,
    bounds: &Bounds,
    mut look: impl FnMut(&Block, &Assembled<'_>) -> ControlFlow<T>,
) -> Option<T> {
    let mut context = Context::new(bounds.max_depth);
    while let Some(block) = reader.next_block() {
        let assembled = exchanges(&block, bounds, &mut context);
        if let ControlFlow::Break(answer) = look(&block, &assembled) {
            return Some(answer);
        }
        drop(assembled);
        reader.recycle(block);
    }
    None
}

/// How many results may wait for an earlier one before their makers have to wait too.
const MAX_WAITING: u64 = 32;

/// A queue that restores order.
#[derive(Debug)]
pub(super) struct Ordered<T, S> {
    state: Mutex<State<T, S>>,
    moved: Condvar,
}

#[derive(Debug)]
struct State<T, S> {
    next: u64,
    waiting: BTreeMap<u64, T>,
    taker: S,
}

impl<T, S> Ordered<T, S> {
    pub(super) fn new(taker: S) -> Self {
        Self {
            state: Mutex::new(State { next: 0, waiting: BTreeMap::new(), taker }),
            moved: Condvar::new(),
        }
    }

    /// Hands over result number `number`; `take` is called for every result whose turn has come.
    /// What it returns comes back, to be dealt with while others may hand over theirs.
    pub(super) fn submit<R>(
        &self,
        number: u64,
        item: T,
        mut take: impl FnMut(&mut S, T) -> Option<R>,
    ) -> Vec<R> {
        let mut state = locked(&self.state);
        while number > state.next + MAX_WAITING {
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let state = &mut *state;
        state.waiting.insert(number, item);
        let mut left_over = Vec::new();
        while let Some(item) = state.waiting.remove(&state.next) {
            left_over.extend(take(&mut state.taker, item));
            state.next += 1;
        }
        self.moved.notify_all();
        left_over
    }

    /// The taker, when all is done.
    pub(super) fn into_taker(self) -> S {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).taker
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::corpus::Input;
    use crate::recording::SessionNews;

    /// What sessions are known to be when a recording of these messages of client (`>`) and server
    /// (`<`) ends.
    fn ended(messages: &str) -> String {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("wire.jsonl");
        let lines = messages.lines().map(|message| {
            let (side, message) = message.split_at(1);
            let direction = if side == ">" { "client_to_server" } else { "server_to_client" };
            format!("{{\"direction\":\"{direction}\",\"message\":{message}}}\n")
        });
        std::fs::write(&path, lines.collect::<String>()).expect("a file");
        let bounds = Bounds::default();
        let reader = CorpusReader::new(&[Input::Path(path)], bounds).expect("it is there");
        let mut found = Vec::new();
        each_block(reader, &bounds, |_, assembled| {
            found.extend(assembled.events.iter().filter_map(|event| match &event.what {
                SessionNews::Ended(ended) => Some(format!("{}: {ended:?}", event.place.line)),
                SessionNews::Relisted { .. } => None,
            }));
            ControlFlow::<()>::Continue(())
        });
        found.join("\n")
    }

    #[test]
    fn a_session_tells_how_it_was_set_up() {
        cases::check("tests/cases/sessions.txt", |case| ended(&case.text));
    }

    fn push(queue: &Ordered<u64, Vec<u64>>, number: u64) {
        queue.submit(number, number, |taken, item| {
            taken.push(item);
            None::<()>
        });
    }

    #[test]
    fn whatever_order_results_come_in_they_are_taken_in_their_own() {
        let queue = Ordered::new(Vec::new());
        for number in [2, 0, 3, 1, 4] {
            push(&queue, number);
        }
        assert_eq!(queue.into_taker(), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_maker_far_ahead_waits_for_the_others() {
        let queue = Ordered::new(Vec::new());
        std::thread::scope(|scope| {
            scope.spawn(|| (1..200).for_each(|number| push(&queue, number)));
            std::thread::sleep(std::time::Duration::from_millis(20));
            push(&queue, 0);
        });
        assert_eq!(queue.into_taker().len(), 200);
    }
}
