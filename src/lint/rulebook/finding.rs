//! What was found.

use crate::verdict::Severity;

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Rule {
        /// An example comes out otherwise.
        FailingExample = "failing_example",
        DecisiveAlone = "decisive_alone",
        /// It points one way on some servers and the other way on others.
        Unstable = "unstable",
        /// It hits replies in which nothing failed.
        HitsBenign = "hits_benign",
        /// It can turn no verdict.
        Inert = "inert",
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
            Self::FailingExample => "an example of the rulebook comes out otherwise than it says",
            Self::DecisiveAlone => "it alone turns a verdict, whatever else is there or is not",
            Self::Unstable => {
                "by labels it points one way on some servers and the other way on others"
            }
            Self::HitsBenign => "it hits replies in which nothing failed",
            Self::Inert => "it can turn no verdict at its weight, whatever else holds",
            Self::Duplicate => "the same is looked for in two places",
            Self::Subsumed => {
                "whatever it finds, another one that answers the same question finds too"
            }
            Self::Dead => "it never hit, held or answered in the recordings",
        }
    }

    /// What to do about it.
    pub fn advice(self) -> &'static str {
        match self {
            Self::FailingExample => {
                "correct the rulebook, or the example if it is the one that is wrong"
            }
            Self::DecisiveAlone => {
                "lower its weight, raise the threshold, or let its line ask for something else too; leave it if one word of it really is enough"
            }
            Self::Unstable => {
                "narrow it by a word boundary, a longer phrase or a veto, or take it out"
            }
            Self::HitsBenign => {
                "narrow it, or let it count only together with something that failures say"
            }
            Self::Inert => "take it out, or give it a weight that can matter",
            Self::Duplicate => "keep one of them; where both are meant to count, say so in `about`",
            Self::Subsumed => {
                "what holds another one can go, for nothing changes without it; of what only hits together, see other recordings first"
            }
            Self::Dead => {
                "nothing, if you know such replies; else take it out, or record more servers"
            }
        }
    }
}

/// Something odd about a rulebook.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub rule: Rule,
    /// How bad it is.
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
