//! Signals: named conditions that may rest on each other, but not in circles.

use super::examples::object;
use super::questions::{Questions, is_plain_name};
use crate::rulebook::Rulebook;
use crate::rulebook::matching::{LeafSet, bits};
use crate::rulebook::model::{Condition, Field, Question, Signal};
use crate::rulebook::observe::{Observer, SignalText, Watch, Watched};
use crate::rulebook::problem::{Mark, Problems};
use crate::rulebook::source::{Entry, Node, Section, elements_of};
use crate::verdict::SignalSet;

pub(super) struct Signals {
    names: Vec<String>,
    abouts: Vec<String>,
    /// `None` where something is wrong with the signal.
    conditions: Vec<Option<Condition>>,
    /// The signals, each after those it rests on.
    order: Vec<usize>,
    pub(super) examples: Vec<SignalText>,
}

pub(super) fn compile(
    entries: &[Entry],
    questions: &mut Questions,
    problems: &Problems,
) -> Signals {
    let within = &entries[..entries.len().min(SignalSet::CAPACITY)];
    if let Some(first) = entries.get(within.len()) {
        let message = format!("a rulebook can have at most {} signals", SignalSet::CAPACITY);
        problems.error(first.key_mark, message);
    }
    let mut signals = Signals {
        names: within.iter().map(|entry| entry.key.clone()).collect(),
        abouts: Vec::new(),
        conditions: Vec::new(),
        order: Vec::new(),
        examples: Vec::new(),
    };
    for entry in within {
        if !is_plain_name(&entry.key) {
            let message =
                "a signal's name may have lower-case letters, digits and underscores, at most 60";
            problems.error(entry.key_mark, message);
        }
        let read = Section::open_entry(entry, problems)
            .map(|section| signals.read(section, &entry.key, questions));
        let (about, condition) = read.unwrap_or_default();
        signals.abouts.push(about);
        signals.conditions.push(condition);
    }
    signals.put_in_order(within, problems);
    signals
}

/// What a signal is tried on: a text, or a table of a text and the call that it answers.
fn example(node: &Node, problems: &Problems) -> Option<(String, Option<String>)> {
    if let Some(text) = node.text() {
        return Some((text.to_owned(), None));
    }
    if node.entries().is_none() {
        let message =
            format!("expected a text, or a table with `text` and `call`, not {}", node.kind());
        problems.error(node.mark, message);
        return None;
    }
    let mut section = Section::open(node, problems)?;
    let text = section.require("text", Section::text);
    let call = section.take("call").and_then(|node| object(node, problems));
    section.finish();
    Some((text?.to_owned(), call.map(|call| call.to_string())))
}

impl Signals {
    fn read(
        &mut self,
        mut section: Section<'_>,
        name: &str,
        questions: &mut Questions,
    ) -> (String, Option<Condition>) {
        let problems = section.problems;
        let about = section.text("about").unwrap_or_default().to_owned();
        for (key, holds) in [("yes", true), ("no", false)] {
            for node in section.take(key).map_or(&[][..], elements_of) {
                let signal = self.conditions.len();
                self.examples.extend(example(node, problems).map(|(text, call)| SignalText {
                    signal,
                    text,
                    call,
                    holds,
                    mark: node.mark,
                }));
            }
        }
        let condition = match section.take("signal") {
            Some(node) => self.named(node, problems).map(Condition::Signal),
            None => self.condition_in(&mut section, Some((name, questions))),
        };
        section.finish();
        (about, condition)
    }

    /// The signal that a text names.
    pub(super) fn named(&self, node: &Node, problems: &Problems) -> Option<usize> {
        let name = node.text();
        if name.is_none() {
            problems.error(node.mark, "expected the name of a signal");
        }
        self.find(name?, node.mark, problems)
    }

    pub(super) fn find(&self, name: &str, mark: Mark, problems: &Problems) -> Option<usize> {
        problems.find("signal", name, mark, self.names.iter().map(String::as_str))
    }

