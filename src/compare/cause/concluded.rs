//! Conclusions in the names of their rulebooks, and what has to be the same again for a verdict to have
//! returned.

use crate::compare::{Answer, NamedVerdict, Standing};
use crate::rulebook::Rulebook;
use crate::verdict::{Classification, Conclusion, ErrorIn, IssueType, Raised, Severity, Side};
use std::collections::BTreeSet;

/// A conclusion in the names of its rulebook, by which conclusions of two rulebooks can be compared.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Concluded {
    pub(super) class: Classification,
    pub(super) is_valid: bool,
    pub(super) confidence: f64,
    pub(super) business_logic: Option<bool>,
    pub(super) hidden_failure: Option<bool>,
    pub(super) score: Option<f64>,
    pub(super) threshold: Option<f64>,
    pub(super) decided_by: Option<String>,
    pub(super) error_kind: Option<String>,
    /// Sorted.
    pub(super) issues: Vec<String>,
    pub(super) facts: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aspect {
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
    Facts,
    /// Nothing that is decided, only the patterns that hit.
    Hits,
}

impl Aspect {
    const DECIDED: [Self; 9] = [
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

    /// What has to return: the standing where it flipped, else whatever differs. Facts and hits count
    /// where nothing else does.
    pub(super) fn to_return(before: &NamedVerdict, after: &NamedVerdict) -> Vec<Self> {
        if before.standing() != after.standing() {
            return vec![Self::Class, Self::Answer];
        }
        let [old, new] = [before, after].map(Concluded::of);
        let mut differing = Self::DECIDED.to_vec();
        differing.retain(|aspect| !aspect.is_same(&old, &new));
        if differing.is_empty() && !Self::Facts.is_same(&old, &new) {
            differing.push(Self::Facts);
        }
        if differing.is_empty() && before.hits != after.hits {
            differing.push(Self::Hits);
        }
        differing
    }

    /// Whether it is the same in both. The patterns that hit are no part of what is decided.
    pub(super) fn is_same(self, one: &Concluded, other: &Concluded) -> bool {
        match self {
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
            Self::Facts => one.facts == other.facts,
            Self::Hits => true,
        }
    }
}

fn is_same(one: Option<f64>, other: Option<f64>) -> bool {
    one.map(f64::to_bits) == other.map(f64::to_bits)
}

impl Concluded {
    /// The class and the answer.
    pub(super) fn standing(&self) -> Standing {
        let answer = Answer::listed(self.hidden_failure, self.business_logic);
        Standing { class: self.class, answer }
    }

    /// What a rulebook concludes, and the issues that do not come from it.
    pub(super) fn by(rulebook: &Rulebook, conclusion: &Conclusion, others: &[String]) -> Self {
        let weighing = conclusion.weighing;
        let line = weighing.and_then(|weighing| rulebook.decide.get(usize::from(weighing.line?)));
        let kind = conclusion.error_kind;
        let kind = kind.and_then(|kind| rulebook.error_kinds.get(usize::from(kind)));
        let mut issues: Vec<String> = conclusion.raised().map(issue_name).collect();
        issues.extend(others.iter().cloned());
        issues.sort_unstable();
        Self {
            class: conclusion.classification,
            is_valid: conclusion.is_valid,
            confidence: conclusion.confidence,
            business_logic: conclusion.business_logic(),
            hidden_failure: conclusion.hidden_failure(),
            score: weighing.map(|weighing| weighing.score),
            threshold: weighing.and_then(|weighing| weighing.threshold),
            decided_by: line.map(|line| line.name.clone()),
            error_kind: kind.map(|kind| kind.name.clone()),
            issues,
            facts: BTreeSet::new(),
        }
    }

    /// What was concluded of an exchange.
    pub(super) fn of(said: &NamedVerdict) -> Self {
        Self {
            class: said.class,
            is_valid: said.is_valid,
            confidence: said.confidence,
            business_logic: said.business_logic,
            hidden_failure: said.hidden_failure,
            score: said.score,
            threshold: said.threshold,
            decided_by: said.decided_by.clone(),
            error_kind: said.error_kind.clone(),
            issues: said.issues.clone(),
            facts: said.facts.iter().cloned().collect(),
        }
    }
}

/// An issue as sides name it.
pub(super) fn issue_name(Raised { severity, kind }: Raised) -> String {
    format!("{} {}", severity.name(), kind.name())
}

/// Where issues say that an error is. Sides do not keep whose an issue is, so its type tells.
pub(super) fn errors_in(issues: &[String]) -> ErrorIn {
    let sides = issues.iter().filter_map(|issue| {
        let (severity, kind) = issue.split_once(' ')?;
        let side = IssueType::named(kind).map_or(Side::Reply, IssueType::side);
        (severity == Severity::Error.name()).then_some(side)
    });
    ErrorIn::sides(sides)
}
