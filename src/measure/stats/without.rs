//! What would be said without a pattern, a signal or a factor.

use super::catalogue::{Catalogue, Thing};
use super::{Question, Usage};
use crate::labels::Label;
use crate::measure::accuracy::{Confusion, Item, Observations, Patterns};
use crate::rulebook::Rulebook;
use crate::verdict::SignalSet;
use std::collections::HashMap;

/// What labelled replies would be answered if something were left out of the rulebook.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Without {
    pub righted: u64,
    pub wronged: u64,
    /// The mean of what is found of the two classes, without it; `None` where a class is missing.
    pub balanced_accuracy: Option<f64>,
    /// By how much it helps: what the balanced accuracy loses without it. Below 0, it harms.
    pub help: Option<f64>,
}

/// The mean of what is found of the two classes that a question tells apart.
fn balanced(table: &Confusion, question: Question) -> Option<f64> {
    let fine = table.recall(question.fine()).value()?;
    let failure = table.recall(question.failure()).value()?;
    Some(f64::midpoint(fine, failure))
}

/// Labelled replies by what was said of them, and what rulebooks make of them.
pub(super) struct Bench<'s> {
    observations: &'s Observations<'s>,
    items: &'s [Item],
    by_verdict: HashMap<u32, (Question, Vec<Label>)>,
    answers: HashMap<u32, Option<Label>>,
    /// By question.
    tables: [Confusion; 2],
}

impl<'s> Bench<'s> {
    /// `questions` holds the question of each different verdict.
    pub(super) fn new(
        observations: &'s Observations<'s>,
        items: &'s [Item],
        questions: &[Option<Question>],
    ) -> Self {
        let mut bench = Self {
            observations,
            items,
            by_verdict: HashMap::new(),
            answers: HashMap::new(),
            tables: [Confusion::default(), Confusion::default()],
        };
        for item in items {
            let Some(question) = questions[item.verdict as usize] else { continue };
            let answer = *bench.answers.entry(item.verdict).or_insert_with(|| {
                observations.answer(item.verdict, observations.rulebook(), &Patterns::default())
            });
            let labels = bench.by_verdict.entry(item.verdict).or_insert((question, Vec::new()));
            labels.1.push(item.label);
            bench.tables[question as usize].add(item.label, answer);
        }
        bench
    }

    /// Notes for each usage what would be said without it.
    pub(super) fn try_without(&self, usages: &mut [Usage], catalogue: &Catalogue) {
        let mut places: HashMap<&str, u32> = HashMap::new();
        for (entry, at) in catalogue.entries.iter().zip(0_u32..) {
            places.insert(&entry.name, at);
        }
        let mut labelled: Vec<u32> = self.by_verdict.keys().copied().collect();
        labelled.sort_unstable();
        for usage in usages {
            let Some(at) = places.get(usage.name.as_str()) else { continue };
            let hit = labelled
                .iter()
                .filter(|verdict| catalogue.holding[**verdict as usize].binary_search(at).is_ok());
            let hit: Vec<u32> = hit.copied().collect();
            if hit.is_empty() {
                continue;
            }
            usage.without = match usage.thing {
                Thing::Pattern => u16::try_from(*at).ok().map(|pattern| {
                    let left_out: Patterns = std::iter::once(pattern).collect();
                    self.count(usage.question, &hit, |verdict| {
                        self.observations.answer(verdict, self.observations.rulebook(), &left_out)
                    })
                }),
                Thing::Signal => Some(self.count(usage.question, &hit, |verdict| {
                    let signals = self.observations.signals(verdict, &Patterns::default());
                    let fewer = SignalSet(signals.0 & !(1 << at));
                    self.observations.answer_by(verdict, self.observations.rulebook(), fewer)
                })),
                Thing::Factor => {
                    let rules = without_factor(self.observations.rulebook(), &usage.name);
                    Some(self.count(usage.question, &hit, |verdict| {
                        self.observations.answer(verdict, &rules, &Patterns::default())
                    }))
                }
            };
        }
    }

