//! How often patterns, signals and factors hold, of what, and what would be answered without them.

use super::Question;
use crate::compare::{Observations, Patterns, Side};
use crate::labels::Class;
use crate::measure::accuracy::{Confusion, Item, Share, answer};
use crate::rulebook::Rulebook;
use crate::store::NamedVerdict;
use crate::verdict::SignalSet;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Thing {
        /// A list entry or a regex.
        Pattern = "patterns",
        Signal = "signals",
        Factor = "factors",
    }
}

/// What is known of a pattern, a signal or a factor on the replies to one question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Usage {
    pub name: String,
    #[serde(rename = "asked_of")]
    pub question: Question,
    /// Of so many replies, those of which it holds.
    pub hits: u64,
    pub replies: u64,
    pub share: f64,
    pub share_low: f64,
    pub share_high: f64,
    /// The hits where no rival holds: for a pattern, no other of its list; for a signal, none but those that
    /// it rests on and that rest on it; for a factor, no other.
    pub alone: u64,
    pub servers: u64,
    /// What it weighs in the score: a factor's weight, or those of the factors that rest on it.
    pub weight: Option<f64>,
    /// For a pattern, the signals that rest on it; for a factor, its signal.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<String>,
    /// `None` where unknown, or where it holds of nothing labelled.
    #[serde(flatten)]
    pub without: Option<Without>,
    #[serde(flatten)]
    pub classes: BTreeMap<&'static str, OfClass>,
}

/// Labelled replies of which something holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OfClass {
    pub hits: u64,
    pub labels: u64,
    /// Of the replies with the label, those of which it holds.
    pub share: Share,
    /// Of the labelled replies of which it holds, those with the label.
    pub precision: Share,
}

/// What labelled replies would be answered without something.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Without {
    pub righted: u64,
    pub wronged: u64,
    /// What balanced accuracy loses without it. Below 0, it harms.
    pub help: Option<f64>,
}

/// All patterns, signals or factors of a rulebook, and of which verdicts they hold.
struct Things<'s> {
    thing: Thing,
    side: &'s Side,
    rulebook: &'s Rulebook,
    names: Vec<String>,
    /// Which of them hold of each different verdict, in order.
    holding: Vec<Vec<usize>>,
}

impl<'s> Things<'s> {
    fn of(side: &'s Side, rulebook: &'s Rulebook, thing: Thing) -> Self {
        let names: Vec<String> = match thing {
            Thing::Pattern => rulebook.pattern_names(),
            Thing::Signal => rulebook.signals.iter().map(|it| it.name.clone()).collect(),
            Thing::Factor => rulebook.factors.iter().map(|it| it.name.clone()).collect(),
        };
        let numbers: BTreeMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        let holding = side.verdicts.iter().map(|verdict: &NamedVerdict| {
            let held = match thing {
                Thing::Pattern => &verdict.hits,
                Thing::Signal => &verdict.signals,
                Thing::Factor => {
                    let is_asked = Question::of(verdict) == Some(Question::Errors);
                    let factors = rulebook.factors.iter().enumerate().filter(|(_, factor)| {
                        is_asked && verdict.signals.contains(&rulebook.signals[factor.signal].name)
                    });
                    return factors.map(|(at, _)| at).collect();
                }
            };
            let held: BTreeSet<usize> =
                held.iter().filter_map(|name| numbers.get(name.as_str()).copied()).collect();
            held.into_iter().collect()
        });
        let holding = holding.collect();
        Self { thing, side, rulebook, names, holding }
    }

    /// Which of them are observed for a question.
    fn asked(&self, question: Question) -> Vec<bool> {
        let rulebook = self.rulebook;
        let signals = rulebook.observed_signals(question.observing());
        match self.thing {
            Thing::Pattern => {
                let asked = rulebook.asked_of(question.observing());
                rulebook.questions().into_iter().map(|number| asked.has(number)).collect()
            }
            Thing::Signal => (0..self.names.len()).map(|at| signals.has(at)).collect(),
            Thing::Factor => vec![question == Question::Errors; self.names.len()],
        }
    }

