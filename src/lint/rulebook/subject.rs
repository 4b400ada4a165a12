//! The rulebook under the lens, with what all rules ask of it.

use super::Linted;
use super::seen::{Observed, Second, Seen};
use crate::rulebook::{Field, LeafSet, Observing, Rulebook};
use crate::verdict::{Answer, Conclusion, Ending, Observed as OfCall, Signals, cut, grouped};

/// The rulebook under the lens.
pub(super) struct Subject<'a> {
    pub(super) linted: &'a Linted<'a>,
    pub(super) rulebook: &'a Rulebook,
    pub(super) seen: Option<&'a Seen<'a>>,
    pub(super) names: Vec<String>,
}

pub(super) const KINDS: [Observing; 2] = [Observing::Errors, Observing::Successes];

impl<'a> Subject<'a> {
    pub(super) fn new(linted: &'a Linted<'a>) -> Self {
        let rulebook = linted.rulebook;
        Self { linted, rulebook, seen: linted.seen, names: rulebook.pattern_names() }
    }

    pub(super) fn place_of_pattern(&self, pattern: usize) -> Option<String> {
        self.linted.places.pattern(self.rulebook, pattern).map(str::to_owned)
    }

    pub(super) fn place_of_signal(&self, signal: usize) -> Option<String> {
        let name = &self.rulebook.signals[signal].name;
        self.linted.places.part("signals", name).map(str::to_owned)
    }

    pub(super) fn signal_name(&self, signal: usize) -> String {
        format!("signals.{}", self.rulebook.signals[signal].name)
    }

    /// What is concluded of such a call; `forced` makes one signal hold or not, whatever it asks.
    pub(super) fn concluded(
        &self,
        observed: &Observed<'_>,
        forced: Option<(usize, bool)>,
    ) -> Conclusion {
        let signals = |yes: LeafSet| match forced {
            None => self.rulebook.signals_when(observed.which, yes),
            Some(forced) => self.rulebook.signals_where(observed.which, yes, forced),
        };
        let question = signals(observed.yes);
        let signals = match observed.second {
            Second::None => Signals::Of(question),
            Second::Searched { yes, .. } => Signals::OfBoth { question, hidden: signals(yes) },
            Second::NotKept { hides_failure, error_kind } => {
                Signals::OfFirst { question, hides_failure, error_kind }
            }
        };
        self.rulebook
            .conclude(&OfCall { schema: observed.schema, ..OfCall::new(observed.ground, signals) })
    }

    /// Whether it is known what would be concluded if a signal held that does not, or the other way round.
    pub(super) fn can_tell(&self, observed: &Observed<'_>, signal: usize) -> bool {
        match observed.second {
            Second::None | Second::Searched { .. } => true,
            Second::NotKept { .. } => {
                let [_, hidden] = self.rulebook.deciding_signals();
                let below = self.rulebook.signals_below(observed.which);
                let mut below = below.iter().enumerate().filter(|(of, _)| hidden.has(*of));
                below.all(|(_, signals)| !signals.has(signal))
            }
        }
    }

    /// Whether a signal looks at nothing but what the reply is about: the tool, its input, the scenario.
    pub(super) fn ignores_the_reply(&self, signal: usize) -> bool {
        let patterns = &self.rulebook.signals[signal].patterns;
        let field = |pattern: &u16| self.rulebook.patterns[usize::from(*pattern)].field;
        !patterns.is_empty()
            && patterns.iter().all(|pattern| match field(pattern) {
                Field::Tool | Field::Input | Field::Scenario => true,
                Field::Text | Field::Code => false,
            })
    }
}

/// What the replies of a kind are called: one of them, and several.
fn called(which: Observing) -> [&'static str; 2] {
    match which {
        Observing::Errors => ["error reply", "error replies"],
        Observing::Successes | Observing::HiddenFailures => {
            ["reply that claims success", "replies that claim success"]
        }
    }
}

pub(super) fn replies(count: u64, which: Observing) -> String {
    let [one, several] = called(which);
    format!("{} {}", grouped(count), if count == 1 { one } else { several })
}

/// What of a conclusion is a verdict: how it ended, not by which score.
pub(super) fn verdict(conclusion: &Conclusion) -> (Ending, Answer, Option<bool>) {
    (conclusion.ending, conclusion.answer, conclusion.success_answer)
}

/// So many characters of a name are shown within others.
const NAME: usize = 60;

fn worded(name: &str, count: u64) -> String {
    format!("{} {}", cut(name, NAME), grouped(count))
}

/// A few names with their numbers, the greatest first.
pub(super) fn most(mut counts: Vec<(String, u64)>, shown: usize) -> String {
    counts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    let more = counts.len().saturating_sub(shown);
    let mut words: Vec<String> =
        counts.into_iter().take(shown).map(|(name, count)| worded(&name, count)).collect();
    if more > 0 {
        words.push(format!("and {more} more"));
    }
    words.join(", ")
}