    /// Counts what the answers to some verdicts would change, of those that a question is asked of.
    fn count(
        &self,
        question: Question,
        hit: &[u32],
        answer: impl Fn(u32) -> Option<Label>,
    ) -> Without {
        let table = &self.tables[question as usize];
        let (mut righted, mut wronged) = (0, 0);
        // By class: how many more are found, and how many fewer.
        let mut found = [question.fine(), question.failure()].map(|label| (label, 0_i64));
        for verdict in hit {
            let (asked, truths) = &self.by_verdict[verdict];
            let (before, after) = (self.answers[verdict], answer(*verdict));
            if *asked != question || before == after {
                continue;
            }
            for truth in truths {
                let change = i64::from(after == Some(*truth)) - i64::from(before == Some(*truth));
                righted += u64::from(change > 0);
                wronged += u64::from(change < 0);
                if let Some((_, found)) = found.iter_mut().find(|(label, _)| label == truth) {
                    *found += change;
                }
            }
        }
        let recalls = found.map(|(label, change)| {
            let recall = table.recall(label);
            (recall.of > 0).then(|| (recall.hits as f64 + change as f64) / recall.of as f64)
        });
        let balanced_accuracy = match recalls {
            [Some(fine), Some(failure)] => Some(f64::midpoint(fine, failure)),
            [None, _] | [_, None] => None,
        };
        let before = balanced(table, question);
        let help = before.zip(balanced_accuracy).map(|(before, without)| before - without);
        Without { righted, wronged, balanced_accuracy, help }
    }

    /// Whether the answers told from observations are those that were given, for all labelled replies.
    pub(super) fn agrees(&self, given: &[Option<Label>]) -> bool {
        self.items.iter().all(|item| {
            self.answers
                .get(&item.verdict)
                .is_none_or(|known| *known == given[item.verdict as usize])
        })
    }
}

/// A rulebook in which a factor weighs nothing.
fn without_factor(rulebook: &Rulebook, name: &str) -> Rulebook {
    let mut rules = rulebook.clone();
    for factor in rules.factors.iter_mut().filter(|factor| factor.name == name) {
        factor.weight = 0.0;
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::stats::{Settings, samples, stats};

    #[test]
    fn what_is_lost_without_a_pattern_a_signal_and_a_factor() {
        let stats = stats(&samples::side(), &samples::items(), &Settings::default());
        let without = |thing: Thing, name: &str, question: Question| {
            let usages = stats.usages[thing as usize].iter();
            let mut found = usages.filter(|it| it.name == name && it.question == question);
            found.next().and_then(|usage| usage.without)
        };
        let close = |found: Option<f64>, wanted: f64| {
            assert!(found.is_some_and(|found| (found - wanted).abs() < 1e-12), "{found:?}");
        };
        // `file not found, broken` becomes a refusal; of the other two, nothing speaks for one.
        let broken = without(Thing::Pattern, "breaks/broken", Question::Errors).expect("told");
        assert_eq!((broken.righted, broken.wronged), (0, 1));
        close(broken.balanced_accuracy, f64::midpoint(3.0 / 4.0, 2.0 / 3.0));
        close(broken.help, f64::midpoint(3.0 / 4.0, 1.0) - f64::midpoint(3.0 / 4.0, 2.0 / 3.0));
        let hidden = without(Thing::Pattern, "breaks/broken", Question::Successes).expect("told");
        assert_eq!((hidden.righted, hidden.wronged), (0, 1));
        close(hidden.balanced_accuracy, 0.5);
        // Without what speaks for them, the three refusals that are recognised are not.
        for (thing, name) in [
            (Thing::Pattern, "refuses/not found"),
            (Thing::Signal, "refuses"),
            (Thing::Factor, "refuses"),
        ] {
            let refuses = without(thing, name, Question::Errors).expect(name);
            assert_eq!((refuses.righted, refuses.wronged), (0, 3), "{name}");
            close(refuses.balanced_accuracy, 0.5);
        }
        assert_eq!(without(Thing::Pattern, "breaks/on fire", Question::Errors), None);
    }
}