    /// The signals that rest on a pattern, are a signal, or that a factor weighs.
    fn signals(&self, at: usize) -> Vec<usize> {
        let signals = self.rulebook.signals.iter().enumerate();
        let rests = |patterns: &[u16]| patterns.iter().any(|pattern| usize::from(*pattern) == at);
        match self.thing {
            Thing::Pattern => {
                signals.filter(|(_, it)| rests(&it.patterns)).map(|(at, _)| at).collect()
            }
            Thing::Signal => vec![at],
            Thing::Factor => vec![self.rulebook.factors[at].signal],
        }
    }

    fn weight(&self, at: usize, signals: &[usize]) -> Option<f64> {
        if self.thing == Thing::Factor {
            return Some(self.rulebook.factors[at].weight);
        }
        let factors = signals.iter().flat_map(|signal| {
            self.rulebook.factors.iter().filter(move |factor| factor.signal == *signal)
        });
        factors.map(|factor| factor.weight).reduce(|sum, weight| sum + weight)
    }

    /// Whether one that holds beside another means that this is not alone.
    fn rivals(&self) -> Box<dyn Fn(usize, usize) -> bool> {
        match self.thing {
            Thing::Pattern => {
                let questions = self.rulebook.questions();
                Box::new(move |one, other| questions[one] == questions[other])
            }
            Thing::Signal => {
                let below = Question::ALL.map(|it| self.rulebook.signals_below(it.observing()));
                Box::new(move |one, other| {
                    !below.iter().any(|below| below[one].has(other) || below[other].has(one))
                })
            }
            Thing::Factor => Box::new(|_, _| true),
        }
    }

    fn usages(&self, labelled: &Labelled<'_>) -> Vec<Usage> {
        let (weights, servers) = (self.side.weights(), self.side.servers());
        let are_rivals = self.rivals();
        let mut held: Vec<Vec<usize>> = vec![Vec::new(); self.names.len()];
        for (verdict, holding) in self.holding.iter().enumerate() {
            for at in holding {
                held[*at].push(verdict);
            }
        }
        let questions: Vec<_> = self.side.verdicts.iter().map(Question::of).collect();
        let mut usages = Vec::new();
        for question in Question::ALL {
            let is_asked = |verdict: &usize| questions[*verdict] == Some(question);
            let all: Vec<usize> = (0..questions.len()).filter(is_asked).collect();
            let replies = all.iter().map(|verdict| weights[*verdict]).sum();
            let labels = labelled.count(&all);
            let asked = self.asked(question);
            for at in (0..self.names.len()).filter(|at| asked[*at]) {
                let held: Vec<usize> = held[at].iter().copied().filter(is_asked).collect();
                let count = |is: &dyn Fn(&usize) -> bool| {
                    held.iter().filter(|it| is(it)).map(|verdict| weights[*verdict]).sum()
                };
                let is_alone = |verdict: &usize| {
                    let mut others = self.holding[*verdict].iter().filter(|other| **other != at);
                    !others.any(|other| are_rivals(at, *other))
                };
                let share = Share { hits: count(&|_| true), of: replies };
                let own = labelled.count(&held);
                let of_class = |((class, hits), labels): ((Class, u64), u64)| {
                    let share = Share { hits, of: labels };
                    let precision = Share { hits, of: own.iter().sum() };
                    (class.column(), OfClass { hits, labels, share, precision })
                };
                let signals = self.signals(at);
                let names = signals.iter().map(|it| self.rulebook.signals[*it].name.clone());
                let names: Vec<String> = names.collect();
                let on: BTreeSet<u32> =
                    held.iter().flat_map(|verdict| &servers[*verdict]).copied().collect();
                usages.push(Usage {
                    name: self.names[at].clone(),
                    question,
                    hits: share.hits,
                    replies,
                    share: share.value().unwrap_or(0.0),
                    share_low: share.interval().low,
                    share_high: share.interval().high,
                    alone: count(&is_alone),
                    servers: on.len() as u64,
                    weight: self.weight(at, &signals),
                    signals: if self.thing == Thing::Signal { Vec::new() } else { names },
                    without: labelled.without(question, &held, || self.answers_without(at)),
                    classes: Class::LISTED.into_iter().zip(own).zip(labels).map(of_class).collect(),
                });
            }
        }
        usages
    }