    /// A condition as it is written: a signal's name, or a table. The signal of a name may put questions to the texts.
    pub(super) fn condition(
        &self,
        node: &Node,
        asker: Option<(&str, &mut Questions)>,
        problems: &Problems,
    ) -> Option<Condition> {
        if node.text().is_some() {
            return self.named(node, problems).map(Condition::Signal);
        }
        let mut section = Section::open(node, problems)?;
        let read = self.condition_in(&mut section, asker);
        section.finish();
        read
    }

    /// Reads the condition that a table holds, leaving the table's other keys alone.
    fn condition_in(
        &self,
        section: &mut Section<'_>,
        mut asker: Option<(&str, &mut Questions)>,
    ) -> Option<Condition> {
        let problems = section.problems;
        let mut found = Vec::new();
        for (key, join) in [("any", Condition::Any as fn(_) -> _), ("all", Condition::All)] {
            let Some(node) = section.take(key) else { continue };
            let elements = node.elements();
            match elements {
                None => problems.error(node.mark, format!("expected a list, not {}", node.kind())),
                Some([]) => problems.error(node.mark, "an empty list decides nothing"),
                Some(_) => {}
            }
            // Every element is read, so that the errors of all of them are reported.
            let parts = elements.unwrap_or_default().iter();
            let parts: Vec<_> =
                parts.map(|part| self.condition(part, again(&mut asker), problems)).collect();
            found.push(parts.into_iter().collect::<Option<_>>().map(join));
        }
        if let Some(node) = section.take("not") {
            let part = self.condition(node, again(&mut asker), problems);
            found.push(part.map(|part| Condition::Not(Box::new(part))));
        }
        if let Some((signal, questions)) = &mut asker {
            questions.read(signal, section, &mut found);
        }
        let more = if asker.is_some() { ", contains, regex, equals, quotes" } else { "" };
        match found.len() {
            1 => return found.pop().flatten(),
            0 => section.error(format!("expected one of any, all, not{more}")),
            _ => section.error(format!("only one of any, all, not{more} is allowed here")),
        }
        None
    }

    fn rests_on(&self, signal: usize) -> SignalSet {
        self.conditions[signal].as_ref().map_or(SignalSet::default(), |it| it.rests_on().0)
    }

    fn put_in_order(&mut self, entries: &[Entry], problems: &Problems) {
        let (mut done, count) = (SignalSet::default(), self.conditions.len());
        let missing = |signals: &Self, signal, done: SignalSet| {
            bits(signals.rests_on(signal).0 & !done.0).next()
        };
        while self.order.len() < count {
            let before = self.order.len();
            for signal in 0..count {
                if !done.has(signal) && missing(self, signal, done).is_none() {
                    done.insert(signal);
                    self.order.push(signal);
                }
            }
            if self.order.len() > before {
                continue;
            }
            // Those that are left rest on circles. Each is told, and then taken for done.
            let (mut path, mut next) = (Vec::new(), (!done.0).trailing_zeros() as usize);
            while !path.contains(&next) {
                path.push(next);
                next = missing(self, next, done).unwrap_or(next);
            }
            path.push(next);
            let circle = path.iter().skip_while(|at| **at != next);
            let names: Vec<&str> = circle.map(|at| self.names[*at].as_str()).collect();
            let circle = names.join(" -> ");
            let message = format!("signals depend on each other in a circle: {circle}");
            problems.error(entries[next].key_mark, message);
            done.insert(next);
            self.order.push(next);
        }
    }

