//! Conclusions in the names of their rulebooks, and what has to be the same again for a verdict to have
//! returned.

use crate::recording::ReplyKind;
use crate::rulebook::Rulebook;
use crate::store::NamedVerdict;
use crate::verdict::{
    ErrorIn, Fate, Ground, IssueType, Observed, Outcome, Raised, SchemaOutcome, Severity, Side,
    SignalSet, Signals,
};
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aspect {
    /// Outcome, class and answer.
    Judgement,
    /// One of [`DECIDED`].
    Decided(usize),
    Signals,
    /// Nothing that is decided, only the patterns that hit.
    Hits,
}

/// Whether something that is decided is the same in two verdicts.
type IsSame = fn(&NamedVerdict, &NamedVerdict) -> bool;

const DECIDED: [IsSame; 10] = [
    |one, other| one.outcome == other.outcome,
    |one, other| one.class == other.class,
    |one, other| one.is_valid == other.is_valid,
    |one, other| one.confidence.to_bits() == other.confidence.to_bits(),
    |one, other| {
        (one.business_logic, one.hidden_failure) == (other.business_logic, other.hidden_failure)
    },
    |one, other| one.score.map(f64::to_bits) == other.score.map(f64::to_bits),
    |one, other| one.threshold.map(f64::to_bits) == other.threshold.map(f64::to_bits),
    |one, other| one.decided_by == other.decided_by,
    |one, other| one.error_kind == other.error_kind,
    |one, other| one.issues == other.issues,
];

impl Aspect {
    fn decided() -> impl Iterator<Item = Self> {
        (0..DECIDED.len()).map(Self::Decided)
    }

    /// The judgement if it flipped, else what differs; signals and hits only if nothing else does.
    pub(super) fn to_return(before: &NamedVerdict, after: &NamedVerdict) -> Vec<Self> {
        let differs = |aspect: &Self| !aspect.is_same(before, after);
        if differs(&Self::Judgement) {
            return vec![Self::Judgement];
        }
        let mut differing: Vec<Self> = Self::decided().filter(differs).collect();
        if differing.is_empty() {
            differing.extend(Some(Self::Signals).filter(differs));
        }
        if differing.is_empty() && before.hits != after.hits {
            differing.push(Self::Hits);
        }
        differing
    }

    /// Whether all that is decided and the signals that hold are the same in both.
    pub(super) fn all_same(one: &NamedVerdict, other: &NamedVerdict) -> bool {
        Self::decided().chain([Self::Signals]).all(|aspect| aspect.is_same(one, other))
    }

    /// Whether it is the same in both. The patterns that hit are no part of what is decided.
    pub(super) fn is_same(self, one: &NamedVerdict, other: &NamedVerdict) -> bool {
        match self {
            Self::Judgement => one.judgement() == other.judgement(),
            Self::Decided(at) => DECIDED[at](one, other),
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

/// What a verdict is concluded from, beside signals.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) ground: Ground,
    pub(super) reply: ReplyKind,
    pub(super) fate: Fate,
    pub(super) outcome: Outcome,
    pub(super) schema: Option<SchemaOutcome>,
    /// The issues that do not come from how the call ended, nor from its schema; sorted.
    pub(super) others: Vec<String>,
    /// The confidence that a recorded result states of itself.
    pub(super) stated: Option<f64>,
}

impl Given {
    /// As a verdict tells it, with all of its issues.
    pub(super) fn of(verdict: &NamedVerdict) -> Self {
        Self {
            ground: verdict.ground,
            reply: verdict.reply,
            fate: verdict.outcome.fate(),
            outcome: verdict.outcome,
            schema: verdict.schema.as_ref().map(|schema| schema.outcome),
            others: verdict.issues.clone(),
            stated: None,
        }
    }

    pub(super) fn with(&self, signals: Signals) -> Observed {
        Observed {
            schema: self.schema,
            fate: self.fate,
            errors: self.errors(),
            stated: self.stated,
            ..Observed::new(self.ground, signals)
        }
    }

    /// Where issues say that an error is. Sides do not keep whose an issue is: its type tells, unless what
    /// became of the call knows better.
    fn errors(&self) -> ErrorIn {
        let sides = self.others.iter().filter_map(|issue| {
            let (severity, kind) = issue.split_once(' ')?;
            let side = IssueType::named(kind).map_or(Side::Reply, IssueType::side);
            (severity == Severity::Error.name()).then_some(side)
        });
        match (ErrorIn::sides(sides), self.outcome) {
            (ErrorIn::Reply, Outcome::Worked | Outcome::Refused) => ErrorIn::Other,
            (ErrorIn::Other, Outcome::Invalid) => ErrorIn::Reply,
            (errors, _) => errors,
        }
    }

    /// What a rulebook concludes, in its names; nothing else of the verdict is known.
    pub(super) fn concluded(&self, rulebook: &Rulebook, signals: SignalSet) -> NamedVerdict {
        let conclusion = rulebook.conclude(&self.with(Signals::Of(signals)));
        let weighing = conclusion.weighing;
        let line = weighing.and_then(|weighing| rulebook.decide.get(usize::from(weighing.line?)));
        let kind = conclusion.error_kind;
        let kind = kind.and_then(|kind| rulebook.error_kinds.get(usize::from(kind)));
        let raised = conclusion.raised().map(issue_name);
        let mut issues: Vec<String> = raised.chain(self.others.iter().cloned()).collect();
        issues.sort_unstable();
        NamedVerdict {
            outcome: conclusion.judgement.outcome,
            fate: conclusion.judgement.outcome.fate(),
            is_valid: conclusion.is_valid,
            confidence: conclusion.confidence,
            certainty: conclusion.certainty.map(|certainty| certainty.value),
            business_logic: conclusion.business_logic(),
            hidden_failure: conclusion.hidden_failure(),
            score: weighing.map(|weighing| weighing.score),
            threshold: weighing.and_then(|weighing| weighing.threshold),
            decided_by: line.map(|line| line.name.clone()),
            error_kind: kind.map(|kind| kind.name.clone()),
            who: conclusion.who,
            issues,
            ..NamedVerdict::of_class(conclusion.judgement.class)
        }
    }
}

pub(super) fn issue_name(Raised { severity, kind }: Raised) -> String {
    format!("{} {}", severity.name(), kind.name())
}
