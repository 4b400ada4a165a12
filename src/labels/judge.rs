//! Which of two verdicts on an equal reply is right, by its label: the one place that decides it.

use super::{Label, Labelled, can_have};
use crate::compare::{ByLabel, Comparison, Flip, Side};
use crate::store::NamedVerdict;
use crate::verdict::Outcome;

impl Labelled {
    /// Notes what labels of the later side say of equal replies that other rules judge.
    pub fn judge(&self, comparison: &mut Comparison, sides: [&Side; 2]) {
        comparison.note_labels(|flip| self.of_flip(flip, sides));
    }

    fn of_flip(&self, flip: &Flip, [before, after]: [&Side; 2]) -> Option<ByLabel> {
        let label = *self.of.get(&flip.after?)?;
        let agrees = |side: &Side, at: u32| {
            let verdict = side.verdicts.get(side.entries.get(at as usize)?.verdict as usize)?;
            can_have(verdict, label).then(|| agrees(verdict, label))
        };
        Some(ByLabel::of(agrees(before, flip.before?)?, agrees(after, flip.after?)?))
    }
}

/// Whether both the outcome and the answer are what the label says.
fn agrees(verdict: &NamedVerdict, label: Label) -> bool {
    let is_outcome = match label {
        Label::Ok => verdict.outcome == Outcome::Worked,
        Label::BusinessLogic => verdict.outcome == Outcome::Refused,
        Label::ToolFailure => verdict.outcome == Outcome::Failed,
        Label::HiddenFailure => matches!(verdict.outcome, Outcome::Failed | Outcome::Refused),
    };
    is_outcome && Label::of(verdict) == Some(label)
}
