//! Drives a corpus through any number of threads without losing its order.

use super::ordered::Ordered;
use crate::corpus::{Assembled, Block, Bounds, CorpusReader, Parsed};
use crate::format::Context;
use std::sync::{Mutex, PoisonError};

/// Deeply nested recordings are walked by recursion in the schema validator.
const STACK: usize = 256 << 20;

/// What is done with each block: any thread may do it, on its own worker.
pub(super) trait Work: Sync {
    /// What a thread keeps for itself.
    type Worker;
    /// What comes out of a block.
    type Outcome: Send;
    /// What sees all outcomes, in the corpus's order.
    type Taker: Send;
    /// What the taker leaves to be done afterwards, out of the others' way.
    type Rest: Send;

    /// A thread's own state.
    fn worker(&self) -> Self::Worker;

    /// Works on one block.
    fn block(&self, worker: &mut Self::Worker, block: &Block) -> Self::Outcome;

    /// Takes an outcome in its turn.
    fn take(&self, taker: &mut Self::Taker, outcome: Self::Outcome) -> Option<Self::Rest>;

    /// Does what was left to be done.
    fn rest(&self, rest: Self::Rest);

    /// Whether there is no use in going on.
    fn is_over(&self) -> bool;
}

/// Why a corpus could not be driven.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {source}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why.
        source: rayon::ThreadPoolBuildError,
    },
}

/// Does something on one thread whose stack is as deep as that of the threads of a run.
pub(super) fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, DriveError> {
    let pool = pool(1)?;
    Ok(pool.install(work))
}

fn pool(threads: usize) -> Result<rayon::ThreadPool, DriveError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK)
        .build()
        .map_err(|source| DriveError::Threads { threads, source })
}

/// Works on every block of a corpus and returns the taker.
pub(super) fn drive<W: Work>(
    reader: CorpusReader,
    threads: usize,
    work: &W,
    taker: W::Taker,
) -> Result<W::Taker, DriveError> {
    let pool = pool(threads)?;
    let reader = Mutex::new(reader);
    let lock = || reader.lock().unwrap_or_else(PoisonError::into_inner);
    let queue = Ordered::new(taker);
    pool.broadcast(|_| {
        let mut worker = work.worker();
        while !work.is_over() {
            let Some(block) = lock().next_block() else { break };
            let outcome = work.block(&mut worker, &block);
            let left =
                queue.submit(block.number, outcome, |taker, outcome| work.take(taker, outcome));
            for rest in left {
                work.rest(rest);
            }
            lock().recycle(block);
        }
    });
    Ok(queue.into_taker())
}

/// The exchanges of a block.
pub(super) fn exchanges<'b>(
    block: &'b Block,
    bounds: &Bounds,
    context: &mut Context,
) -> Assembled<'b> {
    let Some(tape) = &block.tape else { return Assembled::default() };
    let parsed = Parsed::read(block, tape, bounds, context);
    tape.in_turn(block.index, |assembler| assembler.assemble(parsed, block, bounds))
}
