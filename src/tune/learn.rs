//! From labelled replies of some servers to changes of a rulebook.

use super::change::Change;
use super::grams::Grams;
use super::mine::{Phrase, Support, phrases};
use super::overlay::Overlay;
use super::rank::order;
use super::reply::{Asked, LabelledReply};
use super::seen::Seen;
use super::variants::{Search, Variant};
use crate::labels::Label;
use crate::measure::fit::{self, Bounds, Counts, Example, Fitted, Objective, fit_examples};
use crate::rulebook::{Decision, Factor, Rulebook, RulebookError};
use crate::verdict::{Ground, Observed, SignalSet, Signals};
use std::collections::{BTreeMap, BTreeSet};

/// Parts that the servers learned from are dealt into, to weigh phrases where they were not found.
const PARTS: usize = 12;
/// What phrases of hidden failures have to bring on servers on which they were not found.
const HIDDEN_GAIN: f64 = 0.02;
/// How sure they have to be there.
const HIDDEN_PRECISION: f64 = 0.75;
/// What a decision line has to cost that goes.
const WORTH: f64 = 0.005;
/// Parts that servers are dealt into to compare forms.
const FORM_PARTS: usize = 6;
/// How much better a form has to be that keeps less of a rulebook that makes sense.
const FORM: f64 = 0.01;
/// How much better than always the same answer a rulebook is that makes sense.
const SENSE: f64 = 0.1;
/// What a phrase weighs where nothing but phrases decides, as far as the bounds of weights allow it.
const PHRASE: f64 = 2.0;
/// The classes that phrases are looked for, and what their lists are called.
const NAMES: [(Label, &str); 3] = [
    (Label::BusinessLogic, "refusal_phrases"),
    (Label::ToolFailure, "failure_phrases"),
    (Label::HiddenFailure, "hidden_failure_phrases"),
];

/// Learns from replies.
#[derive(Clone, Copy, Debug)]
pub struct Learner<'a> {
    pub start: &'a Rulebook,
    pub replies: &'a [LabelledReply],
    pub grams: &'a Grams,
    /// What the rulebook to start from saw in them.
    pub seen: &'a Seen,
    /// How numbers are fitted.
    pub fit: &'a fit::Settings,
    /// How many servers a phrase must be seen on.
    pub support: Support,
}

/// How much of a rulebook's decision stays, from all of it to nothing but the new phrases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    AsItIs,
    LastLine,
    Phrases,
}

fn answer(rulebook: &Rulebook, example: &Example) -> Label {
    let observed = Observed::new(Ground::Error, Signals::Of(example.signals));
    Label::concluded(&rulebook.conclude(&observed))
}

/// A threshold a little below a score, with as few digits as tell it from nothing.
fn readable(score: f64) -> f64 {
    let rounded = [10.0, 100.0, 1000.0].map(|digits| (score * digits).floor() / digits);
    rounded.into_iter().find(|threshold| *threshold > 0.0).unwrap_or(0.0).clamp(0.0, 1.0)
}

/// What a phrase weighs where nothing but phrases decides: a multiple of the step, and at most the largest.
fn weight_of_phrases(bounds: Bounds) -> f64 {
    let steps = (bounds.largest / bounds.step + 1e-9).floor();
    let weight = (PHRASE / bounds.step).round().max(1.0).min(steps) * bounds.step;
    // Of three tenths thrice a tenth makes a little more.
    (weight * 1e6).round() / 1e6
}

#[derive(Clone, Debug)]
pub struct Learned {
    /// The rulebook with all changes.
    pub rulebook: Rulebook,
    pub changes: Vec<Change>,
    /// The phrases that were found, the strongest first, whether they are taken or not.
    pub phrases: Vec<Phrase>,
    /// Variants of patterns that mend answers on several servers, the best first, whether they are taken or
    /// not.
    pub variants: Vec<Variant>,
}

impl Learned {
    /// Only what changes the answers to some questions.
    pub fn only(&mut self, start: &Rulebook, questions: &[Asked]) -> Result<(), RulebookError> {
        self.changes.retain(|change| questions.contains(&change.asked()));
        self.rulebook = Overlay::new(start, &self.changes).on(start)?;
        Ok(())
    }
}

/// Phrases of the three classes, in the order of [`NAMES`].
type Mined = [Vec<Phrase>; NAMES.len()];

