//! The labelled exchanges that are answered wrongly.

use super::Fold;
use crate::compare::Side;
use crate::labels::Label;
use crate::measure::accuracy::Item;

/// A labelled exchange that is answered wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The exchange, as a place in [`Side::entries`].
    pub entry: u32,
    /// What was said of it, as a number into [`Side::verdicts`].
    pub verdict: u32,
    pub truth: Label,
    pub answer: Option<Label>,
}

/// The mistakes: by what is true, what was answered, server, recording and line.
pub fn mistakes(side: &Side, items: &[Item]) -> Vec<Mistake> {
    let answers = items.iter().map(|item| (item, Label::of(&side.verdicts[item.verdict as usize])));
    wrong(side, answers)
}

/// The mistakes of what is left of a rulebook without the server that is asked about.
pub(super) fn left_out(side: &Side, items: &[Item], folds: &[Fold]) -> Vec<Mistake> {
    let answers = folds.iter().flat_map(|fold| &fold.answers);
    wrong(side, answers.map(|it| (&items[it.place], it.answer)))
}

fn wrong<'i>(
    side: &Side,
    answers: impl Iterator<Item = (&'i Item, Option<Label>)>,
) -> Vec<Mistake> {
    let mut mistakes: Vec<Mistake> = answers
        .filter(|(item, answer)| *answer != Some(item.label))
        .map(|(item, answer)| Mistake {
            entry: item.entry,
            verdict: item.verdict,
            truth: item.label,
            answer,
        })
        .collect();
    let place = |mistake: &Mistake| {
        let entry = &side.entries[mistake.entry as usize];
        (side.names.get(entry.server), side.names.get(entry.file), entry.line, mistake.entry)
    };
    mistakes.sort_by(|one, other| {
        let kinds = (one.truth, one.answer).cmp(&(other.truth, other.answer));
        kinds.then_with(|| place(one).cmp(&place(other)))
    });
    mistakes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::stats::samples;

    #[test]
    fn what_is_answered_wrongly_is_listed() {
        let mistakes = mistakes(&samples::side(), &samples::items());
        let [mistake] = mistakes[..] else { panic!("one: {mistakes:?}") };
        assert_eq!(samples::REPLIES[mistake.entry as usize].2, "you may not");
        assert_eq!(
            (mistake.truth, mistake.answer),
            (Label::BusinessLogic, Some(Label::ToolFailure))
        );
    }
}
