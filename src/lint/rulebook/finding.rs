//! What was found.

use crate::verdict::Severity;

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Rule {
        /// An example comes out otherwise.
        FailingExample = "failing_example",
        DecisiveAlone = "decisive_alone",
        /// It hits replies in which nothing failed.
        HitsBenign = "hits_benign",
        /// It can turn no verdict.
        Inert = "inert",
        /// A decision line answers no before its score is compared.
        Overruled = "overruled",
        /// The same is looked for twice.
        Duplicate = "duplicate",
        /// Whatever it finds, another of the same question finds too.
        Subsumed = "subsumed",
        /// It never hit, held or answered.
        Dead = "dead",
    }
}

impl Rule {
    pub fn about(self) -> &'static str {
        match self {
            Self::FailingExample => "an example of the rulebook fails",
            Self::DecisiveAlone => "it alone decides a verdict, whatever else is there",
            Self::HitsBenign => "it matches replies in which nothing failed",
            Self::Inert => "with its weight it cannot change any verdict",
            Self::Overruled => "a decision line answers no before its score counts",
            Self::Duplicate => "the same text is looked for in two places",
            Self::Subsumed => "whatever it finds, another pattern for the same purpose finds too",
            Self::Dead => "it never matched or decided in the recordings",
        }
    }

    pub fn advice(self) -> &'static str {
        match self {
            Self::FailingExample => {
                "correct the rulebook, or the example if it is the one that is wrong"
            }
            Self::DecisiveAlone => {
                "lower its weight, raise the threshold, or add another condition to its line; \
                 leave it if one word really is enough"
            }
            Self::HitsBenign => {
                "narrow it, or let it count only together with other signs of failure"
            }
            Self::Inert => "remove it, or give it a weight that can matter",
            Self::Overruled => {
                "add its signal to the condition of that line (guide: `textual_evidence`)"
            }
            Self::Duplicate => "keep one of them; where both are meant to count, say so in `about`",
            Self::Subsumed => {
                "remove the pattern that contains another one; for patterns that only match \
                 together, look at other recordings first"
            }
            Self::Dead => {
                "nothing, if you know such replies; otherwise remove it, or record more servers"
            }
        }
    }
}

/// Something odd about a rulebook.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub rule: Rule,
    pub severity: Severity,
    /// What is odd: `signals.NAME`, `factors.NAME`, `decide.LINE`, or a pattern as tables call it.
    pub name: String,
    /// Where it stands: file and line.
    pub place: Option<String>,
    pub evidence: String,
    pub counts: Vec<(&'static str, u64)>,
    /// How much evidence there is; the more comes first.
    pub weight: u64,
}
