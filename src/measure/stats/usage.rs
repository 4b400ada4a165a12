//! How often patterns, signals and factors hold, and of what.

use super::catalogue::{Catalogue, Thing};
use super::gathered::{ByLabel, Gathered, add};
use super::{Question, Without};
use crate::compare::Side;
use crate::labels::Label;
use crate::measure::accuracy::Share;

/// What is known of a pattern, a signal or a factor on the replies to one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    pub thing: Thing,
    pub name: String,
    pub question: Question,
    /// Of the replies, those of which it holds.
    pub replies: Share,
    /// Of those of which it holds, those where no other of its family does: of a pattern, no other of
    /// its list; of a signal, none but those that it rests on and that rest on it; of a factor, no other.
    pub alone: Share,
    /// The servers of whose replies it holds.
    pub servers: u64,
    /// Labelled replies of which it holds, by what is true.
    pub holding: ByLabel,
    pub labelled: ByLabel,
    /// What it weighs in the score: a factor's weight, or those of the factors that rest on it.
    pub weight: Option<f64>,
    /// For a pattern, the signals that rest on it; for a factor, its signal.
    pub signals: Vec<String>,
    /// What would be said without it; `None` where unknown, or where it holds of nothing labelled.
    pub without: Option<Without>,
}

impl Usage {
    /// Of the replies with a label, those of which it holds.
    pub fn of_class(&self, label: Label) -> Share {
        Share { hits: self.holding[label as usize], of: self.labelled[label as usize] }
    }

    /// Of the labelled replies of which it holds, those with this label.
    pub fn toward(&self, label: Label) -> Share {
        Share { hits: self.holding[label as usize], of: self.holding.iter().sum() }
    }
}

/// What is known of all things of a kind, those that are asked for by question and in their order.
pub(super) fn usages(side: &Side, gathered: &Gathered, catalogue: &Catalogue) -> Vec<Usage> {
    let mut usages = Vec::new();
    for question in Question::ALL {
        let (replies, labelled) = gathered.asked(side, question);
        let mut counts = vec![Counts::default(); catalogue.entries.len()];
        for (at, verdict) in side.verdicts.iter().enumerate() {
            if Question::of(verdict) != Some(question) {
                continue;
            }
            let holding = &catalogue.holding[at];
            for entry in holding {
                let counts = &mut counts[*entry as usize];
                counts.replies += gathered.exchanges[at];
                add(&mut counts.labelled, &gathered.labelled[at]);
                if catalogue.is_alone(*entry, holding) {
                    counts.alone += gathered.exchanges[at];
                }
            }
        }
        let servers = count_servers(side, gathered, catalogue, question);
        for ((entry, counts), servers) in catalogue.entries.iter().zip(counts).zip(servers) {
            if entry.asked[question as usize] {
                usages.push(Usage {
                    thing: catalogue.thing,
                    name: entry.name.clone(),
                    question,
                    replies: Share { hits: counts.replies, of: replies },
                    alone: Share { hits: counts.alone, of: counts.replies },
                    servers,
                    holding: counts.labelled,
                    labelled,
                    weight: entry.weight,
                    signals: entry.signals.clone(),
                    without: None,
                });
            }
        }
    }
    usages
}

#[derive(Clone, Debug, Default)]
struct Counts {
    replies: u64,
    alone: u64,
    labelled: ByLabel,
}

/// The number of servers of whose replies to a question each entry holds.
fn count_servers(
    side: &Side,
    gathered: &Gathered,
    catalogue: &Catalogue,
    question: Question,
) -> Vec<u64> {
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for (verdict, server) in &gathered.pairs {
        if Question::of(&side.verdicts[*verdict as usize]) == Some(question) {
            let holding = &catalogue.holding[*verdict as usize];
            pairs.extend(holding.iter().map(|entry| (*entry, *server)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut counts = vec![0; catalogue.entries.len()];
    for (entry, _) in pairs {
        counts[entry as usize] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::stats::samples;

    fn usage<'u>(usages: &'u [Usage], name: &str, question: Question) -> &'u Usage {
        let found = usages.iter().find(|it| it.name == name && it.question == question);
        found.unwrap_or_else(|| panic!("no {name}"))
    }

    fn patterns() -> Vec<Usage> {
        let (side, items) = (samples::side(), samples::items());
        let gathered = Gathered::of(&side, &items);
        usages(&side, &gathered, &Catalogue::of(&side, Thing::Pattern))
    }

    #[test]
    fn hits_are_counted_by_class_and_by_server() {
        let patterns = patterns();
        let found = usage(&patterns, "refuses/not found", Question::Errors);
        assert_eq!(found.replies, Share { hits: 4, of: 8 }, "of eight errors");
        assert_eq!(found.servers, 2);
        assert_eq!(found.of_class(Label::BusinessLogic), Share { hits: 3, of: 4 });
        assert_eq!(found.of_class(Label::ToolFailure), Share { hits: 1, of: 3 });
        assert_eq!(found.toward(Label::BusinessLogic), Share { hits: 3, of: 4 });
        assert_eq!(found.alone, Share { hits: 4, of: 4 }, "it is the only one of its list");
        let broken = usage(&patterns, "breaks/broken", Question::Errors);
        assert_eq!(broken.replies.hits, 3);
        assert_eq!(broken.alone, Share { hits: 2, of: 3 }, "once `crashed` stands beside it");
        let hidden = usage(&patterns, "breaks/broken", Question::Successes);
        assert_eq!(hidden.replies, Share { hits: 1, of: 3 });
        assert_eq!(hidden.toward(Label::HiddenFailure), Share { hits: 1, of: 1 });
    }
}
