//! The label that an accepted verdict amounts to.

use crate::labels::Label;
use crate::store::NamedVerdict;
use crate::verdict::Answer;

/// The label that a verdict amounts to; `None` for what labels have no word for, such as no reply.
pub fn label_of(said: &NamedVerdict) -> Option<Label> {
    let is_said = said.standing().answer != Answer::NotAsked || said.is_valid;
    Label::of(said).filter(|_| is_said)
}

#[cfg(test)]
mod tests {
    use super::super::samples::said;
    use super::*;

    #[test]
    fn every_answer_has_its_label() {
        let labels = Answer::LISTED.map(|answer| label_of(&said(answer, &[])));
        assert_eq!(labels, Label::ALL.map(Some));
        let silent = NamedVerdict { is_valid: false, ..said(Answer::NotAsked, &[]) };
        assert_eq!(label_of(&silent), None);
    }
}
