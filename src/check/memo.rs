//! What is met again, with what came of it: most replies are like others.

/// How many are kept. One takes the place of another that falls on it.
const KEPT: usize = 1 << 8;

#[derive(Debug)]
pub(super) struct Memo<Q, A> {
    kept: Box<[Option<(Q, A)>]>,
}

impl<Q: Copy + PartialEq, A: Copy> Memo<Q, A> {
    /// The answer to a question, which must depend on nothing else. The number tells most questions apart.
    pub(super) fn get(&mut self, question: Q, number: u128, work_out: impl FnOnce() -> A) -> A {
        let kept = &mut self.kept[place(number)];
        match kept {
            Some((known, answer)) if *known == question => *answer,
            Some(_) | None => kept.insert((question, work_out())).1,
        }
    }
}

impl<Q: Copy, A: Copy> Default for Memo<Q, A> {
    fn default() -> Self {
        Self { kept: vec![None; KEPT].into() }
    }
}

fn place(number: u128) -> usize {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
    (mixed >> 120) as usize % KEPT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_worked_out_once_and_never_given_to_another_question() {
        let mut memo = Memo::default();
        for round in 0..2 {
            for question in [0_u128, 1, 7, 1 << 64, u128::MAX >> 1] {
                let mut asked = false;
                let answer = memo.get(question, question, || {
                    asked = true;
                    !question
                });
                assert_eq!((answer, asked), (!question, round == 0), "{question}");
            }
        }
        let mut asked = 0;
        for question in (0..10_000).chain(0..10_000) {
            let answer = memo.get(question, question << 40, || {
                asked += 1;
                !question
            });
            assert_eq!(answer, !question);
        }
        assert!(asked > 10_000, "more than are kept");
    }
}