    /// What verdicts would answer without it.
    fn answers_without(&self, at: usize) -> Answers<'_> {
        let none = Patterns::default();
        match self.thing {
            Thing::Pattern => {
                let without = Patterns::from([at]);
                Box::new(move |told, verdict| answer(told, verdict, self.rulebook, &without))
            }
            Thing::Signal => Box::new(move |told, verdict| {
                let fewer = SignalSet(told.signals(verdict, &none).0 & !(1 << at));
                let concluded = told.conclusion(verdict, self.rulebook, fewer);
                concluded.as_ref().map(Class::concluded)
            }),
            Thing::Factor => {
                let mut rules = self.rulebook.clone();
                rules.factors[at].weight = 0.0;
                Box::new(move |told, verdict| answer(told, verdict, &rules, &none))
            }
        }
    }
}

type Answers<'a> = Box<dyn Fn(&Observations<'_>, u32) -> Option<Class> + 'a>;

/// The labelled replies by what was said of them.
pub(super) struct Labelled<'s> {
    /// By the number of the verdict: the labels, and the answer.
    by_verdict: BTreeMap<usize, (Vec<Class>, Option<Class>)>,
    /// `None` where answers do not follow from hits.
    observations: Option<&'s Observations<'s>>,
    questions: Vec<Option<Question>>,
}

impl<'s> Labelled<'s> {
    pub(super) fn of(
        side: &Side,
        items: &[Item],
        observations: Option<&'s Observations<'s>>,
    ) -> Self {
        let mut by_verdict: BTreeMap<usize, (Vec<Class>, Option<Class>)> = BTreeMap::new();
        for item in items {
            let given = || (Vec::new(), Class::of(side.verdict(item.verdict)));
            by_verdict.entry(item.verdict as usize).or_insert_with(given).0.push(item.label);
        }
        let questions: Vec<_> = side.verdicts.iter().map(Question::of).collect();
        // A rulebook that asks its question of every reply does not answer by the hits of one text.
        let none = Patterns::default();
        let follows = |told: &&Observations<'_>| {
            let asked = by_verdict.iter().filter(|(verdict, _)| questions[**verdict].is_some());
            asked.into_iter().all(|(verdict, (_, given))| {
                u32::try_from(*verdict)
                    .is_ok_and(|verdict| answer(told, verdict, told.rulebook, &none) == *given)
            })
        };
        let observations = observations.filter(follows);
        Self { by_verdict, observations, questions }
    }

    /// How many labels of each class some verdicts have.
    fn count(&self, verdicts: &[usize]) -> [u64; Class::LISTED.len()] {
        let found = verdicts.iter().filter_map(|verdict| self.by_verdict.get(verdict));
        let labels: Vec<Class> =
            found.flat_map(|(labels, _)| labels).map(|label| label.listed()).collect();
        Class::LISTED.map(|class| labels.iter().filter(|label| **label == class).count() as u64)
    }

    /// What would be right and wrong if these verdicts were answered otherwise.
    fn without<'a>(
        &self,
        question: Question,
        held: &[usize],
        answers: impl FnOnce() -> Answers<'a>,
    ) -> Option<Without> {
        let observations = self.observations?;
        let of_question = |verdict: &usize| self.questions[*verdict] == Some(question);
        held.iter().find(|verdict| self.by_verdict.contains_key(verdict))?;
        let answers = answers();
        let [mut before, mut after] = [Confusion::default(), Confusion::default()];
        let (mut righted, mut wronged) = (0, 0);
        for (verdict, (labels, given)) in self.by_verdict.iter().filter(|it| of_question(it.0)) {
            let other = match held.binary_search(verdict) {
                Ok(_) => answers(observations, u32::try_from(*verdict).ok()?),
                Err(_) => *given,
            };
            for label in labels {
                before.add(*label, *given);
                after.add(*label, other);
                let [before, after] = [*given, other].map(|it| label.is_met_by(it));
                righted += u64::from(after && !before);
                wronged += u64::from(before && !after);
            }
        }
        let [before, after] = [before, after].map(|table| table.balanced(question.labels()));
        let lost = before.zip(after).map(|(before, after)| before - after);
        Some(Without { righted, wronged, help: lost })
    }
}

/// What is known of all things of a kind, by question and in the rulebook's order; nothing where the side does
/// not keep its rulebook.
pub(super) fn usages(side: &Side, labelled: &Labelled<'_>, thing: Thing) -> Vec<Usage> {
    let rulebook = side.rulebook.as_deref();
    rulebook.map(|it| Things::of(side, it, thing).usages(labelled)).unwrap_or_default()
}
