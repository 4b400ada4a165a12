//! Conclusions in the names of their rulebooks, and what has to be the same again for a verdict to have
//! returned.

use crate::rulebook::Rulebook;
use crate::store::NamedVerdict;
use crate::verdict::{Conclusion, ErrorIn, IssueType, Outcome, Raised, Severity, Side};
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aspect {
    Outcome,
    Class,
    Answer,
    Valid,
    Confidence,
    Question,
    Score,
    Threshold,
    DecidedBy,
    ErrorKind,
    Issues,
    Signals,
    /// Nothing that is decided, only the patterns that hit.
    Hits,
}

impl Aspect {
    const DECIDED: [Self; 10] = [
        Self::Outcome,
        Self::Class,
        Self::Valid,
        Self::Confidence,
        Self::Question,
        Self::Score,
        Self::Threshold,
        Self::DecidedBy,
        Self::ErrorKind,
        Self::Issues,
    ];

    /// The standing if it flipped, else what differs; signals and hits only if nothing else does.
    pub(super) fn to_return(before: &NamedVerdict, after: &NamedVerdict) -> Vec<Self> {
        if before.standing() != after.standing() {
            return vec![Self::Outcome, Self::Class, Self::Answer];
        }
        let mut differing = Self::DECIDED.to_vec();
        differing.retain(|aspect| !aspect.is_same(before, after));
        if differing.is_empty() && !Self::Signals.is_same(before, after) {
            differing.push(Self::Signals);
        }
        if differing.is_empty() && before.hits != after.hits {
            differing.push(Self::Hits);
        }
        differing
    }

    /// Whether all that is decided and the signals that hold are the same in both.
    pub(super) fn all_same(one: &NamedVerdict, other: &NamedVerdict) -> bool {
        Self::DECIDED.iter().chain([&Self::Signals]).all(|aspect| aspect.is_same(one, other))
    }

    /// Whether it is the same in both. The patterns that hit are no part of what is decided.
    pub(super) fn is_same(self, one: &NamedVerdict, other: &NamedVerdict) -> bool {
        match self {
            Self::Outcome => one.outcome == other.outcome,
            Self::Class => one.class == other.class,
            Self::Answer => one.standing().answer == other.standing().answer,
            Self::Valid => one.is_valid == other.is_valid,
            Self::Confidence => is_same(Some(one.confidence), Some(other.confidence)),
            Self::Question => {
                (one.business_logic, one.hidden_failure)
                    == (other.business_logic, other.hidden_failure)
            }
            Self::Score => is_same(one.score, other.score),
            Self::Threshold => is_same(one.threshold, other.threshold),
            Self::DecidedBy => one.decided_by == other.decided_by,
            Self::ErrorKind => one.error_kind == other.error_kind,
            Self::Issues => one.issues == other.issues,
            // Two rulebooks may have them in another order.
            Self::Signals => {
                let [one, other]: [BTreeSet<&String>; 2] =
                    [one, other].map(|verdict| verdict.signals.iter().collect());
                one == other
            }
            Self::Hits => true,
        }
    }
}

fn is_same(one: Option<f64>, other: Option<f64>) -> bool {
    one.map(f64::to_bits) == other.map(f64::to_bits)
}

/// A verdict of which only that is known what a rulebook concludes, and the issues that do not come from it.
pub(super) fn concluded(
    rulebook: &Rulebook,
    conclusion: &Conclusion,
    others: &[String],
) -> NamedVerdict {
    let weighing = conclusion.weighing;
    let line = weighing.and_then(|weighing| rulebook.decide.get(usize::from(weighing.line?)));
    let kind = conclusion.error_kind;
    let kind = kind.and_then(|kind| rulebook.error_kinds.get(usize::from(kind)));
    let mut issues: Vec<String> = conclusion.raised().map(issue_name).collect();
    issues.extend(others.iter().cloned());
    issues.sort_unstable();
    NamedVerdict {
        outcome: conclusion.outcome,
        fate: conclusion.outcome.fate(),
        is_valid: conclusion.is_valid,
        confidence: conclusion.confidence,
        certainty: conclusion.certainty.map(|certainty| certainty.value),
        business_logic: conclusion.business_logic(),
        hidden_failure: conclusion.hidden_failure(),
        score: weighing.map(|weighing| weighing.score),
        threshold: weighing.and_then(|weighing| weighing.threshold),
        decided_by: line.map(|line| line.name.clone()),
        error_kind: kind.map(|kind| kind.name.clone()),
        issues,
        ..NamedVerdict::of_class(conclusion.classification)
    }
}

pub(super) fn issue_name(Raised { severity, kind }: Raised) -> String {
    format!("{} {}", severity.name(), kind.name())
}

/// Where issues say that an error is. Sides do not keep whose an issue is: its type tells, unless what became
/// of the call knows better.
pub(super) fn errors_in(issues: &[String], outcome: Outcome) -> ErrorIn {
    let sides = issues.iter().filter_map(|issue| {
        let (severity, kind) = issue.split_once(' ')?;
        let side = IssueType::named(kind).map_or(Side::Reply, IssueType::side);
        (severity == Severity::Error.name()).then_some(side)
    });
    match (ErrorIn::sides(sides), outcome) {
        (ErrorIn::Reply, Outcome::Worked | Outcome::Refused) => ErrorIn::Other,
        (ErrorIn::Other, Outcome::Invalid) => ErrorIn::Reply,
        (errors, _) => errors,
    }
}
