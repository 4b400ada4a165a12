//! The label that an accepted verdict amounts to.

use crate::labels::Label;
use crate::store::NamedVerdict;
use crate::verdict::Answer;

/// The label that a verdict amounts to; `None` for what labels have no word for, such as no reply.
pub fn label_of(verdict: &NamedVerdict) -> Option<Label> {
    let has_answer = verdict.standing().answer != Answer::NotAsked || verdict.is_valid;
    Label::of(verdict).filter(|_| has_answer)
}

#[cfg(test)]
mod tests {
    use super::super::samples::verdict;
    use super::*;

    #[test]
    fn every_answer_has_its_label() {
        let labels = Answer::LISTED[..4].iter().map(|answer| label_of(&verdict(*answer, &[])));
        assert!(labels.eq(Label::ALL.map(Some)));
        let silent = NamedVerdict { is_valid: false, ..verdict(Answer::NotAsked, &[]) };
        assert_eq!(label_of(&silent), None);
    }
}
