//! Why a verdict changed.

use super::{Cause, CauseKind, Explanation, Matched, Origin, Proof, Question, Side};

/// What differs between what was said before and after.
pub(super) fn explain_all(before: &Side, after: &Side, questions: &[Question]) -> Vec<Explanation> {
    let explain = |(from, to, matched, _): &Question| {
        let (from, to) = (before.said_of(*from), after.said_of(*to));
        let name = |decided: &Option<String>| decided.clone().unwrap_or_default();
        let cause = Cause {
            kind: CauseKind::DecisionLine,
            name: format!("{}/{}", name(&from.decided_by), name(&to.decided_by)),
            change: format!(
                "decided by \"{}\" -> \"{}\"",
                name(&from.decided_by),
                name(&to.decided_by)
            ),
        };
        let origin = match matched {
            Matched::Exchange => Origin::Rulebook,
            Matched::Request => Origin::Reply,
        };
        Explanation { origin, causes: vec![cause], proof: Proof::Observed("not tried".to_owned()) }
    };
    questions.iter().map(explain).collect()
}
