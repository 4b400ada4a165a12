//! What sets of signals come to, kept for those that are met again: most replies are like others.

use crate::verdict::SignalSet;

/// How many sets are kept. A set takes the place of another that falls on it.
const KEPT: usize = 1 << 8;

/// Answers by sets of signals.
#[derive(Debug)]
pub(super) struct Memo<T> {
    kept: Box<[Option<(SignalSet, T)>]>,
}

impl<T: Copy> Memo<T> {
    /// The answer for these signals, which must depend on nothing else.
    pub(super) fn get(&mut self, signals: SignalSet, work_out: impl FnOnce() -> T) -> T {
        let kept = &mut self.kept[place(signals)];
        match kept {
            Some((known, answer)) if *known == signals => *answer,
            Some(_) | None => kept.insert((signals, work_out())).1,
        }
    }
}

impl<T: Copy> Default for Memo<T> {
    fn default() -> Self {
        Self { kept: vec![None; KEPT].into() }
    }
}

fn place(signals: SignalSet) -> usize {
    let mixed = signals.0.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
    (mixed >> 120) as usize % KEPT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_worked_out_once_and_never_given_for_other_signals() {
        let mut memo = Memo::default();
        for round in 0..2 {
            for signals in [0, 1, 7, 1 << 64, u128::MAX >> 1] {
                let mut asked = false;
                let answer = memo.get(SignalSet(signals), || {
                    asked = true;
                    signals
                });
                assert_eq!((answer, asked), (signals, round == 0), "{signals}");
            }
        }
        let mut asked = 0;
        for signals in (0..10_000).chain(0..10_000) {
            let answer = memo.get(SignalSet(signals << 40), || {
                asked += 1;
                signals
            });
            assert_eq!(answer, signals);
        }
        assert!(asked > 10_000, "more sets than are kept");
    }
}