impl Learner<'_> {
    /// Learns from some of the replies and looks at no other.
    pub fn learn(&self, train: &[usize]) -> Result<Learned, RulebookError> {
        let parts = self.parts(train);
        let mined = self.mine(train);
        let elsewhere = self.matches_elsewhere(&parts);
        let search = self.variants_in(train);
        let variants = search.find(train);
        let taken = search.taken(&variants, &parts);
        let mut changes = self.numbers_and_lines(train, (&mined, &elsewhere), &taken)?;
        if self.hides_pay(train, &elsewhere) {
            changes.extend(self.phrases_change(&mined, 2, 0.0));
        }
        let changes = search.busy([taken, changes].concat(), train);
        let rulebook = self.with(&changes)?;
        let mut phrases: Vec<Phrase> = mined.into_iter().flatten().collect();
        order(&mut phrases, self.start);
        Ok(Learned { rulebook, changes, phrases, variants })
    }

    fn mine(&self, train: &[usize]) -> Mined {
        NAMES.map(|(label, _)| phrases(self.replies, self.grams, train, label, self.support))
    }

    /// The rulebook to start from with changes.
    fn with(&self, changes: &[Change]) -> Result<Rulebook, RulebookError> {
        Overlay::new(self.start, changes).on(self.start)
    }

    /// Where variants of patterns are looked for.
    fn variants_in(&self, train: &[usize]) -> Search<'_> {
        let servers: BTreeSet<u32> = train.iter().map(|at| self.replies[*at].server).collect();
        Search {
            start: self.start,
            replies: self.replies,
            grams: self.grams,
            seen: self.seen,
            support: Support { servers: self.support.of(servers.len()) },
            objective: self.fit.objective,
        }
    }

    /// Replies dealt into parts by their servers: what is inside of a part, and what is outside.
    fn parts(&self, train: &[usize]) -> Vec<[Vec<usize>; 2]> {
        let servers: BTreeSet<u32> = train.iter().map(|at| self.replies[*at].server).collect();
        let servers: Vec<u32> = servers.into_iter().collect();
        let part_of = |server: u32| {
            servers.iter().position(|known| *known == server).unwrap_or_default() % PARTS
        };
        let part = |part: usize| {
            let (inside, outside) =
                train.iter().partition(|at| part_of(self.replies[**at].server) == part);
            [inside, outside]
        };
        (0..servers.len().min(PARTS)).map(part).collect()
    }

    /// For each reply, of which classes it says a phrase that was found on other servers than its own.
    fn matches_elsewhere(&self, parts: &[[Vec<usize>; 2]]) -> BTreeMap<usize, [bool; NAMES.len()]> {
        let mut matched = BTreeMap::new();
        for [inside, outside] in parts {
            let mined = self.mine(outside);
            for at in inside {
                let says = |phrases: &Vec<Phrase>| {
                    phrases.iter().any(|phrase| self.grams.has(*at, phrase.number))
                };
                matched.insert(*at, [&mined[0], &mined[1], &mined[2]].map(says));
            }
        }
        matched
    }

    /// A name that no list, signal or factor of the rulebook has.
    fn free_name(&self, name: &str) -> String {
        let taken = |name: &str| {
            self.start.signals.iter().any(|signal| signal.name == name)
                || self.start.factors.iter().any(|factor| factor.name == name)
                || self.start.patterns.iter().any(|pattern| pattern.list == name)
        };
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let mut names = [name.to_owned()].into_iter().chain(numbered);
        names.find(|name| !taken(name)).unwrap_or_default()
    }

    fn phrases_change(&self, mined: &Mined, which: usize, weight: f64) -> Option<Change> {
        let (label, name) = NAMES[which];
        let entries: Vec<String> = mined[which].iter().map(|phrase| phrase.text.clone()).collect();
        let name = self.free_name(name);
        (!entries.is_empty()).then_some(Change::Phrases { name, label, entries, weight })
    }

    /// The weights, thresholds and decision lines, with the phrases that errors are told by.
    fn numbers_and_lines(
        &self,
        train: &[usize],
        (mined, elsewhere): (&Mined, &BTreeMap<usize, [bool; NAMES.len()]>),
        taken: &[Change],
    ) -> Result<Vec<Change>, RulebookError> {
        let lists: Vec<Change> =
            (0..2).filter_map(|which| self.phrases_change(mined, which, 0.0)).collect();
        let fixed = Change::Denominator { to: self.start.denominator };
        let base = self.with(&[taken, std::slice::from_ref(&fixed), &lists[..]].concat())?;
        let examples = self.examples(train, (&base, elsewhere));
        let fitted = self.best_form(&base, &examples);
        let mut changes = Vec::new();
        let weight_of = |name: &str| {
            let factor = fitted.factors.iter().find(|factor| factor.name == name);
            factor.map_or(0.0, |factor| factor.weight)
        };
        for Factor { name, weight, .. } in &self.start.factors {
            let (factor, from, to) = (name.clone(), *weight, weight_of(name));
            if from.to_bits() != to.to_bits() {
                changes.push(Change::Weight { factor, from, to });
            }
        }
        for list in lists {
            let Change::Phrases { name, label, entries, .. } = list else { continue };
            let weight = weight_of(&name);
            if weight != 0.0 {
                changes.push(Change::Phrases { name, label, entries, weight });
            }
        }
        if !changes.is_empty() {
            changes.insert(0, fixed);
        }
        for old in &self.start.decide {
            let line = old.name.clone();
            let new = fitted.decide.iter().find(|new| new.name == line);
            match (old.decision, new.map(|new| new.decision)) {
                (_, None) => changes.push(Change::NoLine { line }),
                (Decision::Threshold(from), Some(Decision::Threshold(to)))
                    if from.to_bits() != to.to_bits() =>
                {
                    changes.push(Change::Threshold { line, from, to });
                }
                (Decision::Return(_) | Decision::Threshold(_), Some(_)) => {}
            }
        }
        Ok(changes)
    }

    /// The error replies; of the new lists they say what was found elsewhere.
    fn examples(
        &self,
        train: &[usize],
        (base, elsewhere): (&Rulebook, &BTreeMap<usize, [bool; NAMES.len()]>),
    ) -> Vec<Example> {
        let signals = [0, 1].map(|which| {
            let name = self.free_name(NAMES[which].1);
            base.signals.iter().position(|signal| signal.name == name)
        });
        let errors = train.iter().filter(|at| {
            let reply = &self.replies[**at];
            reply.ground == Ground::Error && reply.asked() == Asked::Failed
        });
        let example = |at: &usize| {
            let reply = &self.replies[*at];
            let mut holds = reply.signals(base);
            for (signal, matched) in signals.iter().zip(elsewhere[at]) {
                if let Some(signal) = signal {
                    holds = SignalSet(holds.0 & !(1 << signal) | u128::from(matched) << signal);
                }
            }
            Example { signals: holds, label: reply.label, server: reply.server }
        };
        errors.map(example).collect()
    }

    /// Numbers, and which lines and factors to keep: in the form that is best on servers whose examples
    /// it was not fitted to.
    fn best_form(&self, base: &Rulebook, examples: &[Example]) -> Rulebook {
        let quick = fit::Settings { restarts: 0, ..self.fit.clone() };
        let fits = |form: Form, examples: &[Example], settings: &fit::Settings| match form {
            Form::AsItIs | Form::LastLine => {
                Self::fewer_lines(self.in_form(form, base), examples, settings).rulebook
            }
            Form::Phrases => self.phrase_rule(self.in_form(form, base), examples),
        };
        let elsewhere = |form: Form| {
            let mut answers: Vec<(Example, Label)> = Vec::new();
            for part in 0..FORM_PARTS {
                let (inside, outside): (Vec<Example>, Vec<Example>) =
                    examples.iter().partition(|it| it.server as usize % FORM_PARTS == part);
                let book = fits(form, &outside, &quick);
                answers.extend(inside.iter().map(|it| (*it, answer(&book, it))));
            }
            fit::measure(&answers, self.fit.objective)
        };
        let own: Vec<_> = examples.iter().map(|it| (*it, answer(base, it))).collect();
        let same = |label| examples.iter().map(|it| (*it, label)).collect::<Vec<_>>();
        let [own, never, always] = [own, same(Label::BusinessLogic), same(Label::ToolFailure)]
            .map(|answers| fit::measure(&answers, self.fit.objective));
        // Of what is no better than a coin nothing is kept: few labels would find sense in it by chance.
        if own <= never.max(always) + SENSE && base.factors.len() > self.start.factors.len() {
            return fits(Form::Phrases, examples, self.fit);
        }
        let mut best = (Form::AsItIs, elsewhere(Form::AsItIs));
        for form in [Form::LastLine, Form::Phrases] {
            let value = elsewhere(form);
            if value > best.1 + FORM {
                best = (form, value);
            }
        }
        fits(best.0, examples, self.fit)
    }

    /// A phrase of a refusal makes a refusal, unless one of a failure stands beside it. Where the objective
    /// gains much by it, everything without a phrase of a failure is a refusal.
    fn phrase_rule(&self, strict: Rulebook, examples: &[Example]) -> Rulebook {
        let mut lenient = strict.clone();
        if let Some(line) = lenient.decide.last_mut() {
            line.decision = Decision::Threshold(0.0);
        }
        let [of_strict, of_lenient] = [&strict, &lenient].map(|book| {
            let answers: Vec<_> = examples.iter().map(|it| (*it, answer(book, it))).collect();
            fit::measure(&answers, self.fit.objective)
        });
        if of_lenient > of_strict + SENSE { lenient } else { strict }
    }

    /// What fitting starts from.
    fn in_form(&self, form: Form, base: &Rulebook) -> Rulebook {
        let mut book = base.clone();
        let last = book.decide.len().saturating_sub(1);
        match form {
            Form::AsItIs => {}
            Form::LastLine => _ = book.decide.drain(..last),
            Form::Phrases => {
                _ = book.decide.drain(..last);
                book.factors
                    .retain(|factor| self.start.factors.iter().all(|own| own.name != factor.name));
                let phrase = weight_of_phrases(self.fit.bounds);
                for (which, weight) in [(0, phrase), (1, -phrase)] {
                    let name = self.free_name(NAMES[which].1);
                    let factors = book.factors.iter_mut().filter(|factor| factor.name == name);
                    factors.for_each(|factor| factor.weight = weight);
                }
                // One phrase of a refusal is enough, unless a phrase of a failure stands beside it.
                if let Some(line) = book.decide.last_mut() {
                    line.decision = Decision::Threshold(readable(phrase / book.denominator));
                }
            }
        }
        book
    }

    /// Takes lines away one after the other while that pays.
    fn fewer_lines(base: Rulebook, examples: &[Example], settings: &fit::Settings) -> Fitted {
        let mut book = base;
        let mut best = fit_examples(examples, &book, settings);
        loop {
            let without = |line: usize| {
                let mut fewer = book.clone();
                fewer.decide.remove(line);
                let fitted = fit_examples(examples, &fewer, settings);
                (fitted, fewer)
            };
            let tries = (0..book.decide.len().saturating_sub(1)).map(without);
            let found = tries.max_by(|(one, _), (other, _)| one.worth.total_cmp(&other.worth));
            match found {
                Some((fitted, fewer)) if fitted.worth > best.worth + WORTH => {
                    (best, book) = (fitted, fewer);
                }
                Some(_) | None => return best,
            }
        }
    }

    /// Whether phrases of hidden failures pay on servers on which they were not found.
    fn hides_pay(&self, train: &[usize], elsewhere: &BTreeMap<usize, [bool; NAMES.len()]>) -> bool {
        let [mut before, mut after] = [Counts::default(); 2];
        for at in train {
            let reply = &self.replies[*at];
            if reply.asked() != Asked::Hidden || !reply.ground.has_content() {
                continue;
            }
            let was = reply.answer(self.start) == Some(Label::HiddenFailure);
            let is = was || elsewhere[at][2];
            for (counts, found) in [(&mut before, was), (&mut after, is)] {
                let count = match (reply.label == Label::HiddenFailure, found) {
                    (true, true) => &mut counts.found,
                    (true, false) => &mut counts.missed,
                    (false, true) => &mut counts.alarmed,
                    (false, false) => &mut counts.spared,
                };
                *count += 1.0;
            }
        }
        if after.found + after.missed == 0.0 || after.alarmed + after.spared == 0.0 {
            return false;
        }
        let objective: Objective = self.fit.objective;
        let gain = objective.of(&after) - objective.of(&before);
        gain > HIDDEN_GAIN && after.found >= HIDDEN_PRECISION * (after.found + after.alarmed)
    }
}