    /// The signals observed on error replies and those observed on other replies, each with all that
    /// they rest on. A signal that only a hidden failure needs is not looked for in errors.
    pub(super) fn observed(&self, rulebook: &Rulebook) -> [SignalSet; 2] {
        let [mut for_errors, mut for_hidden] = rulebook.deciding_signals();
        for line in &rulebook.certainty {
            let is_of_error = line.answer.business_logic().is_some();
            let signals = if is_of_error { &mut for_errors } else { &mut for_hidden };
            line.condition.add_signals_to(signals);
        }
        let (for_errors, for_hidden) = (self.closed(for_errors), self.closed(for_hidden));
        let every = (0..self.conditions.len()).fold(0, |every, signal| every | 1 << signal);
        let errors = SignalSet(every & !(for_hidden.0 & !for_errors.0));
        match rulebook.errors.question {
            Question::Errors | Question::Failures => [errors, for_hidden],
            Question::All => [errors, SignalSet(every)],
        }
    }

    /// A set of signals with all that they rest on.
    fn closed(&self, mut signals: SignalSet) -> SignalSet {
        for signal in self.order.iter().rev() {
            if signals.has(*signal) {
                signals.0 |= self.rests_on(*signal).0;
            }
        }
        signals
    }

    /// The signals of a set with their conditions, each after those it rests on.
    fn in_order(&self, signals: SignalSet) -> Vec<(usize, Condition)> {
        let wanted = self.order.iter().filter(|signal| signals.has(**signal));
        wanted.filter_map(|signal| Some((*signal, self.conditions[*signal].clone()?))).collect()
    }

    /// The questions that the signals of a set ask.
    fn asked(&self, signals: SignalSet) -> LeafSet {
        let mut asked = LeafSet::default();
        for (_, condition) in self.in_order(signals) {
            asked.add(condition.rests_on().1);
        }
        asked
    }

    /// What looks for the signals: those of error replies and those of the others.
    pub(super) fn observer(
        &self,
        [errors, successes]: [SignalSet; 2],
        questions: &Questions,
        problems: &Problems,
    ) -> Option<Observer> {
        let watch = |signals| {
            let asked = self.asked(signals);
            let fields = Field::ALL.map(|field| questions.matcher(field, &asked, problems));
            let fields: Option<Vec<_>> = fields.into_iter().collect();
            let fields = fields?.try_into().ok()?;
            Some(Watch { fields, signals: Watched::new(self.in_order(signals)) })
        };
        Some(Observer { errors: watch(errors)?, successes: watch(successes)? })
    }

    pub(super) fn described(&self, questions: &Questions) -> Vec<Signal> {
        let signal = |(signal, condition): (usize, &Option<Condition>)| {
            let asked = self.asked(self.closed(SignalSet(1 << signal)));
            let patterns =
                asked.without(LeafSet::default()).flat_map(|it| questions.patterns_of(it));
            let words = |by_name| {
                condition.as_ref().map_or_else(String::new, |it| self.words(it, questions, by_name))
            };
            Signal {
                name: self.names[signal].clone(),
                about: self.abouts[signal].clone(),
                definition: words(false),
                outline: words(true),
                patterns: patterns.filter_map(|pattern| u16::try_from(pattern).ok()).collect(),
            }
        };
        self.conditions.iter().enumerate().map(signal).collect()
    }

    fn words(&self, condition: &Condition, questions: &Questions, by_name: bool) -> String {
        let words = |part: &Condition| self.words(part, questions, by_name);
        let joined = |parts: &[Condition], word: &str| {
            format!("({})", parts.iter().map(words).collect::<Vec<_>>().join(word))
        };
        match condition {
            Condition::Always => String::new(),
            Condition::Question(question) => questions.words(*question, by_name).to_owned(),
            Condition::Signal(signal) => self.names[*signal].clone(),
            Condition::All(parts) => joined(parts, " and "),
            Condition::Any(parts) => joined(parts, " or "),
            Condition::Not(part) => format!("not {}", words(part)),
        }
    }
}

/// The one who asks, for another part of a condition.
fn again<'a>(
    asker: &'a mut Option<(&str, &mut Questions)>,
) -> Option<(&'a str, &'a mut Questions)> {
    asker.as_mut().map(|(signal, questions)| (*signal, &mut **questions))
}
