//! Rejections that no file tells of yet, and the exchanges that stand for them.

use super::decision::{Decision, What};
use super::session::Session;
use crate::compare::Flip;

/// A rejected exchange that is to be remembered beside the baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Its group, by its place among the subjects.
    pub subject: usize,
    pub flip: Flip,
    pub decision: Decision,
}

/// Those not written yet: each exchange rejected by itself, and a few of each group rejected whole.
pub fn rejections(session: &Session) -> Vec<Rejection> {
    let is_new = |decision: &&Decision| decision.what == What::Reject && !decision.written;
    let mut found = Vec::new();
    for (subject, state) in session.states().iter().enumerate() {
        let shown = session.subjects()[subject].shown.iter();
        let of_group = state.whole.iter().filter(is_new).flat_map(|whole| {
            let others = shown.clone().filter(|place| !state.single.contains_key(place));
            others.map(move |place| (*place, whole))
        });
        // One stands for all that are equal to it.
        let is_first = |place: &u32| session.equals(subject, *place).first() == Some(place);
        let single = state.single.iter().filter(|(place, one)| is_new(one) && is_first(place));
        for (place, decision) in single.map(|(place, one)| (*place, one)).chain(of_group) {
            if let Some(flip) = session.flip(subject, place) {
                found.push(Rejection { subject, flip: *flip, decision: decision.clone() });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::samples::{by, session};
    use super::super::{Target, What};
    use super::*;

    #[test]
    fn a_few_stand_for_a_group() {
        let mut session = session();
        session.decide(&[Target::Group(0)], (What::Reject, Some("no")), &by());
        session.decide(&[Target::Exchange(0, 0)], (What::Accept, None), &by());
        session.decide(&[Target::Exchange(1, 1)], (What::Reject, Some("odd")), &by());
        let found = rejections(&session);
        let answers: Vec<_> = found
            .iter()
            .map(|one| (one.subject, one.flip.after, one.decision.note.as_deref()))
            .collect();
        assert_eq!(
            answers,
            [(0, Some(1), Some("no")), (0, Some(2), Some("no")), (1, Some(6), Some("odd"))]
        );
        session.written(Vec::new(), &by());
        assert_eq!(rejections(&session), []);
    }
}
