//! Gives results that many threads finish in any order to one taker in the order of their numbers.

use super::drive::locked;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};

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
